//! Owner's routes for the spam of a form (additive): list, release, delete. Requests that mark
//! submissions as spam are in `trash.rs`.

use super::forms;
use super::page::{self, SerializedRow};
use crate::Service;
use crate::audit::RequestActor;
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
    let form = forms::find_own_form(&service, &account, &id).await?;
    let filter = Filter::default();
    let listing =
        CursorScope { form: Some(&form.id), environment: form.environment, filter: &filter };
    let cursors = service.cursors().for_spam();
    let after_position = match &query.cursor {
        Some(cursor) => Some(cursors.decode(listing, cursor).ok_or_else(Error::cursor)?),
        None => None,
    };
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
pub(crate) async fn release_spam(
    State(service): State<Service>,
    Extension(account): Extension<AccountId>,
    actor: RequestActor,
    Id(form): Id<FormId>,
    Id(id): Id<SubmissionId>,
) -> Result<StatusCode> {
    let own = forms::find_own_form(&service, &account, &form).await?;
    let event = actor.account_event(&service, &account, Action::SpamReleased).with_form(&own);
    let event = event.with_object("submission", &id);
    let chosen = UnlistedSelection::Ids(vec![id]);
    let restored =
        service.with_audit(event).restore_submissions(&form, Unlisted::Spam, chosen).await?;
    service.intake_state().evict_form(&form);
    if restored > 0 { Ok(StatusCode::NO_CONTENT) } else { Err(Error::not_found("submission")) }
}

/// `DELETE /account/forms/{form_id}/spam/{id}`: deletes a submission in the spam.
pub(crate) async fn delete_spam(
    State(service): State<Service>,
    Extension(account): Extension<AccountId>,
    actor: RequestActor,
    Id(form): Id<FormId>,
    Id(id): Id<SubmissionId>,
) -> Result<StatusCode> {
    let own = forms::find_own_form(&service, &account, &form).await?;
    let event = actor.account_event(&service, &account, Action::SpamDeleted).with_form(&own);
    let store = service.with_audit(event.with_object("submission", &id));
    let deleted =
        store.delete_unlisted(&form, Unlisted::Spam, UnlistedSelection::Ids(vec![id])).await?;
    if deleted > 0 { Ok(StatusCode::NO_CONTENT) } else { Err(Error::not_found("submission")) }
}

/// `DELETE /account/forms/{form_id}/spam`: deletes all spam. Succeeds if the list is empty.
pub(crate) async fn delete_all_spam(
    State(service): State<Service>,
    Extension(account): Extension<AccountId>,
    actor: RequestActor,
    Id(id): Id<FormId>,
) -> Result<StatusCode> {
    let own = forms::find_own_form(&service, &account, &id).await?;
    let event = actor.account_event(&service, &account, Action::SpamDeleted).with_form(&own);
    service.with_audit(event).delete_unlisted(&id, Unlisted::Spam, UnlistedSelection::All).await?;
    Ok(StatusCode::NO_CONTENT)
}
