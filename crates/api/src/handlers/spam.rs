//! Owner's routes for the spam of a form (additive): list, release, delete. Requests that mark
//! submissions as spam are in `trash.rs`.

use super::own_form::{OwnForm, find_own_form};
use super::page::{self, SerializedRow};
use crate::Service;
use crate::cursor::CursorScope;
use crate::error::{Error, Result};
use crate::router::Id;
use axum::Extension;
use axum::extract::{RawQuery, State};
use axum::response::Response;
use contract::audit::Action;
use contract::{AccountId, Filter, FormId, ListQuery, SubmissionId, Timestamp};
use http::StatusCode;
use store::Position;
use store::unlisted::{SPAM_AGE_MAX, SpamRow, UnlistedSelection, UnlistedState as Unlisted};

/// `GET /account/forms/{form_id}/spam`: lists spam, newest first.
pub(crate) async fn list_spam(
    State(service): State<Service>,
    Extension(account): Extension<AccountId>,
    Id(id): Id<FormId>,
    RawQuery(query): RawQuery,
) -> Result<Response> {
    let query = ListQuery::parse(&query.unwrap_or_default())?;
    if !query.filter.is_empty() || query.sort.is_some() {
        let message = "spam cannot be filtered; use only `limit` and `cursor`";
        return Err(Error::validation(message));
    }
    let form = find_own_form(&service, &account, &id).await?;
    let filter = Filter::default();
    let listing =
        CursorScope { form: Some(&form.id), environment: form.environment, filter: &filter };
    let cursors = service.cursors().for_spam();
    let after_position =
        page::parse_cursor(query.cursor.as_deref(), |cursor| cursors.decode(listing, cursor))?;
    let limit = usize::from(query.limit);
    let after = oldest_listed(service.now());
    let page = service.store().list_spam(&id, after, after_position.as_ref(), limit + 1).await?;
    let written = page
        .rows
        .iter()
        .map(|it| SerializedRow { position: &it.position, json: spam_row_json(it) });
    let next = |position: &Position| cursors.encode(listing, position);
    page::page_response(written.collect(), page.total, query.limit, next)
}

fn spam_row_json(row: &SpamRow) -> String {
    format!("{{\"reason\":\"{}\",\"submission\":{}}}", row.reason.as_str(), row.json)
}

/// Returns the time of the oldest spam in the list. Older spam is not listed and is deleted soon.
fn oldest_listed(now: Timestamp) -> Timestamp {
    let age = i64::try_from(SPAM_AGE_MAX.as_micros()).unwrap_or(i64::MAX);
    Timestamp::from_micros(now.micros().saturating_sub(age)).unwrap_or(Timestamp::MIN)
}

/// `POST /account/forms/{form_id}/spam/{id}/release`: moves a submission back to the list.
pub(crate) async fn release_spam(own: OwnForm, Id(id): Id<SubmissionId>) -> Result<StatusCode> {
    let event = own.event(Action::SpamReleased).with_object("submission", &id);
    let store = own.service.with_audit(event);
    let chosen = UnlistedSelection::Ids(vec![id]);
    let restored = store.restore_submissions(&own.form.id, Unlisted::Spam, chosen).await?;
    own.service.intake_state().evict_form(&own.form.id);
    if restored > 0 { Ok(StatusCode::NO_CONTENT) } else { Err(Error::not_found("submission")) }
}

/// `DELETE /account/forms/{form_id}/spam/{id}`: deletes a submission in the spam.
pub(crate) async fn delete_spam(own: OwnForm, Id(id): Id<SubmissionId>) -> Result<StatusCode> {
    let event = own.event(Action::SpamDeleted).with_object("submission", &id);
    let store = own.service.with_audit(event);
    let chosen = UnlistedSelection::Ids(vec![id]);
    let deleted = store.delete_unlisted(&own.form.id, Unlisted::Spam, chosen).await?;
    if deleted > 0 { Ok(StatusCode::NO_CONTENT) } else { Err(Error::not_found("submission")) }
}

/// `DELETE /account/forms/{form_id}/spam`: deletes all spam. Succeeds if the list is empty.
pub(crate) async fn delete_all_spam(own: OwnForm) -> Result<StatusCode> {
    let store = own.service.with_audit(own.event(Action::SpamDeleted));
    store.delete_unlisted(&own.form.id, Unlisted::Spam, UnlistedSelection::All).await?;
    Ok(StatusCode::NO_CONTENT)
}
