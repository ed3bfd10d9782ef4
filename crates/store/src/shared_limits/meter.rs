//! What a store of shared limits can be asked: to count a request, a try to sign in, an instance.
//!
//! Each is one step that is done whole or not at all, whoever else asks at the same time, and in
//! the store's own time. This names and describes; it counts nothing.

use crate::Result;
use crate::window::{Limits, Reading};
use async_trait::async_trait;
use contract::TryRules;
use sha2::{Digest, Sha256};
use std::time::Duration;

/// Most windows of a kind that is bounded, and most counts of tries, of all instances together.
pub const KEPT_MAX: u32 = 1_000_000;

/// What kind of thing is counted together. The number is its first byte wherever it is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A key, or the dashboard of an account.
    Payer = 1,
    /// An address without a known key.
    Stranger = 2,
    /// A form that takes submissions.
    Form = 3,
    /// An address that sends to a form.
    Sender = 4,
    /// An address that tries to sign in.
    Door = 5,
    /// An account into which somebody tries to sign in.
    Person = 6,
}

impl Kind {
    /// What has windows.
    pub const OF_WINDOWS: [Self; 4] = [Self::Payer, Self::Stranger, Self::Form, Self::Sender];

    /// Whether there are so many at most, beyond which they share a window. Keys, accounts and
    /// forms are those that were made here: no stranger can make one more.
    pub fn is_bounded(self) -> bool {
        matches!(self, Self::Stranger | Self::Sender)
    }
}

/// How many bytes of a name are its hash, and how many tell a form apart.
const HASH_BYTES: usize = 32;
const GROUP_BYTES: usize = 16;

/// A hash over parts, each with its length before it.
fn hash(parts: &[&[u8]]) -> [u8; HASH_BYTES] {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}

/// Under which name something is counted. It tells neither addresses nor keys.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Name(Vec<u8>);

impl Name {
    /// Returns the name of what these parts say.
    pub fn of(kind: Kind, parts: &[&[u8]]) -> Self {
        Self([&[kind as u8][..], &hash(parts)].concat())
    }

    /// Returns the name of a sender to a form. Where there is no room for more senders, those of a
    /// form share a window.
    pub fn of_sender(form: &[u8], parts: &[&[u8]]) -> Self {
        let group = &hash(&[form])[..GROUP_BYTES];
        Self([&[Kind::Sender as u8][..], group, &hash(parts)].concat())
    }

    /// Returns the name under which all of a kind are counted who are unknown, or for whom there is
    /// no room.
    pub fn shared(kind: Kind) -> Self {
        Self(vec![kind as u8])
    }

    /// Returns it as it is kept.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// What is asked of a window.
#[derive(Debug, Clone, Copy)]
pub struct Ask {
    /// The limits to count by.
    pub limits: Limits,
    /// Whether a request is to be let in and counted; else only where the window stands is told.
    pub is_counted: bool,
    /// The present, in microseconds, in place of the store's own: for tests.
    pub at_us: Option<i64>,
}

/// A request for units that may be spent until a lease ends.
#[derive(Debug, Clone, Copy)]
pub struct LeaseAsk {
    /// The limits to count by.
    pub limits: Limits,
    /// Most units, at least 1.
    pub wanted: u32,
    /// The number of instances that share the remaining units.
    pub instances: u32,
    /// How long the lease lasts.
    pub lasts: Duration,
    /// As in [`Ask`].
    pub at_us: Option<i64>,
}

/// Units that an instance may spend until a lease ends.
#[derive(Debug, Clone, Default)]
pub struct Grant {
    /// The state with all units counted, or the refusal.
    pub reading: Reading,
    /// The number of units; 0 if the request was refused.
    pub units: u32,
    /// The name of the window that counts them: the requested one, or a shared one.
    pub counted_as: Vec<u8>,
    /// The instant that counts for each unit, in microseconds.
    pub until_us: i64,
}

/// A lease that an instance has finished.
#[derive(Debug, Clone)]
pub struct Settlement {
    /// As in its [`Grant`].
    pub counted_as: Vec<u8>,
    /// When the lease ends, microseconds of UTC.
    pub until_us: i64,
    /// Units that were spent.
    pub spent: u32,
    /// Units that are returned.
    pub unspent: u32,
}

/// A stretch of time, in microseconds.
pub fn micros(duration: Duration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)
}

/// A try to sign in.
#[derive(Debug, Clone, Copy)]
pub struct Try<'a> {
    /// The rules of tries.
    pub rules: &'a TryRules,
    /// The address of the browser.
    pub address: &'a Name,
    /// Absent where it is not an account's password that is tried.
    pub account: Option<&'a Name>,
    /// As in [`Ask`].
    pub at_us: Option<i64>,
}

/// A store in which all instances count together.
#[async_trait]
pub trait Meter: Send + Sync + 'static {
    /// What it is, in a word.
    fn kind(&self) -> &'static str;

    /// Lets a request in and counts it, or refuses it and counts nothing; or only looks.
    async fn admit(&self, name: &Name, ask: Ask) -> Result<Reading>;

    /// Grants units and counts each at the end of the lease, or refuses and counts nothing. A
    /// single unit counts at the present. `before` is settled first.
    async fn lease(&self, name: &Name, ask: LeaseAsk, before: Option<&Settlement>)
    -> Result<Grant>;

    /// Takes back unspent units, and counts the spent ones at the present.
    async fn settle(&self, lease: &Settlement, at_us: Option<i64>) -> Result<()>;

    /// Counts a try to sign in and returns 0, or returns how long to wait, in microseconds.
    async fn try_in(&self, it: &Try<'_>) -> Result<i64>;

    /// Forgets the tries to an account.
    async fn forget(&self, account: &Name) -> Result<()>;

    /// Notes that an instance is there, and returns how many were within so many microseconds.
    async fn beat(&self, me: &[u8], alive_us: i64) -> Result<u32>;

    /// Removes what counts nothing any more, where the store does not do so by itself, and tries to
    /// sign in beyond their bound. Returns the kinds that have no room for one more window.
    async fn sweep(&self) -> Result<Vec<Kind>>;
}
