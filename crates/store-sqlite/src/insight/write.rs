//! Writes results of the analysis, and counts their use in the same transaction. So a crash neither
//! loses a count nor counts twice.

use super::correct;
use crate::memory_index::MemoryIndex;
use crate::outbox;
use contract::insight::InsightQuota;
use contract::webhook::WebhookEvent;
use contract::{AccountId, Environment, Plan, SubmissionId, Timestamp};
use rusqlite::{Connection, OptionalExtension};
use store::Result;
use store::columns::{database_error, parse, parse_count};
use store::daily_limits::{DailyLimits, UtcDay};
use store::insight::AnalysisOutcome;
use store::insight_correction::{self, USAGE_RETENTION_DAYS};

/// A pending submission: its key, its JSON and its owner.
struct PendingSubmission {
    form: i64,
    submitted_at: i64,
    json: String,
    account: String,
    environment: String,
    plan: String,
}

/// Writes outcomes; returns the number of insights written.
pub(super) fn insert_outcomes(
    conn: &Connection,
    index: &MemoryIndex,
    outcomes: &[AnalysisOutcome],
    limits: &DailyLimits,
    now: Timestamp,
) -> Result<u64> {
    let mut written = 0;
    for outcome in outcomes {
        let Some(waiting) = find_pending(conn, &outcome.id)? else { continue };
        if !spend_actions(conn, &waiting, outcome.actions, limits, UtcDay::of(now))? {
            continue;
        }
        let tries = remove_from_queue(conn, &waiting, &outcome.id)?;
        let PendingSubmission { form, submitted_at, json, .. } = &waiting;
        match &outcome.insight {
            Some(insight) => {
                let place = (*form, *submitted_at, &outcome.id);
                correct::write_analysis(conn, index, place, json, insight)?;
                let key = (*submitted_at, outcome.id.as_str());
                outbox::enqueue(conn, *form, WebhookEvent::Analyzed, key, now.micros())?;
                written += 1;
            }
            None => schedule_retry(conn, &waiting, &outcome.id, tries, now)?,
        }
    }
    Ok(written)
}

/// Finds a submission that is still pending.
fn find_pending(conn: &Connection, id: &SubmissionId) -> Result<Option<PendingSubmission>> {
    conn.prepare_cached(
        "SELECT s.form, s.submitted_at, s.json, f.account, f.environment, a.plan
         FROM submissions AS s
         JOIN forms AS f ON f.seq = s.form JOIN accounts AS a ON a.id = f.account
         WHERE s.id = ? AND f.analysis AND (
           EXISTS (SELECT 1 FROM insight_queue AS q
             WHERE q.form = s.form AND q.submitted_at = s.submitted_at AND q.id = s.id)
           OR EXISTS (SELECT 1 FROM insight_retries AS q
             WHERE q.form = s.form AND q.submitted_at = s.submitted_at AND q.id = s.id))",
    )
    .and_then(|mut found| {
        found
            .query_row([id.as_str()], |row| {
                Ok(PendingSubmission {
                    form: row.get(0)?,
                    submitted_at: row.get(1)?,
                    json: row.get(2)?,
                    account: row.get(3)?,
                    environment: row.get(4)?,
                    plan: row.get(5)?,
                })
            })
            .optional()
    })
    .map_err(database_error)
}

/// Adds actions to the day's usage. Returns `false`, without a change, if they exceed the limit.
fn spend_actions(
    conn: &Connection,
    waiting: &PendingSubmission,
    actions: u64,
    limits: &DailyLimits,
    day: UtcDay,
) -> Result<bool> {
    if actions == 0 {
        return Ok(true);
    }
    let PendingSubmission { account, environment, plan, .. } = waiting;
    let used = find_used(conn, account, environment, day)?;
    if used.saturating_add(actions) > limits.for_plan(parse::<Plan>(plan)?) {
        return Ok(false);
    }
    if used == 0 {
        conn.prepare_cached("DELETE FROM insight_usage WHERE account = ? AND day < ?")
            .and_then(|mut old| old.execute((account, day.0 - USAGE_RETENTION_DAYS)))
            .map_err(database_error)?;
    }
    conn.prepare_cached(
        "INSERT INTO insight_usage (account, environment, day, used) VALUES (?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET used = used + excluded.used",
    )
    .and_then(|mut more| more.execute((account, environment, day.0, i64::try_from(actions).ok())))
    .map_err(database_error)?;
    Ok(true)
}

/// Removes a submission from the queue; returns the number of earlier attempts.
fn remove_from_queue(
    conn: &Connection,
    waiting: &PendingSubmission,
    id: &SubmissionId,
) -> Result<i64> {
    let place = (waiting.form, waiting.submitted_at, id.as_str());
    let is = "WHERE form = ? AND submitted_at = ? AND id = ?";
    conn.prepare_cached(&format!("DELETE FROM insight_queue {is}"))
        .and_then(|mut queued| queued.execute(place))
        .map_err(database_error)?;
    let tries = conn
        .prepare_cached(&format!("DELETE FROM insight_retries {is} RETURNING tries"))
        .and_then(|mut tried| tried.query_row(place, |row| row.get(0)).optional())
        .map_err(database_error)?;
    Ok(tries.unwrap_or(0))
}

fn schedule_retry(
    conn: &Connection,
    waiting: &PendingSubmission,
    id: &SubmissionId,
    tries: i64,
    now: Timestamp,
) -> Result<()> {
    conn.prepare_cached(
        "INSERT INTO insight_retries (form, submitted_at, id, tries, due_at)
         VALUES (?, ?, ?, ?, ?)",
    )
    .and_then(|mut later| {
        let due_at = insight_correction::retry_at(now, tries);
        later.execute((waiting.form, waiting.submitted_at, id.as_str(), tries + 1, due_at))
    })
    .map(|_| ())
    .map_err(database_error)
}

/// Returns the actions used on a day.
pub(super) fn find_used(
    conn: &Connection,
    account: &str,
    environment: &str,
    day: UtcDay,
) -> Result<u64> {
    let used: Option<i64> = conn
        .prepare_cached(
            "SELECT used FROM insight_usage WHERE account = ? AND environment = ? AND day = ?",
        )
        .and_then(|mut used| {
            used.query_row((account, environment, day.0), |row| row.get(0)).optional()
        })
        .map_err(database_error)?;
    parse_count(used.unwrap_or(0))
}

/// Returns the usage of a day and the number of pending submissions of an environment.
pub(super) fn find_spent(
    conn: &Connection,
    account: &AccountId,
    environment: Environment,
    limit: u64,
    day: UtcDay,
) -> Result<InsightQuota> {
    let account = account.as_str();
    let environment = environment.as_str();
    let pending: i64 = conn
        .prepare_cached(
            "SELECT COALESCE(SUM(
               (SELECT COUNT(*) FROM insight_queue AS q WHERE q.form = f.seq)
               + (SELECT COUNT(*) FROM insight_retries AS r WHERE r.form = f.seq)), 0)
             FROM forms AS f WHERE f.account = ? AND f.environment = ? AND f.analysis",
        )
        .and_then(|mut sum| sum.query_row((account, environment), |row| row.get(0)))
        .map_err(database_error)?;
    let used = find_used(conn, account, environment, day)?;
    Ok(InsightQuota { limit, used, pending: parse_count(pending)? })
}
