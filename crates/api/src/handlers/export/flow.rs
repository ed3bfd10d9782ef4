//! Pipeline of an export: one task reads, one writes, and the body sends the bytes.
//!
//! The stages are joined by bounded channels, so that a slow client slows down the reading. No
//! database resource is in use while a stage waits. The body ends cleanly only after
//! [`Piece::End`]; if a task ends otherwise, the body ends with an error. Dropping the body stops
//! the tasks and the query.

use super::noted::Noted;
use super::{Source, Writer};
use axum::body::Body;
use bytes::Bytes;
use contract::FormId;
use futures_util::stream;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use store::Portion;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::{JoinSet, spawn_blocking};

/// Bytes of submissions per read.
const PORTION_BYTES: usize = 128 * 1024;
/// Maximum chunks that wait to be written, and pieces of the file that wait to be sent.
const AHEAD_MAX: usize = 2;

/// Message from the writer to the body.
enum Piece {
    Bytes(Bytes),
    /// The file is complete.
    End,
}

/// Returns the body of an export. `first` is its first chunk.
pub(super) fn body(source: Source, first: Portion, writer: Writer, noted: Noted) -> Body {
    let form = source.form.clone();
    let (portions, to_write) = channel(AHEAD_MAX);
    let (spent, to_fill) = channel(AHEAD_MAX + 1);
    let (pieces, to_send) = channel(AHEAD_MAX);
    let mut tasks = JoinSet::new();
    tasks.spawn(read(source, first, portions, to_fill));
    tasks.spawn(write(writer, to_write, spent, pieces, noted.rows()));
    // The state owns the tasks: they stop when the body is dropped.
    let begin = Some((form, to_send, tasks, noted));
    Body::from_stream(stream::try_unfold(begin, |state| async {
        let Some((form, mut to_send, tasks, noted)) = state else { return Ok(None) };
        match to_send.recv().await {
            Some(Ok(Piece::Bytes(bytes))) => Ok(Some((bytes, Some((form, to_send, tasks, noted))))),
            Some(Ok(Piece::End)) => {
                noted.end();
                Ok(None)
            }
            Some(Err(error)) => Err(broken_off(&form, &error)),
            None => Err(broken_off(&form, &gone("the writer"))),
        }
    }))
}

/// Reads chunk by chunk, until the last one or until the receiver is dropped.
async fn read(
    mut source: Source,
    first: Portion,
    portions: Sender<io::Result<Portion>>,
    mut to_fill: Receiver<Portion>,
) {
    let mut portion = first;
    loop {
        let is_last = source.behind.is_none();
        if portions.send(Ok(portion)).await.is_err() || is_last {
            return;
        }
        let spent = to_fill.try_recv().unwrap_or_default();
        portion = match source.read(spent.with_room(PORTION_BYTES)).await {
            Ok(portion) => portion,
            Err(error) => {
                let _ = portions.send(Err(io::Error::other(error))).await;
                return;
            }
        };
    }
}

/// Writes the chunks and sends the result. The receiver may be gone.
async fn write(
    writer: Writer,
    to_write: Receiver<io::Result<Portion>>,
    spent: Sender<Portion>,
    pieces: Sender<io::Result<Piece>>,
    rows: Arc<AtomicU64>,
) {
    let ended = write_all(writer, to_write, spent, &pieces, &rows).await;
    let _ = pieces.send(ended.map(|()| Piece::End)).await;
}

async fn write_all(
    mut writer: Writer,
    mut to_write: Receiver<io::Result<Portion>>,
    spent: Sender<Portion>,
    pieces: &Sender<io::Result<Piece>>,
    rows: &AtomicU64,
) -> io::Result<()> {
    loop {
        let portion = to_write.recv().await.ok_or_else(|| gone("the reader"))??;
        let is_last = portion.next().is_none();
        let written = spawn_blocking(move || {
            let bytes = writer.write(&portion)?;
            Ok::<_, io::Error>((writer, portion, bytes))
        });
        let (back, portion, bytes) = written.await.map_err(io::Error::other)??;
        writer = back;
        rows.fetch_add(portion.iter().count() as u64, Ordering::Relaxed);
        // A surplus chunk is freed.
        let _ = spent.try_send(portion);
        send(pieces, bytes).await?;
        if is_last {
            return send(pieces, writer.finish()).await;
        }
    }
}

/// Sends a piece unless it is empty.
async fn send(pieces: &Sender<io::Result<Piece>>, bytes: Vec<u8>) -> io::Result<()> {
    if bytes.is_empty() {
        return Ok(());
    }
    let piece = Piece::Bytes(bytes.into());
    pieces.send(Ok(piece)).await.map_err(|_| gone("the client"))
}

fn gone(who: &str) -> io::Error {
    io::Error::other(format!("{who} stopped early"))
}

/// Logs why an export failed, and returns the error that ends the body.
fn broken_off(form: &FormId, error: &io::Error) -> io::Error {
    tracing::error!(%form, %error, "export failed");
    io::Error::other("the export failed")
}
