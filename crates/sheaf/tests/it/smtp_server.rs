//! A mail server of Python (aiosmtpd), and the e-mails that it accepts.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use crate::test_env::SOON;

/// Sender and links of the servers under test.
pub(crate) const SENDER: &str = "--mail-from forms@sheaf.example --public-url http://sheaf.example";

/// A running mail server. It is killed on drop.
pub(crate) struct SmtpServer {
    child: Child,
    pub(crate) port: u16,
    mails: mpsc::Receiver<ParsedMail>,
}

/// An e-mail, as Python reads it.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct ParsedMail {
    /// Address of the envelope's sender.
    pub(crate) from: String,
    /// Addresses of the envelope's recipients.
    pub(crate) to: Vec<String>,
    /// Names and decoded values, in order.
    pub(crate) headers: Vec<(String, String)>,
    /// Decoded parts by media type.
    pub(crate) parts: BTreeMap<String, String>,
    /// Errors that Python found in the e-mail.
    pub(crate) defects: Vec<String>,
    /// The bytes, as base64.
    raw: String,
    pub(crate) is_encrypted: bool,
    /// Name of the client, if it signed in.
    pub(crate) user: Option<String>,
}

/// Returns a Python with the packages of `tests/requirements.txt`.
pub(crate) fn python() -> String {
    std::env::var("TEST_PYTHON")
        .expect("TEST_PYTHON names a Python with the packages: run `cargo xtask test host`")
}

impl SmtpServer {
    pub(crate) fn start() -> Self {
        Self::start_with(&json!({}))
    }

    /// Starts a server with the options of `smtp_server.py`.
    pub(crate) fn start_with(options: &Value) -> Self {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/smtp_server.py");
        let mut command = Command::new(python());
        command.arg(script).arg(options.to_string());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let port = lines.next().expect("the mail server ended").unwrap().parse().unwrap();
        let (sender, mails) = mpsc::channel();
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                if sender.send(serde_json::from_str(&line).unwrap()).is_err() {
                    return;
                }
            }
        });
        Self { child, port, mails }
    }

    /// Returns options for `sheaf serve` to send through this server, without TLS.
    pub(crate) fn options(&self) -> String {
        format!("--smtp-url {} {SENDER}", self.url())
    }

    /// Returns the URL of this server, without TLS.
    pub(crate) fn url(&self) -> String {
        format!("smtp://127.0.0.1:{}?tls=none", self.port)
    }

    /// Returns the next e-mail. Waits for at most [`SOON`].
    pub(crate) fn next_mail(&self) -> ParsedMail {
        self.mail_within(SOON).expect("the mail server got no e-mail")
    }

    /// Returns the next e-mail; `None` if it takes longer than `time`.
    pub(crate) fn mail_within(&self, time: Duration) -> Option<ParsedMail> {
        self.mails.recv_timeout(time).ok()
    }
}

impl Drop for SmtpServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl ParsedMail {
    /// Returns the value of the only header with a name.
    #[track_caller]
    pub(crate) fn header(&self, name: &str) -> &str {
        let mut found = self.headers.iter().filter(|(other, _)| other.eq_ignore_ascii_case(name));
        let (_, value) = found.next().unwrap_or_else(|| panic!("no `{name}` in {self:?}"));
        assert!(found.next().is_none(), "several `{name}` in {self:?}");
        value
    }

    /// Returns whether there is a header with a name.
    pub(crate) fn has_header(&self, name: &str) -> bool {
        self.headers.iter().any(|(other, _)| other.eq_ignore_ascii_case(name))
    }

    pub(crate) fn text(&self) -> &str {
        &self.parts["text/plain"]
    }

    pub(crate) fn html(&self) -> &str {
        &self.parts["text/html"]
    }

    pub(crate) fn raw(&self) -> Vec<u8> {
        BASE64_STANDARD.decode(&self.raw).unwrap()
    }

    /// Returns the path of the first link of the text that ends with `/{action}`.
    #[track_caller]
    pub(crate) fn link(&self, action: &str) -> String {
        let links = self.text().split_whitespace().filter_map(|word| {
            word.strip_prefix("http://sheaf.example").filter(|path| path.starts_with("/n/"))
        });
        let mut found = links.filter(|path| path.ends_with(&format!("/{action}")));
        found.next().unwrap_or_else(|| panic!("no link to {action} in {}", self.text())).to_owned()
    }
}
