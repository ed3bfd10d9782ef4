//! A request's head (RFC 9112 §3 and §5), line by line: strict where readers differ.
//!
//! It remembers only what frames the request, and keeps no bytes: an unfinished head is given again
//! with more behind it, and what was read of it is not read a second time.

use memchr::memchr;

use crate::fault::Fault;
use crate::limits::Limits;

/// What comes behind a head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Body {
    /// So many bytes, or none.
    Length(u64),
    Chunked,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Version {
    #[default]
    Http11,
    Http10,
}

/// How far a head has come.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Head {
    /// Where the line in hand begins.
    at: usize,
    /// Up to where its end was looked for.
    sought: usize,
    lines: usize,
    version: Version,
    has_host: bool,
    is_chunked: bool,
    length: Option<u64>,
}

impl Head {
    /// Reads on in bytes that begin where the head does. Returns its length and what comes behind
    /// it, or `None` where it is not whole.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn read(
        &mut self,
        bytes: &[u8],
        limits: &Limits,
    ) -> Result<Option<(usize, Body)>, Fault> {
        while let Some(end) = self.line_end(bytes)? {
            if end + 2 > limits.head_bytes_max {
                return Err(Fault::HeadTooLong);
            }
            let line = &bytes[self.at..end];
            (self.at, self.sought) = (end + 2, end + 2);
            if self.lines == 0 {
                self.request_line(line, limits)?;
            } else if line.is_empty() {
                return self.body(limits).map(|body| Some((end + 2, body)));
            } else if self.lines > limits.headers_max {
                return Err(Fault::HeadersTooMany);
            } else {
                self.header(line)?;
            }
            self.lines += 1;
        }
        self.unfinished(bytes, limits).map(|()| None)
    }

    /// Where the line in hand ends: with the first control character but tabs, which must be CR
    /// and LF. So one look at each byte finds both ends and what must not be there.
    fn line_end(&mut self, bytes: &[u8]) -> Result<Option<usize>, Fault> {
        let end = control_at(bytes, self.sought);
        self.sought = end;
        match bytes.get(end..).unwrap_or_default() {
            [b'\r', b'\n', ..] => Ok(Some(end)),
            [] | [b'\r'] => Ok(None),
            [b'\r', ..] => Err(Fault::BareCr),
            [b'\n', ..] => Err(Fault::BareLf),
            [_, ..] => Err(Fault::Control),
        }
    }

    /// Looks at what came of a line: what cannot become any good is not waited for.
    fn unfinished(&self, bytes: &[u8], limits: &Limits) -> Result<(), Fault> {
        let is_first = self.lines == 0;
        if is_first && bytes.first().is_some_and(|byte| *byte != b'\r' && name_end(&[*byte]) == 0) {
            return Err(Fault::RequestLine);
        }
        if is_first && bytes.len() > limits.target_bytes_max + LINE_BESIDES_TARGET_MAX {
            return Err(Fault::TargetTooLong);
        }
        if bytes.len() >= limits.head_bytes_max { Err(Fault::HeadTooLong) } else { Ok(()) }
    }

    fn request_line(&mut self, line: &[u8], limits: &Limits) -> Result<(), Fault> {
        let (method @ [_, ..], [b' ', rest @ ..]) = line.split_at(name_end(line)) else {
            return Err(Fault::RequestLine);
        };
        let target = match rest.strip_suffix(b" HTTP/1.1") {
            Some(target) => target,
            None => self.other_version(rest)?,
        };
        if method == b"CONNECT" {
            return Err(Fault::Method);
        }
        judge_target(target, limits)
    }

    /// The target before a version that is not the usual one.
    fn other_version<'a>(&mut self, rest: &'a [u8]) -> Result<&'a [u8], Fault> {
        self.version = Version::Http10;
        if let Some(target) = rest.strip_suffix(b" HTTP/1.0") {
            return Ok(target);
        }
        let target_end = memchr(b' ', rest).ok_or(Fault::RequestLine)?;
        let is_version = rest[target_end + 1..].starts_with(b"HTTP/");
        Err(if is_version { Fault::Version } else { Fault::RequestLine })
    }

    fn header(&mut self, line: &[u8]) -> Result<(), Fault> {
        let (name, value) = match line.split_at(name_end(line)) {
            (name @ [_, ..], [b':', value @ ..]) => (name, value),
            ([], [b' ' | b'\t', ..]) => return Err(Fault::Fold),
            _ => return Err(Fault::HeaderName),
        };
        match name.len() {
            4 if is_named(name, b"host")? => {
                if self.has_host {
                    return Err(Fault::HostRepeated);
                }
                self.has_host = true;
                judge_host(value.trim_ascii())
            }
            6 if is_named(name, b"expect")? => {
                let is_known = value.trim_ascii().eq_ignore_ascii_case(b"100-continue");
                if is_known { Ok(()) } else { Err(Fault::Expect) }
            }
            14 if is_named(name, b"content-length")? => self.length(value.trim_ascii()),
            17 if is_named(name, b"transfer-encoding")? => self.encoding(value.trim_ascii()),
            _ => Ok(()),
        }
    }

    fn length(&mut self, value: &[u8]) -> Result<(), Fault> {
        let is_plain = matches!(value, [b'0'] | [b'1'..=b'9', ..]);
        let digits = std::str::from_utf8(value).ok().filter(|_| is_plain);
        let length = digits.and_then(|digits| digits.parse().ok()).ok_or(Fault::LengthMalformed)?;
        if self.is_chunked {
            return Err(Fault::LengthAndEncoding);
        }
        match self.length.replace(length) {
            Some(_) => Err(Fault::LengthRepeated),
            None => Ok(()),
        }
    }

    fn encoding(&mut self, value: &[u8]) -> Result<(), Fault> {
        if self.version == Version::Http10 {
            return Err(Fault::EncodingTooOld);
        }
        if self.length.is_some() {
            return Err(Fault::LengthAndEncoding);
        }
        if self.is_chunked {
            return Err(Fault::EncodingRepeated);
        }
        self.is_chunked = value.eq_ignore_ascii_case(b"chunked");
        if self.is_chunked { Ok(()) } else { Err(Fault::EncodingUnknown) }
    }

    /// What comes behind the head, now that all of it is known.
    fn body(&self, limits: &Limits) -> Result<Body, Fault> {
        if !self.has_host && self.version == Version::Http11 {
            return Err(Fault::HostMissing);
        }
        let length = self.length.unwrap_or_default();
        if length > limits.body_bytes_max {
            return Err(Fault::BodyTooLong);
        }
        Ok(if self.is_chunked { Body::Chunked } else { Body::Length(length) })
    }
}

/// More than a method, two spaces and a version need.
const LINE_BESIDES_TARGET_MAX: usize = 64;

/// What a byte may be part of.
const NAME: u8 = 1;
const PATH: u8 = 2;
const QUERY: u8 = 4;
const HOST: u8 = 8;
/// More than ASCII: in a target, where it is UTF-8.
const HIGH: u8 = 16;
const KINDS: [u8; 256] = kinds();

/// As the library's own tables have it: a name is a token (RFC 9110 §5.6.2), and paths and queries
/// take what browsers leave as it is.
const fn kinds() -> [u8; 256] {
    let mut kinds = [0; 256];
    let mut byte = 0_u8;
    loop {
        let is_word = byte.is_ascii_alphanumeric();
        let is_mark = matches!(byte, b'!' | b'$'..=b'\'' | b'*' | b'+' | b'-' | b'.' | b'_' | b'~');
        let mut kind = 0;
        if is_word || is_mark || matches!(byte, b'#' | b'^' | b'`' | b'|') {
            kind |= NAME;
        }
        if matches!(byte, b'!'..=b';' | b'=' | b'@'..=b'_' | b'a'..=b'~') && byte != b'#' {
            kind |= PATH;
        }
        if matches!(byte, b'!' | b'$'..=b';' | b'=' | b'?'..=b'~') {
            kind |= QUERY;
        }
        if is_word || matches!(byte, b'-' | b'.' | b'_' | b'~' | b':' | b'[' | b']') {
            kind |= HOST;
        }
        if !byte.is_ascii() {
            kind |= HIGH;
        }
        kinds[byte as usize] = kind;
        if byte == u8::MAX {
            return kinds;
        }
        byte += 1;
    }
}

/// What a byte is part of.
fn kinds_of(byte: u8) -> u8 {
    KINDS[usize::from(byte)]
}

/// Whether every byte is of one of some kinds.
fn all(bytes: &[u8], kinds: u8) -> bool {
    // Without an early end, which costs more than it saves.
    bytes.iter().fold(true, |all, byte| all & (kinds_of(*byte) & kinds != 0))
}

/// How long the name is with which a line begins.
fn name_end(line: &[u8]) -> usize {
    line.iter().take_while(|byte| kinds_of(**byte) & NAME != 0).count()
}

/// Whether a name is one by which requests are framed, in any case.
///
/// # Errors
/// A name that is it but for `_` in place of `-`: what stands in front may take it for the same.
fn is_named(name: &[u8], known: &[u8]) -> Result<bool, Fault> {
    let mut is_alike = false;
    for (byte, known) in name.iter().zip(known) {
        if byte.to_ascii_lowercase() != *known {
            if *byte != b'_' || *known != b'-' {
                return Ok(false);
            }
            is_alike = true;
        }
    }
    if is_alike { Err(Fault::HeaderAlike) } else { Ok(true) }
}

fn judge_target(target: &[u8], limits: &Limits) -> Result<(), Fault> {
    if target.len() > limits.target_bytes_max {
        return Err(Fault::TargetTooLong);
    }
    if target.first() != Some(&b'/') {
        let has_space = target.is_empty() || target.contains(&b' ');
        return Err(if has_space { Fault::RequestLine } else { Fault::TargetForm });
    }
    // Nearly all are plain paths.
    if target.iter().fold(PATH, |all, byte| all & kinds_of(*byte)) != 0 {
        return Ok(());
    }
    let path_end = memchr(b'?', target).unwrap_or(target.len());
    let (path, query) = target.split_at(path_end);
    let is_good = all(path, PATH | HIGH) && all(query, QUERY | HIGH);
    match () {
        () if target.contains(&b' ') => Err(Fault::RequestLine),
        () if is_good && std::str::from_utf8(target).is_ok() => Ok(()),
        () => Err(Fault::TargetByte),
    }
}

fn judge_host(host: &[u8]) -> Result<(), Fault> {
    let is_good = !host.is_empty() && all(host, HOST);
    if is_good { Ok(()) } else { Err(Fault::HostMalformed) }
}

/// Where the first control character but tabs stands, from a place on; the end where there is none.
/// By eight bytes, since all heads are looked at whole.
fn control_at(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(eight) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let found = controls(*eight);
        if found == 0 {
            at += 8;
            continue;
        }
        at += found.trailing_zeros() as usize / 8;
        if bytes[at] != b'\t' {
            return at;
        }
        at += 1;
    }
    while at < bytes.len() && (!bytes[at].is_ascii_control() || bytes[at] == b'\t') {
        at += 1;
    }
    at
}

/// A number whose lowest bit stands in the first of eight bytes that is below space, or 0x7f; 0
/// where there is none.
fn controls(eight: [u8; 8]) -> u64 {
    const ONES: u64 = u64::from_le_bytes([0x01; 8]);
    let eight = u64::from_le_bytes(eight);
    let below_space = eight.wrapping_sub(ONES * 0x20) & !eight;
    let or_delete = eight ^ (ONES * 0x7f);
    let is_delete = or_delete.wrapping_sub(ONES) & !or_delete;
    (below_space | is_delete) & (ONES * 0x80)
}

#[cfg(test)]
#[path = "head_tests.rs"]
mod tests;
