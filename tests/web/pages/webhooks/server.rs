//! A fake server with webhooks and deliveries.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use serde_json::{Value, json};

use crate::network::{Network, RecordedRequest, Reply};
use crate::pages::{answer_as_gateway, merge, merged, query_parameter};

/// Path of the tab.
pub(super) const TAB: &str = "/live/forms/frm_1/settings/webhooks";
/// URL of the webhooks of the form.
pub(super) const HOOKS: &str = "/account/forms/frm_1/webhooks";
/// Secret of every webhook.
pub(super) const SECRET: &str = "whsec_abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG=";

/// Returns a webhook with some members replaced.
pub(super) fn webhook(number: usize, changes: &Value) -> Value {
    let value = json!({
        "id": format!("whk_{number}"), "url": format!("https://hooks.example/{number}?token=t"),
        "events": ["submission.created"], "format": "json", "created_at": "2026-06-10T00:00:00Z",
        "disabled": null, "failing_since": null,
    });
    merged(value, changes)
}

/// Returns a delivery with one attempt, which the receiver answered with `status`.
pub(super) fn delivery(number: usize, state: &str, status: u16) -> Value {
    let error = (status >= 300).then(|| format!("the receiver responded with {status}"));
    json!({
        "id": format!("dlv_{number}_a"), "event": "submission.created", "submission_id": "sub_7",
        "created_at": "2026-06-15T11:00:00Z", "state": state, "next_attempt_at": null,
        "request_body": r#"{"type":"submission.created","data":{"id":"sub_7"}}"#,
        "attempts": [{
            "at": "2026-06-15T11:00:01Z", "duration_ms": 1234, "status": status, "error": error,
            "response": "<b>answer</b>",
        }],
    })
}

/// The server. Clones share its state.
#[derive(Clone, Default)]
pub(super) struct WebhookServer {
    pub(super) webhooks: Rc<RefCell<Vec<Value>>>,
    /// Deliveries of every webhook, newest first.
    pub(super) deliveries: Rc<RefCell<Vec<Value>>>,
    /// Whether the next change asks for the password.
    needs_password: Rc<Cell<bool>>,
    /// Reason why every URL is refused.
    refusal: Rc<RefCell<Option<String>>>,
}

impl WebhookServer {
    pub(super) fn new(webhooks: Vec<Value>) -> Self {
        let server = Self::default();
        *server.webhooks.borrow_mut() = webhooks;
        server
    }

    /// Installs a network with this server.
    pub(super) fn network(&self) -> Network {
        self.network_with(|_, reply| reply)
    }

    /// Installs a network with this server. `change` may delay or replace its replies.
    pub(super) fn network_with(
        &self,
        change: impl Fn(&RecordedRequest, Reply) -> Reply + 'static,
    ) -> Network {
        let server = self.clone();
        Network::new(move |asked| change(asked, server.answer(asked)))
    }

    pub(super) fn ask_for_password(&self) {
        self.needs_password.set(true);
    }

    pub(super) fn refuse_urls(&self, why: &str) {
        *self.refusal.borrow_mut() = Some(why.to_owned());
    }

    /// Sets the state and the last status of a delivery.
    pub(super) fn finish_delivery(&self, id: &str, state: &str, status: u16) {
        for known in self.deliveries.borrow_mut().iter_mut().filter(|known| known["id"] == *id) {
            known["state"] = state.into();
            known["attempts"] = delivery(0, state, status)["attempts"].clone();
        }
    }

    pub(super) fn answer(&self, asked: &RecordedRequest) -> Reply {
        let path = asked.url.split('?').next().unwrap_or_default();
        if path == "/session/proof" {
            self.needs_password.set(false);
            return Reply::no_content();
        }
        let Some(rest) = path.strip_prefix(HOOKS) else { return answer_as_gateway(asked) };
        let parts: Vec<&str> = rest.split('/').filter(|part| !part.is_empty()).collect();
        let body = serde_json::from_str::<Value>(&asked.body).unwrap_or_default();
        let is_sensitive = matches!(
            (asked.method.as_str(), &parts[..]),
            ("POST", [] | [_, "rotate"]) | ("PUT", [_])
        );
        if is_sensitive && self.needs_password.get() {
            return Reply::needs("password");
        }
        match (asked.method.as_str(), &parts[..]) {
            ("GET", []) => Reply::ok(&json!({ "data": *self.webhooks.borrow() })),
            ("POST", []) => self.create(&body),
            ("PUT", [id]) => self.change(id, body),
            ("DELETE", [id]) => {
                self.webhooks.borrow_mut().retain(|known| known["id"] != *id);
                Reply::no_content()
            }
            ("POST", [_, "rotate"]) => Reply::ok(&json!({ "data": {
                "secret": SECRET, "old_secret_until": "2026-06-16T12:00:00Z",
            }})),
            ("GET", [_, "deliveries"]) => self.list_deliveries(&asked.url),
            ("POST", [_, "test"]) => self.send_test(),
            ("POST", [_, "deliveries", id, "replay"]) => self.replay(id),
            ("POST", [_, "replay"]) => {
                let mut deliveries = self.deliveries.borrow_mut();
                let failed: Vec<_> =
                    deliveries.iter_mut().filter(|known| known["state"] == "failed").collect();
                let count = failed.len();
                for known in failed {
                    known["state"] = "pending".into();
                }
                Reply::json(202, &json!({ "data": { "count": count } }))
            }
            _ => Reply::error(404, "not_found", "nothing here"),
        }
    }

    fn create(&self, body: &Value) -> Reply {
        if let Some(why) = &*self.refusal.borrow() {
            return Reply::error(400, "validation_error", why);
        }
        let created = webhook(self.webhooks.borrow().len() + 1, body);
        self.webhooks.borrow_mut().push(created.clone());
        let data = merged(created, &json!({ "secret": SECRET }));
        Reply::json(201, &json!({ "data": data }))
    }

    fn change(&self, id: &str, mut body: Value) -> Reply {
        let mut webhooks = self.webhooks.borrow_mut();
        let known = webhooks.iter_mut().find(|known| known["id"] == *id).unwrap();
        let enabled = body.as_object_mut().unwrap().remove("enabled").unwrap();
        merge(known, &body);
        let by_owner = json!({ "at": "2026-06-15T12:00:00Z", "reason": "owner" });
        known["disabled"] = if enabled == true { Value::Null } else { by_owner };
        Reply::ok(&json!({ "data": known }))
    }

    fn list_deliveries(&self, url: &str) -> Reply {
        let limit: usize = query_parameter(url, "limit").unwrap().parse().unwrap();
        let state = query_parameter(url, "state");
        let before = query_parameter(url, "before");
        let all = self.deliveries.borrow();
        let skipped = before.map_or(0, |before| {
            all.iter().position(|known| known["id"] == before.as_str()).unwrap() + 1
        });
        let fits = |known: &&Value| state.as_deref().is_none_or(|state| known["state"] == *state);
        let rows: Vec<_> = all.iter().skip(skipped).filter(fits).take(limit + 1).collect();
        let data = &rows[..rows.len().min(limit)];
        let next = (rows.len() > limit).then(|| data[limit - 1]["id"].clone());
        Reply::ok(&json!({ "data": data, "next": next }))
    }

    fn send_test(&self) -> Reply {
        let changes = json!({
            "event": "test", "attempts": [], "request_body": null, "submission_id": null,
            "next_attempt_at": "2026-06-15T12:00:00Z",
        });
        let sent = merged(delivery(99, "pending", 200), &changes);
        self.deliveries.borrow_mut().insert(0, sent.clone());
        Reply::json(202, &json!({ "data": sent }))
    }

    fn replay(&self, id: &str) -> Reply {
        let mut deliveries = self.deliveries.borrow_mut();
        let known = deliveries.iter_mut().find(|known| known["id"] == *id).unwrap();
        known["state"] = "pending".into();
        Reply::json(202, &json!({ "data": known }))
    }
}
