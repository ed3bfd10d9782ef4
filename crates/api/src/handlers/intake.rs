//! Owner's routes for the intake settings of a form (additive).

use super::{body, forms};
use crate::Service;
use crate::audit::Asking;
use crate::error::{Error, Result};
use crate::router::Id;
use axum::extract::{Request, State};
use axum::{Extension, Json};
use contract::audit::{Act, Action};
use contract::{AccountId, Data, FormId, Intake, Timestamp};

/// Expected request body, shortened, for error messages. Omitted members get their defaults.
const WANTED: &str = r#"{"redirects": […], "origins": […], "seconds_min": 1, …}"#;

/// `GET /account/forms/{form_id}/intake`.
pub(crate) async fn get(
    State(service): State<Service>,
    Extension(account): Extension<AccountId>,
    Id(id): Id<FormId>,
) -> Result<Json<Data<Intake>>> {
    Ok(Json(Data { data: find_own(&service, &account, &id).await? }))
}

/// `PUT /account/forms/{form_id}/intake`: replaces all settings at once. `learns_fields` and
/// `closing` do not change if the body omits them.
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

/// Adds to an audit event whether the form is closed now, if the request changed that.
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
