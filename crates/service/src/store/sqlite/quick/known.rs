//! What a connection read before of keys, forms and owners, and still knows.
//!
//! Never outlives the state of the file that it was read from: see [`Known::keep_only`].

use super::super::super::row::{database, parse};
use super::super::super::{Hash, KeyRecord, Owner, Result};
use super::super::held::FormState;
use super::super::lifecycle::DELETED;
use super::super::{import, keys};
use contract::FormId;
use rusqlite::{Connection, OptionalExtension};
use std::collections::BTreeMap;
use std::mem;
use std::sync::Arc;

/// Most keys, and most forms, that a connection remembers.
const KNOWN_MAX: usize = 1000;

/// What was read while the file was as it is.
#[derive(Default)]
pub(in super::super) struct Known {
    /// What SQLite calls this state of the file, in this connection.
    version: Option<i64>,
    /// In trees, which are asked with less work than it takes to hash what they are asked for.
    keys: BTreeMap<Hash, KeyRecord>,
    forms: BTreeMap<FormId, KnownForm>,
    owners: BTreeMap<i64, Arc<Owner>>,
    pub(super) is_import_under_way: Option<bool>,
    likely: Likely,
}

/// The form that the next submission is looked for in first. A guess, which needs no state of the
/// file to be true.
#[derive(Default)]
struct Likely {
    form: Option<i64>,
    /// Whether the last two were of it: who reads here and there is not served by guesses.
    is_sure: bool,
}

/// A form as the file has it.
#[derive(Debug, Clone)]
pub(in super::super) struct KnownForm {
    pub(in super::super) state: FormState,
    pub(in super::super) owner: Arc<Owner>,
}

impl Known {
    /// Forgets what was read of another state of the file than the one that SQLite calls `version`.
    pub(super) fn keep_only(&mut self, version: Option<i64>) {
        if version.is_none() || self.version != version {
            let likely = mem::take(&mut self.likely);
            *self = Self { version, likely, ..Self::default() };
        }
    }

    /// Finds a key by the hash of its secret.
    pub(in super::super) fn key(
        &mut self,
        conn: &Connection,
        secret: Hash,
    ) -> Result<Option<KeyRecord>> {
        if let Some(key) = self.keys.get(&secret) {
            return Ok(Some(key.clone()));
        }
        let found = keys::find(conn, secret)?;
        if let Some(key) = &found {
            make_room(&mut self.keys);
            self.keys.insert(secret, key.clone());
        }
        Ok(found)
    }

    /// Finds a form.
    pub(in super::super) fn form(
        &mut self,
        conn: &Connection,
        id: &FormId,
    ) -> Result<Option<KnownForm>> {
        if let Some(form) = self.forms.get(id) {
            return Ok(Some(form.clone()));
        }
        let found = find_form(conn, id)?;
        if let Some(form) = &found {
            make_room(&mut self.forms);
            self.forms.insert(id.clone(), form.clone());
        }
        Ok(found)
    }

    /// Finds whose a form of this number is.
    pub(in super::super) fn owner(
        &mut self,
        conn: &Connection,
        seq: i64,
    ) -> Result<Option<Arc<Owner>>> {
        if let Some(owner) = self.owners.get(&seq) {
            return Ok(Some(Arc::clone(owner)));
        }
        let found = find_owner(conn, seq)?.map(Arc::new);
        if let Some(owner) = &found {
            make_room(&mut self.owners);
            self.owners.insert(seq, Arc::clone(owner));
        }
        Ok(found)
    }

    /// The number of the form that the next submission is likely of.
    pub(in super::super) fn likely_form(&self) -> Option<i64> {
        self.likely.form.filter(|_| self.likely.is_sure)
    }

    /// Notes of which form a submission was.
    pub(in super::super) fn note_form(&mut self, seq: i64) {
        self.likely = Likely { is_sure: self.likely.form == Some(seq), form: Some(seq) };
    }

    /// Whether some submissions are not to be seen yet.
    pub(in super::super) fn is_import_under_way(&mut self, conn: &Connection) -> Result<bool> {
        if let Some(known) = self.is_import_under_way {
            return Ok(known);
        }
        let found = import::is_any_under_way(conn)?;
        self.is_import_under_way = Some(found);
        Ok(found)
    }
}

fn make_room<K: Ord, V>(known: &mut BTreeMap<K, V>) {
    if known.len() >= KNOWN_MAX {
        known.clear();
    }
}

fn find_form(conn: &Connection, id: &FormId) -> Result<Option<KnownForm>> {
    let found: Option<(i64, i64, i64, String, String)> = conn
        .prepare_cached(
            "SELECT seq, submission_count, version, account, environment FROM forms WHERE id = ?",
        )
        .and_then(|mut found| found.query_row([id.as_str()], |row| row.try_into()).optional())
        .map_err(database)?;
    let Some((seq, rows, version, account, environment)) = found else { return Ok(None) };
    let owner = Owner { account_id: parse(&account)?, environment: parse(&environment)? };
    Ok(Some(KnownForm { state: FormState { seq, rows, version }, owner: Arc::new(owner) }))
}

fn find_owner(conn: &Connection, seq: i64) -> Result<Option<Owner>> {
    let found: Option<(String, String)> = conn
        .prepare_cached("SELECT account, environment FROM forms WHERE seq = ? AND account <> ?")
        .and_then(|mut found| found.query_row((seq, DELETED), |row| row.try_into()).optional())
        .map_err(database)?;
    let owner = |(account, environment): (String, String)| {
        Ok(Owner { account_id: parse(&account)?, environment: parse(&environment)? })
    };
    found.map(owner).transpose()
}
