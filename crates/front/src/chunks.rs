//! A body in chunks (RFC 9112 §7.1), byte by byte: sizes, extensions, ends. It keeps no bytes.

use crate::fault::Fault;

/// Most digits of a chunk's size. Eight hold every size that any limit allows.
const DIGITS_MAX: u8 = 8;
/// Longest extension of one chunk, in bytes: nobody uses any, but they are allowed.
const EXTENSION_BYTES_MAX: u16 = 64;
/// Most bytes of all extensions of a body.
const EXTENSIONS_BYTES_MAX: u16 = 1024;

/// How far a body in chunks has come.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chunks {
    step: Step,
    /// What the body may still have on the wire, in bytes.
    room: u64,
    extensions: u16,
}

#[derive(Debug, Clone, Copy)]
enum Step {
    Size { value: u64, digits: u8 },
    Extension { value: u64, bytes: u16 },
    SizeLf { value: u64 },
    Data { rest: u64 },
    DataCr,
    DataLf,
    EndCr,
    EndLf,
}

const BEGIN: Step = Step::Size { value: 0, digits: 0 };

impl Chunks {
    /// Begins a body that may have so many bytes on the wire.
    pub(crate) fn new(room: u64) -> Self {
        Self { step: BEGIN, room, extensions: 0 }
    }

    /// Reads on. Returns how many bytes belong to the body, and whether it is whole; it is not
    /// whole only where all bytes were taken.
    ///
    /// # Errors
    /// What is wrong with the chunks.
    pub(crate) fn read(&mut self, bytes: &[u8]) -> Result<(usize, bool), Fault> {
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            if let Step::Data { rest } = &mut self.step {
                let taken = usize::try_from(*rest).map_or(bytes.len(), |rest| at + rest);
                let end = taken.min(bytes.len());
                *rest -= (end - at) as u64;
                self.spend((end - at) as u64)?;
                at = end;
                if matches!(self.step, Step::Data { rest: 0 }) {
                    self.step = Step::DataCr;
                }
                continue;
            }
            at += 1;
            self.spend(1)?;
            match self.next(*byte)? {
                Some(step) => self.step = step,
                None => return Ok((at, true)),
            }
        }
        Ok((at, false))
    }

    fn spend(&mut self, bytes: u64) -> Result<(), Fault> {
        self.room = self.room.checked_sub(bytes).ok_or(Fault::BodyTooLong)?;
        Ok(())
    }

    /// The step after a byte that is no data; `None` behind the body's last one.
    fn next(&mut self, byte: u8) -> Result<Option<Step>, Fault> {
        let step = match (self.step, byte) {
            (Step::Size { value, digits: 1.. } | Step::Extension { value, .. }, b'\r') => {
                Step::SizeLf { value }
            }
            (Step::Size { value, digits: 1.. }, b';') => Step::Extension { value, bytes: 0 },
            (Step::Size { value, digits }, digit) => {
                let of_16 = char::from(digit).to_digit(16).filter(|_| digits < DIGITS_MAX);
                let value = value * 16 + u64::from(of_16.ok_or(Fault::ChunkSize)?);
                Step::Size { value, digits: digits + 1 }
            }
            (Step::Extension { value, bytes }, b'\t' | b' '..=b'~') => {
                self.extensions += 1;
                if bytes == EXTENSION_BYTES_MAX || self.extensions > EXTENSIONS_BYTES_MAX {
                    return Err(Fault::ChunkExtension);
                }
                Step::Extension { value, bytes: bytes + 1 }
            }
            (Step::Extension { .. }, _) => return Err(Fault::ChunkExtension),
            (Step::SizeLf { value: 0 }, b'\n') => Step::EndCr,
            (Step::SizeLf { value }, b'\n') if value > self.room => return Err(Fault::BodyTooLong),
            (Step::SizeLf { value }, b'\n') => Step::Data { rest: value },
            (Step::SizeLf { .. }, _) => return Err(Fault::ChunkSize),
            (Step::DataCr, b'\r') => Step::DataLf,
            (Step::DataLf, b'\n') => BEGIN,
            (Step::DataCr | Step::DataLf, _) => return Err(Fault::ChunkEnd),
            (Step::EndCr, b'\r') => Step::EndLf,
            (Step::EndLf, b'\n') => return Ok(None),
            (Step::EndCr | Step::EndLf, _) => return Err(Fault::Trailer),
            (Step::Data { .. }, _) => self.step,
        };
        Ok(Some(step))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a body whole, and by single bytes, which must be the same.
    #[track_caller]
    fn check(body: &str, expect: Result<(usize, bool), Fault>) {
        assert_eq!(Chunks::new(4096).read(body.as_bytes()), expect, "{body:?}");
        let mut chunks = Chunks::new(4096);
        let mut end = Ok((0, false));
        for (at, byte) in body.bytes().enumerate() {
            end = chunks.read(&[byte]).map(|(_, whole)| (at + 1, whole));
            if !matches!(end, Ok((_, false))) {
                break;
            }
        }
        assert_eq!(end, expect, "{body:?}, byte by byte");
    }

    #[test]
    fn chunks_are_read_to_their_end_and_no_further() {
        check("0\r\n\r\n", Ok((5, true)));
        check("3\r\nabc\r\n0\r\n\r\nGET", Ok((13, true)));
        check("0000000A\r\n0123456789\r\n00\r\n\r\n", Ok((28, true)));
        check("10\r\n0123456789abcdef\r\n0\r\n\r\n", Ok((27, true)));
        check("3;a=b\r\nabc\r\n0;x\r\n\r\n", Ok((19, true)));
        check("3\r\nab", Ok((5, false)));
        check("", Ok((0, false)));
    }

    #[test]
    fn what_others_read_otherwise_is_refused() {
        for odd in
            ["\r\n", "0x3\r\n", "+3\r\n", "-3\r\n", " 3\r\n", "3 \r\n", "g\r\n", "3\n", "3\rx"]
        {
            check(odd, Err(Fault::ChunkSize));
        }
        check("000000003\r\n", Err(Fault::ChunkSize));
        check("ffffffffffffffff3\r\n", Err(Fault::ChunkSize));
        check("3\r\nabcd\r\n", Err(Fault::ChunkEnd));
        check("3\r\nabc\n", Err(Fault::ChunkEnd));
        check("3\r\nabc\rx", Err(Fault::ChunkEnd));
        check("0\r\nx: y\r\n\r\n", Err(Fault::Trailer));
        check("0\r\n\n", Err(Fault::Trailer));
        check("0\r\n\rx", Err(Fault::Trailer));
        check("3;a\nb\r\n", Err(Fault::ChunkExtension));
        check("3;a\0\r\n", Err(Fault::ChunkExtension));
    }

    #[test]
    fn each_length_has_its_limit() {
        let extension = |bytes: usize| format!("1;{}\r\na\r\n", "x".repeat(bytes));
        check(&extension(64), Ok((66 + 2 + 3, false)));
        check(&extension(65), Err(Fault::ChunkExtension));
        check(&extension(64).repeat(16), Ok((71 * 16, false)));
        check(&extension(64).repeat(17), Err(Fault::ChunkExtension));
        check("1000\r\n", Err(Fault::BodyTooLong));
        check("ffffffff\r\n", Err(Fault::BodyTooLong));
        check(&"1\r\na\r\n".repeat(683), Err(Fault::BodyTooLong));
    }
}
