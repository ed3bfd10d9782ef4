//! Connection pools, and the timeouts of connections and statements.

use super::address::Address;
use super::dirty_connections::DirtyConnections;
use super::fair_share::CONNECTION_TIMEOUT;
use super::{errors, preflight, tls};
use crate::errors::database_error;
use deadpool_postgres::{
    Client, Hook, HookError, Manager, ManagerConfig, Pool, RecyclingMethod, Runtime,
};
use std::path::Path;
use std::time::Duration;
use store::{Result, StoreError};
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// Maximum idle time between two statements of a transaction.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum time that a statement waits for a lock.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);
/// A pooled connection that was idle for longer is tested before use.
const TEST_AFTER_IDLE: Duration = Duration::from_secs(1);
/// Timeout of this test and of health checks.
pub(super) const TEST_TIMEOUT: Duration = Duration::from_secs(2);
/// A connection fails if sent data is not acknowledged for this long.
const TCP_USER_TIMEOUT: Duration = Duration::from_secs(8);
/// TCP keepalive: idle time before the first probe, interval and number of probes.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(5);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(1);
const KEEPALIVE_PROBES: u32 = 3;
/// How often the server checks that the client of a running statement is still connected
/// (PostgreSQL 14).
const CLIENT_CHECK_INTERVAL_MS: u32 = 5000;
/// Timeout of a statement that processes all rows: a migration may build an index, and the end of
/// an import moves all its rows.
pub(super) const WHOLE_TABLE_TIMEOUT: Duration = Duration::from_hours(6);

/// Returns a connection of a pool.
///
/// # Errors
/// Fails if no connection can be opened, and at the latest after [`CONNECTION_TIMEOUT`].
pub(super) async fn get(pool: &Pool) -> Result<Client> {
    if let Ok(got) = timeout(CONNECTION_TIMEOUT, pool.get()).await {
        return got.map_err(database_error);
    }
    // The network may drop packets silently, so idle connections may be dead. Close them: the next
    // call then opens a new one instead of testing each of them.
    pool.retain(|_, metrics| metrics.last_used() < TEST_AFTER_IDLE);
    Err(errors::unavailable("no connection in time"))
}

/// Creates a pool. Does not connect.
///
/// `authority` is a file of CA certificates that replaces the public ones. `statement_timeout`
/// applies to every statement of the pool. Connections in `dirty` are tested before reuse.
pub(super) fn create_pool(
    address: &Address,
    authority: Option<&Path>,
    connections_max: usize,
    statement_timeout: Duration,
    dirty: &DirtyConnections,
) -> Result<Pool> {
    let mut config = with_network_timeouts(address);
    let options = config.get_options().unwrap_or_default().to_owned();
    // JIT is off: compiling takes longer than it saves, even for the largest statements here.
    config.options(format!(
        "{options} -c statement_timeout={} -c lock_timeout={} \
         -c idle_in_transaction_session_timeout={} -c client_connection_check_interval={} \
         -c default_transaction_isolation=read\\ committed -c synchronous_commit=on \
         -c timezone=UTC -c client_min_messages=warning -c jit=off",
        statement_timeout.as_millis(),
        LOCK_TIMEOUT.as_millis(),
        IDLE_TIMEOUT.as_millis(),
        CLIENT_CHECK_INTERVAL_MS,
    ));
    // The server may read nothing during a long statement, so the kernel must tolerate
    // unacknowledged data for longer.
    config.tcp_user_timeout(TCP_USER_TIMEOUT.max(statement_timeout / 60));
    let manager = ManagerConfig { recycling_method: RecyclingMethod::Fast };
    let manager = Manager::from_config(
        config,
        tls::create_connector(address.verification, authority)?,
        manager,
    );
    let dirty = dirty.clone();
    Pool::builder(manager)
        .max_size(connections_max)
        .wait_timeout(Some(CONNECTION_TIMEOUT))
        .create_timeout(Some(CONNECTION_TIMEOUT))
        .pre_recycle(Hook::async_fn(move |client, metrics| {
            let dirty = dirty.clone();
            Box::pin(async move {
                if !dirty.is_usable(client).await {
                    return Err(HookError::message("an abandoned statement is still running"));
                }
                if metrics.last_used() < TEST_AFTER_IDLE {
                    return Ok(());
                }
                let answer = timeout(TEST_TIMEOUT, client.simple_query("")).await;
                match answer {
                    Ok(Ok(_)) => Ok(()),
                    Ok(Err(_)) => Err(HookError::message("the connection ended")),
                    Err(_) => Err(HookError::message("no answer in time")),
                }
            })
        }))
        .runtime(Runtime::Tokio1)
        .build()
        .map_err(database_error)
}

/// Returns the driver configuration, with timeouts that detect a dead connection within seconds.
pub(super) fn with_network_timeouts(address: &Address) -> tokio_postgres::Config {
    let mut config = address.config.clone();
    config
        .application_name("sheaf")
        .connect_timeout(CONNECTION_TIMEOUT)
        .tcp_user_timeout(TCP_USER_TIMEOUT)
        .keepalives_idle(KEEPALIVE_IDLE)
        .keepalives_interval(KEEPALIVE_INTERVAL)
        .keepalives_retries(KEEPALIVE_PROBES);
    config
}

/// A connection outside of the pools, for checks and migrations at startup. It closes on drop.
pub(super) struct SingleConnection {
    pub(super) client: tokio_postgres::Client,
    /// Drives the connection.
    task: JoinHandle<()>,
}

impl Drop for SingleConnection {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl SingleConnection {
    /// Connects and checks that the database is usable.
    pub(super) async fn connect(address: &Address, authority: Option<&Path>) -> Result<Self> {
        let mut config = with_network_timeouts(address);
        let options = config.get_options().unwrap_or_default().to_owned();
        // Use only settings that old servers accept, so that the version check can report them.
        config.options(format!(
            "{options} -c statement_timeout={} -c timezone=UTC -c client_min_messages=warning",
            WHOLE_TABLE_TIMEOUT.as_millis(),
        ));
        let unusable = |reason: String| StoreError::Unusable(reason);
        let connect = config.connect(tls::create_connector(address.verification, authority)?);
        let (client, connection) = timeout(CONNECTION_TIMEOUT, connect)
            .await
            .map_err(|_| unusable(errors::describe_timeout(&address.host_and_port())))?
            .map_err(|error| unusable(errors::describe_connect_error(address, &error)))?;
        let task = tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "database connection ended");
            }
        });
        let single = Self { client, task };
        preflight::check_server(&single.client).await?;
        let set_timeouts = format!(
            "SET lock_timeout = {}; SET client_connection_check_interval = {CLIENT_CHECK_INTERVAL_MS}",
            LOCK_TIMEOUT.as_millis(),
        );
        single.client.batch_execute(&set_timeouts).await.map_err(database_error)?;
        Ok(single)
    }
}
