//! Limits that are counted in the database, by functions of its schema: one round trip each.
//!
//! They have their own connections, so that other statements do not delay them.

use super::connect::{self, Setup};
use super::pool;
use super::query::{self, Parameters, read_column};
use async_trait::async_trait;
use deadpool_postgres::{Client, Pool};
use std::time::Duration;
use store::Result;
use store::shared_limits::meter::{
    CounterName, Grant, LeaseRequest, LimitBackend, LimitKind, Settlement, SignInAttempt,
    WINDOWS_MAX, WindowRequest, to_micros,
};
use store::shared_limits::{SharedLimits, SharingOptions};
use store::window::WindowState;
use tokio_postgres::Row;

/// Maximum connections of a process for its limits.
const CONNECTIONS_MAX: usize = 4;
/// Statement timeout. By then the caller has given up, so the database abandons the call.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(1);
/// Statement timeout of a sweep step, which has its own connection.
const STEP_TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum rows per sweep step.
const STEP_ROWS_MAX: i64 = 5000;
/// Minimum interval between the starts of two sweeps, over all instances, in microseconds.
const SWEEP_INTERVAL_US: i64 = 50_000_000;

const ADMIT: &str = "SELECT is_let_in, total, full_s, ready_us, now_us \
                     FROM limit_admit($1, $2, $3, $4, $5)";
const LEASE: &str = "SELECT granted, total, full_s, ready_us, now_us, counted_as, until_us \
                     FROM limit_lease($1, $2, $3, $4, $5, $6, $7)";
const SETTLE: &str = "SELECT limit_settle($1, $2, $3, $4, $5)";
const TRY: &str = "SELECT limit_try($1, $2, $3, $4, $5, $6, $7, $8)";
const FORGET: &str = "DELETE FROM limit_tries WHERE name = $1";
const BEAT: &str = "SELECT limit_beat($1, $2)";
const IS_TURN: &str = "SELECT limit_is_turn($1)";
const SWEEP_WINDOWS: &str = "SELECT last, kept FROM limit_sweep_windows($1, $2, $3, $4)";
const SWEEP_TRIES: &str = "SELECT last, kept FROM limit_sweep_tries($1, $2, $3, $4, $5)";
const CUT: &str = "SELECT tried, since FROM limit_cut($1)";
const SET_FULL: &str = "INSERT INTO limit_rooms VALUES ($1, $2) \
                         ON CONFLICT (kind) DO UPDATE SET is_full = EXCLUDED.is_full";
const FULL_KINDS: &str = "SELECT kind FROM limit_rooms WHERE is_full";

/// Returns limits that are counted in a database. Its schema must exist.
///
/// # Errors
/// An invalid address, or a database that does not answer.
pub async fn shared_limits(setup: &Setup, sharing: SharingOptions) -> Result<SharedLimits> {
    SharedLimits::start(Box::new(PostgresMeter::new(setup)?), sharing).await
}

/// Counts limits in a database.
pub(crate) struct PostgresMeter {
    connections: Pool,
    sweeps: Pool,
    bounds: Bounds,
}

/// Bounds of the stored counts, and settings of their sweeps.
#[derive(Clone, Copy)]
struct Bounds {
    /// Maximum windows of a bounded kind, and maximum counts of sign-in attempts.
    counts_max: i64,
    step_max: i64,
    sweep_interval_us: i64,
    /// The current instant in tests, instead of the database's.
    at_us: Option<i64>,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            counts_max: WINDOWS_MAX.into(),
            step_max: STEP_ROWS_MAX,
            sweep_interval_us: SWEEP_INTERVAL_US,
            at_us: None,
        }
    }
}

impl PostgresMeter {
    /// Creates the pools without connecting. The schema must exist.
    ///
    /// # Errors
    /// An invalid address.
    pub(crate) fn new(setup: &Setup) -> Result<Self> {
        let connections = connect::create_separate_pool(setup, CONNECTIONS_MAX, STATEMENT_TIMEOUT)?;
        let sweeps = connect::create_separate_pool(setup, 1, STEP_TIMEOUT)?;
        Ok(Self { connections, sweeps, bounds: Bounds::default() })
    }

    async fn query_row(&self, sql: &'static str, values: Parameters<'_>) -> Result<Row> {
        query::fetch_one(&pool::get(&self.connections).await?, sql, values).await
    }

    /// Sweeps the windows of a kind, and returns how many are left.
    async fn sweep_windows(&self, conn: &Client, kind: LimitKind) -> Result<i64> {
        let Bounds { step_max, at_us, .. } = self.bounds;
        let mut from = vec![kind as u8];
        let to = [kind as u8 + 1];
        let mut remaining = 0;
        loop {
            let values: Parameters<'_> = &[&from, &to.as_slice(), &step_max, &at_us];
            let row = query::fetch_one(conn, SWEEP_WINDOWS, values).await?;
            remaining += read_column::<i64>(&row, 1)?;
            let Some(last) = read_column(&row, 0)? else { return Ok(remaining) };
            from = next_name(last);
        }
    }

    /// Sweeps the counts of sign-in attempts, including those before a cut, and returns how many
    /// are left.
    async fn sweep_tries(&self, conn: &Client, cut: Option<(i64, i64)>) -> Result<i64> {
        let Bounds { step_max, at_us, .. } = self.bounds;
        let (tried, since) = cut.unzip();
        let mut from = Vec::new();
        let mut remaining = 0;
        loop {
            let values: Parameters<'_> = &[&from, &step_max, &tried, &since, &at_us];
            let row = query::fetch_one(conn, SWEEP_TRIES, values).await?;
            remaining += read_column::<i64>(&row, 1)?;
            let Some(last) = read_column(&row, 0)? else { return Ok(remaining) };
            from = next_name(last);
        }
    }

    /// Sweeps everything in steps.
    async fn sweep_all(&self, conn: &Client) -> Result<()> {
        for kind in LimitKind::WITH_WINDOWS {
            let remaining = self.sweep_windows(conn, kind).await?;
            if kind.is_bounded() {
                let is_full = remaining >= self.bounds.counts_max;
                query::execute(conn, SET_FULL, &[&i32::from(kind as u8), &is_full]).await?;
            }
        }
        let too_many = self.sweep_tries(conn, None).await? - self.bounds.counts_max;
        if too_many > 0
            && let Some(cut) = query::fetch_row(conn, CUT, &[&too_many]).await?
        {
            let cut = read_column::<Option<i64>>(&cut, 0)?.zip(read_column(&cut, 1)?);
            self.sweep_tries(conn, cut).await?;
        }
        Ok(())
    }
}

async fn settle_lease(conn: &Client, lease: &Settlement, at_us: Option<i64>) -> Result<()> {
    let units = |units: u32| i32::try_from(units).unwrap_or(i32::MAX);
    let spent = units(lease.spent);
    let unspent = units(lease.unspent);
    let values: Parameters<'_> = &[&lease.counted_as, &lease.until_us, &spent, &unspent, &at_us];
    query::fetch_one(conn, SETTLE, values).await.map(drop)
}

fn read_grant(row: &Row) -> Result<Grant> {
    let granted: i64 = read_column(row, 0)?;
    Ok(Grant {
        reading: read_reading(row, granted > 0)?,
        units: u32::try_from(granted).unwrap_or(0),
        counted_as: read_column(row, 5)?,
        until_us: read_column::<Option<i64>>(row, 6)?.unwrap_or_default(),
    })
}

/// Reads the columns after the first.
fn read_reading(row: &Row, is_let_in: bool) -> Result<WindowState> {
    let total: i64 = read_column(row, 1)?;
    Ok(WindowState {
        is_admitted: is_let_in,
        count: u32::try_from(total).unwrap_or(u32::MAX),
        full_s: read_column(row, 2)?,
        ready_us: read_column::<Option<i64>>(row, 3)?.unwrap_or_default(),
        now_us: read_column(row, 4)?,
    })
}

/// Returns the first name that can follow `name`.
fn next_name(name: &[u8]) -> Vec<u8> {
    [name, &[0]].concat()
}

#[async_trait]
impl LimitBackend for PostgresMeter {
    fn kind(&self) -> &'static str {
        "PostgreSQL"
    }

    async fn admit(&self, name: &CounterName, ask: WindowRequest) -> Result<WindowState> {
        let window = i64::from(ask.limits.window);
        let burst = i64::from(ask.limits.burst);
        let values: Parameters<'_> =
            &[&name.as_bytes(), &window, &burst, &ask.is_counted, &ask.at_us];
        let row = self.query_row(ADMIT, values).await?;
        read_reading(&row, read_column(&row, 0)?)
    }

    async fn lease(
        &self,
        name: &CounterName,
        ask: LeaseRequest,
        before: Option<&Settlement>,
    ) -> Result<Grant> {
        let conn = pool::get(&self.connections).await?;
        let values: Parameters<'_> = &[
            &name.as_bytes(),
            &i64::from(ask.limits.window),
            &i64::from(ask.limits.burst),
            &i64::from(ask.wanted),
            &i64::from(ask.instances),
            &to_micros(ask.duration),
            &ask.at_us,
        ];
        let Some(before) = before else {
            return read_grant(&query::fetch_one(&conn, LEASE, values).await?);
        };
        let (settled, granted) = tokio::join!(
            // Pipelined: both are sent at once, in this order.
            biased;
            settle_lease(&conn, before, ask.at_us),
            query::fetch_one(&conn, LEASE, values),
        );
        settled.and(read_grant(&granted?))
    }

    async fn settle(&self, lease: &Settlement, at_us: Option<i64>) -> Result<()> {
        settle_lease(&pool::get(&self.connections).await?, lease, at_us).await
    }

    async fn count_attempt(&self, attempt: &SignInAttempt<'_>) -> Result<i64> {
        let rules = attempt.rules;
        let account = attempt.account.map(CounterName::as_bytes);
        let values: Parameters<'_> = &[
            &attempt.address.as_bytes(),
            &i64::from(rules.address_attempts),
            &to_micros(rules.address_window),
            &account,
            &i64::from(rules.free_attempts),
            &to_micros(rules.wait_max),
            &to_micros(rules.forget_after),
            &attempt.at_us,
        ];
        read_column(&self.query_row(TRY, values).await?, 0)
    }

    async fn reset_attempts(&self, account: &CounterName) -> Result<()> {
        let conn = pool::get(&self.connections).await?;
        query::execute(&conn, FORGET, &[&account.as_bytes()]).await.map(drop)
    }

    async fn heartbeat(&self, me: &[u8], alive_us: i64) -> Result<u32> {
        let count: i64 = read_column(&self.query_row(BEAT, &[&me, &alive_us]).await?, 0)?;
        Ok(u32::try_from(count).unwrap_or(u32::MAX))
    }

    async fn sweep(&self) -> Result<Vec<LimitKind>> {
        let conn = pool::get(&self.sweeps).await?;
        let is_turn = query::fetch_one(&conn, IS_TURN, &[&self.bounds.sweep_interval_us]).await?;
        if read_column(&is_turn, 0)? {
            self.sweep_all(&conn).await?;
        }
        let full = query::fetch_rows(&conn, FULL_KINDS, &[]).await?;
        let full = full.iter().map(|row| read_column(row, 0)).collect::<Result<Vec<i32>>>()?;
        let is_full = |kind: &LimitKind| full.contains(&i32::from(*kind as u8));
        Ok(LimitKind::WITH_WINDOWS.into_iter().filter(is_full).collect())
    }
}

#[cfg(test)]
mod lease_tests;
#[cfg(test)]
mod simulation_tests;
#[cfg(test)]
mod sweep_tests;
#[cfg(test)]
mod window_tests;
