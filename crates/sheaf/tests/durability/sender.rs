//! A client that sends submissions, deletes some, and records each acknowledgement. When the server
//! is back, it repeats the requests that were not acknowledged.

use crate::ask::ask;
use std::collections::{BTreeMap, BTreeSet};

/// One of this many submissions is deleted.
const DELETE_EVERY: usize = 7;

/// Address, form and key of the requests.
pub(crate) struct FormUnderTest<'a> {
    pub(crate) address: &'a str,
    pub(crate) form: &'a str,
    pub(crate) key: &'a str,
}

/// State of one client.
#[derive(Default)]
pub(crate) struct SubmittingClient {
    name: String,
    sent: usize,
    /// Acknowledged submissions: the value of `what`, and the id.
    pub(crate) acknowledged: BTreeMap<String, String>,
    /// Ids with a requested deletion.
    pub(crate) delete_requested: BTreeSet<String>,
    /// Ids with an acknowledged deletion.
    pub(crate) deleted: BTreeSet<String>,
    /// Number of submissions that were sent again.
    pub(crate) retries: usize,
    /// Whether the current submission was sent and is not acknowledged yet.
    is_pending: bool,
}

impl SubmittingClient {
    pub(crate) fn new(name: String) -> Self {
        Self { name, ..Self::default() }
    }

    /// Sends the next request. Returns `None` if the server does not answer.
    pub(crate) fn send_next(&mut self, target: &FormUnderTest<'_>) -> Option<()> {
        if let Some(id) = self.delete_requested.difference(&self.deleted).next().cloned() {
            return self.delete_submission(target, id);
        }
        let what = format!("{}-{}", self.name, self.sent);
        self.retries += usize::from(std::mem::replace(&mut self.is_pending, true));
        let body = format!("{{\"what\":\"{what}\",\"more\":\"{}\"}}", "more ".repeat(40));
        let path = format!("/f/{}", target.form);
        let key = format!("Idempotency-Key: {what}");
        let (status, answer) = ask(target.address, "POST", &path, &[&key], &body)?;
        let answer: serde_json::Value = serde_json::from_str(&answer).ok()?;
        assert_eq!(status, 201, "{answer}");
        let id = answer["data"]["id"].as_str().unwrap().to_owned();
        if self.sent % DELETE_EVERY == DELETE_EVERY - 1 {
            self.delete_requested.insert(id.clone());
        }
        self.acknowledged.insert(what, id);
        (self.sent, self.is_pending) = (self.sent + 1, false);
        Some(())
    }

    fn delete_submission(&mut self, target: &FormUnderTest<'_>, id: String) -> Option<()> {
        let path = format!("/v1/submissions/{id}");
        let key = format!("X-API-Key: {}", target.key);
        let (status, answer) = ask(target.address, "DELETE", &path, &[&key], "")?;
        // 404: an earlier attempt deleted it, and its acknowledgement was lost.
        assert!([204, 404].contains(&status), "{status} {answer}");
        self.deleted.insert(id);
        Some(())
    }
}
