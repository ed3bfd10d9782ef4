//! The trash of a form: deleted submissions that can be restored (not in the specification).
//!
//! DELETE of the specification (section 4.3) is permanent and does not use the trash.

use crate::{BatchId, Submission, SubmissionId, Timestamp};
use serde::{Deserialize, Serialize};

/// Maximum number of submissions that one request moves.
pub const MOVE_MAX: u64 = 100_000;
/// Largest integer that every JSON parser reads exactly, 2⁵³ - 1.
#[cfg(feature = "openapi")]
const COUNT_MAX: u64 = (1 << 53) - 1;
/// Maximum number of identifiers in one request.
pub const IDS_MAX: usize = 1000;
/// Default retention of the trash, in days.
pub const DAYS_DEFAULT: u8 = 30;
/// Maximum retention of the trash, in days.
pub const DAYS_MAX: u8 = 90;

/// Body of `POST /account/forms/{form_id}/trash` and of `POST …/spam`: the submissions to move.
/// Set exactly one of `ids` and `count`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct MoveRequest {
    /// Identifiers of submissions, at most 1,000. Identifiers that are not in the list are ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schemars(length(max = IDS_MAX)))]
    pub ids: Option<Vec<SubmissionId>>,
    /// Moves all submissions that match the filter in the query, if this is their exact number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schemars(range(max = COUNT_MAX)))]
    pub count: Option<u64>,
    /// Whether to delete the submissions permanently if the form keeps no trash (`trash_days` is
    /// 0). Without this, such a form moves nothing and the response is 409.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub permanent: bool,
}

/// Response of a move to the trash or to spam.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct MoveResult {
    /// Identifier of this move, used to undo it; `null` if there is nothing to restore, because no
    /// submission was moved or the form has no trash.
    pub batch: Option<BatchId>,
    /// Number of moved submissions.
    pub count: u64,
    /// Number of matching submissions that were not moved, because one request moves at most
    /// 100,000. The newest are moved first.
    pub remaining: u64,
}

/// Body of `POST /account/forms/{form_id}/trash/restore`, `…/trash/delete` and
/// `…/spam/restore`: submissions in the trash or in spam. Set exactly one of `ids` and `batch`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TrashRequest {
    /// Identifiers of submissions, at most 1,000. Unknown identifiers are ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schemars(length(max = IDS_MAX)))]
    pub ids: Option<Vec<SubmissionId>>,
    /// Selects all submissions of one move that are still there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<BatchId>,
}

/// Number of submissions that a request restored or deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct AffectedCount {
    /// Number of submissions.
    pub count: u64,
}

/// Submission in the trash.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct TrashedSubmission {
    /// Time of the move to the trash.
    pub trashed_at: Timestamp,
    /// Identifier of the move.
    pub batch: BatchId,
    /// The submission. A restore returns it unchanged.
    pub submission: Submission,
}

/// Body of `PUT /account/forms/{form_id}/trash`: sets the retention of the trash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TrashSettings {
    /// Retention in days, 0 to 90. With 0, submissions are deleted permanently and immediately.
    #[cfg_attr(feature = "openapi", schemars(range(max = DAYS_MAX)))]
    pub days: u8,
}
