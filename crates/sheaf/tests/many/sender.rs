//! Well-behaved clients: they send submissions with an idempotency key, delete some, retry without
//! a response, and record each acknowledgement.

use crate::ask::ask;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// One of this many submissions is deleted.
const DELETE_EVERY: usize = 7;
/// Pause of a client after no response, or after a 503.
const PAUSE: Duration = Duration::from_millis(50);
/// Number of attempts after which the test fails.
const ATTEMPTS_MAX: u32 = 2000;

/// Address, form, key and rate of the requests.
pub(crate) struct FormUnderTest<'a> {
    pub(crate) address: &'a str,
    pub(crate) form: &'a str,
    pub(crate) key: &'a str,
    /// Interval between two requests of one sender.
    pub(crate) every: Duration,
    /// Whether each first attempt must succeed.
    pub(crate) is_strict: bool,
    pub(crate) is_over: AtomicBool,
    pub(crate) acknowledged: AtomicU64,
}

impl<'a> FormUnderTest<'a> {
    /// Returns a target for `senders` clients that send `writes_per_s` submissions a second in
    /// total.
    pub(crate) fn new(to: [&'a str; 3], senders: u32, writes_per_s: u32, is_strict: bool) -> Self {
        let [address, form, key] = to;
        Self {
            address,
            form,
            key,
            every: Duration::from_secs(1) * senders / writes_per_s,
            is_strict,
            is_over: AtomicBool::new(false),
            acknowledged: AtomicU64::new(0),
        }
    }
}

/// State of one client.
#[derive(Default)]
pub(crate) struct Sender {
    name: String,
    sent: usize,
    /// Acknowledged submissions: the value of `what`, and the id.
    pub(crate) acknowledged: BTreeMap<String, String>,
    /// Ids with an acknowledged deletion.
    pub(crate) deleted: BTreeSet<String>,
    /// Number of retries because there was no response.
    pub(crate) unanswered: usize,
    /// Number of retries because of a 5xx or 429 status.
    pub(crate) refused: usize,
}

impl Sender {
    pub(crate) fn new(name: String) -> Self {
        Self { name, ..Self::default() }
    }

    /// Sends until the test is over. A submission that was begun is completed.
    pub(crate) fn send_until_over(&mut self, target: &FormUnderTest<'_>) {
        let _fails = StopOnPanic(&target.is_over);
        let mut next = Instant::now();
        while !target.is_over.load(Ordering::Relaxed) {
            self.send_submission(target);
            let now = Instant::now();
            // A late client catches up, by four requests at most.
            next = (next + target.every).max(now.checked_sub(target.every * 4).unwrap_or(now));
            std::thread::sleep(next.saturating_duration_since(now));
        }
    }

    fn send_submission(&mut self, target: &FormUnderTest<'_>) {
        let what = format!("{}-{}", self.name, self.sent);
        let body = format!("{{\"what\":\"{what}\",\"more\":\"{}\"}}", "more ".repeat(40));
        let path = format!("/f/{}", target.form);
        let key = format!("Idempotency-Key: {what}");
        let (_, answer) = self.send_until_answered(target, ("POST", &path, &key, &body), &[201]);
        let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
        let id = answer["data"]["id"].as_str().unwrap().to_owned();
        self.acknowledged.insert(what, id.clone());
        self.sent += 1;
        if self.sent.is_multiple_of(DELETE_EVERY) {
            let path = format!("/v1/submissions/{id}");
            let key = format!("X-API-Key: {}", target.key);
            // 404: an earlier attempt deleted it, and its acknowledgement was lost.
            self.send_until_answered(target, ("DELETE", &path, &key, ""), &[204, 404]);
            self.deleted.insert(id);
        }
    }

    /// Sends a request until its response has one of the `good` statuses.
    fn send_until_answered(
        &mut self,
        target: &FormUnderTest<'_>,
        (method, path, header, body): (&str, &str, &str, &str),
        good: &[u16],
    ) -> (u16, String) {
        for _ in 0..ATTEMPTS_MAX {
            match ask(target.address, method, path, &[header], body) {
                Some(answer) if good.contains(&answer.0) => {
                    target.acknowledged.fetch_add(1, Ordering::Relaxed);
                    return answer;
                }
                None => self.unanswered += 1,
                // 429: without shared counters, each instance admits only its share of the limit.
                Some((429 | 502..=504, _)) => self.refused += 1,
                Some((status, answer)) => panic!("{method} {path}: {status} {answer}"),
            }
            assert!(!target.is_strict, "{method} {path} failed");
            std::thread::sleep(PAUSE);
        }
        panic!("{method} {path} was never answered");
    }
}

/// Ends the work of all threads if one panics.
pub(crate) struct StopOnPanic<'a>(pub(crate) &'a AtomicBool);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}
