//! Owner's routes for the trash of a form (additive): move, list, restore, delete permanently, and
//! retention. Requests that mark submissions as spam and restore spam work the same way.

use super::page::{self, Written};
use super::{body, forms};
use crate::Service;
use crate::audit::Asking;
use crate::cursor::Listing;
use crate::error::{Error, Result};
use crate::router::Id;
use axum::extract::{RawQuery, Request, State};
use axum::response::Response;
use axum::{Extension, Json};
use contract::audit::Action;
use contract::trash::{
    Affected, DAYS_MAX, IDS_MAX, MoveRequest, Moved, TrashRequest, TrashSettings,
};
use contract::{AccountId, Data, Filter, Form, FormId, ListQuery, SubmissionId};
use store::Position;
use store::ids;
use store::unlisted::{Chosen, Move, MoveOutcome, Selection, State as Unlisted};
use store::unlisted::{TrashQuery, TrashRow};

/// Expected request bodies, for error messages.
const MOVE: &str = r#"{"ids": ["sub_…"]} or {"count": 12}"#;
const CHOSEN: &str = r#"{"ids": ["sub_…"]} or {"batch": "bat_…"}"#;
const SETTINGS: &str = r#"{"days": 30}"#;

/// `GET /account/forms/{form_id}/trash`: lists the trash, newest submissions first.
pub(crate) async fn list(
    State(service): State<Service>,
    Extension(account): Extension<AccountId>,
    Id(id): Id<FormId>,
    RawQuery(query): RawQuery,
) -> Result<Response> {
    let query = ListQuery::parse(&query.unwrap_or_default())?;
    let filter = query.filter;
    if !(Filter { search: None, ..filter.clone() }).is_empty() {
        let message = "the trash can be filtered by `search` only; omit the other filters";
        return Err(Error::validation(message));
    }
    let form = forms::find_own(&service, &account, &id).await?;
    let listing = Listing { form: &form.id, environment: form.environment, filter: &filter };
    let cursors = service.cursors().of_trash();
    let behind = match &query.cursor {
        Some(cursor) => Some(cursors.read(listing, cursor).ok_or_else(Error::cursor)?),
        None => None,
    };
    let limit = usize::from(query.limit);
    let search = filter.search.clone();
    let asked =
        TrashQuery { form: id.clone(), search, now: service.now(), behind, rows_max: limit + 1 };
    let page = service.store().list_trash(asked).await?;
    let written = page.rows.iter().map(|it| Written { position: &it.position, json: row(it) });
    let next = |position: &Position| cursors.write(listing, position);
    page::answer(written.collect(), page.total, query.limit, next)
}

fn row(TrashRow { moved_at, batch, json, .. }: &TrashRow) -> String {
    format!("{{\"trashed_at\":\"{moved_at}\",\"batch\":\"{batch}\",\"submission\":{json}}}")
}

/// `POST /account/forms/{form_id}/trash`: moves submissions to the trash.
pub(crate) async fn trash(
    State(service): State<Service>,
    Extension(account): Extension<AccountId>,
    asking: Asking,
    Id(id): Id<FormId>,
    request: Request,
) -> Result<Json<Data<Moved>>> {
    move_to(&service, &account, asking, id, request, Unlisted::Trash).await
}

/// `POST /account/forms/{form_id}/spam`: marks submissions as spam.
pub(crate) async fn mark_spam(
    State(service): State<Service>,
    Extension(account): Extension<AccountId>,
    asking: Asking,
    Id(id): Id<FormId>,
    request: Request,
) -> Result<Json<Data<Moved>>> {
    move_to(&service, &account, asking, id, request, Unlisted::Spam).await
}

async fn move_to(
    service: &Service,
    account: &AccountId,
    asking: Asking,
    form: FormId,
    request: Request,
    state: Unlisted,
) -> Result<Json<Data<Moved>>> {
    let query = ListQuery::parse(request.uri().query().unwrap_or_default())?;
    if query != (ListQuery { filter: query.filter.clone(), ..ListQuery::default() }) {
        return Err(Error::validation("`limit` and `cursor` are not supported here; omit them"));
    }
    let found = forms::find_own(service, account, &form).await?;
    let asked: MoveRequest = body::read(request, MOVE).await?;
    let is_permanent = asked.permanent;
    let selection = selection(query.filter, asked)?;
    let (action, at) = match state {
        Unlisted::Trash => (Action::SubmissionsTrashed, service.now()),
        Unlisted::Spam => (Action::SpamMarked, service.now()),
    };
    let act = asking.does(service, account, action).within(found.environment);
    let act = act.on("form", &form).named("name", &found.name);
    let batch = ids::mint_batch_id(at);
    let request = Move { form, selection, state, batch: batch.clone(), at, is_permanent };
    match service.noting(act).move_submissions(request).await? {
        None => Err(Error::not_found("form")),
        Some(MoveOutcome::Changed(count)) => Err(Error::conflict(format!(
            "{count} submissions match the filter now; check the list and confirm this count"
        ))),
        Some(MoveOutcome::NotKept) => Err(Error::conflict(
            "trash is off for this form; to delete permanently, send `\"permanent\": true`",
        )),
        Some(MoveOutcome::Moved { count, remaining, is_kept }) => {
            let batch = (is_kept && count > 0).then_some(batch);
            Ok(Json(Data { data: Moved { batch, count, remaining } }))
        }
    }
}

fn selection(filter: Filter, request: MoveRequest) -> Result<Selection> {
    match (request.ids, request.count) {
        (Some(_), None) if !filter.is_empty() => {
            Err(Error::validation("give either `ids` or a filter with `count`, not both"))
        }
        (Some(ids), None) => Ok(Selection::Ids(checked(ids)?)),
        (None, Some(count)) => Ok(Selection::Matching { filter, count }),
        _ => Err(Error::validation(format!("the body must be `{MOVE}`"))),
    }
}

/// Rejects a list with too many ids.
fn checked(ids: Vec<SubmissionId>) -> Result<Vec<SubmissionId>> {
    if ids.len() > IDS_MAX {
        let count = ids.len();
        let message = format!("`ids` must have at most {IDS_MAX} ids, but has {count}");
        return Err(Error::validation(message));
    }
    Ok(ids)
}

fn chosen(request: TrashRequest) -> Result<Chosen> {
    match (request.ids, request.batch) {
        (Some(ids), None) => Ok(Chosen::Ids(checked(ids)?)),
        (None, Some(batch)) => Ok(Chosen::Batch(batch)),
        _ => Err(Error::validation(format!("the body must be `{CHOSEN}`"))),
    }
}

/// `POST /account/forms/{form_id}/trash/restore`.
pub(crate) async fn restore(
    State(service): State<Service>,
    Extension(account): Extension<AccountId>,
    asking: Asking,
    Id(id): Id<FormId>,
    request: Request,
) -> Result<Json<Data<Affected>>> {
    restore_from(&service, &account, asking, id, request, Unlisted::Trash).await
}

/// `POST /account/forms/{form_id}/spam/restore`.
pub(crate) async fn restore_spam(
    State(service): State<Service>,
    Extension(account): Extension<AccountId>,
    asking: Asking,
    Id(id): Id<FormId>,
    request: Request,
) -> Result<Json<Data<Affected>>> {
    restore_from(&service, &account, asking, id, request, Unlisted::Spam).await
}

async fn restore_from(
    service: &Service,
    account: &AccountId,
    asking: Asking,
    id: FormId,
    request: Request,
    state: Unlisted,
) -> Result<Json<Data<Affected>>> {
    let form = forms::find_own(service, account, &id).await?;
    let chosen = chosen(body::read(request, CHOSEN).await?)?;
    let action = match state {
        Unlisted::Trash => Action::SubmissionsRestored,
        Unlisted::Spam => Action::SpamReleased,
    };
    let act = asking.does(service, account, action);
    let act = act.within(form.environment).on("form", &id).named("name", &form.name);
    let count = service.noting(act).restore(&id, state, chosen).await?;
    // Restored spam can add fields to the form.
    service.intake_state().forget(&id);
    Ok(Json(Data { data: Affected { count } }))
}

/// `POST /account/forms/{form_id}/trash/delete`: deletes submissions in the trash permanently.
pub(crate) async fn delete(
    State(service): State<Service>,
    Extension(account): Extension<AccountId>,
    asking: Asking,
    Id(id): Id<FormId>,
    request: Request,
) -> Result<Json<Data<Affected>>> {
    let form = forms::find_own(&service, &account, &id).await?;
    let chosen = chosen(body::read(request, CHOSEN).await?)?;
    delete_chosen(&service, &account, asking, &form, chosen).await
}

/// `DELETE /account/forms/{form_id}/trash`: empties the trash.
pub(crate) async fn empty(
    State(service): State<Service>,
    Extension(account): Extension<AccountId>,
    asking: Asking,
    Id(id): Id<FormId>,
) -> Result<Json<Data<Affected>>> {
    let form = forms::find_own(&service, &account, &id).await?;
    delete_chosen(&service, &account, asking, &form, Chosen::All).await
}

async fn delete_chosen(
    service: &Service,
    account: &AccountId,
    asking: Asking,
    form: &Form,
    chosen: Chosen,
) -> Result<Json<Data<Affected>>> {
    let act = asking.does(service, account, Action::TrashDeleted).within(form.environment);
    let act = act.on("form", &form.id).named("name", &form.name);
    let store = service.noting(act);
    let count = store.delete_unlisted(&form.id, Unlisted::Trash, chosen).await?;
    Ok(Json(Data { data: Affected { count } }))
}

/// `PUT /account/forms/{form_id}/trash`: sets the retention of the trash.
pub(crate) async fn set(
    State(service): State<Service>,
    Extension(account): Extension<AccountId>,
    asking: Asking,
    Id(id): Id<FormId>,
    request: Request,
) -> Result<Json<Data<TrashSettings>>> {
    let form = forms::find_own(&service, &account, &id).await?;
    let settings: TrashSettings = body::read(request, SETTINGS).await?;
    let days = settings.days;
    if days > DAYS_MAX {
        let message = format!("`days` must be 0 to {DAYS_MAX}, but is {days}");
        return Err(Error::validation(message));
    }
    let act = asking.does(&service, &account, Action::TrashSet).within(form.environment);
    let act = act.on("form", &id).named("name", &form.name).with("days", days);
    if !service.noting(act).set_trash_days(&id, days).await? {
        return Err(Error::not_found("form"));
    }
    Ok(Json(Data { data: settings }))
}
