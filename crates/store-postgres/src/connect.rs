//! Connections to PostgreSQL: addresses, pool sizes and timeouts.
//!
//! Short statements, long statements and the health check use separate pools, so that one kind does
//! not wait for another.

use super::address::Address;
use super::dirty_connections::DirtyConnections;
use super::fair_share::{FairShares, SharePermit};
use super::pool::{self, SingleConnection, TEST_TIMEOUT};
use super::query::read_column;
use super::replica::{REPLICA_LAG_MAX, Replica};
use super::{migrate, preflight, tls};
use crate::errors::database_error;
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
    pub ca_file: Option<PathBuf>,
    /// Maximum connections of this process for short statements. In addition there are a quarter as
    /// many (at least two) for long statements, one for health checks, and those of the limits if
    /// this database counts them.
    pub connections_max: usize,
    /// Timeout of a short statement.
    pub statement_timeout: Duration,
    /// Timeout of a statement of an export, a summary or one piece of an import.
    pub long_statement_timeout: Duration,
    /// Whether to migrate the database to the schema of this binary.
    pub migrate: Migrate,
    /// How far the replica may lag. A read waits at most this long for it, then uses the primary.
    pub replica_lag_max: Duration,
    /// Maximum bytes of submissions that wait for their commit.
    pub waiting_bytes_max: usize,
    /// Maximum bytes of cached answers, for lists that are filtered by field.
    pub answer_bytes_max: usize,
}

impl Setup {
    /// Returns the defaults for an address: 16 connections, 30 s for a statement, 10 minutes for a
    /// long statement.
    pub fn with_defaults(url: &str) -> Self {
        Self {
            url: url.to_owned(),
            replica_url: None,
            ca_file: None,
            connections_max: 16,
            statement_timeout: Duration::from_secs(30),
            long_statement_timeout: Duration::from_mins(10),
            migrate: Migrate::Always,
            replica_lag_max: REPLICA_LAG_MAX,
            waiting_bytes_max: 64 << 20,
            answer_bytes_max: 256 << 20,
        }
    }

    /// Checks the addresses and the CA file. Does not connect.
    ///
    /// # Errors
    /// [`StoreError::Unusable`](store::StoreError::Unusable) with what to do.
    pub fn check(&self) -> Result<()> {
        let authority = self.ca_file.as_deref();
        for url in std::iter::once(&self.url).chain(&self.replica_url) {
            let address = Address::parse(url, authority.is_some())?;
            tls::create_connector(address.verification, authority)?;
        }
        Ok(())
    }
}

/// Omits the addresses, which contain passwords.
impl Debug for Setup {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let Self {
            connections_max,
            statement_timeout: statement_within,
            long_statement_timeout: long_statement_within,
            ..
        } = self;
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
    pub(super) short_pool: Pool,
    pub(super) long_pool: Pool,
    /// Limits the connections of `long_pool` that each form may use.
    shares: FairShares,
    pub(super) health_pool: Pool,
    pub(super) replica: Option<Replica>,
    /// Connectors for cancel requests: to the primary, and to the replica.
    pub(super) cancel_connectors: [MakeRustlsConnect; 2],
    /// Submissions that were inserted by this process.
    pub(super) submissions_inserted: AtomicU64,
    /// Whether answers are cached. The row versions of distributed tables are not used.
    pub(super) caches_answers: bool,
    pub(super) dirty: DirtyConnections,
}

impl Connections {
    /// Connects, migrates the database or checks its schema, and prepares the pools.
    ///
    /// # Errors
    /// [`StoreError::Unusable`] with what to do.
    pub(super) async fn open(setup: &Setup, steps: &[migrate::Migration]) -> Result<Self> {
        let authority = setup.ca_file.as_deref();
        let mut address = Address::parse(&setup.url, authority.is_some())?;
        address.config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        let replica = setup.replica_url.as_deref();
        let replica = replica.map(|url| Address::parse(url, authority.is_some())).transpose()?;
        let mut alone = SingleConnection::connect(&address, authority).await?;
        let migrates = match setup.migrate {
            Migrate::Always => true,
            Migrate::IfEmpty => migrate::is_empty(&mut alone.client, steps).await?,
            Migrate::Never => false,
        };
        if migrates {
            migrate::migrate(&mut alone.client, steps).await?;
        } else {
            migrate::check_schema(&mut alone.client, steps).await?;
        }
        if !preflight::has_unicode_letters(&alone.client).await? {
            tracing::warn!(
                "the database classifies only ASCII characters as letters, so other searches are \
                 slow; move the data to a database with the locale `C.UTF-8`"
            );
        }
        let caches_answers = !preflight::may_be_distributed(&alone.client).await?;
        drop(alone);
        let long = (setup.connections_max / 4).max(2);
        let long_timeout = setup.long_statement_timeout;
        let own_tls = tls::create_connector(address.verification, authority)?;
        let replica_verification =
            replica.as_ref().map_or(address.verification, |replica| replica.verification);
        let tls = [own_tls, tls::create_connector(replica_verification, authority)?];
        let dirty = DirtyConnections::default();
        let replica = match replica {
            Some(replica) => {
                // Connect to the replica now, so that a wrong address is reported at startup.
                drop(SingleConnection::connect(&replica, authority).await?);
                let pool = pool::create_pool(
                    &replica,
                    authority,
                    setup.connections_max,
                    long_timeout,
                    &dirty,
                )?;
                Some(Replica::new(pool, setup.replica_lag_max))
            }
            None => None,
        };
        let make = |max, timeout| pool::create_pool(&address, authority, max, timeout, &dirty);
        Ok(Self {
            short_pool: make(setup.connections_max, setup.statement_timeout)?,
            long_pool: make(long, long_timeout)?,
            shares: FairShares::new(long),
            health_pool: make(1, TEST_TIMEOUT)?,
            replica,
            cancel_connectors: tls,
            submissions_inserted: AtomicU64::new(0),
            caches_answers,
            dirty,
        })
    }

    /// Returns a connection for short statements.
    pub(super) async fn get(&self) -> Result<Client> {
        pool::get(&self.short_pool).await
    }

    /// Returns a connection for long statements, which must not delay short ones.
    pub(super) async fn get_long(&self) -> Result<Client> {
        pool::get(&self.long_pool).await
    }

    /// Returns a connection for a request about a form. If the request may take long, the
    /// connection is for long statements and counts towards the form's share.
    pub(super) async fn get_for_form(
        &self,
        form: &FormId,
        is_long: bool,
    ) -> Result<(Client, Option<SharePermit>)> {
        if is_long {
            let (conn, share) = self.get_long_for_form(form).await?;
            return Ok((conn, Some(share)));
        }
        Ok((self.get().await?, None))
    }

    /// Returns a connection for long statements within the form's share.
    pub(super) async fn get_long_for_form(&self, form: &FormId) -> Result<(Client, SharePermit)> {
        let share = self.shares.acquire(form).await?;
        Ok((self.get_long().await?, share))
    }

    /// Returns a connection for a long read of a form, and whether it is to the replica. The
    /// replica is used only if it has replayed everything that the primary has acknowledged so far.
    pub(super) async fn get_for_long_read(
        &self,
        form: &FormId,
    ) -> Result<((Client, SharePermit), bool)> {
        let Some(replica) = self.replica.as_ref().filter(|replica| !replica.is_disabled()) else {
            return Ok((self.get_long_for_form(form).await?, false));
        };
        let share = replica.shares.acquire(form).await?;
        // A read must see every acknowledged write, so the replica must reach this WAL position.
        let primary = self.get().await?;
        let statement = primary.prepare_cached("SELECT pg_current_wal_lsn()").await;
        let row = primary
            .query_one(&statement.map_err(database_error)?, &[])
            .await
            .map_err(database_error)?;
        let known = read_column(&row, 0)?;
        drop(primary);
        match replica.get(known).await {
            Ok(Some(client)) => return Ok(((client, share), true)),
            Ok(None) => replica.disable("it lags too far behind the primary"),
            Err(error) => replica.disable(&error.to_string()),
        }
        drop(share);
        Ok((self.get_long_for_form(form).await?, false))
    }
}

/// Creates a separate pool of connections to the primary. Does not connect.
///
/// # Errors
/// An invalid address.
pub(super) fn create_separate_pool(setup: &Setup, max: usize, within: Duration) -> Result<Pool> {
    let authority = setup.ca_file.as_deref();
    let mut address = Address::parse(&setup.url, authority.is_some())?;
    address.config.target_session_attrs(TargetSessionAttrs::ReadWrite);
    pool::create_pool(&address, authority, max, within, &DirtyConnections::default())
}
