//! Destination of a file's bytes: a file chosen by the user, the origin private file system, or
//! blobs. Only the current chunk is buffered.

mod disk;
mod memory;
mod origin;

pub(super) use origin::remove;

use export_worker::task::{Failure, Unwritable};
use web_sys::{Blob, FileSystemFileHandle};

use disk::Disk;
use memory::Memory;
use origin::Origin;

/// Number of bytes that are buffered before they are written.
const PIECE_BYTES: usize = 256 << 10;

/// Destination of one file.
pub(super) struct Sink {
    target: Target,
    piece: Vec<u8>,
    /// Number of bytes so far, including the buffer.
    bytes: u64,
}

enum Target {
    Disk(Disk),
    Origin(Origin),
    Memory(Memory),
}

/// Returns the failure for a browser that refuses to write.
fn full(what: impl std::fmt::Debug) -> Failure {
    Failure::Unwritable(Unwritable::Refused(js_text(&format!("{what:?}"))))
}

fn js_text(text: &str) -> String {
    text.trim_start_matches("JsValue(").trim_end_matches(')').chars().take(200).collect()
}

impl Sink {
    /// Opens the chosen file, or a file in the origin private file system, or else blobs. Continues
    /// after the first `bytes` bytes of an existing file.
    pub(super) async fn open(
        handle: Option<&FileSystemFileHandle>,
        name: &str,
        bytes: u64,
    ) -> Result<Self, Failure> {
        let target = if let Some(handle) = handle {
            Target::Disk(Disk::open(handle.clone(), bytes).await.map_err(full)?)
        } else {
            match Origin::open(name, bytes).await {
                Ok(origin) => Target::Origin(origin),
                Err(error) if bytes > 0 => return Err(full(error)),
                Err(_) => Target::Memory(Memory::default()),
            }
        };
        Ok(Self { target, piece: Vec::new(), bytes })
    }

    /// Returns the number of bytes so far.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns whether the content outlives the worker.
    pub(super) fn lasts(&self) -> bool {
        !matches!(self.target, Target::Memory(_))
    }

    /// Returns whether it accepts no more bytes, and must be reopened at the last commit.
    pub(super) fn is_broken(&self) -> bool {
        matches!(&self.target, Target::Disk(disk) if disk.is_broken())
    }

    /// Returns whether a commit is worth its cost, which may be a copy of the file.
    pub(super) fn is_due(&self) -> bool {
        match &self.target {
            Target::Disk(disk) => disk.is_due(self.bytes),
            Target::Origin(_) => true,
            Target::Memory(_) => false,
        }
    }

    /// Appends bytes.
    pub(super) async fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.bytes += bytes.len() as u64;
        self.piece.extend_from_slice(bytes);
        if self.piece.len() >= PIECE_BYTES { self.flush().await } else { Ok(()) }
    }

    async fn flush(&mut self) -> Result<(), Failure> {
        if !self.piece.is_empty() {
            match &mut self.target {
                Target::Disk(disk) => disk.write(&self.piece).await,
                Target::Origin(origin) => origin.write(&self.piece),
                Target::Memory(memory) => memory.write(&self.piece),
            }
            .map_err(full)?;
            self.piece.clear();
        }
        Ok(())
    }

    /// Commits the bytes so far, so that they outlive the worker.
    pub(super) async fn commit(&mut self) -> Result<(), Failure> {
        self.flush().await?;
        match &mut self.target {
            Target::Disk(disk) => disk.commit(self.bytes).await.map_err(full),
            Target::Origin(origin) => origin.commit().map_err(full),
            Target::Memory(_) => Ok(()),
        }
    }

    /// Closes the file. Returns it, unless it is at a location that the user chose.
    pub(super) async fn finish(mut self, media_type: &str) -> Result<Option<Blob>, Failure> {
        self.flush().await?;
        match self.target {
            Target::Disk(disk) => disk.finish().await.map(|()| None).map_err(full),
            Target::Origin(origin) => origin.finish(media_type).await.map(Some).map_err(full),
            Target::Memory(memory) => memory.finish(media_type).map(Some).map_err(full),
        }
    }
}
