//! Owner's routes for the audit log: pages and export (additive).

use super::audit_file;
use crate::Service;
use crate::audit::RequestActor;
use crate::error::{Error, Result};
use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use contract::audit::{Action, AuditEntry, AuditQuery};
use contract::{AccountId, Page, Pagination};
use http::{HeaderValue, header};
use store::audit::AuditScope;

/// `GET /account/audit`: lists entries, newest first.
pub(crate) async fn list_audit(
    State(service): State<Service>,
    Extension(account): Extension<AccountId>,
    RawQuery(query): RawQuery,
) -> Result<Json<Page<AuditEntry>>> {
    let query = AuditQuery::parse(&query.unwrap_or_default())?;
    let cursors = service.cursors().for_audit(&account, &cursor_filter(&query));
    let before = match &query.cursor {
        Some(cursor) => Some(cursors.decode_number(cursor).ok_or_else(Error::cursor)?),
        None => None,
    };
    let limit = usize::from(query.limit);
    let scope = AuditScope::Account(&account);
    let mut page =
        service.store().list_audit_entries(scope, &query.filter, before, limit + 1).await?;
    let has_more = page.entries.len() > limit;
    page.entries.truncate(limit);
    let last = page.entries.last().filter(|_| has_more);
    let pagination = Pagination {
        total: page.total,
        limit: query.limit,
        has_more,
        next_cursor: last.map(|note| cursors.encode_number(note.place)),
    };
    Ok(Json(Page { data: page.entries, pagination }))
}

/// Returns the part of the query that a cursor is bound to: the filter.
fn cursor_filter(query: &AuditQuery) -> String {
    AuditQuery { filter: query.filter.clone(), ..AuditQuery::default() }.to_query_string()
}

/// `GET /account/audit/export`: exports the matching entries, newest first, one per line.
pub(crate) async fn export_audit(
    State(service): State<Service>,
    Extension(account): Extension<AccountId>,
    actor: RequestActor,
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
    let event = actor.account_event(&service, &account, Action::AuditExported);
    service.store().write_audit(event.with_value("format", format.as_str())).await?;
    let headers = [(header::CONTENT_TYPE, media_type), (header::CONTENT_DISPOSITION, disposition)];
    let body = audit_file::export_body(service, account, query).await?;
    Ok((headers, body).into_response())
}
