//! Corrections of insights, and the retry delay of failed analyses, for both stores.

use super::Result;
use super::columns::{database_error, parse_instant};
use contract::insight::{InsightCorrection, InsightDetail};
use contract::{Insight, Timestamp};

/// Delay before the first retry of a submission, and maximum delay. Each delay is four times the
/// previous one.
const RETRY_FIRST_MICROS: i64 = 60 * 1_000_000;
const RETRY_MAX_MICROS: i64 = 24 * 60 * 60 * 1_000_000;
/// Retention of the usage of daily limits, in days.
pub const USAGE_RETENTION_DAYS: i64 = 31;

/// A stored correction: result of the analysis, the owner's correction, and its time.
pub struct StoredCorrection {
    /// The result of the analysis.
    pub analysis: Option<Insight>,
    /// The owner's correction.
    pub correction: InsightCorrection,
    corrected_at: i64,
}

impl StoredCorrection {
    /// Parses a correction from its columns.
    pub fn new(analysis: &str, correction: &str, corrected_at: i64) -> Result<Self> {
        Ok(Self {
            analysis: serde_json::from_str(analysis).map_err(database_error)?,
            correction: serde_json::from_str(correction).map_err(database_error)?,
            corrected_at,
        })
    }
}

/// Returns the insight that a submission shows, with its origin. Without a correction the origin is
/// the analysis.
pub fn insight_detail(
    shown: Option<Insight>,
    stored: Option<StoredCorrection>,
) -> Result<InsightDetail> {
    Ok(match stored {
        None => {
            InsightDetail { analysis: shown.clone(), shown, correction: None, corrected_at: None }
        }
        Some(StoredCorrection { analysis, correction, corrected_at }) => InsightDetail {
            shown,
            analysis,
            correction: Some(correction),
            corrected_at: Some(parse_instant(corrected_at)?),
        },
    })
}

/// Returns when to retry a submission after `attempts` failed attempts, in microseconds.
pub fn retry_at(now: Timestamp, attempts: i64) -> i64 {
    let doublings = u32::try_from(attempts.saturating_mul(2)).unwrap_or(u32::MAX).min(16);
    now.micros().saturating_add((RETRY_FIRST_MICROS << doublings).min(RETRY_MAX_MICROS))
}
