//! File chosen by the user. The browser writes to a copy, which replaces the file when it is
//! closed. A commit therefore closes the copy and opens a new one. It is rare, because the new one
//! copies the whole file.

use js_sys::Promise;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    FileSystemCreateWritableOptions, FileSystemFileHandle, FileSystemWritableFileStream,
};

use crate::worker::worker_scope::{since_ms, to_f64};

/// Maximum size of a file that is cheap to copy, in bytes.
const CHEAP_COPY_BYTES: u64 = 16 << 20;
/// Minimum interval between two commits of a file that is cheap to copy, in milliseconds.
const COPY_INTERVAL_MS: u64 = 10_000;

pub(super) struct ChosenFile {
    handle: FileSystemFileHandle,
    stream: FileSystemWritableFileStream,
    /// Size of the file at the last commit, in bytes.
    committed: u64,
    /// Time of the last commit, in milliseconds since 1970.
    committed_ms: f64,
    /// Whether the stream has failed. It then accepts no more bytes.
    is_broken: bool,
}

impl ChosenFile {
    /// Opens the file. Writes continue after its first `bytes` bytes; later ones are cut off.
    pub(super) async fn open(handle: FileSystemFileHandle, bytes: u64) -> Result<Self, JsValue> {
        let stream = open_stream(&handle, bytes).await?;
        let committed_ms = js_sys::Date::now();
        Ok(Self { handle, stream, committed: bytes, committed_ms, is_broken: false })
    }

    /// Returns whether a commit is due at a size of `bytes`. A large file is copied whenever it has
    /// grown by half, so all its copies together are about three times its final size.
    pub(super) fn is_due(&self, bytes: u64) -> bool {
        let new_bytes = bytes - self.committed;
        let is_small = bytes <= CHEAP_COPY_BYTES && since_ms(self.committed_ms) >= COPY_INTERVAL_MS;
        is_small || new_bytes >= (self.committed / 2).max(CHEAP_COPY_BYTES)
    }

    pub(super) async fn write(&mut self, bytes: &[u8]) -> Result<(), JsValue> {
        // Set during the operation, so that an early return or a dropped future leaves it set.
        self.is_broken = true;
        await_done(self.stream.write_with_u8_array(bytes)?).await?;
        self.is_broken = false;
        Ok(())
    }

    /// Replaces the file with the copy, which has `bytes` bytes, and opens a new copy.
    pub(super) async fn commit(&mut self, bytes: u64) -> Result<(), JsValue> {
        // See `write`.
        self.is_broken = true;
        await_done(self.stream.close()).await?;
        self.stream = open_stream(&self.handle, bytes).await?;
        (self.committed, self.committed_ms) = (bytes, js_sys::Date::now());
        self.is_broken = false;
        Ok(())
    }

    /// Returns whether the copy is lost. The file itself is as of the last commit.
    pub(super) fn is_broken(&self) -> bool {
        self.is_broken
    }

    /// Replaces the file with the copy.
    pub(super) async fn finish(self) -> Result<(), JsValue> {
        await_done(self.stream.close()).await
    }
}

async fn open_stream(
    handle: &FileSystemFileHandle,
    bytes: u64,
) -> Result<FileSystemWritableFileStream, JsValue> {
    let options = FileSystemCreateWritableOptions::new();
    options.set_keep_existing_data(bytes > 0);
    let stream = JsFuture::from(handle.create_writable_with_options(&options)).await?;
    let stream: FileSystemWritableFileStream = stream.unchecked_into();
    if bytes > 0 {
        await_done(stream.truncate_with_f64(to_f64(bytes))?).await?;
        await_done(stream.seek_with_f64(to_f64(bytes))?).await?;
    }
    Ok(stream)
}

async fn await_done(promise: Promise) -> Result<(), JsValue> {
    JsFuture::from(promise).await.map(drop)
}
