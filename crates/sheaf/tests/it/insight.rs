//! The analysis in the real binary: kills, limits, control at run time, and an external endpoint.

use crate::outgoing_tls::read_request;
use crate::server::Server;
use crate::test_env::{SOON, TestEnv, wait_until};
use serde_json::{Value, json};
use std::io::Write as _;
use std::net::TcpListener;
use std::sync::mpsc;

const USAGE: &str = "account usage --account a@example.com --json";

/// Imports `count` comments into a form, the newest first.
fn import_comments(env: &TestEnv, form: &str, count: usize) {
    let line = |n: usize| {
        json!({ "answers": { "Comment": format!("Number {n} was really good, thank you") } })
            .to_string()
    };
    let file = env.write("file", (0..count).map(line).collect::<Vec<_>>().join("\n"));
    env.run(&format!("import --form {form} {file}"));
}

fn export_rows(server: &Server, form: &str, key: &str) -> Vec<Value> {
    let path = format!("/v1/forms/{form}/submissions/export?format=json");
    server.get(&path, key).json()["data"].as_array().unwrap().clone()
}

/// Returns the response of an endpoint that labels a text.
fn endpoint_response() -> String {
    let found = r#"{"sentiment":"mixed","sentiment_score":0.4,"categories":[],"language":"fi"}"#;
    json!({ "choices": [{ "message": { "content": found } }] }).to_string()
}

#[test]
fn analysis_survives_kills_within_limit() {
    const COUNT: usize = 300;
    const LIMIT: u64 = 200;
    /// Number of requests that the endpoint answers. It leaves later ones open, so that the kill
    /// always interrupts the analysis.
    const ANSWERS_MAX: usize = 40;
    let env = TestEnv::with_account();
    let form = env.form("--field Comment:long_text --analysis");
    import_comments(&env, &form, COUNT);
    let key = env.key("live");
    let used = |mode: &str| env.json(USAGE)[mode]["used"].as_u64().unwrap();
    let serve = |answers_max: usize| {
        let (base, _) = start_endpoint(vec![endpoint_response()], answers_max);
        let url = format!("--insight-url {base} --insight-model tiny");
        Server::start(&env, &format!("serve --insight-limit enterprise={LIMIT} {url}"))
    };
    for _ in 0..3 {
        let before = used("live");
        let mut server = serve(ANSWERS_MAX);
        wait_until("some submissions are analysed", || used("live") > before);
        server.child.kill().unwrap();
        server.child.wait().unwrap();
        // The usage counter must equal the number of results: a difference is a lost or repeated
        // one.
        let idle_server = Server::start(&env, "serve --no-insight");
        let done = export_rows(&idle_server, &form, &key);
        let filled =
            done.iter().filter(|submission| !submission["ai_insights"].is_null()).count() as u64;
        assert_eq!((filled, done.len()), (used("live"), COUNT));
        assert!(filled < LIMIT, "the server was not killed in the middle");
        // End the lease of the killed server, so that the next one need not wait for its expiry.
        env.sql("UPDATE insight_leases SET leased_until = now()");
    }
    let server = serve(usize::MAX);
    wait_until("the limit is used up", || used("live") >= LIMIT);
    // Forms take turns, and test data has its own limit. Between the two test submissions the
    // server checks the live form again.
    let test = env.form("--field Comment:long_text --analysis --mode test");
    for count in 1..=2 {
        import_comments(&env, &test, 1);
        wait_until("a test submission is analysed", || used("test") == count);
    }
    let usage = env.json(&format!("{USAGE} --insight-limit enterprise={LIMIT}"));
    let pending = COUNT as u64 - LIMIT;
    assert_eq!(usage["live"], json!({ "limit": LIMIT, "used": LIMIT, "pending": pending }));
    let rows = export_rows(&server, &form, &key);
    let (filled, rest) = rows.split_at(usize::try_from(LIMIT).unwrap());
    assert!(filled.iter().all(|submission| submission["ai_insights"]["language"] == "fi"));
    assert!(
        rest.iter().all(|submission| submission["ai_insights"].is_null()),
        "the analysis did not begin with the newest"
    );
}

#[test]
fn owners_and_commands_control_analysis() {
    let env = TestEnv::with_account();
    let form = env.form("--field Comment:long_text");
    import_comments(&env, &form, 3);
    let key = env.key("live");
    let server = Server::start(&env, "serve");
    let token = env.sign_in_token();
    let signed_in = server.dashboard("POST", "/session", "", &format!("{{\"token\":\"{token}\"}}"));
    let cookie = signed_in.cookie();
    assert_eq!(
        env.run(&format!("form analysis on {form}")),
        "analysis is on; a running server analyses the submissions without results"
    );
    let insights = || {
        let rows = export_rows(&server, &form, &key);
        rows.into_iter().map(|mut submission| submission["ai_insights"].take()).collect::<Vec<_>>()
    };
    wait_until("all submissions are analysed", || {
        insights().iter().all(|submission| submission["language"] == "en")
    });
    let categories = env.write("categories", r#"[{"name":"thanks","words":["thank you"]}]"#);
    env.run(&format!("form categories {form} --set {categories}"));
    let path = format!("/account/forms/{form}/categories");
    let seen = server.dashboard("GET", &path, &cookie, "").json();
    assert_eq!(seen["data"]["categories"][0]["name"], "thanks");
    env.run(&format!("form analysis on {form} --again"));
    wait_until("all submissions are analysed again", || {
        insights().iter().all(|submission| submission["categories"] == json!(["thanks"]))
    });

    let sent = r#"{"Comment":"The new menu is horribly confusing"}"#;
    assert_eq!(server.ask("POST", &format!("/f/{form}"), &[], sent).status, 201);
    wait_until("the new submission is analysed", || insights()[0]["sentiment"] == "negative");
    let id = export_rows(&server, &form, &key)[1]["id"].as_str().unwrap().to_owned();
    let path = format!("/account/submissions/{id}/insight");
    let printed = server.dashboard("PUT", &path, &cookie, r#"{"sentiment":"negative"}"#);
    assert_eq!(
        (printed.status, &printed.json()["data"]["shown"]["sentiment"]),
        (200, &json!("negative"))
    );
    assert_eq!(insights()[1]["sentiment"], "negative");
    let usage = server.dashboard("GET", "/account/insight", &cookie, "").json();
    assert_eq!(usage["data"]["live"], json!({ "limit": 100_000, "used": 7, "pending": 0 }));
    assert_eq!(server.dashboard("DELETE", &path, &cookie, "").status, 200);
    assert_eq!(insights()[1]["sentiment"], "positive");
}

#[test]
fn insight_commands_report_errors() {
    let env = TestEnv::with_account();
    let form = env.form("");
    let analysis = env.fail(&format!("form analysis off {form} --again"));
    assert_eq!(analysis, "`--again` cannot be used with `off`; use `on`");
    assert!(env.fail("form analysis on frm_none").contains("there is no form `frm_none`"));
    let file = env.write("bad", r#"[{"name":""}]"#);
    let hostile = env.write("hostile", format!("\"\\u001b[2J{}\"", "long ".repeat(10_000)));
    let bad = env.fail(&format!("form categories {form} --set {hostile}"));
    assert!(bad.len() < 400 && !bad.contains('\u{1b}'), "{bad:?}");
    assert!(bad.contains("…\", expected") && bad.contains("at line 1 column"), "{bad}");
    let bad = env.fail(&format!("form categories {form} --set {file}"));
    assert!(
        bad.contains("does not contain a list of categories") && bad.contains("1 to 40"),
        "{bad}"
    );
    let shown = env.run(&format!("form categories {form}"));
    assert!(shown.starts_with("CATEGORY") && shown.contains("deliver*, shipping"), "{shown}");
    let json = env.run(&format!("form categories {form} --json"));
    let file = env.write("usual", &json);
    let set = env.run(&format!("form categories {form} --set {file}"));
    assert_eq!(set, "13 categories apply to future analyses");
    assert_eq!(env.run(&format!("form categories {form} --json")), json);
    env.run(&format!("form categories {form} --reset"));
    let usage = env.run("account usage --account a@example.com --insight-limit enterprise=7");
    let words: Vec<_> = usage.split_whitespace().collect();
    assert_eq!(words[6..10], ["live", "7", "0", "0"], "{usage}");
}

/// Starts an endpoint that answers the first `answers_max` requests with these bodies in turn, and
/// repeats the last body. It accepts later requests and leaves them without a response.
fn start_endpoint(bodies: Vec<String>, answers_max: usize) -> (String, mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    let (sender, requests) = mpsc::channel();
    std::thread::spawn(move || {
        let mut unanswered = Vec::new();
        let mut answered = 0;
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            // A killed server may have sent no request.
            let Some(request) = read_request(&mut stream) else { continue };
            if answered == answers_max {
                unanswered.push(stream);
                continue;
            }
            let body = &bodies[answered.min(bodies.len() - 1)];
            let head = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length:";
            let _ = stream.write_all(format!("{head} {}\r\n\r\n{body}", body.len()).as_bytes());
            answered += 1;
            // Sending fails if a test has dropped the receiver.
            let _ = sender.send(request);
        }
    });
    (base, requests)
}

#[test]
fn invalid_endpoint_answers_are_not_stored() {
    let env = TestEnv::with_account();
    let form = env.form("--field Comment:long_text --analysis");
    let key = env.key("live");
    let (base, requests) =
        start_endpoint(vec!["garbage".to_owned(), endpoint_response()], usize::MAX);
    let file = env.secret("key", "sk-canary\n");
    let mut server = Server::start(
        &env,
        &format!("serve --insight-url {base} --insight-model tiny --insight-key-file {file}"),
    );
    import_comments(&env, &form, 1);
    let first = requests.recv_timeout(SOON).unwrap();
    assert!(first.contains("authorization: Bearer sk-canary") && first.contains("Number 0"));
    wait_until("the invalid answer is counted", || env.json(USAGE)["live"]["used"] == 1);
    assert!(export_rows(&server, &form, &key)[0]["ai_insights"].is_null());
    import_comments(&env, &form, 1);
    requests.recv_timeout(SOON).unwrap();
    let insights = || {
        let rows = export_rows(&server, &form, &key);
        rows.into_iter().map(|mut submission| submission["ai_insights"].take()).collect::<Vec<_>>()
    };
    wait_until("a submission is labelled", || insights()[0]["language"] == "fi");
    assert!(insights()[1].is_null());
    let live = &env.json(USAGE)["live"];
    assert_eq!((&live["used"], &live["pending"]), (&json!(2), &json!(1)));
    server.signal("TERM");
    let log = server.end();
    assert!(log.contains("could not be analysed"), "{log}");
    assert!(!log.contains("canary") && !log.contains("Number 0"), "{log}");
}
