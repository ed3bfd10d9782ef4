//! Which column of a file of an unknown tool is the time of submission: by its name and its cells.
//!
//! Where that is a guess between several, it is refused: a submission must not be dated wrong
//! silently.

use chrono::NaiveDateTime;

use super::column::Column;
use super::languages::same;
use super::languages::{is_foreign_submission, is_timestamp};
use super::parsed_submission::shown;
use super::profile::Profile;
use super::target::Part;
use crate::error::{Error, Result};

/// Header that say that a column is the time of submission. What they hold must be one.
const SUBMITTED: [&str; 15] = [
    "submitted_at",
    "Submitted",
    "Submitted on",
    "Submitted time",
    "Submitted date",
    "Submission date",
    "Submission time",
    "Submission timestamp",
    "Submission created",
    "Date submitted",
    "Time submitted",
    "Submit date",
    "Submit time",
    "submitdate",
    "_submission_time",
];
/// Header that other tools give to it, the better one first.
const RECORDED: [&str; 27] = [
    "Completed at",
    "Completion time",
    "Completion date",
    "Completed time",
    "Date completed",
    "Completed",
    "Finished at",
    "Recorded date",
    "Response date",
    "Response time",
    "Responded at",
    "Received at",
    "Date received",
    "Received",
    "Entry date",
    "Entry_DateSubmitted",
    "Date created",
    "Created at",
    "Created time",
    "Created on",
    "Creation date",
    "Creation time",
    "Created",
    "Date added",
    "_date",
    "Conversion date",
    "Last submitted",
];
/// Header that may as well ask for an answer: the cells must have a time of day.
const ENDED: [&str; 10] = [
    "End date",
    "End time",
    "Ended at",
    "Ended",
    "Date/Time",
    "Date time",
    "Date and time",
    "Date & time",
    "Time",
    "Date",
];
const STARTED: [&str; 8] = [
    "Start date",
    "started_at",
    "Start time",
    "Started",
    "Date started",
    "Started on",
    "Begin date",
    "Created at",
];
/// How many columns a refusal names.
const NAMED_MAX: usize = 5;

/// What is known of the columns.
#[derive(Clone, Copy)]
pub(super) struct Seen<'a> {
    pub(super) profiles: &'a [Profile],
    /// How many rows are not empty.
    pub(super) rows: u64,
    /// No submission is later, in any zone.
    pub(super) end: NaiveDateTime,
}

/// Finds the time of submission, and that of the start if there is one.
///
/// # Errors
/// Columns of times of which none is known to be the time of submission.
pub(super) fn find(columns: &mut [Column], seen: Seen<'_>) -> Result<()> {
    let free: Vec<usize> = (0..columns.len())
        .filter(|at| columns[*at].part.is_none() && !columns[*at].is_mapped)
        .filter(|at| seen.profiles[*at].filled > 0)
        .collect();
    let times = |at: usize| &seen.profiles[at].times;
    let found = by_name(columns, &free, seen);
    // A first column of days with this name can be either.
    let days = free
        .first()
        .copied()
        .filter(|at| *at == 0 && times(0).are_times() && same(&columns[0].head.name, "Date"));
    let clocks: Vec<usize> = free.into_iter().filter(|at| times(*at).are_clocks()).collect();
    let (started, submitted) = match (found, clocks.as_slice()) {
        (Some(found), _) => found,
        (None, []) => {
            return days
                .map_or_else(|| refuse_unread(columns, seen), |at| Err(which(columns, &[at])));
        }
        (None, [only]) if is_trusted(*only, seen) => (None, *only),
        // Microsoft Forms has an id before its times, and questions that ask for times behind them.
        (None, [start, end, more @ ..])
            if (more.is_empty() || *start <= 1) && is_pair(*start, *end, seen) =>
        {
            (Some(*start), *end)
        }
        (None, several) => return Err(which(columns, several)),
    };
    columns[submitted].part = Some(Part::SubmittedAt);
    if let Some(started) = started {
        columns[started].part = Some(Part::StartedAt);
    }
    Ok(())
}

/// Finds the time of the start by its name, where the time of submission is known.
pub(super) fn find_start(columns: &mut [Column], seen: Seen<'_>) {
    let is_start = |(column, profile): (&Column, &Profile)| {
        let is_free = column.part.is_none() && !column.is_mapped && profile.times.are_times();
        is_free && STARTED.iter().any(|name| same(&column.head.name, name))
    };
    let start = columns.iter().zip(seen.profiles).position(is_start);
    if let Some(start) = start {
        columns[start].part = Some(Part::StartedAt);
    }
}

fn by_name(columns: &[Column], free: &[usize], seen: Seen<'_>) -> Option<(Option<usize>, usize)> {
    let times = |at: usize| &seen.profiles[at].times;
    let named = |name: &'static str| {
        free.iter().copied().filter(move |at| same(&columns[*at].head.name, name))
    };
    let started = STARTED.iter().copied().flat_map(named).find(|at| times(*at).are_times());
    let recorded = |at: &usize| times(*at).can_be_times();
    // Two days are a time that something took; a lone one may well be what a question asks for.
    let ended = |at: &usize| {
        let is_full = times(*at).are_clocks() && times(*at).are_in_all(seen.rows);
        is_full || started.is_some_and(|start| start != *at) && recorded(at)
    };
    let is_stamp = |head: &str| is_timestamp(head) || is_foreign_submission(head);
    let stamps = || free.iter().copied().filter(|at| is_stamp(&columns[*at].head.name));
    let submitted = SUBMITTED.iter().copied().flat_map(named).next();
    let submitted = submitted.or_else(|| stamps().find(recorded));
    let submitted = submitted.or_else(|| RECORDED.iter().copied().flat_map(named).find(recorded));
    let submitted = submitted.or_else(|| ENDED.iter().copied().flat_map(named).find(ended))?;
    let before = || submitted.checked_sub(1).filter(|at| free.contains(at));
    let neighbour = || {
        let clocks = before().filter(|at| times(*at).are_clocks());
        clocks.filter(|at| is_pair(*at, submitted, seen))
    };
    Some((started.filter(|at| *at != submitted).or_else(neighbour), submitted))
}

/// Whether the only column of times is that of submission: it is full, and is the first one or in
/// order. What a question asks for is neither.
fn is_trusted(at: usize, seen: Seen<'_>) -> bool {
    let times = &seen.profiles[at].times;
    let is_first = at == 0 && times.are_past(seen.end);
    times.are_in_all(seen.rows) && (is_first || times.are_in_order(seen.end))
}

/// Whether two neighbours are begin and end of each row.
fn is_pair(start: usize, end: usize, seen: Seen<'_>) -> bool {
    let times = |at: usize| &seen.profiles[at].times;
    end == start + 1 && times(start).begin_next(seen.rows) && times(end).are_past(seen.end)
}

/// Refuses columns that look like times in a language or a form that is not known.
fn refuse_unread(columns: &[Column], seen: Seen<'_>) -> Result<()> {
    for (column, profile) in columns.iter().zip(seen.profiles) {
        let is_free = column.part.is_none() && !column.is_mapped;
        if let Some((line, text)) = &profile.times.first_unread
            && profile.times.are_unread()
            && is_free
        {
            let name = shown(&column.head.name);
            let wrong = format!(
                "column `{name}` looks like times, but `{text}` cannot be read; write the times \
                 such as `2026-03-01 09:30`, or give all submissions the time of the import with \
                 `--time now`"
            );
            return Err(Error::at_line(*line, wrong));
        }
    }
    Ok(())
}

fn which(columns: &[Column], several: &[usize]) -> Error {
    let name = |at: &usize| format!("`{}`", shown(&columns[*at].head.name));
    let names: Vec<_> = several.iter().take(NAMED_MAX).map(name).collect();
    let first = shown(&columns[several[0]].head.name);
    let (what, hold) =
        if several.len() == 1 { ("the column", "holds") } else { ("the columns", "hold") };
    Error::refused(format!(
        "{what} {} {hold} times, but nothing tells which are the times of submission; name their \
         column with `--time \"{first}\"`, or give all submissions the time of the import with \
         `--time now`",
        names.join(", ")
    ))
}
