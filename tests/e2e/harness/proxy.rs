//! A small auth proxy in front of a server's socket. It sends the identity that a test sets in a
//! header, and has its own sign-out page.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Identity header of the proxy.
pub(super) const HEADER: &str = "x-forwarded-email";
/// Path of its sign-out page.
pub(crate) const SIGN_OUT: &str = "/oauth2/sign_out";
/// Path of its sign-in page.
const SIGN_IN: &str = "/oauth2/sign_in";

/// Response of the proxy after its session has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// A redirect to another origin.
    Redirect,
    /// The sign-in page, with status 200.
    Page,
    /// The sign-in page, with status 401.
    Refusal,
    /// The proxy closes the connection.
    Closed,
    /// No response until the user signs in.
    Silence,
}

/// State that a test sets.
#[derive(Default)]
struct ProxyState {
    /// Signed-in identity; empty if there is no session.
    subject: String,
    /// Path prefix of files that are delayed.
    delayed: Option<String>,
    /// Path prefix and suffix of files that fail to load.
    failing: Option<(String, String)>,
    /// Part of a path, and the number of bytes after which its next response ends.
    cut: Option<(String, u64)>,
    /// How the session has ended, if it has.
    ending: Option<Ending>,
}

/// A running proxy. It ends with the test's process.
#[derive(Clone)]
pub(crate) struct Proxy {
    state: Arc<Mutex<ProxyState>>,
    port: u16,
}

impl Proxy {
    /// Starts a proxy in front of a socket, without a signed-in user.
    pub(super) fn start_before(socket: &Path) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let state = Arc::<Mutex<ProxyState>>::default();
        let socket = socket.to_owned();
        let said = Arc::clone(&state);
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let said = Arc::clone(&said);
                let socket = socket.clone();
                // An error concerns only its own connection: a browser left, or the server ended.
                std::thread::spawn(move || drop(forward(client, &socket, &said)));
            }
        });
        Self { state, port }
    }

    /// Signs a user in at the proxy and replaces the earlier one. An empty subject signs out.
    pub(crate) fn sign_in(&self, subject: &str) {
        subject.clone_into(&mut self.state.lock().expect("the lock is not poisoned").subject);
    }

    /// Delays every file with this path prefix, as a slow network does. `None` delays no more.
    pub(crate) fn delay_files(&self, path: Option<&str>) {
        self.state.lock().expect("the lock is not poisoned").delayed = path.map(str::to_owned);
    }

    /// Fails every request with this path prefix and suffix. `None` fails no more.
    pub(crate) fn fail_files(&self, path: Option<(&str, &str)>) {
        let lost = path.map(|(begins, ends)| (begins.to_owned(), ends.to_owned()));
        self.state.lock().expect("the lock is not poisoned").failing = lost;
    }

    /// Ends the next response to a path with this part after some bytes.
    pub(crate) fn cut_response(&self, part: &str, bytes: u64) {
        self.state.lock().expect("the lock is not poisoned").cut = Some((part.to_owned(), bytes));
    }

    /// Returns whether the response that was to end early has been sent.
    pub(crate) fn has_cut_response(&self) -> bool {
        self.state.lock().expect("the lock is not poisoned").cut.is_none()
    }

    /// Ends the session, or restores it with `None`.
    pub(crate) fn end_session(&self, ending: Option<Ending>) {
        self.state.lock().expect("the lock is not poisoned").ending = ending;
    }

    /// Returns the origin of the proxy.
    pub(super) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

/// Forwards one request with the proxy's headers, and the response.
fn forward(client: TcpStream, socket: &PathBuf, said: &Mutex<ProxyState>) -> std::io::Result<()> {
    let mut from = BufReader::new(client.try_clone()?);
    let mut lines = VecDeque::new();
    let mut length = 0;
    loop {
        let mut line = String::new();
        if from.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let line = line.trim_end().to_owned();
        let name = line.split(':').next().unwrap_or_default().to_lowercase();
        if name == "content-length" {
            length = line[name.len() + 1..].trim().parse().unwrap_or(0);
        }
        if line.is_empty() {
            break;
        }
        if !matches!(&*name, "connection" | "x-forwarded-for" | HEADER) {
            lines.push_back(line);
        }
    }
    let mut client = client;
    if lines.front().is_some_and(|line| line.starts_with(&format!("GET {SIGN_OUT} "))) {
        said.lock().expect("the lock is not poisoned").subject.clear();
        let page = "<!doctype html><html lang=en><title>Out</title><h1>Signed out of everything";
        let length = page.len();
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close";
        return write!(client, "{head}\r\ncontent-length: {length}\r\n\r\n{page}");
    }
    let path = lines[0].split(' ').nth(1).unwrap_or_default();
    let (who, lost) = loop {
        let said = said.lock().expect("the lock is not poisoned");
        match said.ending.filter(|_| path != SIGN_IN) {
            None | Some(Ending::Silence) => {}
            Some(ending) => {
                drop(said);
                return answer_ended_session(&mut client, ending);
            }
        }
        if path == SIGN_IN {
            return answer_ended_session(&mut client, Ending::Page);
        }
        let is_silent = said.ending == Some(Ending::Silence);
        if !is_silent && said.delayed.as_ref().is_none_or(|prefix| !path.starts_with(prefix)) {
            break (said.subject.clone(), said.failing.clone());
        }
        drop(said);
        std::thread::sleep(Duration::from_millis(20));
    };
    if lost.is_some_and(|(begins, ends)| path.starts_with(&begins) && path.ends_with(&ends)) {
        return Ok(());
    }
    let mut state = said.lock().expect("the lock is not poisoned");
    let cut = state.cut.take_if(|(part, _)| path.contains(part.as_str()));
    drop(state);
    if !who.is_empty() {
        lines.push_back(format!("{HEADER}: {who}"));
    }
    lines.push_back("x-forwarded-for: 192.0.2.7".to_owned());
    lines.push_back("connection: close".to_owned());
    let head = lines.into_iter().collect::<Vec<_>>().join("\r\n");
    let mut server = UnixStream::connect(socket)?;
    server.write_all(format!("{head}\r\n\r\n").as_bytes())?;
    std::io::copy(&mut from.take(length), &mut server)?;
    let bytes = cut.map_or(u64::MAX, |(_, bytes)| bytes);
    std::io::copy(&mut server.take(bytes), &mut client).map(drop)
}

/// Answers a request after the session has ended.
fn answer_ended_session(client: &mut TcpStream, ending: Ending) -> std::io::Result<()> {
    let page = "<!doctype html><html lang=en><title>Sign in</title><h1>Sign in to go on</h1>";
    let status = match ending {
        Ending::Closed | Ending::Silence => return Ok(()),
        Ending::Redirect => {
            // The same machine with another host name is another origin.
            let port = client.local_addr()?.port();
            let to = format!("http://localhost:{port}{SIGN_IN}");
            let head = format!("HTTP/1.1 302 Found\r\nlocation: {to}\r\nconnection: close");
            return write!(client, "{head}\r\ncontent-length: 0\r\n\r\n");
        }
        Ending::Page => "200 OK",
        Ending::Refusal => "401 Unauthorized",
    };
    let head = format!("HTTP/1.1 {status}\r\ncontent-type: text/html\r\nconnection: close");
    write!(client, "{head}\r\ncontent-length: {}\r\n\r\n{page}", page.len())
}
