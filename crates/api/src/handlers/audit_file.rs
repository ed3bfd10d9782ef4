//! Export of the audit log as a stream. Only one page of it is in memory.

use crate::Service;
use crate::error::{Error, Result};
use axum::body::Body;
use bytes::Bytes;
use contract::AccountId;
use contract::audit::{AuditCsvWriter, AuditEntry, AuditFilter, AuditFormat, AuditQuery};
use futures_util::stream;
use std::io;
use store::StoreError;
use store::audit::AuditScope;

/// Entries per read.
const ENTRIES_PER_READ: usize = 500;

/// Query of an export, and its progress.
struct AuditSource {
    service: Service,
    account: AccountId,
    filter: AuditFilter,
    before: Option<u64>,
}

impl AuditSource {
    /// Reads the next entries. An empty list is the end.
    async fn read_page(&mut self) -> Result<Vec<AuditEntry>, StoreError> {
        let store = self.service.store();
        let scope = AuditScope::Account(&self.account);
        let page =
            store.list_audit_entries(scope, &self.filter, self.before, ENTRIES_PER_READ).await?;
        self.before = page.entries.last().map(|note| note.place);
        Ok(page.entries)
    }
}

/// Writer of one of the formats.
enum AuditWriter {
    Csv(Box<AuditCsvWriter>),
    Ndjson,
}

impl AuditWriter {
    fn write_entries(&mut self, notes: &[AuditEntry]) -> io::Result<Bytes> {
        match self {
            Self::Csv(writer) => {
                notes.iter().try_for_each(|note| writer.write_row(note))?;
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
pub(crate) async fn export_body(
    service: Service,
    account: AccountId,
    query: AuditQuery,
) -> Result<Body> {
    let mut writer = match query.format {
        AuditFormat::Csv => {
            AuditWriter::Csv(Box::new(AuditCsvWriter::new().map_err(Error::internal)?))
        }
        AuditFormat::Ndjson => AuditWriter::Ndjson,
    };
    let mut source = AuditSource { service, account, filter: query.filter, before: None };
    // Read the first page here: a log that cannot be read is a 500, not an incomplete file.
    let first = source.read_page().await?;
    let head = writer.write_entries(&first).map_err(Error::internal)?;
    let pages = stream::try_unfold((source, writer), |(mut source, mut writer)| async {
        if source.before.is_none() {
            return Ok(None);
        }
        let notes = source.read_page().await.map_err(io::Error::other)?;
        let bytes = writer.write_entries(&notes)?;
        Ok::<_, io::Error>(Some((bytes, (source, writer))))
    });
    let head = stream::once(async { Ok::<_, io::Error>(head) });
    Ok(Body::from_stream(futures_util::StreamExt::chain(head, pages)))
}
