//! What a note is hashed from, and how one hangs on the other. Reads and writes nothing.

use crate::store::Hash;
use crate::store::audit::KEPT_S;
use contract::audit::{Act, Action, Actor};
use contract::{AccountId, Timestamp};
use sha2::{Digest, Sha256};

/// What the hash of every note begins with.
const KIND: &[u8] = b"sheaf audit 1";

/// A row of the table, before its hash.
pub(super) struct Line {
    pub(super) account: String,
    pub(super) place: i64,
    pub(super) at: i64,
    pub(super) environment: Option<String>,
    pub(super) actor_kind: String,
    pub(super) actor_id: Option<String>,
    pub(super) device: Option<String>,
    pub(super) browser: Option<String>,
    pub(super) address: Option<String>,
    pub(super) request: Option<String>,
    pub(super) action: String,
    pub(super) object_kind: Option<String>,
    pub(super) object_id: Option<String>,
    pub(super) outcome: String,
    pub(super) code: Option<String>,
    pub(super) detail: String,
    pub(super) prev_hash: Hash,
}

impl Line {
    /// Returns an act as the line behind a place.
    pub(super) fn of(act: &Act, (place, prev_hash): (i64, Hash)) -> Self {
        let plain = |text: &String| contract::audit::plain(text);
        let (object_kind, object_id) = act.object.clone().unzip();
        let Actor { kind, id, address, client, request } = &act.actor;
        Self {
            account: act.account.as_ref().map_or("", AccountId::as_str).to_owned(),
            place: place + 1,
            at: act.at.micros(),
            environment: act.environment.map(|it| it.as_str().to_owned()),
            actor_kind: kind.as_str().to_owned(),
            actor_id: id.as_ref().map(plain),
            device: client.device.as_ref().map(plain),
            browser: client.browser.as_ref().map(plain),
            address: address.as_ref().map(plain),
            request: request.as_ref().map(plain),
            action: act.action.as_str().to_owned(),
            object_kind: object_kind.map(str::to_owned),
            object_id: object_id.as_ref().map(plain),
            outcome: act.outcome.as_str().to_owned(),
            code: act.code.map(str::to_owned),
            detail: act.detail(),
            prev_hash,
        }
    }

    /// Returns SHA-256 of the note before and of all that stands in this one, each part with its
    /// length before it, so that no two lines give the same bytes.
    pub(super) fn hash(&self) -> Hash {
        let mut hash = Sha256::new();
        let mut part = |bytes: Option<&[u8]>| {
            hash.update(bytes.map_or(u64::MAX, |bytes| bytes.len() as u64).to_be_bytes());
            hash.update(bytes.unwrap_or_default());
        };
        part(Some(KIND));
        part(Some(&self.prev_hash));
        part(Some(self.account.as_bytes()));
        part(Some(&self.place.to_be_bytes()));
        part(Some(&self.at.to_be_bytes()));
        for text in [
            &self.environment,
            &Some(self.actor_kind.clone()),
            &self.actor_id,
            &self.device,
            &self.browser,
            &self.address,
            &self.request,
            &Some(self.action.clone()),
            &self.object_kind,
            &self.object_id,
            &Some(self.outcome.clone()),
            &self.code,
            &Some(self.detail.clone()),
        ] {
            part(text.as_deref().map(str::as_bytes));
        }
        hash.finalize().into()
    }
}

/// From which instant on notes are kept, in microseconds: the beginning of the day of a month on
/// which a note of [`KEPT_S`] ago fell, so that days of a whole month go together.
pub(super) fn kept_from(now: Timestamp) -> i64 {
    let oldest = now.micros() - KEPT_S * 1_000_000;
    let Some(oldest) = Timestamp::from_micros(oldest) else { return i64::MIN };
    let day = oldest.to_string();
    let month = day.get(..7).map(|month| format!("{month}-01"));
    let start = month.and_then(|month| Timestamp::parse_bound(&month).ok());
    start.map_or(i64::MIN, Timestamp::micros)
}

/// What is noted where notes were dropped.
pub(super) fn dropped(now: Timestamp, account: &str, last: i64, count: usize) -> Act {
    let act = Act::new(now, &Actor::system(), Action::AuditDropped)
        .with("count", count)
        .with("last_place", last);
    match account.parse::<AccountId>() {
        Ok(account) => act.of(&account),
        Err(_) => act,
    }
}
