//! Fake Sheaf server that keeps the triage of submissions.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use contract::triage::{SubmissionsUpdate, Triage, UndoStep, UpdatedSubmissions};
use contract::{Filter, ListQuery, Timestamp};
use serde_json::{Value, json};

use crate::network::{Network, RecordedRequest, Reply};
use crate::pages::{ROWS, answer_as_gateway, list_page, submitted_at};

/// Fake server: the triage of submissions by their number, and which of them the user has read.
#[derive(Clone)]
pub(crate) struct TriageServer {
    pub(crate) marks: Rc<RefCell<BTreeMap<u32, Triage>>>,
    pub(crate) reads: Rc<RefCell<BTreeSet<u32>>>,
    /// The members of the account, as JSON.
    pub(crate) members: Rc<Value>,
}

impl Default for TriageServer {
    fn default() -> Self {
        Self {
            marks: Rc::default(),
            reads: Rc::default(),
            members: Rc::new(json!([{ "id": "psn_1", "email": "owner@example.org" }])),
        }
    }
}

impl TriageServer {
    /// Returns a server with these triages of submissions, given as JSON.
    pub(crate) fn new(marks: impl IntoIterator<Item = (u32, &'static str)>) -> Self {
        let marks = marks.into_iter();
        let marks = marks.map(|(number, json)| (number, serde_json::from_str(json).unwrap()));
        Self { marks: Rc::new(RefCell::new(marks.collect())), ..Self::default() }
    }

    /// Returns a server with these submissions as read.
    pub(crate) fn with_reads(numbers: impl IntoIterator<Item = u32>) -> Self {
        Self { reads: Rc::new(RefCell::new(numbers.into_iter().collect())), ..Self::default() }
    }

    /// Returns whether the user has read a submission.
    pub(crate) fn is_read(&self, number: u32) -> bool {
        self.reads.borrow().contains(&number)
    }

    /// Returns the triage of a submission with its read state, as JSON.
    pub(crate) fn triage_with_read(&self, number: u32) -> Value {
        serde_json::to_value(Triage { read: self.is_read(number), ..self.get(number) }).unwrap()
    }

    /// Returns the triage of a submission as JSON.
    pub(crate) fn triage(&self, number: u32) -> Value {
        serde_json::to_value(self.get(number)).unwrap()
    }

    /// Sets the triage of a submission, given as JSON.
    pub(crate) fn set(&self, number: u32, json: &str) {
        self.marks.borrow_mut().insert(number, serde_json::from_str(json).unwrap());
    }

    fn get(&self, number: u32) -> Triage {
        self.marks.borrow().get(&number).cloned().unwrap_or_default()
    }

    /// Returns the submissions that match the triage, the read state and the dates of a filter.
    pub(crate) fn matching(&self, filter: &Filter) -> Vec<u32> {
        let is_in_range = |number: u32| {
            let at = Timestamp::parse(&submitted_at(number)).unwrap();
            filter.date_from.is_none_or(|from| at >= from)
                && filter.date_to.is_none_or(|to| at < to)
        };
        let matches = |number: &u32| {
            filter.labels.matches_triage(&self.get(*number))
                && filter.read.is_none_or(|read| read == self.is_read(*number))
                && is_in_range(*number)
        };
        (0..ROWS).filter(matches).collect()
    }

    /// Installs a network with this server.
    pub(crate) fn network(&self) -> Network {
        let server = self.clone();
        Network::new(move |asked| server.answer(asked))
    }

    /// Answers requests for the list and its triage. Other requests are answered by
    /// [`answer_as_gateway`].
    pub(crate) fn answer(&self, asked: &RecordedRequest) -> Reply {
        let (path, query) = asked.url.split_once('?').unwrap_or((&asked.url, ""));
        match (asked.method.as_str(), path) {
            ("GET", "/account/triage") => Reply::ok(&json!({ "data": {
                "statuses": [{ "id": "waiting", "name": "Waiting for reply" }],
                "tags": [{ "name": "VIP", "color": "red" }, { "name": "bug" }],
                "members": *self.members, "person_id": "psn_1",
            }})),
            ("GET", "/account/unread") => Reply::ok(&json!({ "data": [{
                "form_id": "frm_1", "unread": ROWS as usize - self.reads.borrow().len(),
            }]})),
            ("GET", "/account/forms/frm_1/triage") => self.list_triage(query),
            ("PATCH", "/account/forms/frm_1/submissions") => self.update(&asked.body),
            ("GET", "/api/live/v1/forms/frm_1/submissions") => {
                let query = ListQuery::parse(query).unwrap();
                list_page(&self.matching(&query.filter), &asked.url)
            }
            _ => answer_as_gateway(asked),
        }
    }

    fn list_triage(&self, query: &str) -> Reply {
        let ids = query.trim_start_matches("ids=").replace("%2C", ",");
        let row = |id: &str| {
            let mut row = self.triage_with_read(id[4..].parse().unwrap());
            row["id"] = id.into();
            row
        };
        Reply::ok(&json!({ "data": ids.split(',').map(row).collect::<Vec<_>>() }))
    }

    fn update(&self, body: &str) -> Reply {
        let update: SubmissionsUpdate = serde_json::from_str(body).unwrap();
        let numbers: Vec<u32> = match (&update.ids, &update.filter) {
            (Some(ids), _) => ids.iter().map(|id| id.as_str()[4..].parse().unwrap()).collect(),
            (None, filter) => {
                let query = ListQuery::parse(filter.as_deref().unwrap()).unwrap();
                let numbers = self.matching(&query.filter);
                if update.count != Some(numbers.len() as u64) {
                    let message = format!("{} submissions match the filter now", numbers.len());
                    return Reply::error(409, "conflict", &message);
                }
                numbers
            }
        };
        let mut updated = UpdatedSubmissions::default();
        for number in numbers {
            let mut triage = self.get(number);
            let before = Triage { read: self.is_read(number), ..triage.clone() };
            let is_changed = !update.set.apply(&mut triage).unwrap().is_empty();
            self.marks.borrow_mut().insert(number, triage);
            if !self.set_read(number, update.set.read) && !is_changed {
                continue;
            }
            updated.changed += 1;
            if update.undo {
                let (ids, set) =
                    (vec![format!("sub_{number}").parse().unwrap()], update.set.inverse(&before));
                match updated.undo.iter_mut().find(|step| step.set == set) {
                    Some(step) => step.ids.extend(ids),
                    None => updated.undo.push(UndoStep { ids, set }),
                }
            }
        }
        Reply::ok(&json!({ "data": updated }))
    }

    /// Sets a read state. Returns whether it was different.
    fn set_read(&self, number: u32, read: Option<bool>) -> bool {
        let mut reads = self.reads.borrow_mut();
        match read {
            Some(true) => reads.insert(number),
            Some(false) => reads.remove(&number),
            None => false,
        }
    }
}
