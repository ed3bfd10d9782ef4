//! Where the figures come from: one request to a server that has them, else the pages of the list,
//! added up here as they arrive and at the pace that the rate limit allows.

use std::collections::HashSet;
use std::time::Duration;

use contract::summary::{Charted, Counts, Day, Summary, SummaryQuery};
use contract::{Environment, Filter, FormId, ListQuery, Plan, RateLimit, page::LIMIT_MAX};
use exporter::plan::{Pace, refused_wait_s};
use gloo_timers::future::sleep;
use js_sys::Date;
use leptos::{prelude::*, task::spawn_local};

use crate::{
    api::{self, Abort, ApiError},
    shared::calendar,
    stores::session::SessionStore,
    ui::react,
};

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

/// What is known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Known {
    /// Nothing yet.
    #[default]
    Loading,
    /// The figures.
    Figures {
        /// What they say.
        summary: Box<Summary>,
        /// Of how many they are to be, while pages still arrive.
        of: Option<u64>,
        /// For how many seconds the rate limit makes it wait, while it does.
        waits_s: Option<u64>,
    },
    /// There is no answer, and nothing to go on with.
    Failed(ApiError),
}

/// The figures of a source that may change.
#[derive(Clone, Copy)]
pub struct Figures {
    known: RwSignal<Known>,
    busy: RwSignal<bool>,
    asked: RwSignal<u32>,
    epoch: StoredValue<u32>,
    abort: StoredValue<Abort, LocalStorage>,
    session: SessionStore,
}

impl Figures {
    /// Returns the figures of whatever the source is, asked for anew when it changes.
    pub fn of(source: Memo<Option<Source>>, session: SessionStore) -> Self {
        let figures = Self {
            known: RwSignal::new(Known::Loading),
            busy: RwSignal::new(true),
            asked: RwSignal::new(0),
            epoch: StoredValue::new(0),
            abort: StoredValue::new_local(Abort::default()),
            session,
        };
        react(move || {
            figures.asked.track();
            let managed = session.session().map(|it| (it.managed, it.account.plan));
            if let (Some(source), Some((managed, plan))) = (source.get(), managed) {
                untrack(|| figures.ask(source, managed, plan));
            }
        });
        on_cleanup(move || figures.stop());
        figures
    }

    /// Returns what is known. Figures of the filter before stay until new ones are there.
    pub fn known(self) -> Signal<Known> {
        self.known.into()
    }

    /// Whether an answer is on its way.
    pub fn busy(self) -> Signal<bool> {
        self.busy.into()
    }

    /// Asks anew.
    pub fn retry(self) {
        self.known.set(Known::Loading);
        self.asked.update(|asked| *asked += 1);
    }

    fn stop(self) {
        self.epoch.try_update_value(|epoch| *epoch += 1);
        self.abort.try_update_value(|abort| *abort = Abort::default());
    }

    fn ask(self, source: Source, managed: bool, plan: Plan) {
        self.stop();
        let (epoch, signal) = (self.epoch.get_value(), self.abort.with_value(Abort::signal));
        self.busy.set(true);
        spawn_local(async move {
            let asked = if managed {
                let Source { form, filter, .. } = source;
                let query = SummaryQuery { filter, time_zone: Some(calendar::time_zone()) };
                api::summary(&form, &query, signal.as_ref()).await.map(|summary| {
                    self.tell(
                        epoch,
                        Known::Figures { summary: Box::new(summary), of: None, waits_s: None },
                    );
                })
            } else {
                Walk::new(source, plan).run(self, epoch, signal.as_ref()).await
            };
            if self.epoch.try_get_value() != Some(epoch) {
                return;
            }
            self.busy.set(false);
            if let Err(error) = asked {
                self.session.notice(&error);
                self.known.set(Known::Failed(error));
            }
        });
    }

    /// Returns whether somebody still wants to know.
    fn tell(self, epoch: u32, known: Known) -> bool {
        let wanted = self.epoch.try_get_value() == Some(epoch);
        if wanted {
            self.known.set(known);
        }
        wanted
    }
}

/// A walk over the pages of a list.
struct Walk {
    source: Source,
    plan: Plan,
    pace: Pace,
    counts: Counts,
    seen: HashSet<contract::SubmissionId>,
    cursor: Option<String>,
    rate: Option<RateLimit>,
    of: u64,
}

impl Walk {
    fn new(source: Source, plan: Plan) -> Self {
        Self {
            source,
            plan,
            pace: Pace::new(plan),
            // A server that lists no forms does not tell what its fields take.
            counts: Counts::new(Charted::default()),
            seen: HashSet::new(),
            cursor: None,
            rate: None,
            of: 0,
        }
    }

    async fn run(
        mut self,
        figures: Figures,
        epoch: u32,
        signal: Option<&web_sys::AbortSignal>,
    ) -> Result<(), ApiError> {
        loop {
            let sent = Date::now();
            let query = ListQuery {
                filter: self.source.filter.clone(),
                limit: LIMIT_MAX,
                cursor: self.cursor.clone(),
            };
            let Source { environment, form, .. } = &self.source;
            match api::list(*environment, form, &query, signal).await {
                Err(ApiError::Status { status: 429, retry_after_s, .. }) => {
                    let wait_s = refused_wait_s(retry_after_s);
                    if self.counts.total() > 0 && !figures.tell(epoch, self.known(Some(wait_s))) {
                        return Ok(());
                    }
                    sleep(Duration::from_secs(wait_s)).await;
                    continue;
                }
                Err(error) => return Err(error),
                Ok(answer) => {
                    self.rate = answer.rate.or(self.rate);
                    self.keep_pace();
                    self.take(&answer.body);
                }
            }
            if !figures.tell(epoch, self.known(None)) || self.cursor.is_none() {
                return Ok(());
            }
            let since_ms = elapsed_ms(sent);
            sleep(Duration::from_millis(self.pace.wait_ms(self.rate, since_ms))).await;
        }
    }

    /// The key of a foreign server may be of another plan than who is signed in: its window tells.
    fn keep_pace(&mut self) {
        self.pace = Pace::told(self.plan, self.rate);
    }

    fn take(&mut self, page: &contract::Page<contract::Submission>) {
        let next = page.pagination.next().map(str::to_owned);
        // A server that hands out the same place twice would be walked for ever.
        self.cursor = next.filter(|next| self.cursor.as_ref() != Some(next));
        self.of = page.pagination.total;
        for row in page.data.iter().filter(|row| self.seen.insert(row.id.clone())) {
            if let Some(date) = calendar::day_of(row.metadata.submitted_at) {
                self.counts.add(row, Day::of_date(date));
            }
        }
    }

    fn known(&self, waits_s: Option<u64>) -> Known {
        let (first, last) = calendar::days_of(&self.source.filter);
        let summary = self.counts.summary(first.map(Day::of_date), last.map(Day::of_date));
        let of = self.cursor.is_some().then_some(self.of);
        Known::Figures { summary: Box::new(summary), of, waits_s }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "`as` saturates, and a time that is over is 0"
)]
fn elapsed_ms(since: f64) -> u64 {
    (Date::now() - since) as u64
}
