//! Selection of rows in the list: individual rows by key, loaded or not, or all matching ones. It
//! sends no requests and renders nothing.

pub use export_worker::task::SELECTION_MAX;

use super::list_model::SubmissionKey;
use contract::SubmissionId;

/// The selected rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// Individually selected rows, newest first.
    keys: Vec<SubmissionKey>,
    /// Whether all matching submissions are selected, loaded or not.
    all_matching: bool,
    /// Fixed end of range selections.
    anchor: Option<SubmissionKey>,
    /// Rows added by the last range.
    last_range: Vec<SubmissionKey>,
}

impl Selection {
    /// Returns whether a row is selected.
    pub fn contains(&self, key: &SubmissionKey) -> bool {
        self.all_matching || find_key(&self.keys, key).is_ok()
    }

    /// Toggles a row, and makes it the anchor of ranges.
    pub fn toggle(&mut self, key: &SubmissionKey) {
        match find_key(&self.keys, key) {
            Ok(index) => drop(self.keys.remove(index)),
            Err(index) if self.keys.len() < SELECTION_MAX => self.keys.insert(index, key.clone()),
            Err(_) => {}
        }
        (self.anchor, self.last_range) = (Some(key.clone()), Vec::new());
    }

    /// Returns the anchor of ranges: the last toggled row. Without one, `otherwise` becomes the
    /// anchor.
    pub fn anchor_or(&mut self, otherwise: &SubmissionKey) -> SubmissionKey {
        self.anchor.get_or_insert_with(|| otherwise.clone()).clone()
    }

    /// Replaces the last range by a new one that starts or ends at the anchor.
    pub fn extend(&mut self, range: Vec<SubmissionKey>) {
        let before = std::mem::take(&mut self.last_range);
        let range = sort_keys(range);
        let is_of = |keys: &[SubmissionKey], key: &SubmissionKey| find_key(keys, key).is_ok();
        // Rows selected before the last range stay; only that range is replaced.
        self.keys.retain(|key| !is_of(&before, key) || is_of(&range, key));
        let room = SELECTION_MAX.saturating_sub(self.keys.len());
        let new = range.into_iter().filter(|key| is_of(&before, key) || !is_of(&self.keys, key));
        let new: Vec<_> = new.take(room).collect();
        self.add(new.clone());
        self.last_range = new;
    }

    /// Adds rows to the selection, up to [`SELECTION_MAX`].
    pub fn add(&mut self, keys: Vec<SubmissionKey>) {
        self.keys = merge_keys(std::mem::take(&mut self.keys), sort_keys(keys));
        self.keys.truncate(SELECTION_MAX);
    }

    /// Selects all matching submissions.
    pub fn select_all(&mut self) {
        *self = Self { all_matching: true, ..Self::default() };
    }

    /// Removes deleted rows from the selection.
    pub fn remove_deleted(&mut self, deleted: &[SubmissionKey]) {
        self.keys = without_keys(std::mem::take(&mut self.keys), deleted);
        self.anchor.take_if(|anchor| deleted.contains(anchor));
        self.last_range.clear();
    }

    /// Returns whether all matching submissions are selected.
    pub fn is_all(&self) -> bool {
        self.all_matching
    }

    /// Returns the number of individually selected rows.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Returns whether the selection is empty.
    pub fn is_empty(&self) -> bool {
        !self.all_matching && self.keys.is_empty()
    }

    /// Returns the individually selected rows, newest first.
    pub fn keys(&self) -> &[SubmissionKey] {
        &self.keys
    }

    /// Returns the ids of the individually selected rows, newest first.
    pub fn ids(&self) -> Vec<SubmissionId> {
        self.keys.iter().map(|key| key.1.clone()).collect()
    }
}

/// Returns `keys` without those in `excluded`.
pub fn without_keys(
    mut keys: Vec<SubmissionKey>,
    excluded: &[SubmissionKey],
) -> Vec<SubmissionKey> {
    let excluded = sort_keys(excluded.to_vec());
    keys.retain(|key| find_key(&excluded, key).is_err());
    keys
}

/// Returns the index of a key in `keys` (newest first), or where it would be inserted.
fn find_key(keys: &[SubmissionKey], key: &SubmissionKey) -> Result<usize, usize> {
    keys.binary_search_by(|other_key| key.cmp(other_key))
}

/// Sorts keys and removes duplicates. The keys mostly are in order already, except for equal
/// instants, where servers may use any order. A merge sort by hand, so that the first view need not
/// load the code of the standard sort.
fn sort_keys(mut keys: Vec<SubmissionKey>) -> Vec<SubmissionKey> {
    if keys.is_sorted_by(|newer, older| newer > older) {
        return keys;
    }
    if keys.len() == 2 && keys[0] == keys[1] {
        keys.pop();
        return keys;
    }
    let rest = keys.split_off(keys.len() / 2);
    merge_keys(sort_keys(keys), sort_keys(rest))
}

/// Merges two sorted lists of keys without duplicates.
fn merge_keys(left: Vec<SubmissionKey>, right: Vec<SubmissionKey>) -> Vec<SubmissionKey> {
    let mut keys = Vec::with_capacity(left.len() + right.len());
    let mut left = left.into_iter().peekable();
    let mut right = right.into_iter().peekable();
    loop {
        let newer = match (left.peek(), right.peek()) {
            (Some(first), Some(second)) if first < second => right.next(),
            (Some(_), _) => left.next(),
            _ => right.next(),
        };
        let Some(key) = newer else { return keys };
        if keys.last() != Some(&key) {
            keys.push(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::Timestamp;

    fn key(number: i64) -> SubmissionKey {
        (Timestamp::from_micros(number).unwrap(), format!("sub_{number}").parse().unwrap())
    }

    fn range(from: i64, to: i64) -> Vec<SubmissionKey> {
        (from..=to).rev().map(key).collect()
    }

    #[track_caller]
    fn check(selection: &Selection, numbers: &[i64]) {
        let found: Vec<_> = selection.keys().iter().map(|key| key.0.micros()).collect();
        assert_eq!(found, numbers);
        assert!(numbers.iter().all(|number| selection.contains(&key(*number))));
    }

    #[test]
    fn toggled_rows_stay_newest_first() {
        let mut selection = Selection::default();
        for number in [3, 9, 5, 3] {
            selection.toggle(&key(number));
        }
        check(&selection, &[9, 5]);
        selection.remove_deleted(&[key(9), key(1)]);
        check(&selection, &[5]);
        assert!(!selection.contains(&key(9)));
    }

    #[test]
    fn range_replaces_only_previous_range() {
        let mut selection = Selection::default();
        selection.toggle(&key(6));
        selection.toggle(&key(3));
        assert_eq!(selection.anchor_or(&key(1)), key(3));
        selection.extend(range(3, 7));
        check(&selection, &[7, 6, 5, 4, 3]);
        selection.extend(range(3, 4));
        check(&selection, &[6, 4, 3]);
        selection.extend(range(1, 3));
        check(&selection, &[6, 3, 2, 1]);
        assert_eq!(Selection::default().anchor_or(&key(8)), key(8));
        selection.remove_deleted(&[key(3)]);
        assert_eq!(selection.anchor_or(&key(8)), key(8), "the anchor is gone");
    }

    #[test]
    fn select_all_contains_every_row() {
        let mut selection = Selection::default();
        selection.add(range(1, 3));
        selection.select_all();
        assert!(selection.is_all() && selection.contains(&key(77)) && !selection.is_empty());
        assert_eq!((selection.len(), selection.ids().len()), (0, 0));
        assert!(Selection::default().is_empty());
    }

    #[test]
    fn rows_of_one_instant_are_deduplicated() {
        let of = |id: &str| (Timestamp::from_micros(5).unwrap(), id.parse().unwrap());
        let mut selection = Selection::default();
        selection.add(vec![key(7), of("sub_a"), of("sub_c"), of("sub_b"), key(2)]);
        selection.add(vec![key(9), key(7), of("sub_b"), of("sub_d"), key(1)]);
        let ids: Vec<_> = selection.ids().iter().map(ToString::to_string).collect();
        let expected = ["9", "7", "d", "c", "b", "a", "2", "1"].map(|id| format!("sub_{id}"));
        assert_eq!(ids, expected);
    }

    #[test]
    fn selection_size_is_limited() {
        let mut selection = Selection::default();
        selection.add(range(1, 100_001));
        assert_eq!(selection.len(), SELECTION_MAX);
        selection.toggle(&key(200_000));
        assert!(!selection.contains(&key(200_000)));
    }

    /// A linear search for each key would take minutes here.
    #[test]
    fn full_selection_is_changed_quickly() {
        let max = i64::try_from(SELECTION_MAX).unwrap();
        let mut selection = Selection::default();
        selection.toggle(&key(1));
        selection.extend(range(1, max));
        assert_eq!(selection.len(), SELECTION_MAX);
        selection.extend(range(1, max - 1));
        assert_eq!(selection.len(), SELECTION_MAX - 1);
        selection.remove_deleted(&range(2, max));
        check(&selection, &[1]);
        assert_eq!(without_keys(range(1, max), &range(2, max)), [key(1)]);
        // All keys have the same instant, in the server's order.
        let of = |number: i64| (Timestamp::from_micros(5).unwrap(), key(number + 1_000_000).1);
        let mut imported = Selection::default();
        imported.add((0..max).map(of).collect());
        assert_eq!((imported.len(), imported.keys()[0].clone()), (SELECTION_MAX, of(max - 1)));
    }
}
