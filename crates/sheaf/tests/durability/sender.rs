//! Someone who sends submissions and deletes some, and remembers what was acknowledged. What was
//! not, it sends again when the server is back.

use crate::ask::ask;
use std::collections::{BTreeMap, BTreeSet};

/// After so many submissions, one is deleted.
const DELETE_EVERY: usize = 7;

/// Where to send, and as whom.
pub(crate) struct FormUnderTest<'a> {
    pub(crate) address: &'a str,
    pub(crate) form: &'a str,
    pub(crate) key: &'a str,
}

/// One sender.
#[derive(Default)]
pub(crate) struct Sender {
    name: String,
    sent: usize,
    /// Submissions that were acknowledged: what each says, with its id.
    pub(crate) taken: BTreeMap<String, String>,
    /// Ids of which the deletion was asked for, and of these those of which it was acknowledged.
    pub(crate) leaving: BTreeSet<String>,
    pub(crate) gone: BTreeSet<String>,
    /// What was sent more than once.
    pub(crate) repeated: usize,
    is_open: bool,
}

impl Sender {
    pub(crate) fn new(name: String) -> Self {
        Self { name, ..Self::default() }
    }

    /// Does one thing; `None` where the server is gone.
    pub(crate) fn go_on(&mut self, target: &FormUnderTest<'_>) -> Option<()> {
        if let Some(id) = self.leaving.difference(&self.gone).next().cloned() {
            return self.delete(target, id);
        }
        let what = format!("{}-{}", self.name, self.sent);
        self.repeated += usize::from(std::mem::replace(&mut self.is_open, true));
        let body = format!("{{\"what\":\"{what}\",\"more\":\"{}\"}}", "more ".repeat(40));
        let (path, key) = (format!("/f/{}", target.form), format!("Idempotency-Key: {what}"));
        let (status, answer) = ask(target.address, "POST", &path, &[&key], &body)?;
        let answer: serde_json::Value = serde_json::from_str(&answer).ok()?;
        assert_eq!(status, 201, "{answer}");
        let id = answer["data"]["id"].as_str().unwrap().to_owned();
        if self.sent % DELETE_EVERY == DELETE_EVERY - 1 {
            self.leaving.insert(id.clone());
        }
        self.taken.insert(what, id);
        (self.sent, self.is_open) = (self.sent + 1, false);
        Some(())
    }

    fn delete(&mut self, target: &FormUnderTest<'_>, id: String) -> Option<()> {
        let (path, key) = (format!("/v1/submissions/{id}"), format!("X-API-Key: {}", target.key));
        let (status, answer) = ask(target.address, "DELETE", &path, &[&key], "")?;
        // The second where the deletion was done before, and its acknowledgement lost.
        assert!([204, 404].contains(&status), "{status} {answer}");
        self.gone.insert(id);
        Some(())
    }
}
