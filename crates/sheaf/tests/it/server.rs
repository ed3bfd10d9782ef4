//! A running server, and requests to it by raw HTTP.

use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use crate::test_env::{self, TestEnv};

/// Maximum time until the server prints a line or answers.
const SOON: Duration = Duration::from_secs(20);

/// A server on a free port. It is killed on drop.
pub(crate) struct Server {
    pub(crate) child: Child,
    pub(crate) address: String,
    lines: mpsc::Receiver<String>,
    log_lines: mpsc::Receiver<String>,
    /// The log lines read up to now.
    log: String,
}

/// A response.
pub(crate) struct HttpResponse {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Server {
    /// Starts `sheaf …` and waits until it listens.
    pub(crate) fn start(env: &TestEnv, arguments: &str) -> Self {
        Self::spawn(env.command(&format!("{arguments} --listen 127.0.0.1:0")))
    }

    pub(crate) fn spawn(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let lines = lines_of(child.stdout.take().unwrap());
        let log_lines = lines_of(child.stderr.take().unwrap());
        let address = String::new();
        let log = String::new();
        let mut server = Self { child, address, lines, log_lines, log };
        let first = server.line();
        let url = first.strip_prefix("listening on ").unwrap();
        url.split_once("://").map_or(url, |(_, address)| address).clone_into(&mut server.address);
        server
    }

    /// Returns the next line of its output.
    pub(crate) fn line(&mut self) -> String {
        if let Ok(line) = self.lines.recv_timeout(SOON) {
            return line;
        }
        let _ = self.child.kill();
        panic!("the server printed no line: {}", self.end());
    }

    /// Waits until the output ends, and returns the rest of it.
    pub(crate) fn rest(&self) -> String {
        self.lines.iter().collect::<Vec<_>>().join("\n")
    }

    /// Returns the token of the sign-in link in its output.
    pub(crate) fn printed_token(&mut self) -> String {
        assert!(self.line().starts_with("sign in as "));
        let link = self.line();
        let (base_url, token) = link.split_once("/sign-in#token=").unwrap();
        assert_eq!(base_url, format!("http://{}", self.address));
        token.to_owned()
    }

    /// Sends a request and returns the response.
    pub(crate) fn ask(
        &self,
        method: &str,
        path: &str,
        headers: &[&str],
        body: &str,
    ) -> HttpResponse {
        Self::ask_at(&self.address, method, path, headers, body)
    }

    /// Sends a request to any address and returns the response.
    pub(crate) fn ask_at(
        address: &str,
        method: &str,
        path: &str,
        headers: &[&str],
        body: &str,
    ) -> HttpResponse {
        let mut head = format!("{method} {path} HTTP/1.0\r\nHost: {address}\r\n");
        for header in headers {
            head += header;
            head += "\r\n";
        }
        if !body.is_empty() {
            let named = headers.iter().any(|line| line.starts_with("Content-Type:"));
            let kind = if named { "" } else { "Content-Type: application/json\r\n" };
            head += &[kind, "Content-Length: ", &body.len().to_string(), "\r\n"].concat();
        }
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(SOON)).unwrap();
        stream.write_all(format!("{head}\r\n{body}").as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        HttpResponse::read(&answer)
    }

    /// Sends a request to the API with a key.
    pub(crate) fn get(&self, path: &str, key: &str) -> HttpResponse {
        self.ask("GET", path, &[&format!("X-API-Key: {key}")], "")
    }

    /// Sends a request to the gateway with the headers of the dashboard.
    pub(crate) fn dashboard(
        &self,
        method: &str,
        path: &str,
        cookie: &str,
        body: &str,
    ) -> HttpResponse {
        let cookie = format!("Cookie: {cookie}");
        self.ask(method, path, &["x-sheaf-csrf: 1", &cookie], body)
    }

    /// Waits until the server ends, and returns its whole log.
    pub(crate) fn end(&mut self) -> String {
        while let Ok(line) = self.log_lines.recv() {
            self.note(&line);
        }
        self.child.wait().unwrap();
        std::mem::take(&mut self.log)
    }

    /// Waits for a new log line that contains `text`, and returns the line.
    pub(crate) fn logged(&mut self, text: &str) -> String {
        loop {
            let Ok(line) = self.log_lines.recv_timeout(test_env::SOON) else {
                panic!("the log has no line with `{text}`: {}", self.log);
            };
            self.note(&line);
            if line.contains(text) {
                return line;
            }
        }
    }

    fn note(&mut self, line: &str) {
        self.log += line;
        self.log.push('\n');
    }

    /// Sends a signal by its name, such as `TERM`.
    pub(crate) fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &pid]).status().unwrap().success());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl HttpResponse {
    pub(crate) fn read(bytes: &[u8]) -> Self {
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Self { status, head, body: bytes[end + 4..].to_vec() }
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// Returns the cookie that the response sets, as `name=value`.
    pub(crate) fn cookie(&self) -> String {
        let line = self.head.lines().find(|line| line.to_lowercase().starts_with("set-cookie:"));
        line.unwrap()["set-cookie:".len()..].split(';').next().unwrap().trim().to_owned()
    }
}

fn lines_of(out: impl Read + Send + 'static) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(out).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    receiver
}
