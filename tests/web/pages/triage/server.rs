//! Fake Sheaf server that keeps triage, notes and history of submissions.

use std::cell::RefCell;
use std::rc::Rc;

use serde_json::{Value, json};

use crate::network::{Network, RecordedRequest, Reply};
use crate::pages::bulk_triage::server::TriageServer;
use crate::pages::session_reply;

const CREATED_AT: &str = "2026-03-28T12:00:00Z";

/// Fake server. Each submission has the same notes and the same history.
#[derive(Clone)]
pub(crate) struct CardServer {
    pub(crate) triage: TriageServer,
    pub(crate) notes: Rc<RefCell<Vec<Value>>>,
    pub(crate) history: Rc<RefCell<Vec<Value>>>,
    /// Whether requests that change something fail.
    pub(crate) is_failing: Rc<RefCell<bool>>,
    /// Whether the user is a reader.
    pub(crate) is_reader: bool,
}

/// Returns a note.
pub(crate) fn note(id: &str, author: &str, text: &str) -> Value {
    json!({
        "id": id, "author": author, "text": text, "created_at": CREATED_AT, "edited_at": null,
    })
}

/// Returns a change in the history.
pub(crate) fn history_entry(person: Option<&str>, change: &Value) -> Value {
    json!({ "at": CREATED_AT, "person": person, "change": change })
}

impl Default for CardServer {
    fn default() -> Self {
        Self::new([])
    }
}

impl CardServer {
    /// Returns a server with these triages of submissions, given as JSON.
    pub(crate) fn new(marks: impl IntoIterator<Item = (u32, &'static str)>) -> Self {
        let members = json!([
            { "id": "psn_1", "email": "owner@example.org" },
            { "id": "psn_2", "email": "reader@example.org" },
        ]);
        Self {
            triage: TriageServer { members: Rc::new(members), ..TriageServer::new(marks) },
            notes: Rc::default(),
            history: Rc::default(),
            is_failing: Rc::default(),
            is_reader: false,
        }
    }

    /// Installs a network with this server.
    pub(crate) fn network(&self) -> Network {
        let server = self.clone();
        Network::new(move |asked| server.answer(asked))
    }

    pub(crate) fn answer(&self, asked: &RecordedRequest) -> Reply {
        let path = asked.url.split('?').next().unwrap_or_default();
        let about = path.strip_prefix("/account/forms/frm_1/submissions/");
        if *self.is_failing.borrow() && asked.method != "GET" {
            return Reply::error(500, "internal", "the disk is full");
        }
        match (asked.method.as_str(), path, about) {
            ("GET", "/session", _) if self.is_reader => session_reply("reader"),
            (method, _, Some(about)) => self.answer_about(method, about, &asked.body),
            _ => self.triage.answer(asked),
        }
    }

    fn answer_about(&self, method: &str, about: &str, body: &str) -> Reply {
        let (id, rest) = about.split_once('/').unwrap_or((about, ""));
        let text = serde_json::from_str::<Value>(body).unwrap_or_default()["text"].clone();
        let mut notes = self.notes.borrow_mut();
        match (method, rest.strip_prefix("notes").map(|id| id.trim_start_matches('/'))) {
            ("GET", None) => {
                let mut detail = self.triage.triage_with_read(id[4..].parse().unwrap());
                detail["updated_at"] = Value::Null;
                detail["notes"] = notes.clone().into();
                detail["history"] = self.history.borrow().clone().into();
                Reply::ok(&json!({ "data": detail }))
            }
            ("POST", Some("")) => {
                let created = note(&format!("nte_{}", notes.len() + 1), "psn_1", "");
                notes.push(created);
                let created = notes.last_mut().unwrap();
                created["text"] = text;
                Reply::json(201, &json!({ "data": created }))
            }
            ("PUT", Some(id)) => {
                let edited = notes.iter_mut().find(|note| note["id"] == id).unwrap();
                edited["text"] = text;
                edited["edited_at"] = CREATED_AT.into();
                Reply::ok(&json!({ "data": edited }))
            }
            ("DELETE", Some(id)) => {
                notes.retain(|note| note["id"] != id);
                Reply::no_content()
            }
            _ => Reply::error(404, "not_found", "nothing here"),
        }
    }
}
