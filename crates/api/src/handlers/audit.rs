//! Owner's routes for the audit log: pages and export (additive).

use super::audit_file;
use crate::Service;
use crate::audit::Asking;
use crate::error::{Error, Result};
use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use contract::audit::{Action, AuditQuery, Note};
use contract::{AccountId, Page, Pagination};
use http::{HeaderValue, header};
use store::audit::Whose;

/// `GET /account/audit`: lists entries, newest first.
pub(crate) async fn list(
    State(service): State<Service>,
    Extension(account): Extension<AccountId>,
    RawQuery(query): RawQuery,
) -> Result<Json<Page<Note>>> {
    let query = AuditQuery::parse(&query.unwrap_or_default())?;
    let cursors = service.cursors().of_audit(&account, &bound(&query));
    let before = match &query.cursor {
        Some(cursor) => Some(cursors.read_place(cursor).ok_or_else(Error::cursor)?),
        None => None,
    };
    let limit = usize::from(query.limit);
    let whose = Whose::Account(&account);
    let mut page = service.store().list_notes(whose, &query.filter, before, limit + 1).await?;
    let has_more = page.notes.len() > limit;
    page.notes.truncate(limit);
    let last = page.notes.last().filter(|_| has_more);
    let pagination = Pagination {
        total: page.total,
        limit: query.limit,
        has_more,
        next_cursor: last.map(|note| cursors.write_place(note.place)),
    };
    Ok(Json(Page { data: page.notes, pagination }))
}

/// Returns the part of the query that a cursor is bound to: the filter.
fn bound(query: &AuditQuery) -> String {
    AuditQuery { filter: query.filter.clone(), ..AuditQuery::default() }.write()
}

/// `GET /account/audit/export`: exports the matching entries, newest first, one per line.
pub(crate) async fn export(
    State(service): State<Service>,
    Extension(account): Extension<AccountId>,
    asking: Asking,
    RawQuery(query): RawQuery,
) -> Result<Response> {
    let query = AuditQuery::parse_export(&query.unwrap_or_default())?;
    let now = service.now();
    let day: String = now.to_string().chars().take(10).filter(|c| *c != '-').collect();
    let format = query.format;
    let name = format!("attachment; filename=\"audit-{day}.{}\"", format.as_str());
    let disposition = HeaderValue::try_from(name).map_err(Error::internal)?;
    let media_type = HeaderValue::from_static(format.media_type());
    // Written before any data is sent, so that the export contains its own entry.
    let act = asking.does(&service, &account, Action::AuditExported);
    service.store().note(act.with("format", format.as_str())).await?;
    let headers = [(header::CONTENT_TYPE, media_type), (header::CONTENT_DISPOSITION, disposition)];
    let body = audit_file::body(service, account, query).await?;
    Ok((headers, body).into_response())
}
