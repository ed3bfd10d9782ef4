//! Writes results of the analysis, and counts their use in the same transaction. So a crash neither
//! loses a count nor counts twice.

use super::correct;
use crate::memory_index::MemoryIndex;
use crate::{outbox, query};
use contract::insight::InsightQuota;
use contract::webhook::WebhookEvent;
use contract::{AccountId, Environment, Plan, SubmissionId, Timestamp};
use rusqlite::Connection;
use store::Result;
use store::columns::{parse, parse_count};
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
    let sql = "SELECT s.form, s.submitted_at, s.json, f.account, f.environment, a.plan
               FROM submissions AS s
               JOIN forms AS f ON f.seq = s.form JOIN accounts AS a ON a.id = f.account
               WHERE s.id = ? AND f.analysis AND (
                 EXISTS (SELECT 1 FROM insight_queue AS q
                   WHERE q.form = s.form AND q.submitted_at = s.submitted_at AND q.id = s.id)
                 OR EXISTS (SELECT 1 FROM insight_retries AS q
                   WHERE q.form = s.form AND q.submitted_at = s.submitted_at AND q.id = s.id))";
    query::find(conn, sql, [id.as_str()], |row| {
        Ok(PendingSubmission {
            form: row.get(0)?,
            submitted_at: row.get(1)?,
            json: row.get(2)?,
            account: row.get(3)?,
            environment: row.get(4)?,
            plan: row.get(5)?,
        })
    })
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
        let sql = "DELETE FROM insight_usage WHERE account = ? AND day < ?";
        query::execute(conn, sql, (account, day.0 - USAGE_RETENTION_DAYS))?;
    }
    let sql = "INSERT INTO insight_usage (account, environment, day, used) VALUES (?, ?, ?, ?)
               ON CONFLICT DO UPDATE SET used = used + excluded.used";
    query::execute(conn, sql, (account, environment, day.0, i64::try_from(actions).ok()))?;
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
    query::execute(conn, &format!("DELETE FROM insight_queue {is}"), place)?;
    let sql = format!("DELETE FROM insight_retries {is} RETURNING tries");
    let tries = query::find(conn, &sql, place, |row| row.get(0))?;
    Ok(tries.unwrap_or(0))
}

fn schedule_retry(
    conn: &Connection,
    waiting: &PendingSubmission,
    id: &SubmissionId,
    tries: i64,
    now: Timestamp,
) -> Result<()> {
    let sql = "INSERT INTO insight_retries (form, submitted_at, id, tries, due_at)
               VALUES (?, ?, ?, ?, ?)";
    let due_at = insight_correction::retry_at(now, tries);
    let columns = (waiting.form, waiting.submitted_at, id.as_str(), tries + 1, due_at);
    query::execute(conn, sql, columns).map(drop)
}

/// Returns the actions used on a day.
pub(super) fn find_used(
    conn: &Connection,
    account: &str,
    environment: &str,
    day: UtcDay,
) -> Result<u64> {
    let sql = "SELECT used FROM insight_usage WHERE account = ? AND environment = ? AND day = ?";
    let used: Option<i64> =
        query::find(conn, sql, (account, environment, day.0), |row| row.get(0))?;
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
    let sql = "SELECT COALESCE(SUM(
                 (SELECT COUNT(*) FROM insight_queue AS q WHERE q.form = f.seq)
                 + (SELECT COUNT(*) FROM insight_retries AS r WHERE r.form = f.seq)), 0)
               FROM forms AS f WHERE f.account = ? AND f.environment = ? AND f.analysis";
    let pending: i64 = query::one(conn, sql, (account, environment), |row| row.get(0))?;
    let used = find_used(conn, account, environment, day)?;
    Ok(InsightQuota { limit, used, pending: parse_count(pending)? })
}
