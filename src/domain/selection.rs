//! Which rows of a list are selected, held or not: each by its key, or all that match. It asks for
//! nothing and draws nothing.

pub use export_worker::task::SELECTION_MAX;

use super::list_model::Key;
use contract::SubmissionId;

/// The rows that are selected.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// Newest first.
    keys: Vec<Key>,
    /// Whether it is all that match, whatever is held.
    all: bool,
    /// Where ranges go from.
    anchor: Option<Key>,
    /// What the last range added.
    span: Vec<Key>,
}

impl Selection {
    /// Returns whether a row is selected.
    pub fn contains(&self, key: &Key) -> bool {
        self.all || place(&self.keys, key).is_ok()
    }

    /// Selects a row, or takes it out. Ranges go from there.
    pub fn toggle(&mut self, key: &Key) {
        match place(&self.keys, key) {
            Ok(place) => drop(self.keys.remove(place)),
            Err(place) if self.keys.len() < SELECTION_MAX => self.keys.insert(place, key.clone()),
            Err(_) => {}
        }
        (self.anchor, self.span) = (Some(key.clone()), Vec::new());
    }

    /// Returns where a range goes from: from the last row that was toggled, else from this one.
    pub fn anchor(&mut self, otherwise: &Key) -> Key {
        self.anchor.get_or_insert_with(|| otherwise.clone()).clone()
    }

    /// Selects a range, which begins or ends at the anchor, in place of the range before.
    pub fn extend(&mut self, range: Vec<Key>) {
        let (before, range) = (std::mem::take(&mut self.span), newest_first(range));
        let is_of = |keys: &[Key], key: &Key| place(keys, key).is_ok();
        self.keys.retain(|key| !is_of(&before, key) || is_of(&range, key));
        let room = SELECTION_MAX.saturating_sub(self.keys.len());
        let new = range.into_iter().filter(|key| is_of(&before, key) || !is_of(&self.keys, key));
        let new: Vec<_> = new.take(room).collect();
        self.add(new.clone());
        self.span = new;
    }

    /// Selects rows beside those that are.
    pub fn add(&mut self, keys: Vec<Key>) {
        self.keys = merged(std::mem::take(&mut self.keys), newest_first(keys));
        self.keys.truncate(SELECTION_MAX);
    }

    /// Selects all that match.
    pub fn take_all(&mut self) {
        *self = Self { all: true, ..Self::default() };
    }

    /// Takes rows out that are no more.
    pub fn forget(&mut self, gone: &[Key]) {
        self.keys = without(std::mem::take(&mut self.keys), gone);
        self.span.clear();
    }

    /// Returns whether it is all that match.
    pub fn is_all(&self) -> bool {
        self.all
    }

    /// Returns how many rows are selected one by one.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Returns whether no row is selected.
    pub fn is_empty(&self) -> bool {
        !self.all && self.keys.is_empty()
    }

    /// Returns the rows that are selected one by one, newest first.
    pub fn keys(&self) -> &[Key] {
        &self.keys
    }

    /// Returns their ids.
    pub fn ids(&self) -> Vec<SubmissionId> {
        self.keys.iter().map(|key| key.1.clone()).collect()
    }
}

/// Returns keys without others.
pub fn without(mut keys: Vec<Key>, others: &[Key]) -> Vec<Key> {
    let others = newest_first(others.to_vec());
    keys.retain(|key| place(&others, key).is_err());
    keys
}

/// Returns where a key stands among others, newest first, or would.
fn place(keys: &[Key], key: &Key) -> Result<usize, usize> {
    keys.binary_search_by(|one| key.cmp(one))
}

/// Puts keys in order, each once. They mostly are already, but for those of one instant, which
/// servers order as they like. No sort need come with the page.
fn newest_first(mut keys: Vec<Key>) -> Vec<Key> {
    if keys.is_sorted_by(|newer, older| newer > older) {
        return keys;
    }
    if keys.len() == 2 && keys[0] == keys[1] {
        keys.pop();
        return keys;
    }
    let rest = keys.split_off(keys.len() / 2);
    merged(newest_first(keys), newest_first(rest))
}

/// Puts keys together that are both in order, each once.
fn merged(one: Vec<Key>, other: Vec<Key>) -> Vec<Key> {
    let mut keys = Vec::with_capacity(one.len() + other.len());
    let (mut one, mut other) = (one.into_iter().peekable(), other.into_iter().peekable());
    loop {
        let newer = match (one.peek(), other.peek()) {
            (Some(first), Some(second)) if first < second => other.next(),
            (Some(_), _) => one.next(),
            _ => other.next(),
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

    fn key(number: i64) -> Key {
        (Timestamp::from_micros(number).unwrap(), format!("sub_{number}").parse().unwrap())
    }

    fn range(from: i64, to: i64) -> Vec<Key> {
        (from..=to).rev().map(key).collect()
    }

    #[track_caller]
    fn check(selection: &Selection, numbers: &[i64]) {
        let found: Vec<_> = selection.keys().iter().map(|key| key.0.micros()).collect();
        assert_eq!(found, numbers);
        assert!(numbers.iter().all(|number| selection.contains(&key(*number))));
    }

    #[test]
    fn rows_are_toggled_and_kept_newest_first() {
        let mut selection = Selection::default();
        for number in [3, 9, 5, 3] {
            selection.toggle(&key(number));
        }
        check(&selection, &[9, 5]);
        selection.forget(&[key(9), key(1)]);
        check(&selection, &[5]);
        assert!(!selection.contains(&key(9)));
    }

    #[test]
    fn a_range_replaces_the_one_before_and_nothing_else() {
        let mut selection = Selection::default();
        selection.toggle(&key(6));
        selection.toggle(&key(3));
        assert_eq!(selection.anchor(&key(1)), key(3));
        selection.extend(range(3, 7));
        check(&selection, &[7, 6, 5, 4, 3]);
        selection.extend(range(3, 4));
        check(&selection, &[6, 4, 3]);
        selection.extend(range(1, 3));
        check(&selection, &[6, 3, 2, 1]);
        assert_eq!(Selection::default().anchor(&key(8)), key(8));
    }

    #[test]
    fn all_is_all_until_something_else_is_chosen() {
        let mut selection = Selection::default();
        selection.add(range(1, 3));
        selection.take_all();
        assert!(selection.is_all() && selection.contains(&key(77)) && !selection.is_empty());
        assert_eq!((selection.len(), selection.ids().len()), (0, 0));
        assert!(Selection::default().is_empty());
    }

    #[test]
    fn rows_of_one_instant_come_in_any_order_and_are_kept_once() {
        let of = |id: &str| (Timestamp::from_micros(5).unwrap(), id.parse().unwrap());
        let mut selection = Selection::default();
        selection.add(vec![key(7), of("sub_a"), of("sub_c"), of("sub_b"), key(2)]);
        selection.add(vec![key(9), key(7), of("sub_b"), of("sub_d"), key(1)]);
        let ids: Vec<_> = selection.ids().iter().map(ToString::to_string).collect();
        let wanted = ["9", "7", "d", "c", "b", "a", "2", "1"].map(|id| format!("sub_{id}"));
        assert_eq!(ids, wanted);
    }

    #[test]
    fn a_selection_has_an_end() {
        let mut selection = Selection::default();
        selection.add(range(1, 100_001));
        assert_eq!(selection.len(), SELECTION_MAX);
        selection.toggle(&key(200_000));
        assert!(!selection.contains(&key(200_000)));
    }

    /// Were each key looked for among all others, this would take minutes.
    #[test]
    fn as_many_as_can_be_selected_are_extended_and_forgotten_in_no_time() {
        let most = i64::try_from(SELECTION_MAX).unwrap();
        let mut selection = Selection::default();
        selection.toggle(&key(1));
        selection.extend(range(1, most));
        assert_eq!(selection.len(), SELECTION_MAX);
        selection.extend(range(1, most - 1));
        assert_eq!(selection.len(), SELECTION_MAX - 1);
        selection.forget(&range(2, most));
        check(&selection, &[1]);
        assert_eq!(without(range(1, most), &range(2, most)), [key(1)]);
        // All of one instant, in the order that a server gave them.
        let of = |number: i64| (Timestamp::from_micros(5).unwrap(), key(number + 1_000_000).1);
        let mut imported = Selection::default();
        imported.add((0..most).map(of).collect());
        assert_eq!((imported.len(), imported.keys()[0].clone()), (SELECTION_MAX, of(most - 1)));
    }
}
