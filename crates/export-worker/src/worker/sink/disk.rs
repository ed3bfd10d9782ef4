//! File chosen by the user. The browser writes to a copy, which replaces the file when it is
//! closed. A commit therefore closes and reopens it, and is rare because this copies the file.

use js_sys::Promise;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    FileSystemCreateWritableOptions, FileSystemFileHandle, FileSystemWritableFileStream,
};

use crate::worker::scope::{float, since_ms};

/// Maximum size of a file that is cheap to copy, in bytes.
const SMALL_BYTES: u64 = 16 << 20;
/// Minimum interval between two copies of a small file, in milliseconds.
const SPACING_MS: u64 = 10_000;

pub(super) struct Disk {
    handle: FileSystemFileHandle,
    stream: FileSystemWritableFileStream,
    committed: u64,
    committed_ms: f64,
    /// Whether the stream has failed. It then accepts no more bytes.
    is_broken: bool,
}

impl Disk {
    pub(super) async fn open(handle: FileSystemFileHandle, bytes: u64) -> Result<Self, JsValue> {
        let stream = open(&handle, bytes).await?;
        let committed_ms = js_sys::Date::now();
        Ok(Self { handle, stream, committed: bytes, committed_ms, is_broken: false })
    }

    /// Returns whether a commit is due. All copies together cost about three times the file size.
    pub(super) fn is_due(&self, bytes: u64) -> bool {
        let grown = bytes - self.committed;
        let is_small = bytes <= SMALL_BYTES && since_ms(self.committed_ms) >= SPACING_MS;
        is_small || grown >= (self.committed / 2).max(SMALL_BYTES)
    }

    pub(super) async fn write(&mut self, bytes: &[u8]) -> Result<(), JsValue> {
        // Set during the operation, so that an early return or a dropped future leaves it set.
        self.is_broken = true;
        done(self.stream.write_with_u8_array(bytes)?).await?;
        self.is_broken = false;
        Ok(())
    }

    pub(super) async fn commit(&mut self, bytes: u64) -> Result<(), JsValue> {
        self.is_broken = true;
        done(self.stream.close()).await?;
        self.stream = open(&self.handle, bytes).await?;
        (self.committed, self.committed_ms) = (bytes, js_sys::Date::now());
        self.is_broken = false;
        Ok(())
    }

    pub(super) fn is_broken(&self) -> bool {
        self.is_broken
    }

    pub(super) async fn finish(self) -> Result<(), JsValue> {
        done(self.stream.close()).await
    }
}

async fn open(
    handle: &FileSystemFileHandle,
    bytes: u64,
) -> Result<FileSystemWritableFileStream, JsValue> {
    let options = FileSystemCreateWritableOptions::new();
    options.set_keep_existing_data(bytes > 0);
    let stream = JsFuture::from(handle.create_writable_with_options(&options)).await?;
    let stream: FileSystemWritableFileStream = stream.unchecked_into();
    if bytes > 0 {
        done(stream.truncate_with_f64(float(bytes))?).await?;
        done(stream.seek_with_f64(float(bytes))?).await?;
    }
    Ok(stream)
}

async fn done(promise: Promise) -> Result<(), JsValue> {
    JsFuture::from(promise).await.map(drop)
}
