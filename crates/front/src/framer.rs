//! Where requests begin and end on a connection, strictly. Pure: bytes in, a judgement out.

use crate::chunks::Chunks;
use crate::fault::Fault;
use crate::head::{Body, Head};
use crate::limits::Limits;

/// Reads requests, one behind the other.
#[derive(Debug)]
pub struct Framer {
    limits: Limits,
    part: Part,
    requests: u64,
}

#[derive(Debug)]
enum Part {
    Head(Head),
    Length(u64),
    Chunks(Chunks),
}

/// The end: a request that is refused, behind which nothing is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stop {
    /// What is wrong.
    pub fault: Fault,
    /// How many of the bytes are good: those before the request, and none of its own.
    pub good: usize,
    /// Whether a part of the request was called good before.
    pub is_begun: bool,
}

impl Framer {
    /// Begins where a connection does.
    pub fn new(limits: Limits) -> Self {
        Self { limits, part: Part::Head(Head::default()), requests: 0 }
    }

    /// Reads on. Returns how many bytes are good: whole heads, and what is there of bodies. What
    /// remains is the begin of a head, and must be given again with more behind it.
    ///
    /// # Errors
    /// A request that is refused. Nothing may be read behind it.
    pub fn read(&mut self, bytes: &[u8]) -> Result<usize, Stop> {
        let (mut at, mut begin) = (0, None);
        while at < bytes.len() {
            let rest = &bytes[at..];
            match &mut self.part {
                Part::Head(head) => match head.read(rest, &self.limits) {
                    Ok(None) => break,
                    Ok(Some((length, body))) => {
                        begin = Some(at);
                        at += length;
                        self.part = self.behind(body);
                        self.requests += 1;
                    }
                    Err(fault) => return Err(Stop { fault, good: at, is_begun: false }),
                },
                Part::Length(length) => {
                    let taken = usize::try_from(*length).map_or(rest.len(), |n| n.min(rest.len()));
                    *length -= taken as u64;
                    at += taken;
                    if *length == 0 {
                        self.part = Part::Head(Head::default());
                    }
                }
                Part::Chunks(chunks) => match chunks.read(rest) {
                    Ok((taken, is_whole)) => {
                        at += taken;
                        if is_whole {
                            self.part = Part::Head(Head::default());
                        }
                    }
                    Err(fault) => {
                        let (good, is_begun) = (begin.unwrap_or_default(), begin.is_none());
                        return Err(Stop { fault, good, is_begun });
                    }
                },
            }
        }
        Ok(at)
    }

    /// Whether more is to come of a request that was begun.
    pub fn is_within_body(&self) -> bool {
        !matches!(self.part, Part::Head(_))
    }

    /// How many heads were called good.
    pub fn requests(&self) -> u64 {
        self.requests
    }

    fn behind(&self, body: Body) -> Part {
        match body {
            Body::Length(0) => Part::Head(Head::default()),
            Body::Length(length) => Part::Length(length),
            Body::Chunked => Part::Chunks(Chunks::new(self.limits.body_bytes_max)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GET: &str = "GET / HTTP/1.1\r\nhost: x\r\n\r\n";
    const POST: &str = "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\n\r\nabc";
    const CHUNKS: &str =
        "POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n";

    fn read(bytes: &str) -> Result<usize, Stop> {
        Framer::new(Limits::USUAL).read(bytes.as_bytes())
    }

    #[test]
    fn whole_heads_and_what_is_there_of_bodies_are_good() {
        let all = [GET, POST, CHUNKS, "0\r\n\r\n", GET].concat();
        assert_eq!(read(&all), Ok(all.len()));
        assert_eq!(read(&all[..all.len() - 1]), Ok(all.len() - GET.len()));
        assert_eq!(read(CHUNKS), Ok(CHUNKS.len()));
        assert_eq!(read(&GET[..9]), Ok(0));
    }

    #[test]
    fn a_request_is_refused_whole_where_nothing_of_it_was_called_good() {
        let bad = [CHUNKS, "x"].concat();
        let stop = Stop { fault: Fault::ChunkSize, good: 0, is_begun: false };
        assert_eq!(read(&bad), Err(stop));
        assert_eq!(read(&[POST, &bad].concat()), Err(Stop { good: POST.len(), ..stop }));
        let mut framer = Framer::new(Limits::USUAL);
        assert_eq!(framer.read(CHUNKS.as_bytes()), Ok(CHUNKS.len()));
        assert!(framer.is_within_body());
        assert_eq!(framer.read(b"x"), Err(Stop { is_begun: true, ..stop }));
    }

    /// Clients of some libraries offer another protocol, or send a body, with every request. A server
    /// may ignore the offer (RFC 9110, section 7.8), and such a body means nothing (section 9.3.1).
    #[test]
    fn offer_of_another_protocol_and_a_body_of_any_method_are_good() {
        let offer = "GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade, http2-settings\r\n\
                     upgrade: h2c\r\nhttp2-settings: AAEAAEAA\r\n\r\n";
        let length = "GET / HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}";
        let chunks = "DELETE / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n\
                      0\r\n\r\n";
        let all = [offer, length, chunks, GET].concat();
        let mut framer = Framer::new(Limits::USUAL);
        assert_eq!(framer.read(all.as_bytes()), Ok(all.len()));
        assert_eq!(framer.requests(), 4);
    }

    /// Pieces of any size give what the whole gives.
    #[test]
    fn a_cut_changes_nothing() {
        let all = [GET, POST, CHUNKS, "a;x\r\n0123456789\r\n0\r\n\r\n", GET].concat();
        for size in 1..all.len() {
            let (mut framer, mut held, mut good) = (Framer::new(Limits::USUAL), Vec::new(), 0);
            for piece in all.as_bytes().chunks(size) {
                held.extend_from_slice(piece);
                let taken = framer.read(&held).unwrap();
                held.drain(..taken);
                good += taken;
            }
            assert_eq!((good, held.len()), (all.len(), 0), "by {size}");
        }
    }
}
