//! E-mails to members, from the real binary to a mail server: sign-in links, invitations, and
//! security notices.

use crate::roles::sign_in;
use crate::server::{HttpResponse, Server};
use crate::smtp_server::{ParsedMail, SENDER, SmtpServer};
use crate::test_env::TestEnv;
use serde_json::json;
use test_servers::ReservedPort;

const OWNER: &str = "a@example.com";
const PASSWORD: &str = "a walrus in winter";

struct ServerWithMail {
    env: TestEnv,
    smtp: SmtpServer,
    server: Server,
}

impl ServerWithMail {
    fn new() -> Self {
        let env = TestEnv::with_account();
        let smtp = SmtpServer::start();
        let server = Server::start(&env, &format!("serve {}", smtp.options()));
        Self { env, smtp, server }
    }

    /// Signs the owner in by a link of the command line.
    fn sign_in(&self) -> String {
        sign_in(&self.server, &self.env.run(&format!("account sign-in-link --account {OWNER}")))
    }

    fn request_link(&self, email: &str) -> HttpResponse {
        let body = json!({ "email": email }).to_string();
        // The links in e-mails never have the host of the request.
        let headers = ["x-sheaf-csrf: 1", "X-Forwarded-Host: evil.example", "Accept-Language: de"];
        self.server.ask("POST", "/session/email-link", &headers, &body)
    }
}

/// Returns the sign-in link in an e-mail.
#[track_caller]
fn link_of(mail: &ParsedMail) -> String {
    let mut words = mail.text().split_whitespace();
    let link = words.find(|word| word.contains("#token=")).expect("the e-mail has no link");
    assert!(link.starts_with("http://sheaf.example/sign-in#token="), "{link}");
    assert!(mail.html().contains(link), "{}", mail.html());
    link.to_owned()
}

fn token_body(link: &str) -> String {
    json!({ "token": link.split_once("#token=").unwrap().1 }).to_string()
}

#[test]
fn requested_link_is_received_and_signs_in_once() {
    let fixture = ServerWithMail::new();
    let shown = fixture.server.dashboard("GET", "/session", "", "");
    assert_eq!(shown.json(), json!({ "data": null, "email_links": true }));
    let unknown = fixture.request_link("nobody@example.com");
    let known_account = fixture.request_link("A@Example.com");
    assert_eq!((unknown.status, known_account.status), (202, 202));
    assert_eq!(unknown.body, known_account.body);
    let mail = fixture.smtp.next_mail();
    assert_eq!(mail.to, [OWNER], "an e-mail to an address without a member");
    assert!(mail.text().contains("15 Minuten"), "{}", mail.text());
    assert!(!mail.has_header("List-Unsubscribe"));
    let link = link_of(&mail);
    let cookie = sign_in(&fixture.server, &link);
    let session = fixture.server.dashboard("GET", "/session", &cookie, "").json();
    assert_eq!(session["data"]["email"], OWNER);
    let again = fixture.server.dashboard("POST", "/session", "", &token_body(&link));
    assert_eq!(again.status, 401);
}

#[test]
fn token_is_neither_stored_nor_logged() {
    let env = TestEnv::with_account();
    let smtp = SmtpServer::start();
    let mut command = env.command(&format!("serve --listen 127.0.0.1:0 {}", smtp.options()));
    command.env("RUST_LOG", "trace");
    let server = Server::spawn(command);
    let mut fixture = ServerWithMail { env, smtp, server };
    fixture.request_link(OWNER);
    let link = link_of(&fixture.smtp.next_mail());
    let token = link.split_once("#token=").unwrap().1;
    fixture.server.signal("TERM");
    let log = fixture.server.end();
    assert!(!log.contains(token), "{log}");
    for file in std::fs::read_dir(fixture.env.data()).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap_or_default();
        let is_in = bytes.windows(token.len()).any(|part| part == token.as_bytes());
        assert!(!is_in, "a file has the token");
    }
}

#[test]
fn invitation_is_received_and_signs_in() {
    let fixture = ServerWithMail::new();
    let owner = fixture.sign_in();
    let body = json!({ "email": "new@example.com" }).to_string();
    let answer = fixture.server.dashboard("POST", "/people", &owner, &body);
    assert_eq!(answer.status, 201, "{}", answer.text());
    let invited = answer.json();
    assert_eq!(invited["mailed"], true);
    let mail = fixture.smtp.next_mail();
    assert_eq!(mail.to, ["new@example.com"]);
    assert!(mail.text().contains(OWNER) && mail.text().contains("24 hours"), "{}", mail.text());
    let link = link_of(&mail);
    assert!(link.ends_with(invited["token"].as_str().unwrap()));
    let reader = sign_in(&fixture.server, &link);
    let session = fixture.server.dashboard("GET", "/session", &reader, "").json();
    assert_eq!(session["data"]["role"], "reader");
}

#[test]
fn unreachable_mail_server_leaves_link() {
    let env = TestEnv::with_account();
    let port = ReservedPort::new().unwrap();
    let options = format!("--smtp-url smtp://127.0.0.1:{}?tls=none {SENDER}", port.number());
    let server = Server::start(&env, &format!("serve {options}"));
    let link = env.run(&format!("account sign-in-link --account {OWNER}"));
    let owner = sign_in(&server, &link);
    let body = json!({ "email": "new@example.com" }).to_string();
    let invited = server.dashboard("POST", "/people", &owner, &body);
    assert_eq!(invited.status, 201);
    assert_eq!(invited.json()["mailed"], false);
    let body = json!({ "token": invited.json()["token"] }).to_string();
    assert_eq!(server.dashboard("POST", "/session", "", &body).status, 200);
    let answer =
        server.dashboard("POST", "/session/email-link", "", r#"{"email":"a@example.com"}"#);
    assert_eq!(answer.status, 202);
}

#[test]
fn changes_and_new_browsers_are_reported() {
    let fixture = ServerWithMail::new();
    let owner = fixture.sign_in();
    let body = json!({ "new": PASSWORD }).to_string();
    let set = fixture.server.dashboard("PUT", "/password", &owner, &body);
    assert_eq!(set.status, 204, "{}", set.text());
    let mail = fixture.smtp.next_mail();
    assert_eq!(mail.to, [OWNER]);
    assert!(mail.header("Subject").to_lowercase().contains("password"), "{mail:?}");
    assert!(!mail.text().contains(PASSWORD));

    let body = json!({ "email": OWNER, "password": PASSWORD }).to_string();
    let agent =
        "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
    let signed_in = fixture.server.ask("POST", "/session", &["x-sheaf-csrf: 1", agent], &body);
    assert_eq!(signed_in.status, 200);
    let mail = fixture.smtp.next_mail();
    assert_eq!(mail.to, [OWNER]);
    assert!(mail.text().contains("Firefox"), "{}", mail.text());

    let cookie = signed_in.cookie();
    let body = json!({ "email": "b@example.com" }).to_string();
    let requested = fixture.server.dashboard("PUT", "/account/email", &cookie, &body);
    assert_eq!(requested.status, 202, "{}", requested.text());
    let mail = fixture.smtp.next_mail();
    assert_eq!(mail.to, ["b@example.com"]);
    let code =
        mail.text().split_whitespace().find(|word| word.len() == 8 && word.parse::<u32>().is_ok());
    let body = json!({ "email": "b@example.com", "code": code.unwrap() }).to_string();
    let changed = fixture.server.dashboard("PUT", "/account/email", &cookie, &body);
    assert_eq!(changed.status, 204, "{}", changed.text());
    let mail = fixture.smtp.next_mail();
    assert_eq!(mail.to, [OWNER], "sent to the previous address");
    assert!(!mail.text().contains("b@example.com"), "{}", mail.text());
}

#[test]
fn link_replaces_forgotten_password() {
    let fixture = ServerWithMail::new();
    let body = json!({ "new": PASSWORD }).to_string();
    assert_eq!(fixture.server.dashboard("PUT", "/password", &fixture.sign_in(), &body).status, 204);
    fixture.smtp.next_mail();
    fixture.request_link(OWNER);
    let link = link_of(&fixture.smtp.next_mail());
    let answer = fixture.server.dashboard("POST", "/session", "", &token_body(&link));
    let cookies: Vec<_> = answer
        .head
        .lines()
        .filter_map(|line| line.strip_prefix("set-cookie: "))
        .map(|cookie| cookie.split(';').next().unwrap())
        .collect();
    let cookie_header = cookies.join("; ");
    let access = fixture.server.dashboard("GET", "/sessions", &cookie_header, "").json();
    assert_eq!(access["data"]["can_reset_password"], true);
    let new = json!({ "new": "two herons at the weir" }).to_string();
    let session_only = fixture.server.dashboard("PUT", "/password", cookies[0], &new);
    assert_eq!(session_only.status, 403);
    assert_eq!(fixture.server.dashboard("PUT", "/password", &cookie_header, &new).status, 204);
    let body = json!({ "email": OWNER, "password": "two herons at the weir" }).to_string();
    assert_eq!(fixture.server.dashboard("POST", "/session", "", &body).status, 200);
}
