//! The interface of a store of shared limits: it counts requests, sign-in attempts and instances.
//!
//! Each call is atomic with respect to all instances, and uses the clock of the store. This module
//! only defines names and types; it counts nothing.

use crate::Result;
use crate::window::{WindowLimits, WindowState};
use async_trait::async_trait;
use contract::LoginAttemptLimits;
use sha2::{Digest, Sha256};
use std::time::Duration;

/// Maximum number of windows of a bounded kind, and of sign-in counts, for all instances together.
pub const WINDOWS_MAX: u32 = 1_000_000;

/// Kind of a counted object. The value is stored as the first byte of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitKind {
    /// An API key, or the dashboard of an account.
    Caller = 1,
    /// An address without a valid key.
    Anonymous = 2,
    /// A form that receives submissions.
    Form = 3,
    /// An address that submits to a form.
    Sender = 4,
    /// An address that attempts to sign in.
    SignInAddress = 5,
    /// An account that is the target of sign-in attempts.
    SignInAccount = 6,
}

impl LimitKind {
    /// Kinds that have windows.
    pub const WITH_WINDOWS: [Self; 4] = [Self::Caller, Self::Anonymous, Self::Form, Self::Sender];

    /// Whether the number of windows is limited, and further names share a window. Keys, accounts
    /// and forms need no limit: outsiders cannot create them.
    pub fn is_bounded(self) -> bool {
        matches!(self, Self::Anonymous | Self::Sender)
    }
}

/// Length of the hash in a name, and of the part that identifies a form.
const HASH_BYTES: usize = 32;
const GROUP_BYTES: usize = 16;

/// Hashes parts, each preceded by its length.
fn hash_parts(parts: &[&[u8]]) -> [u8; HASH_BYTES] {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}

/// Name of a counter: a kind and a hash, so that it reveals neither addresses nor keys.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CounterName(Vec<u8>);

impl CounterName {
    /// Returns the name for these parts.
    pub fn of(kind: LimitKind, parts: &[&[u8]]) -> Self {
        Self([&[kind as u8][..], &hash_parts(parts)].concat())
    }

    /// Returns the name of a sender to a form. Beyond the maximum, the further senders to a form
    /// share a window.
    pub fn of_sender(form: &[u8], parts: &[&[u8]]) -> Self {
        let group = &hash_parts(&[form])[..GROUP_BYTES];
        Self([&[LimitKind::Sender as u8][..], group, &hash_parts(parts)].concat())
    }

    /// Returns the shared name of a kind, for unknown objects and for objects beyond the maximum.
    pub fn shared(kind: LimitKind) -> Self {
        Self(vec![kind as u8])
    }

    /// Returns the stored form of the name.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// A request to a window.
#[derive(Debug, Clone, Copy)]
pub struct WindowRequest {
    /// The limits to count by.
    pub limits: WindowLimits,
    /// Whether to admit and count a request; otherwise only the state is returned.
    pub is_counted: bool,
    /// The present in microseconds instead of the store's clock: for tests.
    pub at_us: Option<i64>,
}

/// A request for units that may be spent until a lease ends.
#[derive(Debug, Clone, Copy)]
pub struct LeaseRequest {
    /// The limits to count by.
    pub limits: WindowLimits,
    /// Maximum number of units, at least 1.
    pub wanted: u32,
    /// Number of instances that share the remaining units.
    pub instances: u32,
    /// Duration of the lease.
    pub duration: Duration,
    /// As in [`WindowRequest`].
    pub at_us: Option<i64>,
}

/// Units that an instance may spend until a lease ends.
#[derive(Debug, Clone, Default)]
pub struct Grant {
    /// State of the window with all units counted, or the refusal.
    pub reading: WindowState,
    /// Number of units; 0 if the request was refused.
    pub units: u32,
    /// Name of the window that counts them: the requested one, or a shared one.
    pub counted_as: Vec<u8>,
    /// End of the lease, in microseconds of UTC. The window counts each unit at this time.
    pub until_us: i64,
}

/// A lease that an instance has finished.
#[derive(Debug, Clone)]
pub struct Settlement {
    /// As in its [`Grant`].
    pub counted_as: Vec<u8>,
    /// End of the lease in microseconds of UTC.
    pub until_us: i64,
    /// Units that were spent.
    pub spent: u32,
    /// Units that are returned.
    pub unspent: u32,
}

/// Converts a duration to microseconds.
pub fn to_micros(duration: Duration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)
}

/// A sign-in attempt.
#[derive(Debug, Clone, Copy)]
pub struct SignInAttempt<'a> {
    /// Rules of sign-in attempts.
    pub rules: &'a LoginAttemptLimits,
    /// The address of the browser.
    pub address: &'a CounterName,
    /// The account, if the attempt is for the password of one.
    pub account: Option<&'a CounterName>,
    /// As in [`WindowRequest`].
    pub at_us: Option<i64>,
}

/// A store that counts for all instances.
#[async_trait]
pub trait LimitBackend: Send + Sync + 'static {
    /// Returns a one-word name of the store for logs.
    fn kind(&self) -> &'static str;

    /// Admits and counts a request, or refuses it without counting; or only returns the state.
    async fn admit(&self, name: &CounterName, request: WindowRequest) -> Result<WindowState>;

    /// Grants units and counts each at the end of the lease, or refuses without counting. A single
    /// unit counts at the present. Settles `before` first.
    async fn lease(
        &self,
        name: &CounterName,
        request: LeaseRequest,
        before: Option<&Settlement>,
    ) -> Result<Grant>;

    /// Takes back unspent units, and counts the spent ones at the present.
    async fn settle(&self, lease: &Settlement, at_us: Option<i64>) -> Result<()>;

    /// Counts a sign-in attempt and returns 0, or returns how long to wait, in microseconds.
    async fn count_attempt(&self, attempt: &SignInAttempt<'_>) -> Result<i64>;

    /// Resets the sign-in attempts of an account.
    async fn reset_attempts(&self, account: &CounterName) -> Result<()>;

    /// Records a heartbeat; returns the number of instances with one in the last `alive_us`.
    async fn heartbeat(&self, me: &[u8], alive_us: i64) -> Result<u32>;

    /// Removes expired counts, unless the store expires them automatically, and sign-in counts
    /// beyond the maximum. Returns the kinds with the maximum number of windows.
    async fn sweep(&self) -> Result<Vec<LimitKind>>;
}
