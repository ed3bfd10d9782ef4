//! Statistics of a column, from all of its cells: number of values, distinct values, and types.
//!
//! Cells are not changed. Memory is bounded by a maximum number of hashes per column.

use contract::FieldType;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::cell_type;
use super::parsed_submission::shorten;
use super::time::column_times::{ColumnTimes, LocalTimes};

/// Maximum number of distinct cells that are counted exactly.
pub(super) const DISTINCT_MAX: usize = 1000;
/// Maximum number of options of a choices field.
const OPTIONS_MAX: usize = 60;
/// Maximum length of an option, in characters.
const OPTION_CHARS_MAX: usize = 150;
/// Answers longer than this are long texts.
const LINE_CHARS_MAX: usize = 150;

/// Statistics of one column.
pub(super) struct ColumnStats {
    /// Number of cells that are not empty.
    pub(super) filled: u64,
    /// First of these cells, shortened.
    pub(super) example: String,
    distinct: HashSet<u64>,
    /// Types that all cells so far can have.
    possible_types: Vec<TypeTest>,
    longest: usize,
    has_lines: bool,
    min: i64,
    max: i64,
    options: Vec<OptionStats>,
    /// Whether each cell equals the option of its column.
    pub(super) is_own_option: bool,
    pub(super) times: ColumnTimes,
}

type TypeTest = (FieldType, fn(&str) -> bool);

const TESTS: [TypeTest; 5] = [
    (FieldType::Number, cell_type::is_number),
    (FieldType::Boolean, cell_type::is_boolean),
    (FieldType::Email, cell_type::is_email),
    (FieldType::Url, cell_type::is_url),
    (FieldType::Phone, cell_type::is_phone),
];

/// Options of a list, if this is their separator.
struct OptionStats {
    divider: &'static str,
    found: HashSet<u64>,
    count: u64,
    divided: u64,
}

impl ColumnStats {
    pub(super) fn new() -> Self {
        let options =
            |divider| OptionStats { divider, found: HashSet::new(), count: 0, divided: 0 };
        Self {
            filled: 0,
            example: String::new(),
            distinct: HashSet::new(),
            possible_types: TESTS.to_vec(),
            longest: 0,
            has_lines: false,
            min: i64::MAX,
            max: i64::MIN,
            options: vec![options(";"), options(", ")],
            is_own_option: true,
            times: ColumnTimes::default(),
        }
    }

    /// Processes a cell and returns its times. `option` is the option that the column represents.
    pub(super) fn add_cell(&mut self, cell: &str, option: Option<&str>, line: u64) -> LocalTimes {
        if cell.is_empty() {
            return LocalTimes::default();
        }
        self.filled += 1;
        if self.filled == 1 {
            self.example = shorten(cell);
        }
        self.is_own_option &= option == Some(cell);
        if self.distinct.len() <= DISTINCT_MAX {
            self.distinct.insert(hash_text(cell));
        }
        self.longest = self.longest.max(cell.len());
        self.has_lines |= cell.contains('\n');
        self.possible_types.retain(|(_, test)| test(cell));
        if self.could_be(FieldType::Number) {
            let length = cell.parse().unwrap_or(i64::MAX);
            (self.min, self.max) = (self.min.min(length), self.max.max(length));
        }
        self.options.retain_mut(|options| options.add_cell(cell));
        self.times.add_cell(cell, line)
    }

    /// Returns the number of distinct cells; `None` if there are more than [`DISTINCT_MAX`].
    pub(super) fn distinct_count(&self) -> Option<usize> {
        (self.distinct.len() <= DISTINCT_MAX).then_some(self.distinct.len())
    }

    /// Returns the type that all cells have.
    pub(super) fn field_type(&self) -> FieldType {
        if self.filled == 0 {
            return FieldType::Text;
        }
        if self.could_be(FieldType::Number) {
            return if self.is_scale() { FieldType::Rating } else { FieldType::Number };
        }
        // Dates such as `3-1-2026 10` also look like telephone numbers.
        let first = self.possible_types.first().map(|(kind, _)| *kind);
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
        self.possible_types.iter().any(|(could, _)| *could == kind)
    }

    /// Whether the numbers are a common scale, from 0 or 1 to 5, 7 or 10.
    fn is_scale(&self) -> bool {
        matches!((self.min, self.max), (0..=4, 5 | 7 | 10)) && self.distinct.len() > 2
    }

    /// Whether few distinct answers are repeated often.
    fn is_choice(&self) -> bool {
        let distinct = self.distinct.len() as u64;
        (1..=OPTIONS_MAX as u64).contains(&distinct) && self.filled >= 4 * distinct
    }
}

impl OptionStats {
    /// Processes the options in a cell. Returns `false` if there are too many, or if they are too
    /// long.
    fn add_cell(&mut self, cell: &str) -> bool {
        let mut parts = 0;
        for part in cell.split(self.divider) {
            let part = part.trim();
            if part.is_empty() || part.len() > OPTION_CHARS_MAX || part.contains('\n') {
                return false;
            }
            self.found.insert(hash_text(part));
            parts += 1;
        }
        self.count += parts;
        self.divided += u64::from(parts > 1);
        self.found.len() <= OPTIONS_MAX
    }

    /// Whether the parts are options for multiple choice: they repeat, and there are more
    /// combinations than options. A sentence with a comma does not.
    fn are_options(&self, distinct_cells: usize) -> bool {
        let distinct = self.found.len();
        let repeats = self.count >= 2 * distinct as u64;
        // A comma is weaker evidence than a semicolon, so it needs more combinations.
        let combined = if self.divider == ";" {
            distinct <= distinct_cells
        } else {
            distinct < distinct_cells
        };
        self.divided > 0 && repeats && combined
    }
}

fn hash_text(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(cells: &[&str], kind: FieldType) {
        let mut profile = ColumnStats::new();
        for cell in cells {
            profile.add_cell(cell, None, 1);
        }
        assert_eq!(profile.field_type(), kind, "{cells:?}");
    }

    #[test]
    fn column_type_fits_every_cell() {
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
    fn repeated_values_are_choices() {
        check(&["red", "blue"].repeat(4), FieldType::Choice);
        check(&["red", "blue", "green", "black"], FieldType::Text);
        check(&["a;b", "a", "b", "a;b;c", "c"], FieldType::Choices);
        check(&["a, b", "a", "b", "b, a", "a, b"], FieldType::Choices);
        let job = ["Employed, full-time", "Employed, part-time", "Not employed"].repeat(5);
        check(&job, FieldType::Choice);
        check(&["One, two, three", "A sentence, such as this"], FieldType::Text);
    }

    #[test]
    fn column_statistics_are_bounded() {
        let mut profile = ColumnStats::new();
        for n in 0..5000 {
            profile.add_cell(&format!("text {n}"), None, 1);
        }
        assert_eq!((profile.filled, profile.distinct_count()), (5000, None));
        assert!(profile.distinct.len() <= DISTINCT_MAX + 1 && profile.options.is_empty());
        assert_eq!(profile.example, "text 0");
    }
}
