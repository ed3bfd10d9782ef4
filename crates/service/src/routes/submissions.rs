//! List, get and delete (§4.1 to §4.3).
//!
//! A submission is kept as it stands on the wire, so answers are put together from what the store
//! gives, without reading it.

use super::Id;
use crate::Service;
use crate::audit::Asking;
use crate::auth::Caller;
use crate::cursor::Listing;
use crate::error::{Error, Result};
use crate::store::{OwnedText, Owner, StoredSubmission};
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::response::Response;
use contract::audit::Action;
use contract::{AccountId, Environment, Form, FormId, ListQuery, Pagination, SubmissionId};
use http::{HeaderValue, Method, StatusCode, header};

/// What stands around the one submission of an answer.
pub(super) const FRAME: [&str; 2] = ["{\"data\":", "}"];

/// `GET /v1/forms/{form_id}/submissions` (§4.1).
pub(super) async fn list(
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
    let page = service
        .store()
        .list_page(&owner, &id, &query.filter, behind.as_ref(), limit, "{\"data\":[")
        .await?;
    let Some(page) = page else {
        check_owner(&service, &caller, &id).await?;
        return Err(Error::not_found("form"));
    };
    let pagination = Pagination {
        total: page.total,
        limit: query.limit,
        has_more: page.last.is_some(),
        next_cursor: page.last.map(|last| service.cursors().write(listing, &last)),
    };
    let mut body = page.json;
    body.extend_from_slice(b"],\"pagination\":");
    serde_json::to_writer(&mut body, &pagination).map_err(Error::internal)?;
    body.push(b'}');
    Ok(json(body))
}

/// `GET /v1/submissions/{id}` (§4.2).
pub(super) async fn get(
    State(service): State<Service>,
    caller: Caller,
    Id(id): Id<SubmissionId>,
) -> Result<Response> {
    let submission = find_submission(&service, &caller, &id).await?;
    let [head, tail] = FRAME;
    Ok(json([head, &submission.json, tail].concat().into_bytes()))
}

/// As [`get`], where the submission was looked for together with the key.
pub(super) fn found(caller: &Caller, found: Option<OwnedText>) -> Result<Response> {
    let text = found.ok_or_else(|| Error::not_found("submission"))?;
    check(caller, &text.owner.account_id, text.owner.environment)?;
    Ok(json(text.json))
}

/// `DELETE /v1/submissions/{id}` (§4.3).
pub(super) async fn delete(
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
pub(super) async fn find_form(service: &Service, caller: &Caller, id: &FormId) -> Result<Form> {
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

/// Returns the submission that a request is for, where it is [`get`]'s and asks for no more.
pub(super) fn asked<B>(request: &http::Request<B>) -> Option<SubmissionId> {
    let id = request.uri().path().strip_prefix("/v1/submissions/")?;
    let is_plain = request.method() == Method::GET && request.uri().query().is_none();
    if is_plain { id.parse().ok() } else { None }
}

/// Finds a submission that the caller may have, by the same rule as its form.
async fn find_submission(
    service: &Service,
    caller: &Caller,
    id: &SubmissionId,
) -> Result<StoredSubmission> {
    let found = service.store().find_submission(id).await?;
    let found = found.ok_or_else(|| Error::not_found("submission"))?;
    check(caller, &found.account_id, found.environment)?;
    Ok(found.submission)
}

fn check(caller: &Caller, account: &AccountId, environment: Environment) -> Result<()> {
    if *account != caller.account.id {
        return Err(Error::not_found("submission"));
    }
    if environment != caller.environment {
        return Err(Error::other_environment("submission", environment));
    }
    Ok(())
}

/// Room for the headers of an answer, so that they find it at once.
const HEADERS: usize = 8;

fn json(body: Vec<u8>) -> Response {
    let mut response = Response::new(Body::from(body));
    let headers = response.headers_mut();
    headers.reserve(HEADERS);
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
