//! The flow of an export: one task reads, one writes, and the body hands over what was written.
//!
//! Each is a little ahead of the next and then waits, so a slow client slows the reading. Nothing
//! of the database is held while anybody waits. The body ends cleanly only where the writer said
//! that this is the end; whatever else ends the tasks breaks it off. When the body is dropped, so
//! are the tasks, and with them the query.

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

/// Submissions of so many bytes are read at once.
const PORTION_BYTES: usize = 128 * 1024;
/// So many portions may wait to be written, and so many pieces of the file to be sent.
const AHEAD_MAX: usize = 2;

/// What goes from the writer to the body.
enum Piece {
    Bytes(Bytes),
    /// The file is whole.
    End,
}

/// Returns the body of an export, of which the first portion was read.
pub(super) fn body(source: Source, first: Portion, writer: Writer, noted: Noted) -> Body {
    let form = source.form.clone();
    let (portions, to_write) = channel(AHEAD_MAX);
    let (spent, to_fill) = channel(AHEAD_MAX + 1);
    let (pieces, to_send) = channel(AHEAD_MAX);
    let mut tasks = JoinSet::new();
    tasks.spawn(read(source, first, portions, to_fill));
    tasks.spawn(write(writer, to_write, spent, pieces, noted.rows()));
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

/// Reads portion by portion, until the last or until nobody wants another.
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

/// Writes what was read, and says how it ended. Whoever would hear of it may be gone.
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
        // One too many is freed.
        let _ = spent.try_send(portion);
        send(pieces, bytes).await?;
        if is_last {
            return send(pieces, writer.finish()).await;
        }
    }
}

/// Sends a piece, unless it is empty.
async fn send(pieces: &Sender<io::Result<Piece>>, bytes: Vec<u8>) -> io::Result<()> {
    if bytes.is_empty() {
        return Ok(());
    }
    let piece = Piece::Bytes(bytes.into());
    pieces.send(Ok(piece)).await.map_err(|_| gone("the client"))
}

fn gone(who: &str) -> io::Error {
    io::Error::other(format!("{who} ended before it"))
}

/// Notes why an export broke off, and gives what breaks the body off.
fn broken_off(form: &FormId, error: &io::Error) -> io::Error {
    tracing::error!(%form, %error, "an export broke off");
    io::Error::other("the export broke off")
}
