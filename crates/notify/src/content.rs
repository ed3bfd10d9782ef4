//! Bodies of requests: the event as JSON, or a message in the format of another service.

use contract::webhook::{WebhookEvent, WebhookFormat};
use contract::{Submission, SubmissionId, Triage};
use serde_json::{Value, json};
use std::borrow::Cow;
use store::outbox::{DeliveryContent, LeasedBatch, LeasedDelivery};

use crate::formats::message::Message;
use crate::formats::{discord, ntfy, slack, teams};

pub(crate) mod sample;

const JSON: &str = "application/json";
const PLAIN_TEXT: &str = "text/plain; charset=utf-8";

/// Body of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Content {
    /// Value of `Content-Type`.
    pub(crate) content_type: &'static str,
    /// The body.
    pub(crate) body: String,
}

/// Subject of an event.
enum Subject<'a> {
    /// JSON of a submission.
    Submission(Cow<'a, str>),
    /// JSON of a submission, and its triage.
    Updated(&'a str, &'a Triage),
    /// Identifier of a deleted submission.
    Deleted(&'a SubmissionId),
}

/// Returns what to send for a delivery of `batch`; `None` if its submission is not listed any more.
pub(crate) fn build_content(batch: &LeasedBatch, delivery: &LeasedDelivery) -> Option<Content> {
    let format = batch.webhook.webhook.format;
    let content_type = if format == WebhookFormat::Ntfy { PLAIN_TEXT } else { JSON };
    let subject = match &delivery.content {
        DeliveryContent::Gone => return None,
        DeliveryContent::Body(body) => return Some(Content { content_type, body: body.clone() }),
        DeliveryContent::Submission { json, triage } if delivery.event == WebhookEvent::Updated => {
            Subject::Updated(json, triage)
        }
        DeliveryContent::Submission { json, .. } => Subject::Submission(Cow::Borrowed(json)),
        DeliveryContent::Deleted(id) => Subject::Deleted(id),
        DeliveryContent::Test => {
            let form = &batch.webhook.form;
            let sample = sample::invent_submission(form, &batch.fields, delivery.created_at);
            Subject::Submission(Cow::Owned(json!(sample).to_string()))
        }
    };
    let build_message = || build_message(batch, delivery, &subject);
    let body = match format {
        WebhookFormat::Json => build_json(batch, delivery, &subject),
        WebhookFormat::Slack => slack::render(&build_message()),
        WebhookFormat::Discord => discord::render(&build_message()),
        WebhookFormat::Teams => teams::render(&build_message()),
        WebhookFormat::Ntfy => ntfy::render(&build_message()),
    };
    Some(Content { content_type, body })
}

/// Returns the event as JSON. A submission is inserted as it is, so that it has the bytes of the
/// API.
fn build_json(batch: &LeasedBatch, delivery: &LeasedDelivery, subject: &Subject<'_>) -> String {
    let data = match subject {
        Subject::Submission(json) => Cow::Borrowed(json.as_ref()),
        Subject::Updated(json, _) => Cow::Borrowed(*json),
        Subject::Deleted(id) => {
            Cow::Owned(json!({ "id": id, "form_id": batch.webhook.form }).to_string())
        }
    };
    let triage = match subject {
        Subject::Updated(_, triage) => format!(r#","triage":{}"#, triage_json(triage)),
        _ => String::new(),
    };
    let LeasedDelivery { event, created_at, .. } = delivery;
    format!(r#"{{"type":"{event}","timestamp":"{created_at}","data":{data}{triage}}}"#)
}

/// Returns the triage with all its members, so that receivers need no defaults.
fn triage_json(triage: &Triage) -> Value {
    let Triage { status, starred, tags, assignee, read: _ } = triage;
    json!({ "status": status, "starred": starred, "tags": tags, "assignee": assignee })
}

fn build_message(batch: &LeasedBatch, delivery: &LeasedDelivery, subject: &Subject<'_>) -> Message {
    let json = match subject {
        Subject::Submission(json) => Some(json.as_ref()),
        Subject::Updated(json, _) => Some(*json),
        Subject::Deleted(_) => None,
    };
    // A stored submission always parses. If it does not, the owner still gets the title.
    let submission = json.and_then(|json| {
        serde_json::from_str::<Submission>(json)
            .inspect_err(|error| tracing::error!(%error, "cannot parse a stored submission"))
            .ok()
    });
    Message::new(batch, delivery.event, submission.as_ref())
}

#[cfg(test)]
#[path = "content_tests.rs"]
mod tests;
