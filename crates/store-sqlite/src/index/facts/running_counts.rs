//! Counters of a summary.

use super::chunk::{HashedKey, RowValues};
use super::numbers::ValueNumbers;
use super::triage_values;
use contract::Timestamp;
use contract::filter::LabelProperty;
use contract::summary::{Counts, DONE_TIMES_MAX, Day};
use std::collections::HashMap;

/// Counters of a running count.
pub(super) struct RunningCounts<'a> {
    numbers: &'a ValueNumbers,
    day_of: &'a dyn Fn(Timestamp) -> Day,
    of_numbers: Vec<u64>,
    rows: u64,
    /// Number of rows with tags.
    tagged_rows: u64,
    /// Times to `done`, at most [`DONE_TIMES_MAX`].
    done_times: Vec<u32>,
    of_days: HashMap<(Day, u16), u64>,
    /// The day and sentiment of the previous row, and the number of consecutive rows with both.
    run: (Option<(Day, u16)>, u64),
}

impl<'a> RunningCounts<'a> {
    /// Creates counters of zero rows.
    pub(super) fn new(known: &'a ValueNumbers, day_of: &'a dyn Fn(Timestamp) -> Day) -> Self {
        let of_numbers = vec![0; known.len()];
        Self {
            numbers: known,
            day_of,
            of_numbers,
            rows: 0,
            tagged_rows: 0,
            done_times: Vec::new(),
            of_days: HashMap::new(),
            run: (None, 0),
        }
    }

    /// Adds a row.
    pub(super) fn add_row(&mut self, row_key: HashedKey, values: RowValues<'_>) {
        for number in values.numbers {
            self.of_numbers[usize::from(*number)] += 1;
        }
        self.rows += 1;
        let last = values.numbers.last().map(|number| self.numbers.property(*number));
        self.tagged_rows += u64::from(last == Some(LabelProperty::Tag as usize));
        if self.done_times.len() < DONE_TIMES_MAX {
            self.done_times.extend(values.times.done_seconds());
        }
        let at = Timestamp::from_micros(row_key.0).unwrap_or(Timestamp::MIN);
        let day_and_sentiment = ((self.day_of)(at), values.numbers[0]);
        if self.run.0 == Some(day_and_sentiment) {
            self.run.1 += 1;
        } else {
            self.end_run();
            self.run = (Some(day_and_sentiment), 1);
        }
    }

    /// Adds the counters to `counts`.
    pub(super) fn write_to(mut self, counts: &mut Counts) {
        self.end_run();
        for ((day, sentiment), count) in &self.of_days {
            counts.add_day(*day, self.numbers.value(*sentiment), *count);
        }
        let number_counts = self.numbers.iter().zip(&self.of_numbers);
        for ((property, value), count) in number_counts.filter(|(_, count)| **count > 0) {
            counts.add_value(property, value, *count);
        }
        self.done_times.iter().for_each(|seconds| counts.add_done_time(*seconds));
        for property in triage_values::PROPERTIES {
            let rows = self.rows - self.count_changed(property);
            if rows > 0 {
                counts.add_value(property as usize, triage_values::default_value(property), rows);
            }
        }
    }

    /// Returns the number of rows that have a number of a property of the triage.
    fn count_changed(&self, property: LabelProperty) -> u64 {
        if property == LabelProperty::Tag {
            return self.tagged_rows;
        }
        let counted = self.numbers.iter().zip(&self.of_numbers);
        counted.filter(|((of, _), _)| *of == property as usize).map(|(_, count)| count).sum()
    }

    fn end_run(&mut self) {
        if let (Some(day_and_sentiment), count) = self.run {
            *self.of_days.entry(day_and_sentiment).or_default() += count;
        }
    }
}
