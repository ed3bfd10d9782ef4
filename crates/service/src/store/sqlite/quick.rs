//! Quick reads: some microseconds each, on the thread that asks.
//!
//! To hand a read to another thread costs more than most reads take. Here a connection is taken,
//! asked and put back. With it stands what it read before of keys and forms: SQLite tells each
//! connection, as it takes a snapshot, whether anything was committed since its last one, by this
//! process or another (`PRAGMA data_version`); as long as nothing was, what was read is what would
//! be read. Nothing here ever waits, not even for a lock: what cannot be had at once is left to the
//! readers.

use super::super::row::{database, parse};
use super::super::{Hash, KeyRecord, Owner, Result};
use super::held::FormState;
use super::{connect, import, keys};
use contract::FormId;
use rusqlite::{Connection, ErrorCode, OptionalExtension};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// Most keys, and most forms, that a connection remembers.
const KNOWN_MAX: usize = 1000;
/// Most connections that are kept; there are no more than threads that ask at once.
const IDLE_MAX: usize = 16;

/// The connections.
pub(super) struct Quick {
    path: PathBuf,
    idle: Mutex<Vec<Visitor>>,
}

/// A connection and what it read before.
struct Visitor {
    conn: Connection,
    known: Known,
}

/// What was read while the file was as it is.
#[derive(Default)]
pub(super) struct Known {
    /// What SQLite calls this state of the file, in this connection.
    version: Option<i64>,
    keys: HashMap<Hash, KeyRecord>,
    forms: HashMap<FormId, KnownForm>,
    owners: HashMap<i64, Owner>,
    is_import_under_way: Option<bool>,
}

/// A form as the file has it.
#[derive(Debug, Clone)]
pub(super) struct KnownForm {
    pub(super) state: FormState,
    pub(super) owner: Owner,
}

impl Quick {
    /// Returns a place whose connections are opened when they are first needed.
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, idle: Mutex::default() }
    }

    /// Reads one state of the data. `None` where that would have to wait, or where `work` says that
    /// it is none of the quick ones.
    pub(super) fn visit<T>(
        &self,
        work: impl FnOnce(&Connection, &mut Known) -> Result<Option<T>>,
    ) -> Result<Option<T>> {
        let idle = self.lock().pop();
        let mut visitor = match idle {
            Some(visitor) => visitor,
            None => Visitor { conn: connect::visitor(&self.path)?, known: Known::default() },
        };
        match visitor.begin() {
            Ok(()) => {}
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {
                return Ok(None);
            }
            Err(error) => return Err(database(error)),
        }
        let result = work(&visitor.conn, &mut visitor.known);
        // One that cannot end its snapshot, or panicked before, is not used again.
        if visitor.end().is_ok() {
            let mut idle = self.lock();
            if idle.len() < IDLE_MAX {
                idle.push(visitor);
            }
        }
        result
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Visitor>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Visitor {
    /// Takes a snapshot, and forgets what was known of another state of the file.
    fn begin(&mut self) -> rusqlite::Result<()> {
        self.conn.prepare_cached("BEGIN")?.execute([])?;
        let mut version = self.conn.prepare_cached("PRAGMA data_version")?;
        let version = version.query_row([], |row| row.get(0))?;
        if self.known.version != Some(version) {
            self.known = Known { version: Some(version), ..Known::default() };
        }
        Ok(())
    }

    fn end(&self) -> rusqlite::Result<()> {
        self.conn.prepare_cached("COMMIT")?.execute([]).map(drop)
    }
}

impl Known {
    /// Finds a key by the hash of its secret.
    pub(super) fn key(&mut self, conn: &Connection, secret: Hash) -> Result<Option<KeyRecord>> {
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
    pub(super) fn form(&mut self, conn: &Connection, id: &FormId) -> Result<Option<KnownForm>> {
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
    pub(super) fn owner(&mut self, conn: &Connection, seq: i64) -> Result<Option<Owner>> {
        if let Some(owner) = self.owners.get(&seq) {
            return Ok(Some(owner.clone()));
        }
        let found = find_owner(conn, seq)?;
        if let Some(owner) = &found {
            make_room(&mut self.owners);
            self.owners.insert(seq, owner.clone());
        }
        Ok(found)
    }

    /// Whether some submissions are not to be seen yet.
    pub(super) fn is_import_under_way(&mut self, conn: &Connection) -> Result<bool> {
        if let Some(known) = self.is_import_under_way {
            return Ok(known);
        }
        let found = import::is_any_under_way(conn)?;
        self.is_import_under_way = Some(found);
        Ok(found)
    }
}

fn make_room<K, V>(known: &mut HashMap<K, V>) {
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
    Ok(Some(KnownForm { state: FormState { seq, rows, version }, owner }))
}

fn find_owner(conn: &Connection, seq: i64) -> Result<Option<Owner>> {
    let found: Option<(String, String)> = conn
        .prepare_cached("SELECT account, environment FROM forms WHERE seq = ?")
        .and_then(|mut found| found.query_row([seq], |row| row.try_into()).optional())
        .map_err(database)?;
    let owner = |(account, environment): (String, String)| {
        Ok(Owner { account_id: parse(&account)?, environment: parse(&environment)? })
    };
    found.map(owner).transpose()
}
