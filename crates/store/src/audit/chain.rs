//! Rows of the audit log and their hash chain. Does no I/O.

use super::RETENTION_S;
use crate::columns::{damaged_row, database_error, parse, parse_count, parse_instant};
use crate::{Hash, Result};
use contract::account::ClientInfo;
use contract::audit::AuditOutcome;
use contract::audit::{
    Action, Actor, ActorKind, AuditActor, AuditEntry, AuditEvent, AuditObject, AuditPerson,
};
use contract::{AccountId, Timestamp};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;

/// Prefix of the hashed bytes of every entry.
const HASH_PREFIX: &[u8] = b"sheaf audit 1";

/// A row of the audit table without its hash.
pub struct AuditRow {
    /// Id of the account; empty for entries without an account.
    pub account: String,
    /// Number of the entry in the chain of the account, from 1.
    pub number: i64,
    /// Microseconds of UTC.
    pub at: i64,
    /// `live` or `test`.
    pub environment: Option<String>,
    /// The kind of actor, by its name in the API.
    pub actor_kind: String,
    /// Id of the key, session or user.
    pub actor_id: Option<String>,
    /// The kind of device, for a browser.
    pub device: Option<String>,
    /// The name of the browser.
    pub browser: Option<String>,
    /// The IP address.
    pub address: Option<String>,
    /// Id of the request.
    pub request: Option<String>,
    /// The action, by its name in the API.
    pub action: String,
    /// The kind of object that the action changed.
    pub object_kind: Option<String>,
    /// Id of that object.
    pub object_id: Option<String>,
    /// The outcome, by its name in the API.
    pub outcome: String,
    /// The code of the error, if the action failed.
    pub code: Option<String>,
    /// Further details as a JSON object.
    pub detail: String,
    /// The hash of the previous row.
    pub prev_hash: Hash,
}

impl AuditRow {
    /// Returns the row of an event after the row with this number and hash.
    pub fn from_event(event: &AuditEvent, (place, prev_hash): (i64, Hash)) -> Self {
        let plain = |text: &String| contract::audit::sanitise_text(text);
        let (object_kind, object_id) = event.object.clone().unzip();
        // The detail contains the user: entries of earlier versions have it there, and it is
        // hashed.
        let Actor { kind, id, person: _, address, client, request } = &event.actor;
        Self {
            account: event.account.as_ref().map_or("", AccountId::as_str).to_owned(),
            number: place + 1,
            at: event.at.micros(),
            environment: event.environment.map(|it| it.as_str().to_owned()),
            actor_kind: kind.as_str().to_owned(),
            actor_id: id.as_ref().map(plain),
            device: client.device.as_ref().map(plain),
            browser: client.browser.as_ref().map(plain),
            address: address.as_ref().map(plain),
            request: request.as_ref().map(plain),
            action: event.action.as_str().to_owned(),
            object_kind: object_kind.map(str::to_owned),
            object_id: object_id.as_ref().map(plain),
            outcome: event.outcome.as_str().to_owned(),
            code: event.code.map(str::to_owned),
            detail: event.detail_json(),
            prev_hash,
        }
    }

    /// Returns the row with its known hash as an entry.
    pub fn into_entry(self, hash: Hash) -> Result<AuditEntry> {
        let kind = ActorKind::ALL.into_iter().find(|it| it.as_str() == self.actor_kind);
        let outcome = AuditOutcome::ALL.into_iter().find(|it| it.as_str() == self.outcome);
        let kind =
            kind.ok_or_else(|| damaged_row("an audit entry has an unknown kind of actor"))?;
        let mut detail = serde_json::from_str(&self.detail).map_err(database_error)?;
        let person = match kind {
            ActorKind::Session => AuditPerson::take_from_detail(&mut detail),
            ActorKind::Nobody | ActorKind::Key | ActorKind::System => None,
        };
        Ok(AuditEntry {
            place: parse_count(self.number)?,
            at: parse_instant(self.at)?,
            account: if self.account.is_empty() { None } else { Some(parse(&self.account)?) },
            environment: self.environment.map(|text| parse(&text)).transpose()?,
            actor: AuditActor {
                kind,
                id: self.actor_id,
                person,
                client: ClientInfo { device: self.device, browser: self.browser },
            },
            address: self.address,
            request: self.request,
            action: self.action,
            object: self.object_kind.zip(self.object_id).map(|(kind, id)| AuditObject { kind, id }),
            outcome: outcome.ok_or_else(|| damaged_row("an audit entry has an unknown outcome"))?,
            code: self.code,
            detail,
            hash: to_hex(hash),
        })
    }

    /// Returns the SHA-256 of the previous hash and of all columns. The length precedes each part,
    /// so that no two rows give the same bytes.
    pub fn hash(&self) -> Hash {
        let mut hash = Sha256::new();
        let mut part = |bytes: Option<&[u8]>| {
            hash.update(bytes.map_or(u64::MAX, |bytes| bytes.len() as u64).to_be_bytes());
            hash.update(bytes.unwrap_or_default());
        };
        part(Some(HASH_PREFIX));
        part(Some(&self.prev_hash));
        part(Some(self.account.as_bytes()));
        part(Some(&self.number.to_be_bytes()));
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

/// Returns the start of the retention in microseconds: the first instant of the month that
/// contains the instant [`RETENTION_S`] ago. So the entries of a month are dropped together.
pub fn retention_start(now: Timestamp) -> i64 {
    let oldest = now.micros() - RETENTION_S * 1_000_000;
    let Some(oldest) = Timestamp::from_micros(oldest) else { return i64::MIN };
    let day = oldest.to_string();
    let month = day.get(..7).map(|month| format!("{month}-01"));
    let start = month.and_then(|month| Timestamp::parse_bound(&month).ok());
    start.map_or(i64::MIN, Timestamp::micros)
}

/// Returns a hash in hexadecimal.
pub fn to_hex(hash: Hash) -> String {
    let mut text = String::with_capacity(2 * hash.len());
    for byte in hash {
        // Writing to a `String` cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// Returns the event for expired entries that were dropped, up to number `last`.
pub fn dropped_event(now: Timestamp, account: &str, last: i64, count: usize) -> AuditEvent {
    let event = AuditEvent::new(now, &Actor::system(), Action::AuditDropped)
        .with_value("count", count)
        .with_value("last_place", last);
    match account.parse::<AccountId>() {
        Ok(account) => event.with_account(&account),
        Err(_) => event,
    }
}
