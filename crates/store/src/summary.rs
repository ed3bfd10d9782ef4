//! Days of a summary in its time zone, and its fields.

use super::SummaryRequest;
use contract::summary::{CountedFields, Counts, Day, Summary};
use contract::{Field, Timestamp};

impl SummaryRequest {
    /// Returns the day of an instant in the requested time zone.
    pub fn day_of(&self, at: Timestamp) -> Day {
        Day::at_offset(at, crate::zone::utc_offset_s(self.zone, at))
    }

    /// Returns the fields to count.
    pub fn counted_fields(&self, fields: &[Field]) -> CountedFields {
        self.field.as_ref().map_or_else(
            || CountedFields::for_fields(fields),
            |id| CountedFields::for_field(fields, id),
        )
    }

    /// Returns the summary of counts over the requested days.
    pub fn summarize_counts(&self, counts: &Counts) -> Summary {
        let first = self.filter.date_from.map(|from| self.day_of(from));
        let last = self.filter.date_to.and_then(|to| Timestamp::from_micros(to.micros() - 1));
        counts.summary(first, last.map(|last| self.day_of(last)))
    }
}
