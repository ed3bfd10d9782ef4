//! Where an HTTP/1.1 answer ends: its head, and the two ways to say how long a body is.
//!
//! Pure: it is fed bytes as they come. It understands what servers send here, and no more.

use memchr::memmem;

/// Longest head that is looked for, in bytes.
pub(crate) const HEAD_BYTES_MAX: usize = 16 * 1024;

/// The head of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Head {
    /// The status.
    pub(crate) status: u16,
    /// How many bytes it has, the empty line included.
    pub(crate) bytes: usize,
    /// How the body's end is found.
    pub(crate) body: Body,
}

/// How a body's end is found, and what of it is to come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Body {
    /// So many bytes are to come.
    Length(usize),
    /// Chunks, until an empty one.
    Chunks(Chunks),
}

/// What is to come next of a body in chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Chunks {
    /// The length of a chunk; so far so much of it was read.
    Size(usize),
    /// The rest of the line with the length.
    SizeEnd(usize),
    /// So many bytes of a chunk.
    Data(usize),
    /// The line's end behind a chunk.
    DataEnd,
    /// The line's end behind the empty chunk.
    LastEnd,
    /// Nothing.
    Done,
}

impl Head {
    /// Reads a head, where all of it is there.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let end = memmem::find(bytes, b"\r\n\r\n")? + 4;
        let status = std::str::from_utf8(bytes.get(9..12)?).ok()?.parse().ok()?;
        let mut body = Body::Length(0);
        for line in bytes[..end].split(|byte| *byte == b'\n').skip(1) {
            if let Some(value) = value_of(line, b"content-length:") {
                body = Body::Length(value.parse().ok()?);
            } else if value_of(line, b"transfer-encoding:") == Some("chunked") {
                body = Body::Chunks(Chunks::Size(0));
            }
        }
        Some(Self { status, bytes: end, body })
    }
}

/// The fields of a head, as name and value, in their order.
pub(crate) fn fields(head: &[u8]) -> impl Iterator<Item = (&str, &str)> {
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
    /// Returns whether nothing is to come.
    pub(crate) fn is_done(self) -> bool {
        matches!(self, Self::Length(0) | Self::Chunks(Chunks::Done))
    }

    /// Takes bytes as they came; hands over those of the body.
    pub(crate) fn take(&mut self, bytes: &[u8], mut each: impl FnMut(&[u8])) {
        match self {
            Self::Length(left) => {
                let taken = bytes.len().min(*left);
                each(&bytes[..taken]);
                *left -= taken;
            }
            Self::Chunks(chunks) => chunks.take(bytes, each),
        }
    }
}

impl Chunks {
    fn take(&mut self, mut bytes: &[u8], mut each: impl FnMut(&[u8])) {
        while let Some((&first, rest)) = bytes.split_first() {
            if let Self::Data(left) = *self {
                let (data, behind) = bytes.split_at(left.min(bytes.len()));
                each(data);
                bytes = behind;
                let left = left - data.len();
                *self = if left == 0 { Self::DataEnd } else { Self::Data(left) };
                continue;
            }
            bytes = rest;
            *self = match (*self, first) {
                (Self::SizeEnd(0), b'\n') => Self::LastEnd,
                (Self::SizeEnd(size), b'\n') => Self::Data(size),
                (Self::Size(size), b'\r') => Self::SizeEnd(size),
                (Self::Size(size), digit) => Self::Size(size << 4 | hex(digit)),
                (Self::DataEnd, b'\n') => Self::Size(0),
                (Self::LastEnd, b'\n') => Self::Done,
                (same, _) => same,
            };
        }
    }
}

fn hex(digit: u8) -> usize {
    char::from(digit).to_digit(16).map_or(0, |digit| digit as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_tells_status_and_length() {
        let text = b"HTTP/1.1 429 Too Many\r\nX: y\r\nContent-Length: 12\r\n\r\nrest";
        let head = Head::read(text).unwrap();
        assert_eq!(head, Head { status: 429, bytes: text.len() - 4, body: Body::Length(12) });
        assert_eq!(Head::read(b"HTTP/1.1 200 OK\r\nContent-Length: 12\r\n"), None);
        let none = Head::read(b"HTTP/1.1 204 No Content\r\n\r\n").unwrap();
        assert!(none.body.is_done());
    }

    #[test]
    fn a_head_has_fields_in_their_order() {
        let head = b"HTTP/1.1 200 OK\r\nETag: \"a:b\"\r\nVary:x \r\n\r\n";
        let found: Vec<_> = fields(head).collect();
        assert_eq!(found, [("ETag", "\"a:b\""), ("Vary", "x")]);
    }

    #[test]
    fn chunks_end_wherever_the_bytes_are_cut() {
        let text = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
        let body = b"5\r\nhello\r\n1A\r\nabcdefghijklmnopqrstuvwxyz\r\n0\r\n\r\n";
        for piece in 1..=body.len() {
            let mut left = Head::read(text).unwrap().body;
            let mut found = Vec::new();
            for bytes in body.chunks(piece) {
                assert!(!left.is_done());
                left.take(bytes, |data| found.extend_from_slice(data));
            }
            assert!(left.is_done(), "{piece}");
            assert_eq!(found, b"helloabcdefghijklmnopqrstuvwxyz", "{piece}");
        }
    }
}
