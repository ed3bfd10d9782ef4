//! Limits that are counted in Redis, by scripts that it runs whole: one round trip each.
//!
//! Every key begins with `sheaf:` and ends by itself.

use super::meter::{Ask, KEPT_MAX, Kind, Meter, Name, Try, micros};
use crate::store::{Result, StoreError};
use crate::window::Reading;
use async_trait::async_trait;
use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::{Client, RedisError, Script};
use std::time::Duration;

/// How long a connection may take to be there, and an answer to come.
const CONNECTION_WITHIN: Duration = Duration::from_secs(2);
const ANSWER_WITHIN: Duration = Duration::from_secs(1);
/// Attempts to connect before whoever asks is told that there is nobody; the next one tries anew.
const TRIES_MAX: usize = 1;
/// Most that a step of a sweep forgets.
const STEP_MAX: u32 = 1000;

const WINDOWS: &[u8] = b"sheaf:window:";
/// Before a kind: all windows of it by when they end.
const KINDS: &[u8] = b"sheaf:windows:";
const TRIES: &[u8] = b"sheaf:tries:";
/// All counts of tries by when they end, and by how much they count.
const TRIES_BY_END: &[u8] = b"sheaf:tries-by-end";
const TRIES_BY_COUNT: &[u8] = b"sheaf:tries-by-count";
const INSTANCES: &[u8] = b"sheaf:instances";

/// What counts in Redis.
pub(super) struct RedisMeter {
    connection: ConnectionManager,
    admit: Script,
    try_in: Script,
    beat: Script,
    sweep: Script,
    /// Most windows of a kind that is bounded, and most counts of tries.
    kept_max: u32,
}

impl RedisMeter {
    /// Connects.
    ///
    /// # Errors
    /// [`StoreError::Unfit`] with what to do, where the address is none or nobody answers there.
    pub(super) async fn connect(url: &str) -> Result<Self> {
        let client = client(url)?;
        let config = ConnectionManagerConfig::new()
            .set_number_of_retries(TRIES_MAX)
            .set_connection_timeout(Some(CONNECTION_WITHIN))
            .set_response_timeout(Some(ANSWER_WITHIN));
        let connection = client.get_connection_manager_with_config(config).await;
        let connection = connection.map_err(|error| {
            StoreError::Unfit(format!(
                "Redis does not answer ({error}); check its address, and that it runs"
            ))
        })?;
        Ok(Self {
            connection,
            admit: Script::new(include_str!("admit.lua")),
            try_in: Script::new(include_str!("try.lua")),
            beat: Script::new(include_str!("beat.lua")),
            sweep: Script::new(include_str!("sweep.lua")),
            kept_max: KEPT_MAX,
        })
    }

    /// Forgets what is over, and returns how many are left.
    async fn sweep_keys(&self, keys: &[&[u8]]) -> Result<u32> {
        let mut connection = self.connection.clone();
        loop {
            let mut script = self.sweep.prepare_invoke();
            for key in keys {
                script.key(*key);
            }
            script.arg(self.kept_max).arg(STEP_MAX);
            let answer = script.invoke_async(&mut connection).await;
            let (gone, left): (u32, u32) = answer.map_err(failed)?;
            if gone == 0 {
                return Ok(left);
            }
        }
    }
}

/// Makes a client, which is not connected yet.
///
/// # Errors
/// [`StoreError::Unfit`] with what to do, where the address is none.
pub(super) fn client(url: &str) -> Result<Client> {
    is_whole(url)?;
    // The address itself may hold a password.
    Client::open(url).map_err(|error| {
        StoreError::Unfit(format!(
            "the address of Redis is none ({error}); it must look like \
             `redis://:password@host:6379`, or `rediss://…` for TLS"
        ))
    })
}

/// Refuses an address whose password is cut by one of its own characters, before a piece of it is
/// taken for a host and told.
fn is_whole(url: &str) -> Result<()> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    if rest.split_once(['/', '?', '#']).is_none_or(|(_, behind)| !behind.contains('@')) {
        return Ok(());
    }
    Err(StoreError::Unfit(
        "the address of Redis has a `/`, `?` or `#` before its `@`; write special characters of \
         the password as `%..`"
            .to_owned(),
    ))
}

fn failed(error: RedisError) -> StoreError {
    StoreError::Database(error.into())
}

fn key(kind: &[u8], name: &[u8]) -> Vec<u8> {
    [kind, name].concat()
}

/// The key of all windows of a kind.
fn of_kind(kind: Kind) -> Vec<u8> {
    key(KINDS, (kind as u8).to_string().as_bytes())
}

/// An instant for a script: an empty word is the present by its own clock.
fn instant(at_us: Option<i64>) -> String {
    at_us.map(|at| at.to_string()).unwrap_or_default()
}

#[async_trait]
impl Meter for RedisMeter {
    fn kind(&self) -> &'static str {
        "Redis"
    }

    async fn admit(&self, name: &Name, ask: Ask) -> Result<Reading> {
        let mut connection = self.connection.clone();
        let mut script = self.admit.key(key(WINDOWS, name.bytes()));
        script.key(key(WINDOWS, name.stand_in()));
        if let Some(kind) = name.bounded_kind() {
            script.key(of_kind(kind));
        }
        script
            .arg(ask.limits.window)
            .arg(ask.limits.burst)
            .arg(u8::from(ask.is_counted))
            .arg(self.kept_max)
            .arg(instant(ask.at_us));
        let answer = script.invoke_async(&mut connection);
        let (is_let_in, count, full_s, ready_us, now_us): (u8, u32, i64, i64, i64) =
            answer.await.map_err(failed)?;
        Ok(Reading { is_let_in: is_let_in == 1, count, full_s, ready_us, now_us })
    }

    async fn try_in(&self, it: &Try<'_>) -> Result<i64> {
        let mut connection = self.connection.clone();
        let mut script = self.try_in.prepare_invoke();
        script.key(TRIES_BY_END).key(TRIES_BY_COUNT).key(key(TRIES, it.address.bytes()));
        if let Some(account) = it.account {
            script.key(key(TRIES, account.bytes()));
        }
        script
            .arg(it.rules.address_tries)
            .arg(micros(it.rules.address_for))
            .arg(it.rules.free_tries)
            .arg(micros(it.rules.wait_max))
            .arg(micros(it.rules.forget_after))
            .arg(instant(it.at_us));
        script.invoke_async(&mut connection).await.map_err(failed)
    }

    async fn forget(&self, account: &Name) -> Result<()> {
        let mut connection = self.connection.clone();
        let key = key(TRIES, account.bytes());
        let mut commands = redis::pipe();
        commands.del(&key).zrem(TRIES_BY_END, &key).zrem(TRIES_BY_COUNT, &key);
        commands.query_async(&mut connection).await.map_err(failed)
    }

    async fn beat(&self, me: &[u8], alive_us: i64) -> Result<u32> {
        let mut connection = self.connection.clone();
        let mut script = self.beat.key(INSTANCES);
        script.arg(me).arg(alive_us).invoke_async(&mut connection).await.map_err(failed)
    }

    async fn sweep(&self) -> Result<Vec<Kind>> {
        self.sweep_keys(&[TRIES_BY_END, TRIES_BY_COUNT]).await?;
        let mut full = Vec::new();
        for kind in Kind::OF_WINDOWS.into_iter().filter(|kind| kind.is_bounded()) {
            if self.sweep_keys(&[&of_kind(kind)]).await? >= self.kept_max {
                full.push(kind);
            }
        }
        Ok(full)
    }
}

#[cfg(test)]
#[path = "redis_tests.rs"]
mod tests;
