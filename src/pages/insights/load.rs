//! Loads the figures of the insights page: with one request from servers that have summaries, or
//! else by counting the pages of the list.

mod walk;

use std::sync::Arc;

use contract::summary::{Distributions, Summary, SummaryQuery};
use contract::{Environment, Field, Filter, FormId, Plan};
use leptos::{prelude::*, task::spawn_local};

use crate::{
    api::{self, AbortOnDrop, ApiError, Remote},
    components::calendar,
    state::session::SessionStore,
    ui::run_effect,
};
use walk::PageWalk;

/// Submissions to summarise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FiguresSource {
    /// The environment.
    pub environment: Environment,
    /// The form.
    pub form: FormId,
    /// The filter.
    pub filter: Filter,
}

/// Figures about the submissions of a form.
#[derive(Debug, Clone, PartialEq)]
pub struct Figures {
    /// The summary.
    pub summary: Arc<Summary>,
    /// Distributions of the answers, once loaded.
    pub distributions: Option<Arc<Distributions>>,
    /// Fields derived from the answers; empty if the summary uses the fields of the form.
    pub fields: Vec<Field>,
    /// Total number of submissions, while only some are counted.
    pub total: Option<u64>,
    /// Delay of the next page by the rate limit, in seconds.
    pub waits_s: Option<u64>,
    /// Error that stopped the counting.
    pub error: Option<ApiError>,
}

/// Loads the figures, and reloads them when the source changes. Cheap to copy.
#[derive(Clone, Copy)]
pub struct FiguresLoader {
    figures: RwSignal<Remote<Figures>>,
    busy: RwSignal<bool>,
    reloads: RwSignal<u32>,
    epoch: StoredValue<u32>,
    abort: StoredValue<AbortOnDrop, LocalStorage>,
    /// Walk that failed and can be continued.
    failed_walk: StoredValue<Option<PageWalk>, LocalStorage>,
    session: SessionStore,
}

impl FiguresLoader {
    /// Returns a loader that follows `source` until the current reactive owner is disposed of.
    pub fn follow_source(source: Memo<Option<FiguresSource>>, session: SessionStore) -> Self {
        let figures = Self {
            figures: RwSignal::new(Remote::Loading),
            busy: RwSignal::new(true),
            reloads: RwSignal::new(0),
            epoch: StoredValue::new(0),
            abort: StoredValue::new_local(AbortOnDrop::default()),
            failed_walk: StoredValue::new_local(None),
            session,
        };
        run_effect(move || {
            figures.reloads.track();
            let sums = session.capabilities().summaries;
            let plan = session.session().map(|session| session.account.plan);
            if let (Some(source), Some(plan)) = (source.get(), plan) {
                untrack(|| figures.load_figures(source, sums, plan));
            }
        });
        on_cleanup(move || figures.abort_request());
        figures
    }

    /// Returns the figures. After a change of the filter, the previous figures stay until new ones
    /// are loaded.
    pub fn figures(self) -> Signal<Remote<Figures>> {
        self.figures.into()
    }

    /// Returns whether a request is running.
    pub fn is_busy(self) -> Signal<bool> {
        self.busy.into()
    }

    /// Continues a failed walk; without one, loads again.
    pub fn retry(self) {
        if let Some(walk) = self.failed_walk.try_update_value(Option::take).flatten() {
            self.figures.set(walk.to_figures(None, None));
            self.run_walk(walk);
        } else {
            self.figures.set(Remote::Loading);
            self.reloads.update(|count| *count += 1);
        }
    }

    fn abort_request(self) {
        self.epoch.try_update_value(|epoch| *epoch += 1);
        self.abort.try_update_value(|abort| *abort = AbortOnDrop::default());
        self.failed_walk.try_update_value(|halted| *halted = None);
    }

    fn load_figures(self, source: FiguresSource, sums: bool, plan: Plan) {
        self.abort_request();
        if self.figures.with(|known| matches!(known, Remote::Failed(_))) {
            self.figures.set(Remote::Loading);
        }
        if !sums {
            self.run_walk(PageWalk::new(source, plan));
            return;
        }
        let (epoch, signal) = self.begin_request();
        spawn_local(async move {
            let FiguresSource { form, filter, .. } = source;
            let time_zone = Some(calendar::time_zone());
            let query = SummaryQuery { filter, time_zone, ..SummaryQuery::default() };
            let mut figures = match api::get_summary(&form, &query, signal.as_ref()).await {
                Ok(summary) => Figures {
                    summary: Arc::new(summary),
                    distributions: None,
                    fields: Vec::new(),
                    total: None,
                    waits_s: None,
                    error: None,
                },
                Err(error) => {
                    self.end_request(epoch, Some(Remote::Failed(error)));
                    return;
                }
            };
            if !self.publish_figures(epoch, Remote::Loaded(figures.clone())) {
                return;
            }
            match api::get_distributions(&form, &query.filter, signal.as_ref()).await {
                Ok(distributions) => figures.distributions = Some(Arc::new(distributions)),
                // An older server has no distributions.
                Err(error) if error.status() == Some(404) => {}
                Err(error) => figures.error = Some(error),
            }
            self.end_request(epoch, Some(Remote::Loaded(figures)));
        });
    }

    fn run_walk(self, mut walk: PageWalk) {
        let (epoch, signal) = self.begin_request();
        spawn_local(async move {
            let result =
                walk.run(|known| self.publish_figures(epoch, known), signal.as_ref()).await;
            let known = match result {
                Ok(()) => None,
                Err(error) if walk.has_begun() => Some(walk.to_figures(None, Some(error))),
                Err(error) => Some(Remote::Failed(error)),
            };
            // A 400 means that the server rejects the cursor: continuing would fail again.
            let failed = known.as_ref().and_then(error_of);
            let can_continue = failed.is_some_and(|error| error.status() != Some(400));
            if self.end_request(epoch, known) && can_continue && walk.has_begun() {
                self.failed_walk.try_set_value(Some(walk));
            }
        });
    }

    fn begin_request(self) -> (u32, Option<web_sys::AbortSignal>) {
        self.busy.set(true);
        (self.epoch.get_value(), self.abort.with_value(AbortOnDrop::signal))
    }

    /// Ends a request and stores its result. Returns false if it is outdated.
    fn end_request(self, epoch: u32, known: Option<Remote<Figures>>) -> bool {
        if self.epoch.try_get_value() != Some(epoch) {
            return false;
        }
        self.busy.set(false);
        if let Some(known) = known {
            if let Some(error) = error_of(&known) {
                self.session.handle_error(error);
            }
            self.figures.set(known);
        }
        true
    }

    /// Stores an intermediate result. Returns false if the request is outdated.
    fn publish_figures(self, epoch: u32, known: Remote<Figures>) -> bool {
        let is_current = self.epoch.try_get_value() == Some(epoch);
        if is_current {
            self.figures.set(known);
        }
        is_current
    }
}

fn error_of(known: &Remote<Figures>) -> Option<&ApiError> {
    match known {
        Remote::Failed(error) => Some(error),
        Remote::Loaded(Figures { error: failed, .. }) => failed.as_ref(),
        Remote::Loading => None,
    }
}
