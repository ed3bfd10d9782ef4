//! A rolling restart and a rolling upgrade under load: no request fails, and no client retries.

use crate::ask::ask;
use crate::sender::{FormUnderTest, Sender, StopOnPanic};
use crate::site::Site;
use crate::test_env::{binary, expect_failure};
use std::net::TcpStream;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

const SENDERS: u32 = 20;
const READERS: usize = 4;
const WRITES_PER_S: u32 = 200;
/// Number of restarts of each instance.
const ROUNDS: usize = 2;
/// Number of acknowledged requests between two steps.
const REQUESTS_BETWEEN_STEPS: u64 = 100;
/// A schema migration of a later release. Migrations before an upgrade only add.
const LATER_MIGRATION: &str = "BEGIN; SELECT pg_advisory_xact_lock(126892214674944); ALTER TABLE forms ADD COLUMN of_later TEXT; \
     INSERT INTO schema_migrations SELECT max(version) + 1, 'later', '' FROM schema_migrations; \
     COMMIT";

#[test]
fn rolling_restart_and_upgrade_fail_no_request() {
    let mut site = Site::start("");
    let form = site.create_form();
    let key = site.create_key();
    let address = site.balancer.clone();
    let target = FormUnderTest::new([&address, &form, &key], SENDERS, WRITES_PER_S, true);
    let mut senders: Vec<_> = (0..SENDERS).map(|n| Sender::new(format!("r{n}"))).collect();
    let read = AtomicU64::new(0);
    std::thread::scope(|scope| {
        let _fails = StopOnPanic(&target.is_over);
        for sender in &mut senders {
            scope.spawn(|| sender.send_until_over(&target));
        }
        for n in 0..READERS {
            let target = &target;
            let read = &read;
            scope.spawn(move || read_until_over(target, n, read));
        }
        for _ in 0..ROUNDS {
            for n in 0..site.instances.len() {
                wait_for_progress(&target);
                restart_instance(&mut site, n);
            }
        }
        wait_for_progress(&target);
        site.run_sql(LATER_MIGRATION);
        wait_for_progress(&target);
        target.is_over.store(true, Ordering::Relaxed);
    });
    let taken: usize = senders.iter().map(|sender| sender.acknowledged.len()).sum();
    let read = read.load(Ordering::Relaxed);
    eprintln!(
        "{} restarts and a schema migration: {taken} submissions, {read} reads, 0 failures",
        ROUNDS * site.instances.len()
    );
    let refused = error_on_newer_schema(&site);
    assert!(refused.contains("newer"), "{refused}");
}

/// Waits until [`REQUESTS_BETWEEN_STEPS`] more requests are acknowledged.
fn wait_for_progress(target: &FormUnderTest<'_>) {
    let enough = target.acknowledged.load(Ordering::Relaxed) + REQUESTS_BETWEEN_STEPS;
    while target.acknowledged.load(Ordering::Relaxed) < enough {
        assert!(!target.is_over.load(Ordering::Relaxed), "a request failed");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Stops an instance as a service manager does, and starts it again.
///
/// Checks that it reports "not ready" while it still accepts connections.
fn restart_instance(site: &mut Site, n: usize) {
    let instance = &mut site.instances[n];
    instance.send_sigterm();
    while instance.is_ready() {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(
        TcpStream::connect(&instance.address).is_ok(),
        "it stopped accepting connections before it reported not ready"
    );
    instance.wait_for_exit();
    instance.restart();
}

/// Repeats a read until the test is over. A failure fails the test.
fn read_until_over(target: &FormUnderTest<'_>, n: usize, read: &AtomicU64) {
    let list = format!("/v1/forms/{}/submissions", target.form);
    let all = [list.clone(), format!("{list}?search=r1"), format!("{list}/export"), "/".to_owned()];
    let header = format!("X-API-Key: {}", target.key);
    let _fails = StopOnPanic(&target.is_over);
    while !target.is_over.load(Ordering::Relaxed) {
        let answer = ask(target.address, "GET", &all[n], &[&header], "");
        let status = answer.as_ref().map(|(status, _)| *status);
        assert_eq!(status, Some(200), "{} failed: {answer:?}", all[n]);
        read.fetch_add(1, Ordering::Relaxed);
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Starts a command on the newer schema and returns its error.
fn error_on_newer_schema(site: &Site) -> String {
    let mut command = binary();
    command.args(["account", "list"]).env("SHEAF_DATABASE_URL", &site.url);
    expect_failure(&command.output().unwrap())
}
