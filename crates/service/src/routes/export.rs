//! Export (§4.4): the whole of what a filter selects, as CSV or JSON, in constant memory.
//!
//! The body is pulled: the next stretch is read from the store when the one before has been taken,
//! so a slow client slows the reading, and one that goes away ends it. An error on the way breaks
//! the body off; it never ends it cleanly.

use super::Id;
use super::submissions::find_form;
use crate::Service;
use crate::auth::Caller;
use crate::error::{Error, Result};
use crate::store::{Position, StoreError, StoredSubmission};
use axum::Extension;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use contract::csv::CsvWriter;
use contract::json::JsonWriter;
use contract::{
    Columns, ExportFormat, ExportQuery, FieldId, Filter, Form, FormId, Submission, Timestamp,
};
use futures_util::stream;
use http::{HeaderValue, header};
use std::io;

/// Rows that are read and written at once.
const STRETCH_ROWS: usize = 250;

/// `GET /v1/forms/{form_id}/submissions/export` (§4.4).
pub(super) async fn export(
    State(service): State<Service>,
    Extension(caller): Extension<Caller>,
    Id(id): Id<FormId>,
    RawQuery(query): RawQuery,
) -> Result<Response> {
    let query = ExportQuery::parse(&query.unwrap_or_default())?;
    let form = find_form(&service, &caller, &id).await?;
    let now = service.now();
    let disposition = disposition(&form.id, query.format, now)?;
    let media_type = HeaderValue::from_static(query.format.media_type());
    let writer = Writer::new(&form, &query, now)?;
    let mut export = Export { service, form: form.id, filter: query.filter, behind: None };
    // A database that cannot be read at all is a 500, not a file that breaks off.
    let first = export.read().await?;
    let headers = [(header::CONTENT_TYPE, media_type), (header::CONTENT_DISPOSITION, disposition)];
    Ok((headers, export.into_body(writer, first)).into_response())
}

/// The name under which a client saves the file. An id has no character that needs quoting.
fn disposition(form: &FormId, format: ExportFormat, now: Timestamp) -> Result<HeaderValue> {
    let day: String = now.to_string().chars().take(10).filter(|c| *c != '-').collect();
    let text = format!("attachment; filename=\"{form}-{day}.{}\"", format.as_str());
    HeaderValue::try_from(text).map_err(Error::internal)
}

/// An export under way.
struct Export {
    service: Service,
    form: FormId,
    filter: Filter,
    /// The last submission that was read.
    behind: Option<Position>,
}

/// What there is to do next.
enum Step {
    Write(Writer, Vec<StoredSubmission>),
    Read(Writer),
    Done,
}

impl Export {
    /// Reads the next stretch; an empty one is the end.
    async fn read(&mut self) -> Result<Vec<StoredSubmission>, StoreError> {
        let store = self.service.store();
        let behind = self.behind.as_ref();
        let rows = store.export_submissions(&self.form, &self.filter, behind, STRETCH_ROWS).await?;
        if let Some(last) = rows.last() {
            self.behind = Some(last.position.clone());
        }
        Ok(rows)
    }

    fn into_body(self, writer: Writer, first: Vec<StoredSubmission>) -> Body {
        let begin = (self, Step::Write(writer, first));
        Body::from_stream(stream::try_unfold(begin, |(mut export, step)| async move {
            let (writer, rows) = match step {
                Step::Done => return Ok(None),
                Step::Write(writer, rows) => (writer, rows),
                Step::Read(writer) => {
                    let rows =
                        export.read().await.map_err(|error| broken_off(&export.form, error))?;
                    (writer, rows)
                }
            };
            let (bytes, next) =
                write(writer, &rows).map_err(|error| broken_off(&export.form, error))?;
            Ok::<_, io::Error>(Some((bytes, (export, next))))
        }))
    }
}

/// Notes why an export broke off, and gives what breaks the body off.
fn broken_off(form: &FormId, error: impl std::fmt::Display) -> io::Error {
    tracing::error!(%form, %error, "an export broke off");
    io::Error::other("the export broke off")
}

/// Writes a stretch. A short one is the last.
fn write(mut writer: Writer, rows: &[StoredSubmission]) -> io::Result<(Bytes, Step)> {
    for row in rows {
        let submission: Submission = serde_json::from_str(&row.json)?;
        writer.row(&submission)?;
    }
    if rows.len() < STRETCH_ROWS {
        return Ok((writer.finish()?.into(), Step::Done));
    }
    Ok((writer.take()?.into(), Step::Read(writer)))
}

/// The writer of either format.
enum Writer {
    Csv(Box<CsvWriter<Vec<u8>>>),
    Json(Box<JsonWriter>),
}

impl Writer {
    fn new(form: &Form, query: &ExportQuery, now: Timestamp) -> Result<Self> {
        let unknown = |id: FieldId| {
            Error::validation(format!(
                "`fields` names `{id}`, which is no field of this form; leave it out"
            ))
        };
        match query.format {
            ExportFormat::Csv => {
                let columns = match &query.fields {
                    Some(ids) => Columns::listed(&form.fields, ids).map_err(unknown)?,
                    None => Columns::whole(&form.fields),
                };
                let writer = CsvWriter::new(columns, query.safe, Vec::new());
                Ok(Self::Csv(Box::new(writer.map_err(Error::internal)?)))
            }
            ExportFormat::Json => {
                let writer = JsonWriter::new(form.id.clone(), &form.fields, query, now);
                Ok(Self::Json(Box::new(writer.map_err(unknown)?)))
            }
        }
    }

    fn row(&mut self, submission: &Submission) -> io::Result<()> {
        match self {
            Self::Csv(writer) => writer.row(submission),
            Self::Json(writer) => {
                writer.row(submission);
                Ok(())
            }
        }
    }

    fn take(&mut self) -> io::Result<Vec<u8>> {
        match self {
            Self::Csv(writer) => writer.take(),
            Self::Json(writer) => Ok(writer.take()),
        }
    }

    fn finish(self) -> io::Result<Vec<u8>> {
        match self {
            Self::Csv(writer) => writer.finish(),
            Self::Json(writer) => Ok(writer.finish()),
        }
    }
}
