//! A fake server with notifications and an auto-reply.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use serde_json::{Value, json};

use crate::network::{Network, RecordedRequest, Reply};
use crate::pages::{answer_as_gateway, merge, merged};

/// Path of the tab.
pub(super) const TAB: &str = "/live/forms/frm_1/settings/notifications";
/// URL of the notifications of the form.
pub(super) const NOTIFICATIONS: &str = "/account/forms/frm_1/notifications";
/// URL of the saved views of the form.
const VIEWS: &str = "/account/forms/frm_1/views";
/// URL of the auto-reply of the form.
pub(super) const AUTO_REPLY: &str = "/account/forms/frm_1/auto-reply";

/// Returns a notification with some members replaced.
pub(super) fn notification(number: usize, changes: &Value) -> Value {
    let value = json!({
        "id": format!("ntf_{number}"), "email": format!("reader{number}@example.org"),
        "view": null, "every": "submission", "content": "full", "time_zone": "Europe/Berlin", "language": "en",
        "created_at": "2026-06-10T00:00:00Z", "confirmed": true, "disabled": null,
        "last_error": null,
    });
    merged(value, changes)
}

/// Returns the member `disabled` of a notification.
pub(super) fn disabled(reason: &str) -> Value {
    json!({ "disabled": { "at": "2026-06-15T12:00:00Z", "reason": reason } })
}

/// The server. Clones share its state.
#[derive(Clone)]
pub(super) struct MailServer {
    /// Response with all notifications.
    pub(super) state: Rc<RefCell<Value>>,
    /// The saved views of the form.
    pub(super) views: Rc<RefCell<Vec<Value>>>,
    /// Whether the next change asks for the password.
    needs_password: Rc<Cell<bool>>,
    /// Status and message of the response to each change.
    refusal: Rc<RefCell<Option<(u16, String)>>>,
    /// Why no link can be sent.
    pub(super) link_error: Rc<RefCell<Option<String>>>,
}

impl MailServer {
    pub(super) fn new(notifications: &[Value]) -> Self {
        let state = json!({
            "data": notifications, "mail_enabled": true, "daily_limit": 1000, "sent_today": 12,
            "auto_reply": {
                "enabled": false, "subject": "Received: {form}", "text": "Thanks, {id}.",
                "language": "en",
            },
        });
        Self {
            state: Rc::new(RefCell::new(state)),
            views: Rc::default(),
            needs_password: Rc::default(),
            refusal: Rc::default(),
            link_error: Rc::default(),
        }
    }

    /// Replaces members of the response with all notifications.
    pub(super) fn set(&self, changes: &Value) {
        merge(&mut self.state.borrow_mut(), changes);
    }

    /// Changes a notification, as another user or its reader does.
    pub(super) fn change_notification(&self, id: &str, changes: &Value) {
        merge(find_notification(&mut self.state.borrow_mut(), id), changes);
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

    /// Adds a saved view.
    pub(super) fn add_view(&self, id: &str, name: &str, shared: bool) {
        self.views.borrow_mut().push(json!({
            "id": id, "name": name, "query": "status=open", "dates": null, "columns": "",
            "shared": shared, "is_default": false, "created_at": "2026-06-10T00:00:00Z",
        }));
    }

    pub(super) fn ask_for_password(&self) {
        self.needs_password.set(true);
    }

    pub(super) fn refuse(&self, status: u16, message: &str) {
        *self.refusal.borrow_mut() = Some((status, message.to_owned()));
    }

    pub(super) fn answer(&self, asked: &RecordedRequest) -> Reply {
        let path = asked.url.as_str();
        if path == "/session/proof" {
            self.needs_password.set(false);
            return Reply::no_content();
        }
        if path == VIEWS {
            return Reply::ok(&json!({ "data": *self.views.borrow() }));
        }
        let own = path.strip_prefix(NOTIFICATIONS);
        if own.is_none() && path != AUTO_REPLY {
            return answer_as_gateway(asked);
        }
        let parts: Vec<_> = own.unwrap_or("/reply").split('/').skip(1).collect();
        let body = serde_json::from_str::<Value>(&asked.body).unwrap_or_default();
        let is_sensitive =
            matches!((asked.method.as_str(), &parts[..]), ("POST", []) | ("PUT", [_]));
        if is_sensitive && self.needs_password.get() {
            return Reply::needs("password");
        }
        if asked.method != "GET"
            && let Some((status, message)) = &*self.refusal.borrow()
        {
            return Reply::error(*status, "refused", message);
        }
        match (asked.method.as_str(), &parts[..]) {
            ("GET", []) => Reply::ok(&self.state.borrow()),
            ("POST", []) => self.create(&body),
            ("PUT", ["reply"]) => {
                self.set(&json!({ "auto_reply": body }));
                Reply::ok(&json!({ "data": body }))
            }
            ("PUT", [id]) => self.save(id, body),
            ("DELETE", [id]) => {
                let mut state = self.state.borrow_mut();
                state["data"].as_array_mut().unwrap().retain(|known| known["id"] != *id);
                Reply::no_content()
            }
            ("POST", [_, "confirmation" | "test"]) => {
                let sent = self.state.borrow()["sent_today"].as_u64().unwrap();
                self.set(&json!({ "sent_today": sent + 1 }));
                Reply::no_content()
            }
            _ => Reply::error(404, "not_found", "nothing here"),
        }
    }

    /// Adds a notification. Only the owner's address is a member's.
    fn create(&self, body: &Value) -> Reply {
        let mut state = self.state.borrow_mut();
        let all = state["data"].as_array_mut().unwrap();
        let mut created = notification(all.len() + 1, body);
        let is_member = created["email"] == "owner@example.org";
        created["confirmed"] = is_member.into();
        all.push(created.clone());
        if !is_member {
            state["sent_today"] = (state["sent_today"].as_u64().unwrap() + 1).into();
        }
        created["last_error"] = json!(*self.link_error.borrow());
        Reply::json(201, &json!({ "data": created }))
    }

    fn save(&self, id: &str, mut body: Value) -> Reply {
        let mut state = self.state.borrow_mut();
        let known = find_notification(&mut state, id);
        let enabled = body.as_object_mut().unwrap().remove("enabled").unwrap();
        merge(known, &body);
        if enabled == false {
            merge(known, &disabled("owner"));
        } else if known["disabled"]["reason"] == "unsubscribed" {
            merge(known, &json!({ "disabled": null, "confirmed": false }));
        } else {
            known["disabled"] = Value::Null;
        }
        Reply::ok(&json!({ "data": known }))
    }
}

fn find_notification<'v>(state: &'v mut Value, id: &str) -> &'v mut Value {
    let all = state["data"].as_array_mut().unwrap();
    all.iter_mut().find(|known| known["id"] == *id).unwrap()
}
