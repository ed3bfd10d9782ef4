//! Descriptions of the routes for notifications, the auto-reply, and links in e-mails (additive).

use super::describe::{Describe, Op, REAUTHENTICATION};
use super::samples;
use crate::handlers::{auto_reply, notifications};
use crate::mail::NO_MAIL;
use contract::notification::{
    AutoReply, CONFIRMATION_DAYS, Frequency, MailContent, MailLanguage, NOTIFICATIONS_MAX,
    NewNotification, NotificationSettings, Notifications, PLACEHOLDERS,
};
use contract::{Notification, NotificationId, Plan};
use serde_json::json;
use store::StoreError;

const NOTIFICATION: &str = "Id of the notification.";
const VIEW: &str = "With a `view`, e-mails are digests of the new submissions that match its filter \
                    when they are sent. The view must be shared and without `read`.";

/// `GET /account/forms/{form_id}/notifications`.
pub(crate) fn list_notifications(op: Op<'_>) -> Op<'_> {
    let example = Notifications {
        data: vec![notification()],
        auto_reply: AutoReply::default(),
        mail_enabled: true,
        daily_limit: Plan::Pro.mails_per_day(),
        sent_today: 12,
    };
    op.title("listNotifications", "List notifications")
        .description("Oldest first, with the auto-reply and the e-mails of today.")
        .add_form()
        .add_json_response(200, "All notifications of the form.", &example)
}

/// `POST /account/forms/{form_id}/notifications`.
pub(crate) fn create_notification(op: Op<'_>) -> Op<'_> {
    let about = format!(
        "A form has at most {NOTIFICATIONS_MAX} notifications. If the address is not a member's, \
         the server sends a link to it, which is valid for {CONFIRMATION_DAYS} days. The address \
         receives no other e-mail before its reader confirms it. If the link cannot be sent, \
         `last_error` says why. {VIEW} {REAUTHENTICATION}",
    );
    let too_many = StoreError::TooManyNotifications.to_string();
    op.title("createNotification", "Create a notification")
        .description(&about)
        .add_form()
        .add_json_body(&new_notification())
        .add_data(201, "The notification.", notification())
        .add_errors_with_status(&[(409, &too_many)])
}

/// `PUT /account/forms/{form_id}/notifications/{notification_id}`.
pub(crate) fn update_notification(op: Op<'_>) -> Op<'_> {
    let about = format!(
        "All settings of the notification. Pending e-mails of a disabled one wait until it is \
         enabled. An address that unsubscribed must be confirmed again: enabling it sends the \
         link. {VIEW} {REAUTHENTICATION}",
    );
    describe_notification_operation(op, "updateNotification", "Update a notification")
        .description(&about)
        .add_json_body(&settings())
        .add_data(200, "The notification.", notification())
        .add_errors_with_status(&[(409, NO_MAIL)])
}

/// `DELETE /account/forms/{form_id}/notifications/{notification_id}`.
pub(crate) fn delete_notification(op: Op<'_>) -> Op<'_> {
    describe_notification_operation(op, "deleteNotification", "Delete a notification")
        .description("Also deletes its pending e-mails. This cannot be undone.")
        .add_empty_response(204, "The notification is deleted.")
}

/// `POST /account/forms/{form_id}/notifications/{notification_id}/confirmation`.
pub(crate) fn send_confirmation(op: Op<'_>) -> Op<'_> {
    describe_notification_operation(op, "sendConfirmation", "Send the link again")
        .description("Sends the link that confirms the address, at most 20 per account and hour.")
        .add_empty_response(204, "The mail server has accepted the e-mail.")
        .add_errors_with_status(&[(409, notifications::ALREADY_CONFIRMED)])
}

/// `POST /account/forms/{form_id}/notifications/{notification_id}/test`.
pub(crate) fn send_test_mail(op: Op<'_>) -> Op<'_> {
    describe_notification_operation(op, "sendNotificationTest", "Send a test e-mail")
        .description("Sends an invented submission to a confirmed address.")
        .add_empty_response(204, "The mail server has accepted the e-mail.")
        .add_errors_with_status(&[(409, "the test e-mail was not sent: …")])
}

/// `PUT /account/forms/{form_id}/auto-reply`.
pub(crate) fn set_auto_reply(op: Op<'_>) -> Op<'_> {
    let about = format!(
        "An e-mail to the sender of a submission, if one of its answers is an e-mail address; at \
         most one per address and day. Subject and text can contain {}. It requires spam \
         protection. {REAUTHENTICATION}",
        PLACEHOLDERS.map(|name| format!("`{name}`")).join(", "),
    );
    op.title("setAutoReply", "Set the auto-reply")
        .description(&about)
        .add_form()
        .add_json_body(&AutoReply { enabled: true, ..AutoReply::default() })
        .add_data(200, "The auto-reply.", AutoReply::default())
        .add_errors_with_status(&[(409, auto_reply::UNPROTECTED)])
}

/// `GET /n/{notification_id}/{token}/confirm`.
pub(crate) fn show_confirmation(op: Op<'_>) -> Op<'_> {
    describe_link(op, "showConfirmation", "Show the confirmation page")
        .description("A page with a button. This request changes nothing.")
}

/// `POST /n/{notification_id}/{token}/confirm`.
pub(crate) fn confirm_address(op: Op<'_>) -> Op<'_> {
    describe_link(op, "confirmAddress", "Confirm an address").description("Can be repeated.")
}

/// `GET /n/{notification_id}/{token}/unsubscribe`.
pub(crate) fn show_unsubscription(op: Op<'_>) -> Op<'_> {
    describe_link(op, "showUnsubscription", "Show the unsubscription page")
        .description("A page with a button. This request changes nothing.")
}

/// `POST /n/{notification_id}/{token}/unsubscribe`.
pub(crate) fn unsubscribe(op: Op<'_>) -> Op<'_> {
    describe_link(op, "unsubscribe", "Unsubscribe an address")
        .description("One-click unsubscription of mail clients (RFC 8058). Can be repeated.")
}

fn describe_notification_operation<'t>(op: Op<'t>, id: &str, summary: &str) -> Op<'t> {
    op.title(id, summary)
        .add_form()
        .add_path_parameter::<NotificationId>("notification_id", NOTIFICATION)
}

fn describe_link<'t>(op: Op<'t>, id: &str, summary: &str) -> Op<'t> {
    let page = json!({"text/html": {"schema": {"type": "string"}}});
    op.title(id, summary)
        .add_path_parameter::<NotificationId>("notification_id", NOTIFICATION)
        .add_parameter("path", "token", "Token of the link.", json!({"type": "string"}))
        .add_response(200, "A page in the language that the browser prefers.", &page)
        .add_response(404, "The page of a link that is invalid or has expired.", &page)
}

/// Example: a notification of a member.
fn notification() -> Notification {
    Notification {
        id: samples::sample_id("ntf_"),
        email: "you@example.com".to_owned(),
        view: Some(samples::sample_id("view_")),
        every: Frequency::Day,
        content: MailContent::Full,
        time_zone: "Europe/Berlin".to_owned(),
        language: MailLanguage::English,
        created_at: samples::sample_time(),
        confirmed: true,
        disabled: None,
        last_error: None,
    }
}

/// Example: a request to create a notification.
fn new_notification() -> NewNotification {
    let Notification { email, view, every, content, time_zone, language, .. } = notification();
    NewNotification { email, view, every, content, time_zone, language }
}

/// Example: settings of a notification.
fn settings() -> NotificationSettings {
    let Notification { view, every, content, time_zone, language, .. } = notification();
    let view = Some(view);
    NotificationSettings { view, every, content, time_zone, language, enabled: true }
}
