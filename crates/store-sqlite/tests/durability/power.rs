//! Acknowledged writes survive a loss of power.
//!
//! `strace` records every write, truncation, rename and sync of a writing process. The test then
//! simulates a power cut after each of them. It puts possible contents of the disk into a folder,
//! opens them as on a start, runs a full check, and compares the rows with the acknowledged ones.
//! To prove that it can fail, it must find losses with less than `synchronous = FULL`.

mod disk;
mod trace;
mod writer;

use crate::child;
use crate::rng::Rng;
use disk::{Disk, DiskFiles};
use rusqlite::{Connection, OptionalExtension};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use store_sqlite::SqliteStore;
use trace::TraceEvent;

/// Number of power cuts after one event, each with another random seed.
const CUTS_PER_EVENT: u64 = 2;
/// The same for SQLite alone, which upstream tests cover too.
const CUTS_PER_EVENT_SQLITE: u64 = 1;
/// A quick run cuts the power after one event in this many.
const EVENTS_PER_CUT: usize = 10;
/// One cut in this many is opened by the store itself, which migrates and recovers.
const CUTS_PER_STORE_OPEN: u64 = 8;

/// Writes that were acknowledged up to some event.
#[derive(Clone, Default)]
struct Acknowledged {
    is_ready: bool,
    /// The file may have an old schema that only the store can migrate.
    is_old: bool,
    inserted: BTreeSet<String>,
    /// Requested deletions; the row may or may not exist.
    deleting: BTreeSet<String>,
    deleted: BTreeSet<String>,
    copies: Vec<String>,
}

impl Acknowledged {
    fn add_output(&mut self, output: &[u8]) {
        for line in std::str::from_utf8(output).unwrap().lines() {
            let Some((kind, fact)) = line.split_at_checked(1) else { continue };
            let fact = fact.to_owned();
            let _ = match kind {
                "=" if fact == "ready" => !std::mem::replace(&mut self.is_ready, true),
                "=" => {
                    self.copies.push(fact);
                    true
                }
                "+" => self.inserted.insert(fact),
                "?" => self.deleting.insert(fact),
                "-" => self.deleted.insert(fact),
                _ => true,
            };
        }
    }
}

/// Recording of a child in a role.
struct Recording {
    _folder: tempfile::TempDir,
    root: PathBuf,
    before: DiskFiles,
    events: Vec<TraceEvent>,
}

/// Database file of every role, relative to the root.
const FILE: &str = "data/nested/sheaf.db";

/// Records a child in a role. With `before`, its database file exists with these bytes.
fn record_child(test: &str, role: &str, before: Option<Vec<u8>>) -> Recording {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("root");
    let trace_path = folder.path().join("trace");
    let file = root.join(FILE);
    std::fs::create_dir(&root).unwrap();
    let before: DiskFiles = before.into_iter().map(|bytes| (file.clone(), bytes)).collect();
    for (path, bytes) in &before {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    let arguments = ["strace", "-f", "-y", "-qq", "-s", "1000000", "-e", trace::CALLS, "-o"];
    let arguments = [arguments.as_slice(), &[trace_path.to_str().unwrap()]].concat();
    let child = child::child_command(&arguments, test, &file, role).output();
    let child = child.expect("`strace` is needed: `sudo apt-get install strace`");
    assert!(child.status.success(), "{}", String::from_utf8_lossy(&child.stdout));
    let events =
        trace::parse_trace(&std::fs::read_to_string(trace_path).unwrap(), &root, before.keys());
    Recording { _folder: folder, root, before, events }
}

/// Result of the power cuts.
#[derive(Default)]
struct CutResult {
    cuts: u64,
    losses: Vec<String>,
}

/// Cuts the power after the events of a recording. Several threads share the events.
///
/// A quick run takes one event in `every`, and other events on each run.
fn cut_after_each_event(
    record: &Recording,
    begin: &Acknowledged,
    cuts_at_a_place: u64,
    every: usize,
) -> CutResult {
    let Recording { root, before, events, .. } = record;
    let threads = std::thread::available_parallelism().map_or(2, usize::from).min(8);
    let share = |nth: usize| {
        let place = RestoredFolder::new(root);
        let mut disk = Disk::with_files(before);
        let mut promise = begin.clone();
        let mut found = CutResult::default();
        for (number, event) in events.iter().enumerate() {
            disk.apply_event(number, event);
            if let TraceEvent::Said(said) = event {
                promise.add_output(said);
            }
            let is_chosen = test_servers::is_in_rotation(number / threads, every);
            if number % threads != nth || !is_chosen || found.losses.len() > 3 {
                continue;
            }
            for seed_offset in 0..cuts_at_a_place {
                let seed = u64::try_from(number).unwrap() * cuts_at_a_place + seed_offset;
                let files = disk.cut_power(&mut Rng::new(seed));
                found.cuts += 1;
                if let Err(loss) = place.check_files(&files, &promise, seed) {
                    found.losses.push(format!("at event {number}, variant {seed_offset}: {loss}"));
                }
            }
        }
        found
    };
    std::thread::scope(|scope| {
        let shares: Vec<_> = (0..threads).map(|nth| scope.spawn(move || share(nth))).collect();
        shares.into_iter().map(|share| share.join().unwrap()).fold(
            CutResult::default(),
            |total, share| {
                let cuts = total.cuts + share.cuts;
                let losses = total.losses.into_iter().chain(share.losses).collect();
                CutResult { cuts, losses }
            },
        )
    })
}

/// Folder for the files after a power cut.
struct RestoredFolder {
    was: PathBuf,
    folder: crate::TestFolder,
}

impl RestoredFolder {
    fn new(was: &Path) -> Self {
        let folder = crate::TestFolder::in_memory();
        Self { was: was.to_owned(), folder }
    }

    fn check_files(
        &self,
        files: &DiskFiles,
        promise: &Acknowledged,
        seed: u64,
    ) -> Result<(), String> {
        let root = self.folder.path("root");
        let _ = std::fs::remove_dir_all(&root);
        for (path, bytes) in files {
            let path = root.join(path.strip_prefix(&self.was).unwrap());
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
        let file = root.join(FILE);
        if seed.is_multiple_of(CUTS_PER_STORE_OPEN) || !promise.is_ready || promise.is_old {
            drop(SqliteStore::open(&file).map_err(|error| error.to_string())?);
        }
        let conn = Connection::open(&file).map_err(|error| error.to_string())?;
        check_rows(&conn, promise).map_err(|error| error.to_string())??;
        for name in ["copy_a.db", "copy_b.db"] {
            let copy = file.with_file_name(name);
            match (copy.exists(), promise.copies.iter().any(|acknowledged| acknowledged == name)) {
                (false, true) => return Err(format!("the backup `{name}` is missing")),
                (true, _) => check_copy(&copy).map_err(|error| format!("`{name}`: {error}"))?,
                (false, false) => {}
            }
        }
        Ok(())
    }
}

fn check_copy(file: &Path) -> Result<(), String> {
    let conn = Connection::open(file).map_err(|error| error.to_string())?;
    let is_whole = |conn: &Connection| -> rusqlite::Result<String> {
        conn.query_row("SELECT COUNT(*) FROM submissions", [], |_| Ok(()))?;
        conn.query_row("PRAGMA integrity_check", [], |row| row.get(0))
    };
    let result = is_whole(&conn).map_err(|error| error.to_string())?;
    if result == "ok" { Ok(()) } else { Err(result) }
}

/// Compares the rows of the file with the acknowledged writes.
fn check_rows(conn: &Connection, promise: &Acknowledged) -> rusqlite::Result<Result<(), String>> {
    let result: String = conn.query_row("PRAGMA integrity_check", [], |row| row.get(0))?;
    if result != "ok" {
        return Ok(Err(format!("damaged: {result}")));
    }
    if !promise.is_ready {
        return Ok(Ok(()));
    }
    let form: Option<i64> = conn
        .query_row("SELECT submission_count FROM forms WHERE id = 'frm_1'", [], |row| row.get(0))
        .optional()?;
    let Some(count) = form else { return Ok(Err("the form is missing".to_owned())) };
    let sql =
        "SELECT s.id FROM submissions AS s JOIN submission_texts USING (form, submitted_at, id)
               WHERE NOT EXISTS (SELECT 1 FROM hidden AS h JOIN imports AS i ON i.seq = h.import
                                 WHERE h.id = s.id)";
    let stored: BTreeSet<String> =
        conn.prepare(sql)?.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    let is_to_stay = |id: &&String| !promise.deleting.contains(*id);
    let missing: Vec<_> = promise.inserted.difference(&stored).filter(is_to_stay).collect();
    let reappeared: Vec<_> = promise.deleted.intersection(&stored).collect();
    Ok(if !missing.is_empty() {
        Err(format!("acknowledged and lost: {missing:?}"))
    } else if !reappeared.is_empty() {
        Err(format!("deleted and back: {reappeared:?}"))
    } else if i64::try_from(stored.len()) != Ok(count) {
        Err(format!("{} submissions exist, but {count} are counted", stored.len()))
    } else {
        Ok(())
    })
}

/// Runs the role if this process is a child; returns whether it is.
fn run_as_child() -> bool {
    let Some((file, role)) = child::child_role() else { return false };
    match role.as_str() {
        "shipped" => writer::run_shipped(&file),
        "upgrade" => writer::run_upgrade(&file),
        level => writer::run_at_level(&file, level),
    }
    true
}

#[track_caller]
fn check_power_loss(test: &str, role: &str, is_safe: bool, cuts_min: u64) {
    if run_as_child() {
        return;
    }
    let record = record_child(&format!("power::{test}"), role, None);
    let cuts = if role == "shipped" { CUTS_PER_EVENT } else { CUTS_PER_EVENT_SQLITE };
    // With `NORMAL`, losses are rare, so no event is skipped.
    let events_per_cut = if role == "NORMAL" { 1 } else { EVENTS_PER_CUT };
    let found = cut_after_each_event(&record, &Acknowledged::default(), cuts, events_per_cut);
    found.assert_result(role, &record, is_safe, cuts_min);
}

impl CutResult {
    #[track_caller]
    fn assert_result(&self, role: &str, record: &Recording, is_safe: bool, cuts_min: u64) {
        let Self { cuts, losses } = self;
        eprintln!("{role}: {} events, {cuts} cuts, {} losses", record.events.len(), losses.len());
        assert_eq!(losses.is_empty(), is_safe, "{role}, after {cuts} cuts: {losses:#?}");
        let part = if test_servers::is_full_run() { 1 } else { 2 * EVENTS_PER_CUT as u64 };
        assert!(!is_safe || *cuts >= cuts_min / part, "only {cuts} cuts");
        let are_lost = losses.iter().all(|loss| loss.contains("acknowledged and lost"));
        assert!(is_safe || are_lost, "{role}: something else was lost: {losses:#?}");
    }
}

/// Returns a file of the first schema as bytes, with its rows.
fn old_file() -> (Vec<u8>, Acknowledged) {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("old.db");
    let sql = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/0001_start.sql");
    let conn = Connection::open(&file).unwrap();
    conn.execute_batch(&std::fs::read_to_string(sql).unwrap()).unwrap();
    let ids = |row: &rusqlite::Row<'_>| row.get(0);
    let mut statement = conn.prepare("SELECT id FROM submissions").unwrap();
    let inserted = statement.query_map([], ids).unwrap().map(Result::unwrap).collect();
    let promise =
        Acknowledged { is_ready: true, is_old: true, inserted, ..Acknowledged::default() };
    drop(statement);
    drop(conn);
    (std::fs::read(file).unwrap(), promise)
}

#[test]
fn interrupted_upgrade_loses_no_data() {
    if run_as_child() {
        return;
    }
    let (bytes, promise) = old_file();
    let test = "power::interrupted_upgrade_loses_no_data";
    let record = record_child(test, "upgrade", Some(bytes));
    let found = cut_after_each_event(&record, &promise, CUTS_PER_EVENT, EVENTS_PER_CUT);
    found.assert_result("upgrade", &record, true, 100);
}

#[test]
fn power_loss_loses_no_acknowledged_data() {
    check_power_loss("power_loss_loses_no_acknowledged_data", "shipped", true, 3000);
}

#[test]
fn synchronous_full_loses_no_data() {
    check_power_loss("synchronous_full_loses_no_data", "FULL", true, 1000);
}

#[test]
fn synchronous_normal_loses_data() {
    check_power_loss("synchronous_normal_loses_data", "NORMAL", false, 0);
}

#[test]
fn synchronous_off_loses_data() {
    check_power_loss("synchronous_off_loses_data", "OFF", false, 0);
}
