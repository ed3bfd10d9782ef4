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
        let result = visitor.look(work);
        // One that is still in a snapshot, or panicked before, is not used again.
        if visitor.conn.is_autocommit() && !visitor.conn.is_busy() {
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
    /// Takes a snapshot, forgets what was known of another state of the file, and works.
    fn look<T>(
        &mut self,
        work: impl FnOnce(&Connection, &mut Known) -> Result<Option<T>>,
    ) -> Result<Option<T>> {
        let mut version = self.conn.prepare_cached("PRAGMA data_version").map_err(database)?;
        // All statements of a connection share one snapshot until the last of them has ended; this
        // one has not ended before `snapshot` is dropped.
        let mut snapshot = version.query([]).map_err(database)?;
        let version = match snapshot.next().and_then(|row| row.map(|row| row.get(0)).transpose()) {
            Ok(version) => version,
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {
                return Ok(None);
            }
            Err(error) => return Err(database(error)),
        };
        if version.is_none() || self.known.version != version {
            self.known = Known { version, ..Known::default() };
        }
        work(&self.conn, &mut self.known)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn quick() -> (tempfile::TempDir, Quick, Connection) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sheaf.db");
        let conn = connect::first(&path).unwrap();
        conn.execute_batch("CREATE TABLE t (n INTEGER); INSERT INTO t VALUES (1)").unwrap();
        (folder, Quick::new(path), conn)
    }

    fn n(conn: &Connection) -> Result<i64> {
        conn.query_row("SELECT n FROM t", [], |row| row.get(0)).map_err(database)
    }

    #[test]
    fn what_is_known_stays_until_anything_is_committed() {
        let (_folder, quick, writer) = quick();
        let was_known = || {
            let visit = quick.visit(|_, known| Ok(Some(known.is_import_under_way.replace(true))));
            visit.unwrap().unwrap().is_some()
        };
        assert!(!was_known());
        assert!(was_known() && was_known());
        writer.execute_batch("BEGIN; UPDATE t SET n = 2").unwrap();
        assert!(was_known(), "nothing is committed yet");
        writer.execute_batch("COMMIT").unwrap();
        assert!(!was_known());
        assert!(was_known());
    }

    #[test]
    fn a_visit_sees_one_snapshot() {
        let (_folder, quick, writer) = quick();
        let seen = quick.visit(|conn, _| {
            let before = n(conn)?;
            writer.execute_batch("UPDATE t SET n = n + 1").unwrap();
            Ok(Some((before, n(conn)?)))
        });
        assert_eq!(seen.unwrap(), Some((1, 1)));
        assert_eq!(quick.visit(|conn, _| n(conn).map(Some)).unwrap(), Some(2));
    }

    #[test]
    fn a_visit_never_waits_for_a_lock() {
        let (folder, quick, writer) = quick();
        drop(writer);
        let path = folder.path().join("sheaf.db");
        let alone = Connection::open(&path).unwrap();
        alone.execute_batch("PRAGMA locking_mode = EXCLUSIVE; UPDATE t SET n = 3").unwrap();
        let seen = quick.visit(|conn, _| n(conn).map(Some));
        assert!(!matches!(seen, Ok(Some(_))), "{seen:?}");
        drop(alone);
        assert_eq!(quick.visit(|conn, _| n(conn).map(Some)).unwrap(), Some(3));
    }

    #[test]
    fn a_visit_that_panics_harms_no_other() {
        let (_folder, quick, _writer) = quick();
        let panics = std::panic::AssertUnwindSafe(|| {
            quick.visit(|_, _| -> Result<Option<()>> {
                std::panic::panic_any("a visit panics, as this test wants it to")
            })
        });
        assert!(std::panic::catch_unwind(panics).is_err());
        assert_eq!(quick.visit(|conn, _| n(conn).map(Some)).unwrap(), Some(1));
    }
}
