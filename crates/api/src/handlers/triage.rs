//! Routes for the triage of submissions (additive): statuses and tags of the account, and status,
//! star, tags and assignee of submissions.

use super::body;
use super::filter::{prepare_filter, unknown_status};
use super::own_form::OwnForm;
use crate::Service;
use crate::audit::{NOT_SIGNED_IN, RequestActor, RequestMember};
use crate::error::{Error, Result};
use crate::router::Id;
use axum::extract::{RawQuery, Request, State};
use axum::{Extension, Json};
use contract::audit::{Action, AuditEvent};
use contract::trash::IDS_MAX;
use contract::triage::{
    AccountTriage, Member, Reader, SubmissionTriage, SubmissionsUpdate, TAGS_MAX, Tag,
    TriageChange, TriageDetail, TriageQuery, TriageSettings, TriageSettingsUpdate, UnreadCount,
    UpdatedSubmissions,
};
use contract::{
    AccountId, Data, Filter, FormAccess, FormId, PersonId, QueryError, Role, SubmissionId, Triage,
};
use std::sync::Arc;
use store::PersonRecord;
use store::triage::{SettingsOutcome, TriageUpdate, UPDATE_MAX, UpdateOutcome};
use store::unlisted::Selection;

/// Expected request bodies, for error messages.
const SETTINGS_BODY: &str =
    r#"{"statuses": [{"id": "…", "name": "…"}], "tags": [{"name": "…", "color": "gray"}]}"#;
const UPDATE_BODY: &str =
    r#"{"ids": ["sub_…"], "set": {…}} or {"filter": "…", "count": 12, "set": {…}}"#;
/// Error message if the statuses or tags were changed concurrently.
pub(crate) const SETTINGS_CHANGED: &str =
    "the statuses or tags have changed and differ from `before`; load them again";

/// `GET /account/triage`: returns the statuses, tags and members of the account.
pub(crate) async fn get_settings(
    State(service): State<Service>,
    Extension(account): Extension<AccountId>,
    member: RequestMember,
) -> Result<Json<Data<AccountTriage>>> {
    let TriageSettings { statuses, tags } = service.store().find_triage_settings(&account).await?;
    let people = service.store().list_people(&account).await?.into_iter();
    let members =
        people.map(|PersonRecord { person, .. }| Member { id: person.id, email: person.email });
    let members = members.collect();
    let person_id = member.person(&account).cloned();
    Ok(Json(Data { data: AccountTriage { statuses, tags, members, person_id } }))
}

/// `PUT /account/triage`: replaces the statuses and tags of the account.
pub(crate) async fn set_settings(
    State(service): State<Service>,
    Extension(account): Extension<AccountId>,
    actor: RequestActor,
    request: Request,
) -> Result<Json<Data<TriageSettings>>> {
    let update: TriageSettingsUpdate = body::read_json(request, SETTINGS_BODY).await?;
    let TriageSettingsUpdate { statuses, tags, before } = update;
    let mut settings = TriageSettings { statuses, tags };
    settings.check().map_err(|problem| Error::validation(problem.to_string()))?;
    for status in &mut settings.statuses {
        status.name = status.name.trim().to_owned();
    }
    let event = actor
        .account_event(&service, &account, Action::TriageSet)
        .with_object("account", &account)
        .with_value("statuses", settings.statuses.len())
        .with_value("tags", settings.tags.len());
    let store = service.with_audit(event);
    match store.set_triage_settings(&account, before, settings.clone()).await? {
        SettingsOutcome::Set => Ok(Json(Data { data: settings })),
        SettingsOutcome::StatusUsed(status) => Err(Error::conflict(format!(
            "submissions have the status `{status}`, in the list, spam or trash; give them \
             another status before you remove it"
        ))),
        SettingsOutcome::Changed => Err(Error::conflict(SETTINGS_CHANGED)),
    }
}

/// `GET /account/forms/{form_id}/triage`: lists the triage of submissions that differ from a new
/// one.
pub(crate) async fn list_triage(
    OwnForm { service, account, actor, form }: OwnForm,
    RawQuery(query): RawQuery,
) -> Result<Json<Data<Vec<SubmissionTriage>>>> {
    let TriageQuery { ids } = TriageQuery::parse(&query.unwrap_or_default())?;
    let mut listed = service.store().list_triage(&form.id, &ids).await?;
    let reader = actor.member().find_reader(&service, &account).await?;
    for id in list_read(&service, &form.id, &ids, reader.as_ref()).await? {
        if let Some(known) = listed.iter_mut().find(|known| known.id == id) {
            known.triage.read = true;
        } else {
            let triage = Triage { read: true, ..Triage::default() };
            listed.push(SubmissionTriage { id, triage, notes_count: 0 });
        }
    }
    Ok(Json(Data { data: listed }))
}

/// Returns those of a form's listed submissions that the signed-in member has read.
async fn list_read(
    service: &Service,
    form: &FormId,
    ids: &[SubmissionId],
    reader: Option<&Reader>,
) -> Result<Vec<SubmissionId>> {
    match reader {
        None => Ok(Vec::new()),
        Some(reader) => Ok(service.store().list_read(form, ids, reader).await?),
    }
}

/// `GET /account/unread`: counts the unread submissions of each form that the user has access to.
pub(crate) async fn count_unread(
    State(service): State<Service>,
    Extension(account): Extension<AccountId>,
    Extension(access): Extension<FormAccess>,
    member: RequestMember,
) -> Result<Json<Data<Vec<UnreadCount>>>> {
    let reader = member.find_reader(&service, &account).await?;
    let mut data = match reader {
        None => Vec::new(),
        Some(reader) => service.store().count_unread(&account, &reader).await?,
    };
    data.retain(|count| access.covers(&count.form_id));
    Ok(Json(Data { data }))
}

/// `GET /account/forms/{form_id}/submissions/{id}`: returns triage, notes and history.
pub(crate) async fn get_detail(
    OwnForm { service, account, actor, form }: OwnForm,
    Id(id): Id<SubmissionId>,
) -> Result<Json<Data<TriageDetail>>> {
    let found = service.store().find_triage(&form.id, &id).await?;
    let mut detail = found.ok_or_else(|| Error::not_found("submission"))?;
    let reader = actor.member().find_reader(&service, &account).await?;
    let read = list_read(&service, &form.id, std::slice::from_ref(&id), reader.as_ref()).await?;
    detail.triage.read = !read.is_empty();
    Ok(Json(Data { data: detail }))
}

/// `PATCH /account/forms/{form_id}/submissions`: changes the triage of submissions. Readers may
/// change only their own read state, which has no audit entry.
pub(crate) async fn update_submissions(
    own: OwnForm,
    Extension(role): Extension<Role>,
    request: Request,
) -> Result<Json<Data<UpdatedSubmissions>>> {
    let OwnForm { service, account, actor, form } = &own;
    let member = actor.member();
    let reader = member.find_reader(service, account).await?;
    let reader = reader.ok_or_else(|| Error::unauthorized(NOT_SIGNED_IN))?;
    let update: SubmissionsUpdate = body::read_json(request, UPDATE_BODY).await?;
    let (change, with_undo) = (update.set.clone(), update.undo);
    if !role.can_triage() && !change.changes_only_read() {
        return Err(Error::editor_only());
    }
    check_change(service, account, &change).await?;
    let mut selection = parse_selection(update)?;
    if let Selection::Matching { filter, .. } = &mut selection {
        filter.fields.resolve(&form.fields).map_err(|problem| invalid_filter(&problem))?;
        prepare_filter(service, account, &member, filter).await?;
    }
    let store = if change.changes_only_read() {
        Arc::clone(service.store())
    } else {
        service.with_audit(with_change(own.event(Action::SubmissionsUpdated), &change))
    };
    let at = service.now();
    let form = form.id.clone();
    let update = TriageUpdate { form, selection, change, reader, at, with_undo };
    match store.update_triage(update).await? {
        None => Err(Error::not_found("form")),
        Some(UpdateOutcome::Changed(changed, undo)) => {
            Ok(Json(Data { data: UpdatedSubmissions { changed, undo } }))
        }
        Some(UpdateOutcome::CountDiffers(count)) => Err(Error::conflict(format!(
            "{count} submissions match the filter now; check the list and confirm this count"
        ))),
        Some(UpdateOutcome::UnknownStatus(status)) => Err(unknown_status(status.as_str())),
        Some(UpdateOutcome::TooManyTags(problem)) => Err(Error::validation(problem.to_string())),
        Some(UpdateOutcome::Account(problem)) => Err(Error::validation(problem.to_string())),
    }
}

fn parse_selection(update: SubmissionsUpdate) -> Result<Selection> {
    match (update.ids, update.filter, update.count) {
        (Some(ids), None, None) if (1..=IDS_MAX).contains(&ids.len()) => Ok(Selection::Ids(ids)),
        (Some(ids), None, None) => {
            let count = ids.len();
            let message = format!("`ids` must have 1 to {IDS_MAX} ids, but has {count}");
            Err(Error::validation(message))
        }
        (None, Some(_), Some(count)) if count > UPDATE_MAX => Err(Error::validation(format!(
            "one request changes at most {UPDATE_MAX} submissions, but `count` is {count}; narrow \
             the filter"
        ))),
        (None, Some(filter), Some(count)) => {
            let filter = Filter::parse(&filter).map_err(|problem| invalid_filter(&problem))?;
            Ok(Selection::matching(filter, count))
        }
        (Some(_), _, _) => {
            Err(Error::validation("give either `ids` or `filter` with `count`, not both"))
        }
        (None, _, _) => Err(Error::validation(format!("the body must be `{UPDATE_BODY}`"))),
    }
}

fn invalid_filter(problem: &QueryError) -> Error {
    Error::validation(format!("in `filter`, {problem}"))
}

/// Checks that a change has an effect, and that its assignee exists. The store checks the status.
async fn check_change(service: &Service, account: &AccountId, change: &TriageChange) -> Result<()> {
    if change.is_empty() {
        let message = "`set` is empty; give a `status`, `read`, `starred`, `assignee`, `add_tags` \
                       or `remove_tags`";
        return Err(Error::validation(message));
    }
    for (name, tags) in [("add_tags", &change.add_tags), ("remove_tags", &change.remove_tags)] {
        if tags.len() > TAGS_MAX {
            let count = tags.len();
            let message = format!("`{name}` must have at most {TAGS_MAX} tags, but has {count}");
            return Err(Error::validation(message));
        }
    }
    if let Some(Some(person)) = &change.assignee {
        let found = service.store().find_person(person).await?;
        if found.is_none_or(|person| person.account_id != *account) {
            return Err(Error::validation(format!(
                "`assignee` is `{person}`, which is not a member of this account"
            )));
        }
    }
    Ok(())
}

/// Adds a change to an audit event.
fn with_change(mut event: AuditEvent, change: &TriageChange) -> AuditEvent {
    if let Some(status) = &change.status {
        event = event.with_value("status", status.as_str());
    }
    if let Some(read) = change.read {
        event = event.with_value("read", read);
    }
    if let Some(starred) = change.starred {
        event = event.with_value("starred", starred);
    }
    if let Some(assignee) = &change.assignee {
        event = event.with_value("assignee", assignee.as_ref().map(PersonId::as_str));
    }
    for (name, tags) in [("add_tags", &change.add_tags), ("remove_tags", &change.remove_tags)] {
        if !tags.is_empty() {
            let names: Vec<&str> = tags.iter().map(Tag::as_str).collect();
            event = event.with_user_text(name, &names.join(", "));
        }
    }
    event
}
