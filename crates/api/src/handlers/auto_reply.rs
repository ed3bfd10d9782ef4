//! Owner's route for the auto-reply of a form (additive). The notifications include it.

use super::{body, forms};
use crate::Service;
use crate::audit::RequestActor;
use crate::error::{Error, Result};
use crate::router::Id;
use axum::extract::{Request, State};
use axum::{Extension, Json};
use contract::audit::Action;
use contract::notification::AutoReply;
use contract::{AccountId, Data, FormId};

/// Expected request body, for error messages.
const BODY: &str = r#"{"enabled": true, "subject": "…", "text": "…", "language": "en"}"#;

/// `PUT /account/forms/{form_id}/auto-reply`: replaces the auto-reply. To enable it, the form needs
/// spam protection and the server needs e-mail.
pub(crate) async fn set_auto_reply(
    State(service): State<Service>,
    Extension(account): Extension<AccountId>,
    actor: RequestActor,
    Id(form): Id<FormId>,
    request: Request,
) -> Result<Json<Data<AutoReply>>> {
    let form = forms::find_own_form(&service, &account, &form).await?;
    let reply: AutoReply = body::read_json(request, BODY).await?;
    reply.validate().map_err(Error::validation)?;
    if reply.enabled {
        service.require_mail()?;
        check_spam_protection(&service, &form.id).await?;
    }
    let event = actor.account_event(&service, &account, Action::AutoReplySet).with_form(&form);
    let store = service.with_audit(event.with_value("enabled", reply.enabled));
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
    let message = "an auto-reply requires spam protection; set `honeypot` or `seconds_min` in the \
                   intake settings of the form first";
    Err(Error::conflict(message))
}
