//! Digests of a view: its filter is applied when they are sent, so that it sees the triage, the
//! insights and the answers of that time.

use contract::filter::LabelProperty;
use contract::view::normalize_query;
use contract::{Filter, ListQuery, Notification, Timestamp, View};
use std::fmt::Display;
use store::mail::{MailBatch, PendingSubmission};

use super::delivery::Delivery;
use super::due::{DueMails, SUBMISSIONS_MAX};
use super::outcome::Stop;
use super::schedule::date_range;
use super::submission_mail::parse_submission;

impl Delivery<'_> {
    /// Sends a digest of the due submissions that match the view of the notification, if any.
    /// `seqs` are the numbers of all due e-mails.
    pub(crate) async fn send_view_digest(
        &mut self,
        notification: &Notification,
        seqs: &[i64],
    ) -> Result<(), Stop> {
        let now = self.progress.started_at;
        let mut resolved = resolve_view(self.batch, &notification.time_zone, now);
        if let (Ok(query), Some(view)) = (&resolved, &self.batch.view)
            && let Some(status) = self.find_unknown_status(&query.filter).await?
        {
            let problem = format!("`{status}` is not a status of this account; leave it out");
            resolved = Err(describe_problem(view, problem));
        }
        let query = match resolved {
            Ok(query) => query,
            Err(problem) => {
                self.progress.skip_mails(Some(problem));
                return Ok(());
            }
        };
        let matching = self.select_matching(seqs, Some(&query.filter)).await?;
        if matching.listed.is_empty() {
            self.progress.skip_mails(None);
            return Ok(());
        }
        self.send_digest(matching, &query.to_query_string()).await
    }

    /// Returns the first status of a filter that the account does not have.
    async fn find_unknown_status(&self, filter: &Filter) -> Result<Option<String>, Stop> {
        let statuses = filter.labels.get(LabelProperty::Status).as_slice();
        if statuses.is_empty() {
            return Ok(None);
        }
        let settings = self.dispatcher.store.find_triage_settings(&self.batch.account_id).await?;
        Ok(statuses.iter().flatten().find(|status| !settings.has_status(status)).cloned())
    }

    /// Reads the submissions of pending e-mails, a part at a time because they can be large, and
    /// selects those that match; without a filter, those that are listed.
    pub(crate) async fn select_matching(
        &self,
        seqs: &[i64],
        filter: Option<&Filter>,
    ) -> Result<DueMails, Stop> {
        let mut due = DueMails { listed: Vec::new(), more: Vec::new(), gone: Vec::new() };
        let store = &self.dispatcher.store;
        for part in seqs.chunks(SUBMISSIONS_MAX) {
            for PendingSubmission { mail, triage } in
                store.find_pending_submissions(&self.batch.id, part).await?
            {
                let is_selected = filter.is_none_or(|filter| {
                    let submission = mail.submission.as_deref().and_then(parse_submission);
                    submission.is_some_and(|submission| filter.matches(&submission, &triage))
                });
                if !is_selected {
                    continue;
                }
                if due.listed.len() < SUBMISSIONS_MAX {
                    due.listed.push(mail);
                } else {
                    due.more.push(mail.seq);
                }
            }
        }
        Ok(due)
    }
}

/// Returns the list of the batch's view at this time, with the dates of the time zone and the
/// fields of the form.
///
/// # Errors
/// Why the view matches nothing, and what to do.
fn resolve_view(batch: &MailBatch, zone: &str, now: Timestamp) -> Result<ListQuery, String> {
    let Some(view) = &batch.view else {
        return Err("the view is not a shared view of the form any more; choose another view, or \
                    all submissions"
            .to_owned());
    };
    let resolved = normalize_query(&view.query).and_then(|(mut query, _)| {
        if let Some(preset) = view.dates {
            (query.filter.date_from, query.filter.date_to) = date_range(preset, zone, now);
        }
        query.filter.fields.resolve(&batch.fields).map(|()| query)
    });
    resolved.map_err(|problem| describe_problem(view, problem))
}

/// Returns why a view matches nothing.
fn describe_problem(view: &View, problem: impl Display) -> String {
    format!("the view `{}` matches nothing: {problem}", view.name)
}
