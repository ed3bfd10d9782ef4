//! Stored notifications.

use crate::columns::{parse, parse_instant};
use crate::{Result, StoreError, ids};
use contract::notification::{
    AddressDisabled, AddressDisabledReason, NewNotification, NotificationSettings,
};
use contract::{FormId, Notification, Timestamp};

/// A notification and its form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotificationRecord {
    /// The form.
    pub form: FormId,
    /// The notification. When read, `confirmed` is also true for the address of a member; when
    /// inserted, it is whether the reader has confirmed the address.
    pub notification: Notification,
}

/// Change of a notification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotificationUpdate {
    /// The owner changes the settings. Enabling it resets the refusals and the error; its pending
    /// e-mails continue. `confirmed` stays, unless the reader has unsubscribed: then enabling
    /// resets it, so that the reader must confirm again.
    Settings(NotificationSettings),
    /// The reader confirms the address. Enables it, unless the owner has disabled it.
    Confirmed,
    /// The reader unsubscribes, or the mail server refused the address too often. Disables the
    /// notification, unless it is disabled. An unsubscription also replaces the reason of a
    /// disabled notification, so that enabling it requires a new confirmation.
    Disabled(AddressDisabledReason),
}

/// Returns a new notification of a form.
///
/// # Panics
/// If the operating system provides no random bytes.
pub fn new_notification(
    form: FormId,
    new: NewNotification,
    confirmed: bool,
    now: Timestamp,
) -> NotificationRecord {
    let NewNotification { email, view, every, content, time_zone, language } = new;
    let notification = Notification {
        id: ids::generate_notification_id(now),
        email,
        view,
        every,
        content,
        time_zone,
        language,
        created_at: now,
        confirmed,
        disabled: None,
        last_error: None,
    };
    NotificationRecord { form, notification }
}

/// Columns of a notification as both databases return them.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "the columns have the names of the members of `Notification`")]
pub struct NotificationColumns {
    pub form: String,
    pub id: String,
    pub email: String,
    pub view: Option<String>,
    pub every: String,
    pub content: String,
    pub time_zone: String,
    pub language: String,
    pub created_at: i64,
    pub confirmed: bool,
    pub disabled_at: Option<i64>,
    pub disabled_reason: Option<String>,
    pub last_error: Option<String>,
}

impl TryFrom<NotificationColumns> for NotificationRecord {
    type Error = StoreError;

    fn try_from(row: NotificationColumns) -> Result<Self> {
        let disabled = match (row.disabled_at, row.disabled_reason) {
            (Some(at), Some(reason)) => {
                Some(AddressDisabled { at: parse_instant(at)?, reason: parse(&reason)? })
            }
            _ => None,
        };
        let notification = Notification {
            id: parse(&row.id)?,
            email: row.email,
            view: row.view.as_deref().map(parse).transpose()?,
            every: parse(&row.every)?,
            content: parse(&row.content)?,
            time_zone: row.time_zone,
            language: parse(&row.language)?,
            created_at: parse_instant(row.created_at)?,
            confirmed: row.confirmed,
            disabled,
            last_error: row.last_error,
        };
        Ok(Self { form: parse(&row.form)?, notification })
    }
}
