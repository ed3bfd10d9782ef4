//! Runs every `sh` block of `docs/api.md` with a shell and the real curl against the real binary,
//! and compares the response with the block that follows it.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use test_servers::SmtpReceiver;
use tokio::runtime::Runtime;

use crate::roles::sign_in;
use crate::server::Server;
use crate::test_env::{TestEnv, expect_success, run_with_input};

const MANUAL: &str = include_str!("../../../../docs/api.md");

/// A fenced block.
#[derive(Debug)]
pub(crate) struct FencedBlock<'a> {
    pub(crate) language: &'a str,
    pub(crate) text: String,
    line: usize,
    /// Line of the closing fence.
    end: usize,
}

/// Returns the fenced blocks of a page. Those in a list are indented by three spaces.
pub(crate) fn parse_blocks(text: &str) -> Vec<FencedBlock<'_>> {
    let mut found: Vec<FencedBlock<'_>> = Vec::new();
    let mut is_open = false;
    for (at, line) in text.lines().enumerate() {
        let bare = line.strip_prefix("   ").filter(|bare| bare.starts_with("```"));
        match bare.unwrap_or(line).strip_prefix("```") {
            Some(_) if is_open => {
                is_open = false;
                found.last_mut().unwrap().end = at + 1;
            }
            Some(language) => {
                is_open = true;
                found.push(FencedBlock { language, text: String::new(), line: at + 1, end: 0 });
            }
            None if is_open => {
                let block = found.last_mut().unwrap();
                block.text += line;
                block.text += "\n";
            }
            None => {}
        }
    }
    found
}

/// Whether a block contains only variables that the reader sets, such as `KEY=…`.
fn is_template(text: &str) -> bool {
    text.lines().all(|line| {
        let name = line.split('=').next().unwrap_or_default();
        line.contains('=') && name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_')
    }) && text.contains('…')
        || text.starts_with("BASE=")
}

/// Environment of a reader of the manual: a server with a form, submissions and keys.
struct ManualEnv {
    env: TestEnv,
    server: Server,
    names: Vec<(&'static str, String)>,
    /// The mail server, which ends when it is dropped.
    _mails: SmtpReceiver,
    /// Runs the mail server.
    _runtime: Runtime,
}

/// Result of one block.
struct BlockOutput {
    status: u16,
    head: String,
    output: String,
}

impl ManualEnv {
    fn new() -> Self {
        let env = TestEnv::new();
        let create = "account create --email you@example.com --plan enterprise --password-stdin";
        expect_success(&run_with_input(env.command(create), b"a walrus in winter\n"));
        let owned = "--account you@example.com --name Feedback";
        let form = env.run(&format!("form create {owned} --field name --field age:number"));
        let lines = env.write("answers.ndjson", SUBMISSIONS);
        env.run(&format!("import --form {form} {lines}"));
        let key = env.run(&format!("key create {owned} --mode live"));
        let revoked = env.run(&format!("key create {owned} --mode live"));
        let id = env.json("key list --account you@example.com --json")[0]["id"].clone();
        env.run(&format!("key revoke {}", id.as_str().unwrap()));
        env.run("account create --email free@example.com --plan free");
        let free = env.run("key create --account free@example.com --name Free --mode live");
        let local = "--webhook-allow-http --webhook-allow-network 127.0.0.0/8";
        let runtime = Runtime::new().unwrap();
        let mails = runtime.block_on(SmtpReceiver::start());
        let mail = format!(
            "--smtp-url {} --mail-from sheaf@sheaf.example --public-url http://sheaf.example",
            mails.url()
        );
        let server = Server::start(&env, &format!("serve {local} {mail}"));
        let cookie = sign_in(&server, &env.run("account sign-in-link --account you@example.com"));
        let path = format!("/account/forms/{form}/notifications");
        let body = json!({ "email": "colleague@example.com" }).to_string();
        let created = server.dashboard("POST", &path, &cookie, &body);
        assert_eq!(created.status, 201, "{}", created.text());
        // The mail about the new sign-in may arrive first.
        let link = (1..=2).find_map(|count| {
            let received = runtime.block_on(mails.wait_for(count));
            received.into_iter().find(|mail| mail.recipients == ["colleague@example.com"])
        });
        let (notification, token) = parse_link(&link.unwrap().raw);
        let names = vec![
            // No server listens there.
            ("RECEIVER", "http://127.0.0.1:2/".to_owned()),
            ("BASE", format!("http://{}", server.address)),
            ("KEY", key),
            ("REVOKED_KEY", revoked),
            ("FREE_KEY", free),
            ("FORM", form),
            ("SUBMISSION", "sub_ada".to_owned()),
            ("UNCONFIRMED", notification),
            ("TOKEN", token),
        ];
        std::fs::write(env.path(".curlrc"), "silent\nshow-error\ndump-header = \"head\"\n")
            .unwrap();
        Self { env, server, names, _mails: mails, _runtime: runtime }
    }

    /// Runs a block in a shell. A `.curlrc` makes curl silent and stores the response heads.
    fn run_block(&self, block: &FencedBlock<'_>) -> BlockOutput {
        let folder = self.env.path("");
        let _ = std::fs::remove_file(folder.join("head"));
        let mut shell = Command::new("bash");
        shell.args(["-euo", "pipefail", "-c", &block.text]).current_dir(&folder);
        shell.env("CURL_HOME", &folder).envs(self.names.iter().map(|(n, v)| (n, v)));
        let output = shell.output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "line {}: {errors}\n{}", block.line, block.text);
        let head = last_head(&folder);
        let status = head.split(' ').nth(1).unwrap_or_default().parse().unwrap_or_default();
        BlockOutput { status, head, output: String::from_utf8(output.stdout).unwrap() }
    }
}

/// Returns the notification and the token in the link of an e-mail.
fn parse_link(raw: &[u8]) -> (String, String) {
    // Quoted-printable lines are joined.
    let text = String::from_utf8_lossy(raw).replace("=\r\n", "");
    let (_, link) = text.split_once("http://sheaf.example/n/").unwrap();
    let mut parts = link.split('/').map(str::to_owned);
    (parts.next().unwrap(), parts.next().unwrap())
}

/// Returns the head of the last response, with lower-case header names.
fn last_head(folder: &Path) -> String {
    let headers = std::fs::read_to_string(folder.join("head")).unwrap_or_default();
    let last = headers.rfind("HTTP/1.1 ").unwrap_or_default();
    headers[last..].to_lowercase().replace("http/1.1", "HTTP/1.1")
}

const SUBMISSIONS: &str = r#"{"id":"sub_ada","answers":{"name":"Ada, at the café","age":36},"metadata":{"submitted_at":"2026-03-01T09:30:00Z","ip_country":"GB","device":"desktop","browser":"Firefox","completion_time_seconds":42,"utm_source":"google"},"ai_insights":{"sentiment":"positive","sentiment_score":0.75,"categories":["praise"],"language":"en"}}
{"id":"sub_bob","answers":{"name":"Bob in a CAFÉ","age":41},"metadata":{"submitted_at":"2026-03-02T09:30:00Z","ip_country":"US","device":"mobile","browser":"Safari","completion_time_seconds":17,"utm_source":"mail"},"ai_insights":{"sentiment":"mixed","sentiment_score":0.5,"categories":["price"],"language":"en"}}
"#;

/// Compares the result of a block with the documented response.
fn compare_block(shown: &FencedBlock<'_>, output: &BlockOutput) {
    let line = shown.line;
    match shown.language {
        "json" => {
            assert_eq!(output.status / 100, 2, "line {line}: {}", output.output);
            let wanted: Value = serde_json::from_str(&shown.text).unwrap();
            assert_same_shape(&wanted, &parse_json(&output.output, line), &format!("line {line}"));
        }
        "csv" => {
            assert_eq!(output.status, 200, "line {line}");
            let headers = |text: &str| text.lines().next().unwrap_or_default().to_owned();
            assert_eq!(headers(&output.output), headers(&shown.text), "line {line}");
            assert!(output.output.lines().count() > 1, "line {line}: no row");
        }
        "text" => assert_eq!(output.output.trim(), shown.text.trim(), "line {line}"),
        "http" => compare_http(shown, output),
        other => panic!("line {line}: unknown block language `{other}`"),
    }
}

/// Compares the status, the documented headers and the body.
fn compare_http(shown: &FencedBlock<'_>, given: &BlockOutput) {
    let line = shown.line;
    let (head, body) = shown.text.split_once("\n\n").unwrap_or((&shown.text, ""));
    let mut lines = head.lines();
    let status = lines.next().unwrap().split(' ').nth(1).unwrap();
    assert_eq!(given.status.to_string(), status, "line {line}: {}", given.output);
    for wanted in lines {
        let (name, value) = wanted.split_once(": ").unwrap();
        let found = given.head.lines().find_map(|it| it.strip_prefix(&format!("{name}: ")));
        let found = found.unwrap_or_else(|| panic!("line {line}: no `{name}` in {}", given.head));
        let number = |text: &str| text.trim().parse::<u64>().is_ok();
        let is_same = found.trim() == value.to_lowercase() || number(found) && number(value);
        assert!(is_same, "line {line}: `{name}` is `{found}`");
    }
    if body.trim().is_empty() {
        return;
    }
    let at = given.output.rfind("{\"error\"").unwrap_or_else(|| panic!("{}", given.output));
    let wanted = parse_json(body, line);
    let found = parse_json(&given.output[at..], line);
    assert_same_shape(&wanted, &found, &format!("line {line}"));
    assert_eq!(wanted["error"], found["error"], "line {line}");
    let message = wanted["message"].as_str().unwrap();
    let printed = found["message"].as_str().unwrap();
    let (begin, _) = message.split_once('…').unwrap_or((message, ""));
    let is_said = if begin == message { printed == message } else { printed.starts_with(begin) };
    assert!(is_said, "line {line}: {printed}");
}

fn parse_json(text: &str, line: usize) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("line {line}: {error}: {text}"))
}

/// Checks that both values have the same members with the same types. `null` matches every type.
fn assert_same_shape(expected: &Value, found: &Value, path: &str) {
    match (expected, found) {
        (Value::Null, _) | (_, Value::Null) => {}
        (Value::Object(expected), Value::Object(found)) => {
            let names =
                |map: &serde_json::Map<String, Value>| map.keys().cloned().collect::<Vec<_>>();
            assert_eq!(names(expected), names(found), "{path}");
            for (name, expected) in expected {
                assert_same_shape(expected, &found[name], &format!("{path}, {name}"));
            }
        }
        (Value::Array(expected), Value::Array(found)) => {
            assert!(!found.is_empty() || expected.is_empty(), "{path}: an empty list");
            for (expected, found) in expected.iter().cycle().zip(found) {
                assert_same_shape(expected, found, path);
            }
        }
        _ => {
            let is_same = std::mem::discriminant(expected) == std::mem::discriminant(found);
            assert!(is_same, "{path}: documented {expected}, got {found}");
        }
    }
}

#[test]
fn documented_requests_return_documented_responses() {
    let reader = ManualEnv::new();
    let blocks = parse_blocks(MANUAL);
    let mut count = 0;
    for (at, block) in blocks.iter().enumerate() {
        if block.language != "sh" || is_template(&block.text) {
            continue;
        }
        // The documented response directly follows the request.
        let next = blocks.get(at + 1).filter(|next| next.language != "sh");
        let shown = next.filter(|next| next.line <= block.end + 2);
        let wants = shown.is_some_and(|shown| shown.text.starts_with("HTTP/1.1 429"));
        let mut given = reader.run_block(block);
        while given.status == 429 && !wants {
            // Requests without a key share the limit of one address here, so wait and retry.
            std::thread::sleep(std::time::Duration::from_secs(1));
            given = reader.run_block(block);
        }
        match shown {
            Some(shown) => compare_block(shown, &given),
            None => assert_eq!(given.status / 100, 2, "line {}: {}", block.line, given.output),
        }
        count += 1;
    }
    assert!(count >= 20, "only {count} requests were found");
    drop(reader.server);
}

#[test]
fn every_endpoint_is_documented() {
    let document = api::openapi_document();
    let requests: Vec<String> = parse_blocks(MANUAL)
        .into_iter()
        .filter(|block| block.language == "sh")
        .flat_map(|block| block.text.lines().map(str::to_owned).collect::<Vec<_>>())
        .filter(|line| line.contains("curl"))
        .collect();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            let is_there = requests.iter().any(|line| is_request(line, method, path));
            assert!(is_there, "docs/api.md has no curl call for {method} {path}");
        }
    }
}

/// Whether a line contains a curl call of this method and path.
fn is_request(line: &str, method: &str, path: &str) -> bool {
    let posts = [" -d ", "--json", "--data ", " -F ", "--form"].iter().any(|it| line.contains(it))
        && !line.contains("curl -G")
        && !line.contains("curl -sG");
    let used = match line.split_once("-X ") {
        Some((_, rest)) => rest.split(' ').next().unwrap_or_default().to_lowercase(),
        None if posts => "post".to_owned(),
        None => "get".to_owned(),
    };
    let Some((_, rest)) = line.split_once("$BASE") else { return false };
    let path_asked = rest.split(['"', '?', ' ', '\'']).next().unwrap_or_default();
    let parts: Vec<_> = path_asked.split('/').collect();
    let wanted: Vec<_> = path.split('/').collect();
    let fits = |(part, wanted): (&&str, &&str)| part == wanted || wanted.starts_with('{');
    used == method && parts.len() == wanted.len() && parts.iter().zip(&wanted).all(fits)
}
