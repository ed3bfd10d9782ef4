//! Statistics of a column's cells as times: how many are times, their date order, and whether they
//! are sorted.

use chrono::NaiveDateTime;

use super::date_order::{DateEvidence, ORDERS};
use super::date_text::normalise;
use super::moment::{ParsedTime, is_hidden, parse_numeric_instant};
use crate::commands::import::parsed_submission::shorten;

/// If more cells than this are no times, the column is not a time column, unless times are the
/// majority.
const OTHERS_MAX: u64 = 100;
/// In a time column, one of this many cells may be no time.
const ONE_OTHER_IN: u64 = 10;
/// Minimum number of cells for a meaningful order.
const IN_ORDER_MIN: u64 = 3;
/// Longer texts are answers, not unreadable times.
const UNREAD_BYTES_MAX: usize = 120;

/// Local times of a cell in each of [`ORDERS`].
pub(crate) type LocalTimes = [Option<NaiveDateTime>; 3];

/// Statistics of one column.
#[derive(Default)]
pub(crate) struct ColumnTimes {
    timestamps: u64,
    times_of_day: u64,
    /// Numbers that a spreadsheet may have made from times.
    numbers: u64,
    /// Cells that a spreadsheet filled with `#`.
    hidden: u64,
    others: u64,
    /// Other cells that look like times, and the first of them with its line.
    unread: u64,
    pub(crate) first_unread: Option<(u64, String)>,
    has_zoneless: bool,
    runs: [TimeSequence; 3],
    /// By date order, whether a row has a later time here than in the next column.
    is_behind_next: [bool; 3],
    /// By date order, the number of rows with a time here and in the next column.
    pairs: [u64; 3],
    pub(crate) dates: DateEvidence,
}

/// Order of the times of a column.
#[derive(Default)]
struct TimeSequence {
    last: Option<NaiveDateTime>,
    latest: Option<NaiveDateTime>,
    has_rise: bool,
    has_fall: bool,
    is_impossible: bool,
}

impl ColumnTimes {
    /// Processes a cell that is not empty, and returns its times.
    pub(crate) fn add_cell(&mut self, text: &str, line: u64) -> LocalTimes {
        let is_hopeless = self.others > OTHERS_MAX && self.others > self.timestamps;
        if is_hopeless {
            return LocalTimes::default();
        }
        let Some(parsed) = ParsedTime::parse(text) else {
            let count = if is_hidden(text) {
                &mut self.hidden
            } else if parse_numeric_instant(text, None).is_some() {
                &mut self.numbers
            } else {
                &mut self.others
            };
            *count += 1;
            if looks_like_time(text) {
                self.unread += 1;
                self.first_unread.get_or_insert_with(|| (line, shorten(text)));
            }
            return LocalTimes::default();
        };
        self.timestamps += 1;
        self.times_of_day += u64::from(parsed.has_clock);
        self.has_zoneless |= !parsed.has_zone();
        self.dates.add_date(&parsed, text, line);
        let times = ORDERS.map(|order| parsed.local(order));
        self.runs.iter_mut().zip(times).for_each(|(run, time)| run.add_time(time));
        times
    }

    /// Processes the times of a row in this column and in the next.
    pub(crate) fn add_pair(&mut self, current: LocalTimes, next: LocalTimes) {
        for (at, pair) in current.into_iter().zip(next).enumerate() {
            if let (Some(current), Some(next)) = pair {
                self.pairs[at] += 1;
                self.is_behind_next[at] |= current > next;
            }
        }
    }

    /// Returns the number of cells that are not empty.
    fn filled_count(&self) -> u64 {
        self.timestamps + self.numbers + self.hidden + self.others
    }

    /// Whether all cells are times.
    pub(crate) fn are_all(&self) -> bool {
        self.timestamps > 0 && self.timestamps == self.filled_count()
    }

    /// Whether nearly all cells are times, or were before a spreadsheet hid them.
    pub(crate) fn are_times(&self) -> bool {
        let others = self.others + self.numbers;
        self.timestamps + self.hidden > 0 && others * ONE_OTHER_IN <= self.filled_count()
    }

    /// Whether nearly all cells have a time of day, not only a date.
    pub(crate) fn have_time_of_day(&self) -> bool {
        self.are_times() && (self.times_of_day + self.hidden) * 2 > self.filled_count()
    }

    /// Whether nearly all cells look like times, but too many cannot be parsed.
    pub(crate) fn are_unread(&self) -> bool {
        let others = self.others + self.numbers - self.unread;
        self.unread > 0 && !self.are_times() && others * ONE_OTHER_IN <= self.filled_count()
    }

    /// Whether the cells can be times, for a column with a name that says so.
    pub(crate) fn can_be_times(&self) -> bool {
        (self.timestamps + self.numbers + self.hidden) * 2 > self.filled_count()
    }

    /// Whether each of `rows` rows has a value.
    pub(crate) fn are_in_all(&self, rows: u64) -> bool {
        self.filled_count() == rows
    }

    /// Whether the times are sorted, ascending or descending, and not after `now`.
    pub(crate) fn are_in_order(&self, now: NaiveDateTime) -> bool {
        let is_run = |run: &TimeSequence| run.is_past(now) && run.has_rise != run.has_fall;
        self.timestamps >= IN_ORDER_MIN && self.runs.iter().any(is_run)
    }

    /// Whether no time is after `now`.
    pub(crate) fn are_past(&self, now: NaiveDateTime) -> bool {
        self.runs.iter().any(|run| run.is_past(now))
    }

    /// Whether every row has a time here, and a time that is no earlier in the next column.
    pub(crate) fn precede_next(&self, rows: u64) -> bool {
        (0..3).any(|at| self.pairs[at] == rows && !self.is_behind_next[at])
    }

    /// Whether any time has no time zone.
    pub(crate) fn has_zoneless(&self) -> bool {
        self.has_zoneless || self.numbers > 0
    }
}

/// Whether a text contains a time of day and the numbers of a date, with any words.
fn looks_like_time(text: &str) -> bool {
    if text.len() > UNREAD_BYTES_MAX {
        return false;
    }
    let cleaned = normalise(text);
    let numbers = cleaned.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty());
    let is_clock = |part: &[u8]| part[0] == b':' && part[1..].iter().all(u8::is_ascii_digit);
    numbers.count() >= 4 && cleaned.as_bytes().windows(3).any(is_clock)
}

impl TimeSequence {
    fn add_time(&mut self, time: Option<NaiveDateTime>) {
        self.is_impossible |= time.is_none();
        if let (Some(last), Some(time)) = (self.last, time) {
            self.has_rise |= time > last;
            self.has_fall |= time < last;
        }
        self.last = time;
        self.latest = self.latest.max(time);
    }

    fn is_past(&self, now: NaiveDateTime) -> bool {
        !self.is_impossible && self.latest.is_none_or(|latest| latest <= now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(texts: &[&str]) -> ColumnTimes {
        let mut times = ColumnTimes::default();
        (2..).zip(texts).for_each(|(line, text)| {
            times.add_cell(text, line);
        });
        times
    }

    #[test]
    fn time_cells_are_detected() {
        let clock = "2026-03-01 09:30";
        assert!(times(&[clock]).have_time_of_day());
        assert!(times(&[clock, "########"]).have_time_of_day());
        assert!(!times(&[clock, "soon"]).are_times());
        let mut nearly = vec![clock; 9];
        nearly.push("soon");
        assert!(times(&nearly).have_time_of_day() && !times(&nearly).are_all());
        assert!(times(&["1.2.2026"]).are_times() && !times(&["1.2.2026"]).have_time_of_day());
        assert!(!times(&["46082.5"]).are_times() && times(&["46082.5"]).can_be_times());
        let foreign = times(&["30 Foo 2026 9:30:15", "1 Bar 2026 9:30:15"]);
        assert!(foreign.are_unread() && !foreign.are_times() && !times(&["x", clock]).are_unread());
        assert!(!times(&[]).are_times() && !times(&["x"]).can_be_times());
    }

    #[test]
    fn sorted_times_are_detected() {
        let now = ParsedTime::parse("2026-06-01").and_then(|now| now.local(ORDERS[0])).unwrap();
        let day = |day: u32| format!("2026-03-0{day} 9:30");
        let in_order = |days: &[u32]| {
            let texts: Vec<_> = days.iter().map(|number| day(*number)).collect();
            let texts: Vec<_> = texts.iter().map(String::as_str).collect();
            times(&texts).are_in_order(now)
        };
        assert!(in_order(&[1, 2, 2, 3]) && in_order(&[3, 2, 1]));
        assert!(!in_order(&[1, 2]) && !in_order(&[1, 3, 2]) && !in_order(&[1, 1, 1]));
        assert!(!times(&["2026-07-01 9:30"]).are_past(now));
    }
}
