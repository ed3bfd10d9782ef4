//! Limits that are counted in the database, by functions of its schema: one round trip each.
//!
//! They have their own connections, so that other statements do not delay them.

use super::connect::{self, Setup};
use super::pool;
use super::query::column;
use crate::errors::database;
use async_trait::async_trait;
use deadpool_postgres::{Client, Pool};
use std::time::Duration;
use store::Result;
use store::shared_limits::meter::{
    Ask, Grant, KEPT_MAX, Kind, LeaseAsk, Meter, Name, Settlement, Try, micros,
};
use store::shared_limits::{SharedLimits, Sharing};
use store::window::Reading;
use tokio_postgres::types::ToSql;

/// Maximum connections of a process for its limits.
const CONNECTIONS_MAX: usize = 4;
/// Statement timeout. By then the caller has given up, so the database abandons the call.
const STATEMENT_WITHIN: Duration = Duration::from_secs(1);
/// Statement timeout of a sweep step, which has its own connection.
const STEP_WITHIN: Duration = Duration::from_secs(30);
/// Maximum rows per sweep step.
const STEP_MAX: i64 = 5000;
/// Minimum interval between the starts of two sweeps, over all instances, in microseconds.
const SWEPT_EVERY_US: i64 = 50_000_000;

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
const NOTE_ROOM: &str = "INSERT INTO limit_rooms VALUES ($1, $2) \
                         ON CONFLICT (kind) DO UPDATE SET is_full = EXCLUDED.is_full";
const FULL: &str = "SELECT kind FROM limit_rooms WHERE is_full";

/// Returns limits that are counted in a database. Its schema must exist.
///
/// # Errors
/// An invalid address, or a database that does not answer.
pub async fn shared_limits(setup: &Setup, sharing: Sharing) -> Result<SharedLimits> {
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
    kept_max: i64,
    step_max: i64,
    swept_every_us: i64,
    /// The current instant in tests, instead of the database's.
    at_us: Option<i64>,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            kept_max: KEPT_MAX.into(),
            step_max: STEP_MAX,
            swept_every_us: SWEPT_EVERY_US,
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
        let connections = connect::beside(setup, CONNECTIONS_MAX, STATEMENT_WITHIN)?;
        let sweeps = connect::beside(setup, 1, STEP_WITHIN)?;
        Ok(Self { connections, sweeps, bounds: Bounds::default() })
    }

    async fn row(&self, sql: &str, values: &[&(dyn ToSql + Sync)]) -> Result<tokio_postgres::Row> {
        row(&pool::get(&self.connections).await?, sql, values).await
    }

    /// Sweeps the windows of a kind, and returns how many are left.
    async fn sweep_windows(&self, conn: &Client, kind: Kind) -> Result<i64> {
        let Bounds { step_max, at_us, .. } = self.bounds;
        let (mut from, to) = (vec![kind as u8], [kind as u8 + 1]);
        let mut left = 0;
        loop {
            let values: &[&(dyn ToSql + Sync)] = &[&from, &to.as_slice(), &step_max, &at_us];
            let row = row(conn, SWEEP_WINDOWS, values).await?;
            left += column::<i64>(&row, 1)?;
            let Some(last) = column(&row, 0)? else { return Ok(left) };
            from = behind(last);
        }
    }

    /// Sweeps the counts of sign-in attempts, including those before a cut, and returns how many
    /// are left.
    async fn sweep_tries(&self, conn: &Client, cut: Option<(i64, i64)>) -> Result<i64> {
        let Bounds { step_max, at_us, .. } = self.bounds;
        let (tried, since) = cut.unzip();
        let (mut from, mut left) = (Vec::new(), 0);
        loop {
            let values: &[&(dyn ToSql + Sync)] = &[&from, &step_max, &tried, &since, &at_us];
            let row = row(conn, SWEEP_TRIES, values).await?;
            left += column::<i64>(&row, 1)?;
            let Some(last) = column(&row, 0)? else { return Ok(left) };
            from = behind(last);
        }
    }

    /// Sweeps everything in steps.
    async fn sweep_all(&self, conn: &Client) -> Result<()> {
        for kind in Kind::OF_WINDOWS {
            let left = self.sweep_windows(conn, kind).await?;
            if kind.is_bounded() {
                let is_full = left >= self.bounds.kept_max;
                let statement = conn.prepare_cached(NOTE_ROOM).await.map_err(database)?;
                let values: &[&(dyn ToSql + Sync)] = &[&i32::from(kind as u8), &is_full];
                conn.execute(&statement, values).await.map_err(database)?;
            }
        }
        let too_many = self.sweep_tries(conn, None).await? - self.bounds.kept_max;
        if too_many > 0 {
            let statement = conn.prepare_cached(CUT).await.map_err(database)?;
            let cut = conn.query_opt(&statement, &[&too_many]).await.map_err(database)?;
            if let Some(cut) = cut {
                let cut = column::<Option<i64>>(&cut, 0)?.zip(column(&cut, 1)?);
                self.sweep_tries(conn, cut).await?;
            }
        }
        Ok(())
    }
}

async fn row(
    conn: &Client,
    sql: &str,
    values: &[&(dyn ToSql + Sync)],
) -> Result<tokio_postgres::Row> {
    let statement = conn.prepare_cached(sql).await.map_err(database)?;
    conn.query_one(&statement, values).await.map_err(database)
}

async fn settle(conn: &Client, lease: &Settlement, at_us: Option<i64>) -> Result<()> {
    let units = |units: u32| i32::try_from(units).unwrap_or(i32::MAX);
    let (spent, unspent) = (units(lease.spent), units(lease.unspent));
    row(conn, SETTLE, &[&lease.counted_as, &lease.until_us, &spent, &unspent, &at_us]).await?;
    Ok(())
}

fn grant(row: &tokio_postgres::Row) -> Result<Grant> {
    let granted: i64 = column(row, 0)?;
    Ok(Grant {
        reading: reading(row, granted > 0)?,
        units: u32::try_from(granted).unwrap_or(0),
        counted_as: column(row, 5)?,
        until_us: column::<Option<i64>>(row, 6)?.unwrap_or_default(),
    })
}

/// Reads the columns after the first.
fn reading(row: &tokio_postgres::Row, is_let_in: bool) -> Result<Reading> {
    let total: i64 = column(row, 1)?;
    Ok(Reading {
        is_let_in,
        count: u32::try_from(total).unwrap_or(u32::MAX),
        full_s: column(row, 2)?,
        ready_us: column::<Option<i64>>(row, 3)?.unwrap_or_default(),
        now_us: column(row, 4)?,
    })
}

/// Returns the first name that can follow `name`.
fn behind(name: &[u8]) -> Vec<u8> {
    [name, &[0]].concat()
}

#[async_trait]
impl Meter for PostgresMeter {
    fn kind(&self) -> &'static str {
        "PostgreSQL"
    }

    async fn admit(&self, name: &Name, ask: Ask) -> Result<Reading> {
        let (window, burst) = (i64::from(ask.limits.window), i64::from(ask.limits.burst));
        let values: &[&(dyn ToSql + Sync)] =
            &[&name.bytes(), &window, &burst, &ask.is_counted, &ask.at_us];
        let row = self.row(ADMIT, values).await?;
        reading(&row, column(&row, 0)?)
    }

    async fn lease(
        &self,
        name: &Name,
        ask: LeaseAsk,
        before: Option<&Settlement>,
    ) -> Result<Grant> {
        let conn = pool::get(&self.connections).await?;
        let values: &[&(dyn ToSql + Sync)] = &[
            &name.bytes(),
            &i64::from(ask.limits.window),
            &i64::from(ask.limits.burst),
            &i64::from(ask.wanted),
            &i64::from(ask.instances),
            &micros(ask.lasts),
            &ask.at_us,
        ];
        let Some(before) = before else { return grant(&row(&conn, LEASE, values).await?) };
        let (settled, granted) = tokio::join!(
            // Pipelined: both are sent at once, in this order.
            biased;
            settle(&conn, before, ask.at_us),
            row(&conn, LEASE, values),
        );
        settled.and(grant(&granted?))
    }

    async fn settle(&self, lease: &Settlement, at_us: Option<i64>) -> Result<()> {
        settle(&pool::get(&self.connections).await?, lease, at_us).await
    }

    async fn try_in(&self, it: &Try<'_>) -> Result<i64> {
        let rules = it.rules;
        let account = it.account.map(Name::bytes);
        let values: &[&(dyn ToSql + Sync)] = &[
            &it.address.bytes(),
            &i64::from(rules.address_tries),
            &micros(rules.address_for),
            &account,
            &i64::from(rules.free_tries),
            &micros(rules.wait_max),
            &micros(rules.forget_after),
            &it.at_us,
        ];
        column(&self.row(TRY, values).await?, 0)
    }

    async fn forget(&self, account: &Name) -> Result<()> {
        let conn = pool::get(&self.connections).await?;
        let statement = conn.prepare_cached(FORGET).await.map_err(database)?;
        conn.execute(&statement, &[&account.bytes()]).await.map_err(database)?;
        Ok(())
    }

    async fn beat(&self, me: &[u8], alive_us: i64) -> Result<u32> {
        let count: i64 = column(&self.row(BEAT, &[&me, &alive_us]).await?, 0)?;
        Ok(u32::try_from(count).unwrap_or(u32::MAX))
    }

    async fn sweep(&self) -> Result<Vec<Kind>> {
        let conn = pool::get(&self.sweeps).await?;
        let is_turn = row(&conn, IS_TURN, &[&self.bounds.swept_every_us]).await?;
        if column(&is_turn, 0)? {
            self.sweep_all(&conn).await?;
        }
        let statement = conn.prepare_cached(FULL).await.map_err(database)?;
        let full = conn.query(&statement, &[]).await.map_err(database)?;
        let full = full.iter().map(|row| column(row, 0)).collect::<Result<Vec<i32>>>()?;
        let is_full = |kind: &Kind| full.contains(&i32::from(*kind as u8));
        Ok(Kind::OF_WINDOWS.into_iter().filter(is_full).collect())
    }
}

#[cfg(test)]
mod lease_tests;
#[cfg(test)]
mod sweep_tests;
#[cfg(test)]
mod three_tests;
#[cfg(test)]
mod window_tests;
