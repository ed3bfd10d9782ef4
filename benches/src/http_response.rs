//! Parser for HTTP/1.1 responses: the head, and the two encodings of the body length.
//!
//! It does no I/O: the caller passes bytes in as they are read. It supports only the responses of
//! the measured servers.

use memchr::memmem;

/// Maximum length of a head, in bytes.
pub(crate) const HEAD_BYTES_MAX: usize = 16 * 1024;

/// Head of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Head {
    /// Status code.
    pub(crate) status: u16,
    /// Length of the head in bytes, with the empty line.
    pub(crate) bytes: usize,
    /// Encoding of the body length.
    pub(crate) body: Body,
}

/// Encoding of the body length, with the state of reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Body {
    /// Number of remaining bytes.
    Length(usize),
    /// Chunked transfer encoding.
    Chunks(ChunkState),
}

/// Next part of a chunked body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChunkState {
    /// Digits of a chunk length; the value so far.
    Size(usize),
    /// Rest of the line with the chunk length.
    SizeEnd(usize),
    /// Remaining bytes of a chunk.
    Data(usize),
    /// Line break after a chunk.
    DataEnd,
    /// Line break after the last, empty chunk.
    LastEnd,
    /// End of the body.
    Done,
}

impl Head {
    /// Parses a head. Returns `None` if it is incomplete or invalid.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let end = memmem::find(bytes, b"\r\n\r\n")? + 4;
        let status = std::str::from_utf8(bytes.get(9..12)?).ok()?.parse().ok()?;
        let mut body = Body::Length(0);
        for line in bytes[..end].split(|byte| *byte == b'\n').skip(1) {
            if let Some(value) = value_of(line, b"content-length:") {
                body = Body::Length(value.parse().ok()?);
            } else if value_of(line, b"transfer-encoding:") == Some("chunked") {
                body = Body::Chunks(ChunkState::Size(0));
            }
        }
        Some(Self { status, bytes: end, body })
    }
}

/// Returns the header fields of a head as name and value, in their order.
pub(crate) fn header_fields(head: &[u8]) -> impl Iterator<Item = (&str, &str)> {
    let lines = head.split(|byte| *byte == b'\n').skip(1);
    let field = |line| std::str::from_utf8(line).ok()?.split_once(':');
    lines.filter_map(field).map(|(name, value)| (name.trim(), value.trim()))
}

fn value_of<'a>(line: &'a [u8], name: &[u8]) -> Option<&'a str> {
    let (start, value) = line.split_at_checked(name.len())?;
    let is_it = start.eq_ignore_ascii_case(name);
    is_it.then(|| std::str::from_utf8(value).ok()).flatten().map(str::trim)
}

impl Body {
    /// Returns whether the body is complete.
    pub(crate) fn is_done(self) -> bool {
        matches!(self, Self::Length(0) | Self::Chunks(ChunkState::Done))
    }

    /// Consumes bytes as they were read. Calls `each` with those that belong to the body.
    pub(crate) fn consume(&mut self, bytes: &[u8], mut each: impl FnMut(&[u8])) {
        match self {
            Self::Length(remaining) => {
                let used = bytes.len().min(*remaining);
                each(&bytes[..used]);
                *remaining -= used;
            }
            Self::Chunks(chunks) => chunks.consume(bytes, each),
        }
    }
}

impl ChunkState {
    fn consume(&mut self, mut bytes: &[u8], mut each: impl FnMut(&[u8])) {
        while let Some((&first, rest)) = bytes.split_first() {
            if let Self::Data(left) = *self {
                let (data, after) = bytes.split_at(left.min(bytes.len()));
                each(data);
                bytes = after;
                let left = left - data.len();
                *self = if left == 0 { Self::DataEnd } else { Self::Data(left) };
                continue;
            }
            bytes = rest;
            *self = match (*self, first) {
                (Self::SizeEnd(0), b'\n') => Self::LastEnd,
                (Self::SizeEnd(size), b'\n') => Self::Data(size),
                (Self::Size(size), b'\r') => Self::SizeEnd(size),
                (Self::Size(size), digit) => Self::Size(size << 4 | hex_digit(digit)),
                (Self::DataEnd, b'\n') => Self::Size(0),
                (Self::LastEnd, b'\n') => Self::Done,
                (same, _) => same,
            };
        }
    }
}

fn hex_digit(digit: u8) -> usize {
    char::from(digit).to_digit(16).map_or(0, |digit| digit as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn head_has_status_and_length() {
        let text = b"HTTP/1.1 429 Too Many\r\nX: y\r\nContent-Length: 12\r\n\r\nrest";
        let head = Head::parse(text).unwrap();
        assert_eq!(head, Head { status: 429, bytes: text.len() - 4, body: Body::Length(12) });
        assert_eq!(Head::parse(b"HTTP/1.1 200 OK\r\nContent-Length: 12\r\n"), None);
        let no_content = Head::parse(b"HTTP/1.1 204 No Content\r\n\r\n").unwrap();
        assert!(no_content.body.is_done());
    }

    #[test]
    fn fields_keep_their_order() {
        let head = b"HTTP/1.1 200 OK\r\nETag: \"a:b\"\r\nVary:x \r\n\r\n";
        let found: Vec<_> = header_fields(head).collect();
        assert_eq!(found, [("ETag", "\"a:b\""), ("Vary", "x")]);
    }

    #[test]
    fn chunks_end_at_any_read_boundary() {
        let text = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
        let body = b"5\r\nhello\r\n1A\r\nabcdefghijklmnopqrstuvwxyz\r\n0\r\n\r\n";
        for piece in 1..=body.len() {
            let mut remaining = Head::parse(text).unwrap().body;
            let mut found = Vec::new();
            for bytes in body.chunks(piece) {
                assert!(!remaining.is_done());
                remaining.consume(bytes, |data| found.extend_from_slice(data));
            }
            assert!(remaining.is_done(), "{piece}");
            assert_eq!(found, b"helloabcdefghijklmnopqrstuvwxyz", "{piece}");
        }
    }
}
