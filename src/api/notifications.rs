//! Notifications of a form and its auto-reply, on a server with the capability `form_management`.

use contract::notification::{
    AutoReply, NewNotification, Notification, NotificationSettings, Notifications,
};
use contract::{FormId, NotificationId};

use super::{
    ApiError,
    request::{get, post, post_empty, put, read_data, remove},
};
use crate::routes;

/// Lists the notifications of a form, oldest first, with its auto-reply and the daily limit.
pub async fn list_notifications(form: &FormId) -> Result<Notifications, ApiError> {
    let url = routes::account_form_part(form, "notifications");
    Ok(get(&url, None).await?.body)
}

/// Creates a notification. The server sends the link that confirms the address of a non-member; if
/// that fails, the notification has the error.
pub async fn create_notification(
    form: &FormId,
    new: &NewNotification,
) -> Result<Notification, ApiError> {
    read_data(post(&routes::account_form_part(form, "notifications"), new).await?).await
}

/// Changes the settings of a notification. Sends the link again if the address has to be confirmed.
pub async fn set_notification(
    form: &FormId,
    id: &NotificationId,
    settings: &NotificationSettings,
) -> Result<Notification, ApiError> {
    read_data(put(&routes::account_notification(form, id), settings).await?).await
}

/// Deletes a notification with its pending emails.
pub async fn delete_notification(form: &FormId, id: &NotificationId) -> Result<(), ApiError> {
    remove(&routes::account_notification(form, id)).await.map(|_| ())
}

/// Sends the link that confirms an address again.
pub async fn send_confirmation(form: &FormId, id: &NotificationId) -> Result<(), ApiError> {
    let url = routes::account_notification_part(form, id, "confirmation");
    post_empty(&url).await.map(|_| ())
}

/// Sends a test email to a confirmed address.
pub async fn test_notification(form: &FormId, id: &NotificationId) -> Result<(), ApiError> {
    post_empty(&routes::account_notification_part(form, id, "test")).await.map(|_| ())
}

/// Replaces the auto-reply of a form.
pub async fn set_auto_reply(form: &FormId, reply: &AutoReply) -> Result<AutoReply, ApiError> {
    read_data(put(&routes::account_form_part(form, "auto-reply"), reply).await?).await
}
