//! The real binary, started on a free port with its own data directory.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use tempfile::TempDir;
use test_servers::ReservedPort;

use super::proxy::{HEADER, Proxy, SIGN_OUT};

/// Email address of the account that every server starts with.
pub(crate) const OWNER: &str = "owner@example.com";
/// Password of that account.
pub(crate) const PASSWORD: &str = "correct horse battery";

/// A running `run_command`, killed on drop.
pub(crate) struct Server {
    /// `None` while it is stopped.
    child: Mutex<Option<Child>>,
    args: Vec<String>,
    url: String,
    data: TempDir,
    log: Log,
    /// Reserves the port, so that a restarted server has the same address.
    _port: ReservedPort,
}

/// Lines of a server's standard error.
type Log = Arc<Mutex<Vec<String>>>;

/// Returns the path of the tested binary, which `cargo xtask test` sets.
fn binary() -> PathBuf {
    let named = std::env::var_os("SHEAF_BIN").map(PathBuf::from);
    let path = named.unwrap_or_else(|| "../target/debug/sheaf".into());
    assert!(path.exists(), "{} is missing: run `cargo xtask test e2e`", path.display());
    path
}

/// Runs a command on a data directory and returns its output.
fn sheaf_in(data: &Path, args: &[&str], input: &str) -> String {
    let mut child = Command::new(binary())
        .args(args)
        .env("SHEAF_DATA", data)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    child
        .stdin
        .take()
        .expect("piped")
        .write_all(input.as_bytes())
        .expect("the command reads its input");
    let output = child.wait_with_output().expect("the command ends");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "sheaf {args:?} failed: {error}");
    String::from_utf8(output.stdout).expect("the command prints text").trim_end().to_owned()
}

/// Creates a data directory with the owner's account on a plan.
fn folder_with_account(plan: &str) -> TempDir {
    let data = tempfile::tempdir().expect("a temporary folder");
    let create = ["account", "create", "--email", OWNER, "--plan", plan, "--password-stdin"];
    sheaf_in(data.path(), &create, &format!("{PASSWORD}\n"));
    data
}

/// Starts the binary, waits until it listens, and returns it with its URL.
fn spawn_server(
    data: &Path,
    args: &[String],
    listen: &str,
    log: &Log,
    filter: &str,
) -> (Child, String) {
    let mut command = Command::new(binary());
    if !filter.is_empty() {
        command.env("RUST_LOG", filter);
    }
    let mut child = command
        .args(args)
        .args(["--listen", listen])
        .env("SHEAF_DATA", data)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let is_talkative = !filter.is_empty();
    let said = child.stderr.take().expect("piped");
    let log = Arc::clone(log);
    std::thread::spawn(move || {
        for line in BufReader::new(said).lines().map_while(Result::ok) {
            if !is_talkative {
                let _ = writeln!(std::io::stderr(), "{line}");
            }
            log.lock().expect("the lock is not poisoned").push(line);
        }
    });
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    let url = loop {
        let line = lines.next().expect("the server prints its address").expect("in text");
        if let Some(at) = line.find("http://127.0.0.1:") {
            // The URL ends after the digits that follow the 17 bytes of `http://127.0.0.1:`.
            let end = line[at + 17..].find(|c: char| !c.is_ascii_digit());
            break line[at..end.map_or(line.len(), |end| at + 17 + end)].to_owned();
        }
    };
    // Read the rest of the output, so that the server never blocks on a full pipe.
    std::thread::spawn(move || lines.for_each(drop));
    (child, url)
}

/// Writes a key to a file with mode 0600. The server refuses key files that others can read.
fn write_key(file: &Path, key: &str) {
    let mut options = std::fs::OpenOptions::new();
    let mut file = options.write(true).create(true).mode(0o600).open(file).expect("a key file");
    file.write_all(key.as_bytes()).expect("the key file can be written");
}

impl Server {
    /// Starts `serve` with the owner's account on a plan, and without a form.
    pub(crate) fn start(plan: &str) -> Self {
        Self::run(folder_with_account(plan), &["serve"])
    }

    /// Starts `serve` with a long wait for the first rows, so that a page always contains them.
    pub(crate) fn start_with_long_first_rows_wait(plan: &str) -> Self {
        Self::run(folder_with_account(plan), &["serve", "--first-rows-wait", "60"])
    }

    /// Starts `serve`, which also sends webhooks to receivers on this machine.
    pub(crate) fn start_with_local_webhooks(plan: &str) -> Self {
        let allowed = ["--webhook-allow-http", "--webhook-allow-network", "127.0.0.0/8"];
        Self::run(folder_with_account(plan), &[&["serve"], &allowed[..]].concat())
    }

    /// Starts `serve`, which sends e-mail by this SMTP server.
    pub(crate) fn start_with_mail(plan: &str, smtp_url: &str) -> Self {
        let port = ReservedPort::new().expect("a free port");
        let public_url = format!("http://{}", port.address());
        let mail = ["--smtp-url", smtp_url, "--mail-from", "Sheaf <sheaf@example.com>"];
        let args = [&["serve", "--public-url", &public_url], &mail[..]].concat();
        Self::run_at(port, folder_with_account(plan), &args, "")
    }

    /// Starts the API alone.
    pub(crate) fn start_service(plan: &str) -> Self {
        Self::run(folder_with_account(plan), &["service"])
    }

    /// Starts `serve` behind an auth proxy, which connects by a socket and sends the identity.
    pub(crate) fn start_behind_proxy(plan: &str) -> (Self, Proxy) {
        let data = folder_with_account(plan);
        let socket = data.path().join("sheaf.sock");
        let listen = format!("unix:{}", socket.display());
        let mode = ["--identity-header", HEADER, "--sign-out-url", SIGN_OUT];
        let mut server = Self::run(data, &[&["serve", "--listen", &listen], &mode[..]].concat());
        let proxy = Proxy::start_before(&socket);
        server.url = proxy.url();
        (server, proxy)
    }

    /// Starts `serve` behind an auth proxy with the owner signed in, and a form of `samples`
    /// submissions.
    pub(crate) fn start_signed_in_by_proxy(samples: usize) -> (Self, Proxy, String) {
        let (server, proxy) = Self::start_behind_proxy("enterprise");
        let form = server.create_sampled_form("Feedback", "live", samples);
        server.link_identity(OWNER, "olivia");
        proxy.sign_in("olivia");
        (server, proxy, form)
    }

    /// Links an identity of the proxy to a member.
    pub(crate) fn link_identity(&self, person: &str, subject: &str) {
        let issuer = format!("header:{HEADER}");
        let words = ["--account", person, "--issuer", &issuer, "--subject", subject];
        self.run_command(&[&["account", "link-identity"], &words[..]].concat());
    }

    /// Starts a server with all log levels.
    pub(crate) fn start_with_trace_log(plan: &str, args: &[&str]) -> Self {
        Self::run_with(folder_with_account(plan), args, "trace")
    }

    /// Starts a gateway in front of another server, with a live key and all log levels.
    pub(crate) fn start_gateway_with_trace_log(upstream: &str, key: &str) -> Self {
        let data = folder_with_account("enterprise");
        let file = data.path().join("live.key");
        write_key(&file, key);
        let file = file.to_str().expect("a plain path").to_owned();
        Self::run_with(
            data,
            &["gateway", "--upstream", upstream, "--key-live-file", &file],
            "trace",
        )
    }

    /// Starts a gateway in front of another server, with a key per environment.
    pub(crate) fn start_gateway(upstream: &str, keys: &[(&str, &str)]) -> Self {
        let data = folder_with_account("enterprise");
        let mut args = vec!["gateway".to_owned(), "--upstream".to_owned(), upstream.to_owned()];
        for (environment, secret) in keys {
            let file = data.path().join(format!("{environment}.key"));
            write_key(&file, secret);
            args.push(format!("--key-{environment}-file"));
            args.push(file.to_str().expect("a plain path").to_owned());
        }
        Self::run(data, &args.iter().map(String::as_str).collect::<Vec<_>>())
    }

    fn run(data: TempDir, args: &[&str]) -> Self {
        Self::run_with(data, args, "")
    }

    /// Starts a server with a log filter. An empty filter leaves the default.
    fn run_with(data: TempDir, args: &[&str], filter: &str) -> Self {
        let port = ReservedPort::new().expect("a free port");
        Self::run_at(port, data, args, filter)
    }

    /// Starts a server at a port.
    fn run_at(port: ReservedPort, data: TempDir, args: &[&str], filter: &str) -> Self {
        let args: Vec<String> = args.iter().map(|&arg| arg.to_owned()).collect();
        let log = Log::default();
        let (child, url) = spawn_server(data.path(), &args, &port.address(), &log, filter);
        Self { child: Mutex::new(Some(child)), args, url, data, log, _port: port }
    }

    /// Kills the server, as a failing machine does.
    pub(crate) fn stop(&self) {
        if let Some(mut child) = self.child.lock().expect("the lock is not poisoned").take() {
            // It may have ended already, for example in a test of the shutdown.
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// Starts the server again at the same address.
    pub(crate) fn start_again(&self) {
        let address = self.url.trim_start_matches("http://");
        let (child, _) = spawn_server(self.data.path(), &self.args, address, &self.log, "");
        *self.child.lock().expect("the lock is not poisoned") = Some(child);
    }

    fn execute_sql(&self, sql: &str) {
        let file = self.data.path().join("sheaf.db");
        let conn = rusqlite::Connection::open(file).expect("the database opens");
        conn.busy_timeout(super::WAIT_MAX).expect("the busy timeout is set");
        conn.execute_batch(sql).expect("the statement runs");
    }

    /// Sets the last authentication of all sessions to long ago.
    pub(crate) fn expire_authentications(&self) {
        self.execute_sql("UPDATE sessions SET proven_at = 0");
    }

    /// Returns the lines of its log up to now.
    pub(crate) fn log(&self) -> Vec<String> {
        self.log.lock().expect("the lock is not poisoned").clone()
    }

    /// Returns the violations of the content security policy that browsers have reported.
    pub(crate) fn policy_violations(&self) -> Vec<String> {
        // The policy allows the page's own origin. If the browser blocks a file of that origin, a
        // proxy has redirected the request to another origin.
        let own = format!("\"blocked\":\"{}/", self.url);
        let is_refusal =
            |line: &String| line.contains("security policy violation") && !line.contains(&own);
        self.log().into_iter().filter(is_refusal).collect()
    }

    /// Returns the data directory.
    pub(crate) fn data(&self) -> &Path {
        self.data.path()
    }

    /// Returns the origin of the server.
    pub(crate) fn url(&self) -> String {
        self.url.clone()
    }

    /// Runs a command of the binary while the server runs.
    pub(crate) fn run_command(&self, args: &[&str]) -> String {
        sheaf_in(self.data.path(), args, "")
    }

    /// Creates a form and returns its id.
    pub(crate) fn create_form(&self, name: &str, environment: &str) -> String {
        self.run_command(&[
            "form",
            "create",
            "--account",
            OWNER,
            "--name",
            name,
            "--mode",
            environment,
        ])
    }

    /// Creates a form with `count` sample submissions, the newest within the last hour, and returns
    /// its id.
    pub(crate) fn create_sampled_form(
        &self,
        name: &str,
        environment: &str,
        count: usize,
    ) -> String {
        self.form_with_samples(name, environment, count, &[])
    }

    /// Creates a live form with samples at the same times in every run, and returns its id.
    pub(crate) fn create_fixed_form(&self, name: &str, count: usize) -> String {
        self.form_with_samples(name, "live", count, &["--until", "2026-03-10T12:00:00Z"])
    }

    /// Creates a live form with samples that have insights, and returns its id. The analysis is off
    /// afterwards, so that the insights stay as they are.
    pub(crate) fn create_analysed_form(&self, name: &str, count: usize) -> String {
        let form = self.create_form(name, "live");
        self.run_command(&["form", "analysis", "on", &form]);
        self.insert_samples(&form, count, &[]);
        self.run_command(&["form", "analysis", "off", &form]);
        form
    }

    fn form_with_samples(&self, name: &str, mode: &str, count: usize, args: &[&str]) -> String {
        let form = self.create_form(name, mode);
        self.insert_samples(&form, count, args);
        form
    }

    fn insert_samples(&self, form: &str, count: usize, args: &[&str]) {
        let count = count.to_string();
        let words = ["sample", "--form", form, "--count", &count, "--seed", "7"];
        self.run_command(&[&words[..], args].concat());
    }

    /// Creates a key and returns its secret.
    pub(crate) fn create_key(&self, environment: &str) -> String {
        let name = format!("{environment} of a test");
        self.run_command(&[
            "key",
            "create",
            "--account",
            OWNER,
            "--name",
            &name,
            "--mode",
            environment,
        ])
    }

    /// Returns a sign-in link of the owner.
    pub(crate) fn sign_in_link(&self) -> String {
        self.run_command(&["account", "sign-in-link", "--account", OWNER, "--url", &self.url])
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Calls the API with curl. Returns the status and the body.
pub(crate) fn call_api(key: &str, url: &str) -> (u16, Vec<u8>) {
    let output = Command::new("curl")
        .args(["--silent", "--show-error", "--write-out", "\n%{http_code}", "--header"])
        .arg(format!("X-API-Key: {key}"))
        .arg(url)
        .output()
        .expect("curl is installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let at = output.stdout.iter().rposition(|byte| *byte == b'\n').expect("a status line");
    let status = String::from_utf8_lossy(&output.stdout[at + 1..]).parse().expect("a status");
    (status, output.stdout[..at].to_vec())
}

/// Runs a shell command that a page shows, and returns the JSON that it prints.
pub(crate) fn run_shown_command(command: &str) -> serde_json::Value {
    let output = Command::new("sh").args(["-euc", command]).output().expect("there is a shell");
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!("{command}: {error}: {text:?}, {:?}", String::from_utf8_lossy(&output.stderr))
    })
}

/// Returns the number of submissions of a form that match a query of the API.
pub(crate) fn count_matches(server: &Server, key: &str, form: &str, query: &str) -> u64 {
    let url = format!("{}/v1/forms/{form}/submissions?limit=1&{query}", server.url());
    let (status, body) = call_api(key, &url);
    assert_eq!(status, 200, "{}", String::from_utf8_lossy(&body));
    let page: serde_json::Value = serde_json::from_slice(&body).expect("JSON");
    page["pagination"]["total"].as_u64().expect("a total")
}

/// Submits JSON to a form, and retries while the rate limit refuses it.
pub(crate) fn submit(url: &str, body: &str) {
    let output = Command::new("curl")
        .args(["--silent", "--show-error", "--fail-with-body", "--retry", "9", "--json", body, url])
        .output()
        .expect("curl is installed");
    let [reply, error] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    assert!(output.status.success(), "{body}: {error}{reply}");
}
