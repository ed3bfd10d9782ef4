//! Where the figures come from: one request to a server that has them, else the pages of the list,
//! added up here.

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

/// What is summed up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The environment.
    pub environment: Environment,
    /// The form.
    pub form: FormId,
    /// Which of its submissions.
    pub filter: Filter,
}

/// The figures of a form's submissions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figures {
    /// The sums.
    pub summary: Arc<Summary>,
    /// The fields that the summary counts, if they come from answers; else they are the form's.
    pub fields: Vec<Field>,
    /// How many submissions there are, while not all are counted.
    pub of: Option<u64>,
    /// For how many seconds the rate limit delays the next page.
    pub waits_s: Option<u64>,
    /// Why no more submissions are counted.
    pub failed: Option<ApiError>,
}

/// Loads the figures of a source that may change.
#[derive(Clone, Copy)]
pub struct FiguresLoader {
    known: RwSignal<Remote<Figures>>,
    busy: RwSignal<bool>,
    asked: RwSignal<u32>,
    epoch: StoredValue<u32>,
    abort: StoredValue<Abort, LocalStorage>,
    /// A walk that failed on its way.
    halted: StoredValue<Option<Walk>, LocalStorage>,
    session: SessionStore,
}

impl FiguresLoader {
    /// Returns the figures of whatever the source is, asked for anew when it changes.
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

    /// Returns the figures. Those of the filter before stay until new ones are loaded.
    pub fn known(self) -> Signal<Remote<Figures>> {
        self.known.into()
    }

    /// Whether an answer is on its way.
    pub fn busy(self) -> Signal<bool> {
        self.busy.into()
    }

    /// Goes on where it failed, if there is anything to go on with; else asks anew.
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
            // A place that the server does not take any more is no place to go on from.
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

    /// Ends what was begun, with the last that is known; returns whether somebody wants to know.
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

    /// Returns whether somebody still wants to know.
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
