//! Connections to PostgreSQL: where to, how many, and how long anything may take.
//!
//! What answers somebody at once, what takes long and the look at the database's health have
//! connections of their own, so that none keeps the others waiting.

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

/// Which databases are brought to the schema of this binary. Others must have it already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Migrate {
    /// Every database.
    Always,
    /// Databases without an account.
    IfEmpty,
    /// No database.
    Never,
}

/// How a database is reached.
#[derive(Clone)]
pub struct Setup {
    /// `postgres://user:password@host:port/database?sslmode=…`. Never logged.
    pub url: String,
    /// The same of a replica, which reads what may take long. Never logged.
    pub replica_url: Option<String>,
    /// A file of certificates (PEM) of those who alone may vouch for the database.
    pub authority: Option<PathBuf>,
    /// Most connections of this process for what answers at once; a quarter as many, and at least
    /// two, come beside them for what takes long, one that looks at the database's health, and
    /// those of the limits where they are counted here.
    pub connections_max: usize,
    /// How long a statement may take.
    pub statement_within: Duration,
    /// How long a statement of an export, a summary or a portion of an import may take.
    pub long_statement_within: Duration,
    /// Whether the database is brought to the schema of this binary.
    pub migrate: Migrate,
    /// How far the replica may be behind: a read waits so long for it before the primary does it.
    pub replica_behind_max: Duration,
    /// How many bytes of submissions may wait for their commit.
    pub waiting_bytes_max: usize,
}

impl Setup {
    /// Returns what suits most for an address: 16 connections, 30 s for a statement, 10 minutes for
    /// a long one.
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

    /// Checks the addresses and the file of the authority. Does not connect.
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

/// Without the addresses.
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

/// Connections that are made when they are needed, and made anew where they broke.
pub(super) struct Connections {
    pub(super) quick: Pool,
    pub(super) patient: Pool,
    /// What each form may have of those.
    shares: Shares,
    pub(super) watch: Pool,
    pub(super) replica: Option<Replica>,
    /// By which a statement is canceled: of the database, and of the replica.
    pub(super) tls: [MakeRustlsConnect; 2],
    /// Submissions that came in by this process.
    pub(super) taken: AtomicU64,
    pub(super) left: Left,
}

impl Connections {
    /// Connects, brings the database to a schema, or refuses another, and prepares everything else.
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
                "the database knows no letters but those of ASCII: searches for others take long; \
                 move it into one of the locale `C.UTF-8`"
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
                // It is looked at now, so that a wrong address is not found out in a month.
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

    /// Returns a connection that nobody else has.
    pub(super) async fn get(&self) -> Result<Client> {
        pool::get(&self.quick).await
    }

    /// Returns one for what may take long, and so must not keep others waiting.
    pub(super) async fn get_patient(&self) -> Result<Client> {
        pool::get(&self.patient).await
    }

    /// Returns a connection for a request about a form: if it may take long, one of the form's
    /// share of the patient ones.
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

    /// Returns such a one of a form's share.
    pub(super) async fn get_share(&self, form: &FormId) -> Result<(Client, Share)> {
        let share = self.shares.take(form).await?;
        Ok((self.get_patient().await?, share))
    }

    /// Returns a connection of a form's share for a long read, of the replica where that knows all
    /// that the primary has acknowledged until now; and whether it is the replica's.
    pub(super) async fn get_aside(&self, form: &FormId) -> Result<((Client, Share), bool)> {
        let Some(replica) = self.replica.as_ref().filter(|replica| !replica.is_left_alone()) else {
            return Ok((self.get_share(form).await?, false));
        };
        let share = replica.shares.take(form).await?;
        let primary = self.get().await?;
        let statement = primary.prepare_cached("SELECT pg_current_wal_lsn()").await;
        let row = primary.query_one(&statement.map_err(database)?, &[]).await.map_err(database)?;
        let known = column(&row, 0)?;
        drop(primary);
        match replica.get(known).await {
            Ok(Some(client)) => return Ok(((client, share), true)),
            Ok(None) => replica.leave("it is too far behind the primary"),
            Err(error) => replica.leave(&error.to_string()),
        }
        drop(share);
        Ok((self.get_share(form).await?, false))
    }
}

/// Prepares connections to the primary beside all others; none is made yet.
///
/// # Errors
/// An address that is none.
pub(super) fn beside(setup: &Setup, max: usize, within: Duration) -> Result<Pool> {
    let authority = setup.authority.as_deref();
    let mut address = Address::parse(&setup.url, authority.is_some())?;
    address.config.target_session_attrs(TargetSessionAttrs::ReadWrite);
    pool::pool(&address, authority, max, within, &Left::default())
}
