//! Lists submissions to analyse. Forms take turns, and each account and environment is leased to
//! one process at a time.
//!
//! A process takes the lease when it lists submissions, and has it until the results are written.
//! It renews the lease while an analyst is slow. So no submission is analysed twice, and no process
//! exceeds the daily limit. If a process dies, another continues within half a minute.

use super::find_categories;
use crate::query::read_column;
use crate::{forms, query};
use contract::{FormId, Plan};
use deadpool_postgres::{GenericClient, Transaction};
use store::columns::{parse, parse_count, stored_submission};
use store::daily_limits::UtcDay;
use store::insight::{LEASE_S, PendingBatch, PendingQuery, RoundRobin};
use store::{Hash, Result, StoredSubmission};
use tokio_postgres::Row;

/// Maximum forms to try per call. Other processes may just have taken the submissions of a form.
const FORMS_TRIED_MAX: usize = 8;

/// The next form, its account and environment, and their daily limit.
struct NextForm {
    form: FormId,
    turn: RoundRobin,
    account: String,
    environment: String,
    most: u64,
}

/// Lists waiting submissions of the next form that has some and is within its daily limit, and
/// takes the lease. Submissions that the same holder has listed before are listed again.
pub(super) async fn list_pending(
    tx: &Transaction<'_>,
    holder: &Hash,
    query: &PendingQuery,
) -> Result<Option<PendingBatch>> {
    let mut after = query.after;
    for _ in 0..FORMS_TRIED_MAX {
        let Some(next) = find_next_form(tx, holder, query, after).await? else { return Ok(None) };
        if take_lease(tx, holder, &next).await? {
            let rows_max = remaining_budget(tx, query, &next).await?;
            let submissions = list_waiting(tx, &next.form, rows_max, query.now.micros()).await?;
            if !submissions.is_empty() {
                let fields = forms::list_fields(tx, &next.form).await?;
                let turn = next.turn;
                let categories = find_categories(tx, &next.form).await?;
                return Ok(Some(PendingBatch { turn, fields, categories, submissions }));
            }
            release_leases(tx, holder).await?;
        }
        after = next.turn;
    }
    Ok(None)
}

async fn find_next_form(
    tx: &Transaction<'_>,
    holder: &Hash,
    query: &PendingQuery,
    after: RoundRobin,
) -> Result<Option<NextForm>> {
    let plans = Plan::ALL.map(Plan::as_str);
    let limits =
        Plan::ALL.map(|plan| i64::try_from(query.limits.for_plan(plan)).unwrap_or(i64::MAX));
    let day = UtcDay::of(query.now).0;
    let now = query.now.micros();
    let sql = "SELECT f.form_id, f.seq, f.account, f.environment, l.most
               FROM insight_waiting($5) AS waiting (form_id)
               JOIN forms AS f USING (form_id) JOIN accounts AS a ON a.id = f.account
               JOIN unnest($1::TEXT[], $2::BIGINT[]) AS l (plan, most) ON l.plan = a.plan
               LEFT JOIN insight_usage AS u ON u.account = f.account
                 AND u.environment = f.environment AND u.day = $3
               LEFT JOIN insight_leases AS h ON h.account = f.account
                 AND h.environment = f.environment AND h.holder <> $6
                 AND h.leased_until > now()
               WHERE f.analysis AND COALESCE(u.used, 0) < l.most AND h.holder IS NULL
               ORDER BY f.seq <= $4, f.seq LIMIT 1";
    let plans = &plans[..];
    let limits = &limits[..];
    let holder = &holder[..];
    let found =
        query::fetch_row(tx, sql, &[&plans, &limits, &day, &after.0, &now, &holder]).await?;
    let Some(found) = found else { return Ok(None) };
    let form = parse(read_column(&found, 0)?)?;
    let turn = RoundRobin(read_column(&found, 1)?);
    let account = read_column(&found, 2)?;
    let environment = read_column(&found, 3)?;
    Ok(Some(NextForm {
        form,
        turn,
        account,
        environment,
        most: parse_count(read_column(&found, 4)?)?,
    }))
}

/// Takes a lease, unless another holder has it.
async fn take_lease(tx: &Transaction<'_>, holder: &Hash, next: &NextForm) -> Result<bool> {
    let sql = "INSERT INTO insight_leases AS l (account, environment, holder, leased_until)
               VALUES ($1, $2, $3, now() + make_interval(secs => $4::INTEGER))
               ON CONFLICT (account, environment) DO UPDATE
               SET holder = EXCLUDED.holder, leased_until = EXCLUDED.leased_until
               WHERE l.holder = EXCLUDED.holder OR l.leased_until <= now()";
    let account = &next.account;
    let environment = &next.environment;
    let rows = query::execute(tx, sql, &[account, environment, &&holder[..], &LEASE_S]).await?;
    Ok(rows > 0)
}

/// Renews the leases of a holder.
pub(super) async fn renew_leases(conn: &impl GenericClient, holder: &Hash) -> Result<()> {
    let sql = "UPDATE insight_leases SET leased_until = now() + make_interval(secs => $2::INTEGER)
               WHERE holder = $1";
    query::execute(conn, sql, &[&&holder[..], &LEASE_S]).await.map(drop)
}

/// Releases the leases of a holder.
pub(super) async fn release_leases(tx: &Transaction<'_>, holder: &Hash) -> Result<()> {
    let sql = "DELETE FROM insight_leases WHERE holder = $1";
    query::execute(tx, sql, &[&&holder[..]]).await.map(drop)
}

/// Returns how many submissions may be analysed now. The lease, which was taken before, prevents
/// other processes from using the budget.
async fn remaining_budget(
    tx: &Transaction<'_>,
    query: &PendingQuery,
    next: &NextForm,
) -> Result<i64> {
    let sql = "SELECT used FROM insight_usage
               WHERE account = $1 AND environment = $2 AND day = $3";
    let day = UtcDay::of(query.now).0;
    let used = query::fetch_row(tx, sql, &[&next.account, &next.environment, &day]).await?;
    let used = parse_count(used.map_or(Ok(0), |row| read_column(&row, 0))?)?;
    let remaining = usize::try_from(next.most.saturating_sub(used)).unwrap_or(usize::MAX);
    Ok(i64::try_from(remaining.min(query.rows_max)).unwrap_or(i64::MAX))
}

async fn list_waiting(
    tx: &Transaction<'_>,
    form: &FormId,
    rows_max: i64,
    now: i64,
) -> Result<Vec<StoredSubmission>> {
    let form = form.as_str();
    let sql = "SELECT s.submitted_at, s.id, s.json
               FROM insight_queue AS q JOIN submissions AS s USING (form_id, submitted_at, id)
               WHERE q.form_id = $1 ORDER BY q.submitted_at DESC, q.id DESC LIMIT $2";
    let mut found = query::fetch_rows(tx, sql, &[&form, &rows_max]).await?;
    let room = rows_max - i64::try_from(found.len()).unwrap_or(rows_max);
    if room > 0 {
        let sql = "SELECT s.submitted_at, s.id, s.json
                   FROM insight_retries AS q JOIN submissions AS s USING (form_id, submitted_at, id)
                   WHERE q.form_id = $1 AND q.due_at <= $3 ORDER BY q.due_at LIMIT $2";
        found.extend(query::fetch_rows(tx, sql, &[&form, &room, &now]).await?);
    }
    let stored = |row: &Row| {
        stored_submission(read_column(row, 0)?, read_column(row, 1)?, read_column(row, 2)?)
    };
    found.iter().map(stored).collect()
}
