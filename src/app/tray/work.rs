//! The work of the tray: one deletion after the other through the specified `DELETE` (§4.3), when
//! its time has come, no faster than the rate limit and never ahead of the person. Of several tabs
//! one works, the others show it.

use contract::{Environment, FormId, ListQuery, Plan, RateLimit, SubmissionId, page::LIMIT_MAX};
use exporter::plan::{Pace, refused_wait_s};
use gloo_timers::future::TimeoutFuture;
use js_sys::{Function, Promise, Reflect};
use leptos::{ev, prelude::*, task::spawn_local};
use wasm_bindgen::{JsCast, JsValue, closure::Closure};

use crate::{
    api::{self, ApiError},
    model::{
        answers::{isolated, title},
        feed::Key,
        tray::{self as model, Job, Scope, Step, pace},
    },
    page::explain,
    stores::{
        session::SessionStore,
        toasts::Toasts,
        tray::{Change, Tray, now_ms},
    },
    texts,
};

/// How often the clock of what waits moves on.
const TICK_MS: u32 = 200;
/// Whoever waits so long for its turn is not alone: another tab works.
const ALONE_MS: u32 = 2_000;
/// How long is waited after the network was lost.
const LOST_WAIT_MS: u64 = 5_000;
/// How often an answer of the server's that it failed is asked for again.
const TRIES_MAX: u32 = 3;
/// How often what is under way is written down.
const KEEP_MS: u64 = 1_000;

/// What holds everything up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pause {
    /// The browser says that there is no network, or a request was lost.
    Offline,
    /// An auth proxy wants a new sign-in.
    SessionEnded,
    /// The rate limit is used up until then, in milliseconds since 1970.
    Limit(u64),
}

/// The work; cheap to copy.
#[derive(Clone, Copy)]
pub struct Work {
    tray: Tray,
    session: SessionStore,
    toasts: Toasts,
    /// The time as the tray tells it, in milliseconds since 1970.
    pub now_ms: RwSignal<u64>,
    /// What holds everything up, if anything does.
    pub pause: RwSignal<Option<Pause>>,
    /// Whether this tab does the work.
    pub ours: RwSignal<bool>,
    rate: StoredValue<Option<RateLimit>>,
    sent_ms: StoredValue<u64>,
    /// About how long an answer takes.
    took_ms: StoredValue<u64>,
    kept_ms: StoredValue<u64>,
    tries: StoredValue<u32>,
}

impl Work {
    /// Begins, and works as long as the present owner lives.
    pub fn begin() -> Self {
        let work = Self {
            tray: expect_context(),
            session: expect_context(),
            toasts: expect_context(),
            now_ms: RwSignal::new(now_ms()),
            pause: RwSignal::new(None),
            ours: RwSignal::new(false),
            rate: StoredValue::new(None),
            sent_ms: StoredValue::new(0),
            took_ms: StoredValue::new(0),
            kept_ms: StoredValue::new(0),
            tries: StoredValue::new(0),
        };
        let done = lock(&work.tray.lock_name(), move || {
            spawn_local(work.run());
        });
        let left = ev::Custom::<ev::Event>::new("pagehide");
        let left = window_event_listener(left, move |_| work.leave());
        on_cleanup(move || {
            done.try_update_value(Option::take);
            left.remove();
        });
        spawn_local(async move {
            TimeoutFuture::new(ALONE_MS).await;
            work.tray.follow();
        });
        spawn_local(async move {
            while work.now_ms.try_set(now_ms()).is_none() {
                TimeoutFuture::new(TICK_MS).await;
            }
        });
        work
    }

    /// The turn of this tab has come.
    async fn run(self) {
        if self.ours.try_set(true).is_some() {
            return;
        }
        let next = || {
            self.tray.renew();
            self.tray.jobs().try_with_untracked(|jobs| model::next(jobs, now_ms()))
        };
        while let Some(step) = next() {
            let signed_in = untrack(|| self.session.session()).is_some();
            match step.filter(|_| signed_in) {
                Some(_) if offline() => self.hold(Pause::Offline, u64::from(TICK_MS)).await,
                Some(step) if !self.tray.must_yield() => {
                    self.at_pace().await;
                    self.act(step).await;
                }
                _ => TimeoutFuture::new(TICK_MS / 4).await,
            }
        }
    }

    async fn hold(self, pause: Pause, wait_ms: u64) {
        self.pause.try_set(Some(pause));
        TimeoutFuture::new(u32::try_from(wait_ms).unwrap_or(u32::MAX)).await;
    }

    fn plan(self) -> Plan {
        untrack(|| self.session.session()).map_or(Plan::Free, |one| one.account.plan)
    }

    /// Returns how long so many requests take from now on, in words, where that is worth one.
    pub fn left_text(self, requests: u64) -> Option<String> {
        let rate = self.rate.try_get_value().flatten();
        let took_ms = self.took_ms.try_get_value().unwrap_or_default();
        pace::left_text(self.plan(), rate, requests, took_ms)
    }

    /// Waits as long as the plan and what is left of the window want it.
    async fn at_pace(self) {
        let (plan, rate) = (self.plan(), self.rate.try_get_value().flatten());
        let since_ms = now_ms().saturating_sub(self.sent_ms.try_get_value().unwrap_or_default());
        let wait_ms = Pace::told(plan, rate).wait_ms(rate, since_ms);
        if wait_ms > 0 {
            TimeoutFuture::new(u32::try_from(wait_ms).unwrap_or(u32::MAX)).await;
        }
        self.sent_ms.try_set_value(now_ms());
    }

    async fn act(self, step: Step) {
        match step {
            Step::Find(id, scope) => self.find(id, scope).await,
            Step::Delete(id, key) => self.delete(id, key).await,
        }
        let over = self.tray.jobs().try_with_untracked(|jobs| {
            jobs.iter().filter(|job| job.is_over()).map(|job| job.id).collect::<Vec<_>>()
        });
        for id in over.unwrap_or_default() {
            self.finish(id);
        }
    }

    fn job(self, id: u64) -> Option<(Environment, FormId)> {
        self.tray.change(id, |job| (job.environment, job.form.clone()))
    }

    async fn find(self, id: u64, Scope { mut filter, before }: Scope) {
        let Some((environment, form)) = self.job(id) else { return };
        filter.date_to = Some(filter.date_to.map_or(before, |to| to.min(before)));
        let query = ListQuery { filter, limit: LIMIT_MAX, cursor: None };
        match api::list(environment, &form, &query, None).await {
            Ok(answer) => {
                self.note(answer.rate);
                self.name(&form, &answer.body.data);
                let key = |row: contract::Submission| (row.metadata.submitted_at, row.id);
                let keys: Vec<_> = answer.body.data.into_iter().map(key).collect();
                self.tray.change(id, |job| job.found(keys));
                self.keep(id, true);
            }
            Err(error) if error.status() == Some(404) => {
                self.tray.change(id, |job| job.left = 0);
            }
            Err(error) => {
                if let Some(why) = self.failed(&error).await {
                    self.tray.change(id, |job| job.stopped = true);
                    self.toasts.failed((texts::tray().list_failed)(&why));
                }
            }
        }
    }

    /// Tells what submissions are called, to name those that fail.
    fn name(self, form: &FormId, rows: &[contract::Submission]) {
        let form = untrack(|| self.session.form(form));
        let fields = form.map(|form| form.fields).unwrap_or_default();
        self.tray.name(rows.iter().map(|row| (row.id.clone(), isolated(title(row, &fields)))));
    }

    async fn delete(self, id: u64, key: Key) {
        let Some((environment, form)) = self.job(id) else { return };
        // Another tab may have taken it back.
        if !self.tray.is_kept(id) {
            self.tray.undo(id);
            return;
        }
        self.tray.change(id, |job| job.sent = Some(key.clone()));
        let answer = api::delete(environment, &key.1).await;
        // It counts, whatever became of the decision meanwhile.
        let stays = self.tray.change(id, |job| job.sent = None).is_some();
        let told = Job::new(id, environment, form, 0);
        match answer {
            Ok(answer) => {
                self.note(answer.rate);
                self.gone(&told, key);
            }
            // Somebody else was faster: it is gone all the same.
            Err(error) if error.status() == Some(404) => self.gone(&told, key),
            Err(error) => {
                if !stays {
                    self.tray.tell(&told, Change::Back(vec![key.clone()]));
                }
                let Some(why) = self.failed(&error).await else { return };
                let hopeless = error.status() == Some(403);
                let job = self.tray.change(id, |job| {
                    job.fail(&key, why, hopeless);
                    job.clone()
                });
                if let Some(job) = job {
                    self.tray.tell(&job, Change::Back(vec![key]));
                    if job.scope.is_some() && job.stopped {
                        self.tray.tell(&job, Change::Scope(false));
                    }
                }
            }
        }
    }

    fn note(self, rate: Option<RateLimit>) {
        let last_ms = now_ms().saturating_sub(self.sent_ms.try_get_value().unwrap_or_default());
        self.took_ms.try_update_value(|took_ms| *took_ms = (*took_ms * 3 + last_ms) / 4);
        self.rate.try_set_value(rate);
        self.tries.try_set_value(0);
        if self.pause.try_get_untracked().flatten().is_some() {
            self.pause.try_set(None);
        }
    }

    fn gone(self, told: &Job, key: Key) {
        self.tries.try_set_value(0);
        self.tray.unname(&key.1);
        if self.tray.change(told.id, |job| job.gone(&key)).is_some() {
            self.keep(told.id, false);
        } else {
            self.tray.note_gone(told, std::slice::from_ref(&key));
        }
        self.tray.tell(told, Change::Gone(vec![key]));
    }

    /// Writes down how far a decision is: at once, or now and then.
    fn keep(self, id: u64, at_once: bool) {
        let now_ms = now_ms();
        if at_once || now_ms > self.kept_ms.try_get_value().unwrap_or_default() + KEEP_MS {
            self.kept_ms.try_set_value(now_ms);
            if self.tray.is_kept(id) {
                self.tray.keep(id);
            }
        }
    }

    /// The page goes: whoever goes on shall know what is gone, and what is on its way.
    fn leave(self) {
        let told = |job: &&Job| !job.gone.is_empty() || job.sent.is_some();
        let ids = self.tray.jobs().try_with_untracked(|jobs| {
            jobs.iter().filter(told).map(|job| job.id).collect::<Vec<_>>()
        });
        ids.into_iter().flatten().for_each(|id| self.keep(id, true));
    }

    /// Waits where waiting may help, and returns why not where it does not.
    async fn failed(self, error: &ApiError) -> Option<String> {
        self.session.notice(error);
        match error {
            ApiError::Network => self.hold(Pause::Offline, LOST_WAIT_MS).await,
            ApiError::SessionEnded => self.hold(Pause::SessionEnded, LOST_WAIT_MS).await,
            ApiError::Status { status: 401, .. } => {}
            ApiError::Status { status: 429, retry_after_s, .. } => {
                let wait_s = refused_wait_s(*retry_after_s);
                self.hold(Pause::Limit(now_ms() + wait_s * 1000), wait_s * 1000).await;
                self.pause.try_set(None);
            }
            ApiError::Status { status: 500.., .. } if self.tried() < TRIES_MAX => {
                TimeoutFuture::new(1_000).await;
            }
            error => {
                self.tries.try_set_value(0);
                return Some(explain(error));
            }
        }
        None
    }

    fn tried(self) -> u32 {
        self.tries
            .try_update_value(|tries| {
                *tries += 1;
                *tries
            })
            .unwrap_or(TRIES_MAX)
    }

    fn finish(self, id: u64) {
        self.tray.keep(id);
        let Some(job) = self.tray.take(id) else { return };
        self.tray.forget_soon(id);
        if job.scope.is_some() {
            self.tray.tell(&job, Change::Scope(false));
        }
        self.toasts.done((texts::tray().deleted)(job.done));
    }

    /// Does not wait any longer.
    pub fn hurry(self, id: u64) {
        self.tray.change(id, |job| job.due_ms = 0);
        self.tray.keep(id);
    }

    /// Tries again what failed.
    pub fn retry(self, id: u64) {
        self.again(id, Job::retry);
    }

    /// Tries one that failed again.
    pub fn retry_one(self, id: u64, submission: &SubmissionId) {
        self.again(id, |job| job.retry_one(submission).into_iter().collect());
    }

    fn again(self, id: u64, retry: impl FnOnce(&mut Job) -> Vec<Key>) {
        let job = self.tray.change(id, |job| {
            let keys = retry(job);
            (job.clone(), keys)
        });
        if let Some((job, keys)) = job {
            self.tray.tell(&job, Change::Hidden(keys, true));
            if job.scope.is_some() {
                self.tray.tell(&job, Change::Scope(true));
            }
        }
    }
}

fn offline() -> bool {
    let navigator = window().navigator();
    Reflect::get(&navigator, &"onLine".into()).is_ok_and(|online| online == false)
}

/// Gives up its lock when it is dropped.
struct Held(Function);

impl Drop for Held {
    fn drop(&mut self) {
        // Fails for no function that resolves a promise.
        let _ = self.0.call0(&JsValue::NULL);
    }
}

/// Calls `begin` once no other tab has the lock. An insecure address has no locks: there every tab
/// works, and finds some of it done.
fn lock(name: &str, begin: impl FnOnce() + 'static) -> StoredValue<Option<Held>, LocalStorage> {
    let held = StoredValue::new_local(None);
    let locks = Reflect::get(&window().navigator(), &"locks".into()).unwrap_or_default();
    let request = Reflect::get(&locks, &"request".into());
    let Some(request) = request.ok().and_then(|request| request.dyn_into::<Function>().ok()) else {
        begin();
        return held;
    };
    let until = Promise::new(&mut |resolve, _| held.set_value(Some(Held(resolve))));
    let granted = Closure::once_into_js(move || -> JsValue {
        begin();
        until.into()
    });
    let _: Result<JsValue, JsValue> = request.call2(&locks, &name.into(), &granted);
    held
}
