//! What a note is hashed from, and how one hangs on the other. Reads and writes nothing.

use super::KEPT_S;
use crate::columns::{count, damaged, database, instant, parse};
use crate::{Hash, Result};
use contract::account::Client;
use contract::audit::Outcome;
use contract::audit::{Act, Action, Actor, ActorKind, Note, NotedActor, NotedObject, NotedPerson};
use contract::{AccountId, Timestamp};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;

/// What the hash of every note begins with.
const KIND: &[u8] = b"sheaf audit 1";

/// A row of the table, before its hash.
pub struct Line {
    /// Id of the account, empty for the server itself.
    pub account: String,
    /// Its number in the chain of the account, from 1.
    pub place: i64,
    /// Microseconds of UTC.
    pub at: i64,
    /// `live` or `test`.
    pub environment: Option<String>,
    /// The kind of actor, as on the wire.
    pub actor_kind: String,
    /// Id of the key, session or person.
    pub actor_id: Option<String>,
    /// The kind of device, for a browser.
    pub device: Option<String>,
    /// The name of the browser.
    pub browser: Option<String>,
    /// The IP address.
    pub address: Option<String>,
    /// Id of the request.
    pub request: Option<String>,
    /// The action, as on the wire.
    pub action: String,
    /// The kind of object that it changed.
    pub object_kind: Option<String>,
    /// Id of that object.
    pub object_id: Option<String>,
    /// The outcome, as on the wire.
    pub outcome: String,
    /// The code of the error, if it failed.
    pub code: Option<String>,
    /// Further details as a JSON object.
    pub detail: String,
    /// The hash of the line before.
    pub prev_hash: Hash,
}

impl Line {
    /// Returns an act as the line behind a place.
    pub fn of(act: &Act, (place, prev_hash): (i64, Hash)) -> Self {
        let plain = |text: &String| contract::audit::plain(text);
        let (object_kind, object_id) = act.object.clone().unzip();
        // The person stands in the detail, which notes of before had, and which is hashed.
        let Actor { kind, id, person: _, address, client, request } = &act.actor;
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

    /// Returns the line, whose hash is known, as a note.
    pub fn into_note(self, hash: Hash) -> Result<Note> {
        let kind = ActorKind::ALL.into_iter().find(|it| it.as_str() == self.actor_kind);
        let outcome = Outcome::ALL.into_iter().find(|it| it.as_str() == self.outcome);
        let kind = kind.ok_or_else(|| damaged("a note has an actor of no kind"))?;
        let mut detail = serde_json::from_str(&self.detail).map_err(database)?;
        let person = match kind {
            ActorKind::Session => NotedPerson::take(&mut detail),
            ActorKind::Nobody | ActorKind::Key | ActorKind::System => None,
        };
        Ok(Note {
            place: count(self.place)?,
            at: instant(self.at)?,
            account: if self.account.is_empty() { None } else { Some(parse(&self.account)?) },
            environment: self.environment.map(|text| parse(&text)).transpose()?,
            actor: NotedActor {
                kind,
                id: self.actor_id,
                person,
                client: Client { device: self.device, browser: self.browser },
            },
            address: self.address,
            request: self.request,
            action: self.action,
            object: self.object_kind.zip(self.object_id).map(|(kind, id)| NotedObject { kind, id }),
            outcome: outcome.ok_or_else(|| damaged("a note has no outcome"))?,
            code: self.code,
            detail,
            hash: hex(hash),
        })
    }

    /// Returns SHA-256 of the note before and of all that stands in this one, each part with its
    /// length before it, so that no two lines give the same bytes.
    pub fn hash(&self) -> Hash {
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
pub fn kept_from(now: Timestamp) -> i64 {
    let oldest = now.micros() - KEPT_S * 1_000_000;
    let Some(oldest) = Timestamp::from_micros(oldest) else { return i64::MIN };
    let day = oldest.to_string();
    let month = day.get(..7).map(|month| format!("{month}-01"));
    let start = month.and_then(|month| Timestamp::parse_bound(&month).ok());
    start.map_or(i64::MIN, Timestamp::micros)
}

/// A hash as it is told.
pub fn hex(hash: Hash) -> String {
    let mut text = String::with_capacity(2 * hash.len());
    for byte in hash {
        // Writing to a text cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// What is noted where notes were dropped.
pub fn dropped(now: Timestamp, account: &str, last: i64, count: usize) -> Act {
    let act = Act::new(now, &Actor::system(), Action::AuditDropped)
        .with("count", count)
        .with("last_place", last);
    match account.parse::<AccountId>() {
        Ok(account) => act.of(&account),
        Err(_) => act,
    }
}
