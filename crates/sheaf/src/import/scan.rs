//! One look at all rows of a file before anything is decided: what the columns hold, and whether
//! its dates have the day or the month first.

use std::io::Read;

use super::draft::shown;
use super::instant::{DateOrder, Moment};
use super::layout::Column;
use super::profile::Profile;
use super::table::Table;
use super::target::Part;
use crate::error::{Error, Result};

/// What was seen.
pub(super) struct Scan {
    pub(super) profiles: Vec<Profile>,
    /// How many rows stand behind the header.
    pub(super) rows: u64,
    pub(super) dates: Dates,
}

/// Reads all rows behind the header. Rows that have too few or too many cells tell nothing here;
/// they are refused later, with their lines.
///
/// # Errors
/// A row that does not end, or a file that cannot be read.
pub(super) fn scan<R: Read>(
    mut table: Table<R>,
    heads: usize,
    columns: &[Column],
    mut each: impl FnMut(u64),
) -> Result<Scan> {
    for _ in 0..heads {
        table.next()?;
    }
    let mut profiles: Vec<Profile> = columns.iter().map(|_| Profile::new()).collect();
    let (mut rows, mut dates) = (0, Dates::default());
    while let Some(line) = table.next()? {
        rows += 1;
        each(table.bytes());
        if table.row.len() != columns.len() {
            continue;
        }
        for ((cell, column), profile) in table.row.iter().zip(columns).zip(&mut profiles) {
            let Ok(text) = std::str::from_utf8(cell) else { continue };
            let option = column.head.option.as_ref().map(|(_, option)| option.as_str());
            profile.note(text, option);
            if column.part.is_some_and(Part::is_instant) {
                dates.note(text, line);
            }
        }
    }
    Ok(Scan { profiles, rows, dates })
}

/// In which order the dates of a file can be read.
#[derive(Default)]
pub(super) struct Dates {
    /// The first that can only have the day in front, and its line.
    day_first: Option<(u64, String)>,
    month_first: Option<(u64, String)>,
    /// The first that can be read either way, to different days.
    either: Option<(u64, String)>,
}

impl Dates {
    fn note(&mut self, text: &str, line: u64) {
        let all_known = self.day_first.is_some() && self.month_first.is_some();
        if all_known || text.ends_with('Z') {
            return;
        }
        let Some(moment) = Moment::read(text) else { return };
        let kept = match (moment.date(DateOrder::Dmy), moment.date(DateOrder::Mdy)) {
            (Some(_), None) => &mut self.day_first,
            (None, Some(_)) => &mut self.month_first,
            (Some(one), Some(other)) if one != other => &mut self.either,
            _ => return,
        };
        if kept.is_none() {
            *kept = Some((line, shown(text)));
        }
    }

    /// Returns the order in which all dates can be read.
    ///
    /// # Errors
    /// Dates that can be read in two orders to different days, or in none.
    pub(super) fn order(&self, usual: Option<DateOrder>) -> Result<DateOrder> {
        match (&self.day_first, &self.month_first, &self.either) {
            (Some((line, one)), Some((other_line, other)), _) => Err(Error::refused(format!(
                "line {line}: `{one}` has the day first, but `{other}` on line {other_line} the \
                 month; make them alike, or name their order with `--dates dmy` or `--dates mdy`"
            ))),
            (Some(_), None, _) => Ok(DateOrder::Dmy),
            (None, Some(_), _) | (None, None, None) => Ok(DateOrder::Mdy),
            (None, None, Some((line, text))) => usual.ok_or_else(|| {
                Error::refused(format!(
                    "line {line}: `{text}` and all other dates of the file could have the day or \
                     the month first; say which with `--dates dmy` or `--dates mdy`"
                ))
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(texts: &[&str], usual: Option<DateOrder>) -> Result<DateOrder, String> {
        let mut dates = Dates::default();
        (2..).zip(texts).for_each(|(line, text)| dates.note(text, line));
        dates.order(usual).map_err(|error| error.to_string())
    }

    #[test]
    fn the_whole_file_tells_the_order() {
        assert_eq!(order(&["1/2/26", "13/2/26", ""], None), Ok(DateOrder::Dmy));
        assert_eq!(order(&["1/2/26", "2/13/26", "soon"], None), Ok(DateOrder::Mdy));
        assert_eq!(order(&["2026-01-02", "5/5/26"], None), Ok(DateOrder::Mdy));
        assert_eq!(order(&["1/2/26"], Some(DateOrder::Mdy)), Ok(DateOrder::Mdy));
        let error = order(&["5/5/26", "1/2/26"], None).unwrap_err();
        assert!(error.starts_with("line 3: `1/2/26`") && error.contains("--dates"), "{error}");
        let error = order(&["13/2/26", "1/13/26"], None).unwrap_err();
        assert!(error.starts_with("line 2: `13/2/26`") && error.contains("line 3"), "{error}");
    }
}
