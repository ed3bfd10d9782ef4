//! Owner's route for the auto-reply of a form (additive). The notifications include it.

use super::body;
use super::own_form::OwnForm;
use crate::Service;
use crate::error::{Error, Result};
use axum::Json;
use axum::extract::Request;
use contract::audit::Action;
use contract::notification::AutoReply;
use contract::{Data, FormId};

/// Expected request body, for error messages.
const BODY: &str = r#"{"enabled": true, "subject": "…", "text": "…", "language": "en"}"#;
/// Error message of a form without spam protection.
pub(crate) const UNPROTECTED: &str = "an auto-reply requires spam protection; set `honeypot` or \
    `seconds_min` in the intake settings of the form first";

/// `PUT /account/forms/{form_id}/auto-reply`: replaces the auto-reply. To enable it, the form needs
/// spam protection and the server needs e-mail.
pub(crate) async fn set_auto_reply(
    own: OwnForm,
    request: Request,
) -> Result<Json<Data<AutoReply>>> {
    let OwnForm { service, form, .. } = &own;
    let reply: AutoReply = body::read_json(request, BODY).await?;
    reply.validate().map_err(Error::validation)?;
    if reply.enabled {
        service.require_mail()?;
        check_spam_protection(service, &form.id).await?;
    }
    let event = own.event(Action::AutoReplySet).with_value("enabled", reply.enabled);
    let store = service.with_audit(event);
    if !store.set_auto_reply(&form.id, reply.clone(), service.now()).await? {
        return Err(Error::not_found("form"));
    }
    Ok(Json(Data { data: reply }))
}

/// Without protection, a robot could have e-mails sent to addresses of its choice.
async fn check_spam_protection(service: &Service, form: &FormId) -> Result<()> {
    let found = service.store().find_intake(form).await?;
    let intake = found.ok_or_else(|| Error::not_found("form"))?.intake;
    if intake.honeypot || intake.seconds_min > 0 {
        return Ok(());
    }
    Err(Error::conflict(UNPROTECTED))
}
