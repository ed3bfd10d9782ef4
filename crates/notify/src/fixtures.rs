//! Test data: leased batches, fields and submissions.

use contract::form::{Field, FieldType};
use contract::webhook::{WebhookEvent, WebhookFormat, default_events};
use contract::{Environment, Metadata, Submission, Timestamp};
use serde_json::Value;
use store::outbox::{DeliveryContent, DeliveryKey, LeasedBatch, LeasedDelivery, new_webhook};

pub(crate) fn at() -> Timestamp {
    Timestamp::parse("2026-03-01T09:30:00Z").unwrap()
}

pub(crate) fn field(key: &str, name: &str, kind: FieldType) -> Field {
    let id = format!("fld_{key}").parse().unwrap();
    Field { id, key: key.to_owned(), name: name.to_owned(), kind, hidden: false }
}

pub(crate) fn batch(format: WebhookFormat, form_name: &str, fields: Vec<Field>) -> LeasedBatch {
    let url = "https://hook.example".to_owned();
    let form = "frm_1".parse().unwrap();
    LeasedBatch {
        webhook: new_webhook(form, url, &default_events(), format, at()),
        form_name: form_name.to_owned(),
        environment: Environment::Live,
        fields,
        deliveries: Vec::new(),
    }
}

pub(crate) fn submission(answers: Value) -> Submission {
    Submission {
        id: "sub_1".parse().unwrap(),
        form_id: "frm_1".parse().unwrap(),
        answers: serde_json::from_value(answers).unwrap(),
        metadata: Metadata::at(at()),
        ai_insights: None,
    }
}

pub(crate) fn delivery(event: WebhookEvent, content: DeliveryContent) -> LeasedDelivery {
    LeasedDelivery {
        key: DeliveryKey { seq: 12, nonce: "8d9e0f6ad0a1b27c".to_owned() },
        lease_until: at(),
        event,
        created_at: at(),
        retries: 0,
        content,
    }
}
