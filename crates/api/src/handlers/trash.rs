//! Routes for the trash of a form (additive): move, list, restore, delete permanently, and
//! retention. Requests that mark submissions as spam and restore spam work the same way. Editors
//! move and restore; only the owner deletes permanently and sets the retention.

use super::body;
use super::filter::prepare_filter;
use super::own_form::{OwnForm, find_own_form};
use super::page::{self, SerializedRow};
use crate::Service;
use crate::audit::RequestActor;
use crate::cursor::CursorScope;
use crate::error::{Error, Result};
use crate::router::Id;
use axum::extract::{RawQuery, Request, State};
use axum::response::Response;
use axum::{Extension, Json};
use contract::audit::Action;
use contract::trash::{
    AffectedCount, DAYS_MAX, IDS_MAX, MoveRequest, MoveResult, TrashRequest, TrashSettings,
};
use contract::{AccountId, Data, Filter, FormId, ListQuery, Role, SubmissionId};
use store::ids;
use store::unlisted::{
    MoveOutcome, Selection, UnlistRequest, UnlistedSelection, UnlistedState as Unlisted,
};
use store::unlisted::{TrashQuery, TrashRow};
use store::{Position, StoreError};

/// Expected request bodies, for error messages.
const MOVE_BODY: &str = r#"{"ids": ["sub_…"]} or {"count": 12}"#;
const SELECTION_BODY: &str = r#"{"ids": ["sub_…"]} or {"batch": "bat_…"}"#;
const SETTINGS_BODY: &str = r#"{"days": 30}"#;
/// Error message of an editor's request to delete permanently.
const OWNER_DELETES: &str =
    "only the account's owner can delete permanently; omit `permanent` to move to the trash";
/// Error message of the owner's request to move to a trash that is off.
pub(crate) const TRASH_OFF: &str =
    "trash is off for this form; to delete permanently, send `\"permanent\": true`";

/// `GET /account/forms/{form_id}/trash`: lists the trash, newest submissions first.
pub(crate) async fn list_trash(
    State(service): State<Service>,
    Extension(account): Extension<AccountId>,
    Id(id): Id<FormId>,
    RawQuery(query): RawQuery,
) -> Result<Response> {
    let query = ListQuery::parse(&query.unwrap_or_default())?;
    let filter = query.filter;
    if !(Filter { search: None, ..filter.clone() }).is_empty() || query.sort.is_some() {
        let message = "the trash can be filtered by `search` only; omit the other filters";
        return Err(Error::validation(message));
    }
    let form = find_own_form(&service, &account, &id).await?;
    let listing =
        CursorScope { form: Some(&form.id), environment: form.environment, filter: &filter };
    let cursors = service.cursors().for_trash();
    let after_position =
        page::parse_cursor(query.cursor.as_deref(), |cursor| cursors.decode(listing, cursor))?;
    let limit = usize::from(query.limit);
    let search = filter.search.clone();
    let trash_query = TrashQuery {
        form: id.clone(),
        search,
        now: service.now(),
        after: after_position,
        rows_max: limit + 1,
    };
    let page = service.store().list_trash(trash_query).await?;
    let written = page
        .rows
        .iter()
        .map(|it| SerializedRow { position: &it.position, json: trash_row_json(it) });
    let next = |position: &Position| cursors.encode(listing, position);
    page::page_response(written.collect(), page.total, query.limit, next)
}

fn trash_row_json(TrashRow { moved_at, batch, json, .. }: &TrashRow) -> String {
    format!("{{\"trashed_at\":\"{moved_at}\",\"batch\":\"{batch}\",\"submission\":{json}}}")
}

/// `POST /account/forms/{form_id}/trash`: moves submissions to the trash.
pub(crate) async fn move_to_trash(
    State(service): State<Service>,
    Extension(account): Extension<AccountId>,
    Extension(role): Extension<Role>,
    actor: RequestActor,
    Id(id): Id<FormId>,
    request: Request,
) -> Result<Json<Data<MoveResult>>> {
    move_submissions(&service, (&account, role), actor, id, request, Unlisted::Trash).await
}

/// `POST /account/forms/{form_id}/spam`: marks submissions as spam.
pub(crate) async fn mark_spam(
    State(service): State<Service>,
    Extension(account): Extension<AccountId>,
    Extension(role): Extension<Role>,
    actor: RequestActor,
    Id(id): Id<FormId>,
    request: Request,
) -> Result<Json<Data<MoveResult>>> {
    move_submissions(&service, (&account, role), actor, id, request, Unlisted::Spam).await
}

async fn move_submissions(
    service: &Service,
    (account, role): (&AccountId, Role),
    actor: RequestActor,
    form: FormId,
    request: Request,
    state: Unlisted,
) -> Result<Json<Data<MoveResult>>> {
    let mut query = ListQuery::parse(request.uri().query().unwrap_or_default())?;
    if query != (ListQuery { filter: query.filter.clone(), ..ListQuery::default() }) {
        return Err(Error::validation(
            "`limit`, `cursor` and `sort` are not supported here; omit them",
        ));
    }
    prepare_filter(service, account, &actor.member(), &mut query.filter).await?;
    let found = find_own_form(service, account, &form).await?;
    query.filter.fields.resolve(&found.fields)?;
    let move_request: MoveRequest = body::read_json(request, MOVE_BODY).await?;
    let is_permanent = move_request.permanent;
    if is_permanent && state == Unlisted::Trash && role != Role::Owner {
        return Err(Error::forbidden(OWNER_DELETES));
    }
    let selection = parse_selection(query.filter, move_request)?;
    let (action, at) = match state {
        Unlisted::Trash => (Action::SubmissionsTrashed, service.now()),
        Unlisted::Spam => (Action::SpamMarked, service.now()),
    };
    let event = actor.account_event(service, account, action).with_form(&found);
    let batch = ids::generate_batch_id(at);
    let request = UnlistRequest { form, selection, state, batch: batch.clone(), at, is_permanent };
    match service.with_audit(event).move_submissions(request).await? {
        None => Err(Error::not_found("form")),
        Some(MoveOutcome::Changed(count)) => Err(Error::conflict(format!(
            "{count} submissions match the filter now; check the list and confirm this count"
        ))),
        Some(MoveOutcome::TrashDisabled) if role != Role::Owner => Err(Error::conflict(
            "trash is off for this form, so only the account's owner can delete submissions",
        )),
        Some(MoveOutcome::TrashDisabled) => Err(Error::conflict(TRASH_OFF)),
        Some(MoveOutcome::Moved { count, remaining, is_restorable }) => {
            let batch = (is_restorable && count > 0).then_some(batch);
            Ok(Json(Data { data: MoveResult { batch, count, remaining } }))
        }
    }
}

fn parse_selection(filter: Filter, request: MoveRequest) -> Result<Selection> {
    match (request.ids, request.count) {
        (Some(_), None) if !filter.is_empty() => {
            Err(Error::validation("give either `ids` or a filter with `count`, not both"))
        }
        (Some(ids), None) => Ok(Selection::Ids(check_ids(ids)?)),
        (None, Some(count)) => Ok(Selection::matching(filter, count)),
        _ => Err(Error::validation(format!("the body must be `{MOVE_BODY}`"))),
    }
}

/// Rejects a list with too many ids.
fn check_ids(ids: Vec<SubmissionId>) -> Result<Vec<SubmissionId>> {
    if ids.len() > IDS_MAX {
        let count = ids.len();
        let message = format!("`ids` must have at most {IDS_MAX} ids, but has {count}");
        return Err(Error::validation(message));
    }
    Ok(ids)
}

fn parse_chosen(request: TrashRequest) -> Result<UnlistedSelection> {
    match (request.ids, request.batch) {
        (Some(ids), None) => Ok(UnlistedSelection::Ids(check_ids(ids)?)),
        (None, Some(batch)) => Ok(UnlistedSelection::Batch(batch)),
        _ => Err(Error::validation(format!("the body must be `{SELECTION_BODY}`"))),
    }
}

/// `POST /account/forms/{form_id}/trash/restore`.
pub(crate) async fn restore_trash(
    own: OwnForm,
    request: Request,
) -> Result<Json<Data<AffectedCount>>> {
    restore_from(&own, request, Unlisted::Trash).await
}

/// `POST /account/forms/{form_id}/spam/restore`.
pub(crate) async fn restore_spam(
    own: OwnForm,
    request: Request,
) -> Result<Json<Data<AffectedCount>>> {
    restore_from(&own, request, Unlisted::Spam).await
}

async fn restore_from(
    own: &OwnForm,
    request: Request,
    state: Unlisted,
) -> Result<Json<Data<AffectedCount>>> {
    let OwnForm { service, form, .. } = own;
    let chosen = parse_chosen(body::read_json(request, SELECTION_BODY).await?)?;
    let action = match state {
        Unlisted::Trash => Action::SubmissionsRestored,
        Unlisted::Spam => Action::SpamReleased,
    };
    let store = service.with_audit(own.event(action));
    let restored = store.restore_submissions(&form.id, state, chosen).await;
    let count = restored.map_err(|error| match error {
        // An import has inserted the submission again.
        StoreError::Exists(submission) => Error::conflict(format!(
            "{submission} exists twice, in the list or the trash, so nothing was restored; delete \
             one of them permanently first"
        )),
        error => error.into(),
    })?;
    // Restored spam can add fields to the form.
    service.intake_state().evict_form(&form.id);
    Ok(Json(Data { data: AffectedCount { count } }))
}

/// `POST /account/forms/{form_id}/trash/delete`: deletes submissions in the trash permanently.
pub(crate) async fn delete_trash(
    own: OwnForm,
    request: Request,
) -> Result<Json<Data<AffectedCount>>> {
    let chosen = parse_chosen(body::read_json(request, SELECTION_BODY).await?)?;
    delete_chosen(&own, chosen).await
}

/// `DELETE /account/forms/{form_id}/trash`: empties the trash.
pub(crate) async fn empty_trash(own: OwnForm) -> Result<Json<Data<AffectedCount>>> {
    delete_chosen(&own, UnlistedSelection::All).await
}

async fn delete_chosen(
    own: &OwnForm,
    chosen: UnlistedSelection,
) -> Result<Json<Data<AffectedCount>>> {
    let store = own.service.with_audit(own.event(Action::TrashDeleted));
    let count = store.delete_unlisted(&own.form.id, Unlisted::Trash, chosen).await?;
    Ok(Json(Data { data: AffectedCount { count } }))
}

/// `PUT /account/forms/{form_id}/trash`: sets the retention of the trash.
pub(crate) async fn set_trash_days(
    own: OwnForm,
    request: Request,
) -> Result<Json<Data<TrashSettings>>> {
    let settings: TrashSettings = body::read_json(request, SETTINGS_BODY).await?;
    let days = settings.days;
    if days > DAYS_MAX {
        let message = format!("`days` must be 0 to {DAYS_MAX}, but is {days}");
        return Err(Error::validation(message));
    }
    let store = own.service.with_audit(own.event(Action::TrashSet).with_value("days", days));
    if !store.set_trash_days(&own.form.id, days).await? {
        return Err(Error::not_found("form"));
    }
    Ok(Json(Data { data: settings }))
}
