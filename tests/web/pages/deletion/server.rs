//! Fake Sheaf server with a trash.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use serde_json::{Value, json};

use crate::network::{Network, RecordedRequest, Reply};
use crate::pages::{ROWS, answer_as_gateway, forms_reply, list_page};

/// Fake server: numbers of the submissions in the trash or in spam, and the days in the trash.
#[derive(Clone)]
pub(super) struct FakeServer {
    pub(super) moved: Rc<RefCell<BTreeSet<u32>>>,
    pub(super) days: u8,
    /// Maximum number of submissions that one request moves.
    pub(super) most: usize,
}

impl FakeServer {
    pub(super) fn new(days: u8) -> Self {
        Self { moved: Rc::default(), days, most: usize::MAX }
    }

    fn listed_rows(&self) -> Vec<u32> {
        let moved = self.moved.borrow();
        (0..ROWS).filter(|number| !moved.contains(number)).collect()
    }

    /// Installs a network with this server.
    pub(super) fn network(&self) -> Network {
        let server = self.clone();
        Network::new(move |asked| server.answer(asked))
    }

    /// Answers requests for the list and its trash. Other requests are answered by
    /// [`answer_as_gateway`].
    pub(super) fn answer(&self, asked: &RecordedRequest) -> Reply {
        let path = asked.url.split('?').next().unwrap_or_default();
        let body: Value = serde_json::from_str(&asked.body).unwrap_or_default();
        match (asked.method.as_str(), path) {
            ("GET", "/account/forms") => forms_reply(&json!({ "trash_days": self.days })),
            ("GET", "/api/live/v1/forms/frm_1/submissions") => {
                list_page(&self.listed_rows(), &asked.url)
            }
            ("POST", "/account/forms/frm_1/trash" | "/account/forms/frm_1/spam") => {
                self.move_to(&body)
            }
            (
                "POST",
                "/account/forms/frm_1/trash/restore" | "/account/forms/frm_1/spam/restore",
            ) => {
                assert_eq!(body["batch"], "bat_1");
                let count = self.moved.take().len();
                Reply::ok(&json!({ "data": { "count": count } }))
            }
            _ => answer_as_gateway(asked),
        }
    }

    fn move_to(&self, body: &Value) -> Reply {
        let listed = self.listed_rows();
        let ids: Vec<u32> = match body["ids"].as_array() {
            Some(ids) => ids.iter().map(|id| id.as_str().unwrap()[4..].parse().unwrap()).collect(),
            None if body["count"] == listed.len() => listed,
            None => {
                let message = format!("{} submissions match the filter now", listed.len());
                return Reply::error(409, "conflict", &message);
            }
        };
        if self.days == 0 && body["permanent"] != true {
            return Reply::error(409, "conflict", "the form keeps no trash");
        }
        let count = ids.len().min(self.most);
        self.moved.borrow_mut().extend(&ids[..count]);
        let batch = (self.days > 0).then_some("bat_1");
        let remaining = ids.len() - count;
        Reply::ok(&json!({ "data": { "batch": batch, "count": count, "remaining": remaining } }))
    }
}
