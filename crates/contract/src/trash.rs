//! The trash of a form: deleted submissions that can be restored (additive).
//!
//! The DELETE of the specification (§4.3) is permanent and does not use the trash.

use crate::{BatchId, Submission, SubmissionId, Timestamp};
use serde::{Deserialize, Serialize};

/// Most submissions that one request moves.
pub const MOVED_MAX: u64 = 100_000;
/// The largest count that every JSON reader takes as a whole number.
#[cfg(feature = "openapi")]
const COUNT_MAX: u64 = (1 << 53) - 1;
/// Most ids in one request.
pub const IDS_MAX: usize = 1000;
/// How many days a form keeps its trash if the owner sets nothing else.
pub const DAYS_DEFAULT: u8 = 30;
/// Most days that a form keeps its trash.
pub const DAYS_MAX: u8 = 90;

/// The body of `POST /account/forms/{form_id}/trash` and of `POST …/spam`: which submissions to
/// move. Exactly one of the two members is given.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct MoveRequest {
    /// These submissions, at most 1,000. An id that the form does not list is ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schemars(length(max = IDS_MAX)))]
    pub ids: Option<Vec<SubmissionId>>,
    /// All submissions that match the filter in the query, if they are exactly so many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schemars(range(max = COUNT_MAX)))]
    pub count: Option<u64>,
    /// Whether a form that keeps no trash may delete them. Without it nothing is moved then, and
    /// the answer is 409.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub permanent: bool,
}

/// The answer to a [`MoveRequest`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct Moved {
    /// The name of this move, to undo it; `null` if nothing can be restored, because nothing was
    /// moved or the form keeps no trash.
    pub batch: Option<BatchId>,
    /// How many submissions were moved.
    pub count: u64,
    /// How many submissions match the filter and were not moved, because one request moves at most
    /// 100,000. The newest are moved first.
    pub remaining: u64,
}

/// The body of `POST /account/forms/{form_id}/trash/restore`, `…/trash/delete` and
/// `…/spam/restore`: which submissions of the trash, or of the spam. Exactly one of the two members
/// is given.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TrashRequest {
    /// These submissions, at most 1,000. An id that is not there is ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schemars(length(max = IDS_MAX)))]
    pub ids: Option<Vec<SubmissionId>>,
    /// All submissions of one move that are still there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<BatchId>,
}

/// How many submissions a request restored or deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct Affected {
    /// How many.
    pub count: u64,
}

/// A submission in the trash.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct Trashed {
    /// When it was moved to the trash.
    pub trashed_at: Timestamp,
    /// The move that it was part of.
    pub batch: BatchId,
    /// The submission, as it will be if it is restored.
    pub submission: Submission,
}

/// The body of `PUT /account/forms/{form_id}/trash`: how long a form keeps its trash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TrashSettings {
    /// Days, 0 to 90. With 0, submissions are deleted permanently at once.
    #[cfg_attr(feature = "openapi", schemars(range(max = DAYS_MAX)))]
    pub days: u8,
}
