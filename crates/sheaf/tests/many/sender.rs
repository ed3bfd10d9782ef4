//! Good clients: they send submissions with a key of idempotency, delete some, and send again what
//! got no answer. They remember what was acknowledged.

use crate::ask::ask;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// After so many submissions, one is deleted.
const DELETE_EVERY: usize = 7;
/// How long somebody waits who got no answer, or a 503.
const PAUSE: Duration = Duration::from_millis(50);
/// How often somebody sends again before something must be wrong.
const TRIES_MAX: u32 = 2000;

/// Where to send, as whom, and how often.
pub(crate) struct FormUnderTest<'a> {
    pub(crate) address: &'a str,
    pub(crate) form: &'a str,
    pub(crate) key: &'a str,
    /// Between two requests of one sender.
    pub(crate) every: Duration,
    /// Where nothing may fail: whether a first answer must be the right one.
    pub(crate) is_strict: bool,
    pub(crate) is_over: AtomicBool,
    pub(crate) acknowledged: AtomicU64,
}

impl<'a> FormUnderTest<'a> {
    /// A target at which so many senders together send so much.
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

/// One sender.
#[derive(Default)]
pub(crate) struct Sender {
    name: String,
    sent: usize,
    /// Submissions that were acknowledged: what each says, with its id.
    pub(crate) taken: BTreeMap<String, String>,
    /// Ids of which the deletion was acknowledged.
    pub(crate) gone: BTreeSet<String>,
    /// How often something was sent again, because nobody answered and because of a 5xx.
    pub(crate) unanswered: usize,
    pub(crate) refused: usize,
}

impl Sender {
    pub(crate) fn new(name: String) -> Self {
        Self { name, ..Self::default() }
    }

    /// Sends until all is over. What was begun is brought to its end.
    pub(crate) fn work(&mut self, target: &FormUnderTest<'_>) {
        let _fails = EndsIfItFails(&target.is_over);
        let mut next = Instant::now();
        while !target.is_over.load(Ordering::Relaxed) {
            self.send(target);
            let now = Instant::now();
            // Who is late sends a little more often, for no more than four.
            next = (next + target.every).max(now.checked_sub(target.every * 4).unwrap_or(now));
            std::thread::sleep(next.saturating_duration_since(now));
        }
    }

    fn send(&mut self, target: &FormUnderTest<'_>) {
        let what = format!("{}-{}", self.name, self.sent);
        let body = format!("{{\"what\":\"{what}\",\"more\":\"{}\"}}", "more ".repeat(40));
        let (path, key) = (format!("/f/{}", target.form), format!("Idempotency-Key: {what}"));
        let (_, answer) = self.insist(target, ("POST", &path, &key, &body), &[201]);
        let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
        let id = answer["data"]["id"].as_str().unwrap().to_owned();
        self.taken.insert(what, id.clone());
        self.sent += 1;
        if self.sent.is_multiple_of(DELETE_EVERY) {
            let (path, key) =
                (format!("/v1/submissions/{id}"), format!("X-API-Key: {}", target.key));
            // The second where the deletion was done before, and its acknowledgement lost.
            self.insist(target, ("DELETE", &path, &key, ""), &[204, 404]);
            self.gone.insert(id);
        }
    }

    /// Sends the same request until it is answered as it should be.
    fn insist(
        &mut self,
        target: &FormUnderTest<'_>,
        (method, path, header, body): (&str, &str, &str, &str),
        good: &[u16],
    ) -> (u16, String) {
        for _ in 0..TRIES_MAX {
            match ask(target.address, method, path, &[header], body) {
                Some(answer) if good.contains(&answer.0) => {
                    target.acknowledged.fetch_add(1, Ordering::Relaxed);
                    return answer;
                }
                None => self.unanswered += 1,
                // 429: where nobody counts for all, each instance lets in its share alone.
                Some((429 | 502..=504, _)) => self.refused += 1,
                Some((status, answer)) => panic!("{method} {path}: {status} {answer}"),
            }
            assert!(!target.is_strict, "{method} {path} failed");
            std::thread::sleep(PAUSE);
        }
        panic!("{method} {path} was never answered");
    }
}

/// Ends the work of all where one fails.
pub(crate) struct EndsIfItFails<'a>(pub(crate) &'a AtomicBool);

impl Drop for EndsIfItFails<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}
