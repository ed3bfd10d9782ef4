//! The board: which column shows a submission, the counts of the columns, and the steps of the
//! keyboard. Pure data, without requests.

use std::{
    cmp::Reverse,
    collections::{HashMap, HashSet},
    sync::Arc,
};

use contract::triage::Status;
use contract::{Submission, SubmissionId};

/// Column of a board: the submissions with one status.
#[derive(Debug, Clone, PartialEq)]
pub struct BoardColumn {
    /// The status.
    pub status: Status,
    /// The loaded submissions, newest first.
    pub rows: Vec<Arc<Submission>>,
    /// Number of all submissions with the status; `None` until it is known.
    pub total: Option<u64>,
}

/// Position on a board: the index of the column, and of the submission in it.
pub type BoardPosition = (usize, usize);

/// Direction of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoardStep {
    /// To the submission above.
    Up,
    /// To the submission below.
    Down,
    /// To the previous column that is not empty.
    Left,
    /// To the next column that is not empty.
    Right,
}

impl BoardStep {
    /// Returns the step of an arrow key.
    pub fn from_key(key: &str) -> Option<Self> {
        Some(match key {
            "ArrowUp" => Self::Up,
            "ArrowDown" => Self::Down,
            "ArrowLeft" => Self::Left,
            "ArrowRight" => Self::Right,
            _ => return None,
        })
    }
}

/// Moves submissions to the columns of their statuses, and changes the totals with them.
/// `status_of` returns the status of a submission; `None` if it is unknown, so that it stays. A
/// submission whose status has no column is left out.
pub fn arrange(
    columns: &[BoardColumn],
    status_of: impl Fn(&SubmissionId) -> Option<Status>,
) -> Vec<BoardColumn> {
    let mut arranged: Vec<BoardColumn> = columns.to_vec();
    let indexes: HashMap<&Status, usize> =
        columns.iter().enumerate().map(|(index, column)| (&column.status, index)).collect();
    // Two responses can both contain a submission that was moved between them.
    let mut placed = HashSet::new();
    let mut moved = Vec::new();
    for (index, column) in arranged.iter_mut().enumerate() {
        let loaded_count = column.rows.len();
        column.rows.retain(|row| {
            let status = status_of(&row.id);
            let stays = status.as_ref().is_none_or(|status| *status == columns[index].status);
            if stays {
                return placed.insert(row.id.clone());
            }
            moved.push((status, Arc::clone(row)));
            false
        });
        let left_count = (loaded_count - column.rows.len()) as u64;
        column.total = column.total.map(|total| total.saturating_sub(left_count));
    }
    let mut is_changed = vec![false; arranged.len()];
    for (status, row) in moved {
        let target = status.and_then(|status| indexes.get(&status));
        let Some(&target) = target.filter(|_| placed.insert(row.id.clone())) else { continue };
        let column = &mut arranged[target];
        column.rows.push(row);
        column.total = column.total.map(|total| total + 1);
        is_changed[target] = true;
    }
    let changed = arranged.iter_mut().zip(is_changed).filter(|(_, is_changed)| *is_changed);
    for (column, _) in changed {
        column.rows.sort_by_cached_key(|row| Reverse((row.metadata.submitted_at, row.id.clone())));
    }
    arranged
}

/// Returns the position of a submission.
pub fn position(columns: &[BoardColumn], id: &SubmissionId) -> Option<BoardPosition> {
    let row_of = |column: &BoardColumn| column.rows.iter().position(|row| row.id == *id);
    columns.iter().enumerate().find_map(|(index, column)| Some((index, row_of(column)?)))
}

/// Returns the position after a step; `None` at the edge of the board. A step to a shorter column
/// leads to its last submission.
pub fn step(
    columns: &[BoardColumn],
    (column, row): BoardPosition,
    step: BoardStep,
) -> Option<BoardPosition> {
    let in_column = |index: usize| {
        let last = columns.get(index)?.rows.len().checked_sub(1)?;
        Some((index, row.min(last)))
    };
    match step {
        BoardStep::Up => Some((column, row.checked_sub(1)?)),
        BoardStep::Down => (row + 1 < columns.get(column)?.rows.len()).then_some((column, row + 1)),
        BoardStep::Left => (0..column).rev().find_map(in_column),
        BoardStep::Right => (column + 1..columns.len()).find_map(in_column),
    }
}

/// Returns the position that takes the focus when the submission at a position has left the board:
/// the same one, or else the nearest in its column, or else the first of another column.
pub fn nearest(columns: &[BoardColumn], (column, row): BoardPosition) -> Option<BoardPosition> {
    let last = columns.get(column).and_then(|column| column.rows.len().checked_sub(1));
    let first_of_other = || columns.iter().position(|column| !column.rows.is_empty());
    last.map(|last| (column, row.min(last))).or_else(|| Some((first_of_other()?, 0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn row(number: u32) -> Arc<Submission> {
        let row = json!({
            "id": format!("sub_{number}"),
            "form_id": "frm_1",
            "metadata": { "submitted_at": format!("2026-03-{:02}T12:00:00Z", 28 - number) },
        });
        Arc::new(serde_json::from_value(row).unwrap())
    }

    /// Returns columns with these submissions, each with ten more that are not loaded.
    fn columns(loaded: &[(&str, &[u32])]) -> Vec<BoardColumn> {
        let column = |(status, numbers): &(&str, &[u32])| BoardColumn {
            status: status.parse().unwrap(),
            rows: numbers.iter().copied().map(row).collect(),
            total: Some(numbers.len() as u64 + 10),
        };
        loaded.iter().map(column).collect()
    }

    /// Returns the numbers of the submissions and the total of each column.
    fn shown(columns: &[BoardColumn]) -> Vec<(Vec<u32>, u64)> {
        let number = |row: &Arc<Submission>| row.id.as_str()[4..].parse().unwrap();
        let column = |column: &BoardColumn| {
            (column.rows.iter().map(number).collect(), column.total.unwrap())
        };
        columns.iter().map(column).collect()
    }

    /// Returns a function with the statuses of some submissions.
    fn statuses(
        known: &'static [(&'static str, &'static str)],
    ) -> impl Fn(&SubmissionId) -> Option<Status> {
        move |id| {
            let found = known.iter().find(|(known, _)| *known == id.as_str())?;
            Some(found.1.parse().unwrap())
        }
    }

    #[test]
    fn submissions_move_to_the_columns_of_their_statuses() {
        let loaded = columns(&[("open", &[1, 2, 4]), ("in_progress", &[3]), ("done", &[])]);
        let known = statuses(&[("sub_2", "in_progress"), ("sub_3", "done"), ("sub_4", "open")]);
        assert_eq!(
            shown(&arrange(&loaded, known)),
            [(vec![1, 4], 12), (vec![2], 11), (vec![3], 11)]
        );
        assert_eq!(shown(&arrange(&loaded, |_| None)), shown(&loaded));
    }

    #[test]
    fn moved_submission_is_sorted_by_time() {
        let loaded = columns(&[("open", &[2, 9]), ("done", &[1, 3])]);
        let known = statuses(&[("sub_2", "done"), ("sub_9", "done")]);
        assert_eq!(shown(&arrange(&loaded, known)), [(vec![], 10), (vec![1, 2, 3, 9], 14)]);
    }

    #[test]
    fn status_without_a_column_leaves_the_board() {
        let loaded = columns(&[("open", &[1, 2])]);
        let known = statuses(&[("sub_1", "waiting")]);
        assert_eq!(shown(&arrange(&loaded, known)), [(vec![2], 11)]);
    }

    #[test]
    fn submission_of_two_responses_is_shown_once() {
        // The response of the second column is newer than that of the first.
        let loaded = columns(&[("open", &[1, 2]), ("done", &[1])]);
        let known = statuses(&[("sub_1", "done")]);
        let arranged = arrange(&loaded, &known);
        assert_eq!(shown(&arranged), [(vec![2], 11), (vec![1], 11)]);
        assert_eq!(arrange(&arranged, known), arranged, "it is stable");
    }

    #[test]
    fn unknown_total_stays_unknown() {
        let mut loaded = columns(&[("open", &[1]), ("done", &[])]);
        loaded[1].total = None;
        let arranged = arrange(&loaded, statuses(&[("sub_1", "done")]));
        assert_eq!((arranged[1].rows.len(), arranged[1].total), (1, None));
    }

    #[test]
    fn steps_skip_empty_columns_and_end_at_the_edges() {
        let board = columns(&[("open", &[1, 2, 3]), ("in_progress", &[]), ("done", &[4, 5])]);
        let check = |from: BoardPosition, key: &str, to: Option<BoardPosition>| {
            let taken = step(&board, from, BoardStep::from_key(key).unwrap());
            assert_eq!(taken, to, "{from:?} {key}");
        };
        check((0, 0), "ArrowDown", Some((0, 1)));
        check((0, 2), "ArrowDown", None);
        check((0, 1), "ArrowUp", Some((0, 0)));
        check((0, 0), "ArrowUp", None);
        check((0, 2), "ArrowRight", Some((2, 1)));
        check((2, 1), "ArrowLeft", Some((0, 1)));
        check((2, 0), "ArrowRight", None);
        check((0, 0), "ArrowLeft", None);
        assert_eq!(BoardStep::from_key("Enter"), None);
    }

    #[test]
    fn focus_stays_near_a_submission_that_left() {
        let board = columns(&[("open", &[]), ("in_progress", &[1, 2]), ("done", &[4])]);
        assert_eq!(nearest(&board, (1, 5)), Some((1, 1)));
        assert_eq!(nearest(&board, (1, 0)), Some((1, 0)));
        assert_eq!(nearest(&board, (0, 0)), Some((1, 0)));
        assert_eq!(nearest(&columns(&[("open", &[])]), (0, 0)), None);
        let id = "sub_4".parse().unwrap();
        assert_eq!(position(&board, &id), Some((2, 0)));
    }
}
