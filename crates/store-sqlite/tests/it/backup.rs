//! Backups during writes.

use super::TestFolder;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use store::{Store, StoreError};
use store_sqlite::SqliteStore;
use store_tests::fixtures::{self, form_id, submission};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn backup_during_writes_is_consistent() {
    let place = TestFolder::new();
    let store = Arc::new(place.open());
    fixtures::owner_and_form(&*store).await;
    fixtures::insert_submissions(
        &*store,
        (0..2000).map(|n| submission(&format!("sub_{n}"), n, "x")).collect(),
    )
    .await;
    let stop = Arc::new(AtomicBool::new(false));
    let written = Arc::new(AtomicU64::new(2000));
    let writer = {
        let store = store.clone();
        let stop = stop.clone();
        let written = written.clone();
        tokio::spawn(async move {
            for n in 0.. {
                if stop.load(Ordering::SeqCst) {
                    break;
                }
                fixtures::insert_submissions(
                    &*store,
                    vec![submission(&format!("sub_w{n}"), n, "x")],
                )
                .await;
                written.fetch_add(1, Ordering::SeqCst);
            }
        })
    };
    let copy = place.folder().join("copy.db");
    while written.load(Ordering::SeqCst) < 2010 {
        tokio::task::yield_now().await;
    }
    let before = written.load(Ordering::SeqCst);
    store.backup(&copy).await.unwrap();
    let after = written.load(Ordering::SeqCst);
    stop.store(true, Ordering::SeqCst);
    writer.await.unwrap();

    assert_eq!(std::fs::metadata(&copy).unwrap().permissions().mode() & 0o777, 0o600);
    let raw = rusqlite::Connection::open(&copy).unwrap();
    let check = |sql: &str| raw.query_row(sql, [], |row| row.get::<_, String>(0)).unwrap();
    assert_eq!(check("PRAGMA integrity_check"), "ok");
    assert_eq!(check("SELECT page_size || '' FROM pragma_page_size"), "16384");
    drop(raw);
    let copy = SqliteStore::open(&copy).unwrap();
    let count = fixtures::count_all(&copy).await;
    assert!((before..=after + 1).contains(&count), "{before} <= {count} <= {after}");
    let form = copy.find_form(&form_id()).await.unwrap().unwrap().form;
    assert_eq!(form.submission_count, count);
    assert_eq!(copy.cursor_secret().await.unwrap(), copy.cursor_secret().await.unwrap());
}

#[tokio::test]
async fn backup_never_overwrites_files() {
    let place = TestFolder::new();
    let store = place.open();
    let existing = place.folder().join("taken.db");
    std::fs::write(&existing, "").unwrap();
    for target in [existing.clone(), place.file()] {
        let error = store.backup(&target).await.unwrap_err();
        assert!(matches!(&error, StoreError::Exists(_)), "{error}");
        assert_eq!(error.to_string(), format!("`{}` exists already", target.display()));
    }
    assert_eq!(std::fs::read(&existing).unwrap(), b"");
    let nowhere = store.backup(&place.folder().join("no/such/folder.db")).await;
    assert!(matches!(nowhere, Err(StoreError::Unusable(_))), "{nowhere:?}");
}

#[tokio::test]
async fn backup_replaces_file_of_killed_backup() {
    let place = TestFolder::new();
    let store = place.open();
    fixtures::owner_and_form(&store).await;
    let (copy, part) = (place.folder().join("copy.db"), place.folder().join("copy.db.part"));
    std::fs::write(&part, "half a copy").unwrap();
    store.backup(&copy).await.unwrap();
    assert!(!part.exists());
    assert_eq!(store_sqlite::check(&copy).unwrap().findings, [""; 0]);

    let other = place.folder().join("other.db");
    let locked = std::fs::File::create(place.folder().join("other.db.part")).unwrap();
    locked.lock().unwrap();
    let error = store.backup(&other).await.unwrap_err().to_string();
    assert!(error.ends_with("is being written by another process; wait for it to end"), "{error}");
    assert!(!other.exists());
    drop(locked);
    store.backup(&other).await.unwrap();
}

#[tokio::test]
async fn backup_ignores_planted_links_and_files() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
    let place = TestFolder::new();
    let store = place.open();
    fixtures::owner_and_form(&store).await;
    let (copy, part) = (place.folder().join("copy.db"), place.folder().join("copy.db.part"));
    let target = place.folder().join("target");
    std::fs::write(&target, "precious").unwrap();
    symlink(&target, &part).unwrap();
    let error = store.backup(&copy).await.unwrap_err().to_string();
    assert!(error.contains("cannot create"), "{error}");
    assert_eq!(std::fs::read(&target).unwrap(), b"precious");
    std::fs::remove_file(&part).unwrap();

    // A file that is readable for everyone, and that another user may have open.
    std::fs::write(&part, "").unwrap();
    std::fs::set_permissions(&part, std::fs::Permissions::from_mode(0o666)).unwrap();
    let inode = std::fs::metadata(&part).unwrap().ino();
    store.backup(&copy).await.unwrap();
    let metadata = std::fs::metadata(&copy).unwrap();
    assert_ne!(metadata.ino(), inode);
    assert_eq!(metadata.mode() & 0o777, 0o600);
}
