//! Export (specification, section 4.4): all submissions that match a filter, as CSV or JSON, in
//! constant memory.
//!
//! A submission that exists during the whole export is exported exactly once. The export reads
//! from newest to oldest. An insertion or deletion has an effect only if its position has not been
//! passed yet; no submission is exported twice. `count` in the JSON is the number of exported
//! submissions.
//!
//! A sorted export first finds the positions of all matches, at one instant, and keeps them in
//! memory. It then reads them in this order, without those that were removed meanwhile.

mod audit_entries;
mod pipeline;
mod source;
mod triage_names;

use super::filter::prepare_filter;
use super::submissions::find_form;
use crate::Service;
use crate::audit::RequestActor;
use crate::error::{Error, Result};
use crate::middleware::auth::Caller;
use crate::router::Id;
use audit_entries::ExportAudit;
use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse, Response};
use contract::audit::Action;
use contract::csv::StoredCsvWriter;
use contract::json::StoredJsonWriter;
use contract::triage::TriageNames;
use contract::{Columns, ExportFormat, ExportQuery, FieldId, Form, FormId, Timestamp};
use http::{HeaderValue, header};
use source::ExportSource;
use std::io;
use store::Chunk;
use triage_names::find_triage_names;

/// Bytes of submissions in the first read, which is small so that the file begins soon.
const FIRST_BYTES: usize = 16 * 1024;

/// `GET /v1/forms/{form_id}/submissions/export` (section 4.4).
pub(crate) async fn export_submissions(
    State(service): State<Service>,
    caller: Caller,
    actor: RequestActor,
    Id(id): Id<FormId>,
    RawQuery(query): RawQuery,
) -> Result<Response> {
    let mut query = ExportQuery::parse(&query.unwrap_or_default())?;
    prepare_filter(&service, &caller.account.id, &actor.member(), &mut query.filter).await?;
    let form = find_form(&service, &caller, &id).await?;
    query.filter.fields.resolve(&form.fields)?;
    if let Some(sort) = &mut query.sort {
        sort.resolve(&form.fields)?;
    }
    let now = service.now();
    let disposition = content_disposition(&form.id, query.format, now)?;
    let format = query.format;
    let media_type = HeaderValue::from_static(format.media_type());
    let names = find_triage_names(&service, &caller, &query).await?;
    let writer = ExportWriter::new(&form, &query, names, now)?;
    let is_filtered = !query.filter.is_empty();
    let mut source = ExportSource::open(service, &caller, form.id.clone(), query).await?;
    // Read the first chunk here: a database that cannot be read is a 500, not an incomplete file.
    let first = source.read_chunk(Chunk::default().with_size_limit(FIRST_BYTES)).await?;
    let headers = [(header::CONTENT_TYPE, media_type), (header::CONTENT_DISPOSITION, disposition)];
    let event = actor.caller_event(source.service(), &caller, Action::ExportBegun).with_form(&form);
    let event = event.with_value("format", format.as_str());
    let export_audit =
        ExportAudit::start(source.service(), event.with_value("filtered", is_filtered));
    Ok((headers, pipeline::export_body(source, first, writer, export_audit)).into_response())
}

/// Returns a `Content-Disposition` with the file name. An id needs no quoting.
fn content_disposition(form: &FormId, format: ExportFormat, now: Timestamp) -> Result<HeaderValue> {
    let day: String = now.to_string().chars().take(10).filter(|c| *c != '-').collect();
    let text = format!("attachment; filename=\"{form}-{day}.{}\"", format.as_str());
    HeaderValue::try_from(text).map_err(Error::internal)
}

/// Writer of one of the formats.
enum ExportWriter {
    Csv(Box<StoredCsvWriter>, TriageNames),
    Json(Box<StoredJsonWriter>),
}

impl ExportWriter {
    fn new(form: &Form, query: &ExportQuery, names: TriageNames, now: Timestamp) -> Result<Self> {
        let unknown = |id: FieldId| {
            Error::validation(format!(
                "`fields` contains `{id}`, which is not a field of this form; omit it"
            ))
        };
        match query.format {
            ExportFormat::Csv => {
                let columns = match &query.fields {
                    Some(ids) => Columns::for_fields(&form.fields, ids).map_err(unknown)?,
                    None => Columns::all(&form.fields),
                };
                let columns = columns.with_triage(query.triage, &form.fields);
                let writer = StoredCsvWriter::new(columns, query.disarms_formulas)
                    .map_err(Error::internal)?;
                Ok(Self::Csv(Box::new(writer), names))
            }
            ExportFormat::Json => {
                let writer = StoredJsonWriter::new(form.id.clone(), &form.fields, query, now);
                Ok(Self::Json(Box::new(writer.map_err(unknown)?)))
            }
        }
    }

    /// Writes a chunk and returns its bytes.
    fn write_chunk(&mut self, chunk: &Chunk) -> io::Result<Vec<u8>> {
        let mut with_triage = chunk.iter().zip(chunk.triage());
        let has_triage = !chunk.triage().is_empty();
        match self {
            Self::Csv(writer, names) => {
                if has_triage {
                    with_triage.try_for_each(|(json, triage)| {
                        writer.write_row_with_triage(json, triage, names)
                    })?;
                } else {
                    chunk.iter().try_for_each(|json| writer.write_row(json))?;
                }
                Ok(writer.take_output())
            }
            Self::Json(writer) => {
                if has_triage {
                    with_triage.try_for_each(|(json, triage)| {
                        writer.write_row_with_triage(json, triage)
                    })?;
                } else {
                    chunk.iter().try_for_each(|json| writer.write_row(json))?;
                }
                Ok(writer.take_output())
            }
        }
    }

    /// Returns the final bytes of the file.
    fn finish(self) -> Vec<u8> {
        match self {
            Self::Csv(..) => Vec::new(),
            Self::Json(writer) => writer.finish(),
        }
    }
}
