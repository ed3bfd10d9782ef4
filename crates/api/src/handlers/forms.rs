//! Owner's routes for forms (additive): list, get, create, rename, duplicate, delete, and fields.

use super::own_form::{OwnForm, find_own_form};
use super::{body, page, submissions};
use crate::Service;
use crate::audit::RequestActor;
use crate::error::{Error, Result};
use crate::fields;
use crate::message::quotable;
use crate::middleware::auth::Caller;
use crate::router::Id;
use axum::extract::{RawQuery, Request, State};
use axum::{Extension, Json};
use contract::audit::Action;
use contract::form::{fields_bytes, validate_form_name};
use contract::page::{LIMIT_DEFAULT, LIMIT_MAX};
use contract::{
    AccountId, Data, Environment, FieldEdits, Form, FormAccess, FormCopy, FormId, FormName,
    ListQuery, NewForm, Page,
};
use http::StatusCode;
use store::ids;
use store::pages::count_fitting;
use store::{FormPosition, FormRecord};

/// Approximate bytes of a form's JSON without its fields.
const FORM_BYTES: usize = 500;
/// Approximate bytes of a field's JSON without its name and key.
const FIELD_BYTES: usize = 100;
/// Expected request bodies, for error messages.
const NEW_BODY: &str = r#"{"name": "…", "mode": "live" or "test", "fields": [{"name": "…"}]}"#;
const NAME_BODY: &str = r#"{"name": "…"}"#;
const FIELDS_BODY: &str = r#"{"fields": [{"id": "fld_…", "name": "…", "type": "text"}]}"#;

/// Error message if the fields were changed concurrently.
pub(crate) const FIELDS_CHANGED: &str = "the fields of this form have changed meanwhile; read the \
    form again, and send all of its fields";

/// `GET /account/forms`: lists the forms of both environments that the user has access to, oldest
/// first. A page ends early if the names of its fields are long.
pub(crate) async fn list_forms(
    State(service): State<Service>,
    Extension(account): Extension<AccountId>,
    Extension(access): Extension<FormAccess>,
    RawQuery(query): RawQuery,
) -> Result<Json<Page<Form>>> {
    let scope = FormScope { account: &account, environment: None, only: access.named() };
    list_page(&service, &scope, query, LIMIT_MAX).await
}

/// `GET /v1/forms` (additive): lists the caller's forms in the same way: all of its environment, or
/// those that it is limited to.
pub(crate) async fn list_forms_of_key(
    State(service): State<Service>,
    caller: Caller,
    RawQuery(query): RawQuery,
) -> Result<Json<Page<Form>>> {
    let scope = FormScope {
        account: &caller.account.id,
        environment: Some(caller.environment),
        only: caller.named_forms(),
    };
    list_page(&service, &scope, query, LIMIT_DEFAULT).await
}

/// `GET /v1/forms/{form_id}` (additive).
pub(crate) async fn get_form_of_key(
    State(service): State<Service>,
    caller: Caller,
    Id(id): Id<FormId>,
) -> Result<Json<Data<Form>>> {
    Ok(Json(Data { data: submissions::find_form(&service, &caller, &id).await? }))
}

/// Forms of a list.
struct FormScope<'a> {
    account: &'a AccountId,
    /// Environment of the forms; `None` for both.
    environment: Option<Environment>,
    /// Forms that the list is limited to; `None` for all forms.
    only: Option<&'a [FormId]>,
}

async fn list_page(
    service: &Service,
    scope: &FormScope<'_>,
    query: Option<String>,
    limit_default: u16,
) -> Result<Json<Page<Form>>> {
    let FormScope { account, environment, only } = *scope;
    let query = ListQuery::parse_with(&query.unwrap_or_default(), limit_default)?;
    if !query.filter.is_empty() || query.sort.is_some() {
        let message = "forms cannot be filtered; use only `limit` and `cursor`";
        return Err(Error::validation(message));
    }
    let cursors = service.cursors().for_forms(account, environment);
    let after = page::parse_cursor(query.cursor.as_deref(), |cursor| cursors.decode_form(cursor))?;
    let limit = usize::from(query.limit);
    let store = service.store();
    let found =
        store.list_forms_page(account, environment, only, after.as_ref(), limit + 1).await?;
    let length =
        |form: &Form| FORM_BYTES + fields_bytes(&form.fields) + FIELD_BYTES * form.fields.len();
    let count = count_fitting(found.forms.iter().take(limit).map(length));
    let next = |form: &Form| {
        let position = FormPosition { created_at: form.created_at, id: form.id.clone() };
        cursors.encode_form(&position)
    };
    Ok(Json(page::cut_page(found.forms, count, (found.total, query.limit), next)))
}

/// `GET /account/forms/{form_id}`.
pub(crate) async fn get_form(OwnForm { form, .. }: OwnForm) -> Json<Data<Form>> {
    Json(Data { data: form })
}

/// `POST /account/forms`.
pub(crate) async fn create_form(
    State(service): State<Service>,
    Extension(account): Extension<AccountId>,
    actor: RequestActor,
    request: Request,
) -> Result<(StatusCode, Json<Data<Form>>)> {
    let new: NewForm = body::read_json(request, NEW_BODY).await?;
    let name = validate_form_name(&new.name).map_err(Error::validation)?;
    let now = service.now();
    let wanted = fields::validate_fields(new.fields).map_err(Error::validation)?;
    let form = Form {
        id: ids::generate_form_id(now),
        name,
        environment: new.environment,
        analysis: new.analysis,
        fields: fields::create_fields(wanted, &[], || ids::generate_field_id(now)),
        created_at: now,
        submission_count: 0,
        last_submission_at: None,
        trash_days: contract::trash::DAYS_DEFAULT,
    };
    fields::check_total_bytes(&form.fields).map_err(Error::validation)?;
    let event = actor.account_event(&service, &account, Action::FormCreated).with_form(&form);
    let record = FormRecord { account_id: account, form: form.clone() };
    service.with_audit(event).insert_form(record).await?;
    Ok((StatusCode::CREATED, Json(Data { data: form })))
}

/// `PUT /account/forms/{form_id}`: renames a form.
pub(crate) async fn rename_form(own: OwnForm, request: Request) -> Result<Json<Data<Form>>> {
    let FormName { name } = body::read_json(request, NAME_BODY).await?;
    let name = validate_form_name(&name).map_err(Error::validation)?;
    let event = own.event(Action::FormRenamed);
    let event = event.with_user_text("name", &name).with_user_text("before", &own.form.name);
    let OwnForm { service, account, form, .. } = own;
    if !service.with_audit(event).rename_form(&form.id, name).await? {
        return Err(Error::not_found("form"));
    }
    Ok(Json(Data { data: find_own_form(&service, &account, &form.id).await? }))
}

/// `POST /account/forms/{form_id}/duplicate`: creates a form with the same fields and settings, and
/// no submissions.
pub(crate) async fn duplicate_form(
    OwnForm { service, account, actor, form: source }: OwnForm,
    request: Request,
) -> Result<(StatusCode, Json<Data<Form>>)> {
    let FormCopy { name } = body::read_json(request, NAME_BODY).await?;
    let name = name.map(|name| validate_form_name(&name)).transpose().map_err(Error::validation)?;
    let now = service.now();
    let form = fields::copy_form(&source, name, ids::generate_form_id(now), now, || {
        ids::generate_field_id(now)
    });
    let event = actor.account_event(&service, &account, Action::FormDuplicated).with_form(&form);
    let event = event.with_user_text("source", &source.name);
    let record = FormRecord { account_id: account, form: form.clone() };
    if !service.with_audit(event).duplicate_form(&source.id, record).await? {
        return Err(Error::not_found("form"));
    }
    Ok((StatusCode::CREATED, Json(Data { data: form })))
}

/// `POST /account/forms/{form_id}/delete`: deletes a form and all its data if the body repeats its
/// name. Requests no longer find the form; its rows are removed in the background.
pub(crate) async fn delete_form(own: OwnForm, request: Request) -> Result<StatusCode> {
    let OwnForm { service, form, .. } = &own;
    let FormName { name } = body::read_json(request, NAME_BODY).await?;
    if name.trim() != form.name {
        return Err(Error::validation(format!(
            "`name` must be the name of the form to delete, but is `{}`; nothing was deleted",
            quotable(&name)
        )));
    }
    let event = own.event(Action::FormDeleted).with_value("submissions", form.submission_count);
    if !service.with_audit(event).delete_form(&form.id).await? {
        return Err(Error::not_found("form"));
    }
    service.intake_state().evict_form(&form.id);
    service.finish_deletions();
    Ok(StatusCode::NO_CONTENT)
}

/// `PUT /account/forms/{form_id}/fields`: renames, reorders, adds, hides and deletes fields. Takes
/// effect at once for intake, lists and exports.
pub(crate) async fn set_fields(own: OwnForm, request: Request) -> Result<Json<Data<Form>>> {
    let edits: FieldEdits = body::read_json(request, FIELDS_BODY).await?;
    let deleted = edits.fields.iter().filter(|edit| edit.delete).count();
    let now = own.service.now();
    let new_id = || ids::generate_field_id(now);
    let edited =
        fields::apply_edits(&own.form.fields, edits.fields, new_id).map_err(Error::validation)?;
    let event = own.event(Action::FieldsSet).with_value("fields", edited.len());
    let event = if deleted > 0 { event.with_value("deleted", deleted) } else { event };
    let OwnForm { service, account, form: Form { id, fields, .. }, .. } = own;
    if !service.with_audit(event).replace_fields(&id, fields, edited).await? {
        return Err(Error::conflict(FIELDS_CHANGED));
    }
    service.intake_state().evict_form(&id);
    Ok(Json(Data { data: find_own_form(&service, &account, &id).await? }))
}
