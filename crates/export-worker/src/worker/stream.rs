//! The body of an export, as it comes.

use js_sys::{ArrayBuffer, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{ReadableStream, ReadableStreamByobReader, ReadableStreamDefaultReader};

use super::{
    scope::in_time,
    stop::{Control, Stop},
};

/// Most bytes of one read.
const READ_BYTES: u32 = 256 << 10;

/// What bytes are taken from, until they end.
pub(super) enum Stream {
    /// Into one buffer again and again, which goes to the browser and comes back with each read:
    /// else every read leaves one behind, and of an export of a million rows lie a hundred
    /// megabytes about before they are collected.
    Kept(ReadableStreamByobReader, Option<ArrayBuffer>),
    /// Into a new buffer each time, where the browser has no other way.
    New(ReadableStreamDefaultReader),
}

impl Stream {
    /// Begins to read a body.
    pub(super) fn of(body: &ReadableStream) -> Self {
        // Refused where the body is no stream of bytes, as in older browsers.
        match ReadableStreamByobReader::new(body) {
            Ok(reader) => Self::Kept(reader, Some(ArrayBuffer::new(READ_BYTES))),
            Err(_) => Self::New(body.get_reader().unchecked_into()),
        }
    }

    /// Returns the next bytes; `None` at the end.
    pub(super) async fn next(&mut self, control: &Control) -> Result<Option<Vec<u8>>, Stop> {
        let read = match self {
            Self::New(reader) => reader.read(),
            Self::Kept(reader, buffer) => {
                let buffer = buffer.take().unwrap_or_else(|| ArrayBuffer::new(READ_BYTES));
                reader.read_with_array_buffer_view(&Uint8Array::new(&buffer))
            }
        };
        let read = in_time(read, control).await?.map_err(|_| Stop::Cut)?;
        let member = |name: &str| Reflect::get(&read, &JsValue::from_str(name)).ok();
        if member("done").is_none_or(|done| done.is_truthy()) {
            return Ok(None);
        }
        let bytes: Uint8Array = member("value").ok_or(Stop::Cut)?.unchecked_into();
        if let Self::Kept(_, buffer) = self {
            *buffer = Some(bytes.buffer());
        }
        Ok(Some(bytes.to_vec()))
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // What is not read any more need not be sent; of one that has ended nothing is left.
        drop(match self {
            Self::Kept(reader, _) => reader.cancel(),
            Self::New(reader) => reader.cancel(),
        });
    }
}
