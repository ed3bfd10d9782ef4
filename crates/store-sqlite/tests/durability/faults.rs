//! Failing writes and syncs of the disk: no acknowledged row is lost.
//!
//! `strace` injects the errors into system calls: at one call, or from one call on.

use crate::child::{self, print_line};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Stdio;
use store::{Store, StoreError};
use store_sqlite::SqliteStore;
use store_tests::fixtures::{self, form_id, submission};

const NAME: &str = "faults::acknowledged_rows_survive_disk_faults";
const FAULTS: [&str; 3] =
    ["fsync,fdatasync:error=EIO", "pwrite64:error=EIO", "pwrite64:error=ENOSPC"];
/// Calls that fail, in the syntax of `strace`: one, several, or all from a number on.
const FAULT_CALLS: [&str; 9] = ["4", "30", "43", "57+", "70", "91+", "120", "121..124", "200+"];
const ROWS: i64 = 40;
const QUOTA: &str = "faults::exceeded_quota_is_a_full_disk";

#[tokio::main(flavor = "current_thread")]
async fn insert_rows(file: &Path) {
    let store = SqliteStore::open(file).unwrap();
    for n in 0..ROWS {
        let id = format!("sub_{n}");
        let row = submission(&id, n, &"failing ".repeat(500));
        let source = fixtures::submission_source(vec![row]);
        if store.insert_submissions(&form_id(), Vec::new(), source).await.is_ok() {
            print_line(format_args!("+{id}"));
        }
    }
}

#[test]
fn acknowledged_rows_survive_disk_faults() {
    if let Some((file, _)) = child::child_role() {
        return insert_rows(&file);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let mut faulted = 0;
    let mut acknowledged = 0;
    for fault in FAULTS {
        for place in FAULT_CALLS {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("sheaf.db");
            runtime.block_on(async {
                fixtures::owner_and_form(&SqliteStore::open(&file).unwrap()).await;
            });
            let inject = format!("inject={fault}:when={place}");
            let calls = format!("trace={}", fault.split(':').next().unwrap());
            let before = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", &calls, "-e", &inject];
            let done = child::child_command(&before, NAME, &file, "work").output();
            let done = done.expect("`strace` is needed: `sudo apt-get install strace`");
            let output = String::from_utf8(done.stdout).unwrap();
            let ids: BTreeSet<_> = output
                .lines()
                .filter_map(|line| line.strip_prefix('+'))
                .map(str::to_owned)
                .collect();
            acknowledged += ids.len();
            faulted += usize::from(ids.len() < usize::try_from(ROWS).unwrap());
            let stored: BTreeSet<String> = runtime.block_on(async {
                let store = SqliteStore::open(&file).unwrap();
                crate::list_rows(&store)
                    .await
                    .into_iter()
                    .map(|row| row.position.id.into())
                    .collect()
            });
            let missing: Vec<_> = ids.difference(&stored).collect();
            assert!(missing.is_empty(), "{inject}: acknowledged and lost: {missing:?}");
            assert_eq!(crate::check_file(&file), u64::try_from(stored.len()).unwrap(), "{inject}");
        }
    }
    eprintln!(
        "{faulted} of {} faults had an effect, {acknowledged} rows acknowledged",
        FAULTS.len() * FAULT_CALLS.len()
    );
    assert!(
        faulted > 10 && acknowledged > 300,
        "{faulted} had an effect, {acknowledged} acknowledged"
    );
}

#[test]
fn exceeded_quota_is_a_full_disk() {
    if let Some((file, _)) = child::child_role() {
        return exhaust_quota(&file);
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sheaf.db");
    let calls = "trace=pwrite64,fallocate";
    let write = "inject=pwrite64:error=EDQUOT:when=600+";
    let ask = "inject=fallocate:error=EDQUOT";
    let before = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", calls, "-e", write, "-e", ask];
    let mut command = child::child_command(&before, QUOTA, &file, "use up");
    let done = command.stderr(Stdio::piped()).output();
    let done = done.expect("`strace` is needed: `sudo apt-get install strace`");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    assert!(crate::check_file(&file) > 10);
}

#[tokio::main(flavor = "current_thread")]
async fn exhaust_quota(file: &Path) {
    let store = SqliteStore::open(file).unwrap();
    fixtures::owner_and_form(&store).await;
    let insert = async |n: i64| {
        let row = submission(&format!("sub_{n}"), n, &"within a quota ".repeat(500));
        store
            .insert_submissions(&form_id(), Vec::new(), fixtures::submission_source(vec![row]))
            .await
    };
    let mut accepted = 0;
    let error = loop {
        match insert(accepted).await {
            Ok(_) => accepted += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(error, StoreError::DiskFull), "{error:?}");
    assert!(matches!(insert(accepted).await, Err(StoreError::DiskFull)));
    assert_eq!(fixtures::count_all(&store).await, u64::try_from(accepted).unwrap(), "reads fail");
}
