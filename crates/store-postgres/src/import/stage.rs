//! Reads a source in pieces on a blocking thread, and writes them to a table that no request reads.
//! Each piece is written and counted in one transaction.

use super::ListedImport;
use super::import_lock::ImportLock;
use crate::errors::database_error;
use crate::query;
use crate::query::read_column;
use crate::text_encoding::{encode_indexed, encode_searched};
use contract::FormId;
use deadpool_postgres::Transaction;
use std::pin::pin;
use store::columns::{SubmissionRow, read_batch, row_from_source};
use store::{Import, ImportSource, Result, StoreError};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::{JoinHandle, spawn_blocking};
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::Type;

/// A piece is complete when it has this many rows, or this many bytes.
const PIECE_ROWS_MAX: usize = 1000;
const PIECE_BYTES_MAX: usize = 4 << 20;
/// Maximum pieces that wait to be written.
const WAITING_MAX: usize = 2;

/// Rows that are written together.
type Piece = Vec<SubmissionRow>;

/// Pieces of a source, read on a blocking thread.
pub(super) struct Pieces {
    ready: Receiver<Result<Piece>>,
    reader: Option<JoinHandle<()>>,
}

impl Pieces {
    /// Starts reading a source for an import.
    pub(super) fn start(form: FormId, import: Import, source: ImportSource) -> Self {
        let (send, ready) = channel(WAITING_MAX);
        let reader = spawn_blocking(move || send_pieces(&form, &import, source, &send));
        Self { ready, reader: Some(reader) }
    }

    /// Returns the next piece; `None` at the end of the source.
    pub(super) async fn next(&mut self) -> Result<Option<Piece>> {
        if let Some(piece) = self.ready.recv().await {
            return piece.map(Some);
        }
        if let Some(reader) = self.reader.take() {
            // If the reader panicked, there may be more rows.
            reader.await.map_err(database_error)?;
        }
        Ok(None)
    }
}

/// Sends pieces until the source ends or fails, or the receiver is dropped.
fn send_pieces(form: &FormId, import: &Import, source: ImportSource, send: &Sender<Result<Piece>>) {
    let mut rows = match source(import) {
        Ok(source) => source.map(|item| row_from_source(form, item)),
        Err(reason) => return drop(send.blocking_send(Err(StoreError::Source(reason)))),
    };
    loop {
        let piece = read_batch(&mut rows, PIECE_ROWS_MAX, PIECE_BYTES_MAX);
        let is_error = piece.is_err();
        let is_end = piece.as_ref().is_ok_and(Vec::is_empty);
        if is_end || send.blocking_send(piece).is_err() || is_error {
            return;
        }
    }
}

/// Writes a piece.
pub(super) async fn insert(
    turn: &mut ImportLock,
    listed_import: &ListedImport,
    piece: &[SubmissionRow],
) -> Result<()> {
    let tx = turn.begin_transaction().await?;
    // The piece need not be on disk before the import is published: a lost piece is read again.
    tx.batch_execute("SET LOCAL synchronous_commit = off").await.map_err(database_error)?;
    let rows = i64::try_from(piece.len()).map_err(database_error)?;
    let sql = "UPDATE imports SET inserted = inserted + $3, touched_at = now()
               WHERE form_id = $1 AND import = $2 RETURNING inserted";
    let Some(listed) =
        query::fetch_row(&tx, sql, &[&listed_import.form, &listed_import.number, &rows]).await?
    else {
        let reason = "the import was removed while it was running; start it again";
        return Err(StoreError::Source(reason.to_owned()));
    };
    let inserted: i64 = read_column(&listed, 0)?;
    copy_piece(&tx, listed_import, inserted - rows, piece).await?;
    tx.commit().await.map_err(database_error)
}

async fn copy_piece(
    tx: &Transaction<'_>,
    listed_import: &ListedImport,
    after: i64,
    piece: &[SubmissionRow],
) -> Result<()> {
    let sql = "COPY import_rows (form_id, import, place, submitted_at, id, utm_source, utm_medium,
                 utm_campaign, json, searched) FROM STDIN BINARY";
    let sink = tx.copy_in(sql).await.map_err(database_error)?;
    let number = Type::INT8;
    let text = Type::TEXT;
    let types = [&text, &number, &number, &number, &text, &text, &text, &text, &text, &text];
    let types = types.map(Type::clone);
    let mut writer = pin!(BinaryCopyInWriter::new(sink, &types));
    for (place, row) in (after..).zip(piece) {
        let utm = [&row.utm_source, &row.utm_medium, &row.utm_campaign];
        let [source, medium, campaign] = utm.map(|value| value.as_deref().map(encode_indexed));
        let searched = encode_searched(&row.text).map_err(database_error)?;
        writer
            .as_mut()
            .write(&[
                &listed_import.form,
                &listed_import.number,
                &place,
                &row.submitted_at,
                &row.id,
                &source,
                &medium,
                &campaign,
                &row.json,
                &searched,
            ])
            .await
            .map_err(database_error)?;
    }
    writer.finish().await.map(drop).map_err(database_error)
}
