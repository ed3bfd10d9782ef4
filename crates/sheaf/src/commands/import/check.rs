//! Reading all of a file before any of it is inserted: every rule is kept by then.

use contract::{Form, SubmissionId, Timestamp};
use std::collections::HashSet;

use super::inferred_fields::InferredFields;
use super::notes::Notes;
use super::order::{Places, SORTED_ROWS_MAX};
use super::parsed_submission::ParsedSubmission;
use crate::error::{Error, Result};

/// How many problems are shown.
const PROBLEMS_MAX: usize = 100;

/// What was found.
pub(super) struct Checked {
    /// How many submissions can be taken.
    pub(super) count: u64,
    /// The first and the last instant.
    pub(super) range: Option<(Timestamp, Timestamp)>,
    /// The first problems, each with its line.
    pub(super) problems: Vec<String>,
    pub(super) problem_count: u64,
    /// Whether any submission has an id of its own.
    pub(super) has_ids: bool,
    /// The answer keys and their types, for files that say no fields.
    pub(super) inferred: InferredFields,
    pub(super) notes: Notes,
    /// Where each stands in the file.
    pub(super) places: Places,
}

/// Whether the first problem ends it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Until {
    FirstProblem,
    End,
}

/// Reads all submissions. `has_fields` where the file says beforehand which fields there are.
///
/// # Errors
/// The first problem, where that ends it.
pub(super) fn check(
    drafts: impl Iterator<Item = Result<ParsedSubmission>>,
    form: &Form,
    has_fields: bool,
    until: Until,
) -> Result<Checked> {
    let known = form.fields.iter().map(|field| field.key.clone()).collect();
    let mut checked = Checked {
        count: 0,
        range: None,
        problems: Vec::new(),
        problem_count: 0,
        has_ids: false,
        inferred: InferredFields::new(known),
        notes: Notes::default(),
        places: Places::new(SORTED_ROWS_MAX),
    };
    let mut ids: HashSet<SubmissionId> = HashSet::new();
    for draft in drafts {
        let checks = draft.and_then(|draft| checked.note(draft, &mut ids, has_fields));
        match checks {
            Ok(()) => checked.count += 1,
            Err(error) if until == Until::FirstProblem => return Err(error),
            Err(error) => {
                checked.problem(&error);
            }
        }
    }
    Ok(checked)
}

impl Checked {
    fn note(
        &mut self,
        draft: ParsedSubmission,
        ids: &mut HashSet<SubmissionId>,
        has_fields: bool,
    ) -> Result<()> {
        let line = draft.line;
        if let Some(id) = draft.id {
            self.has_ids = true;
            let sentence = format!("the id `{id}` stands on an earlier line too");
            if !ids.insert(id) {
                return Err(Error::at_line(line, sentence));
            }
        }
        if !has_fields {
            self.inferred.note(&draft.answers).map_err(|wrong| Error::at_line(line, wrong))?;
        }
        self.places.note(draft.submitted_at, &draft.bytes);
        if let Some(at) = draft.submitted_at {
            let (first, last) = self.range.unwrap_or((at, at));
            self.range = Some((first.min(at), last.max(at)));
        }
        Ok(())
    }

    /// Notes a problem.
    pub(super) fn problem(&mut self, error: &Error) {
        self.problem_count += 1;
        if self.problems.len() < PROBLEMS_MAX {
            self.problems.push(error.to_string());
        }
    }
}
