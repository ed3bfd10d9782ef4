//! List, get and delete (§4.1 to §4.3).
//!
//! A submission is kept as it stands on the wire, so answers are put together from what the store
//! gives, without reading it.

use crate::Service;
use crate::audit::Asking;
use crate::cursor::Listing;
use crate::error::{Error, Result};
use crate::middleware::auth::Caller;
use crate::router::Id;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::response::Response;
use contract::audit::Action;
use contract::{Form, FormId, ListQuery, Pagination, SubmissionId};
use http::{HeaderValue, StatusCode, header};
use store::{Owner, Page, StoredSubmission};

/// `GET /v1/forms/{form_id}/submissions` (§4.1).
pub(crate) async fn list(
    State(service): State<Service>,
    caller: Caller,
    Id(id): Id<FormId>,
    RawQuery(query): RawQuery,
) -> Result<Response> {
    let query = ListQuery::parse(&query.unwrap_or_default())?;
    let listing = Listing { form: &id, environment: caller.environment, filter: &query.filter };
    let behind = match &query.cursor {
        None => None,
        Some(cursor) => {
            let place = service.cursors().read(listing, cursor);
            if place.is_none() {
                // Who may not know of the form is not told about its cursors.
                check_owner(&service, &caller, &id).await?;
            }
            Some(place.ok_or_else(Error::cursor)?)
        }
    };
    let owner = Owner { account_id: caller.account.id.clone(), environment: caller.environment };
    let limit = usize::from(query.limit);
    let store = service.store();
    let page = store.list_page(&owner, &id, &query.filter, behind.as_ref(), limit).await?;
    let Some(Page { rows, has_more, total }) = page else {
        check_owner(&service, &caller, &id).await?;
        return Err(Error::not_found("form"));
    };
    let last = rows.last().filter(|_| has_more);
    let next_cursor = last.map(|last| service.cursors().write(listing, &last.position));
    let pagination = Pagination { total, limit: query.limit, has_more, next_cursor };
    let bytes: usize = rows.iter().map(|row| row.json.len() + 1).sum();
    let mut body = Vec::with_capacity(bytes + ENVELOPE_BYTES);
    body.extend_from_slice(b"{\"data\":[");
    for (n, row) in rows.iter().enumerate() {
        body.extend_from_slice(if n > 0 { b"," } else { b"" });
        body.extend_from_slice(row.json.as_bytes());
    }
    body.extend_from_slice(b"],\"pagination\":");
    serde_json::to_writer(&mut body, &pagination).map_err(Error::internal)?;
    body.push(b'}');
    Ok(json(body))
}

/// `GET /v1/submissions/{id}` (§4.2).
pub(crate) async fn get(
    State(service): State<Service>,
    caller: Caller,
    Id(id): Id<SubmissionId>,
) -> Result<Response> {
    let submission = find_submission(&service, &caller, &id).await?;
    Ok(json(["{\"data\":", &submission.json, "}"].concat().into_bytes()))
}

/// `DELETE /v1/submissions/{id}` (§4.3).
pub(crate) async fn delete(
    State(service): State<Service>,
    caller: Caller,
    asking: Asking,
    Id(id): Id<SubmissionId>,
) -> Result<StatusCode> {
    find_submission(&service, &caller, &id).await?;
    if !caller.may_delete {
        return Err(Error::readers_may_not());
    }
    let act = asking.calls(&service, &caller, Action::SubmissionDeleted).on("submission", &id);
    let was_there = service.noting(act).delete_submission(&id).await?;
    if was_there { Ok(StatusCode::NO_CONTENT) } else { Err(Error::not_found("submission")) }
}

/// Finds a form that the caller may read: 404 where it is not the account's, 403 where it is, but
/// of the other environment.
pub(crate) async fn find_form(service: &Service, caller: &Caller, id: &FormId) -> Result<Form> {
    let found = service.store().find_form(id).await?;
    let own = found.filter(|record| record.account_id == caller.account.id);
    let form = own.ok_or_else(|| Error::not_found("form"))?.form;
    if form.environment != caller.environment {
        return Err(Error::other_environment("form", form.environment));
    }
    Ok(form)
}

/// As [`find_form`], where the form itself is not needed.
async fn check_owner(service: &Service, caller: &Caller, id: &FormId) -> Result<()> {
    let found = service.store().find_owner(id).await?;
    let own = found.filter(|owner| owner.account_id == caller.account.id);
    let own = own.ok_or_else(|| Error::not_found("form"))?;
    if own.environment != caller.environment {
        return Err(Error::other_environment("form", own.environment));
    }
    Ok(())
}

/// Finds a submission that the caller may have, by the same rule as its form.
async fn find_submission(
    service: &Service,
    caller: &Caller,
    id: &SubmissionId,
) -> Result<StoredSubmission> {
    let found = service.store().find_submission(id).await?;
    let found = found.ok_or_else(|| Error::not_found("submission"))?;
    if found.account_id != caller.account.id {
        return Err(Error::not_found("submission"));
    }
    if found.environment != caller.environment {
        return Err(Error::other_environment("submission", found.environment));
    }
    Ok(found.submission)
}

/// Room for what stands around the submissions of a page, in bytes.
const ENVELOPE_BYTES: usize = 512;
/// Room for the headers of an answer, so that they find it at once.
const HEADERS: usize = 8;

fn json(body: Vec<u8>) -> Response {
    let mut response = Response::new(Body::from(body));
    let headers = response.headers_mut();
    headers.reserve(HEADERS);
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
