//! Live updates over HTTP, through the gateway.

use crate::event_stream::EventStream;
use crate::roles::sign_in;
use crate::server::Server;
use crate::test_env::{TestEnv, wait_until};

/// Maximum number of streams of an account.
const STREAMS_PER_ACCOUNT_MAX: usize = 50;

/// A server with an owner and a reader of one account.
struct LiveFixture {
    env: TestEnv,
    server: Server,
    form: String,
    owner: String,
    reader: String,
}

impl LiveFixture {
    fn new() -> Self {
        let env = TestEnv::with_account();
        let form = env.form("--field name");
        let invitation =
            env.run("account add-member --account a@example.com --email b@example.com");
        let server = Server::start(&env, "serve");
        let owner = sign_in(&server, &env.run("account sign-in-link --account a@example.com"));
        let reader = sign_in(&server, &invitation);
        Self { env, server, form, owner, reader }
    }

    fn open(&self, environment: &str, cookie: &str) -> EventStream {
        EventStream::open(&self.server.address, environment, cookie)
    }

    /// Sends a submission to a form, and returns its id.
    fn submit(&self, form: &str) -> String {
        let answer = self.server.ask("POST", &format!("/f/{form}"), &[], r#"{"name":"Ada"}"#);
        assert_eq!(answer.status, 201, "{}", answer.text());
        answer.json()["data"]["id"].as_str().unwrap().to_owned()
    }

    /// Sends a request of the owner.
    fn send(&self, method: &str, path: &str, body: &str) {
        let answer = self.server.dashboard(method, path, &self.owner, body);
        assert!((200..300).contains(&answer.status), "{}", answer.text());
    }
}

#[track_caller]
fn check_next(stream: &mut EventStream, kind: &str, form: &str, ids: &[&str]) {
    let ids = serde_json::to_string(ids).unwrap();
    let data = format!(r#"{{"form_id":"{form}","ids":{ids}}}"#);
    assert_eq!(stream.next(), Some((kind.to_owned(), data)));
}

#[test]
fn changes_reach_members_of_the_account_and_environment_only() {
    let fixture = LiveFixture::new();
    check_changes_of_other_member(&fixture);
    check_other_owners(&fixture);
}

fn check_changes_of_other_member(fixture: &LiveFixture) {
    let form = &fixture.form;
    let mut stream = fixture.open("live", &fixture.reader);
    for header in [
        "content-type: text/event-stream\r\n",
        "cache-control: no-store\r\n",
        "x-accel-buffering: no\r\n",
    ] {
        assert!(stream.head.contains(header), "{}", stream.head);
    }
    assert!(!stream.head.contains("content-encoding"), "{}", stream.head);
    let id = fixture.submit(form);
    check_next(&mut stream, "created", form, &[&id]);
    let submissions = format!("/account/forms/{form}/submissions");
    let star = format!(r#"{{"ids":["{id}"],"set":{{"starred":true}}}}"#);
    fixture.send("PATCH", &submissions, &star);
    check_next(&mut stream, "updated", form, &[&id]);
    fixture.send("POST", &format!("{submissions}/{id}/notes"), r#"{"text":"Call back"}"#);
    check_next(&mut stream, "updated", form, &[&id]);
    let trash = format!("/account/forms/{form}/trash");
    fixture.send("POST", &trash, &format!(r#"{{"ids":["{id}"]}}"#));
    check_next(&mut stream, "removed", form, &[&id]);
    fixture.send("POST", &format!("{trash}/restore"), &format!(r#"{{"ids":["{id}"]}}"#));
    check_next(&mut stream, "created", form, &[&id]);
    fixture.send("DELETE", &format!("/api/live/v1/submissions/{id}"), "");
    check_next(&mut stream, "removed", form, &[&id]);
}

/// Streams have only the changes of their owner and environment.
fn check_other_owners(fixture: &LiveFixture) {
    let env = &fixture.env;
    env.run("account create --email c@example.com --plan pro");
    let other_form = env.run("form create --account c@example.com --name Other");
    let test_form = env.form("--mode test");
    let link = env.run("account sign-in-link --account c@example.com");
    let other = sign_in(&fixture.server, &link);
    let mut live = fixture.open("live", &fixture.owner);
    let mut test = fixture.open("test", &fixture.owner);
    let mut foreign = fixture.open("live", &other);
    let forms = [&fixture.form, &test_form, &other_form];
    let ids = forms.map(|form| fixture.submit(form));
    for (n, stream) in [&mut live, &mut test, &mut foreign].into_iter().enumerate() {
        check_next(stream, "created", forms[n], &[&ids[n]]);
    }
}

#[test]
fn stream_needs_session_header_and_environment_and_ends_at_shutdown() {
    let mut fixture = LiveFixture::new();
    check_refusals(&fixture);
    let mut stream = fixture.open("live", &fixture.owner);
    let mut other = fixture.open("test", &fixture.reader);
    fixture.server.signal("TERM");
    assert_eq!(stream.next(), None);
    assert_eq!(other.next(), None);
    let log = fixture.server.end();
    assert!(log.contains("\"drained\""), "a stream delayed the shutdown: {log}");
}

fn check_refusals(fixture: &LiveFixture) {
    let path = |query: &str| format!("/account/events{query}");
    let ask = |query: &str| fixture.server.dashboard("GET", &path(query), &fixture.reader, "");
    for query in ["", "?environment=all", "?environment=live&form=frm_1"] {
        let answer = ask(query);
        assert_eq!(answer.status, 400, "{}", answer.text());
        assert_eq!(answer.json()["error"], "validation_error");
    }
    let live = path("?environment=live");
    assert_eq!(fixture.server.dashboard("GET", &live, "", "").status, 401);
    let cookie = format!("Cookie: {}", fixture.owner);
    assert_eq!(fixture.server.ask("GET", &live, &[&cookie], "").status, 403);
    let post = fixture.server.dashboard("POST", &live, &fixture.owner, "");
    assert_eq!(post.status, 405, "{}", post.text());
    // A request for the head has no stream.
    assert_eq!(fixture.server.dashboard("HEAD", &live, &fixture.owner, "").status, 200);
}

#[test]
fn streams_of_an_account_are_limited() {
    let fixture = LiveFixture::new();
    let open = |cookie: &str| fixture.open("live", cookie);
    let mut streams: Vec<_> = (1..STREAMS_PER_ACCOUNT_MAX).map(|_| open(&fixture.owner)).collect();
    let mut last = open(&fixture.reader);
    let request = || EventStream::request(&fixture.server.address, "test", &fixture.owner);
    let mut refused = request();
    assert_eq!(refused.status, 429);
    assert!(refused.head.contains("retry-after: 60\r\n"), "{}", refused.head);
    let body: serde_json::Value = serde_json::from_str(&refused.rest()).unwrap();
    assert_eq!((&body["error"], &body["retry_after"]), (&"rate_limit_exceeded".into(), &60.into()));
    // All others still get the changes.
    let id = fixture.submit(&fixture.form);
    for stream in streams.iter_mut().chain([&mut last]) {
        check_next(stream, "created", &fixture.form, &[&id]);
    }
    drop(last);
    wait_until("a closed stream is no longer counted", || request().status == 200);
}
