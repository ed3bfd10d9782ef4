//! Permanently deletes submissions on a server without a trash: one `DELETE` request each
//! (specification, section 4.3), no faster than the rate limit. It does not survive a reload.

pub mod view;

use contract::{
    Environment, Filter, FormId, ListQuery, Plan, RateLimit, SubmissionId, page::LIMIT_MAX,
};
use export_worker::plan::{RequestPace, refused_wait_s};
use gloo_timers::future::TimeoutFuture;
use leptos::{prelude::*, task::spawn_local};

use crate::{
    api::{self, ApiError},
    components::page::explain_error,
    domain::{
        deletion::{Deletion, DeletionPhase},
        list_model::{SubmissionKey, row_key},
    },
    i18n,
    state::{
        changes::{Change, Changes},
        deletions::Deletions,
        session::SessionStore,
        toasts::Toasts,
    },
};

/// The stores that a deletion uses. Cheap to copy.
#[derive(Clone, Copy)]
pub struct Deleter {
    deletions: Deletions,
    changes: Changes,
    session: SessionStore,
    toasts: Toasts,
}

impl Deleter {
    /// Returns a deleter with the stores of the current context.
    pub fn from_context() -> Self {
        Self {
            deletions: expect_context(),
            changes: expect_context(),
            session: expect_context(),
            toasts: expect_context(),
        }
    }

    /// Deletes submissions. If a deletion for the same form is running, they are added to it.
    ///
    /// # Errors
    ///
    /// Fails while submissions of another form are being deleted.
    pub fn delete_submissions(
        self,
        environment: Environment,
        form: &FormId,
        keys: Vec<SubmissionKey>,
    ) -> Result<(), String> {
        if !self.deletions.is_running() {
            self.show_deletion(Deletion::new(environment, form.clone(), keys));
            self.resume_deletion();
            return Ok(());
        }
        let mut joined = false;
        self.deletions.change(|deletion| {
            joined = deletion.environment == environment && deletion.form == *form;
            if joined {
                deletion.add(keys);
            }
        });
        if joined { Ok(()) } else { Err(i18n::deletion().busy.to_owned()) }
    }

    /// Deletes the submissions that match a filter, at most `count`, the number that the user
    /// confirmed.
    ///
    /// # Errors
    ///
    /// Fails while another deletion is running.
    pub fn delete_matching(
        self,
        environment: Environment,
        form: &FormId,
        filter: Filter,
        count: u64,
    ) -> Result<(), String> {
        if self.deletions.is_running() {
            return Err(i18n::deletion().busy.to_owned());
        }
        let mut deletion = Deletion::new(environment, form.clone(), Vec::new());
        deletion.phase = DeletionPhase::Listing;
        self.show_deletion(deletion);
        let run = self.deletions.begin_run();
        let form = form.clone();
        spawn_local(async move {
            let listed = self.list_matching(run, environment, &form, filter, count).await;
            if !self.deletions.is_current(run) {
                return;
            }
            if let Err(error) = &listed {
                self.session.handle_error(error);
                self.toasts.show_error((i18n::deletion().list_failed)(&explain_error(error)));
                if !self.has_pending() {
                    return self.deletions.clear();
                }
            }
            // Other submissions may have been added meanwhile.
            self.deletions.change(|deletion| {
                deletion.add(listed.unwrap_or_default());
                deletion.phase = DeletionPhase::Deleting;
            });
            self.run_deletion(run).await;
        });
        Ok(())
    }

    /// Stops. The remaining submissions are not deleted.
    pub fn stop_deletion(self) {
        self.deletions.begin_run();
        if self.has_pending() {
            self.deletions.change(|deletion| deletion.phase = DeletionPhase::Stopped(None));
        } else {
            self.deletions.clear();
        }
    }

    fn has_pending(self) -> bool {
        self.deletions.current().with_untracked(|deletion| {
            deletion.as_ref().is_some_and(|deletion| !deletion.pending.is_empty())
        })
    }

    /// Continues, and retries failed submissions.
    pub fn retry_all(self) {
        self.deletions.change(Deletion::retry);
        self.resume_deletion();
    }

    /// Retries a failed submission.
    pub fn retry_one(self, id: &SubmissionId) {
        let running = self.deletions.is_running();
        self.deletions.change(|deletion| deletion.retry_one(id));
        if !running {
            self.resume_deletion();
        }
    }

    fn show_deletion(self, deletion: Deletion) {
        self.deletions.was_started().set(true);
        self.deletions.current().set(Some(deletion));
    }

    fn resume_deletion(self) {
        let run = self.deletions.begin_run();
        spawn_local(self.run_deletion(run));
    }

    /// Lists the matching submissions page by page, newest first.
    async fn list_matching(
        self,
        run: u32,
        environment: Environment,
        form: &FormId,
        filter: Filter,
        count: u64,
    ) -> Result<Vec<SubmissionKey>, ApiError> {
        let mut query = ListQuery { filter, limit: LIMIT_MAX, cursor: None, sort: None };
        let mut keys: Vec<SubmissionKey> = Vec::new();
        let max = usize::try_from(count).unwrap_or(usize::MAX);
        while self.deletions.is_current(run) {
            let answer = match api::list_submissions(environment, form, &query, None).await {
                Err(ApiError::Status { status: 429, retry_after_s, .. }) => {
                    sleep_ms(refused_wait_s(retry_after_s) * 1000).await;
                    continue;
                }
                answer => answer?,
            };
            let rows = answer.body.data.iter();
            keys.extend(rows.map(row_key));
            let next = answer.body.pagination.next().map(str::to_owned);
            // The same cursor twice would cause an endless loop.
            if next.is_none() || next == query.cursor || keys.len() >= max {
                break;
            }
            query.cursor = next;
            sleep_ms(pace_ms(self.session, answer.rate)).await;
        }
        keys.truncate(max);
        Ok(keys)
    }

    async fn run_deletion(self, run: u32) {
        loop {
            let next = self.deletions.current().try_with_untracked(|deletion| {
                let deletion = deletion.as_ref()?;
                Some((deletion.environment, deletion.form.clone(), deletion.next_key()?))
            });
            let Some(Some((environment, form, key))) = next else { break };
            if !self.deletions.is_current(run) {
                return;
            }
            let answer = api::delete_submission(environment, &key.1).await;
            let wait_ms = match answer {
                Ok(answer) => {
                    self.mark_deleted(environment, &form, key);
                    pace_ms(self.session, answer.rate)
                }
                Err(error) => self.handle_error(environment, &form, key, &error),
            };
            sleep_ms(wait_ms).await;
        }
        if self.deletions.is_current(run) {
            self.finish_deletion();
        }
    }

    fn mark_deleted(self, environment: Environment, form: &FormId, key: SubmissionKey) {
        self.deletions.change(|deletion| deletion.mark_deleted(&key));
        self.changes.notify(environment, Some(form), Change::Removed(vec![key]));
    }

    /// Handles an error of a `DELETE`. Returns the delay before the next request, in milliseconds.
    fn handle_error(
        self,
        environment: Environment,
        form: &FormId,
        key: SubmissionKey,
        error: &ApiError,
    ) -> u64 {
        self.session.handle_error(error);
        match error {
            ApiError::Status { status: 404, .. } => self.mark_deleted(environment, form, key),
            ApiError::Status { status: 429, retry_after_s, .. } => {
                return refused_wait_s(*retry_after_s) * 1000;
            }
            // These errors would affect every further request, so the deletion stops.
            ApiError::Network
            | ApiError::SessionEnded
            | ApiError::Aborted
            | ApiError::ReauthenticationRequired(_)
            | ApiError::Status { status: 401 | 403, .. } => {
                let reason = explain_error(error);
                self.deletions
                    .change(|deletion| deletion.phase = DeletionPhase::Stopped(Some(reason)));
            }
            error => {
                self.deletions.change(|deletion| deletion.mark_failed(key, explain_error(error)));
            }
        }
        0
    }

    fn finish_deletion(self) {
        let done = self.deletions.current().with_untracked(|deletion| {
            let deletion = deletion.as_ref()?;
            (deletion.pending.is_empty() && deletion.failures.is_empty())
                .then_some(deletion.deleted_count)
        });
        if let Some(done) = done {
            self.deletions.clear();
            self.toasts.show_success((i18n::deletion().deleted)(done));
        }
    }
}

/// Returns how long to wait after a response before the next request, in milliseconds.
pub(super) fn pace_ms(session: SessionStore, rate: Option<RateLimit>) -> u64 {
    let plan = untrack(|| session.session()).map_or(Plan::Free, |session| session.account.plan);
    RequestPace::from_rate_limit(plan, rate).wait_ms(rate, 0)
}

/// Waits for a number of milliseconds.
pub(super) async fn sleep_ms(ms: u64) {
    TimeoutFuture::new(u32::try_from(ms).unwrap_or(u32::MAX)).await;
}
