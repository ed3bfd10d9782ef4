//! A full disk: reads and deletions work, and the store recovers when there is space again.
//!
//! The tests run on a small tmpfs in a private mount namespace. This needs root, or a system that
//! allows unprivileged namespaces.

use crate::child;
use contract::account::ClientInfo;
use contract::webhook::{WebhookEvent, WebhookFormat};
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use store::access::AccessStore as _;
use store::clock::{Clock as _, SystemClock};
use store::new_submission::{InsertOutcome, NewSubmission};
use store::outbox::{LeaseQuery, OutboxStore as _, new_webhook};
use store::{SessionProof, SessionRecord, Store, StoreError};
use store_sqlite::SqliteStore;
use store_tests::fixtures::{self, submission};

const DISK: &str = "size=176m";
/// Mounts the tmpfs on `$1`, and executes the rest.
const MOUNT: &str = "mount -t tmpfs -o \"$0\" none \"$1\" && shift && exec \"$@\"";

#[test]
fn full_disk_stops_only_growth_and_recovers() {
    on_small_disk("full::full_disk_stops_only_growth_and_recovers", run_full_disk);
}

#[test]
fn intake_preserves_disk_reserve() {
    on_small_disk("full::intake_preserves_disk_reserve", run_nearly_full_disk);
}

/// Runs `part` of a test in a child process on a small disk.
fn on_small_disk(name: &str, part: fn(&Path)) {
    if let Some((file, _)) = child::child_role() {
        return part(&file);
    }
    let folder = tempfile::tempdir().unwrap();
    let disk = folder.path().to_str().unwrap();
    let mut tried = String::new();
    for namespaces in ["-m", "-rm"] {
        let succeeds = |command: &mut Command| {
            command
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()
                .is_ok_and(|status| status.success())
        };
        if !succeeds(Command::new("unshare").args([namespaces, "true"])) {
            let _ = write!(tried, "`unshare {namespaces}` is not allowed; ");
            continue;
        }
        let before = ["unshare", namespaces, "sh", "-c", MOUNT, DISK, disk];
        let file = folder.path().join("sheaf.db");
        let mut child = child::child_command(&before, name, &file, "fill");
        let done = child.stderr(Stdio::piped()).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        assert!(!file.exists(), "the child wrote to the shared disk");
        return;
    }
    panic!("{tried}this test needs to mount a disk: run it as root");
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn run_full_disk(file: &Path) {
    let store = SqliteStore::open(file).unwrap();
    fixtures::owner_and_form(&store).await;
    store.start_background_checks().unwrap();
    let reserve = file.with_extension("reserve");
    wait_until("the reserve is created", async || reserve.exists()).await;

    // Another file fills the disk, and is removed.
    insert_some(&store, "early", 20).await;
    insert_pending_delivery(&store).await;
    let other = file.with_file_name("other");
    assert!(fill_disk(&other) > 50 << 20);
    let mut first_count = insert_until_full(&store, "late").await + 21;
    first_count += check_full_store(&store, &reserve, first_count, "early").await;
    assert_eq!(lease_deliveries(&store).await, 1);
    std::fs::remove_file(&other).unwrap();
    wait_until("inserts succeed again", async || try_insert(&store, "again").await.is_ok()).await;
    wait_until("the reserve is created again", async || reserve.exists()).await;

    // Submissions fill the disk, and are deleted until inserts succeed.
    let second_count = insert_until_full(&store, "many").await;
    assert!(second_count > 300, "only {second_count} rows fit");
    check_full_store(&store, &reserve, first_count + 1 - 10 + second_count, "many").await;
    for n in 10..second_count {
        delete_submission(&store, &format!("sub_many_{n}")).await;
    }
    wait_until("the file has free pages", async || try_insert(&store, "more").await.is_ok()).await;
    let count = fixtures::count_all(&store).await;
    drop(store);
    assert_eq!(crate::check_file(file), count);
}

/// On a nearly full disk, submissions by intake are refused and writes of owners succeed.
#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn run_nearly_full_disk(file: &Path) {
    let store = SqliteStore::open(file).unwrap();
    fixtures::owner_and_form(&store).await;
    let other = file.with_file_name("other");
    submit(&store, "first").await.unwrap();
    let room = fill_disk(&other) as u64;
    // Two per cent of the disk is reserved.
    let left = (176 << 20) / 50 - (1 << 20);
    let shorter = std::fs::File::options().write(true).open(&other).unwrap();
    shorter.set_len(room - left).unwrap();
    drop(shorter);
    store.insert_account(fixtures::account("acc_9", "nine@example.com")).await.unwrap();
    let refusals = AtomicU64::new(0);
    wait_until("submissions are refused", async || {
        let n = refusals.fetch_add(1, Ordering::Relaxed);
        matches!(submit(&store, &format!("late_{n}")).await, Err(StoreError::DiskReserved))
    })
    .await;
    assert!(store.metrics().submissions_refused > 0);
    store.insert_account(fixtures::account("acc_8", "eight@example.com")).await.unwrap();
    std::fs::remove_file(&other).unwrap();
    wait_until("submissions are accepted again", async || submit(&store, "last").await.is_ok())
        .await;
}

async fn submit(store: &SqliteStore, name: &str) -> Result<InsertOutcome, StoreError> {
    let form = fixtures::form_id();
    let version = store.find_intake(&form).await.unwrap().unwrap().version;
    let submission = submission(&format!("sub_arrived_{name}"), 1, "x");
    let fields = Vec::new();
    let spam = None;
    let repeat = None;
    let rows_max = None;
    let arrival =
        NewSubmission { form, version, submission, fields, spam, idempotency: repeat, rows_max };
    store.insert_submission(arrival).await
}

/// Fills the disk to the last block; returns the number of bytes.
fn fill_disk(file: &Path) -> usize {
    use std::io::Write;
    let mut file = std::fs::File::create(file).unwrap();
    let mut written = 0;
    let block = vec![1; 4096];
    while let Ok(bytes) = file.write(&block) {
        written += bytes;
    }
    written
}

/// Checks that a full store refuses submissions, and that all else works. Returns the number of
/// further submissions: if a checkpoint shortens the log, there is room for some.
async fn check_full_store(store: &SqliteStore, reserve: &Path, count: u64, name: &str) -> u64 {
    let (mut further_count, mut refusals) = (0, 0);
    while refusals < 5 {
        match try_insert(store, &format!("{name}_further_{further_count}")).await {
            Ok(_) => (further_count, refusals) = (further_count + 1, 0),
            Err(StoreError::DiskFull) => refusals += 1,
            Err(other) => panic!("{other}"),
        }
    }
    assert!(!reserve.exists(), "the reserve was not released");
    let count = count + further_count;
    assert_eq!(fixtures::count_all(store).await, count, "reads fail, or rows are lost");
    let at = fixtures::at(1);
    let person_id = "psn_1".parse().unwrap();
    let token_hash = [u8::try_from(count % 251).unwrap(); 32];
    let session = SessionRecord {
        token_hash,
        person_id,
        created_at: at,
        authenticated_at: at,
        last_used_at: at,
    };
    store.insert_session(session, ClientInfo::default(), SessionProof::Identity).await.unwrap();
    for n in 0..10 {
        delete_submission(store, &format!("sub_{name}_{n}")).await;
    }
    further_count
}

/// Inserts a webhook, and a submission that it is to be sent.
async fn insert_pending_delivery(store: &SqliteStore) {
    let url = "https://a.example/hook".to_owned();
    let events = [WebhookEvent::Created];
    let format = WebhookFormat::Json;
    let webhook = new_webhook(fixtures::form_id(), url, &events, format, fixtures::at(1));
    assert!(store.insert_webhook(webhook).await.unwrap());
    submit(store, "with_delivery").await.unwrap();
}

/// Leases the due deliveries, and returns their number.
async fn lease_deliveries(store: &SqliteStore) -> usize {
    let now = SystemClock.now();
    let query = LeaseQuery { now, busy: Vec::new(), webhooks_max: 9, rows_max: 9, failing_max: 9 };
    let batches = store.lease_deliveries(query).await.unwrap();
    batches.iter().map(|batch| batch.deliveries.len()).sum()
}

async fn delete_submission(store: &SqliteStore, id: &str) {
    assert!(store.delete_submission(&id.parse().unwrap()).await.unwrap(), "{id}");
}

async fn insert_some(store: &SqliteStore, name: &str, count: u64) {
    for n in 0..count {
        try_insert(store, &format!("{name}_{n}")).await.unwrap();
    }
}

async fn insert_until_full(store: &SqliteStore, name: &str) -> u64 {
    for n in 0.. {
        match try_insert(store, &format!("{name}_{n}")).await {
            Ok(_) => {}
            Err(StoreError::DiskFull) => return n,
            Err(other) => panic!("after {n}: {other}"),
        }
    }
    unreachable!("the disk is finite")
}

async fn try_insert(store: &SqliteStore, name: &str) -> Result<u64, StoreError> {
    let row = submission(&format!("sub_{name}"), 1, &"full ".repeat(10_000));
    store
        .insert_submissions(
            &fixtures::form_id(),
            Vec::new(),
            fixtures::submission_source(vec![row]),
        )
        .await
}

async fn wait_until(description: &str, is_so: impl AsyncFn() -> bool) {
    let last = Instant::now() + Duration::from_mins(1);
    while !is_so().await {
        assert!(Instant::now() < last, "{description}: timeout after a minute");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
