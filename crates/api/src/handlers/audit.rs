//! Owner's routes for the audit log: pages and export (additive).

use super::{audit_file, page};
use crate::Service;
use crate::audit::RequestActor;
use crate::error::{Error, Result};
use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use contract::audit::{Action, AuditEntry, AuditQuery};
use contract::{AccountId, Page};
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
    let before =
        page::parse_cursor(query.cursor.as_deref(), |cursor| cursors.decode_number(cursor))?;
    let limit = usize::from(query.limit);
    let scope = AuditScope::Account(&account);
    let found = service.store().list_audit_entries(scope, &query.filter, before, limit + 1).await?;
    let next = |entry: &AuditEntry| cursors.encode_number(entry.place);
    Ok(Json(page::cut_page(found.entries, limit, (found.total, query.limit), next)))
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
