//! In-memory indexes of large forms, for counts, searches and summaries.
//!
//! Pure data structures: no SQL, no clock, no threads that outlive a call. Each index applies every
//! change of its form in order, and at any version equals the contents of the database at that
//! version. The store decides which indexes are loaded, and may drop them at any time.

mod block;
mod change;
mod change_log;
mod facts;
mod query;
mod signature;
mod tally;
mod text_search;
mod texts;
mod times;
mod utm;

pub(crate) use change::{Change, Changes, IndexedRow};
pub(crate) use change_log::ChangeLog;
pub(crate) use facts::{
    CountRequest, MatchPage, MatchRequest, PropertyFilter, ReadAnswers, SortedMatches,
    SortedRequest, SummaryIndex,
};
pub(crate) use query::{TextQuery, time_range};
use store::columns::END_OF_VALUE;
pub(crate) use tally::CountIndex;
pub(crate) use texts::{TextIndex, TextMatches};
pub(crate) use utm::UtmValues;

/// An index that applies changes.
pub(crate) trait ApplyChange {
    /// Applies one change. Ignores the deletion of an unknown row.
    fn apply(&mut self, change: &Change);

    /// Whether every change was applied. An incomplete index must not be used.
    fn is_complete(&self) -> bool {
        true
    }
}
