//! Pools of connections, and how long anything on a connection may take.

use super::address::Address;
use super::dirty_connections::Left;
use super::fair_share::CONNECTION_WITHIN;
use super::{errors, preflight, tls};
use crate::errors::database;
use deadpool_postgres::{
    Client, Hook, HookError, Manager, ManagerConfig, Pool, RecyclingMethod, Runtime,
};
use std::path::Path;
use std::time::Duration;
use store::{Result, StoreError};
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// How long a transaction may stand still between two statements.
const IDLE_WITHIN: Duration = Duration::from_secs(30);
/// How long a statement waits for what another one holds.
const LOCK_WITHIN: Duration = Duration::from_secs(10);
/// After so long without use, a connection is asked whether it is still one, and for so long.
const ASKED_AFTER: Duration = Duration::from_secs(1);
pub(super) const ASKED_WITHIN: Duration = Duration::from_secs(2);
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

/// Returns a connection of a pool, within [`CONNECTION_WITHIN`] whatever happens on the wire.
pub(super) async fn get(pool: &Pool) -> Result<Client> {
    if let Ok(got) = timeout(CONNECTION_WITHIN, pool.get()).await {
        return got.map_err(database);
    }
    // The database may be out of reach in silence: the next call finds no connection of before.
    pool.retain(|_, metrics| metrics.last_used() < ASKED_AFTER);
    Err(errors::gone("it does not answer in time"))
}

/// Makes a pool; no connection is made yet.
pub(super) fn pool(
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
pub(super) struct Alone {
    pub(super) client: tokio_postgres::Client,
    speaks: JoinHandle<()>,
}

impl Drop for Alone {
    fn drop(&mut self) {
        self.speaks.abort();
    }
}

impl Alone {
    /// Connects, and looks whether the database is one to be used.
    pub(super) async fn connect(address: &Address, authority: Option<&Path>) -> Result<Self> {
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
            .map_err(|_| unfit(errors::silent(&address.place())))?
            .map_err(|error| unfit(errors::sentence(address, &error)))?;
        let speaks = tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "the connection to the database ended");
            }
        });
        let alone = Self { client, speaks };
        preflight::check(&alone.client).await?;
        let patience = format!(
            "SET lock_timeout = {}; SET client_connection_check_interval = {CLIENT_LOOKED_AT_MS}",
            LOCK_WITHIN.as_millis(),
        );
        alone.client.batch_execute(&patience).await.map_err(database)?;
        Ok(alone)
    }
}
