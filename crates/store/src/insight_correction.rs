//! What is kept beside a submission whose insight its owner corrected, and how long a submission
//! that could not be analysed waits. Both databases mean the same by it. No SQL here.

use super::Result;
use super::columns::{database, instant};
use contract::insight::{Correction, InsightDetail};
use contract::{Insight, Timestamp};

/// The first pause before a submission is tried again, and the longest; each is four times the one
/// before.
const RETRY_FIRST_MICROS: i64 = 60 * 1_000_000;
const RETRY_MAX_MICROS: i64 = 24 * 60 * 60 * 1_000_000;
/// So many days are kept of what was used of the daily limits.
pub const DAYS_KEPT: i64 = 31;

/// What the analysis found, what the owner says, and when.
pub struct Kept {
    /// The result of the analysis.
    pub analysis: Option<Insight>,
    /// The owner's correction.
    pub correction: Correction,
    corrected_at: i64,
}

impl Kept {
    /// Reads it from its columns.
    pub fn new(analysis: &str, correction: &str, corrected_at: i64) -> Result<Self> {
        Ok(Self {
            analysis: serde_json::from_str(analysis).map_err(database)?,
            correction: serde_json::from_str(correction).map_err(database)?,
            corrected_at,
        })
    }
}

/// Returns what a submission shows, and where it is from; without anything kept, from the analysis.
pub fn detail(shown: Option<Insight>, kept: Option<Kept>) -> Result<InsightDetail> {
    Ok(match kept {
        None => {
            InsightDetail { analysis: shown.clone(), shown, correction: None, corrected_at: None }
        }
        Some(Kept { analysis, correction, corrected_at }) => InsightDetail {
            shown,
            analysis,
            correction: Some(correction),
            corrected_at: Some(instant(corrected_at)?),
        },
    })
}

/// Returns when a submission is tried again that was tried in vain so often before.
pub fn due_at(now: Timestamp, tries: i64) -> i64 {
    let doublings = u32::try_from(tries.saturating_mul(2)).unwrap_or(u32::MAX).min(16);
    now.micros().saturating_add((RETRY_FIRST_MICROS << doublings).min(RETRY_MAX_MICROS))
}
