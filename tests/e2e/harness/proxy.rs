//! A small auth proxy in front of a server's socket: it has signed in whom a test says, names them
//! in a header, and has a page of its own where one signs out.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The header in which it says who somebody is.
pub(super) const HEADER: &str = "x-forwarded-email";
/// Where one signs out of it.
pub(crate) const SIGN_OUT: &str = "/oauth2/sign_out";
/// Where one signs in.
const SIGN_IN: &str = "/oauth2/sign_in";

/// What it answers once its session has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// A redirect to another origin.
    Redirect,
    /// The page where one signs in, with status 200.
    Page,
    /// The same page, with status 401.
    Refusal,
    /// It closes the connection.
    Closed,
    /// Nothing, until somebody signs in.
    Silence,
}

/// What a test has told it.
#[derive(Default)]
struct Said {
    /// Who has signed in; nobody, where it is empty.
    subject: String,
    /// What is held back: files whose path begins so.
    held: Option<String>,
    /// What is lost: files whose path begins and ends so.
    lost: Option<(String, String)>,
    /// How its session has ended, if it has.
    ended: Option<Ending>,
}

/// The proxy; it lives as long as the test's process.
#[derive(Clone)]
pub(crate) struct Proxy {
    said: Arc<Mutex<Said>>,
    port: u16,
}

impl Proxy {
    /// Starts one in front of a socket; it has signed nobody in yet.
    pub(super) fn before(socket: &Path) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let (told, socket) = (Arc::<Mutex<Said>>::default(), socket.to_owned());
        let said = Arc::clone(&told);
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let (said, socket) = (Arc::clone(&said), socket.clone());
                // A browser that left, or a server that ended, ends its connection alone.
                std::thread::spawn(move || drop(hand_on(client, &socket, &said)));
            }
        });
        Self { said: told, port }
    }

    /// Signs somebody in with the proxy, in place of whoever was; nobody, where it is empty.
    pub(crate) fn sign_in(&self, subject: &str) {
        subject.clone_into(&mut self.said.lock().expect("nobody panics with it").subject);
    }

    /// Holds back every file whose path begins so, as a slow line does; none any more, where that
    /// is nothing.
    pub(crate) fn hold(&self, path: Option<&str>) {
        self.said.lock().expect("nobody panics with it").held = path.map(str::to_owned);
    }

    /// Loses every file whose path begins and ends so; none any more, where that is nothing.
    pub(crate) fn lose(&self, path: Option<(&str, &str)>) {
        let lost = path.map(|(begins, ends)| (begins.to_owned(), ends.to_owned()));
        self.said.lock().expect("nobody panics with it").lost = lost;
    }

    /// Ends the session, or begins it again.
    pub(crate) fn end_session(&self, ending: Option<Ending>) {
        self.said.lock().expect("nobody panics with it").ended = ending;
    }

    /// Where browsers find it.
    pub(super) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

/// Hands one request on, with what the proxy itself has to say, and the whole answer back.
fn hand_on(client: TcpStream, socket: &PathBuf, said: &Mutex<Said>) -> std::io::Result<()> {
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
        said.lock().expect("nobody panics with it").subject.clear();
        let page = "<!doctype html><html lang=en><title>Out</title><h1>Signed out of everything";
        let length = page.len();
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close";
        return write!(client, "{head}\r\ncontent-length: {length}\r\n\r\n{page}");
    }
    let path = lines[0].split(' ').nth(1).unwrap_or_default();
    let (who, lost) = loop {
        let said = said.lock().expect("nobody panics with it");
        match said.ended.filter(|_| path != SIGN_IN) {
            None | Some(Ending::Silence) => {}
            Some(ending) => {
                drop(said);
                return turn_away(&mut client, ending);
            }
        }
        if path == SIGN_IN {
            return turn_away(&mut client, Ending::Page);
        }
        let is_silent = said.ended == Some(Ending::Silence);
        if !is_silent && said.held.as_ref().is_none_or(|held| !path.starts_with(held)) {
            break (said.subject.clone(), said.lost.clone());
        }
        drop(said);
        std::thread::sleep(Duration::from_millis(20));
    };
    if lost.is_some_and(|(begins, ends)| path.starts_with(&begins) && path.ends_with(&ends)) {
        return Ok(());
    }
    if !who.is_empty() {
        lines.push_back(format!("{HEADER}: {who}"));
    }
    lines.push_back("x-forwarded-for: 192.0.2.7".to_owned());
    lines.push_back("connection: close".to_owned());
    let head = lines.into_iter().collect::<Vec<_>>().join("\r\n");
    let mut server = UnixStream::connect(socket)?;
    server.write_all(format!("{head}\r\n\r\n").as_bytes())?;
    std::io::copy(&mut from.take(length), &mut server)?;
    std::io::copy(&mut server, &mut client).map(drop)
}

/// Answers a request that came after the session had ended.
fn turn_away(client: &mut TcpStream, ending: Ending) -> std::io::Result<()> {
    let page = "<!doctype html><html lang=en><title>Sign in</title><h1>Sign in to go on</h1>";
    let status = match ending {
        Ending::Closed | Ending::Silence => return Ok(()),
        Ending::Redirect => {
            // The same machine by another name is another origin.
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
