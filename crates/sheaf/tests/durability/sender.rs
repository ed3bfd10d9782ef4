//! Someone who sends submissions and deletes some, and remembers what was acknowledged. What was
//! not, it sends again when the server is back.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

/// How long an answer may take.
const SOON: Duration = Duration::from_secs(20);
/// After so many submissions, one is deleted.
const DELETE_EVERY: usize = 7;

/// Where to send, and as whom.
pub(crate) struct Desk<'a> {
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
    pub(crate) fn go_on(&mut self, desk: &Desk<'_>) -> Option<()> {
        if let Some(id) = self.leaving.difference(&self.gone).next().cloned() {
            return self.delete(desk, id);
        }
        let what = format!("{}-{}", self.name, self.sent);
        self.repeated += usize::from(std::mem::replace(&mut self.is_open, true));
        let body = format!("{{\"what\":\"{what}\",\"more\":\"{}\"}}", "more ".repeat(40));
        let head = format!(
            "POST /f/{} HTTP/1.1\r\nIdempotency-Key: {what}\r\nContent-Type: application/json\r\n",
            desk.form
        );
        let (status, answer) = ask(desk, &head, &body)?;
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

    fn delete(&mut self, desk: &Desk<'_>, id: String) -> Option<()> {
        let head = format!("DELETE /v1/submissions/{id} HTTP/1.1\r\nX-API-Key: {}\r\n", desk.key);
        let (status, answer) = ask(desk, &head, "")?;
        // The second where the deletion was done before, and its acknowledgement lost.
        assert!([204, 404].contains(&status), "{status} {answer}");
        self.gone.insert(id);
        Some(())
    }
}

/// Sends a request, and returns the status and the whole body of the answer; `None` where there is
/// no whole answer.
pub(crate) fn ask(desk: &Desk<'_>, head: &str, body: &str) -> Option<(u16, String)> {
    let mut stream = TcpStream::connect(desk.address).ok()?;
    stream.set_read_timeout(Some(SOON)).ok()?;
    let length = body.len();
    let request =
        format!("{head}Host: x\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}");
    stream.write_all(request.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("content-length").then_some(value)?.parse().ok()
    });
    (body.len() >= length.unwrap_or(0)).then(|| (status, body.to_owned()))
}
