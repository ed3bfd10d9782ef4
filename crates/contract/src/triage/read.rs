//! Read state: the submissions that a member has read.
//!
//! A submission is unread until a member opens it. Submissions from before the member could see
//! them count as read, so that a new member does not begin with a million unread ones. Stores
//! record only the submissions that differ from that.

use crate::{FormId, PersonId, Timestamp};
use serde::{Deserialize, Serialize};

/// A member, with the default of their read state.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Reader {
    /// The member.
    pub person: PersonId,
    /// Submissions from this instant on are unread by default, earlier ones read.
    pub unread_from: Timestamp,
}

impl Reader {
    /// Returns whether the member has read a submission. `is_marked` says whether its state differs
    /// from the default.
    pub fn has_read(&self, submitted_at: Timestamp, is_marked: bool) -> bool {
        (submitted_at < self.unread_from) != is_marked
    }
}

/// Number of unread submissions of a form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct UnreadCount {
    /// The form.
    pub form_id: FormId,
    /// Number of its listed submissions that the signed-in member has not read; not 0.
    pub unread: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_depends_on_the_instant() {
        let at = |micros| Timestamp::from_micros(micros).unwrap();
        let reader = Reader { person: "psn_1".parse().unwrap(), unread_from: at(5) };
        assert!(reader.has_read(at(4), false) && !reader.has_read(at(4), true));
        assert!(!reader.has_read(at(5), false) && reader.has_read(at(5), true));
    }
}
