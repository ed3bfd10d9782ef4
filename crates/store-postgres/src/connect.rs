//! Connections to PostgreSQL: where to, how many, and how long anything may take.
//!
//! What answers somebody at once, what takes long and the look at the database's health have
//! connections of their own, so that none keeps the others waiting.

use super::address::Address;
use super::left::Left;
use super::replica::{BEHIND_MAX, Replica};
use super::share::{Share, Shares};
use super::{fitness, migrate, tls, trouble};
use crate::trouble::database;
use contract::FormId;
use deadpool_postgres::{
    Client, Hook, HookError, Manager, ManagerConfig, Pool, RecyclingMethod, Runtime,
};
use std::fmt::{self, Debug, Formatter};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;
use std::time::Duration;
use store::{Result, StoreError};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_postgres::config::TargetSessionAttrs;
use tokio_postgres_rustls::MakeRustlsConnect;

/// How long is waited for a connection, whether one is made or becomes free.
pub(super) const CONNECTION_WITHIN: Duration = Duration::from_secs(5);
/// How long a transaction may stand still between two statements.
const IDLE_WITHIN: Duration = Duration::from_secs(30);
/// How long a statement waits for what another one holds.
const LOCK_WITHIN: Duration = Duration::from_secs(10);
/// After so long without use, a connection is asked whether it is still one, and for so long.
const ASKED_AFTER: Duration = Duration::from_secs(1);
const ASKED_WITHIN: Duration = Duration::from_secs(2);
/// A connection is given up when what was sent is not taken within this, or nobody is there.
const TAKEN_WITHIN: Duration = Duration::from_secs(8);
const ALIVE_AFTER: Duration = Duration::from_secs(5);
const ALIVE_EVERY: Duration = Duration::from_secs(1);
const ALIVE_TRIES: u32 = 3;
/// The server looks so often whether the client of a statement is still there (PostgreSQL 14).
const CLIENT_LOOKED_AT_MS: u32 = 5000;
/// How long a statement may take that goes through everything there is: a step of a migration may
/// fill an index, and an import comes to be seen at once.
pub(super) const WHOLE_WITHIN: Duration = Duration::from_hours(6);

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
    /// [`StoreError::Unfit`] with what to do.
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
        if !fitness::knows_letters(&alone.client).await? {
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
                let pool = pool(&replica, authority, setup.connections_max, within, &left)?;
                Some(Replica::new(pool, setup.replica_behind_max))
            }
            None => None,
        };
        let make = |max, within| pool(&address, authority, max, within, &left);
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
        get(&self.quick).await
    }

    /// Returns one for what may take long, and so must not keep others waiting.
    pub(super) async fn get_patient(&self) -> Result<Client> {
        get(&self.patient).await
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
}

/// Returns a connection of a pool, within [`CONNECTION_WITHIN`] whatever happens on the wire.
pub(super) async fn get(pool: &Pool) -> Result<Client> {
    if let Ok(got) = timeout(CONNECTION_WITHIN, pool.get()).await {
        return got.map_err(database);
    }
    // The database may be out of reach in silence: the next call finds no connection of before.
    pool.retain(|_, metrics| metrics.last_used() < ASKED_AFTER);
    Err(trouble::gone("it does not answer in time"))
}

/// Prepares connections to the primary beside all others; none is made yet.
///
/// # Errors
/// An address that is none.
pub(super) fn beside(setup: &Setup, max: usize, within: Duration) -> Result<Pool> {
    let authority = setup.authority.as_deref();
    let mut address = Address::parse(&setup.url, authority.is_some())?;
    address.config.target_session_attrs(TargetSessionAttrs::ReadWrite);
    pool(&address, authority, max, within, &Left::default())
}

fn pool(
    address: &Address,
    authority: Option<&Path>,
    max: usize,
    within: Duration,
    left: &Left,
) -> Result<Pool> {
    let mut config = with_wire_limits(address);
    let given = config.get_options().unwrap_or_default().to_owned();
    // To compile a statement takes longer than it saves, for the largest there is here.
    config.options(format!(
        "{given} -c statement_timeout={} -c lock_timeout={} \
         -c idle_in_transaction_session_timeout={} -c client_connection_check_interval={} \
         -c default_transaction_isolation=read\\ committed -c synchronous_commit=on \
         -c timezone=UTC -c client_min_messages=warning -c jit=off",
        within.as_millis(),
        LOCK_WITHIN.as_millis(),
        IDLE_WITHIN.as_millis(),
        CLIENT_LOOKED_AT_MS,
    ));
    // While a server is at what may take long, it may take nothing for a while.
    config.tcp_user_timeout(TAKEN_WITHIN.max(within / 60));
    let manager = ManagerConfig { recycling_method: RecyclingMethod::Fast };
    let manager = Manager::from_config(config, tls::connector(address.proof, authority)?, manager);
    let left = left.clone();
    Pool::builder(manager)
        .max_size(max)
        .wait_timeout(Some(CONNECTION_WITHIN))
        .create_timeout(Some(CONNECTION_WITHIN))
        .pre_recycle(Hook::async_fn(move |client, metrics| {
            let left = left.clone();
            Box::pin(async move {
                if !left.is_usable(client).await {
                    return Err(HookError::message("a statement was left on it"));
                }
                if metrics.last_used() < ASKED_AFTER {
                    return Ok(());
                }
                let asked = timeout(ASKED_WITHIN, client.simple_query("")).await;
                match asked {
                    Ok(Ok(_)) => Ok(()),
                    Ok(Err(_)) => Err(HookError::message("it ended")),
                    Err(_) => Err(HookError::message("no answer in time")),
                }
            })
        }))
        .runtime(Runtime::Tokio1)
        .build()
        .map_err(database)
}

/// Returns how a database is spoken to, so that a line that went dead is noticed within seconds.
fn with_wire_limits(address: &Address) -> tokio_postgres::Config {
    let mut config = address.config.clone();
    config
        .application_name("sheaf")
        .connect_timeout(CONNECTION_WITHIN)
        .tcp_user_timeout(TAKEN_WITHIN)
        .keepalives_idle(ALIVE_AFTER)
        .keepalives_interval(ALIVE_EVERY)
        .keepalives_retries(ALIVE_TRIES);
    config
}

/// A connection that is of no pool, for the start: it ends with this.
struct Alone {
    client: tokio_postgres::Client,
    speaks: JoinHandle<()>,
}

impl Drop for Alone {
    fn drop(&mut self) {
        self.speaks.abort();
    }
}

impl Alone {
    /// Connects, and looks whether the database is one to be used.
    async fn connect(address: &Address, authority: Option<&Path>) -> Result<Self> {
        let mut config = with_wire_limits(address);
        let given = config.get_options().unwrap_or_default().to_owned();
        // Nothing that an old server does not know: it is to be told that it is old.
        config.options(format!(
            "{given} -c statement_timeout={} -c timezone=UTC -c client_min_messages=warning",
            WHOLE_WITHIN.as_millis(),
        ));
        let unfit = |why: String| StoreError::Unfit(why);
        let connect = config.connect(tls::connector(address.proof, authority)?);
        let (client, connection) = timeout(CONNECTION_WITHIN, connect)
            .await
            .map_err(|_| unfit(trouble::silent(&address.place())))?
            .map_err(|error| unfit(trouble::sentence(address, &error)))?;
        let speaks = tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "the connection to the database ended");
            }
        });
        let alone = Self { client, speaks };
        fitness::check(&alone.client).await?;
        let patience = format!(
            "SET lock_timeout = {}; SET client_connection_check_interval = {CLIENT_LOOKED_AT_MS}",
            LOCK_WITHIN.as_millis(),
        );
        alone.client.batch_execute(&patience).await.map_err(database)?;
        Ok(alone)
    }
}
