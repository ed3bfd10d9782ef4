//! What a file's columns hold: how much, how varied, and of which type, by all of their cells.
//!
//! It never changes a cell, and it never keeps more of a column than a bounded number of hashes.

use contract::FieldType;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::cell_type;
use super::parsed_submission::shown;
use super::time::column_times::{ColumnTimes, LocalTimes};

/// How many different cells are told apart; beyond, there are "more".
pub(super) const DISTINCT_MAX: usize = 1000;
/// How many options a list of choices may have.
const OPTIONS_MAX: usize = 60;
/// Longest option, in characters.
const OPTION_CHARS_MAX: usize = 150;
/// Longer answers are long texts.
const LINE_CHARS_MAX: usize = 150;

/// One column's cells, summed up.
pub(super) struct Profile {
    /// How many cells are not empty.
    pub(super) filled: u64,
    /// The first of these, shortened.
    pub(super) example: String,
    distinct: HashSet<u64>,
    /// Which types every cell so far could have.
    could_be: Vec<Test>,
    longest: usize,
    has_lines: bool,
    least: i64,
    most: i64,
    options: Vec<Options>,
    /// Whether each cell says what the column's own option is.
    pub(super) says_option: bool,
    pub(super) times: ColumnTimes,
}

type Test = (FieldType, fn(&str) -> bool);

const TESTS: [Test; 5] = [
    (FieldType::Number, cell_type::is_number),
    (FieldType::Boolean, cell_type::is_boolean),
    (FieldType::Email, cell_type::is_email),
    (FieldType::Url, cell_type::is_url),
    (FieldType::Phone, cell_type::is_phone),
];

/// The options of a list, if what divides them is this.
struct Options {
    divider: &'static str,
    found: HashSet<u64>,
    count: u64,
    divided: u64,
}

impl Profile {
    pub(super) fn new() -> Self {
        let options = |divider| Options { divider, found: HashSet::new(), count: 0, divided: 0 };
        Self {
            filled: 0,
            example: String::new(),
            distinct: HashSet::new(),
            could_be: TESTS.to_vec(),
            longest: 0,
            has_lines: false,
            least: i64::MAX,
            most: i64::MIN,
            options: vec![options(";"), options(", ")],
            says_option: true,
            times: ColumnTimes::default(),
        }
    }

    /// Notes a cell of a column that may stand for an option, and returns its times.
    pub(super) fn note(&mut self, cell: &str, option: Option<&str>, line: u64) -> LocalTimes {
        if cell.is_empty() {
            return LocalTimes::default();
        }
        self.filled += 1;
        if self.filled == 1 {
            self.example = shown(cell);
        }
        self.says_option &= option == Some(cell);
        if self.distinct.len() <= DISTINCT_MAX {
            self.distinct.insert(hash(cell));
        }
        self.longest = self.longest.max(cell.len());
        self.has_lines |= cell.contains('\n');
        self.could_be.retain(|(_, test)| test(cell));
        if self.could_be(FieldType::Number) {
            let whole = cell.parse().unwrap_or(i64::MAX);
            (self.least, self.most) = (self.least.min(whole), self.most.max(whole));
        }
        self.options.retain_mut(|options| options.note(cell));
        self.times.note(cell, line)
    }

    /// Returns how many different cells there are; `None` where they are too many to tell.
    pub(super) fn distinct(&self) -> Option<usize> {
        (self.distinct.len() <= DISTINCT_MAX).then_some(self.distinct.len())
    }

    /// Returns the type that all cells have.
    pub(super) fn kind(&self) -> FieldType {
        if self.filled == 0 {
            return FieldType::Text;
        }
        if self.could_be(FieldType::Number) {
            return if self.is_scale() { FieldType::Rating } else { FieldType::Number };
        }
        // Dates such as `3-1-2026 10` could be telephone numbers.
        let first = self.could_be.first().map(|(kind, _)| *kind);
        match first {
            Some(FieldType::Phone) | None if self.times.are_all() => return FieldType::Date,
            Some(kind) => return kind,
            None => {}
        }
        if self.options.iter().any(|options| options.are_options(self.distinct.len())) {
            return FieldType::Choices;
        }
        if self.has_lines || self.longest > LINE_CHARS_MAX {
            return FieldType::LongText;
        }
        if self.is_choice() { FieldType::Choice } else { FieldType::Text }
    }

    fn could_be(&self, kind: FieldType) -> bool {
        self.could_be.iter().any(|(could, _)| *could == kind)
    }

    /// Whether the numbers are those of a usual scale, from 1 or 0 to 5, 7 or 10.
    fn is_scale(&self) -> bool {
        matches!((self.least, self.most), (0..=4, 5 | 7 | 10)) && self.distinct.len() > 2
    }

    /// Whether few answers come again and again.
    fn is_choice(&self) -> bool {
        let distinct = self.distinct.len() as u64;
        (1..=OPTIONS_MAX as u64).contains(&distinct) && self.filled >= 4 * distinct
    }
}

impl Options {
    /// Notes a cell's options; `false` where they are too many or too long to be any.
    fn note(&mut self, cell: &str) -> bool {
        let mut parts = 0;
        for part in cell.split(self.divider) {
            let part = part.trim();
            if part.is_empty() || part.len() > OPTION_CHARS_MAX || part.contains('\n') {
                return false;
            }
            self.found.insert(hash(part));
            parts += 1;
        }
        self.count += parts;
        self.divided += u64::from(parts > 1);
        self.found.len() <= OPTIONS_MAX
    }

    /// Whether the parts are options, of which several can be chosen: they come again, and in more
    /// combinations than there are options. A sentence with a comma in it does not.
    fn are_options(&self, distinct_cells: usize) -> bool {
        let found = self.found.len();
        let again = self.count >= 2 * found as u64;
        let combined =
            if self.divider == ";" { found <= distinct_cells } else { found < distinct_cells };
        self.divided > 0 && again && combined
    }
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(cells: &[&str], kind: FieldType) {
        let mut profile = Profile::new();
        for cell in cells {
            profile.note(cell, None, 1);
        }
        assert_eq!(profile.kind(), kind, "{cells:?}");
    }

    #[test]
    fn a_type_holds_where_every_cell_has_it() {
        check(&[], FieldType::Text);
        check(&["", ""], FieldType::Text);
        check(&["1", "2.5", "", "-3"], FieldType::Number);
        check(&["1", "2", "x"], FieldType::Text);
        check(&["007", "1"], FieldType::Text);
        check(&["1", "5", "3", "4"], FieldType::Rating);
        check(&["0", "10", "7"], FieldType::Rating);
        check(&["0", "1", "2"], FieldType::Number);
        check(&["Yes", "No", ""], FieldType::Boolean);
        check(&["a@example.com", "b.c@x.org"], FieldType::Email);
        check(&["https://a.example/x"], FieldType::Url);
        check(&["+49 30 123456", "(030) 123-4567"], FieldType::Phone);
        check(&["3/1/2026", "12/31/2026 10:00"], FieldType::Date);
        check(&["a\nb", "c"], FieldType::LongText);
        check(&["x".repeat(200).as_str()], FieldType::LongText);
    }

    #[test]
    fn choices_come_again() {
        check(&["red", "blue"].repeat(4), FieldType::Choice);
        check(&["red", "blue", "green", "black"], FieldType::Text);
        check(&["a;b", "a", "b", "a;b;c", "c"], FieldType::Choices);
        check(&["a, b", "a", "b", "b, a", "a, b"], FieldType::Choices);
        let job = ["Employed, full-time", "Employed, part-time", "Not employed"].repeat(5);
        check(&job, FieldType::Choice);
        check(&["One, two, three", "A sentence, such as this"], FieldType::Text);
    }

    #[test]
    fn what_is_kept_of_a_column_is_bounded() {
        let mut profile = Profile::new();
        for n in 0..5000 {
            profile.note(&format!("text {n}"), None, 1);
        }
        assert_eq!((profile.filled, profile.distinct()), (5000, None));
        assert!(profile.distinct.len() <= DISTINCT_MAX + 1 && profile.options.is_empty());
        assert_eq!(profile.example, "text 0");
    }
}
