//! Deletions that were decided and not yet done: what waits, what comes next, what failed, and the
//! text by which they outlive the page. It neither deletes nor reads a clock.
//!
//! Of a submission only its id and its instant are kept, and no answer.

pub mod pace;

use std::collections::{HashSet, VecDeque};

use contract::{Environment, Filter, FormId, ListQuery, SubmissionId, Timestamp};

use super::{feed::Key, filter};

/// How long a decision can be taken back before anything is deleted, in milliseconds.
pub const GRACE_MS: u64 = 10_000;
/// Behind what is gone, where it is written down.
const GONE: &str = " gone";
/// Behind what was on its way when it was written down.
const SENT: &str = " sent";
/// So many failures in a row mean that the next would fail too.
const FAILURES_MAX: u32 = 5;

/// What all that match are: those under a filter that are older than an instant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    /// The filter, as it was at the moment of the decision.
    pub filter: Filter,
    /// The instant right after the newest of them: what arrives later stays.
    pub before: Timestamp,
}

/// A deletion that was failed at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failed {
    /// Of what.
    pub key: Key,
    /// Why, in a sentence.
    pub why: String,
}

/// What was decided at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// What tells it from others.
    pub id: u64,
    /// The environment.
    pub environment: Environment,
    /// The form.
    pub form: FormId,
    /// What to delete, next first.
    pub waiting: VecDeque<Key>,
    /// Where more of it comes from.
    pub scope: Option<Scope>,
    /// Which of it is being deleted at this moment: nobody knows whether it is gone.
    pub sent: Option<Key>,
    /// Which of it were when an earlier visit ended: nobody knows that of them, either.
    pub unsure: Vec<Key>,
    /// Which are gone since it was written down.
    pub gone: Vec<Key>,
    /// How many more may come: never more than were agreed to.
    pub left: u64,
    /// How many are gone.
    pub done: u64,
    /// Until when nothing is deleted, in milliseconds since 1970; 0 once it is under way.
    pub due_ms: u64,
    /// What could not be deleted.
    pub failed: Vec<Failed>,
    /// Whether it goes no further by itself.
    pub stopped: bool,
    /// How many failed since the last that went.
    pub failures: u32,
    /// Whether the browser refused to keep it.
    pub unkept: bool,
}

/// What to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Ask which submissions a scope still has, at most 100 of them.
    Find(u64, Scope),
    /// Delete one.
    Delete(u64, Key),
}

impl Job {
    /// Returns a decision that can be taken back until `due_ms`.
    pub fn new(id: u64, environment: Environment, form: FormId, due_ms: u64) -> Self {
        Self {
            id,
            environment,
            form,
            waiting: VecDeque::new(),
            scope: None,
            sent: None,
            unsure: Vec::new(),
            gone: Vec::new(),
            left: 0,
            done: 0,
            due_ms,
            failed: Vec::new(),
            stopped: false,
            failures: 0,
            unkept: false,
        }
    }

    /// Returns how many submissions it is about.
    pub fn total(&self) -> u64 {
        self.done + self.open() + self.failed.len() as u64
    }

    /// Returns how many of them have neither gone nor failed.
    pub fn open(&self) -> u64 {
        self.waiting.len() as u64 + self.left
    }

    fn drop(&mut self, key: &Key) {
        if self.waiting.front() == Some(key) {
            self.waiting.pop_front();
        } else {
            self.waiting.retain(|one| one != key);
        }
        self.unsure.retain(|one| one != key);
    }

    /// Returns those of which nobody knows whether they are gone.
    pub fn doubtful(&self) -> impl Iterator<Item = &Key> {
        self.unsure.iter().chain(&self.sent)
    }

    /// Returns what of it waits, but for the one whose answer is on its way.
    pub fn rest(&self) -> impl Iterator<Item = &Key> {
        self.waiting.iter().filter(|key| self.sent.as_ref() != Some(key))
    }

    /// Returns what of the rest waits no more, as another tab left it: all, where nothing is left.
    pub fn lost(&self, left: Option<&Self>) -> Vec<Key> {
        let still: HashSet<_> = left.iter().flat_map(|left| &left.waiting).collect();
        self.rest().filter(|key| !still.contains(key)).cloned().collect()
    }

    /// Takes in that one is gone.
    pub fn gone(&mut self, key: &Key) {
        self.drop(key);
        self.gone.push(key.clone());
        (self.done, self.failures) = (self.done + 1, 0);
    }

    /// Takes in that one could not be deleted. `hopeless` says that the others cannot be, either.
    pub fn fail(&mut self, key: &Key, why: String, hopeless: bool) {
        self.drop(key);
        self.failed.push(Failed { key: key.clone(), why });
        self.failures += 1;
        self.stopped = self.stopped || hopeless || self.failures >= FAILURES_MAX;
    }

    /// Takes in which submissions its scope still has: the first page of them, newest first.
    pub fn found(&mut self, keys: Vec<Key>) {
        let Some(scope) = &mut self.scope else { return };
        let Some(last) = keys.last().map(|key| key.0) else {
            self.left = 0;
            return;
        };
        let failed = |key: &Key| self.failed.iter().any(|one| one.key == *key);
        let wanted = usize::try_from(self.left).unwrap_or(usize::MAX);
        let fresh: Vec<_> = keys.into_iter().filter(|key| !failed(key)).take(wanted).collect();
        if fresh.is_empty() {
            // None but those that failed: the others are older, unless all bear one instant.
            let behind = Timestamp::from_micros(last.micros() + 1).filter(|at| *at < scope.before);
            match behind {
                Some(behind) => scope.before = behind,
                None => self.left = 0,
            }
            return;
        }
        self.left -= fresh.len() as u64;
        self.waiting.extend(fresh);
    }

    /// Tries what failed again, at once.
    pub fn retry(&mut self) -> Vec<Key> {
        let keys: Vec<_> = self.failed.drain(..).map(|one| one.key).collect();
        self.waiting.extend(keys.iter().cloned());
        (self.stopped, self.failures) = (false, 0);
        keys
    }

    /// Tries one that failed again, before the others. Where it stopped, that one tells whether it
    /// goes on: it stops again where it fails again.
    pub fn retry_one(&mut self, id: &SubmissionId) -> Option<Key> {
        let place = self.failed.iter().position(|one| one.key.1 == *id)?;
        let key = self.failed.remove(place).key;
        self.waiting.push_front(key.clone());
        self.stopped = false;
        Some(key)
    }

    /// Returns whether nothing of it is left to be done or told.
    pub fn is_over(&self) -> bool {
        self.open() == 0 && self.failed.is_empty()
    }

    /// Whether it goes on by itself, now or when its time has come.
    pub fn is_under_way(&self) -> bool {
        self.open() > 0 && !self.stopped
    }

    fn step(&self, now_ms: u64) -> Option<Step> {
        if self.stopped || now_ms < self.due_ms {
            return None;
        }
        let find = || Some(Step::Find(self.id, self.scope.clone().filter(|_| self.left > 0)?));
        self.waiting.front().map(|key| Step::Delete(self.id, key.clone())).or_else(find)
    }

    /// Writes it down.
    pub fn write(&self) -> String {
        let Self { environment, form, left, done, due_ms, .. } = self;
        let scope = self.scope.as_ref().map_or_else(String::new, |Scope { filter, before }| {
            let query = ListQuery { filter: filter.clone(), ..ListQuery::default() }.write();
            format!("{} {query}", before.micros())
        });
        let mut text = format!("{environment} {form} {left} {done} {due_ms} {scope}\n");
        let mut line = |(at, id): &Key, mark: &str| {
            for part in [at.micros().to_string().as_str(), " ", id.as_str(), mark, "\n"] {
                text.push_str(part);
            }
        };
        for key in &self.waiting {
            line(key, if self.doubtful().any(|one| one == key) { SENT } else { "" });
        }
        // What failed is tried again by whoever goes on.
        self.failed.iter().for_each(|one| line(&one.key, ""));
        self.gone.iter().for_each(|key| line(key, GONE));
        text
    }

    /// Reads what [`Job::write`] wrote; `None` where it is anything else.
    pub fn read(id: u64, text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let mut head = lines.next()?.split(' ');
        let (environment, form) = (head.next()?.parse().ok()?, head.next()?.parse().ok()?);
        let mut number = || head.next()?.parse::<u64>().ok();
        let (left, done, due_ms) = (number()?, number()?, number()?);
        let before = head.next().and_then(|text| Timestamp::from_micros(text.parse().ok()?));
        let query = head.next().unwrap_or_default();
        let scope = before.map(|before| Scope { filter: filter::read(query).filter, before });
        let mut job = Self { scope, left, done, ..Self::new(id, environment, form, due_ms) };
        for line in lines {
            let (gone, sent) = (line.strip_suffix(GONE), line.strip_suffix(SENT));
            let (at, id) = gone.or(sent).unwrap_or(line).split_once(' ')?;
            let key = (Timestamp::from_micros(at.parse().ok()?)?, id.parse().ok()?);
            if gone.is_some() {
                job.gone.push(key);
                continue;
            }
            if sent.is_some() {
                job.unsure.push(key.clone());
            }
            job.waiting.push_back(key);
        }
        Some(job)
    }
}

/// Returns what to do next, of all that was decided.
pub fn next(jobs: &[Job], now_ms: u64) -> Option<Step> {
    jobs.iter().find_map(|job| job.step(now_ms))
}

#[cfg(test)]
mod tests;
