//! Writes results of the analysis, and counts their use in the same transaction. So a crash neither
//! loses a count nor counts twice.

use super::correct;
use crate::memory_index::Held;
use contract::insight::Spent;
use contract::{AccountId, Environment, Plan, SubmissionId, Timestamp};
use rusqlite::{Connection, OptionalExtension};
use store::Result;
use store::columns::{count, database, parse};
use store::insight::{Day, Limits, Outcome};
use store::insight_correction::{self, DAYS_KEPT};

/// A pending submission: its key, its JSON and its owner.
struct Waiting {
    form: i64,
    submitted_at: i64,
    json: String,
    account: String,
    environment: String,
    plan: String,
}

/// Writes outcomes; returns the number of insights written.
pub(super) fn insert(
    conn: &Connection,
    held: &Held,
    outcomes: &[Outcome],
    limits: &Limits,
    now: Timestamp,
) -> Result<u64> {
    let mut written = 0;
    for outcome in outcomes {
        let Some(waiting) = find(conn, &outcome.id)? else { continue };
        if !spend(conn, &waiting, outcome.actions, limits, Day::of(now))? {
            continue;
        }
        let tries = leave(conn, &waiting, &outcome.id)?;
        let Waiting { form, submitted_at, json, .. } = &waiting;
        match &outcome.insight {
            Some(insight) => {
                let place = (*form, *submitted_at, &outcome.id);
                correct::found(conn, held, place, json, insight)?;
                written += 1;
            }
            None => postpone(conn, &waiting, &outcome.id, tries, now)?,
        }
    }
    Ok(written)
}

/// Finds a submission that is still pending.
fn find(conn: &Connection, id: &SubmissionId) -> Result<Option<Waiting>> {
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
                Ok(Waiting {
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
    .map_err(database)
}

/// Adds actions to the day's usage. Returns `false`, without a change, if they exceed the limit.
fn spend(
    conn: &Connection,
    waiting: &Waiting,
    actions: u64,
    limits: &Limits,
    day: Day,
) -> Result<bool> {
    if actions == 0 {
        return Ok(true);
    }
    let Waiting { account, environment, plan, .. } = waiting;
    let used = used(conn, account, environment, day)?;
    if used.saturating_add(actions) > limits.of(parse::<Plan>(plan)?) {
        return Ok(false);
    }
    if used == 0 {
        conn.prepare_cached("DELETE FROM insight_usage WHERE account = ? AND day < ?")
            .and_then(|mut old| old.execute((account, day.0 - DAYS_KEPT)))
            .map_err(database)?;
    }
    conn.prepare_cached(
        "INSERT INTO insight_usage (account, environment, day, used) VALUES (?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET used = used + excluded.used",
    )
    .and_then(|mut more| more.execute((account, environment, day.0, i64::try_from(actions).ok())))
    .map_err(database)?;
    Ok(true)
}

/// Removes a submission from the queue; returns the number of earlier attempts.
fn leave(conn: &Connection, waiting: &Waiting, id: &SubmissionId) -> Result<i64> {
    let place = (waiting.form, waiting.submitted_at, id.as_str());
    let is = "WHERE form = ? AND submitted_at = ? AND id = ?";
    conn.prepare_cached(&format!("DELETE FROM insight_queue {is}"))
        .and_then(|mut queued| queued.execute(place))
        .map_err(database)?;
    let tries = conn
        .prepare_cached(&format!("DELETE FROM insight_retries {is} RETURNING tries"))
        .and_then(|mut tried| tried.query_row(place, |row| row.get(0)).optional())
        .map_err(database)?;
    Ok(tries.unwrap_or(0))
}

fn postpone(
    conn: &Connection,
    waiting: &Waiting,
    id: &SubmissionId,
    tries: i64,
    now: Timestamp,
) -> Result<()> {
    conn.prepare_cached(
        "INSERT INTO insight_retries (form, submitted_at, id, tries, due_at)
         VALUES (?, ?, ?, ?, ?)",
    )
    .and_then(|mut later| {
        let due_at = insight_correction::due_at(now, tries);
        later.execute((waiting.form, waiting.submitted_at, id.as_str(), tries + 1, due_at))
    })
    .map(|_| ())
    .map_err(database)
}

/// Returns the actions used on a day.
pub(super) fn used(conn: &Connection, account: &str, environment: &str, day: Day) -> Result<u64> {
    let used: Option<i64> = conn
        .prepare_cached(
            "SELECT used FROM insight_usage WHERE account = ? AND environment = ? AND day = ?",
        )
        .and_then(|mut used| {
            used.query_row((account, environment, day.0), |row| row.get(0)).optional()
        })
        .map_err(database)?;
    count(used.unwrap_or(0))
}

/// Returns the usage of a day and the number of pending submissions of an environment.
pub(super) fn spent(
    conn: &Connection,
    account: &AccountId,
    environment: Environment,
    limit: u64,
    day: Day,
) -> Result<Spent> {
    let (account, environment) = (account.as_str(), environment.as_str());
    let pending: i64 = conn
        .prepare_cached(
            "SELECT COALESCE(SUM(
               (SELECT COUNT(*) FROM insight_queue AS q WHERE q.form = f.seq)
               + (SELECT COUNT(*) FROM insight_retries AS r WHERE r.form = f.seq)), 0)
             FROM forms AS f WHERE f.account = ? AND f.environment = ? AND f.analysis",
        )
        .and_then(|mut sum| sum.query_row((account, environment), |row| row.get(0)))
        .map_err(database)?;
    let used = used(conn, account, environment, day)?;
    Ok(Spent { limit, used, pending: count(pending)? })
}
