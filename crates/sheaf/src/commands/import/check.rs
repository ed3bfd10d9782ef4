//! Checks all submissions of a file before the first one is inserted.

use contract::{Form, SubmissionId, Timestamp};
use std::collections::HashSet;

use super::inferred_fields::InferredFields;
use super::notes::RowNotes;
use super::parsed_submission::ParsedSubmission;
use super::row_order::{RowPositions, SORTED_ROWS_MAX};
use crate::error::{Error, Result};

/// Maximum number of problems to list.
const PROBLEMS_MAX: usize = 100;

/// Result of a check.
pub(super) struct CheckResult {
    /// Number of valid submissions.
    pub(super) count: u64,
    /// First and last submission time.
    pub(super) range: Option<(Timestamp, Timestamp)>,
    /// First problems, each with its line.
    pub(super) problems: Vec<String>,
    pub(super) problem_count: u64,
    /// Whether any submission has an id in the file.
    pub(super) has_ids: bool,
    /// Answer keys and their types, for files that do not declare fields.
    pub(super) inferred: InferredFields,
    pub(super) notes: RowNotes,
    /// Position of each row in the file.
    pub(super) positions: RowPositions,
}

/// End of a check: the first problem, or the end of the file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum StopAt {
    FirstProblem,
    End,
}

/// Checks all submissions. Set `has_fields` if the file declares its fields in a header.
///
/// # Errors
/// The first problem, with [`StopAt::FirstProblem`].
pub(super) fn check_submissions(
    drafts: impl Iterator<Item = Result<ParsedSubmission>>,
    form: &Form,
    has_fields: bool,
    until: StopAt,
) -> Result<CheckResult> {
    let keys = form.fields.iter().map(|field| field.key.clone()).collect();
    let mut checked = CheckResult {
        count: 0,
        range: None,
        problems: Vec::new(),
        problem_count: 0,
        has_ids: false,
        inferred: InferredFields::new(keys),
        notes: RowNotes::default(),
        positions: RowPositions::new(SORTED_ROWS_MAX),
    };
    let mut ids: HashSet<SubmissionId> = HashSet::new();
    for draft in drafts {
        let checks = draft.and_then(|draft| checked.check_submission(draft, &mut ids, has_fields));
        match checks {
            Ok(()) => checked.count += 1,
            Err(error) if until == StopAt::FirstProblem => return Err(error),
            Err(error) => {
                checked.record_problem(&error);
            }
        }
    }
    Ok(checked)
}

impl CheckResult {
    fn check_submission(
        &mut self,
        draft: ParsedSubmission,
        ids: &mut HashSet<SubmissionId>,
        has_fields: bool,
    ) -> Result<()> {
        let line = draft.line;
        if let Some(id) = draft.id {
            self.has_ids = true;
            let sentence = format!("the id `{id}` is also on an earlier line");
            if !ids.insert(id) {
                return Err(Error::at_line(line, sentence));
            }
        }
        if !has_fields {
            self.inferred
                .add_answers(&draft.answers)
                .map_err(|wrong| Error::at_line(line, wrong))?;
        }
        self.positions.record(draft.submitted_at, &draft.bytes);
        if let Some(at) = draft.submitted_at {
            let (first, last) = self.range.unwrap_or((at, at));
            self.range = Some((first.min(at), last.max(at)));
        }
        Ok(())
    }

    /// Records a problem.
    pub(super) fn record_problem(&mut self, error: &Error) {
        self.problem_count += 1;
        if self.problems.len() < PROBLEMS_MAX {
            self.problems.push(error.to_string());
        }
    }
}
