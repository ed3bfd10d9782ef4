//! Pipeline of an export: one task reads, one writes, and the body sends the bytes.
//!
//! The stages are joined by bounded channels, so that a slow client slows down the reading. No
//! database resource is in use while a stage waits. The body ends cleanly only after
//! [`Piece::End`]; if a task ends otherwise, the body ends with an error. Dropping the body stops
//! the tasks and the query.

use super::audit_entries::ExportAudit;
use super::{ExportSource, ExportWriter};
use axum::body::Body;
use bytes::Bytes;
use contract::FormId;
use futures_util::stream;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use store::Chunk;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::{JoinSet, spawn_blocking};

/// Bytes of submissions per read.
const CHUNK_BYTES: usize = 128 * 1024;
/// Maximum chunks that wait to be written, and pieces of the file that wait to be sent.
const AHEAD_MAX: usize = 2;

/// Message from the writer to the body.
enum Piece {
    Bytes(Bytes),
    /// The file is complete.
    End,
}

/// Returns the body of an export. `first` is its first chunk.
pub(super) fn export_body(
    source: ExportSource,
    first: Chunk,
    writer: ExportWriter,
    export_audit: ExportAudit,
) -> Body {
    let form = source.form().clone();
    let (chunks, to_write) = channel(AHEAD_MAX);
    let (spent, to_fill) = channel(AHEAD_MAX + 1);
    let (pieces, to_send) = channel(AHEAD_MAX);
    let mut tasks = JoinSet::new();
    tasks.spawn(read_chunks(source, first, chunks, to_fill));
    tasks.spawn(write_chunks(writer, to_write, spent, pieces, export_audit.row_counter()));
    // The state owns the tasks: they stop when the body is dropped.
    let begin = Some((form, to_send, tasks, export_audit));
    Body::from_stream(stream::try_unfold(begin, |state| async {
        let Some((form, mut to_send, tasks, noted)) = state else { return Ok(None) };
        match to_send.recv().await {
            Some(Ok(Piece::Bytes(bytes))) => Ok(Some((bytes, Some((form, to_send, tasks, noted))))),
            Some(Ok(Piece::End)) => {
                noted.complete();
                Ok(None)
            }
            Some(Err(error)) => Err(abort_export(&form, &error)),
            None => Err(abort_export(&form, &stopped_error("the writer"))),
        }
    }))
}

/// Reads chunk by chunk, until the last one or until the receiver is dropped.
async fn read_chunks(
    mut source: ExportSource,
    first: Chunk,
    chunks: Sender<io::Result<Chunk>>,
    mut to_fill: Receiver<Chunk>,
) {
    let mut chunk = first;
    loop {
        let is_last = source.is_finished();
        if chunks.send(Ok(chunk)).await.is_err() || is_last {
            return;
        }
        let spent = to_fill.try_recv().unwrap_or_default();
        chunk = match source.read_chunk(spent.with_size_limit(CHUNK_BYTES)).await {
            Ok(chunk) => chunk,
            Err(error) => {
                let _ = chunks.send(Err(io::Error::other(error))).await;
                return;
            }
        };
    }
}

/// Writes the chunks and sends the result. The receiver may be gone.
async fn write_chunks(
    writer: ExportWriter,
    to_write: Receiver<io::Result<Chunk>>,
    spent: Sender<Chunk>,
    pieces: Sender<io::Result<Piece>>,
    rows: Arc<AtomicU64>,
) {
    let ended = write_all(writer, to_write, spent, &pieces, &rows).await;
    let _ = pieces.send(ended.map(|()| Piece::End)).await;
}

async fn write_all(
    mut writer: ExportWriter,
    mut to_write: Receiver<io::Result<Chunk>>,
    spent: Sender<Chunk>,
    pieces: &Sender<io::Result<Piece>>,
    rows: &AtomicU64,
) -> io::Result<()> {
    loop {
        let chunk = to_write.recv().await.ok_or_else(|| stopped_error("the reader"))??;
        let is_last = chunk.next_position().is_none();
        let written = spawn_blocking(move || {
            let bytes = writer.write_chunk(&chunk)?;
            Ok::<_, io::Error>((writer, chunk, bytes))
        });
        let (back, chunk, bytes) = written.await.map_err(io::Error::other)??;
        writer = back;
        rows.fetch_add(chunk.iter().count() as u64, Ordering::Relaxed);
        // A surplus chunk is freed.
        let _ = spent.try_send(chunk);
        send_piece(pieces, bytes).await?;
        if is_last {
            return send_piece(pieces, writer.finish()).await;
        }
    }
}

/// Sends a piece unless it is empty.
async fn send_piece(pieces: &Sender<io::Result<Piece>>, bytes: Vec<u8>) -> io::Result<()> {
    if bytes.is_empty() {
        return Ok(());
    }
    let piece = Piece::Bytes(bytes.into());
    pieces.send(Ok(piece)).await.map_err(|_| stopped_error("the client"))
}

fn stopped_error(side: &str) -> io::Error {
    io::Error::other(format!("{side} stopped early"))
}

/// Logs why an export failed, and returns the error that ends the body.
fn abort_export(form: &FormId, error: &io::Error) -> io::Error {
    tracing::error!(%form, %error, "export failed");
    io::Error::other("the export failed")
}
