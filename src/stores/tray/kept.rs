//! How decisions outlive the page, and how tabs hear of each other's: a key of the browser's
//! storage for each decision, so that every tab's change is whole by itself. It deletes nothing.

use std::time::Duration;

use leptos::prelude::*;

use super::{Change, Tray, now_ms};
use crate::{
    model::{
        feed::Key,
        tray::{GRACE_MS, Job},
    },
    scripts::TRAY_KEY,
    stores::view::{put, read, storage},
};

/// How long what is done is left for other tabs to see.
const SEEN: Duration = Duration::from_secs(2);

impl Tray {
    /// Takes up what an account left, or what another tab has: until when it waits stands there.
    pub fn recall(&self, account: &str) {
        if self.account.with_value(|known| known != account) {
            self.account.set_value(account.to_owned());
            let mut jobs = self.kept();
            // Another tab may have ended before it forgot what was done.
            jobs.extract_if(.., |job| job.is_over()).for_each(|job| self.forget(job.id));
            self.recalled.set_value(jobs.iter().map(|job| job.id).collect());
            self.show(jobs);
        }
    }

    /// What was taken up is another tab's: it goes on as that one leaves it.
    pub fn follow(&self) {
        self.recalled.try_update_value(Vec::clear);
    }

    /// What was taken up was left by an earlier visit: it can be taken back for as long as at
    /// first, and other tabs see until when.
    pub fn renew(&self) {
        for id in self.recalled.try_update_value(std::mem::take).into_iter().flatten() {
            if self.is_kept(id) {
                self.change(id, |job| job.due_ms = now_ms() + GRACE_MS);
                self.keep(id);
            }
        }
    }

    /// Takes in what stands in the storage, where another tab changed it.
    pub(super) fn compare(&self) {
        let mut now = self.kept();
        let before = self.jobs.get_untracked();
        // What is gone of a decision that was taken back, is gone in every tab.
        let notes: Vec<_> = now.extract_if(.., |job| !job.gone.is_empty()).collect();
        // What is done is of interest to those alone who saw it begin.
        now.retain(|job| !job.is_over() || before.iter().any(|one| one.id == job.id));
        for job in &before {
            let same = now.iter().find(|one| one.id == job.id);
            let lost = job.lost(same);
            if same.is_none() {
                self.note_gone(job, &job.gone);
            }
            if lost.is_empty() && same.is_some() {
                continue;
            }
            let done = same.is_some_and(|same| same.done > job.done);
            let change = if done { Change::Gone(lost) } else { Change::Back(lost) };
            self.tell(job, change);
        }
        let new: Vec<_> =
            now.iter().filter(|job| before.iter().all(|one| one.id != job.id)).cloned().collect();
        // The tab that works is ahead of what it has written down.
        let ahead = |own: &Job, job: &Job| {
            let tells = !own.failed.is_empty() || own.sent.is_some();
            own.done > job.done || (own.done == job.done && tells)
        };
        let merged = now.into_iter().map(|job| match before.iter().find(|one| one.id == job.id) {
            Some(own) if ahead(own, &job) => own.clone(),
            _ => job,
        });
        self.show(merged.filter(|job| !job.is_over()).collect());
        for job in &new {
            self.tell(job, Change::Hidden(job.waiting.iter().cloned().collect(), false));
        }
        if before.iter().chain(&new).any(|job| job.scope.is_some()) {
            before.iter().chain(&new).for_each(|job| self.tell(job, Change::Scope(false)));
        }
        for note in notes {
            self.tell(&note, Change::Gone(note.gone.clone()));
        }
    }

    fn show(&self, jobs: Vec<Job>) {
        if !jobs.is_empty() {
            self.needed.set(true);
        }
        self.jobs.set(jobs);
    }

    /// Keeps a decision as it stands.
    pub fn keep(&self, id: u64) {
        let key = self.key(id);
        self.change(id, |job| {
            job.gone.clear();
            job.unkept = !put(&key, &job.write());
        });
    }

    /// Tells other tabs which of a decision that was taken back are gone: they do not know it yet,
    /// or learn it only now.
    pub fn note_gone(&self, job: &Job, gone: &[Key]) {
        // The page may be gone by the time that an answer comes.
        if gone.is_empty() || self.account.try_get_value().is_none() {
            return;
        }
        let before = Job::read(job.id, &read(&self.key(job.id)));
        let before = before.map(|note| note.gone).unwrap_or_default();
        let gone = before.into_iter().chain(gone.iter().cloned()).collect();
        let note = Job { gone, ..Job::new(job.id, job.environment, job.form.clone(), 0) };
        put(&self.key(job.id), &note.write());
        self.forget_soon(job.id);
    }

    /// Whether a decision is still kept: another tab may have taken it back.
    pub fn is_kept(&self, id: u64) -> bool {
        let kept = || storage()?.get_item(&self.key(id)).ok().flatten();
        let unkept = self
            .jobs
            .try_with_untracked(|jobs| jobs.iter().find(|job| job.id == id).map(|job| job.unkept));
        unkept.flatten() != Some(false) || kept().is_some()
    }

    pub(super) fn forget(&self, id: u64) {
        put(&self.key(id), "");
    }

    /// Forgets a decision that is done, once other tabs have had time to see that it is: what only
    /// vanishes was taken back.
    pub fn forget_soon(&self, id: u64) {
        let tray = *self;
        set_timeout(move || tray.forget(id), SEEN);
    }

    fn prefix(&self) -> String {
        // The page may be gone by the time that something is forgotten.
        self.account.try_with_value(|account| format!("{TRAY_KEY}{account}-")).unwrap_or_default()
    }

    fn key(&self, id: u64) -> String {
        format!("{}{id}", self.prefix())
    }

    /// Returns what tells this account's tray from others.
    pub fn lock_name(&self) -> String {
        self.prefix()
    }

    /// Returns what is kept of this account.
    pub(super) fn kept(&self) -> Vec<Job> {
        kept(&self.prefix())
    }
}

/// Returns what is kept under a prefix, the oldest first.
fn kept(prefix: &str) -> Vec<Job> {
    let Some(storage) = storage() else { return Vec::new() };
    let count = storage.length().unwrap_or_default();
    let keys = (0..count).filter_map(|index| storage.key(index).ok().flatten());
    let job = |key: String| {
        let id = key.strip_prefix(prefix)?.parse().ok()?;
        Job::read(id, &storage.get_item(&key).ok().flatten()?)
    };
    let mut jobs: Vec<Job> = Vec::new();
    for job in keys.filter_map(job) {
        let place = jobs.partition_point(|one| one.id < job.id);
        jobs.insert(place, job);
    }
    jobs
}
