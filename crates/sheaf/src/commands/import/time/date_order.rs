//! Detects the order of day, month and year in the dates of a file.

use chrono::NaiveDateTime;

use super::moment::{DateOrder, ParsedTime};
use crate::commands::import::parsed_submission::shorten;
use crate::error::{Error, Result};

/// Possible orders of a date. The arrays below have the same order.
pub(crate) const ORDERS: [DateOrder; 3] = [DateOrder::Dmy, DateOrder::Mdy, DateOrder::Ymd];
/// Names of the first part in errors, and values of the option.
const NAMES: [(&str, &str); 3] = [("day", "dmy"), ("month", "mdy"), ("year", "ymd")];
const PAIRS: [[usize; 2]; 3] = [[0, 1], [0, 2], [1, 2]];

/// A line and a date on it.
type DateOnLine = (u64, String);

/// Evidence about the date order of a column.
#[derive(Default)]
pub(crate) struct DateEvidence {
    /// By order, the first date that is invalid in it.
    unreadable: [Option<DateOnLine>; 3],
    /// By pair of orders, the first date that means different days in them.
    differing: [Option<DateOnLine>; 3],
    /// By order, the latest time.
    latest: [Option<NaiveDateTime>; 3],
}

impl DateEvidence {
    /// Processes a date.
    pub(crate) fn add_date(&mut self, time: &ParsedTime, text: &str, line: u64) {
        let mut dates = ORDERS.map(|order| time.date(order));
        // No language writes the month first with dots.
        if time.is_dotted && (dates[0].is_some() || dates[2].is_some()) {
            dates[1] = None;
        }
        for (latest, order) in self.latest.iter_mut().zip(ORDERS) {
            *latest = (*latest).max(time.local(order));
        }
        let record = |first: &mut Option<DateOnLine>| {
            first.get_or_insert_with(|| (line, shorten(text)));
        };
        for (first, date) in self.unreadable.iter_mut().zip(dates) {
            if date.is_none() {
                record(first);
            }
        }
        for (first, [left, right]) in self.differing.iter_mut().zip(PAIRS) {
            if dates[left].zip(dates[right]).is_some_and(|(left, right)| left != right) {
                record(first);
            }
        }
    }

    /// Combines the evidence of several columns.
    pub(crate) fn combine<'a>(columns: impl Iterator<Item = &'a Self>) -> Self {
        let join = |merged: &mut [Option<DateOnLine>; 3], stats: &[Option<DateOnLine>; 3]| {
            for (merged, stats) in merged.iter_mut().zip(stats) {
                *merged = merged.take().into_iter().chain(stats.clone()).min();
            }
        };
        columns.fold(Self::default(), |mut merged, stats| {
            join(&mut merged.unreadable, &stats.unreadable);
            join(&mut merged.differing, &stats.differing);
            for (merged, stats) in merged.latest.iter_mut().zip(stats.latest) {
                *merged = (*merged).max(stats);
            }
            merged
        })
    }

    /// Returns the order, if these dates alone determine it.
    pub(crate) fn determined_order(&self, end: NaiveDateTime) -> Option<DateOrder> {
        let possible = self.possible_orders(end);
        if let [only] = possible[..] { Some(ORDERS[only]) } else { None }
    }

    /// Returns the order in which all dates are valid. An order that gives times after `end` is
    /// excluded if another does not. `usual` decides between several orders.
    ///
    /// # Errors
    /// Dates that mean different days in several orders, or that are valid in no order.
    pub(crate) fn choose_order(
        &self,
        usual: Option<DateOrder>,
        end: NaiveDateTime,
    ) -> Result<DateOrder> {
        let possible = self.possible_orders(end);
        let Some(first) = possible.first() else { return Err(self.mixed_orders_error()) };
        let is_possible = |pair: &[usize; 2]| pair.iter().all(|at| possible.contains(at));
        let apart = self.differing.iter().zip(PAIRS).filter(|(_, pair)| is_possible(pair));
        match apart.filter_map(|(found, _)| found.as_ref()).min() {
            None => Ok(ORDERS[*first]),
            Some(found) => usual
                .filter(|usual| possible.iter().any(|at| ORDERS[*at] == *usual))
                .ok_or_else(|| ambiguous_order_error(found, &possible)),
        }
    }

    fn possible_orders(&self, end: NaiveDateTime) -> Vec<usize> {
        let mut possible: Vec<usize> = (0..3).filter(|at| self.unreadable[*at].is_none()).collect();
        let is_past = |at: &usize| self.latest[*at].is_none_or(|latest| latest <= end);
        if possible.iter().any(is_past) {
            possible.retain(is_past);
        }
        possible
    }

    fn mixed_orders_error(&self) -> Error {
        let mut found: Vec<&DateOnLine> = self.unreadable.iter().flatten().collect();
        found.sort();
        found.dedup();
        let more: Vec<_> =
            found.iter().skip(1).map(|(line, text)| format!("`{text}` on line {line}")).collect();
        let (line, text) = found[0];
        Error::at_line(
            *line,
            format!(
                "`{text}` and {} have day, month and year in different orders; write all dates in \
                 the same order",
                more.join(" and ")
            ),
        )
    }
}

/// Returns an error that asks for one of several orders.
fn ambiguous_order_error((line, text): &DateOnLine, possible: &[usize]) -> Error {
    let list = |names: Vec<String>| match names.as_slice() {
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
        [] => String::new(),
    };
    let parts = list(possible.iter().map(|at| format!("the {}", NAMES[*at].0)).collect());
    let options = list(possible.iter().map(|at| format!("`--dates {}`", NAMES[*at].1)).collect());
    Error::at_line(
        *line,
        format!(
            "`{text}` and all other submission times could have {parts} first; choose with \
             {options}"
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(texts: &[&str], usual: Option<DateOrder>) -> Result<DateOrder, String> {
        let mut dates = DateEvidence::default();
        for (line, text) in (2..).zip(texts) {
            if let Some(time) = ParsedTime::parse(text) {
                dates.add_date(&time, text, line);
            }
        }
        let end =
            ParsedTime::parse("2026-12-02").and_then(|end| end.local(DateOrder::Ymd)).unwrap();
        dates.choose_order(usual, end).map_err(|error| error.to_string())
    }

    #[test]
    fn date_order_is_detected_from_all_dates() {
        assert_eq!(order(&["1/2/26", "13/2/26", ""], None), Ok(DateOrder::Dmy));
        assert_eq!(order(&["1/2/26", "2/13/26", "soon"], None), Ok(DateOrder::Mdy));
        assert_eq!(order(&["26/2/1", "26/2/13"], None), Ok(DateOrder::Ymd));
        assert_eq!(order(&["13/02/2026"], None), Ok(DateOrder::Dmy));
        assert!(order(&["2026-01-02", "5/5/26"], None).is_ok());
        assert_eq!(order(&["1/2/26"], Some(DateOrder::Mdy)), Ok(DateOrder::Mdy));
        assert_eq!(order(&["1.2.2026 9:30"], None), Ok(DateOrder::Dmy));
        let error = order(&["5/5/26", "1/2/26"], None).unwrap_err();
        assert!(error.starts_with("line 3: `1/2/26`") && error.contains("--dates"), "{error}");
        let error = order(&["13/2/26", "1/13/26"], None).unwrap_err();
        assert!(error.starts_with("line 2: `13/2/26` and `1/13/26` on line 3"), "{error}");
        let error = order(&["3/4/2026", "26/3/1"], None).unwrap_err();
        assert!(error.starts_with("line 2: `3/4/2026` and `26/3/1` on line 3"), "{error}");
    }

    #[test]
    fn date_order_without_future_times_is_preferred() {
        let end_of_year = ["31/12/25"];
        assert_eq!(order(&end_of_year, None), Ok(DateOrder::Dmy));
        // With the month first, the second date is in December.
        assert_eq!(order(&["1/2/2026", "12/11/2026"], None), Ok(DateOrder::Dmy));
        assert_eq!(order(&["1/2/2026", "3/12/2026"], None), Ok(DateOrder::Mdy));
        let usual = Some(DateOrder::Dmy);
        assert_eq!(order(&["1/2/2026", "3/12/2026"], usual), Ok(DateOrder::Mdy));
        assert_eq!(order(&["26/11/03", "26/11/30"], None), Ok(DateOrder::Ymd));
        assert_eq!(order(&["26. 8. 28. 9:30"], None), Ok(DateOrder::Ymd));
        // All orders give times in the future.
        assert_eq!(order(&["3/4/2027", "3/12/2026"], usual), Ok(DateOrder::Dmy));
    }

    #[test]
    fn ambiguous_two_digit_year_is_an_error() {
        for (text, message) in [
            ("26/03/01", "the day or the year first; choose with `--dates dmy` or `--dates ymd`"),
            ("26. 08. 01. 9:30", "`--dates dmy` or `--dates ymd`"),
            ("26.08.01", "`--dates dmy` or `--dates ymd`"),
            (
                "10/11/12",
                "the day, the month or the year first; choose with `--dates dmy`, \
                 `--dates mdy` or `--dates ymd`",
            ),
        ] {
            let error = order(&[text], None).unwrap_err();
            assert!(error.starts_with("line 2: ") && error.ends_with(message), "{error}");
            assert_eq!(order(&[text], Some(DateOrder::Ymd)), Ok(DateOrder::Ymd), "{text}");
            assert_eq!(order(&[text], Some(DateOrder::Dmy)), Ok(DateOrder::Dmy), "{text}");
        }
        let usual = Some(DateOrder::Ymd);
        assert!(order(&["3/4/2026"], usual).unwrap_err().contains("`--dates dmy` or"));
        assert_eq!(order(&["26/03/01", "1/3/26"], usual), Ok(DateOrder::Dmy));
    }
}
