//! Digests of a view: its filter is applied when they are sent, so that it sees the triage, the
//! insights and the answers of that time.

use contract::view::normalize_query;
use contract::{Filter, ListQuery, Notification, Timestamp};
use store::mail::{MailBatch, PendingSubmission};

use super::delivery::Delivery;
use super::due::{DueMails, SUBMISSIONS_MAX};
use super::outcome::Stop;
use super::schedule::date_range;
use super::submission_mail::parse_submission;

impl Delivery<'_> {
    /// Sends a digest of the due submissions that match the view of the notification, if any.
    /// The other due e-mails are done without one.
    pub(crate) async fn send_view_digest(
        &mut self,
        notification: &Notification,
        due: DueMails,
    ) -> Result<(), Stop> {
        let mut seqs: Vec<i64> = due.listed.into_iter().map(|pending| pending.seq).collect();
        seqs.extend(due.more);
        if seqs.is_empty() {
            return Ok(());
        }
        let now = self.dispatcher.clock.now();
        let query = match resolve_view(self.batch, &notification.time_zone, now) {
            Ok(query) => query,
            Err(problem) => {
                self.progress.skip_mails(Some(problem));
                self.progress.done.extend(seqs);
                return Ok(());
            }
        };
        let matching = self.select_matching(&seqs, &query.filter).await?;
        if matching.listed.is_empty() {
            self.progress.skip_mails(None);
        } else {
            self.send_digest(matching, &query.to_query_string()).await?;
        }
        self.progress.done.extend(seqs);
        Ok(())
    }

    /// Reads the submissions of pending e-mails, a part at a time because they can be large, and
    /// selects those that match.
    async fn select_matching(&self, seqs: &[i64], filter: &Filter) -> Result<DueMails, Stop> {
        let mut due = DueMails { listed: Vec::new(), more: Vec::new(), gone: Vec::new() };
        let store = &self.dispatcher.store;
        for part in seqs.chunks(SUBMISSIONS_MAX) {
            for PendingSubmission { mail, triage } in
                store.find_pending_submissions(&self.batch.id, part).await?
            {
                let submission = mail.submission.as_deref().and_then(parse_submission);
                if !submission.is_some_and(|submission| filter.matches(&submission, &triage)) {
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
    resolved.map_err(|problem| format!("the view `{}` matches nothing: {problem}", view.name))
}
