//! E-mails about submissions, from the real binary to a mail server: their headers and content,
//! hostile answers, confirmation, unsubscription and auto-reply.

use crate::receiver::Receiver;
use crate::roles::sign_in;
use crate::server::{HttpResponse, Server};
use crate::smtp_server::{ParsedMail, SmtpServer};
use crate::test_env::TestEnv;
use crate::webhook::{ALLOWED, submit};
use serde_json::{Value, json};
use std::cell::OnceCell;
use std::time::Duration;

/// Address that is notified.
pub(crate) const READER: &str = "reader@example.org";

/// A form that notifies [`READER`], and its mail server.
pub(crate) struct MailFixture {
    pub(crate) env: TestEnv,
    pub(crate) smtp: SmtpServer,
    pub(crate) form: String,
    pub(crate) id: String,
    /// Cookie of the owner, who signs in once: a sign-in by a further browser would send an e-mail.
    cookie: OnceCell<String>,
}

impl MailFixture {
    /// Adds a notification with these options.
    pub(crate) fn new(more: &str) -> Self {
        Self::with_server(SmtpServer::start(), more)
    }

    pub(crate) fn with_server(smtp: SmtpServer, more: &str) -> Self {
        let env = TestEnv::with_account();
        let form = env.form("--field name --field mail:email");
        let id = env.run(&format!("notification add --form {form} --email {READER} {more}"));
        Self { env, smtp, form, id, cookie: OnceCell::new() }
    }

    pub(crate) fn serve(&self) -> Server {
        self.serve_with(&self.smtp.options())
    }

    pub(crate) fn serve_with(&self, more: &str) -> Server {
        Server::start(&self.env, &format!("serve {more}"))
    }

    /// Returns the only notification.
    pub(crate) fn notification(&self) -> Value {
        self.env.json(&format!("notification list --form {} --json", self.form))[0].take()
    }

    /// Sends answers, and returns the id of the submission.
    fn submit_answers(&self, server: &Server, answers: &Value) -> String {
        let sent = server.ask("POST", &format!("/f/{}", self.form), &[], &answers.to_string());
        assert_eq!(sent.status, 201, "{}", sent.text());
        sent.json()["data"]["id"].as_str().unwrap().to_owned()
    }
}

/// Sends a request of the owner to a path below the one of the form.
fn act_as_owner(
    fixture: &MailFixture,
    server: &Server,
    request: (&str, &str),
    body: &Value,
) -> HttpResponse {
    let link = || fixture.env.run("account sign-in-link --account a@example.com");
    let cookie = fixture.cookie.get_or_init(|| sign_in(server, &link()));
    let path = format!("/account/forms/{}{}", fixture.form, request.1);
    server.dashboard(request.0, &path, cookie, &body.to_string())
}

/// Stops a server after its running sends, and checks that no more e-mail arrives.
#[track_caller]
pub(crate) fn expect_no_mail(mut server: Server, smtp: &SmtpServer) {
    server.signal("TERM");
    server.end();
    let mail = smtp.mail_within(Duration::ZERO);
    assert!(mail.is_none(), "{mail:?}");
}

#[test]
fn submission_is_sent_with_all_answers() {
    let fixture = MailFixture::new("");
    let server = fixture.serve();
    let answers = json!({ "name": "Ada & <b>Bob</b>", "mail": "ada@example.net" });
    let submission = fixture.submit_answers(&server, &answers);
    let mail = fixture.smtp.next_mail();
    assert_eq!(
        (mail.from.as_str(), mail.to.as_slice()),
        ("forms@sheaf.example", &[READER.into()][..])
    );
    assert_eq!(mail.header("To"), READER);
    assert_eq!(mail.header("From"), "forms@sheaf.example");
    assert_eq!(mail.header("Subject"), "New submission: Form");
    assert_eq!(mail.header("Reply-To"), "ada@example.net");
    assert_eq!(mail.header("Auto-Submitted"), "auto-generated");
    for name in ["In-Reply-To", "References"] {
        assert_eq!(mail.header(name), format!("<{}@sheaf.example>", fixture.form));
    }
    let message_id = mail.header("Message-ID");
    assert!(message_id.contains(&submission), "{message_id}");
    assert!(message_id.ends_with("@sheaf.example>"), "{message_id}");
    let media_type = mail.header("Content-Type");
    assert!(media_type.starts_with("multipart/alternative;"), "{media_type}");
    let unsubscribe = mail.header("List-Unsubscribe");
    let prefix = format!("<http://sheaf.example/n/{}/", fixture.id);
    assert!(unsubscribe.starts_with(&prefix) && unsubscribe.ends_with("/unsubscribe>"));
    assert_eq!(mail.header("List-Unsubscribe-Post"), "List-Unsubscribe=One-Click");
    assert_eq!(mail.defects, [""; 0]);
    let path = format!("http://sheaf.example/live/forms/{}/submissions/{submission}", fixture.form);
    for part in [mail.text(), mail.html()] {
        assert!(part.contains("ada@example.net") && part.contains(&path), "{part}");
    }
    assert!(mail.text().contains("Ada & <b>Bob</b>"), "{}", mail.text());
    assert!(mail.html().contains("Ada &amp; &lt;b&gt;Bob&lt;/b&gt;"), "{}", mail.html());
    assert_eq!(mail.parts.len(), 2);
    for resource in ["<img", "<script", "<link", "url(", "src="] {
        assert!(!mail.html().contains(resource), "{resource} in {}", mail.html());
    }
}

#[test]
fn link_mail_has_no_answers() {
    let fixture = MailFixture::new("--content link --language de --time-zone Europe/Berlin");
    let server = fixture.serve();
    let answers = json!({ "name": "Ada", "mail": "ada@example.net", "_subject": "secret" });
    let submission = fixture.submit_answers(&server, &answers);
    let mail = fixture.smtp.next_mail();
    let raw = String::from_utf8(mail.raw()).unwrap();
    for private in ["Ada", "ada@example.net", "secret"] {
        let is_shown = [&raw, mail.text(), mail.html()].iter().any(|text| text.contains(private));
        assert!(!is_shown, "{private} in {raw}");
    }
    assert!(mail.text().contains(&submission) && mail.text().contains("Europe/Berlin"));
    assert_eq!(mail.header("Subject"), "Neue Einsendung: Form");
    assert!(!mail.has_header("Reply-To"));
}

#[test]
fn hostile_answers_change_no_header() {
    let fixture = MailFixture::new("");
    let server = fixture.serve();
    let hostile = "x\r\nBcc: victim@example.net\r\n\r\n<script>alert(1)</script>";
    let answers = json!({
        "name": format!("{hostile}\u{202e}txt.exe\r\n.\r\nMAIL FROM:<a@b.example>"),
        "mail": format!("a@example.net\r\nBcc: victim@example.net"),
        "_subject": hostile,
        "_replyto": "a@example.net>\r\nBcc: <victim@example.net",
        "עברית\r\nBcc: victim@example.net": "שלום",
    });
    fixture.submit_answers(&server, &answers);
    let mail = fixture.smtp.next_mail();
    assert_eq!(mail.to, [READER]);
    assert_eq!(mail.defects, [""; 0]);
    assert_eq!(
        header_names(&mail),
        [
            "Auto-Submitted",
            "Content-Type",
            "Date",
            "From",
            "In-Reply-To",
            "List-Unsubscribe",
            "List-Unsubscribe-Post",
            "MIME-Version",
            "Message-ID",
            "References",
            "Subject",
            "To",
        ]
    );
    let subject = mail.header("Subject");
    assert!(subject.starts_with("x ") && subject.ends_with(" – Form"), "{subject}");
    assert!(!mail.html().contains("<script"), "{}", mail.html());
    // Right-to-left text is isolated.
    assert!(mail.text().contains("\u{2068}שלום\u{2069}"), "{}", mail.text());
    assert!(mail.html().contains("dir=\"auto\""), "{}", mail.html());
    // The next e-mail uses a session of its own commands.
    submit(&server, &fixture.form);
    assert_eq!(fixture.smtp.next_mail().to, [READER]);
}

fn header_names(mail: &ParsedMail) -> Vec<&str> {
    let mut names: Vec<_> = mail.headers.iter().map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    names
}

#[test]
fn one_click_unsubscription_stops_mails() {
    let fixture = MailFixture::new("");
    let server = fixture.serve();
    submit(&server, &fixture.form);
    let mail = fixture.smtp.next_mail();
    let url = mail.header("List-Unsubscribe").trim_matches(['<', '>']);
    let path = url.strip_prefix("http://sheaf.example").unwrap();
    assert_eq!(mail.link("unsubscribe"), path);
    // Mail scanners follow links.
    assert_eq!(server.ask("GET", path, &[], "").status, 200);
    assert_eq!(fixture.notification()["disabled"], Value::Null);
    let form = "Content-Type: application/x-www-form-urlencoded";
    let forged = path.replace("/unsubscribe", "A/unsubscribe");
    let one_click = "List-Unsubscribe=One-Click";
    assert_eq!(server.ask("POST", &forged, &[form], one_click).status, 404);
    for _ in 0..2 {
        assert_eq!(server.ask("POST", path, &[form], one_click).status, 200);
        assert_eq!(fixture.notification()["disabled"]["reason"], "unsubscribed");
    }
    submit(&server, &fixture.form);
    expect_no_mail(server, &fixture.smtp);
}

#[test]
fn stranger_confirms_before_first_mail() {
    let fixture = MailFixture::new("");
    fixture.env.run(&format!("notification remove {}", fixture.id));
    let server = fixture.serve();
    let body = json!({ "email": "stranger@example.net", "language": "de" });
    let created = act_as_owner(&fixture, &server, ("POST", "/notifications"), &body);
    assert_eq!(created.status, 201, "{}", created.text());
    assert_eq!(created.json()["data"]["confirmed"], false, "{}", created.text());
    let request = fixture.smtp.next_mail();
    assert_eq!(request.to, ["stranger@example.net"]);
    // Submissions before the confirmation are not sent, also not later.
    submit(&server, &fixture.form);
    let path = request.link("confirm");
    assert_eq!(server.ask("GET", &path, &[], "").status, 200);
    assert_eq!(fixture.notification()["confirmed"], false);
    assert_eq!(server.ask("POST", &path, &[], "").status, 200);
    assert_eq!(fixture.notification()["confirmed"], true);
    let submission = submit(&server, &fixture.form);
    let mail = fixture.smtp.next_mail();
    assert!(mail.text().contains(&submission), "{}", mail.text());

    // Only the reader can enable an address that unsubscribed.
    assert_eq!(server.ask("POST", &mail.link("unsubscribe"), &[], "").status, 200);
    let id = fixture.notification()["id"].as_str().unwrap().to_owned();
    let settings = json!({
        "every": "submission", "content": "full", "time_zone": "UTC", "language": "en",
        "enabled": true,
    });
    let path = format!("/notifications/{id}");
    let enabled = act_as_owner(&fixture, &server, ("PUT", &path), &settings);
    assert_eq!(enabled.json()["data"]["confirmed"], false, "{}", enabled.text());
    let again = fixture.smtp.next_mail();
    assert_eq!(server.ask("POST", &again.link("confirm"), &[], "").status, 200);
    submit(&server, &fixture.form);
    assert_eq!(fixture.smtp.next_mail().to, ["stranger@example.net"]);
}

#[test]
fn sender_gets_auto_reply_once() {
    let fixture = MailFixture::new("");
    fixture.env.run(&format!("notification remove {}", fixture.id));
    fixture.env.run(&format!("form intake {} --honeypot on", fixture.form));
    let server = fixture.serve();
    let reply = json!({
        "enabled": true, "subject": "Thanks: {form}", "text": "We received {id}.", "language": "en",
    });
    let set = act_as_owner(&fixture, &server, ("PUT", "/auto-reply"), &reply);
    assert_eq!(set.status, 200, "{}", set.text());
    let answers = |name: &str, mail: &str| json!({ "name": name, "mail": mail });
    let id = fixture.submit_answers(&server, &answers("secret {id}", "ada@example.net"));
    let mail = fixture.smtp.next_mail();
    assert_eq!(mail.to, ["ada@example.net"]);
    assert_eq!(mail.header("Subject"), "Thanks: Form");
    assert_eq!(mail.header("Reply-To"), "a@example.com");
    assert_eq!(mail.header("Auto-Submitted"), "auto-generated");
    assert_eq!(mail.header("X-Auto-Response-Suppress"), "All");
    assert!(mail.text().contains(&format!("We received {id}.")), "{}", mail.text());
    assert!(!String::from_utf8(mail.raw()).unwrap().contains("secret"));
    // The second submission of the address on a day gets no reply.
    fixture.submit_answers(&server, &answers("again", "ADA@example.net"));
    fixture.submit_answers(&server, &answers("other", "bob@example.net"));
    assert_eq!(fixture.smtp.next_mail().to, ["bob@example.net"]);
    expect_no_mail(server, &fixture.smtp);
}

#[test]
fn service_sends_mail_and_webhooks() {
    let fixture = MailFixture::new("");
    let receiver = Receiver::start();
    let form = &fixture.form;
    let create = format!("webhook create --form {form} --url {} {ALLOWED}", receiver.url);
    fixture.env.run(&create);
    let options = fixture.smtp.options();
    let server = Server::start(&fixture.env, &format!("service {options} {ALLOWED}"));
    let submission = submit(&server, form);
    assert_eq!(receiver.next_request().json()["data"]["id"], submission);
    let mail = fixture.smtp.next_mail();
    assert!(mail.text().contains(&submission), "{}", mail.text());
    assert_eq!(server.ask("POST", &mail.link("unsubscribe"), &[], "").status, 200);
    assert_eq!(fixture.notification()["disabled"]["reason"], "unsubscribed");
}
