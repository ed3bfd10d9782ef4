//! Notes about rows of a file that do not stop an import.

use super::progress::group_thousands;

/// Number of rows of one kind, and the line of the first.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) count: u64,
    pub(super) first_line: u64,
}

/// Rows that are imported in a way that may surprise.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct RowNotes {
    /// Rows with an end before their start.
    pub(super) negative_duration: Tally,
    /// Rows with a completion time of more than a day.
    pub(super) long_duration: Tally,
    /// Rows without content.
    pub(super) empty: Tally,
    /// Rows with fewer cells than the header.
    pub(super) short: Tally,
    /// Answers that a spreadsheet replaced by `###`.
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

impl RowNotes {
    /// Returns one line per kind of row that occurs.
    pub(super) fn lines(&self) -> Vec<String> {
        let line = |tally: Tally, singular: &str, plural: &str| {
            let count = group_thousands(tally.count);
            let first = tally.first_line;
            let text = if tally.count == 1 { singular } else { plural };
            let position = if tally.count == 1 { "on line" } else { "the first on line" };
            (tally.count > 0).then(|| format!("note: {count} {text}, {position} {first}"))
        };
        let lines = [
            line(
                self.negative_duration,
                "row ends before it starts; its completion time is omitted",
                "rows end before they start; their completion times are omitted",
            ),
            line(
                self.long_duration,
                "row took longer than a day; its completion time is set to a day",
                "rows took longer than a day; their completion times are set to a day",
            ),
            line(self.empty, "empty row is skipped", "empty rows are skipped"),
            line(
                self.short,
                "row has fewer cells than the header; the missing cells are empty",
                "rows have fewer cells than the header; the missing cells are empty",
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
    fn notes_have_one_line_per_kind() {
        let mut notes = RowNotes::default();
        assert!(notes.lines().is_empty());
        notes.empty.add(4);
        notes.short.add(5);
        notes.short.add(7);
        assert_eq!(
            notes.lines(),
            [
                "note: 1 empty row is skipped, on line 4",
                "note: 2 rows have fewer cells than the header; the missing cells are empty, the \
                 first on line 5",
            ]
        );
    }
}
