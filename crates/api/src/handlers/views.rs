//! Routes for the saved views of a form (additive): list, create, update and delete.
//!
//! Editors and readers change only their private views. Only changes of shared views have an audit
//! entry.

use super::body;
use super::own_form::OwnForm;
use crate::error::{Error, Result};
use crate::router::Id;
use axum::extract::Request;
use axum::{Extension, Json};
use contract::audit::Action;
use contract::view::{
    DatePreset, NewView, VIEW_TEXT_CHARS_MAX, ViewChange, normalize_query, validate_view_name,
};
use contract::{Data, Role, View, ViewId};
use http::StatusCode;
use std::sync::Arc;
use store::views::ViewKey;
use store::{Store, StoreError, ids};

/// Expected request bodies, for error messages.
const NEW_BODY: &str = r#"{"name": "…", "query": "status=open", "shared": true or false}"#;
const CHANGE_BODY: &str = r#"{"name": "…", "query": "…", "is_default": true or false}"#;
/// Error message of an editor's or reader's request to change a shared view.
pub(crate) const OWNER_SHARES: &str =
    "only the account's owner can share a view and change shared ones; create a private view";

/// `GET /account/forms/{form_id}/views`: lists the shared views, then the member's private ones.
pub(crate) async fn list_views(own: OwnForm) -> Result<Json<Data<Vec<View>>>> {
    let data = own.service.store().list_views(&own.form.id, &own.person()?).await?;
    Ok(Json(Data { data }))
}

/// `POST /account/forms/{form_id}/views`: creates a view.
pub(crate) async fn create_view(
    own: OwnForm,
    Extension(role): Extension<Role>,
    request: Request,
) -> Result<(StatusCode, Json<Data<View>>)> {
    let person = own.person()?;
    let new: NewView = body::read_json(request, NEW_BODY).await?;
    check_role(role, new.shared)?;
    let created_at = own.service.now();
    let view = View {
        id: ids::generate_view_id(created_at),
        name: validate_view_name(&new.name).map_err(Error::validation)?,
        query: check_query(&new.query, new.dates)?,
        dates: new.dates,
        columns: check_columns(new.columns)?,
        shared: new.shared,
        is_default: new.is_default,
        created_at,
    };
    let store = audited_store(&own, Action::ViewCreated, &view);
    let inserted = store.insert_view(&own.form.id, &person, view.clone()).await;
    if !inserted.map_err(name_taken)? {
        return Err(Error::not_found("form"));
    }
    Ok((StatusCode::CREATED, Json(Data { data: view })))
}

/// `PATCH /account/forms/{form_id}/views/{view_id}`: changes a view.
pub(crate) async fn update_view(
    own: OwnForm,
    Id(id): Id<ViewId>,
    Extension(role): Extension<Role>,
    request: Request,
) -> Result<Json<Data<View>>> {
    let (key, view) = find_view(&own, id).await?;
    let mut change: ViewChange = body::read_json(request, CHANGE_BODY).await?;
    check_role(role, view.shared || change.shared == Some(true))?;
    if change == ViewChange::default() {
        return Err(Error::validation(format!("the body is empty; give `{CHANGE_BODY}`")));
    }
    if let Some(name) = &change.name {
        change.name = Some(validate_view_name(name).map_err(Error::validation)?);
    }
    match (&change.query, change.dates) {
        (Some(query), dates) => change.query = Some(check_query(query, dates.flatten())?),
        (None, Some(_)) => {
            return Err(Error::validation("`dates` needs a new `query`; send both"));
        }
        (None, None) => {}
    }
    change.columns = change.columns.map(check_columns).transpose()?;
    let mut changed = view.clone();
    change.clone().apply(&mut changed);
    // A view that is not shared any more was shared before.
    let logged = View { shared: view.shared || changed.shared, ..changed };
    let store = audited_store(&own, Action::ViewSet, &logged);
    let updated = store.update_view(&key, change).await.map_err(name_taken)?;
    Ok(Json(Data { data: updated.ok_or_else(|| Error::not_found("view"))? }))
}

/// `DELETE /account/forms/{form_id}/views/{view_id}`: deletes a view.
pub(crate) async fn delete_view(
    own: OwnForm,
    Id(id): Id<ViewId>,
    Extension(role): Extension<Role>,
) -> Result<StatusCode> {
    let (key, view) = find_view(&own, id).await?;
    check_role(role, view.shared)?;
    let was_there = audited_store(&own, Action::ViewDeleted, &view).delete_view(&key).await?;
    if was_there { Ok(StatusCode::NO_CONTENT) } else { Err(Error::not_found("view")) }
}

/// Returns a view of a form that the signed-in member has, or the 404 error.
async fn find_view(own: &OwnForm, view: ViewId) -> Result<(ViewKey, View)> {
    let key = ViewKey { form: own.form.id.clone(), person: own.person()?, view };
    let view = own.service.store().find_view(&key).await?;
    Ok((key, view.ok_or_else(|| Error::not_found("view"))?))
}

fn check_role(role: Role, shared: bool) -> Result<()> {
    if shared && role != Role::Owner { Err(Error::forbidden(OWNER_SHARES)) } else { Ok(()) }
}

/// Returns the normalized query of a view.
fn check_query(query: &str, dates: Option<DatePreset>) -> Result<String> {
    let (parsed, query) = normalize_query(query)
        .map_err(|problem| Error::validation(format!("in `query`, {problem}")))?;
    let filter = parsed.filter;
    if dates.is_some() && (filter.date_from.is_some() || filter.date_to.is_some()) {
        return Err(Error::validation(
            "`query` has `date_from` or `date_to`; leave them out, or leave out `dates`",
        ));
    }
    check_length("query", &query)?;
    Ok(query)
}

fn check_columns(columns: String) -> Result<String> {
    check_length("columns", &columns)?;
    if columns.contains(char::is_control) {
        return Err(Error::validation("`columns` has a control character; leave it out"));
    }
    Ok(columns)
}

fn check_length(name: &str, text: &str) -> Result<()> {
    let count = text.chars().count();
    if count > VIEW_TEXT_CHARS_MAX {
        let message =
            format!("`{name}` must have at most {VIEW_TEXT_CHARS_MAX} characters, but has {count}");
        return Err(Error::validation(message));
    }
    Ok(())
}

/// Returns the store that logs the next write, if it concerns a shared view.
fn audited_store(own: &OwnForm, action: Action, view: &View) -> Arc<dyn Store> {
    if !view.shared {
        return Arc::clone(own.service.store());
    }
    let event = own.part_event(action, "view", &view.id).with_user_text("view", &view.name);
    own.service.with_audit(event)
}

/// Converts the error of a name that is taken.
fn name_taken(error: StoreError) -> Error {
    match error {
        StoreError::Exists(_) => Error::conflict(format!("{error}; choose another name")),
        error => error.into(),
    }
}
