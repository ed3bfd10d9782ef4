//! Finds the column of the submission time in files of an unknown tool, by its name and its cells.
//!
//! An ambiguous choice is an error, because a wrong submission time would not be noticed.

use chrono::NaiveDateTime;

use super::column::MappedColumn;
use super::column_stats::ColumnStats;
use super::languages::is_same_header;
use super::languages::{is_foreign_submission, is_timestamp};
use super::parsed_submission::shorten;
use super::target::MetadataPart;
use crate::error::{Error, Result};

/// Headers that clearly name the submission time, separated by `|`. The cells must be times.
const SUBMITTED: &str = "\
    submitted_at|Submitted|Submitted on|Submitted time|Submitted date|Submission date|\
    Submission time|Submission timestamp|Submission created|Date submitted|Time submitted|\
    Submit date|Submit time|submitdate|_submission_time";
/// Headers of other tools for the submission time, the better ones first.
const RECORDED: &str = "\
    Completed at|Completion time|Completion date|Completed time|Date completed|Completed|\
    Finished at|Recorded date|Response date|Response time|Responded at|Received at|\
    Date received|Received|Entry date|Entry_DateSubmitted|Date created|Created at|Created time|\
    Created on|Creation date|Creation time|Created|Date added|_date|Conversion date|\
    Last submitted";
/// Headers that may also belong to a question. The cells must have a time of day.
const ENDED: &str = "\
    End date|End time|Ended at|Ended|Date/Time|Date time|Date and time|Date & time|Time|Date";
const STARTED: &str = "\
    Start date|started_at|Start time|Started|Date started|Started on|Begin date|Created at";
/// Maximum number of columns in an error.
const NAMED_MAX: usize = 5;

/// Evidence about the columns.
#[derive(Clone, Copy)]
pub(super) struct ColumnEvidence<'a> {
    pub(super) profiles: &'a [ColumnStats],
    /// Number of rows that are not empty.
    pub(super) rows: u64,
    /// Latest accepted local time of a submission.
    pub(super) end: NaiveDateTime,
}

/// Finds the column of the submission time, and that for the start time if there is one.
///
/// # Errors
/// Time columns without a clear submission time.
pub(super) fn find_time_columns(
    columns: &mut [MappedColumn],
    seen: ColumnEvidence<'_>,
) -> Result<()> {
    let free: Vec<usize> = (0..columns.len())
        .filter(|at| columns[*at].part.is_none() && !columns[*at].is_mapped)
        .filter(|at| seen.profiles[*at].filled > 0)
        .collect();
    let times = |at: usize| &seen.profiles[at].times;
    let found = find_by_name(columns, &free, seen);
    // A first column `Date` with dates only may be the submission time or an answer.
    let days = free.first().copied().filter(|at| {
        *at == 0 && times(0).are_times() && is_same_header(&columns[0].header.name, "Date")
    });
    let clocks: Vec<usize> = free.into_iter().filter(|at| times(*at).have_time_of_day()).collect();
    let (started, submitted) = match (found, clocks.as_slice()) {
        (Some(found), _) => found,
        (None, []) => {
            return days.map_or_else(
                || refuse_unread(columns, seen),
                |at| Err(ambiguous_columns_error(columns, &[at])),
            );
        }
        (None, [only]) if is_clear_submission_time(*only, seen) => (None, *only),
        // Microsoft Forms has an id before its times, and questions about times after them.
        (None, [start, end, more @ ..])
            if (more.is_empty() || *start <= 1) && is_pair(*start, *end, seen) =>
        {
            (Some(*start), *end)
        }
        (None, several) => return Err(ambiguous_columns_error(columns, several)),
    };
    columns[submitted].part = Some(MetadataPart::SubmittedAt);
    if let Some(started) = started {
        columns[started].part = Some(MetadataPart::StartedAt);
    }
    Ok(())
}

/// Finds the start time by its name, if the submission time is known.
pub(super) fn find_start(columns: &mut [MappedColumn], seen: ColumnEvidence<'_>) {
    let is_start = |(column, profile): (&MappedColumn, &ColumnStats)| {
        let is_free = column.part.is_none() && !column.is_mapped && profile.times.are_times();
        is_free && STARTED.split('|').any(|name| is_same_header(&column.header.name, name))
    };
    let start = columns.iter().zip(seen.profiles).position(is_start);
    if let Some(start) = start {
        columns[start].part = Some(MetadataPart::StartedAt);
    }
}

fn find_by_name(
    columns: &[MappedColumn],
    free: &[usize],
    seen: ColumnEvidence<'_>,
) -> Option<(Option<usize>, usize)> {
    let times = |at: usize| &seen.profiles[at].times;
    let column_named = |name: &'static str| {
        free.iter().copied().filter(move |at| is_same_header(&columns[*at].header.name, name))
    };
    let started = STARTED.split('|').flat_map(column_named).find(|at| times(*at).are_times());
    let recorded = |at: &usize| times(*at).can_be_times();
    // Two dates are a start and an end; a single one may be an answer.
    let ended = |at: &usize| {
        let is_full = times(*at).have_time_of_day() && times(*at).are_in_all(seen.rows);
        is_full || started.is_some_and(|start| start != *at) && recorded(at)
    };
    let is_stamp = |head: &str| is_timestamp(head) || is_foreign_submission(head);
    let stamps = || free.iter().copied().filter(|at| is_stamp(&columns[*at].header.name));
    let submitted = SUBMITTED.split('|').flat_map(column_named).next();
    let submitted = submitted.or_else(|| stamps().find(recorded));
    let submitted = submitted.or_else(|| RECORDED.split('|').flat_map(column_named).find(recorded));
    let submitted = submitted.or_else(|| ENDED.split('|').flat_map(column_named).find(ended))?;
    let before = || submitted.checked_sub(1).filter(|at| free.contains(at));
    let neighbour = || {
        let clocks = before().filter(|at| times(*at).have_time_of_day());
        clocks.filter(|at| is_pair(*at, submitted, seen))
    };
    Some((started.filter(|at| *at != submitted).or_else(neighbour), submitted))
}

/// Whether the only time column is the submission time: it has no gaps, and is the first column or
/// sorted. Answers are neither.
fn is_clear_submission_time(at: usize, seen: ColumnEvidence<'_>) -> bool {
    let times = &seen.profiles[at].times;
    let is_first = at == 0 && times.are_past(seen.end);
    times.are_in_all(seen.rows) && (is_first || times.are_in_order(seen.end))
}

/// Whether two neighbours are start and end of each row.
fn is_pair(start: usize, end: usize, seen: ColumnEvidence<'_>) -> bool {
    let times = |at: usize| &seen.profiles[at].times;
    end == start + 1 && times(start).precede_next(seen.rows) && times(end).are_past(seen.end)
}

/// Rejects columns that look like times in an unknown language or format.
fn refuse_unread(columns: &[MappedColumn], seen: ColumnEvidence<'_>) -> Result<()> {
    for (column, profile) in columns.iter().zip(seen.profiles) {
        let is_free = column.part.is_none() && !column.is_mapped;
        if let Some((line, text)) = &profile.times.first_unread
            && profile.times.are_unread()
            && is_free
        {
            let name = shorten(&column.header.name);
            let wrong = format!(
                "column `{name}` looks like times, but `{text}` cannot be read; write the times as \
                 in `2026-03-01 09:30`, or use the time of the import for all submissions with \
                 `--time now`"
            );
            return Err(Error::at_line(*line, wrong));
        }
    }
    Ok(())
}

fn ambiguous_columns_error(columns: &[MappedColumn], several: &[usize]) -> Error {
    let name = |at: &usize| format!("`{}`", shorten(&columns[*at].header.name));
    let names: Vec<_> = several.iter().take(NAMED_MAX).map(name).collect();
    let first = shorten(&columns[several[0]].header.name);
    let (reason, hold) =
        if several.len() == 1 { ("the column", "holds") } else { ("the columns", "hold") };
    Error::invalid(format!(
        "{reason} {} {hold} times, but may not be the submission time; name the column of the \
         submission time with `--time \"{first}\"`, or use the time of the import for all \
         submissions with `--time now`",
        names.join(", ")
    ))
}
