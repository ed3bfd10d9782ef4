//! Destination of a file's bytes: a file chosen by the user, the origin private file system, or
//! blobs. Only the current chunk is buffered.

mod blobs;
mod chosen_file;
mod opfs;

pub(super) use opfs::remove_file;

use export_worker::task::{Failure, Unwritable};
use web_sys::{Blob, FileSystemFileHandle};

use blobs::BlobList;
use chosen_file::ChosenFile;
use opfs::OpfsFile;

/// Number of bytes that are buffered before they are written.
const CHUNK_BYTES: usize = 256 << 10;

/// Destination of one file.
pub(super) struct OutputSink {
    target: Target,
    chunk: Vec<u8>,
    /// Number of bytes so far, including the buffer.
    bytes: u64,
}

enum Target {
    ChosenFile(ChosenFile),
    Opfs(OpfsFile),
    Blobs(BlobList),
}

/// Returns the failure for a browser that refuses to write.
fn write_failure(error: impl std::fmt::Debug) -> Failure {
    Failure::Unwritable(Unwritable::Refused(js_text(&format!("{error:?}"))))
}

fn js_text(text: &str) -> String {
    text.trim_start_matches("JsValue(").trim_end_matches(')').chars().take(200).collect()
}

impl OutputSink {
    /// Opens the chosen file, or a file in the origin private file system, or else blobs. Continues
    /// after the first `bytes` bytes of an existing file.
    pub(super) async fn open(
        handle: Option<&FileSystemFileHandle>,
        name: &str,
        bytes: u64,
    ) -> Result<Self, Failure> {
        let target = if let Some(handle) = handle {
            Target::ChosenFile(
                ChosenFile::open(handle.clone(), bytes).await.map_err(write_failure)?,
            )
        } else {
            match OpfsFile::open(name, bytes).await {
                Ok(origin) => Target::Opfs(origin),
                Err(error) if bytes > 0 => return Err(write_failure(error)),
                Err(_) => Target::Blobs(BlobList::default()),
            }
        };
        Ok(Self { target, chunk: Vec::new(), bytes })
    }

    /// Returns the number of bytes so far.
    pub(super) fn byte_count(&self) -> u64 {
        self.bytes
    }

    /// Returns whether the content outlives the worker.
    pub(super) fn is_persistent(&self) -> bool {
        !matches!(self.target, Target::Blobs(_))
    }

    /// Returns whether it accepts no more bytes, and must be reopened at the last commit.
    pub(super) fn is_broken(&self) -> bool {
        matches!(&self.target, Target::ChosenFile(disk) if disk.is_broken())
    }

    /// Returns whether a commit is worth its cost, which may be a copy of the file.
    pub(super) fn is_commit_due(&self) -> bool {
        match &self.target {
            Target::ChosenFile(disk) => disk.is_due(self.bytes),
            Target::Opfs(_) => true,
            Target::Blobs(_) => false,
        }
    }

    /// Appends bytes.
    pub(super) async fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.bytes += bytes.len() as u64;
        self.chunk.extend_from_slice(bytes);
        if self.chunk.len() >= CHUNK_BYTES { self.flush().await } else { Ok(()) }
    }

    async fn flush(&mut self) -> Result<(), Failure> {
        if !self.chunk.is_empty() {
            match &mut self.target {
                Target::ChosenFile(disk) => disk.write(&self.chunk).await,
                Target::Opfs(origin) => origin.write(&self.chunk),
                Target::Blobs(memory) => memory.write(&self.chunk),
            }
            .map_err(write_failure)?;
            self.chunk.clear();
        }
        Ok(())
    }

    /// Commits the bytes so far, so that they outlive the worker.
    pub(super) async fn commit(&mut self) -> Result<(), Failure> {
        self.flush().await?;
        match &mut self.target {
            Target::ChosenFile(disk) => disk.commit(self.bytes).await.map_err(write_failure),
            Target::Opfs(origin) => origin.commit().map_err(write_failure),
            Target::Blobs(_) => Ok(()),
        }
    }

    /// Closes the file. Returns it, unless it is at a location that the user chose.
    pub(super) async fn finish(mut self, media_type: &str) -> Result<Option<Blob>, Failure> {
        self.flush().await?;
        match self.target {
            Target::ChosenFile(disk) => disk.finish().await.map(|()| None).map_err(write_failure),
            Target::Opfs(origin) => {
                origin.finish(media_type).await.map(Some).map_err(write_failure)
            }
            Target::Blobs(memory) => memory.finish(media_type).map(Some).map_err(write_failure),
        }
    }
}
