//! Connections to PostgreSQL: addresses, pool sizes and timeouts.
//!
//! Short statements, long statements and the health check use separate pools, so that one kind does
//! not wait for another.

use super::address::Address;
use super::dirty_connections::Left;
use super::fair_share::{Share, Shares};
use super::pool::{self, ASKED_WITHIN, Alone};
use super::query::column;
use super::replica::{BEHIND_MAX, Replica};
use super::{migrate, preflight, tls};
use crate::errors::database;
use contract::FormId;
use deadpool_postgres::{Client, Pool};
use std::fmt::{self, Debug, Formatter};
use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::time::Duration;
use store::Result;
use tokio_postgres::config::TargetSessionAttrs;
use tokio_postgres_rustls::MakeRustlsConnect;

/// Which databases are migrated to the schema of this binary. The rest must already have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Migrate {
    /// Every database.
    Always,
    /// Databases without an account.
    IfEmpty,
    /// No database.
    Never,
}

/// Connection settings of a database.
#[derive(Clone)]
pub struct Setup {
    /// `postgres://user:password@host:port/database?sslmode=…`. Never logged.
    pub url: String,
    /// Address of a replica for long reads, in the same format. Never logged.
    pub replica_url: Option<String>,
    /// File of CA certificates (PEM). If set, only these are trusted for the database.
    pub authority: Option<PathBuf>,
    /// Maximum connections of this process for short statements. In addition there are a quarter as
    /// many (at least two) for long statements, one for health checks, and those of the limits if
    /// this database counts them.
    pub connections_max: usize,
    /// Timeout of a short statement.
    pub statement_within: Duration,
    /// Timeout of a statement of an export, a summary or one piece of an import.
    pub long_statement_within: Duration,
    /// Whether to migrate the database to the schema of this binary.
    pub migrate: Migrate,
    /// How far the replica may lag. A read waits at most this long for it, then uses the primary.
    pub replica_behind_max: Duration,
    /// Maximum bytes of submissions that wait for their commit.
    pub waiting_bytes_max: usize,
}

impl Setup {
    /// Returns the defaults for an address: 16 connections, 30 s for a statement, 10 minutes for a
    /// long statement.
    pub fn of(url: &str) -> Self {
        Self {
            url: url.to_owned(),
            replica_url: None,
            authority: None,
            connections_max: 16,
            statement_within: Duration::from_secs(30),
            long_statement_within: Duration::from_mins(10),
            migrate: Migrate::Always,
            replica_behind_max: BEHIND_MAX,
            waiting_bytes_max: 64 << 20,
        }
    }

    /// Checks the addresses and the CA file. Does not connect.
    ///
    /// # Errors
    /// [`StoreError::Unfit`](store::StoreError::Unfit) with what to do.
    pub fn check(&self) -> Result<()> {
        let authority = self.authority.as_deref();
        for url in std::iter::once(&self.url).chain(&self.replica_url) {
            let address = Address::parse(url, authority.is_some())?;
            tls::connector(address.proof, authority)?;
        }
        Ok(())
    }
}

/// Omits the addresses, which contain passwords.
impl Debug for Setup {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let Self { connections_max, statement_within, long_statement_within, .. } = self;
        formatter
            .debug_struct("Setup")
            .field("connections_max", connections_max)
            .field("statement_within", statement_within)
            .field("long_statement_within", long_statement_within)
            .finish_non_exhaustive()
    }
}

/// The connection pools of a store. Connections open on demand, and broken ones are replaced.
pub(super) struct Connections {
    pub(super) quick: Pool,
    pub(super) patient: Pool,
    /// Limits the connections of `patient` that each form may use.
    shares: Shares,
    pub(super) watch: Pool,
    pub(super) replica: Option<Replica>,
    /// Connectors for cancel requests: to the primary, and to the replica.
    pub(super) tls: [MakeRustlsConnect; 2],
    /// Submissions that were inserted by this process.
    pub(super) taken: AtomicU64,
    pub(super) left: Left,
}

impl Connections {
    /// Connects, migrates the database or checks its schema, and prepares the pools.
    ///
    /// # Errors
    /// [`StoreError::Unfit`] with what to do.
    pub(super) async fn open(setup: &Setup, steps: &[migrate::Migration]) -> Result<Self> {
        let authority = setup.authority.as_deref();
        let mut address = Address::parse(&setup.url, authority.is_some())?;
        address.config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        let replica = setup.replica_url.as_deref();
        let replica = replica.map(|url| Address::parse(url, authority.is_some())).transpose()?;
        let mut alone = Alone::connect(&address, authority).await?;
        let migrates = match setup.migrate {
            Migrate::Always => true,
            Migrate::IfEmpty => migrate::is_empty(&mut alone.client, steps).await?,
            Migrate::Never => false,
        };
        if migrates {
            migrate::migrate(&mut alone.client, steps).await?;
        } else {
            migrate::compare(&mut alone.client, steps).await?;
        }
        if !preflight::knows_letters(&alone.client).await? {
            tracing::warn!(
                "the database classifies only ASCII characters as letters, so other searches are \
                 slow; move the data to a database with the locale `C.UTF-8`"
            );
        }
        drop(alone);
        let (long, within) = ((setup.connections_max / 4).max(2), setup.long_statement_within);
        let own_tls = tls::connector(address.proof, authority)?;
        let its_proof = replica.as_ref().map_or(address.proof, |replica| replica.proof);
        let tls = [own_tls, tls::connector(its_proof, authority)?];
        let left = Left::default();
        let replica = match replica {
            Some(replica) => {
                // Connect to the replica now, so that a wrong address is reported at startup.
                drop(Alone::connect(&replica, authority).await?);
                let pool = pool::pool(&replica, authority, setup.connections_max, within, &left)?;
                Some(Replica::new(pool, setup.replica_behind_max))
            }
            None => None,
        };
        let make = |max, within| pool::pool(&address, authority, max, within, &left);
        Ok(Self {
            quick: make(setup.connections_max, setup.statement_within)?,
            patient: make(long, within)?,
            shares: Shares::of(long),
            watch: make(1, ASKED_WITHIN)?,
            replica,
            tls,
            taken: AtomicU64::new(0),
            left,
        })
    }

    /// Returns a connection for short statements.
    pub(super) async fn get(&self) -> Result<Client> {
        pool::get(&self.quick).await
    }

    /// Returns a connection for long statements, which must not delay short ones.
    pub(super) async fn get_patient(&self) -> Result<Client> {
        pool::get(&self.patient).await
    }

    /// Returns a connection for a request about a form. If the request may take long, the
    /// connection is for long statements and counts towards the form's share.
    pub(super) async fn get_for(
        &self,
        form: &FormId,
        is_long: bool,
    ) -> Result<(Client, Option<Share>)> {
        if is_long {
            let (conn, share) = self.get_share(form).await?;
            return Ok((conn, Some(share)));
        }
        Ok((self.get().await?, None))
    }

    /// Returns a connection for long statements within the form's share.
    pub(super) async fn get_share(&self, form: &FormId) -> Result<(Client, Share)> {
        let share = self.shares.take(form).await?;
        Ok((self.get_patient().await?, share))
    }

    /// Returns a connection for a long read of a form, and whether it is to the replica. The
    /// replica is used only if it has replayed everything that the primary has acknowledged so far.
    pub(super) async fn get_aside(&self, form: &FormId) -> Result<((Client, Share), bool)> {
        let Some(replica) = self.replica.as_ref().filter(|replica| !replica.is_left_alone()) else {
            return Ok((self.get_share(form).await?, false));
        };
        let share = replica.shares.take(form).await?;
        // A read must see every acknowledged write, so the replica must reach this WAL position.
        let primary = self.get().await?;
        let statement = primary.prepare_cached("SELECT pg_current_wal_lsn()").await;
        let row = primary.query_one(&statement.map_err(database)?, &[]).await.map_err(database)?;
        let known = column(&row, 0)?;
        drop(primary);
        match replica.get(known).await {
            Ok(Some(client)) => return Ok(((client, share), true)),
            Ok(None) => replica.leave("it lags too far behind the primary"),
            Err(error) => replica.leave(&error.to_string()),
        }
        drop(share);
        Ok((self.get_share(form).await?, false))
    }
}

/// Creates a separate pool of connections to the primary. Does not connect.
///
/// # Errors
/// An invalid address.
pub(super) fn beside(setup: &Setup, max: usize, within: Duration) -> Result<Pool> {
    let authority = setup.authority.as_deref();
    let mut address = Address::parse(&setup.url, authority.is_some())?;
    address.config.target_session_attrs(TargetSessionAttrs::ReadWrite);
    pool::pool(&address, authority, max, within, &Left::default())
}
