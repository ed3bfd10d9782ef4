//! The audit log as CSV (RFC 4180), safe to open in a spreadsheet.

use super::AuditEntry;
use crate::csv::{disarm_formulas, rfc_4180_writer};
use std::borrow::Cow;
use std::io;

const HEADS: [&str; 19] = [
    "place",
    "at",
    "account",
    "mode",
    "actor",
    "actor_id",
    "person",
    "email",
    "device",
    "browser",
    "address",
    "request",
    "action",
    "object",
    "object_id",
    "outcome",
    "code",
    "detail",
    "hash",
];

/// Writes audit entries as rows of CSV.
pub struct AuditCsvWriter(csv::Writer<Vec<u8>>);

impl AuditCsvWriter {
    /// Creates a writer and writes the header row.
    ///
    /// # Errors
    /// Does not fail in practice, because the output is in memory.
    pub fn new() -> io::Result<Self> {
        let mut writer = rfc_4180_writer(Vec::new());
        writer.write_record(HEADS)?;
        Ok(Self(writer))
    }

    /// Writes one entry.
    ///
    /// # Errors
    /// As [`AuditCsvWriter::new`].
    pub fn write_row(&mut self, entry: &AuditEntry) -> io::Result<()> {
        let AuditEntry { actor, object, .. } = entry;
        let detail = serde_json::to_string(&entry.detail)?;
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let cells = [
            entry.place.to_string(),
            entry.at.to_string(),
            entry.account.as_ref().map(ToString::to_string).unwrap_or_default(),
            entry.environment.map(|environment| environment.to_string()).unwrap_or_default(),
            actor.kind.as_str().to_owned(),
            text(&actor.id),
            actor.person.as_ref().map(|person| person.id.to_string()).unwrap_or_default(),
            actor.person.as_ref().map(|person| person.email.clone()).unwrap_or_default(),
            text(&actor.client.device),
            text(&actor.client.browser),
            text(&entry.address),
            text(&entry.request),
            entry.action.clone(),
            object.as_ref().map(|object| object.kind.clone()).unwrap_or_default(),
            object.as_ref().map(|object| object.id.clone()).unwrap_or_default(),
            entry.outcome.as_str().to_owned(),
            text(&entry.code),
            detail,
            entry.hash.clone(),
        ];
        let cells =
            cells.iter().map(|cell| disarm_formulas(Cow::Borrowed(cell.as_str())).into_owned());
        self.0.write_record(cells)?;
        Ok(())
    }

    /// Returns the output since the last call, and continues with an empty buffer.
    ///
    /// # Errors
    /// As [`AuditCsvWriter::new`].
    pub fn take(&mut self) -> io::Result<Vec<u8>> {
        let writer = std::mem::replace(&mut self.0, rfc_4180_writer(Vec::new()));
        writer.into_inner().map_err(|error| io::Error::other(error.to_string()))
    }
}
