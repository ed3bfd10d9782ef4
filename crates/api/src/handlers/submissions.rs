//! Routes that list, get and delete submissions (specification, sections 4.1 to 4.3).
//!
//! Submissions are stored in their wire format. Responses are built from the stored JSON without
//! parsing it.

mod sorted;

use super::filter::prepare_filter;
use crate::Service;
use crate::audit::{RequestActor, RequestMember};
use crate::cursor::CursorScope;
use crate::error::{Error, Result};
use crate::middleware::auth::Caller;
use crate::router::Id;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::response::Response;
use contract::audit::Action;
use contract::{Environment, Form, FormId, ListQuery, Pagination, Sort, SubmissionId};
use http::{HeaderValue, StatusCode, header};
use store::{Owner, Page, StoredSubmission};

/// `GET /v1/forms/{form_id}/submissions` (section 4.1).
pub(crate) async fn list_submissions(
    State(service): State<Service>,
    caller: Caller,
    member: RequestMember,
    Id(id): Id<FormId>,
    RawQuery(query): RawQuery,
) -> Result<Response> {
    let mut query = ListQuery::parse(&query.unwrap_or_default())?;
    prepare_filter(&service, &caller.account.id, &member, &mut query.filter).await?;
    if !caller.covers_form(&id) {
        check_owner(&service, &caller, &id).await?;
    }
    let sorts_by_field = query.sort.as_ref().is_some_and(Sort::is_by_field);
    if !query.filter.fields.is_empty() || sorts_by_field {
        let form = find_form(&service, &caller, &id).await?;
        query.filter.fields.resolve(&form.fields)?;
        if let Some(sort) = &mut query.sort {
            sort.resolve(&form.fields)?;
        }
    }
    if let Some(sort) = query.sort.take() {
        return sorted::list_sorted(&service, &caller, &id, query, sort).await;
    }
    let environment = caller.environment;
    let listing = CursorScope { form: Some(&id), environment, filter: &query.filter };
    let after = match &query.cursor {
        None => None,
        Some(cursor) => {
            let position = service.cursors().decode(listing, cursor);
            if position.is_none() {
                // Without access to the form, the response must not depend on the cursor.
                check_owner(&service, &caller, &id).await?;
            }
            Some(position.ok_or_else(Error::cursor)?)
        }
    };
    let owner = Owner { account_id: caller.account.id.clone(), environment };
    let limit = usize::from(query.limit);
    let store = service.store();
    let page = store.list_page(&owner, &id, &query.filter, after.as_ref(), limit).await?;
    let Some(Page { rows, has_more, total }) = page else {
        check_owner(&service, &caller, &id).await?;
        return Err(Error::not_found("form"));
    };
    let last = rows.last().filter(|_| has_more);
    let next_cursor = last.map(|last| service.cursors().encode(listing, &last.position));
    let pagination = Pagination { total, limit: query.limit, has_more, next_cursor };
    page_response(&rows, &pagination)
}

/// Returns the response of a page, with the stored JSON of its submissions.
pub(super) fn page_response(
    rows: &[StoredSubmission],
    pagination: &Pagination,
) -> Result<Response> {
    let bytes: usize = rows.iter().map(|row| row.json.len() + 1).sum();
    let mut body = Vec::with_capacity(bytes + ENVELOPE_BYTES);
    body.extend_from_slice(b"{\"data\":[");
    for (n, row) in rows.iter().enumerate() {
        body.extend_from_slice(if n > 0 { b"," } else { b"" });
        body.extend_from_slice(row.json.as_bytes());
    }
    body.extend_from_slice(b"],\"pagination\":");
    serde_json::to_writer(&mut body, pagination).map_err(Error::internal)?;
    body.push(b'}');
    Ok(json_response(body))
}

/// `GET /v1/submissions/{id}` (section 4.2).
pub(crate) async fn get_submission(
    State(service): State<Service>,
    caller: Caller,
    Id(id): Id<SubmissionId>,
) -> Result<Response> {
    let submission = find_submission(&service, &caller, &id).await?;
    Ok(json_response(["{\"data\":", &submission.json, "}"].concat().into_bytes()))
}

/// `DELETE /v1/submissions/{id}` (section 4.3).
pub(crate) async fn delete_submission(
    State(service): State<Service>,
    caller: Caller,
    actor: RequestActor,
    Id(id): Id<SubmissionId>,
) -> Result<StatusCode> {
    find_submission(&service, &caller, &id).await?;
    caller.check_write()?;
    let event = actor
        .caller_event(&service, &caller, Action::SubmissionDeleted)
        .with_object("submission", &id);
    let was_there = service.with_audit(event).delete_submission(&id).await?;
    if was_there { Ok(StatusCode::NO_CONTENT) } else { Err(Error::not_found("submission")) }
}

/// Returns a form that the caller may read. Fails with 404 if the account does not own it or a user
/// has no access to it, and with 403 if it belongs to the other environment or is not a form of the
/// key.
pub(crate) async fn find_form(service: &Service, caller: &Caller, id: &FormId) -> Result<Form> {
    let found = service.store().find_form(id).await?;
    let own = found.filter(|record| record.account_id == caller.account.id);
    let own = own.filter(|_| caller.knows_form(id));
    let form = own.ok_or_else(|| Error::not_found("form"))?.form;
    check_scope(caller, "form", form.environment, id)?;
    Ok(form)
}

/// Checks access like [`find_form`], but does not load the form.
async fn check_owner(service: &Service, caller: &Caller, id: &FormId) -> Result<()> {
    let found = service.store().find_owner(id).await?;
    let own = found.filter(|owner| owner.account_id == caller.account.id);
    let own = own.filter(|_| caller.knows_form(id));
    let own = own.ok_or_else(|| Error::not_found("form"))?;
    check_scope(caller, "form", own.environment, id)
}

/// Fails with 403 if a resource of the account is in the other environment or in a form that is not
/// the key's.
fn check_scope(caller: &Caller, noun: &str, environment: Environment, form: &FormId) -> Result<()> {
    if environment != caller.environment {
        return Err(Error::other_environment(noun, environment));
    }
    if caller.covers_form(form) { Ok(()) } else { Err(Error::other_form(noun)) }
}

/// Returns a submission that the caller may access, by the same rules as [`find_form`].
async fn find_submission(
    service: &Service,
    caller: &Caller,
    id: &SubmissionId,
) -> Result<StoredSubmission> {
    let found = service.store().find_submission(id).await?;
    let found = found.ok_or_else(|| Error::not_found("submission"))?;
    if found.account_id != caller.account.id || !caller.knows_form(&found.form_id) {
        return Err(Error::not_found("submission"));
    }
    check_scope(caller, "submission", found.environment, &found.form_id)?;
    Ok(found.submission)
}

/// Bytes of a page's JSON around its submissions, for reserving capacity.
const ENVELOPE_BYTES: usize = 512;
/// Number of response headers, for reserving capacity.
const HEADERS_MAX: usize = 8;

fn json_response(body: Vec<u8>) -> Response {
    let mut response = Response::new(Body::from(body));
    let headers = response.headers_mut();
    headers.reserve(HEADERS_MAX);
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
