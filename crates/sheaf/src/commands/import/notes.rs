//! What is worth knowing of the rows of a file and stops no import.

use super::progress::grouped;

/// How many rows are like this, and the line of the first.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) count: u64,
    pub(super) first_line: u64,
}

/// Rows that are read in a way that may surprise.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Notes {
    /// They end before they begin.
    pub(super) negative: Tally,
    /// They take longer than a day.
    pub(super) long: Tally,
    /// They hold nothing.
    pub(super) empty: Tally,
    /// They have fewer cells than the header.
    pub(super) short: Tally,
    /// A spreadsheet wrote `###` in place of an answer.
    pub(super) hidden: Tally,
}

impl Tally {
    pub(super) fn add(&mut self, line: u64) {
        if self.count == 0 {
            self.first_line = line;
        }
        self.count += 1;
    }
}

impl Notes {
    /// Returns a line for each kind of row that there is.
    pub(super) fn lines(&self) -> Vec<String> {
        let line = |tally: Tally, one: &str, several: &str| {
            let (count, first) = (grouped(tally.count), tally.first_line);
            let text = if tally.count == 1 { one } else { several };
            let place = if tally.count == 1 { "on line" } else { "the first on line" };
            (tally.count > 0).then(|| format!("note: {count} {text}, {place} {first}"))
        };
        let lines = [
            line(
                self.negative,
                "row ends before it begins; its completion time is left out",
                "rows end before they begin; their completion times are left out",
            ),
            line(
                self.long,
                "row took longer than a day; its completion time is set to a day",
                "rows took longer than a day; their completion times are set to a day",
            ),
            line(self.empty, "empty row is left out", "empty rows are left out"),
            line(
                self.short,
                "row has fewer cells than the header; the others are empty",
                "rows have fewer cells than the header; the others are empty",
            ),
            line(
                self.hidden,
                "answer is `###`: its column was too narrow in the spreadsheet",
                "answers are `###`: their columns were too narrow in the spreadsheet",
            ),
        ];
        lines.into_iter().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_row_has_a_line() {
        let mut notes = Notes::default();
        assert!(notes.lines().is_empty());
        notes.empty.add(4);
        notes.short.add(5);
        notes.short.add(7);
        assert_eq!(
            notes.lines(),
            [
                "note: 1 empty row is left out, on line 4",
                "note: 2 rows have fewer cells than the header; the others are empty, the first on \
                 line 5",
            ]
        );
    }
}
