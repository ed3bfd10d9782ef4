//! Numbers of values: each value of each property has one.

use super::triage_values;
use contract::summary::{CountedFields, for_each_value};
use contract::{Submission, Triage};
use std::collections::HashMap;

/// Maps values to numbers, and numbers to values. A number never gets another value.
#[derive(Default)]
pub(super) struct ValueNumbers {
    by_property: Vec<PropertyNumbers>,
    values: Vec<(usize, Option<Box<str>>)>,
    text_bytes: usize,
}

/// The numbers of one property: for a missing value, and for each value.
#[derive(Default)]
struct PropertyNumbers {
    missing: Option<u16>,
    values: HashMap<Box<str>, u16>,
}

impl ValueNumbers {
    /// Returns the number of values.
    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns the approximate size in memory, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.values.len() * 128 + self.text_bytes
    }

    /// Returns the index of a number's property in [`for_each_value`].
    pub(super) fn property(&self, number: u16) -> usize {
        self.values[usize::from(number)].0
    }

    /// Returns the value of a number; `None` is a missing value.
    pub(super) fn value(&self, number: u16) -> Option<&str> {
        self.values[usize::from(number)].1.as_deref()
    }

    /// Iterates over the property and value of each number, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, Option<&str>)> {
        self.values.iter().map(|(property, value)| (*property, value.as_deref()))
    }

    /// Returns the number of a value, by the index of its property in [`for_each_value`].
    pub(super) fn find(&self, property: usize, value: Option<&str>) -> Option<u16> {
        let of = self.by_property.get(property)?;
        value.map_or(of.missing, |value| of.values.get(value).copied())
    }

    /// Returns the numbers of a submission's values, without those of the triage. Returns `None` if
    /// there are too many values.
    pub(super) fn assign(
        &mut self,
        submission: &Submission,
        charted: &CountedFields,
    ) -> Option<Vec<u16>> {
        let mut row = Vec::with_capacity(16);
        let mut is_whole = true;
        let triage = Triage::default();
        for_each_value(submission, &triage, charted, &mut |property, value| {
            if triage_values::is_triage(property) {
                return;
            }
            match self.find_or_assign(property, value) {
                Some(number) => row.push(number),
                None => is_whole = false,
            }
        });
        is_whole.then_some(row)
    }

    /// Returns the numbers of a triage's values. Values of new submissions have no number. Returns
    /// `None` if there are too many values.
    pub(super) fn assign_triage(&mut self, triage: &Triage) -> Option<Vec<u16>> {
        let mut row = Vec::new();
        let mut is_whole = true;
        triage_values::for_each_changed(triage, &mut |property, value| match self
            .find_or_assign(property as usize, Some(value))
        {
            Some(number) if row.contains(&number) => {}
            Some(number) => row.push(number),
            None => is_whole = false,
        });
        is_whole.then_some(row)
    }

    /// Returns the number of a value, and assigns one if needed. Returns `None` if there are too
    /// many values.
    fn find_or_assign(&mut self, property: usize, value: Option<&str>) -> Option<u16> {
        if self.by_property.len() <= property {
            self.by_property.resize_with(property + 1, PropertyNumbers::default);
        }
        let known = self.find(property, value);
        if known.is_some() {
            return known;
        }
        let number = u16::try_from(self.values.len()).ok()?;
        self.text_bytes += 2 * value.map_or(0, str::len);
        self.values.push((property, value.map(Box::from)));
        let of = &mut self.by_property[property];
        match value {
            Some(value) => of.values.insert(Box::from(value), number),
            None => of.missing.replace(number),
        };
        Some(number)
    }
}
