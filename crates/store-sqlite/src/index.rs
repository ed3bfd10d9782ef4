//! In-memory indexes of large forms, for counts, searches and summaries.
//!
//! Pure data structures: no SQL, no clock, no threads that outlive a call. Each index applies every
//! change of its form in order, and at any version equals the contents of the database at that
//! version. The store decides which indexes are loaded, and may drop them at any time.

mod block;
mod change;
mod facts;
mod feed;
mod look;
mod query;
mod signature;
mod tally;
mod texts;
mod times;
mod utm;

pub(crate) use change::{Change, Changes, Row};
pub(crate) use facts::{Asked, Facts};
pub(crate) use feed::Feed;
pub(crate) use query::Query;
use store::columns::END_OF_VALUE;
pub(crate) use tally::Tally;
pub(crate) use texts::{Matches, Texts};
pub(crate) use utm::Utm;

/// An index that applies changes.
pub(crate) trait Apply {
    /// Applies one change. Ignores the deletion of an unknown row.
    fn apply(&mut self, change: &Change);

    /// Whether every change was applied. An incomplete index must not be used.
    fn is_whole(&self) -> bool {
        true
    }
}
