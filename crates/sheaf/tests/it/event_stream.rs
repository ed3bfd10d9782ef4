//! A client of the stream of live updates, by raw HTTP.

use std::io::{BufRead as _, BufReader, ErrorKind, Write as _};
use std::net::TcpStream;
use std::time::Duration;

/// Maximum time until the next line.
const SOON: Duration = Duration::from_mins(1);

/// An open stream. It closes on drop.
pub(crate) struct EventStream {
    pub(crate) status: u16,
    /// The head of the response in lower case.
    pub(crate) head: String,
    reader: BufReader<TcpStream>,
}

impl EventStream {
    /// Requests a stream with the headers of the dashboard, and reads the head of the response.
    pub(crate) fn request(address: &str, environment: &str, cookie: &str) -> Self {
        Self::request_with(address, environment, &[&format!("Cookie: {cookie}")])
    }

    /// As [`EventStream::request`], with any headers in place of the cookie.
    pub(crate) fn request_with(address: &str, environment: &str, headers: &[&str]) -> Self {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(SOON)).unwrap();
        // HTTP/1.0, so that the body has no chunks.
        let head = format!(
            "GET /account/events?environment={environment} HTTP/1.0\r\nHost: {address}\r\n\
             x-sheaf-csrf: 1\r\nAccept-Encoding: gzip, br\r\n{}\r\n\r\n",
            headers.join("\r\n")
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut reader = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(reader.read_line(&mut head).unwrap() > 0, "{head}");
        }
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Self { status, head: head.to_lowercase(), reader }
    }

    /// Opens a stream, and reads its first event.
    #[track_caller]
    pub(crate) fn open(address: &str, environment: &str, cookie: &str) -> Self {
        let mut stream = Self::request(address, environment, cookie);
        assert_eq!(stream.status, 200, "{}", stream.head);
        assert_eq!(stream.next(), Some(("ready".to_owned(), "{}".to_owned())));
        stream
    }

    /// Waits for the next event, and returns its name and data; `None` at the end.
    pub(crate) fn next(&mut self) -> Option<(String, String)> {
        let (mut name, mut data) = (String::new(), String::new());
        loop {
            match self.line()?.split_once(": ") {
                Some(("event", value)) => value.clone_into(&mut name),
                Some(("data", value)) => value.clone_into(&mut data),
                Some(("retry", value)) => assert_eq!(value, "2000"),
                Some(other) => panic!("{other:?}"),
                None if name.is_empty() => {}
                None => return Some((name, data)),
            }
        }
    }

    /// Returns the rest of the response.
    pub(crate) fn rest(&mut self) -> String {
        std::iter::from_fn(|| self.line()).collect()
    }

    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        match self.reader.read_line(&mut line) {
            Ok(0) => None,
            Ok(_) => Some(line.trim_end().to_owned()),
            Err(error) if error.kind() == ErrorKind::ConnectionReset => None,
            Err(error) => panic!("{error}"),
        }
    }
}
