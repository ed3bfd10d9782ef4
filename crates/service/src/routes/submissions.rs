//! List, get and delete (§4.1 to §4.3).
//!
//! A submission is kept as it stands on the wire, so answers are put together from what the store
//! gives, without reading it.

use super::Id;
use crate::Service;
use crate::auth::Caller;
use crate::cursor::Listing;
use crate::error::{Error, Result};
use crate::store::StoredSubmission;
use axum::Extension;
use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse, Response};
use contract::{Form, FormId, ListQuery, Pagination, SubmissionId};
use http::{HeaderValue, StatusCode, header};

/// `GET /v1/forms/{form_id}/submissions` (§4.1).
pub(super) async fn list(
    State(service): State<Service>,
    Extension(caller): Extension<Caller>,
    Id(id): Id<FormId>,
    RawQuery(query): RawQuery,
) -> Result<Response> {
    let query = ListQuery::parse(&query.unwrap_or_default())?;
    let form = find_form(&service, &caller, &id).await?;
    let listing = Listing { form: &form.id, environment: form.environment, filter: &query.filter };
    let behind = match &query.cursor {
        Some(cursor) => Some(service.cursors().read(listing, cursor).ok_or_else(Error::cursor)?),
        None => None,
    };
    let limit = usize::from(query.limit);
    // One more than asked for tells whether a further page exists.
    let mut page = service
        .store()
        .list_submissions(&form.id, &query.filter, behind.as_ref(), limit + 1)
        .await?;
    let has_more = page.rows.len() > limit;
    page.rows.truncate(limit);
    let last = page.rows.last().filter(|_| has_more);
    let pagination = Pagination {
        total: page.total,
        limit: query.limit,
        has_more,
        next_cursor: last.map(|row| service.cursors().write(listing, &row.position)),
    };
    let pagination = serde_json::to_string(&pagination).map_err(Error::internal)?;
    Ok(json(page_body(&page.rows, &pagination)))
}

fn page_body(rows: &[StoredSubmission], pagination: &str) -> String {
    let bytes: usize = rows.iter().map(|row| row.json.len() + 1).sum();
    let mut body = String::with_capacity(bytes + pagination.len() + 32);
    body.push_str("{\"data\":[");
    for (i, row) in rows.iter().enumerate() {
        if i > 0 {
            body.push(',');
        }
        body.push_str(&row.json);
    }
    body.push_str("],\"pagination\":");
    body.push_str(pagination);
    body.push('}');
    body
}

/// `GET /v1/submissions/{id}` (§4.2).
pub(super) async fn get(
    State(service): State<Service>,
    Extension(caller): Extension<Caller>,
    Id(id): Id<SubmissionId>,
) -> Result<Response> {
    let submission = find_submission(&service, &caller, &id).await?;
    Ok(json(format!("{{\"data\":{}}}", submission.json)))
}

/// `DELETE /v1/submissions/{id}` (§4.3).
pub(super) async fn delete(
    State(service): State<Service>,
    Extension(caller): Extension<Caller>,
    Id(id): Id<SubmissionId>,
) -> Result<StatusCode> {
    find_submission(&service, &caller, &id).await?;
    let was_there = service.store().delete_submission(&id).await?;
    if was_there { Ok(StatusCode::NO_CONTENT) } else { Err(Error::not_found("submission")) }
}

/// Finds a form that the caller may read: 404 where it is not the account's, 403 where it is, but
/// of the other environment.
pub(super) async fn find_form(service: &Service, caller: &Caller, id: &FormId) -> Result<Form> {
    let found = service.store().find_form(id).await?;
    let own = found.filter(|record| record.account_id == caller.account.id);
    let form = own.ok_or_else(|| Error::not_found("form"))?.form;
    if form.environment != caller.environment {
        return Err(Error::other_environment("form", form.environment));
    }
    Ok(form)
}

/// Finds a submission that the caller may have, by the same rule as its form.
async fn find_submission(
    service: &Service,
    caller: &Caller,
    id: &SubmissionId,
) -> Result<StoredSubmission> {
    let found = service.store().find_submission(id).await?;
    let own = found.filter(|owned| owned.account_id == caller.account.id);
    let own = own.ok_or_else(|| Error::not_found("submission"))?;
    if own.environment != caller.environment {
        return Err(Error::other_environment("submission", own.environment));
    }
    Ok(own.submission)
}

fn json(body: String) -> Response {
    let media_type = HeaderValue::from_static("application/json");
    ([(header::CONTENT_TYPE, media_type)], body).into_response()
}
