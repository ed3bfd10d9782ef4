//! What comes in by `/f/{form_id}`: the words between the route and the store.
//!
//! Types only. Whether something is spam, and which fields it brings, is settled before.

use super::Hash;
use contract::{AccountId, Field, FormId, Intake, Receipt, SpamReason, Submission};
use std::collections::HashSet;
use std::time::Duration;

/// How long the answer to a sender that may repeat itself is kept: a day is promised, and another
/// one is for a clock that is set on meanwhile.
pub const RECEIPT_AGE_MAX: Duration = Duration::from_hours(48);

/// Most keys of deleted fields that a form remembers; the oldest make room.
pub const REMOVED_KEYS_MAX: usize = 2000;

/// What decides whether and how a form takes a submission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IntakeRecord {
    /// The owner of the form.
    pub account_id: AccountId,
    /// The form's fields, in order.
    pub fields: Vec<Field>,
    /// The keys of deleted fields, which it does not learn again.
    pub removed_keys: HashSet<String>,
    /// What the owner set.
    pub intake: Intake,
    /// Differs once any of these has changed.
    pub version: i64,
}

/// A submission on its way in.
#[derive(Debug, Clone, PartialEq)]
pub struct Arrival {
    /// The form that it was sent to, which its own `form_id` names too.
    pub form: FormId,
    /// The version of what it was judged by.
    pub version: i64,
    /// The submission.
    pub submission: Submission,
    /// Fields that it brings to the form, which learns them from now on.
    pub fields: Vec<Field>,
    /// Why it is set aside, where it is.
    pub spam: Option<SpamReason>,
    /// How the sender knows it again, where it may repeat itself.
    pub repeat: Option<Repeat>,
    /// How many submissions the form may hold; `None` is any number.
    pub rows_max: Option<u64>,
}

/// How a repeated request is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repeat {
    /// The sender's own key.
    pub key: String,
    /// Hash of the whole request.
    pub request: Hash,
}

/// What became of an arrival.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Arrived {
    /// It was taken, now or when the same request came before.
    Taken(Receipt),
    /// The form has changed since it was judged; nothing was done.
    Stale,
    /// Another request came with the same key; nothing was done.
    OtherRequest,
    /// The form holds as many submissions as it may; nothing was done.
    Closed,
}
