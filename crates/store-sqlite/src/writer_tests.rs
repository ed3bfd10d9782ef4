//! The writer with failing and panicking jobs, a full disk and a locked file.

use super::*;
use crate::connect;
use crate::memory_index::IndexLimits;
use std::path::PathBuf;
use std::time::Instant;
use tempfile::TempDir;

const LONG: Duration = Duration::from_mins(1);

struct Fixture {
    _folder: TempDir,
    path: PathBuf,
    conn: Option<Connection>,
}

fn fixture() -> Fixture {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sheaf.db");
    let conn = connect::open_or_create(&path).unwrap();
    // The clean-up of the writer reads `chores`.
    conn.execute_batch("CREATE TABLE t (x TEXT UNIQUE); CREATE TABLE chores (name UNIQUE)")
        .unwrap();
    Fixture { _folder: folder, path, conn: Some(conn) }
}

impl Fixture {
    fn writer(&mut self) -> Writer {
        self.writer_with_erase_delay(LONG)
    }

    fn writer_with_erase_delay(&mut self, erase_delay: Duration) -> Writer {
        let index = MemoryIndex::new(self.path.clone(), IndexLimits::default()).unwrap();
        Writer::start(self.conn.take().unwrap(), erase_delay, index, Arc::default()).unwrap()
    }

    fn rows(&self) -> Vec<String> {
        let conn = connect::open_reader(&self.path).unwrap();
        let mut statement = conn.prepare("SELECT x FROM t ORDER BY x").unwrap();
        statement
            .query_map([], |row| row.get(0))
            .unwrap()
            .map(std::result::Result::unwrap)
            .collect()
    }
}

async fn insert(writer: &Writer, x: &'static str) -> Result<()> {
    writer
        .write(move |conn| {
            conn.execute("INSERT INTO t VALUES (?)", [x]).map_err(database_error)?;
            Ok(())
        })
        .await
}

/// Blocks the writer until all writes of `waiting` are queued, so that they share a transaction.
async fn queue_together<T>(writer: &Writer, waiting: impl Future<Output = T>) -> T {
    let (go, wait) = std::sync::mpsc::channel::<()>();
    let holding = writer.write(move |_| wait.recv().map_err(database_error));
    let release = async move {
        tokio::task::yield_now().await;
        go.send(()).unwrap();
    };
    let (blocked, done, ()) = tokio::join!(biased; holding, waiting, release);
    blocked.unwrap();
    done
}

#[tokio::test]
async fn failed_job_is_rolled_back_alone() {
    let mut fixture = fixture();
    let writer = fixture.writer();
    let fail = writer.write(|conn| -> Result<()> {
        conn.execute("INSERT INTO t VALUES ('half')", []).map_err(database_error)?;
        Err(StoreError::Source("no".to_owned()))
    });
    let panic = writer.write(|conn| -> Result<()> {
        conn.execute("INSERT INTO t VALUES ('panicked')", []).map_err(database_error)?;
        std::panic::panic_any("deliberate panic of a job")
    });
    // The second `a` violates the unique constraint.
    let inserts = async {
        let duplicate = insert(&writer, "a");
        tokio::join!(biased; insert(&writer, "a"), fail, duplicate, panic, insert(&writer, "b"))
    };
    let (a, failed, duplicate, panicked, b) = queue_together(&writer, inserts).await;
    assert!(a.is_ok() && b.is_ok());
    assert!(matches!(failed, Err(StoreError::Source(_))));
    assert!(matches!(duplicate, Err(StoreError::Database(_))));
    assert!(matches!(panicked, Err(StoreError::Database(_))));
    insert(&writer, "c").await.unwrap();
    assert_eq!(fixture.rows(), ["a", "b", "c"]);
}

#[tokio::test]
async fn queued_jobs_share_one_transaction() {
    let mut fixture = fixture();
    let writer = fixture.writer();
    let before = connect::open_reader(&fixture.path).unwrap();
    let version =
        |conn: &Connection| conn.query_row("PRAGMA data_version", [], |row| row.get::<_, i64>(0));
    let start = version(&before).unwrap();
    let count = |conn: &Connection| {
        conn.query_row("SELECT COUNT(*) FROM t", [], |row| row.get::<_, i64>(0))
            .map_err(database_error)
    };
    // The second job reads through another connection: the first is not committed yet.
    let path = fixture.path.clone();
    let peek =
        writer.write(move |_| -> Result<bool> { Ok(count(&connect::open_reader(&path)?)? > 0) });
    let steps = async { tokio::join!(biased; insert(&writer, "a"), peek, insert(&writer, "b")) };
    let (a, peeked, b) = queue_together(&writer, steps).await;
    assert!(a.is_ok() && b.is_ok());
    assert!(!peeked.unwrap(), "jobs were committed one by one");
    assert_ne!(version(&before).unwrap(), start);
    assert_eq!(fixture.rows(), ["a", "b"]);
}

#[tokio::test]
async fn write_works_again_after_full_disk() {
    let mut fixture = fixture();
    let conn = fixture.conn.as_ref().unwrap();
    let pages: i64 = conn.query_row("PRAGMA page_count", [], |row| row.get(0)).unwrap();
    conn.pragma_update(None, "max_page_count", pages).unwrap();
    let writer = fixture.writer();
    insert(&writer, "small").await.unwrap();
    let large = writer.write(|conn| {
        let sql = "INSERT INTO t VALUES (hex(zeroblob(100000)))";
        conn.execute(sql, []).map(drop).map_err(database_error)
    });
    let error = large.await.unwrap_err();
    assert!(matches!(error, StoreError::DiskFull), "{error}");
    insert(&writer, "small too").await.unwrap();
    assert_eq!(fixture.rows(), ["small", "small too"]);
}

#[tokio::test]
async fn write_works_again_after_locked_file() {
    let mut fixture = fixture();
    fixture.conn.as_ref().unwrap().busy_timeout(Duration::from_millis(50)).unwrap();
    let writer = fixture.writer();
    let other = connect::open_bulk_writer(&fixture.path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = insert(&writer, "a").await.unwrap_err();
    assert!(matches!(error, StoreError::Unavailable(_)), "{error}");
    assert!(error.to_string().contains("locked"), "{error}");
    other.execute_batch("COMMIT").unwrap();
    insert(&writer, "b").await.unwrap();
    assert_eq!(fixture.rows(), ["b"]);
}

#[tokio::test]
async fn full_queue_refuses_jobs() {
    let mut fixture = fixture();
    let writer = fixture.writer();
    let (go, wait) = std::sync::mpsc::channel::<()>();
    let mut refusals = 0;
    writer.write_later(move |_| wait.recv().map_err(database_error)).unwrap();
    for _ in 0..QUEUE_MAX + 10 {
        refusals += usize::from(writer.write_later(|_| Ok(())).is_err());
    }
    // If the writer has taken the blocking job off the queue already, one more job fits.
    assert!((10..=11).contains(&refusals), "{refusals} jobs were refused");
    assert_eq!(
        writer.waiting_count(),
        QUEUE_MAX + 11 - refusals,
        "refused jobs do not count as waiting"
    );
    go.send(()).unwrap();
    drop(writer);
}

#[tokio::test]
async fn drop_finishes_queued_writes() {
    let mut fixture = fixture();
    let writer = fixture.writer();
    for n in 0..500 {
        let insert = move |conn: &Connection| {
            conn.execute("INSERT INTO t VALUES (?)", [n]).map_err(database_error)?;
            Ok(())
        };
        writer.write_later(insert).unwrap();
    }
    drop(writer);
    assert_eq!(fixture.rows().len(), 500);
}

#[tokio::test]
async fn log_is_emptied_once_readers_end() {
    let mut fixture = fixture();
    let writer = fixture.writer_with_erase_delay(Duration::from_millis(50));
    let reader = connect::open_reader(&fixture.path).unwrap();
    let log = fixture.path.with_extension("db-wal");
    let length = || std::fs::metadata(&log).map(|log| log.len()).unwrap();

    insert(&writer, "a").await.unwrap();
    assert!(length() > 0);
    reader.execute_batch("BEGIN; SELECT * FROM t").unwrap();
    insert(&writer, "b").await.unwrap();
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(length() > 0, "the log was emptied during a read");
    reader.execute_batch("COMMIT").unwrap();
    let last = Instant::now() + Duration::from_secs(20);
    while length() > 0 {
        assert!(Instant::now() < last, "the log was not emptied");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(fixture.rows(), ["a", "b"]);
}

#[tokio::test]
async fn write_to_dead_writer_is_error() {
    let mut fixture = fixture();
    let writer = fixture.writer();
    // The thread ends when the answer of a job panics. A panic of the job itself is caught.
    let panicking =
        |_: Option<&TransactionFailure>| std::panic::panic_any("deliberate panic of the writer");
    let run = move |_: Result<&Connection>| FinishedJob {
        keep: true,
        found_full: false,
        reply: Box::new(panicking),
    };
    writer.enqueue(WriteJob { grows: true, work: JobWork::Closure(Box::new(run)) }).unwrap();
    for _ in 0..3 {
        let error = insert(&writer, "a").await.unwrap_err();
        assert!(error.to_string().contains("writer"), "{error}");
    }
    drop(writer);
}
