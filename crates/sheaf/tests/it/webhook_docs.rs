//! Runs every block of `docs/webhooks.md`: the commands with a shell and the real binary, and the
//! code that verifies signatures, in each language, with requests of the real binary.

use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::manual::{FencedBlock, parse_blocks};
use crate::receiver::WebhookRequest;
use crate::smtp_server;
use crate::test_env::{expect_success, run_with_input};
use crate::verify::verify;
use crate::webhook::WebhookFixture;

const MANUAL: &str = include_str!("../../../../docs/webhooks.md");
const URL: &str = "https://example.com/sheaf";
/// Secret of no webhook.
const OTHER_SECRET: &str = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";

fn blocks_of(language: &str) -> Vec<FencedBlock<'static>> {
    let blocks = parse_blocks(MANUAL).into_iter();
    let found: Vec<_> = blocks.filter(|block| block.language == language).collect();
    assert!(!found.is_empty(), "the manual has no block in `{language}`");
    found
}

/// A webhook with a rotated secret, and a request that both secrets signed.
struct SignedRequest {
    fixture: WebhookFixture,
    request: WebhookRequest,
    new_secret: String,
}

impl SignedRequest {
    fn new() -> Self {
        let fixture = WebhookFixture::new("");
        let rotated = fixture.env.json(&format!("webhook rotate {}", fixture.id));
        let _server = fixture.serve();
        fixture.env.run(&format!("webhook test {}", fixture.id));
        let request = fixture.receiver.next_request();
        let new_secret = rotated["secret"].as_str().unwrap().to_owned();
        Self { fixture, request, new_secret }
    }

    /// Checks a function that verifies a request: both secrets are valid, another one is not, and
    /// neither is a changed body or an old request.
    fn check(&self, name: &str, is_valid: impl Fn(&str, &WebhookRequest) -> bool) {
        let old_secret = &self.fixture.secret;
        assert!(is_valid(&self.new_secret, &self.request), "{name}: new secret");
        assert!(is_valid(old_secret, &self.request), "{name}: old secret");
        assert!(!is_valid(OTHER_SECRET, &self.request), "{name}: another secret");
        let body = self.request.body.replace("Example", "Changed");
        let changed = WebhookRequest { body, ..self.request.clone() };
        assert!(!is_valid(old_secret, &changed), "{name}: changed body");
    }

    /// Checks that a correctly signed request of yesterday is rejected.
    fn check_age(&self, name: &str, is_valid: impl Fn(&str, &WebhookRequest) -> bool) {
        let now_s: u64 = self.request.header("webhook-timestamp").parse().unwrap();
        let sign = |timestamp_s: u64| {
            let timestamp = timestamp_s.to_string();
            let script = "printf %s \"v1,$(printf %s \"$1\" | openssl dgst -sha256 -mac HMAC -macopt \
                          hexkey:00 -binary | base64)\"";
            let text = format!("dlv_1.{timestamp}.{{}}");
            let signature = run(Command::new("bash").args(["-c", script, "bash", &text]));
            let headers = [
                ("webhook-id".to_owned(), "dlv_1".to_owned()),
                ("webhook-timestamp".to_owned(), timestamp),
                ("webhook-signature".to_owned(), signature),
            ];
            WebhookRequest { headers: headers.into(), body: "{}".to_owned() }
        };
        assert!(is_valid("whsec_AA==", &sign(now_s)), "{name}: recent request");
        assert!(!is_valid("whsec_AA==", &sign(now_s - 86_400)), "{name}: old request");
    }
}

fn run(command: &mut Command) -> String {
    expect_success(&command.output().unwrap())
}

/// Writes the only block of a language to a file, and returns a function that runs `program` with a
/// script that imports it.
fn verifier<'a>(
    fixture: &'a WebhookFixture,
    language: &str,
    file: &str,
    program: &'a str,
    script: &str,
) -> impl Fn(&str, &WebhookRequest) -> bool + 'a {
    let blocks = blocks_of(language);
    let [block] = blocks.as_slice() else { panic!("several blocks in `{language}`") };
    fixture.env.write(file, &block.text);
    let script = fixture.env.write(&format!("run-{file}"), script);
    move |secret, request| {
        let input = json!({ "secret": secret, "headers": request.headers, "body": request.body });
        let mut command = Command::new(program);
        command.arg(&script).current_dir(fixture.env.path(""));
        let output: Output = run_with_input(command, input.to_string().as_bytes());
        match expect_success(&output).as_str() {
            "true" => true,
            "false" => false,
            other => panic!("{program} printed `{other}`"),
        }
    }
}

#[test]
fn documented_code_verifies_requests() {
    let signed = SignedRequest::new();
    check_python(&signed);
    check_node(&signed);
    check_rust(&signed);
    check_official_library(&signed);
    check_shell(&signed);
}

fn check_python(signed: &SignedRequest) {
    let script = "import json, sys\nfrom verify import verify\nit = json.load(sys.stdin)\n\
                  valid = verify(it['secret'], it['headers'], it['body'].encode())\n\
                  print('true' if valid else 'false')\n";
    let is_valid = verifier(&signed.fixture, "python", "verify.py", "python3", script);
    signed.check("python", &is_valid);
    signed.check_age("python", is_valid);
}

fn check_node(signed: &SignedRequest) {
    let script = "import { readFileSync } from 'node:fs';\nimport { verify } from './verify.mjs';\n\
                  const it = JSON.parse(readFileSync(0));\n\
                  console.log(verify(it.secret, it.headers, Buffer.from(it.body)));\n";
    let is_valid = verifier(&signed.fixture, "js", "verify.mjs", "node", script);
    signed.check("node", &is_valid);
    signed.check_age("node", is_valid);
}

fn check_rust(signed: &SignedRequest) {
    let source = include_str!("verify.rs");
    assert!(source.ends_with(&blocks_of("rust")[0].text), "tests use other code than the manual");
    let is_valid = |secret: &str, request: &WebhookRequest| {
        let [id, timestamp, signature] = ["webhook-id", "webhook-timestamp", "webhook-signature"]
            .map(|name| request.header(name));
        verify(secret, id, timestamp, signature, request.body.as_bytes())
    };
    signed.check("rust", is_valid);
    signed.check_age("rust", is_valid);
}

fn check_official_library(signed: &SignedRequest) {
    let python = smtp_server::python();
    let script = "import json, sys\nfrom standardwebhooks import Webhook, WebhookVerificationError\n\
                  it = json.load(sys.stdin)\n\
                  try:\n    Webhook(it['secret']).verify(it['body'], it['headers'])\n\
                  except WebhookVerificationError:\n    print('false')\nelse:\n    print('true')\n";
    let is_valid = verifier(&signed.fixture, "python", "unused.py", &python, script);
    signed.check("standardwebhooks", is_valid);
}

/// Runs a block in a shell in which `sheaf` is the binary on the data of the fixture.
fn run_block(fixture: &WebhookFixture, text: &str, variables: &[(&str, &str)]) -> String {
    let sheaf = fixture.env.command("");
    let programs = fixture.env.path("programs");
    std::fs::create_dir_all(&programs).unwrap();
    let link = programs.join("sheaf");
    let _ = std::fs::remove_file(&link);
    std::os::unix::fs::symlink(sheaf.get_program(), &link).unwrap();
    let mut shell = Command::new("bash");
    let path = std::env::var("PATH").unwrap();
    fixture.env.write(".curlrc", "silent\nshow-error\n");
    shell.env("CURL_HOME", fixture.env.path(""));
    shell.args(["-euo", "pipefail", "-c", text]);
    shell.env("PATH", format!("{}:{path}", programs.display()));
    shell.envs(sheaf.get_envs().filter_map(|(name, value)| Some((name, value?))));
    shell.env("SHEAF_WEBHOOK_ALLOW_HTTP", "true");
    shell.env("SHEAF_WEBHOOK_ALLOW_NETWORK", "127.0.0.0/8");
    shell.envs(variables.iter().copied());
    run(&mut shell)
}

/// Checks that the shell code verifies requests, and that it signs them.
fn check_shell(signed: &SignedRequest) {
    let blocks = blocks_of("sh");
    let find = |text: &str| blocks.iter().find(|block| block.text.contains(text)).unwrap();
    signed.check("shell", |secret, request| {
        let variables = [
            ("SECRET", secret),
            ("ID", request.header("webhook-id")),
            ("TIMESTAMP", request.header("webhook-timestamp")),
            ("SIGNATURE", request.header("webhook-signature")),
            ("BODY", &request.body),
        ];
        match run_block(&signed.fixture, &find("echo valid").text, &variables).as_str() {
            "valid" => true,
            "invalid" => false,
            other => panic!("the shell printed `{other}`"),
        }
    });
    // The second block calls a function of the first.
    let text = [find("echo valid"), find("curl")].map(|block| block.text.as_str()).concat();
    let text = text.replace(URL, &signed.fixture.receiver.url);
    let secret = &signed.fixture.secret;
    let empty = ["ID", "TIMESTAMP", "BODY", "SIGNATURE"].map(|name| (name, ""));
    run_block(&signed.fixture, &text, &[&empty[..], &[("SECRET", secret)]].concat());
    let request = signed.fixture.receiver.next_request();
    assert_eq!(request.json(), json!({ "type": "test" }));
    let [id, timestamp, signature] =
        ["webhook-id", "webhook-timestamp", "webhook-signature"].map(|name| request.header(name));
    assert!(verify(secret, id, timestamp, signature, request.body.as_bytes()));
}

#[test]
fn documented_commands_and_body_are_real() {
    let fixture = WebhookFixture::new("");
    let _server = fixture.serve();
    let mut webhook = fixture.id.clone();
    let mut delivery = String::new();
    let mut count = 0;
    for block in blocks_of("sh") {
        let commands = block.text.lines().map(str::trim).filter(|line| line.starts_with("sheaf "));
        for line in commands {
            let line = line.replace(URL, &fixture.receiver.url).replace("frm_…", &fixture.form);
            let line = line.replace("whk_…", &webhook).replace("dlv_…", &delivery);
            let output = run_block(&fixture, &line, &[]);
            count += 1;
            if line.contains(" create ") {
                let created: Value = serde_json::from_str(&output).unwrap();
                created["id"].as_str().unwrap().clone_into(&mut webhook);
            } else if line.contains(" test ") {
                assert!(output.starts_with("delivered: 204 in "), "{output}");
                let request = fixture.receiver.next_request();
                request.header("webhook-id").clone_into(&mut delivery);
                check_body(&request.json());
            }
        }
    }
    assert_eq!(count, 9);
}

/// Compares the members of the documented body with those of a real one.
fn check_body(event: &Value) {
    let shown: Value = serde_json::from_str(&blocks_of("json")[0].text).unwrap();
    let names = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&shown), names(event));
    assert_eq!(names(&shown["data"]), names(&event["data"]));
    let length = |event: &Value| event["timestamp"].as_str().unwrap().len();
    assert_eq!(length(&shown), length(event), "{event}");
}
