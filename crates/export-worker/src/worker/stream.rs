//! Body of an export response, read as it is received.

use js_sys::{ArrayBuffer, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{ReadableStream, ReadableStreamByobReader, ReadableStreamDefaultReader};

use super::{
    stop::{ExportControl, StopReason},
    worker_scope::with_timeout,
};

/// Maximum number of bytes of one read.
const READ_BYTES: u32 = 256 << 10;

/// Reader of a response body.
pub(super) enum BodyReader {
    /// Reads into one buffer, which moves to the browser and back with each read ("bring your own
    /// buffer"). With a new buffer for each read, an export of a million rows leaves a hundred
    /// megabytes for the garbage collector.
    Byob(ReadableStreamByobReader, Option<ArrayBuffer>),
    /// Reads into a new buffer each time, for browsers without BYOB readers.
    PlainReader(ReadableStreamDefaultReader),
}

impl BodyReader {
    /// Starts reading a body.
    pub(super) fn from_body(body: &ReadableStream) -> Self {
        // Fails if the body is not a byte stream, as in older browsers.
        match ReadableStreamByobReader::new(body) {
            Ok(reader) => Self::Byob(reader, Some(ArrayBuffer::new(READ_BYTES))),
            Err(_) => Self::PlainReader(body.get_reader().unchecked_into()),
        }
    }

    /// Returns the next bytes; `None` at the end of the body.
    ///
    /// # Errors
    /// [`StopReason::Truncated`] if the connection breaks; [`with_timeout`]'s error if it stalls.
    pub(super) async fn next_bytes(
        &mut self,
        control: &ExportControl,
    ) -> Result<Option<Vec<u8>>, StopReason> {
        let read = match self {
            Self::PlainReader(reader) => reader.read(),
            Self::Byob(reader, buffer) => {
                // It is missing after a failed read, because the browser keeps it.
                let buffer = buffer.take().unwrap_or_else(|| ArrayBuffer::new(READ_BYTES));
                reader.read_with_array_buffer_view(&Uint8Array::new(&buffer))
            }
        };
        let read = with_timeout(read, control).await?.map_err(|_| StopReason::Truncated)?;
        let member = |name: &str| Reflect::get(&read, &JsValue::from_str(name)).ok();
        let done = member("done").and_then(|done| done.as_bool());
        if done.ok_or(StopReason::Truncated)? {
            return Ok(None);
        }
        let bytes: Uint8Array = member("value").ok_or(StopReason::Truncated)?.unchecked_into();
        if let Self::Byob(_, buffer) = self {
            *buffer = Some(bytes.buffer());
        }
        Ok(Some(bytes.to_vec()))
    }
}

impl Drop for BodyReader {
    fn drop(&mut self) {
        // The rest of the body is not needed; after the end this has no effect.
        let cancelled = match self {
            Self::Byob(reader, _) => reader.cancel(),
            Self::PlainReader(reader) => reader.cancel(),
        };
        // Rejected after a broken connection, which `next_bytes` has reported.
        spawn_local(async move {
            let _ = JsFuture::from(cancelled).await;
        });
    }
}
