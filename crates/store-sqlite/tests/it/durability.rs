//! Acknowledged writes survive `kill -9`.
//!
//! This is the quick test. The target `durability` kills the real server a thousand times, and cuts
//! its power.

use super::TestFolder;
use std::collections::HashSet;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use store::Store;
use store_sqlite::SqliteStore;
use store_tests::fixtures::{self, form_id, submission};

const FILE: &str = "SHEAF_TEST_DURABILITY_FILE";
const ROUND: &str = "SHEAF_TEST_DURABILITY_ROUND";
const NAME: &str = "durability::acknowledged_writes_survive_kill";

/// Inserts and deletes rows and prints each acknowledged change, until the process is killed or the
/// parent no longer reads.
#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn write_until_killed(file: &Path, round: &str) {
    let store = Arc::new(SqliteStore::open(file).unwrap());
    let workers = (0..8).map(|worker| {
        let store = Arc::clone(&store);
        let round = round.to_owned();
        tokio::spawn(async move {
            for n in 0_i64.. {
                let id = format!("sub_{round}_{worker}_{n}");
                fixtures::insert_submissions(&*store, vec![submission(&id, n, "kept")]).await;
                print_line(format_args!("+{id}"));
                if n % 4 == 3 {
                    store.delete_submission(&id.parse().unwrap()).await.unwrap();
                    print_line(format_args!("-{id}"));
                }
            }
        })
    });
    for worker in workers.collect::<Vec<_>>() {
        worker.await.unwrap();
    }
}

/// Prints a line of its own, even after unfinished output of the test runner. Panics if the parent
/// no longer reads.
fn print_line(line: std::fmt::Arguments<'_>) {
    let mut stdout = std::io::stdout().lock();
    writeln!(stdout, "\n{line}").and_then(|()| stdout.flush()).unwrap();
}

fn spawn_child(file: &Path, round: usize) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", NAME, "--nocapture"])
        .env(FILE, file)
        .env(ROUND, round.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn acknowledged_writes_survive_kill() {
    if let (Some(file), Ok(round)) = (std::env::var_os(FILE), std::env::var(ROUND)) {
        return write_until_killed(Path::new(&file), &round);
    }
    let place = TestFolder::new();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async { fixtures::owner_and_form(&place.open()).await });
    let mut inserted = HashSet::new();
    let mut deleted = HashSet::new();
    for round in 0..3 {
        let mut child = spawn_child(&place.file(), round);
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut lines_read = 0;
        // Lines from before the kill are still read to the end.
        for line in lines.map_while(Result::ok) {
            match line.split_at_checked(1) {
                Some(("+", id)) => inserted.insert(id.to_owned()),
                Some(("-", id)) => deleted.insert(id.to_owned()),
                _ => continue,
            };
            lines_read += 1;
            if lines_read == 600 {
                child.kill().unwrap();
            }
        }
        child.wait().unwrap();
        assert!(lines_read >= 600, "the child ended early");
        runtime.block_on(check_acknowledged(&place, &inserted, &deleted));
    }
}

async fn check_acknowledged(
    place: &TestFolder,
    inserted: &HashSet<String>,
    deleted: &HashSet<String>,
) {
    let store = place.open();
    for id in inserted.difference(deleted) {
        let found = store.find_submission(&id.parse().unwrap()).await.unwrap();
        // The kill may have come between the deletion and its acknowledgement.
        let last_of_its_worker = id.rsplit('_').next().unwrap().parse::<u64>().unwrap() % 4 == 3;
        assert!(found.is_some() || last_of_its_worker, "`{id}` was acknowledged but is missing");
    }
    for id in deleted {
        let found = store.find_submission(&id.parse().unwrap()).await.unwrap();
        assert!(found.is_none(), "`{id}` was deleted but exists");
    }
    let form = store.find_form(&form_id()).await.unwrap().unwrap().form;
    assert_eq!(form.submission_count, fixtures::count_all(&store).await);
}
