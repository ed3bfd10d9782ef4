//! File in the origin private file system. It survives a reload, and becomes a download when it is
//! complete.

use js_sys::Array;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    Blob, FileSystemDirectoryHandle, FileSystemFileHandle, FileSystemGetDirectoryOptions,
    FileSystemGetFileOptions, FileSystemReadWriteOptions, FileSystemSyncAccessHandle,
};

use export_worker::EXPORT_FOLDER;

use super::{
    super::worker_scope::{to_f64, truncate_to_u64, worker_scope},
    blobs::join_blobs,
};

/// An open file. It cannot be opened a second time meanwhile, because the access handle locks it.
pub(super) struct OpfsFile {
    handle: FileSystemFileHandle,
    file: FileSystemSyncAccessHandle,
    /// Number of bytes so far; the next write begins here.
    position: u64,
}

/// Returns the folder of all exports. Fails if the browser has no origin private file system:
/// outside of a secure context, in some private windows, in old browsers.
async fn open_export_folder() -> Result<FileSystemDirectoryHandle, JsValue> {
    if !js_sys::Reflect::get(&worker_scope(), &"isSecureContext".into())?.is_truthy() {
        return Err(JsValue::from_str("the page is not a secure context"));
    }
    let root = JsFuture::from(worker_scope().navigator().storage().get_directory()).await?;
    let options = FileSystemGetDirectoryOptions::new();
    options.set_create(true);
    let root: FileSystemDirectoryHandle = root.unchecked_into();
    let folder =
        JsFuture::from(root.get_directory_handle_with_options(EXPORT_FOLDER, &options)).await?;
    Ok(folder.unchecked_into())
}

/// Removes a file. Fails if it does not exist or is open.
pub(crate) async fn remove_file(name: &str) -> Result<(), JsValue> {
    JsFuture::from(open_export_folder().await?.remove_entry(name)).await.map(drop)
}

impl OpfsFile {
    /// Opens or creates a file, and cuts it after its first `bytes` bytes. Fails if it is shorter.
    pub(super) async fn open(name: &str, bytes: u64) -> Result<Self, JsValue> {
        let options = FileSystemGetFileOptions::new();
        options.set_create(true);
        let folder = open_export_folder().await?;
        let handle = JsFuture::from(folder.get_file_handle_with_options(name, &options)).await?;
        let handle: FileSystemFileHandle = handle.unchecked_into();
        let file = JsFuture::from(handle.create_sync_access_handle()).await?;
        let file: FileSystemSyncAccessHandle = file.unchecked_into();
        if truncate_to_u64(file.get_size()?) < bytes {
            file.close();
            return Err(JsValue::from_str("the file is shorter than its saved state"));
        }
        file.truncate_with_f64(to_f64(bytes))?;
        Ok(Self { handle, file, position: bytes })
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<(), JsValue> {
        let options = FileSystemReadWriteOptions::new();
        options.set_at_f64(to_f64(self.position));
        let written = self.file.write_with_u8_array_and_options(bytes, &options)?;
        if truncate_to_u64(written) < bytes.len() as u64 {
            return Err(JsValue::from_str("the disk quota is used up"));
        }
        self.position += bytes.len() as u64;
        Ok(())
    }

    /// Writes to the disk, so that a later [`OpfsFile::open`] finds all bytes so far.
    pub(super) fn commit(&self) -> Result<(), JsValue> {
        self.file.flush()
    }

    /// Closes the file and returns it for a download.
    pub(super) async fn finish(self, media_type: &str) -> Result<Blob, JsValue> {
        self.file.flush()?;
        self.file.close();
        let file = JsFuture::from(self.handle.get_file()).await?;
        join_blobs(&Array::of1(&file), media_type)
    }
}

impl Drop for OpfsFile {
    fn drop(&mut self) {
        // A file that is left open cannot be opened again. Closing twice has no effect.
        self.file.close();
    }
}
