//! Owner's routes for the intake settings of a form (additive).

use super::body;
use super::own_form::OwnForm;
use crate::Service;
use crate::error::{Error, Result};
use crate::router::Id;
use axum::extract::{Request, State};
use axum::{Extension, Json};
use contract::audit::{Action, AuditEvent};
use contract::{AccountId, Data, FormId, Intake, Timestamp};

/// Expected request body, shortened, for error messages. Omitted members get their defaults.
const INTAKE_BODY: &str = r#"{"redirects": […], "origins": […], "seconds_min": 1, …}"#;

/// `GET /account/forms/{form_id}/intake`.
pub(crate) async fn get_intake(
    State(service): State<Service>,
    Extension(account): Extension<AccountId>,
    Id(id): Id<FormId>,
) -> Result<Json<Data<Intake>>> {
    Ok(Json(Data { data: find_own_intake(&service, &account, &id).await? }))
}

/// `PUT /account/forms/{form_id}/intake`: replaces all settings at once. `learns_fields` and
/// `closing` do not change if the body omits them.
pub(crate) async fn update_intake(own: OwnForm, request: Request) -> Result<Json<Data<Intake>>> {
    let OwnForm { service, account, form, .. } = &own;
    let was = find_own_intake(service, account, &form.id).await?;
    let intake = body::read_json::<Intake>(request, INTAKE_BODY).await?.updating(&was);
    intake.validate().map_err(Error::validation)?;
    let event = record_closing(own.event(Action::IntakeSet), &was, &intake, service.now());
    if !service.with_audit(event).update_intake(&form.id, intake.clone()).await? {
        return Err(Error::not_found("form"));
    }
    service.intake_state().evict_form(&form.id);
    Ok(Json(Data { data: intake }))
}

/// Adds to an audit event whether the form is closed now, if the request changed that.
fn record_closing(event: AuditEvent, was: &Intake, intake: &Intake, now: Timestamp) -> AuditEvent {
    if intake.closing == was.closing {
        return event;
    }
    event
        .with_value("closed", intake.closing.as_ref().is_some_and(|closing| closing.is_closed(now)))
}

async fn find_own_intake(service: &Service, account: &AccountId, id: &FormId) -> Result<Intake> {
    let found = service.store().find_intake(id).await?;
    let own = found.filter(|record| record.account_id == *account);
    Ok(own.ok_or_else(|| Error::not_found("form"))?.intake)
}
