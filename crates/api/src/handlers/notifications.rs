//! Owner's routes for the notifications of a form (additive): list, create, update, delete, send
//! the confirmation again, and send a test.
//!
//! These routes send e-mails at once, because the owner waits for the result.

use super::body;
use super::own_form::OwnForm;
use crate::error::{Error, Result};
use crate::router::Id;
use crate::{MailService, Service};
use axum::Json;
use axum::extract::Request;
use chrono_tz::Tz;
use contract::account::canonical_email;
use contract::audit::{Action, AuditEvent};
use contract::notification::{
    AddressDisabledReason, Frequency, NewNotification, NotificationSettings, Notifications,
    TIME_ZONE_BYTES_MAX, check_notified_view,
};
use contract::summary::SummaryQuery;
use contract::{Account, Data, Form, FormAccess, Notification, NotificationId, ViewId};
use http::StatusCode;
use store::daily_limits::UtcDay;
use store::mail::{NotificationUpdate, new_notification};
use store::views::ViewKey;
use store::{Owner, StoreError};

/// Expected request bodies, for error messages.
const NEW_BODY: &str = r#"{"email": "…", "every": "submission", "content": "full", …}"#;
const SETTINGS_BODY: &str =
    r#"{"every": "hour", "content": "full", "time_zone": "UTC", "language": "en", …}"#;
/// Error message for a new confirmation link to a confirmed address.
pub(crate) const ALREADY_CONFIRMED: &str = "the address is confirmed; no link is needed";

/// `GET /account/forms/{form_id}/notifications`: lists the notifications of a form, oldest first,
/// with its auto-reply and the e-mails of today.
pub(crate) async fn list_notifications(
    OwnForm { service, account, form, .. }: OwnForm,
) -> Result<Json<Notifications>> {
    let plan = service.find_account(&account).await?.plan;
    let mail = service.mail();
    let daily_limit = mail.map_or_else(|| plan.mails_per_day(), |mail| mail.limits.for_plan(plan));
    let store = service.store();
    let owner = Owner { account_id: account, environment: form.environment };
    let usage = store.mail_usage(&owner, UtcDay::of(service.now())).await?;
    Ok(Json(Notifications {
        data: store.list_notifications(&form.id).await?,
        auto_reply: store.find_auto_reply(&form.id).await?.unwrap_or_default(),
        mail_enabled: mail.is_some(),
        daily_limit,
        sent_today: usage.notifications,
    }))
}

/// `POST /account/forms/{form_id}/notifications`: creates a notification. If the address is not a
/// member's, sends the link that confirms it. The notification stays if that fails.
pub(crate) async fn create_notification(
    own: OwnForm,
    request: Request,
) -> Result<(StatusCode, Json<Data<Notification>>)> {
    let OwnForm { service, account, form, .. } = &own;
    let new: NewNotification = body::read_json(request, NEW_BODY).await?;
    let new = NewNotification { email: parse_email(&new.email)?, ..new };
    check_time_zone(&new.time_zone)?;
    check_view(&own, new.view.as_ref(), new.every).await?;
    let mail = service.require_mail()?;
    let owner = service.find_account(account).await?;
    let is_member = is_member(&own, &new.email).await?;
    if !is_member {
        service.claim_confirmation(mail, (&owner, form), service.store().as_ref()).await?;
    }
    let record = new_notification(form.id.clone(), new, false, service.now());
    let event = notification_event(&own, Action::NotificationCreated, &record.notification);
    let id = record.notification.id.clone();
    let inserted = service.with_audit(event).insert_notification(record).await;
    let has_form = inserted.map_err(|error| match error {
        StoreError::Exists(_) => Error::conflict(error.to_string()),
        error => error.into(),
    })?;
    if !has_form {
        return Err(Error::not_found("form"));
    }
    let mut data = find_notification(&own, &id).await?;
    if !is_member {
        data.last_error = try_confirmation(service, mail, (&owner, form), &data).await;
    }
    Ok((StatusCode::CREATED, Json(Data { data })))
}

/// `PUT /account/forms/{form_id}/notifications/{notification_id}`: changes the settings. If this
/// enables an address that must be confirmed, sends the link.
pub(crate) async fn update_notification(
    own: OwnForm,
    Id(id): Id<NotificationId>,
    request: Request,
) -> Result<Json<Data<Notification>>> {
    let OwnForm { service, account, form, .. } = &own;
    let notification = find_notification(&own, &id).await?;
    let settings: NotificationSettings = body::read_json(request, SETTINGS_BODY).await?;
    check_time_zone(&settings.time_zone)?;
    let view = settings.view.as_ref().unwrap_or(&notification.view).as_ref();
    check_view(&own, view, settings.every).await?;
    let confirmation =
        if settings.enabled && needs_confirmation_to_enable(&own, &notification).await? {
            let mail = service.require_mail()?;
            let owner = service.find_account(account).await?;
            service.claim_confirmation(mail, (&owner, form), service.store().as_ref()).await?;
            Some((mail, owner))
        } else {
            None
        };
    let event = notification_event(&own, Action::NotificationSet, &notification);
    let event = event.with_value("enabled", settings.enabled);
    let update = NotificationUpdate::Settings(settings);
    if !service.with_audit(event).update_notification(&id, update, service.now()).await? {
        return Err(Error::not_found("notification"));
    }
    let mut data = find_notification(&own, &id).await?;
    if let Some((mail, owner)) = confirmation {
        data.last_error = try_confirmation(service, mail, (&owner, form), &data).await;
    }
    Ok(Json(Data { data }))
}

/// `DELETE /account/forms/{form_id}/notifications/{notification_id}`: deletes a notification and
/// its pending e-mails.
pub(crate) async fn delete_notification(
    own: OwnForm,
    Id(id): Id<NotificationId>,
) -> Result<StatusCode> {
    let notification = find_notification(&own, &id).await?;
    let event = notification_event(&own, Action::NotificationDeleted, &notification);
    let was_there = own.service.with_audit(event).delete_notification(&id).await?;
    if was_there { Ok(StatusCode::NO_CONTENT) } else { Err(Error::not_found("notification")) }
}

/// `POST /account/forms/{form_id}/notifications/{notification_id}/confirmation`: sends the link
/// that confirms the address again.
pub(crate) async fn send_confirmation(
    own: OwnForm,
    Id(id): Id<NotificationId>,
) -> Result<StatusCode> {
    let OwnForm { service, account, form, .. } = &own;
    let notification = find_notification(&own, &id).await?;
    let mail = service.require_mail()?;
    check_enabled(&notification)?;
    if notification.confirmed {
        return Err(Error::conflict(ALREADY_CONFIRMED));
    }
    let owner = service.find_account(account).await?;
    let event = notification_event(&own, Action::ConfirmationSent, &notification);
    let store = service.with_audit(event);
    service.claim_confirmation(mail, (&owner, form), store.as_ref()).await?;
    let sent = mail.send_confirmation(service, (&owner, form), &notification).await;
    sent.map_err(|error| Error::conflict(format!("the link was not sent: {error}")))?;
    Ok(StatusCode::NO_CONTENT)
}

/// `POST /account/forms/{form_id}/notifications/{notification_id}/test`: sends an invented
/// submission to a confirmed address.
pub(crate) async fn send_test(own: OwnForm, Id(id): Id<NotificationId>) -> Result<StatusCode> {
    let OwnForm { service, account, form, .. } = &own;
    let notification = find_notification(&own, &id).await?;
    let mail = service.require_mail()?;
    check_enabled(&notification)?;
    if !notification.confirmed {
        let message = "the address is not confirmed; ask its reader to follow the link, or send \
                       the link again";
        return Err(Error::conflict(message));
    }
    let owner = service.find_account(account).await?;
    let event = notification_event(&own, Action::NotificationTested, &notification);
    let store = service.with_audit(event);
    service.claim_mail(mail, (&owner, form), store.as_ref()).await?;
    let sent = mail.mailer.send_sample((&owner, form), notification, &mail.links, service.now());
    let sent = sent.await;
    sent.map_err(|error| Error::conflict(format!("the test e-mail was not sent: {error}")))?;
    Ok(StatusCode::NO_CONTENT)
}

/// Returns a notification of a form, or the 404 error.
async fn find_notification(own: &OwnForm, id: &NotificationId) -> Result<Notification> {
    let found = own.service.store().find_notification(id).await?;
    let found = found.filter(|record| record.form == own.form.id);
    Ok(found.ok_or_else(|| Error::not_found("notification"))?.notification)
}

fn notification_event(own: &OwnForm, action: Action, notification: &Notification) -> AuditEvent {
    let event = own.part_event(action, "notification", &notification.id);
    event.with_user_text("email", &notification.email)
}

/// Sends the confirmation, and returns why that failed.
async fn try_confirmation(
    service: &Service,
    mail: &MailService,
    owner_and_form: (&Account, &Form),
    notification: &Notification,
) -> Option<String> {
    let sent = mail.send_confirmation(service, owner_and_form, notification).await;
    sent.err().map(|error| format!("the link was not sent: {error}; send it again"))
}

/// Returns whether an address belongs to a member with access to a form.
async fn is_member(own: &OwnForm, email: &str) -> Result<bool> {
    let found = own.service.store().find_person_by_email(email).await?;
    Ok(found.is_some_and(|found| {
        found.account_id == own.account && FormAccess(found.person.forms).covers(&own.form.id)
    }))
}

/// Returns whether a disabled notification must be confirmed once it is enabled. An enabled one has
/// its link already.
async fn needs_confirmation_to_enable(own: &OwnForm, notification: &Notification) -> Result<bool> {
    let Some(disabled) = notification.disabled else { return Ok(false) };
    let is_open = disabled.reason == AddressDisabledReason::Unsubscribed || !notification.confirmed;
    Ok(is_open && !is_member(own, &notification.email).await?)
}

/// Checks that a notification can use a view and a frequency together.
async fn check_view(own: &OwnForm, view: Option<&ViewId>, every: Frequency) -> Result<()> {
    let Some(id) = view else { return Ok(()) };
    if every == Frequency::Submission {
        let message = "`every` must be `hour` or `day` with a `view`, but is `submission`; change \
                       it, or set `view` to `null`";
        return Err(Error::validation(message));
    }
    let key = ViewKey { form: own.form.id.clone(), person: own.person()?, view: id.clone() };
    let found = own.service.store().find_view(&key).await?;
    check_notified_view(id, found.as_ref()).map_err(Error::validation)
}

fn check_enabled(notification: &Notification) -> Result<()> {
    if notification.disabled.is_some() {
        return Err(Error::conflict("the notification is disabled; enable it first"));
    }
    Ok(())
}

fn parse_email(text: &str) -> Result<String> {
    let email = canonical_email(text).filter(|email| notify::mail::is_mailbox(email));
    let message = || format!("`email` must be an address like `a@b.example`, but is `{text}`");
    email.ok_or_else(|| Error::validation(message()))
}

fn check_time_zone(name: &str) -> Result<()> {
    if name.len() <= TIME_ZONE_BYTES_MAX && name.parse::<Tz>().is_ok() {
        return Ok(());
    }
    Err(SummaryQuery::unknown_time_zone(name).into())
}
