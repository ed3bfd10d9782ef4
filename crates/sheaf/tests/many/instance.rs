//! One of several servers over a database. Its ports outlive it, so that it can be killed and
//! started again under the same address.

use crate::server::{HttpResponse, Server};
use crate::test_env::binary;
use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use test_servers::ReservedPort;

/// Maximum time until a server is ready.
const START_TIME_MAX: Duration = Duration::from_mins(1);
/// Maximum number of log lines that a failure prints.
const LINES_MAX: usize = 40;

/// A server. It is killed on drop.
pub(crate) struct Instance {
    pub(crate) address: String,
    pub(crate) operator: String,
    url: String,
    log: PathBuf,
    /// `serve …` or `service …`.
    command: String,
    child: Option<Child>,
    _ports: [ReservedPort; 2],
}

impl Instance {
    /// Starts a server on a database and waits until it is ready.
    pub(crate) fn start(url: &str, log: &Path, command: &str) -> Self {
        let ports = [ReservedPort::new().unwrap(), ReservedPort::new().unwrap()];
        let [address, operator] = ports.each_ref().map(ReservedPort::address);
        let url = url.to_owned();
        let log = log.to_owned();
        let command = command.to_owned();
        let child = None;
        let mut instance = Self { address, operator, url, log, command, child, _ports: ports };
        instance.restart();
        instance
    }

    /// Starts the server again, and waits until it is ready.
    pub(crate) fn restart(&mut self) {
        self.spawn();
        self.wait_until_ready();
    }

    /// Starts the server again, without waiting.
    pub(crate) fn spawn(&mut self) {
        let log = File::options().create(true).append(true).open(&self.log).unwrap();
        let mut command = binary();
        command.args(self.command.split_whitespace()).arg("--behind-tls");
        command.args(["--listen", &self.address, "--operator-listen", &self.operator]);
        command.env("SHEAF_DATABASE_URL", &self.url).env("RUST_BACKTRACE", "1");
        let child = command.stdout(Stdio::null()).stderr(log).spawn().unwrap();
        assert!(self.child.replace(child).is_none(), "the instance is already running");
    }

    /// Waits until the server is ready. Panics if it ends.
    pub(crate) fn wait_until_ready(&mut self) {
        let begin = Instant::now();
        while !self.is_ready() {
            let ended = self.child.as_mut().and_then(|child| child.try_wait().unwrap());
            assert!(
                ended.is_none() && begin.elapsed() < START_TIME_MAX,
                "not ready: {}",
                self.log()
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits until the server is ready, and restarts it whenever it ends, as a service manager
    /// does: a server that finds no database ends.
    pub(crate) fn restart_until_ready(&mut self) {
        let begin = Instant::now();
        while !self.is_ready() {
            if self.child.as_mut().is_some_and(|child| child.try_wait().unwrap().is_some()) {
                self.child = None;
                self.spawn();
            }
            assert!(begin.elapsed() < START_TIME_MAX, "not ready: {}", self.warnings());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    pub(crate) fn is_ready(&self) -> bool {
        let ready = crate::ask::ask(&self.operator, "GET", "/readyz", &[], "");
        ready.is_some_and(|(status, _)| status == 200)
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.as_ref().unwrap().id()
    }

    /// Kills the server with SIGKILL.
    pub(crate) fn kill(&mut self) {
        let mut child = self.child.take().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// Sends SIGTERM, as a service manager does.
    pub(crate) fn send_sigterm(&self) {
        let pid = self.id().to_string();
        let signalled = Command::new("kill").args(["-s", "TERM", &pid]).status().unwrap();
        assert!(signalled.success());
    }

    /// Waits until the server has ended. Its exit status must be 0.
    pub(crate) fn wait_for_exit(&mut self) {
        let mut child = self.child.take().unwrap();
        assert!(child.wait().unwrap().success(), "{}", self.log());
    }

    /// Returns the log up to now.
    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }

    pub(crate) fn request(
        &self,
        method: &str,
        path: &str,
        headers: &[&str],
        body: &str,
    ) -> HttpResponse {
        Server::ask_at(&self.address, method, path, headers, body)
    }

    pub(crate) fn get_with_key(&self, path: &str, key: &str) -> HttpResponse {
        self.request("GET", path, &[&format!("X-API-Key: {key}")], "")
    }

    /// Sends a request with the headers of the dashboard.
    pub(crate) fn dashboard_request(
        &self,
        method: &str,
        path: &str,
        cookie: &str,
        body: &str,
    ) -> HttpResponse {
        let cookie = format!("Cookie: {cookie}");
        self.request(method, path, &["x-sheaf-csrf: 1", &cookie], body)
    }

    /// Returns the warnings and errors of the log, each once.
    pub(crate) fn warnings(&self) -> String {
        let log = self.log();
        let lines = log.lines().filter(|line| !line.contains("\"INFO\""));
        let entries = lines.map(|line| &line[line.find("\"level\"").unwrap_or(0)..]);
        entries.collect::<BTreeSet<_>>().into_iter().take(LINES_MAX).collect::<Vec<_>>().join("\n")
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Kills processes when this process ends for any reason, also where no `drop` runs.
pub(crate) struct Leash {
    /// Waits for the end of its input, which ends with this process.
    _keeper: Child,
}

impl Leash {
    /// Attaches the processes with these ids.
    pub(crate) fn attach(ids: &[u32]) -> Self {
        let mut watchdog = Command::new("sh");
        watchdog.args(["-c", "read -r _; kill -9 \"$@\"", "sh"]);
        watchdog.args(ids.iter().map(u32::to_string)).stdin(Stdio::piped());
        Self { _keeper: watchdog.spawn().unwrap() }
    }
}
