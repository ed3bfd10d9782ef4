//! Tests the real binary against its `OpenAPI` document: schemathesis sends valid and invalid
//! requests to every endpoint, and checks the responses.
//!
//! Its configuration and hooks are in `xtask/schemathesis`.

use std::{
    path::Path,
    process::{Command, Stdio},
};

use anyhow::{Context as _, Result};
use fs_err as fs;
use regex::Regex;

use crate::run::{run, run_and_read, run_silently};
use crate::servers::TestServer;
use crate::test::nextest;
use crate::test::test_run::TestRun;
use crate::{apt, paths, python};

/// Email address and password of the account.
const EMAIL: &str = "owner@example.com";
const PASSWORD: &str = "a walrus in winter";
/// URL of webhooks: an address that the server allows, without a receiver.
const WEBHOOK_URL: &str = "http://127.0.0.1:2/";
/// Options that allow it.
const ALLOW_WEBHOOK_URL: &str = "--webhook-allow-http --webhook-allow-network 127.0.0.0/8";
/// Operations that may end the session. They run last, each alone and with a new session.
const SESSION_ENDING_OPERATIONS: [&str; 4] =
    ["createSession", "proveSession", "setPassword", "deleteSession"];
/// Stream of live updates, which is not called: each valid request would take two minutes.
const STREAM_OPERATION: &str = "streamEvents";

/// Runs schemathesis against a server with its own account.
pub(crate) fn check_api(test_run: &mut TestRun) -> Result<()> {
    let programs = python::ensure_environment(&python::SCHEMATHESIS)?;
    apt::need_programs(&["curl"])?;
    nextest::compile_tests()?;
    let data = paths::target().join("schemathesis");
    paths::empty_folder(&data)?;
    let names = create_objects(&data)?;
    // With `--behind-tls` clients are identified by the proxy's headers, which the hooks send.
    let serve = format!("serve --listen 127.0.0.1:0 --behind-tls {ALLOW_WEBHOOK_URL}");
    let server = TestServer::start(sheaf(&data, &serve).stderr(Stdio::null()))?;
    let url = &server.url;
    let config = paths::root().join("xtask/schemathesis");
    // The maximum for each endpoint and phase. The seed is in `schemathesis.toml`.
    let examples = if test_run.is_full { "100" } else { "10" };
    let mut schemathesis = |selection: &[&str]| -> Result<()> {
        // Run by path: the script's first line names a folder that may have been moved.
        let mut command = Command::new(programs.join("python3"));
        command.arg(programs.join("schemathesis"));
        command.arg("--config-file").arg(config.join("schemathesis.toml")).arg("run");
        command.arg(format!("{url}/openapi.json")).args(["--url", url, "--no-color"]);
        command.args(["--checks", "all", "--mode", "all", "--max-examples"]);
        command.arg(examples).args(selection);
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
    let password = data.with_extension("password");
    fs::write(&password, PASSWORD)?;
    let create = format!("account create --email {EMAIL} --plan enterprise --password-stdin");
    run(sheaf(data, &create).stdin(fs::File::open(password)?.into_parts().0))?;
    let output = |words: &str| {
        let output = run_silently(&mut sheaf(data, words));
        output.with_context(|| format!("`sheaf {words}` failed: run it manually"))
    };
    let create = format!("create --account {EMAIL} --name Everything");
    let fields = "--field name --field note --field score:rating";
    let form = output(&format!("form {create} {fields}"))?;
    let other_form = output(&format!("form {create} {fields}"))?;
    output(&format!("sample --form {form} --count 300 --seed 1"))?;
    let key = output(&format!("key {create} --mode live"))?;
    let keys = output(&format!("key list --account {EMAIL} --json"))?;
    let fields = output(&format!("form show {form} --json"))?;
    let webhook = format!("webhook create --form {form} --url {WEBHOOK_URL} {ALLOW_WEBHOOK_URL}");
    Ok([
        ("SHEAF_FIELD", find(r"(fld_\w+)", &fields)?),
        ("SHEAF_FORM", form),
        ("SHEAF_OTHER_FORM", other_form),
        ("SHEAF_KEY", key),
        ("SHEAF_KEY_ID", find(r"(key_\w+)", &keys)?),
        ("SHEAF_WEBHOOK", find(r"(whk_\w+)", &output(&webhook)?)?),
        ("SHEAF_WEBHOOK_URL", WEBHOOK_URL.to_owned()),
        ("SHEAF_PASSWORD", PASSWORD.to_owned()),
    ])
}

fn sheaf(data: &Path, words: &str) -> Command {
    let mut command = Command::new(paths::binary(false));
    command.env("SHEAF_DATA", data).stdin(Stdio::null()).args(words.split(' '));
    command
}

/// Runs schemathesis. Returns the number of its test cases.
fn run_and_count(command: &mut Command) -> Result<usize> {
    let mut count = None;
    run_and_read(command.stdout(Stdio::piped()), |line| {
        count = count.take().or_else(|| find(r"(\d+) generated", line).ok());
    })?;
    Ok(count.map_or(Ok(0), |count| count.parse())?)
}

/// Signs in and returns the value of the session cookie.
fn sign_in(url: &str) -> Result<String> {
    let body = format!("{{\"email\":\"{EMAIL}\",\"password\":\"{PASSWORD}\"}}");
    let mut curl = Command::new("curl");
    curl.args(["-s", "-o", "/dev/null", "-D", "-", "-H", "x-sheaf-csrf: 1"]);
    curl.args(["-H", "content-type: application/json", "-d", &body]);
    let head = run_silently(curl.arg(format!("{url}/session"))).unwrap_or_default();
    find("__Host-Http-sheaf=([^;]*)", &head)
}

/// Returns the first group of the first match of a pattern.
fn find(pattern: &str, text: &str) -> Result<String> {
    let found = Regex::new(pattern)?.captures(text);
    let found = found.with_context(|| format!("no `{pattern}` in `{text:.100}`"))?;
    Ok(found[1].to_owned())
}
