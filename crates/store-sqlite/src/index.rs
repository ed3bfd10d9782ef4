//! What is held in memory of a large form, so that counting and searching need not read it again.
//!
//! Pure data structures: no SQL, no clock, no threads that outlive a call. Each is told of every
//! change to its form in the order in which the changes were made, and equals at any version what
//! would be read from the database at that version. A store decides what is held, and may drop it
//! at any time.

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

/// Takes changes in.
pub(crate) trait Apply {
    /// Makes one change. A row that is to be removed and is not there is no change.
    fn apply(&mut self, change: &Change);

    /// Whether every change could be made. What is not whole must not be used.
    fn is_whole(&self) -> bool {
        true
    }
}
