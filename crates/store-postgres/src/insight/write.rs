//! Writes analysis results and counts usage in the same transaction. So usage is neither lost nor
//! counted twice, even if a process is killed or several processes write at once.

use super::correct::{self, SubmissionKey};
use crate::query::read_column;
use crate::{live, outbox, query};
use contract::insight::InsightQuota;
use contract::live::ChangeKind;
use contract::webhook::WebhookEvent;
use contract::{AccountId, Environment, Insight, Plan, Timestamp};
use deadpool_postgres::{GenericClient, Transaction};
use std::collections::{BTreeMap, HashMap};
use store::Result;
use store::columns::{parse, parse_count};
use store::daily_limits::{DailyLimits, UtcDay};
use store::insight::AnalysisOutcome;
use store::insight_correction::{self, USAGE_RETENTION_DAYS};

/// An account and an environment, which share a daily limit.
type BudgetKey = (String, String);

/// A submission that waits: its form and key, and its owner.
struct WaitingSubmission {
    form: String,
    place: SubmissionKey,
    payer: BudgetKey,
    plan: Plan,
}

/// Writes outcomes, and returns the number of insights written.
pub(super) async fn insert(
    tx: &Transaction<'_>,
    outcomes: &[AnalysisOutcome],
    limits: &DailyLimits,
    now: Timestamp,
) -> Result<u64> {
    let mut waiting = lock_submissions(tx, outcomes).await?;
    let day = UtcDay::of(now);
    let mut spent = UsageLedger::lock_usage(tx, outcomes, &waiting, day).await?;
    let mut forms: BTreeMap<String, FormOutcomes<'_>> = BTreeMap::new();
    for outcome in outcomes {
        let id = outcome.id.as_str();
        let Some(it) = waiting.get(id) else { continue };
        if !spent.try_spend(&it.payer, outcome.actions, limits.for_plan(it.plan)) {
            continue;
        }
        // Removed, so that a second outcome of the same submission is ignored.
        let Some(it) = waiting.remove(id) else { continue };
        let done = forms.entry(it.form).or_default();
        match &outcome.insight {
            Some(insight) => done.found.push((it.place, insight)),
            None => done.failed.push(it.place),
        }
    }
    spent.write_usage(tx, day).await?;
    let mut written = 0;
    for (form, FormOutcomes { found, failed }) in &forms {
        let finished: Vec<&SubmissionKey> =
            found.iter().map(|entry| &entry.0).chain(failed).collect();
        let tries = remove_from_queue(tx, form, &finished).await?;
        queue_retries(tx, form, failed, &tries, now).await?;
        correct::write_results(tx, form, found).await?;
        let at: Vec<i64> = found.iter().map(|entry| entry.0.submitted_at).collect();
        let ids: Vec<&str> = found.iter().map(|entry| entry.0.id.as_str()).collect();
        let event = WebhookEvent::Analyzed;
        outbox::enqueue(tx, form, event, now.micros(), &at, &ids).await?;
        if !ids.is_empty() {
            live::notify(tx, form, ChangeKind::Analyzed, &ids).await?;
        }
        written += found.len() as u64;
    }
    Ok(written)
}

/// Outcomes of one form's submissions.
#[derive(Default)]
struct FormOutcomes<'o> {
    found: Vec<(SubmissionKey, &'o Insight)>,
    failed: Vec<SubmissionKey>,
}

/// Locks the submissions of the outcomes, and returns those that still wait.
async fn lock_submissions(
    tx: &Transaction<'_>,
    outcomes: &[AnalysisOutcome],
) -> Result<HashMap<String, WaitingSubmission>> {
    let ids: Vec<&str> = outcomes.iter().map(|outcome| outcome.id.as_str()).collect();
    let mut waiting = HashMap::new();
    // One form at a time: if forms are distributed over machines, rows can be locked only within
    // one.
    let sql = "SELECT DISTINCT form_id FROM submissions WHERE id = ANY($1) ORDER BY form_id";
    for form in query::fetch_rows(tx, sql, &[&ids]).await? {
        let form: &str = read_column(&form, 0)?;
        let sql = "SELECT 1 FROM submissions WHERE form_id = $1 AND id = ANY($2)
                   ORDER BY submitted_at, id FOR NO KEY UPDATE";
        query::fetch_rows(tx, sql, &[&form, &ids]).await?;
        // Read after the submissions are locked, because another process may have written them.
        let sql = "WITH f AS MATERIALIZED (
                     SELECT f.account, f.environment, a.plan
                     FROM forms AS f JOIN accounts AS a ON a.id = f.account
                     WHERE f.form_id = $1 AND f.analysis)
                   SELECT s.submitted_at, s.id, s.json, f.account, f.environment, f.plan
                   FROM submissions AS s CROSS JOIN f
                   WHERE s.form_id = $1 AND s.id = ANY($2) AND (
                     EXISTS (SELECT 1 FROM insight_queue AS q WHERE q.form_id = $1
                       AND q.submitted_at = s.submitted_at AND q.id = s.id)
                     OR EXISTS (SELECT 1 FROM insight_retries AS q WHERE q.form_id = $1
                       AND q.submitted_at = s.submitted_at AND q.id = s.id))";
        for row in query::fetch_rows(tx, sql, &[&form, &ids]).await? {
            let place = SubmissionKey::from_row(&row)?;
            let payer = (read_column(&row, 3)?, read_column(&row, 4)?);
            let form = form.to_owned();
            let plan = parse(read_column(&row, 5)?)?;
            waiting.insert(place.id.clone(), WaitingSubmission { form, place, payer, plan });
        }
    }
    Ok(waiting)
}

/// Usage of a day: before this transaction, and added by it.
#[derive(Default)]
struct UsageLedger(BTreeMap<BudgetKey, (u64, u64)>);

impl UsageLedger {
    /// Locks the usage of all payers with outcomes that cost actions.
    async fn lock_usage(
        tx: &Transaction<'_>,
        outcomes: &[AnalysisOutcome],
        waiting: &HashMap<String, WaitingSubmission>,
        day: UtcDay,
    ) -> Result<Self> {
        let costly = outcomes.iter().filter(|outcome| outcome.actions > 0);
        let payers = costly
            .filter_map(|insight| waiting.get(insight.id.as_str()).map(|insight| &insight.payer));
        let payers: BTreeMap<_, _> = payers.map(|payer| (payer.clone(), (0, 0))).collect();
        let mut ledger = Self(payers);
        if ledger.0.is_empty() {
            return Ok(ledger);
        }
        let accounts: Vec<&str> = ledger.0.keys().map(|payer| payer.0.as_str()).collect();
        let environments: Vec<&str> = ledger.0.keys().map(|payer| payer.1.as_str()).collect();
        let sql = "INSERT INTO insight_usage AS u (account, environment, day, used)
                   SELECT n.account, n.environment, $3, 0
                   FROM unnest($1::TEXT[], $2::TEXT[]) AS n (account, environment)
                   ON CONFLICT (account, environment, day) DO UPDATE SET used = u.used
                   RETURNING account, environment, used";
        let rows = query::fetch_rows(tx, sql, &[&accounts, &environments, &day.0]).await?;
        for row in rows {
            let payer = (read_column(&row, 0)?, read_column(&row, 1)?);
            ledger.0.insert(payer, (parse_count(read_column(&row, 2)?)?, 0));
        }
        Ok(ledger)
    }

    /// Counts actions and returns `true`, unless they would exceed the daily limit.
    fn try_spend(&mut self, payer: &BudgetKey, actions: u64, limit: u64) -> bool {
        if actions == 0 {
            return true;
        }
        let Some((before, now)) = self.0.get_mut(payer) else { return false };
        let is_within = before.saturating_add(*now).saturating_add(actions) <= limit;
        *now += if is_within { actions } else { 0 };
        is_within
    }

    async fn write_usage(&self, tx: &Transaction<'_>, day: UtcDay) -> Result<()> {
        let spent = || self.0.iter().filter(|(_, (_, now))| *now > 0);
        let accounts: Vec<&str> = spent().map(|(payer, _)| payer.0.as_str()).collect();
        let environments: Vec<&str> = spent().map(|(payer, _)| payer.1.as_str()).collect();
        let now = spent().map(|(_, (_, now))| i64::try_from(*now).unwrap_or(i64::MAX));
        let now: Vec<i64> = now.collect();
        if now.is_empty() {
            return Ok(());
        }
        let sql = "UPDATE insight_usage AS u SET used = u.used + n.used
                   FROM unnest($1::TEXT[], $2::TEXT[], $3::BIGINT[])
                     AS n (account, environment, used)
                   WHERE u.account = n.account AND u.environment = n.environment AND u.day = $4";
        query::execute(tx, sql, &[&accounts, &environments, &now, &day.0]).await?;
        if spent().any(|(_, (before, _))| *before == 0) {
            // Other processes may delete the same rows. `SKIP LOCKED` avoids waiting for them.
            let sql = "DELETE FROM insight_usage WHERE (account, environment, day) IN (
                         SELECT account, environment, day FROM insight_usage
                         WHERE account = ANY($1) AND day < $2 FOR UPDATE SKIP LOCKED)";
            query::execute(tx, sql, &[&accounts, &(day.0 - USAGE_RETENTION_DAYS)]).await?;
        }
        Ok(())
    }
}

/// Removes submissions of a form from the queue, and returns the number of earlier attempts.
async fn remove_from_queue(
    tx: &Transaction<'_>,
    form: &str,
    places: &[&SubmissionKey],
) -> Result<HashMap<String, i64>> {
    let at: Vec<i64> = places.iter().map(|place| place.submitted_at).collect();
    let ids: Vec<&str> = places.iter().map(|place| place.id.as_str()).collect();
    let sql = "DELETE FROM insight_queue AS q
               USING unnest($2::BIGINT[], $3::TEXT[]) AS n (submitted_at, id)
               WHERE q.form_id = $1 AND q.submitted_at = n.submitted_at AND q.id = n.id";
    query::execute(tx, sql, &[&form, &at, &ids]).await?;
    let sql = "DELETE FROM insight_retries AS q
               USING unnest($2::BIGINT[], $3::TEXT[]) AS n (submitted_at, id)
               WHERE q.form_id = $1 AND q.submitted_at = n.submitted_at AND q.id = n.id
               RETURNING q.id, q.tries";
    let tried = query::fetch_rows(tx, sql, &[&form, &at, &ids]).await?;
    tried.iter().map(|row| Ok((read_column(row, 0)?, read_column(row, 1)?))).collect()
}

async fn queue_retries(
    tx: &Transaction<'_>,
    form: &str,
    places: &[SubmissionKey],
    tries: &HashMap<String, i64>,
    now: Timestamp,
) -> Result<()> {
    if places.is_empty() {
        return Ok(());
    }
    let at: Vec<i64> = places.iter().map(|place| place.submitted_at).collect();
    let ids: Vec<&str> = places.iter().map(|place| place.id.as_str()).collect();
    let tries = places.iter().map(|place| tries.get(&place.id).copied().unwrap_or(0));
    let tries: Vec<i64> = tries.collect();
    let due_at: Vec<i64> =
        tries.iter().map(|tries| insight_correction::retry_at(now, *tries)).collect();
    let tries: Vec<i64> = tries.iter().map(|tries| tries + 1).collect();
    let sql = "INSERT INTO insight_retries (form_id, submitted_at, id, tries, due_at)
               SELECT $1, * FROM unnest($2::BIGINT[], $3::TEXT[], $4::BIGINT[], $5::BIGINT[])";
    query::execute(tx, sql, &[&form, &at, &ids, &tries, &due_at]).await.map(drop)
}

/// Returns the usage of an account's environment on a day, and the number of waiting submissions.
pub(super) async fn find_usage(
    conn: &impl GenericClient,
    account: &AccountId,
    environment: Environment,
    limit: u64,
    day: UtcDay,
) -> Result<InsightQuota> {
    let account = account.as_str();
    let environment = environment.as_str();
    let sql = "SELECT
                 COALESCE((SELECT used FROM insight_usage
                   WHERE account = $1 AND environment = $2 AND day = $3), 0),
                 (SELECT COUNT(*) FROM insight_queue WHERE form_id = ANY(ARRAY(
                   SELECT form_id FROM forms
                   WHERE account = $1 AND environment = $2 AND analysis)))
                 + (SELECT COUNT(*) FROM insight_retries WHERE form_id = ANY(ARRAY(
                   SELECT form_id FROM forms
                   WHERE account = $1 AND environment = $2 AND analysis)))";
    let found = query::fetch_one(conn, sql, &[&account, &environment, &day.0]).await?;
    Ok(InsightQuota {
        limit,
        used: parse_count(read_column(&found, 0)?)?,
        pending: parse_count(read_column(&found, 1)?)?,
    })
}
