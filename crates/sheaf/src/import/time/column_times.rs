//! What the cells of a column tell as times: how many are, in which order of dates, and whether
//! they follow each other.

use chrono::NaiveDateTime;

use super::date_text::clean;
use super::moment::{DateOrder, Moment, is_hidden, numeric_instant};
use crate::error::{Error, Result};
use crate::import::parsed_submission::shown;

/// A column with so many cells that are no times is none of times, unless it has many that are.
const OTHERS_MAX: u64 = 100;
/// One cell in so many may be no time.
const ONE_OTHER_IN: u64 = 10;
/// Fewer cells tell nothing by their order.
const IN_ORDER_MIN: u64 = 3;
/// Longer texts are answers.
const UNREAD_BYTES_MAX: usize = 120;
const ORDERS: [DateOrder; 2] = [DateOrder::Dmy, DateOrder::Mdy];

/// The local times of a cell, day first and month first.
pub(crate) type LocalTimes = [Option<NaiveDateTime>; 2];

/// One column's cells, as times.
#[derive(Default)]
pub(crate) struct ColumnTimes {
    moments: u64,
    clocks: u64,
    /// Numbers that a spreadsheet could have made of times.
    numbers: u64,
    /// Cells that a spreadsheet filled with `#`.
    hidden: u64,
    others: u64,
    /// Others that look like times, and the first of them with its line.
    unread: u64,
    pub(crate) first_unread: Option<(u64, String)>,
    has_zoneless: bool,
    runs: [Run; 2],
    /// By each order, whether a row has a later time here than in the next column.
    is_behind_next: [bool; 2],
    pairs: u64,
    pub(crate) dates: Dates,
}

/// How the times of a column follow each other.
#[derive(Default)]
struct Run {
    last: Option<NaiveDateTime>,
    latest: Option<NaiveDateTime>,
    has_rise: bool,
    has_fall: bool,
    is_impossible: bool,
}

impl ColumnTimes {
    /// Notes a cell that is not empty, and returns its times.
    pub(crate) fn note(&mut self, text: &str, line: u64) -> LocalTimes {
        let is_hopeless = self.others > OTHERS_MAX && self.others > self.moments;
        if is_hopeless {
            return LocalTimes::default();
        }
        let Some(moment) = Moment::read(text) else {
            let count = if is_hidden(text) {
                &mut self.hidden
            } else if numeric_instant(text, None).is_some() {
                &mut self.numbers
            } else {
                &mut self.others
            };
            *count += 1;
            if looks_like_time(text) {
                self.unread += 1;
                self.first_unread.get_or_insert_with(|| (line, shown(text)));
            }
            return LocalTimes::default();
        };
        self.moments += 1;
        self.clocks += u64::from(moment.has_clock);
        self.has_zoneless |= !moment.has_zone();
        self.dates.note(&moment, text, line);
        let times = ORDERS.map(|order| moment.local(order));
        self.runs.iter_mut().zip(times).for_each(|(run, time)| run.note(time));
        times
    }

    /// Notes the times of a row in this column and in the next.
    pub(crate) fn note_next(&mut self, here: LocalTimes, next: LocalTimes) {
        let is_behind = |at: usize| here[at].zip(next[at]).is_some_and(|(here, next)| here > next);
        self.is_behind_next = [0, 1].map(|at| self.is_behind_next[at] || is_behind(at));
        let is_pair = (0..2).any(|at| here[at].is_some() && next[at].is_some());
        self.pairs += u64::from(is_pair);
    }

    /// Returns how many cells are not empty.
    fn filled(&self) -> u64 {
        self.moments + self.numbers + self.hidden + self.others
    }

    /// Whether all cells are moments.
    pub(crate) fn are_all(&self) -> bool {
        self.moments > 0 && self.moments == self.filled()
    }

    /// Whether nearly all cells are moments, or were before a spreadsheet hid them.
    pub(crate) fn are_times(&self) -> bool {
        let others = self.others + self.numbers;
        self.moments + self.hidden > 0 && others * ONE_OTHER_IN <= self.filled()
    }

    /// Whether nearly all cells are times of a day, not days.
    pub(crate) fn are_clocks(&self) -> bool {
        self.are_times() && (self.clocks + self.hidden) * 2 > self.filled()
    }

    /// Whether nearly all cells look like times, but too many cannot be read.
    pub(crate) fn are_unread(&self) -> bool {
        let others = self.others + self.numbers - self.unread;
        self.unread > 0 && !self.are_times() && others * ONE_OTHER_IN <= self.filled()
    }

    /// Whether they can be times, told by a name that says they are.
    pub(crate) fn can_be_times(&self) -> bool {
        (self.moments + self.numbers + self.hidden) * 2 > self.filled()
    }

    /// Whether each of so many rows has one.
    pub(crate) fn are_in_all(&self, rows: u64) -> bool {
        self.filled() == rows
    }

    /// Whether they rise or fall from row to row, and none is after `now`.
    pub(crate) fn are_in_order(&self, now: NaiveDateTime) -> bool {
        let is_run = |run: &Run| run.is_past(now) && run.has_rise != run.has_fall;
        self.moments >= IN_ORDER_MIN && self.runs.iter().any(is_run)
    }

    /// Whether none is after `now`.
    pub(crate) fn are_past(&self, now: NaiveDateTime) -> bool {
        self.runs.iter().any(|run| run.is_past(now))
    }

    /// Whether every row has a time in the next column that is no earlier.
    pub(crate) fn begin_next(&self, rows: u64) -> bool {
        self.pairs == rows && self.is_behind_next.iter().any(|is_behind| !is_behind)
    }

    /// Whether any states no zone.
    pub(crate) fn has_zoneless(&self) -> bool {
        self.has_zoneless || self.numbers > 0
    }
}

/// Whether a text has a clock and the numbers of a date, whatever its words are.
fn looks_like_time(text: &str) -> bool {
    if text.len() > UNREAD_BYTES_MAX {
        return false;
    }
    let cleaned = clean(text);
    let numbers = cleaned.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty());
    let is_clock = |part: &[u8]| part[0] == b':' && part[1..].iter().all(u8::is_ascii_digit);
    numbers.count() >= 4 && cleaned.as_bytes().windows(3).any(is_clock)
}

impl Run {
    fn note(&mut self, time: Option<NaiveDateTime>) {
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

/// In which order the dates of a file can be read.
#[derive(Default)]
pub(crate) struct Dates {
    /// The first that can only have the day in front, and its line.
    day_first: Option<(u64, String)>,
    month_first: Option<(u64, String)>,
    /// The first that can be read either way, to different days.
    either: Option<(u64, String)>,
}

impl Dates {
    fn note(&mut self, moment: &Moment, text: &str, line: u64) {
        let kept = match (moment.date(DateOrder::Dmy), moment.date(DateOrder::Mdy)) {
            (Some(one), Some(other)) if one == other => return,
            (Some(_), Some(_)) if !moment.is_dotted => &mut self.either,
            (Some(_), _) => &mut self.day_first,
            (None, Some(_)) => &mut self.month_first,
            (None, None) => return,
        };
        if kept.is_none() {
            *kept = Some((line, shown(text)));
        }
    }

    /// Returns the dates of several columns together.
    pub(crate) fn of<'a>(columns: impl Iterator<Item = &'a Self>) -> Self {
        let first = |one: Option<(u64, String)>, other: &Option<(u64, String)>| {
            one.into_iter().chain(other.clone()).min()
        };
        columns.fold(Self::default(), |all, one| Self {
            day_first: first(all.day_first, &one.day_first),
            month_first: first(all.month_first, &one.month_first),
            either: first(all.either, &one.either),
        })
    }

    /// Returns the order that these dates alone tell.
    pub(crate) fn told(&self) -> Option<DateOrder> {
        match (&self.day_first, &self.month_first) {
            (Some(_), None) => Some(DateOrder::Dmy),
            (None, Some(_)) => Some(DateOrder::Mdy),
            _ => None,
        }
    }

    /// Returns the order in which all dates can be read. `usual` decides where they do not tell.
    ///
    /// # Errors
    /// Dates that can be read in two orders to different days, or in none.
    pub(crate) fn order(&self, usual: Option<DateOrder>) -> Result<DateOrder> {
        match (&self.day_first, &self.month_first, &self.either) {
            (Some((line, one)), Some((other_line, other)), _) => Err(Error::refused(format!(
                "line {line}: `{one}` has the day first, but `{other}` on line {other_line} the \
                 month; make them alike, or name their order with `--dates dmy` or `--dates mdy`"
            ))),
            (None, None, Some((line, text))) => usual.ok_or_else(|| {
                Error::refused(format!(
                    "line {line}: `{text}` and all other dates of the file could have the day or \
                     the month first; say which with `--dates dmy` or `--dates mdy`"
                ))
            }),
            _ => Ok(self.told().unwrap_or(DateOrder::Mdy)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(texts: &[&str]) -> ColumnTimes {
        let mut times = ColumnTimes::default();
        (2..).zip(texts).for_each(|(line, text)| {
            times.note(text, line);
        });
        times
    }

    fn order(texts: &[&str], usual: Option<DateOrder>) -> Result<DateOrder, String> {
        times(texts).dates.order(usual).map_err(|error| error.to_string())
    }

    #[test]
    fn the_whole_file_tells_the_order_of_dates() {
        assert_eq!(order(&["1/2/26", "13/2/26", ""], None), Ok(DateOrder::Dmy));
        assert_eq!(order(&["1/2/26", "2/13/26", "soon"], None), Ok(DateOrder::Mdy));
        assert_eq!(order(&["2026-01-02", "5/5/26"], None), Ok(DateOrder::Mdy));
        assert_eq!(order(&["1/2/26"], Some(DateOrder::Mdy)), Ok(DateOrder::Mdy));
        assert_eq!(order(&["1.2.2026 9:30"], None), Ok(DateOrder::Dmy));
        let error = order(&["5/5/26", "1/2/26"], None).unwrap_err();
        assert!(error.starts_with("line 3: `1/2/26`") && error.contains("--dates"), "{error}");
        let error = order(&["13/2/26", "1/13/26"], None).unwrap_err();
        assert!(error.starts_with("line 2: `13/2/26`") && error.contains("line 3"), "{error}");
    }

    #[test]
    fn times_are_told_from_other_cells() {
        let clock = "2026-03-01 09:30";
        assert!(times(&[clock]).are_clocks());
        assert!(times(&[clock, "########"]).are_clocks());
        assert!(!times(&[clock, "soon"]).are_times());
        let mut nearly = vec![clock; 9];
        nearly.push("soon");
        assert!(times(&nearly).are_clocks() && !times(&nearly).are_all());
        assert!(times(&["1.2.2026"]).are_times() && !times(&["1.2.2026"]).are_clocks());
        assert!(!times(&["46082.5"]).are_times() && times(&["46082.5"]).can_be_times());
        let foreign = times(&["30 Foo 2026 9:30:15", "1 Bar 2026 9:30:15"]);
        assert!(foreign.are_unread() && !foreign.are_times() && !times(&["x", clock]).are_unread());
        assert!(!times(&[]).are_times() && !times(&["x"]).can_be_times());
    }

    #[test]
    fn the_order_of_rows_is_seen() {
        let now = Moment::read("2026-06-01").and_then(|now| now.local(DateOrder::Dmy)).unwrap();
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
