//! Export of the audit log as a stream. Only one page of it is in memory.

use crate::Service;
use crate::error::{Error, Result};
use axum::body::Body;
use bytes::Bytes;
use contract::AccountId;
use contract::audit::{AuditFilter, AuditFormat, AuditQuery, Note, NotesCsv};
use futures_util::stream;
use std::io;
use store::StoreError;
use store::audit::Whose;

/// Entries per read.
const PORTION_ROWS: usize = 500;

/// Query of an export, and its progress.
struct Source {
    service: Service,
    account: AccountId,
    filter: AuditFilter,
    before: Option<u64>,
}

impl Source {
    /// Reads the next entries. An empty list is the end.
    async fn read(&mut self) -> Result<Vec<Note>, StoreError> {
        let (store, whose) = (self.service.store(), Whose::Account(&self.account));
        let page = store.list_notes(whose, &self.filter, self.before, PORTION_ROWS).await?;
        self.before = page.notes.last().map(|note| note.place);
        Ok(page.notes)
    }
}

/// Writer of one of the formats.
enum Writer {
    Csv(Box<NotesCsv>),
    Ndjson,
}

impl Writer {
    fn write(&mut self, notes: &[Note]) -> io::Result<Bytes> {
        match self {
            Self::Csv(writer) => {
                notes.iter().try_for_each(|note| writer.row(note))?;
                writer.take().map(Bytes::from)
            }
            Self::Ndjson => {
                let mut lines = Vec::new();
                for note in notes {
                    serde_json::to_writer(&mut lines, note)?;
                    lines.push(b'\n');
                }
                Ok(lines.into())
            }
        }
    }
}

/// Returns the body of the export. It ends with an error if a page cannot be read.
pub(crate) async fn body(service: Service, account: AccountId, query: AuditQuery) -> Result<Body> {
    let mut writer = match query.format {
        AuditFormat::Csv => Writer::Csv(Box::new(NotesCsv::new().map_err(Error::internal)?)),
        AuditFormat::Ndjson => Writer::Ndjson,
    };
    let mut source = Source { service, account, filter: query.filter, before: None };
    // Read the first page here: a log that cannot be read is a 500, not an incomplete file.
    let first = source.read().await?;
    let head = writer.write(&first).map_err(Error::internal)?;
    let pages = stream::try_unfold((source, writer), |(mut source, mut writer)| async {
        if source.before.is_none() {
            return Ok(None);
        }
        let notes = source.read().await.map_err(io::Error::other)?;
        let bytes = writer.write(&notes)?;
        Ok::<_, io::Error>(Some((bytes, (source, writer))))
    });
    let head = stream::once(async { Ok::<_, io::Error>(head) });
    Ok(Body::from_stream(futures_util::StreamExt::chain(head, pages)))
}
