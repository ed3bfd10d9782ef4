//! What a form takes in from anyone, for its owner: read and set (additive).

use super::{body, forms};
use crate::Service;
use crate::audit::Asking;
use crate::error::{Error, Result};
use crate::router::Id;
use axum::extract::{Request, State};
use axum::{Extension, Json};
use contract::audit::{Act, Action};
use contract::{AccountId, Data, FormId, Intake, Timestamp};

/// What a body looks like, in short; what is left out has its default.
const WANTED: &str = r#"{"redirects": […], "origins": […], "seconds_min": 1, …}"#;

/// `GET /account/forms/{form_id}/intake`.
pub(crate) async fn get(
    State(service): State<Service>,
    Extension(account): Extension<AccountId>,
    Id(id): Id<FormId>,
) -> Result<Json<Data<Intake>>> {
    Ok(Json(Data { data: find_own(&service, &account, &id).await? }))
}

/// `PUT /account/forms/{form_id}/intake`: replaces all of it, in force at once. Whether the form
/// learns fields and when it is closed stay as they are if the body says nothing of them.
pub(crate) async fn put(
    State(service): State<Service>,
    Extension(account): Extension<AccountId>,
    asking: Asking,
    Id(id): Id<FormId>,
    request: Request,
) -> Result<Json<Data<Intake>>> {
    let was = find_own(&service, &account, &id).await?;
    let intake = body::read::<Intake>(request, WANTED).await?.after(&was);
    intake.check().map_err(Error::validation)?;
    let form = forms::find_own(&service, &account, &id).await?;
    let act = asking.does(&service, &account, Action::IntakeSet).within(form.environment);
    let act = act.on("form", &id).named("name", &form.name);
    let act = with_closing(act, &was, &intake, service.now());
    if !service.noting(act).update_intake(&id, intake.clone()).await? {
        return Err(Error::not_found("form"));
    }
    service.intake_state().forget(&id);
    Ok(Json(Data { data: intake }))
}

/// Notes whether the form is closed now, if that was set.
fn with_closing(act: Act, was: &Intake, intake: &Intake, now: Timestamp) -> Act {
    if intake.closing == was.closing {
        return act;
    }
    act.with("closed", intake.closing.as_ref().is_some_and(|closing| closing.is_closed(now)))
}

async fn find_own(service: &Service, account: &AccountId, id: &FormId) -> Result<Intake> {
    let found = service.store().find_intake(id).await?;
    let own = found.filter(|record| record.account_id == *account);
    Ok(own.ok_or_else(|| Error::not_found("form"))?.intake)
}
