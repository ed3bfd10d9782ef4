//! Tests the real binary against its `OpenAPI` document: schemathesis sends valid and invalid
//! requests to every endpoint, and checks the responses.
//!
//! Its configuration and hooks are in `xtask/schemathesis`.

use std::{
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
};

use crate::run::{Error, Result, command_text, not_started, print_line, run_silently};
use crate::test::nextest;
use crate::test::test_run::TestRun;
use crate::test::test_server::TestServer;
use crate::{apt, paths, python};

/// Maximum number of examples per endpoint and phase, in full runs and in others. The seed is in
/// `schemathesis.toml`.
const EXAMPLES_MAX: [&str; 2] = ["100", "25"];
/// Email address and password of the account.
const EMAIL: &str = "owner@example.com";
const PASSWORD: &str = "a walrus in winter";
/// URL of webhooks: an address that the server allows, without a receiver.
const WEBHOOK_URL: &str = "http://127.0.0.1:2/";
/// Options that allow it.
const ALLOW_WEBHOOK_URL: [&str; 3] =
    ["--webhook-allow-http", "--webhook-allow-network", "127.0.0.0/8"];
/// Operations that may end the session. They run last, each alone and with a new session.
const SESSION_ENDING_OPERATIONS: [&str; 4] =
    ["createSession", "proveSession", "setPassword", "deleteSession"];
/// Stream of live updates, which is not called: each valid request would take two minutes.
const STREAM_OPERATION: &str = "streamEvents";

/// Runs schemathesis against a server with its own account.
pub(crate) fn check_api(test_run: &mut TestRun) -> Result {
    let programs = python::ensure_environment("schemathesis", python::SCHEMATHESIS)?;
    apt::need_program("curl", "curl", "to sign in")?;
    nextest::compile_tests()?;
    let data = paths::target().join("schemathesis");
    paths::empty_folder(&data)?;
    let names = create_objects(&data)?;
    // With `--behind-tls` clients are identified by the proxy's headers, which the hooks send.
    let mut serve = sheaf_command(&data);
    serve.args(["serve", "--listen", "127.0.0.1:0", "--behind-tls"]).args(ALLOW_WEBHOOK_URL);
    let server = TestServer::start(serve.stderr(Stdio::null()))?;
    let url = &server.url;
    let config = paths::root().join("xtask/schemathesis");
    let [full, merge] = EXAMPLES_MAX;
    let mut schemathesis = |selection: &[&str]| {
        // Run by path: the script's first line names a folder that may have been moved.
        let mut command = Command::new(programs.join("python3"));
        command.arg(programs.join("schemathesis"));
        command.arg("--config-file").arg(config.join("schemathesis.toml")).arg("run");
        command.arg(format!("{url}/openapi.json")).args(["--url", url, "--no-color"]);
        command.args(["--checks", "all", "--mode", "all", "--max-examples"]);
        command.arg(if test_run.is_full() { full } else { merge }).args(selection);
        // The cache of schemathesis is deleted with the data, so that runs do not depend on each
        // other.
        command.current_dir(&data).env("PYTHONDONTWRITEBYTECODE", "1");
        command.envs(names.iter().cloned()).env("SHEAF_HOOKS", config.join("hooks.py"));
        command.env("SHEAF_URL", url).env("SHEAF_SESSION", sign_in(url)?);
        test_run.counts.passed += run_and_count(&mut command)?;
        Ok(())
    };
    let without = SESSION_ENDING_OPERATIONS.iter().chain([&STREAM_OPERATION]);
    let without: Vec<_> = without.flat_map(|id| ["--exclude-operation-id", id]).collect();
    schemathesis(&without)?;
    SESSION_ENDING_OPERATIONS
        .iter()
        .try_for_each(|id| schemathesis(&["--include-operation-id", id]))
}

/// Creates an account and its objects. Returns the environment variables with their values.
fn create_objects(data: &Path) -> Result<[(&'static str, String); 8]> {
    create_account(data)?;
    let owned = ["--account", EMAIL, "--name", "Everything"];
    let fields = ["--field", "name", "--field", "note", "--field", "score:rating"];
    let create = || run_sheaf(data, &[&["form", "create"], &owned[..], &fields].concat());
    let form = create()?;
    let other_form = create()?;
    run_sheaf(data, &["sample", "--form", &form, "--count", "300", "--seed", "1"])?;
    let key = run_sheaf(data, &[&["key", "create"], &owned[..], &["--mode", "live"]].concat())?;
    let keys = run_sheaf(data, &["key", "list", "--account", EMAIL, "--json"])?;
    let fields = run_sheaf(data, &["form", "show", &form, "--json"])?;
    let webhook = ["webhook", "create", "--form", &form, "--url", WEBHOOK_URL];
    let webhook = run_sheaf(data, &[&webhook, &ALLOW_WEBHOOK_URL[..]].concat())?;
    Ok([
        ("SHEAF_FORM", form),
        ("SHEAF_OTHER_FORM", other_form),
        ("SHEAF_FIELD", find_id(&fields, "fld_")?),
        ("SHEAF_KEY", key),
        ("SHEAF_KEY_ID", find_id(&keys, "key_")?),
        ("SHEAF_WEBHOOK", find_id(&webhook, "whk_")?),
        ("SHEAF_WEBHOOK_URL", WEBHOOK_URL.to_owned()),
        ("SHEAF_PASSWORD", PASSWORD.to_owned()),
    ])
}

/// Runs schemathesis. Returns the number of its test cases.
fn run_and_count(command: &mut Command) -> Result<usize> {
    print_line(&format!("$ {}", command_text(command)));
    let output = command.stderr(Stdio::inherit()).output();
    let output = output.map_err(|error| not_started(command, &error))?;
    let text = String::from_utf8_lossy(&output.stdout);
    print_line(&text);
    if output.status.success() {
        return Ok(count_generated_cases(&text));
    }
    Err(Error::new("schemathesis found failures: see its output above"))
}

/// Returns the number of test cases in the output.
fn count_generated_cases(text: &str) -> usize {
    let words: Vec<&str> = text.split_whitespace().collect();
    let place = words.iter().position(|word| word.trim_end_matches(',') == "generated");
    place.and_then(|at| words.get(at.checked_sub(1)?)?.parse().ok()).unwrap_or_default()
}

fn sheaf_command(data: &Path) -> Command {
    let mut command = Command::new(paths::dev_binary());
    command.env("SHEAF_DATA", data).stdin(Stdio::null());
    command
}

/// Runs a command of the binary and returns its output.
fn run_sheaf(data: &Path, words: &[&str]) -> Result<String> {
    let mut command = sheaf_command(data);
    run_silently(command.args(words))
        .ok_or_else(|| Error::new(format!("`{}` failed: run it manually", command_text(&command))))
}

fn create_account(data: &Path) -> Result {
    let mut command = sheaf_command(data);
    command.args(["account", "create", "--email", EMAIL, "--plan", "enterprise"]);
    command.arg("--password-stdin").stdin(Stdio::piped()).stdout(Stdio::null());
    let failed = |_| Error::new("cannot create an account: run `sheaf account create` manually");
    let mut child = command.spawn().map_err(failed)?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(PASSWORD.as_bytes()).map_err(failed)?;
    }
    child.wait().map(drop).map_err(failed)
}

/// Returns the first id with this prefix in a JSON text.
fn find_id(json: &str, prefix: &str) -> Result<String> {
    let at = json.find(prefix).ok_or_else(|| Error::new(format!("no `{prefix}…` in {json}")))?;
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    Ok(json[at..].chars().take_while(|&c| is_part(c)).collect())
}

/// Signs in and returns the value of the session cookie.
fn sign_in(url: &str) -> Result<String> {
    let body = format!("{{\"email\":\"{EMAIL}\",\"password\":\"{PASSWORD}\"}}");
    let mut curl = Command::new("curl");
    curl.args(["-s", "-o", "/dev/null", "-D", "-", "-H", "x-sheaf-csrf: 1"]);
    curl.args(["-H", "content-type: application/json", "-d", &body]);
    let head = run_silently(curl.arg(format!("{url}/session"))).unwrap_or_default();
    let cookie = head.lines().find_map(|line| line.split_once("__Host-Http-sheaf=")).map(|it| it.1);
    let value = cookie.and_then(|rest| rest.split(';').next());
    value.map(str::to_owned).ok_or_else(|| Error::new(format!("cannot sign in: {head}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_cases_are_counted() {
        assert_eq!(
            count_generated_cases("Test cases:\n  1406 generated, 1 found 1 unique failure"),
            1406
        );
        assert_eq!(count_generated_cases("nothing was generated"), 0);
        assert_eq!(count_generated_cases("generated"), 0);
    }

    #[test]
    fn id_is_found_in_json() {
        assert_eq!(find_id(r#"[{"id":"key_1a","x":"key_2"}]"#, "key_").unwrap(), "key_1a");
        assert!(find_id("[]", "key_").is_err());
    }
}
