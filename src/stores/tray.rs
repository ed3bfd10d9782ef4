//! What waits to be deleted, by account: kept in the browser's storage (`kept`), so that it
//! outlives the page and every tab sees it. Nothing is deleted here; `app::tray` does that, which
//! comes when it is first needed.

mod kept;

use std::collections::HashMap;

use contract::{Environment, Filter, FormId, SubmissionId, Timestamp};
use leptos::{ev, prelude::*};

use crate::{
    acts,
    model::{
        answers::short_id,
        feed::Key,
        tray::{GRACE_MS, Job, Scope},
    },
    ui::act::come,
};

acts! {
    /// Takes in what another tab changed. Where its code does not come, the tray says so.
    pub(super) fn compared(tray: Tray) in tray => tray.compare();
}

/// Most submissions whose titles are remembered, to name those that fail.
const TITLES_MAX: usize = 4_000;

/// What happened to rows of a form's lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// They wait to be deleted; whether that was decided on the list that is on view.
    Hidden(Vec<Key>, bool),
    /// They stay after all.
    Back(Vec<Key>),
    /// They are gone.
    Gone(Vec<Key>),
    /// All that match wait, or no more; whether the rows are those from before.
    Scope(bool),
}

/// A change, and of which form.
pub type News = (Environment, FormId, Change);

/// The store, to be provided as context by the app.
#[derive(Clone, Copy)]
pub struct Tray {
    account: StoredValue<String>,
    jobs: RwSignal<Vec<Job>>,
    /// Which were left by an earlier visit, or are another tab's: nobody knows yet.
    recalled: StoredValue<Vec<u64>>,
    /// What the submissions of these are called, where that is known: never kept.
    titles: StoredValue<HashMap<SubmissionId, String>>,
    needed: RwSignal<bool>,
    listener: StoredValue<Option<(u32, Callback<News>)>>,
    /// Whether the list on view is fetching, which goes first.
    list_busy: StoredValue<bool>,
}

impl Default for Tray {
    fn default() -> Self {
        Self::new()
    }
}

impl Tray {
    /// Returns an empty tray that hears what other tabs do, owned by the present reactive owner.
    pub fn new() -> Self {
        let tray = Self {
            account: StoredValue::new(String::new()),
            jobs: RwSignal::new(Vec::new()),
            recalled: StoredValue::new(Vec::new()),
            titles: StoredValue::new(HashMap::new()),
            needed: RwSignal::new(false),
            listener: StoredValue::new(None),
            list_busy: StoredValue::new(false),
        };
        let heard = window_event_listener(ev::Custom::<ev::Event>::new("storage"), move |_| {
            // Most of what other tabs keep is not of this store.
            let concerns = || {
                tray.jobs.try_with_untracked(|jobs| !jobs.is_empty()) == Some(true)
                    || !tray.kept().is_empty()
            };
            if tray.account.try_with_value(|account| !account.is_empty()) == Some(true)
                && concerns()
            {
                tray.needed.set(true);
                come(compared(tray), |_| {});
            }
        });
        on_cleanup(move || heard.remove());
        tray
    }

    /// Decides that submissions go: these, or all of a scope, of which there are so many.
    pub fn delete(&self, form: (Environment, FormId), keys: Vec<Key>, all: Option<(Scope, u64)>) {
        let now_ms = now_ms();
        let last = self.jobs.with_untracked(|jobs| jobs.iter().map(|job| job.id).max());
        let id = now_ms.max(last.map_or(0, |last| last + 1));
        let (scope, left) = all.unzip();
        let job = Job {
            waiting: keys.iter().cloned().collect(),
            scope,
            left: left.unwrap_or_default(),
            ..Job::new(id, form.0, form.1, now_ms + GRACE_MS)
        };
        self.needed.set(true);
        self.jobs.update(|jobs| jobs.push(job.clone()));
        self.keep(id);
        let change =
            if job.scope.is_some() { Change::Scope(true) } else { Change::Hidden(keys, true) };
        self.tell(&job, change);
    }

    /// Takes back what has not gone of a decision.
    pub fn undo(&self, id: u64) {
        let Some(job) = self.take(id) else { return };
        self.forget(id);
        self.note_gone(&job, &job.gone);
        let fresh = job.done == 0;
        self.tell(&job, Change::Back(job.rest().cloned().collect()));
        if job.scope.is_some() {
            self.tell(&job, Change::Scope(fresh));
        }
    }

    /// Takes back all of it: whoever signs out leaves nothing behind.
    pub fn empty(&self) {
        let ids: Vec<_> = self.jobs.with_untracked(|jobs| jobs.iter().map(|job| job.id).collect());
        for id in ids {
            self.undo(id);
        }
    }

    /// Takes a decision out, and returns it.
    pub fn take(&self, id: u64) -> Option<Job> {
        let job = self.jobs.try_update(|jobs| {
            let place = jobs.iter().position(|job| job.id == id)?;
            Some(jobs.remove(place))
        })?;
        if self.jobs.try_with_untracked(Vec::is_empty) == Some(true) {
            self.titles.try_update_value(HashMap::clear);
        }
        job
    }

    /// Takes in what submissions are called.
    pub fn name(&self, titles: impl IntoIterator<Item = (SubmissionId, String)>) {
        if self.jobs.try_with_untracked(Vec::is_empty) != Some(false) {
            return;
        }
        self.titles.try_update_value(|known| {
            let room = TITLES_MAX.saturating_sub(known.len());
            known.extend(titles.into_iter().take(room));
        });
    }

    /// Returns what a submission is called: its first answer where that is known, else its id.
    pub fn title(&self, id: &SubmissionId) -> String {
        let title = self.titles.try_with_value(|known| known.get(id).cloned()).flatten();
        title.unwrap_or_else(|| short_id(id.as_str()))
    }

    /// Forgets what a submission was called.
    pub fn unname(&self, id: &SubmissionId) {
        self.titles.try_update_value(|known| known.remove(id));
    }

    /// Changes a decision, and returns what `change` does.
    pub fn change<T>(&self, id: u64, change: impl FnOnce(&mut Job) -> T) -> Option<T> {
        self.jobs.try_update(|jobs| jobs.iter_mut().find(|job| job.id == id).map(change))?
    }

    /// Returns what waits, the oldest first.
    pub fn jobs(&self) -> RwSignal<Vec<Job>> {
        self.jobs
    }

    /// Returns whether there was ever anything in it.
    pub fn needed(&self) -> Signal<bool> {
        self.needed.into()
    }

    /// Tells what happened to rows of a decision.
    pub fn tell(&self, job: &Job, change: Change) {
        if let Some(Some((_, listener))) = self.listener.try_get_value() {
            listener.run((job.environment, job.form.clone(), change));
        }
    }

    /// Calls `heard` with every change, for as long as the present owner lives.
    pub fn listen(&self, heard: impl Fn(News) + Send + Sync + 'static) {
        let listener = self.listener;
        let ticket = listener.with_value(|one| one.as_ref().map_or(0, |one| one.0)) + 1;
        listener.set_value(Some((ticket, Callback::new(heard))));
        on_cleanup(move || {
            listener.try_update_value(|one| one.take_if(|one| one.0 == ticket));
        });
    }

    /// Tells whether the list on view is fetching.
    pub fn list_is_busy(&self, busy: bool) {
        self.list_busy.try_set_value(busy);
    }

    /// Returns whether the list on view is fetching.
    pub fn must_yield(&self) -> bool {
        self.list_busy.try_get_value().unwrap_or(false)
    }

    /// Returns the rows of a form that wait.
    pub fn hidden(&self, environment: Environment, form: &FormId) -> Vec<Key> {
        let of = |job: &&Job| job.environment == environment && job.form == *form;
        self.jobs.with_untracked(|jobs| {
            jobs.iter().filter(of).flat_map(|job| job.waiting.iter().cloned()).collect()
        })
    }

    /// Returns the rows of which nobody knows whether they are gone.
    pub fn doubtful(&self) -> Vec<Key> {
        self.jobs.with_untracked(|jobs| jobs.iter().flat_map(Job::doubtful).cloned().collect())
    }

    /// Returns the instant before which all of a list wait, where they do.
    pub fn bound(
        &self,
        environment: Environment,
        form: &FormId,
        filter: &Filter,
    ) -> Option<Timestamp> {
        self.jobs.with_untracked(|jobs| {
            let here = |job: &&Job| job.environment == environment && job.form == *form;
            let scopes = jobs.iter().filter(here).filter(|job| job.is_under_way());
            let scopes = scopes.filter_map(|job| job.scope.as_ref());
            scopes.filter(|one| one.filter == *filter).map(|one| one.before).max()
        })
    }
}

/// Returns the present, in milliseconds since 1970.
pub fn now_ms() -> u64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "milliseconds since 1970"
    )]
    let now_ms = js_sys::Date::now() as u64;
    now_ms
}
