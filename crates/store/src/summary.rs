//! What a request for a summary asks of whoever adds up. No SQL here.

use super::SummaryRequest;
use contract::Timestamp;
use contract::summary::{Counts, Day, Summary};

impl SummaryRequest {
    /// Returns the day of an instant in the time zone asked for.
    pub fn day_of(&self, at: Timestamp) -> Day {
        Day::of(at, crate::zone::ahead_s(self.zone, at))
    }

    /// Returns what counts say over the days asked for.
    pub fn within(&self, counts: &Counts) -> Summary {
        let first = self.filter.date_from.map(|from| self.day_of(from));
        let last = self.filter.date_to.and_then(|to| Timestamp::from_micros(to.micros() - 1));
        counts.summary(first, last.map(|last| self.day_of(last)))
    }
}
