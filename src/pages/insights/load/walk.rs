//! Walks the pages of a list and counts their submissions, at the pace of the rate limit. It keeps
//! its cursor and counts, so that it can continue after an error.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use contract::summary::{CountedFields, Counts, Day};
use contract::{
    ListQuery, Page, Plan, RateLimit, Submission, SubmissionId, Triage, page::LIMIT_MAX,
};
use export_worker::plan::{RequestPace, refused_wait_s};
use gloo_timers::future::sleep;
use js_sys::Date;
use web_sys::AbortSignal;

use super::{Figures, FiguresSource};
use crate::{
    api::{self, ApiError, Remote},
    components::calendar,
    domain::field_stats::AnswerCounts,
};

/// Maximum number of retries of one page.
const ATTEMPTS_MAX: u32 = 3;

/// The walk: its source, cursor and counts so far.
pub(super) struct PageWalk {
    source: FiguresSource,
    plan: Plan,
    counts: Counts,
    answered: AnswerCounts,
    seen: HashSet<SubmissionId>,
    cursor: Option<String>,
    rate: Option<RateLimit>,
    total: u64,
}

impl PageWalk {
    pub(super) fn new(source: FiguresSource, plan: Plan) -> Self {
        Self {
            source,
            plan,
            // A server that publishes no forms does not say which fields to chart. `answered`
            // counts the answers instead.
            counts: Counts::new(CountedFields::default()),
            answered: AnswerCounts::default(),
            seen: HashSet::new(),
            cursor: None,
            rate: None,
            total: 0,
        }
    }

    /// Returns whether any submission has been counted.
    pub(super) fn has_begun(&self) -> bool {
        self.counts.total() > 0
    }

    /// Counts all remaining pages. Calls `publish` after each page and stops when it returns false.
    /// Rate limits and temporary errors are retried only after the first page; until then the
    /// caller shows the error.
    pub(super) async fn run(
        &mut self,
        publish: impl Fn(Remote<Figures>) -> bool,
        signal: Option<&AbortSignal>,
    ) -> Result<(), ApiError> {
        let mut attempts = 0;
        loop {
            let sent = Date::now();
            let FiguresSource { environment, form, filter } = &self.source;
            let filter = filter.clone();
            let cursor = self.cursor.clone();
            let query = ListQuery { filter, limit: LIMIT_MAX, cursor, sort: None };
            let wait = match api::list_submissions(*environment, form, &query, signal).await {
                Ok(answer) => {
                    attempts = 0;
                    self.rate = answer.rate.or(self.rate);
                    self.add_page(&answer.body);
                    if !publish(self.to_figures(None, None)) || self.cursor.is_none() {
                        return Ok(());
                    }
                    // A foreign server's key may have another plan than the user's account: derive
                    // the pace from the window in the response.
                    let pace = RequestPace::from_rate_limit(self.plan, self.rate);
                    Duration::from_millis(pace.wait_ms(self.rate, elapsed_ms(sent)))
                }
                Err(error) if !self.has_begun() => return Err(error),
                Err(ApiError::Status { status: 429, retry_after_s, .. }) => {
                    let wait_s = refused_wait_s(retry_after_s);
                    if !publish(self.to_figures(Some(wait_s), None)) {
                        return Ok(());
                    }
                    Duration::from_secs(wait_s)
                }
                Err(error) if is_temporary(&error) && attempts < ATTEMPTS_MAX => {
                    attempts += 1;
                    Duration::from_secs(attempts.into())
                }
                Err(error) => return Err(error),
            };
            sleep(wait).await;
        }
    }

    fn add_page(&mut self, page: &Page<Submission>) {
        let next = page.pagination.next().map(str::to_owned);
        // A server that returns the same cursor twice would cause an endless loop.
        self.cursor = next.filter(|next| self.cursor.as_ref() != Some(next));
        self.total = page.pagination.total;
        for row in page.data.iter().filter(|row| self.seen.insert(row.id.clone())) {
            if let Some(date) = calendar::day_of(row.metadata.submitted_at) {
                self.counts.add(row, &Triage::default(), Day::from_date(date));
                self.answered.add(row);
            }
        }
    }

    /// Returns the current figures, with the delay of the next page and the error, if any.
    pub(super) fn to_figures(
        &self,
        waits_s: Option<u64>,
        failed: Option<ApiError>,
    ) -> Remote<Figures> {
        let (first, last) = calendar::days_of(&self.source.filter);
        let mut summary = self.counts.summary(first.map(Day::from_date), last.map(Day::from_date));
        let (fields, values) = self.answered.chartable_fields();
        summary.fields = values;
        let of = self.cursor.is_some().then_some(self.total);
        Remote::Loaded(Figures {
            summary: Arc::new(summary),
            distributions: None,
            fields,
            total: of,
            waits_s,
            error: failed,
        })
    }
}

fn is_temporary(error: &ApiError) -> bool {
    match error {
        ApiError::Network => true,
        error => error.status().is_some_and(|status| status >= 500),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "`as` saturates; a negative duration becomes 0"
)]
fn elapsed_ms(since: f64) -> u64 {
    (Date::now() - since) as u64
}
