//! Loads the figures of the insights page: with one request from servers that have summaries, or
//! else by counting the pages of the list.

mod walk;

use std::sync::Arc;

use contract::summary::{Summary, SummaryQuery};
use contract::{Environment, Field, Filter, FormId, Plan};
use leptos::{prelude::*, task::spawn_local};

use crate::{
    api::{self, Abort, ApiError, Remote},
    components::calendar,
    state::session::SessionStore,
    ui::react,
};
use walk::Walk;

/// Submissions to summarise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The environment.
    pub environment: Environment,
    /// The form.
    pub form: FormId,
    /// The filter.
    pub filter: Filter,
}

/// Figures about the submissions of a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figures {
    /// The summary.
    pub summary: Arc<Summary>,
    /// Fields derived from the answers; empty if the summary uses the fields of the form.
    pub fields: Vec<Field>,
    /// Total number of submissions, while only some are counted.
    pub of: Option<u64>,
    /// Delay of the next page by the rate limit, in seconds.
    pub waits_s: Option<u64>,
    /// Error that stopped the counting.
    pub failed: Option<ApiError>,
}

/// Loads the figures, and reloads them when the source changes. Cheap to copy.
#[derive(Clone, Copy)]
pub struct FiguresLoader {
    known: RwSignal<Remote<Figures>>,
    busy: RwSignal<bool>,
    asked: RwSignal<u32>,
    epoch: StoredValue<u32>,
    abort: StoredValue<Abort, LocalStorage>,
    /// Walk that failed and can be continued.
    halted: StoredValue<Option<Walk>, LocalStorage>,
    session: SessionStore,
}

impl FiguresLoader {
    /// Returns a loader that follows `source` until the current reactive owner is disposed of.
    pub fn of(source: Memo<Option<Source>>, session: SessionStore) -> Self {
        let figures = Self {
            known: RwSignal::new(Remote::Loading),
            busy: RwSignal::new(true),
            asked: RwSignal::new(0),
            epoch: StoredValue::new(0),
            abort: StoredValue::new_local(Abort::default()),
            halted: StoredValue::new_local(None),
            session,
        };
        react(move || {
            figures.asked.track();
            let sums = session.capabilities().summaries;
            let plan = session.session().map(|session| session.account.plan);
            if let (Some(source), Some(plan)) = (source.get(), plan) {
                untrack(|| figures.ask(source, sums, plan));
            }
        });
        on_cleanup(move || figures.stop());
        figures
    }

    /// Returns the figures. After a change of the filter, the previous figures stay until new ones
    /// are loaded.
    pub fn known(self) -> Signal<Remote<Figures>> {
        self.known.into()
    }

    /// Returns whether a request is running.
    pub fn busy(self) -> Signal<bool> {
        self.busy.into()
    }

    /// Continues a failed walk; without one, loads again.
    pub fn retry(self) {
        if let Some(walk) = self.halted.try_update_value(Option::take).flatten() {
            self.known.set(walk.known(None, None));
            self.walk(walk);
        } else {
            self.known.set(Remote::Loading);
            self.asked.update(|asked| *asked += 1);
        }
    }

    fn stop(self) {
        self.epoch.try_update_value(|epoch| *epoch += 1);
        self.abort.try_update_value(|abort| *abort = Abort::default());
        self.halted.try_update_value(|halted| *halted = None);
    }

    fn ask(self, source: Source, sums: bool, plan: Plan) {
        self.stop();
        if self.known.with(|known| matches!(known, Remote::Failed(_))) {
            self.known.set(Remote::Loading);
        }
        if !sums {
            self.walk(Walk::new(source, plan));
            return;
        }
        let (epoch, signal) = self.begin();
        spawn_local(async move {
            let Source { form, filter, .. } = source;
            let query = SummaryQuery { filter, time_zone: Some(calendar::time_zone()) };
            let known = match api::summary(&form, &query, signal.as_ref()).await {
                Ok(summary) => Remote::Loaded(Figures {
                    summary: Arc::new(summary),
                    fields: Vec::new(),
                    of: None,
                    waits_s: None,
                    failed: None,
                }),
                Err(error) => Remote::Failed(error),
            };
            self.end(epoch, Some(known));
        });
    }

    fn walk(self, mut walk: Walk) {
        let (epoch, signal) = self.begin();
        spawn_local(async move {
            let walked = walk.run(|known| self.publish(epoch, known), signal.as_ref()).await;
            let known = match walked {
                Ok(()) => None,
                Err(error) if walk.has_begun() => Some(walk.known(None, Some(error))),
                Err(error) => Some(Remote::Failed(error)),
            };
            // A 400 means that the server rejects the cursor: continuing would fail again.
            let failed = known.as_ref().and_then(failure);
            let goes_on = failed.is_some_and(|error| error.status() != Some(400));
            if self.end(epoch, known) && goes_on && walk.has_begun() {
                self.halted.try_set_value(Some(walk));
            }
        });
    }

    fn begin(self) -> (u32, Option<web_sys::AbortSignal>) {
        self.busy.set(true);
        (self.epoch.get_value(), self.abort.with_value(Abort::signal))
    }

    /// Ends a request and stores its result. Returns false if it is outdated.
    fn end(self, epoch: u32, known: Option<Remote<Figures>>) -> bool {
        if self.epoch.try_get_value() != Some(epoch) {
            return false;
        }
        self.busy.set(false);
        if let Some(known) = known {
            if let Some(error) = failure(&known) {
                self.session.notice(error);
            }
            self.known.set(known);
        }
        true
    }

    /// Stores an intermediate result. Returns false if the request is outdated.
    fn publish(self, epoch: u32, known: Remote<Figures>) -> bool {
        let wanted = self.epoch.try_get_value() == Some(epoch);
        if wanted {
            self.known.set(known);
        }
        wanted
    }
}

fn failure(known: &Remote<Figures>) -> Option<&ApiError> {
    match known {
        Remote::Failed(error) => Some(error),
        Remote::Loaded(Figures { failed, .. }) => failed.as_ref(),
        Remote::Loading => None,
    }
}
