//! Size and age of a queue, of webhook deliveries or of e-mails.

use crate::Result;
use crate::columns::{parse_count, parse_optional_instant};
use contract::Timestamp;

/// Size and age of a queue.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct QueueStats {
    /// Number of pending deliveries or e-mails.
    pub pending: u64,
    /// Time of the event that waits longest.
    pub oldest: Option<Timestamp>,
}

impl QueueStats {
    /// Returns the stats of two columns, which are both NULL if the queue is empty.
    ///
    /// # Errors
    /// A negative number, or an instant that is out of range.
    pub fn from_columns(pending: Option<i64>, oldest: Option<i64>) -> Result<Self> {
        let pending = parse_count(pending.unwrap_or(0))?;
        Ok(Self { pending, oldest: parse_optional_instant(oldest)? })
    }
}
