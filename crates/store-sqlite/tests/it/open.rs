//! Opening of a store: creation, rejection and concurrent processes.

use super::TestFolder;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use store::{Store, StoreError};
use store_sqlite::SqliteStore;

fn file_mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[track_caller]
fn assert_rejected(path: &Path, expected: &str) {
    match SqliteStore::open(path) {
        Err(StoreError::Unusable(sentence)) => {
            assert!(sentence.contains(expected), "{sentence}");
            assert!(sentence.contains(&path.display().to_string()), "{sentence}");
        }
        Err(other) => panic!("refused for another reason: {other}"),
        Ok(_) => panic!("the file was opened"),
    }
}

#[tokio::test]
async fn folder_and_files_are_private() {
    let place = TestFolder::new();
    let store = SqliteStore::open(&place.file()).unwrap();
    store.cursor_secret().await.unwrap();
    assert_eq!(file_mode(place.file().parent().unwrap()), 0o700);
    for end in ["db", "db-wal", "db-shm"] {
        assert_eq!(file_mode(&place.file().with_extension(end)), 0o600, "{end}");
    }
}

#[tokio::test]
async fn data_persists_after_reopen() {
    let place = TestFolder::new();
    let secret = place.open().cursor_secret().await.unwrap();
    assert!(!place.file().with_extension("db-wal").exists(), "not closed cleanly");
    assert_eq!(place.open().cursor_secret().await.unwrap(), secret);
}

#[test]
fn concurrent_creation_succeeds() {
    let place = TestFolder::new();
    std::thread::scope(|scope| {
        let open = || SqliteStore::open(&place.file()).map(drop);
        let opened: Vec<_> = (0..8).map(|_| scope.spawn(open)).collect();
        for opened in opened {
            opened.join().unwrap().unwrap();
        }
    });
}

#[test]
fn non_database_file_is_rejected_unchanged() {
    let place = TestFolder::new();
    let path = place.folder().join("notes.txt");
    // SQLite itself treats the shorter file as an empty database.
    for text in ["Dear diary, ".repeat(1000), "Dear diary, ".to_owned()] {
        std::fs::write(&path, &text).unwrap();
        assert_rejected(&path, "is not a database; name another file");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    }
}

#[test]
fn foreign_database_is_rejected_unchanged() {
    let place = TestFolder::new();
    for (name, id) in [("plain.db", 0), ("theirs.db", 7)] {
        let path = place.folder().join(name);
        let other = rusqlite::Connection::open(&path).unwrap();
        other.execute_batch("CREATE TABLE theirs (x)").unwrap();
        other.pragma_update(None, "application_id", id).unwrap();
        drop(other);
        let before = std::fs::read(&path).unwrap();
        assert_rejected(&path, "is the database of another application");
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }
}

#[test]
fn newer_schema_is_rejected() {
    let place = TestFolder::new();
    drop(place.open());
    let newer = rusqlite::Connection::open(place.file()).unwrap();
    let sql = "INSERT INTO schema_migrations
               SELECT MAX(version) + 1, 'later', x'00' FROM schema_migrations RETURNING version";
    let version: i64 = newer.query_row(sql, [], |row| row.get(0)).unwrap();
    drop(newer);
    let expected =
        format!("{version}, but this version of sheaf knows schemas up to {}", version - 1);
    assert_rejected(&place.file(), &format!("has schema {expected}"));
}

#[test]
fn schema_of_other_migrations_is_rejected() {
    let place = TestFolder::new();
    drop(place.open());
    let other = rusqlite::Connection::open(place.file()).unwrap();
    other.execute_batch("UPDATE schema_migrations SET checksum = x'00'").unwrap();
    drop(other);
    assert_rejected(&place.file(), "was made by another build of sheaf");
    let report = store_sqlite::check(&place.file()).unwrap();
    let finding = "the stored checksum of the migration `0001_start` differs: the file is damaged, \
                   or another build of sheaf wrote it";
    assert_eq!(report.findings, [finding]);
}

#[test]
fn path_that_cannot_be_created_is_rejected() {
    let place = TestFolder::new();
    let file = place.folder().join("file");
    std::fs::write(&file, "").unwrap();
    assert_rejected(&file.join("sheaf.db"), "cannot create");
    assert_rejected(place.folder(), "is a directory");
}

#[tokio::test]
async fn damaged_page_is_an_error() {
    let place = TestFolder::new();
    {
        let store = place.open();
        store_tests::fixtures::owner_and_form(&store).await;
    }
    let mut bytes = std::fs::read(place.file()).unwrap();
    bytes[16384..].fill(0xa5);
    std::fs::write(place.file(), bytes).unwrap();
    let failed = match SqliteStore::open(&place.file()) {
        Ok(store) => store.list_accounts().await.is_err(),
        Err(_) => true,
    };
    assert!(failed, "damage was not detected");
}
