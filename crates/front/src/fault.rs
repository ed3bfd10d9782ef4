//! What may be wrong with a request's framing: a name for logs, a status, and a sentence.

/// Why a request is refused. After it the connection closes, since nobody can tell where the next
/// request would begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Fault {
    /// No method, target and version with one space between them.
    RequestLine,
    /// A target that is no path: `http://…`, `host:port`, `*`.
    TargetForm,
    /// A byte in the target that must be percent-encoded, or a fragment.
    TargetByte,
    /// A target over its limit.
    TargetTooLong,
    /// Neither HTTP/1.1 nor HTTP/1.0.
    Version,
    /// CONNECT, which asks for a tunnel.
    Method,
    /// A line that ends without a carriage return.
    BareLf,
    /// A carriage return within a line.
    BareCr,
    /// A control character.
    Control,
    /// A header that goes on in the next line.
    Fold,
    /// A header's name that is none, or space before its colon.
    HeaderName,
    /// A name that others may take for one by which a request is framed: `content_length`.
    HeaderAlike,
    /// More headers than the limit.
    HeadersTooMany,
    /// A head over its limit.
    HeadTooLong,
    /// No `Host`.
    HostMissing,
    /// Two of them.
    HostRepeated,
    /// One that is no host and port.
    HostMalformed,
    /// A `Content-Length` that is no number.
    LengthMalformed,
    /// Two of them, be they equal.
    LengthRepeated,
    /// Both `Content-Length` and `Transfer-Encoding`.
    LengthAndEncoding,
    /// A `Transfer-Encoding` other than `chunked` alone.
    EncodingUnknown,
    /// Two of them.
    EncodingRepeated,
    /// One in HTTP/1.0, which has none.
    EncodingTooOld,
    /// An `Expect` other than `100-continue`.
    Expect,
    /// A body over its limit.
    BodyTooLong,
    /// A chunk's size that is no short hexadecimal number.
    ChunkSize,
    /// A chunk's extension over its limit, or with control characters.
    ChunkExtension,
    /// A chunk that is longer than its size says.
    ChunkEnd,
    /// Headers behind a body.
    Trailer,
    /// A head that took too long.
    HeadTooSlow,
    /// A body that took too long, or of which nothing came for too long.
    BodyTooSlow,
}

/// Name, status and sentence.
type Row = (Fault, &'static str, u16, &'static str);

const ROWS: [Row; 31] = [
    (
        Fault::RequestLine,
        "request-line",
        400,
        "the first line must be such as `GET /path HTTP/1.1`, with one space between its parts",
    ),
    (
        Fault::TargetForm,
        "target-form",
        400,
        "the address in the first line must be a path, which begins with `/`",
    ),
    (
        Fault::TargetByte,
        "target-byte",
        400,
        "the address has a character that must be percent-encoded, or a fragment (`#`), which stays in the client",
    ),
    (
        Fault::TargetTooLong,
        "target-too-long",
        414,
        "the address is too long for any path here; shorten it",
    ),
    (
        Fault::Version,
        "version",
        400,
        "the request is no HTTP/1.1; send it as `HTTP/1.1`, or `HTTP/1.0`",
    ),
    (Fault::Method, "method", 405, "the method `CONNECT` is not for this server"),
    (
        Fault::BareLf,
        "bare-lf",
        400,
        "each line of a head must end with CR and LF, but one ends with LF alone",
    ),
    (Fault::BareCr, "bare-cr", 400, "a line of the head has a CR that does not end it; remove it"),
    (Fault::Control, "control", 400, "the head has a control character; remove it, or encode it"),
    (Fault::Fold, "fold", 400, "a header goes on in a second line; write it in one"),
    (
        Fault::HeaderName,
        "header-name",
        400,
        "a header must be such as `Name: value`, without a space before the colon",
    ),
    (
        Fault::HeaderAlike,
        "header-alike",
        400,
        "a header is named as one by which requests are framed, but with `_`; write `-`",
    ),
    (
        Fault::HeadersTooMany,
        "headers-too-many",
        431,
        "the request has too many headers; send fewer",
    ),
    (
        Fault::HeadTooLong,
        "head-too-long",
        431,
        "the request's head is too long; send fewer or shorter headers",
    ),
    (
        Fault::HostMissing,
        "host-missing",
        400,
        "a request must have one `Host` header, but this has none",
    ),
    (
        Fault::HostRepeated,
        "host-repeated",
        400,
        "a request must have one `Host` header, but this has more",
    ),
    (
        Fault::HostMalformed,
        "host-malformed",
        400,
        "the `Host` header must be a name or an address, with or without a port",
    ),
    (
        Fault::LengthMalformed,
        "length-malformed",
        400,
        "the `Content-Length` must be a decimal number of bytes, without sign, list or leading zero",
    ),
    (
        Fault::LengthRepeated,
        "length-repeated",
        400,
        "a request must have one `Content-Length` at most, but this has more",
    ),
    (
        Fault::LengthAndEncoding,
        "length-and-encoding",
        400,
        "a request must have `Content-Length` or `Transfer-Encoding`, but this has both",
    ),
    (
        Fault::EncodingUnknown,
        "encoding-unknown",
        400,
        "the only `Transfer-Encoding` taken is `chunked`",
    ),
    (
        Fault::EncodingRepeated,
        "encoding-repeated",
        400,
        "a request must have one `Transfer-Encoding` at most, but this has more",
    ),
    (
        Fault::EncodingTooOld,
        "encoding-too-old",
        400,
        "HTTP/1.0 has no `Transfer-Encoding`; send a `Content-Length`, or HTTP/1.1",
    ),
    (Fault::Expect, "expect", 400, "the only `Expect` taken is `100-continue`"),
    (
        Fault::BodyTooLong,
        "body-too-long",
        413,
        "the body is larger than any path here takes; shorten it",
    ),
    (
        Fault::ChunkSize,
        "chunk-size",
        400,
        "a chunk must begin with its size, at most 8 hexadecimal digits and nothing else",
    ),
    (
        Fault::ChunkExtension,
        "chunk-extension",
        400,
        "a chunk's extension is too long or has control characters; leave it out",
    ),
    (Fault::ChunkEnd, "chunk-end", 400, "a chunk is longer than its size says"),
    (Fault::Trailer, "trailer", 400, "headers behind a body are not taken; send them in the head"),
    (Fault::HeadTooSlow, "head-too-slow", 408, "the request's head took too long; send it at once"),
    (Fault::BodyTooSlow, "body-too-slow", 408, "the request's body took too long; send it at once"),
];

impl Fault {
    /// Every fault.
    pub fn all() -> impl Iterator<Item = Self> {
        ROWS.iter().map(|row| row.0)
    }

    /// Returns its name: for logs, and for tables of hostile requests.
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// Returns the HTTP status of its refusal.
    pub fn status(self) -> u16 {
        self.row().2
    }

    /// Returns the sentence that says what is wrong and what to do.
    pub fn message(self) -> &'static str {
        self.row().3
    }

    /// Returns the fault of a place in the table.
    pub(crate) fn at(place: usize) -> Option<Self> {
        ROWS.get(place).map(|row| row.0)
    }

    fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_stands_in_its_place_and_says_what_to_do() {
        for (place, fault) in Fault::all().enumerate() {
            assert_eq!(fault as usize, place, "{fault:?}");
            assert_eq!(Fault::at(place), Some(fault));
            assert!((400..500).contains(&fault.status()), "{fault:?}");
            assert!(fault.message().len() > 30, "{fault:?}");
            let same = Fault::all().filter(|other| other.name() == fault.name());
            assert_eq!(same.count(), 1, "{fault:?}");
        }
        assert_eq!(Fault::at(ROWS.len()), None);
    }
}
