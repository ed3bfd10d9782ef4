//! `sheaf notification`: adds, lists and removes the addresses that receive e-mails about the
//! submissions of a form.

use chrono_tz::Tz;
use contract::audit::Action;
use contract::notification::{Frequency, NewNotification, TIME_ZONE_BYTES_MAX};
use contract::{FormId, Notification, NotificationId};
use store::Store;
use store::clock::{Clock as _, SystemClock};
use store::mail::new_notification;

use crate::args;
use crate::config::Data;
use crate::error::{Error, Result};
use crate::{audit_events, email, output, stores};

/// Maximum number of characters of a value in an error.
const EXCERPT_CHARS_MAX: usize = 100;

/// Runs `sheaf notification`.
///
/// # Errors
/// Arguments that are invalid, or a store that fails.
pub(crate) async fn run(data: &Data, args: args::Notification) -> Result<()> {
    let store = stores::open_existing(data).await?;
    let store = store.as_ref();
    match args {
        args::Notification::Add { form, email, every, view, content, time_zone, language } => {
            let email = email::mailbox_of("--email", &email)?;
            check_time_zone(&time_zone)?;
            if view.is_some() && every == Frequency::Submission {
                let problem = "`--every` must be `hour` or `day` with `--view`";
                return Err(Error::invalid(problem));
            }
            let new = NewNotification { email, view, every, content, time_zone, language };
            add(store, form, new).await
        }
        args::Notification::List { form, shape } => {
            stores::find_form(store, &form).await?;
            print_notifications(&store.list_notifications(&form).await?, shape.json)
        }
        args::Notification::Remove { id } => remove(store, &id).await,
    }
}

async fn add(store: &dyn Store, form: FormId, new: NewNotification) -> Result<()> {
    let form = stores::find_form(store, &form).await?;
    let record = new_notification(form.form.id.clone(), new, true, SystemClock.now());
    let id = record.notification.id.clone();
    let action = Action::NotificationCreated;
    let event = audit_events::notification_event(action, &form, &record.notification);
    if !store.with_audit(event).insert_notification(record).await? {
        return Err(stores::unknown_form(&form.form.id));
    }
    output::print_line(id)
}

fn check_time_zone(name: &str) -> Result<()> {
    if name.len() <= TIME_ZONE_BYTES_MAX && name.parse::<Tz>().is_ok() {
        return Ok(());
    }
    let excerpt: String = name.chars().take(EXCERPT_CHARS_MAX).collect();
    Err(Error::invalid(format!(
        "`--time-zone` must be the name of a time zone such as `Europe/Berlin`, but is `{excerpt}`"
    )))
}

fn print_notifications(notifications: &[Notification], json: bool) -> Result<()> {
    let row = |notification: &Notification| {
        [
            notification.id.to_string(),
            notification.email.clone(),
            notification.every.to_string(),
            notification.view.as_ref().map_or("-".to_owned(), ToString::to_string),
            notification.content.to_string(),
            notification.time_zone.clone(),
            notification.created_at.to_string(),
            describe_state(notification),
        ]
    };
    let header = ["ID", "EMAIL", "EVERY", "VIEW", "CONTENT", "TIME ZONE", "CREATED", "STATE"];
    output::print_list(notifications, json, header, row)
}

fn describe_state(notification: &Notification) -> String {
    let state = match notification.disabled {
        Some(disabled) => format!("disabled {} ({})", disabled.at, disabled.reason),
        None if notification.confirmed => "enabled".to_owned(),
        None => "not confirmed".to_owned(),
    };
    match &notification.last_error {
        Some(error) => format!("{state}; last error: {error}"),
        None => state,
    }
}

/// Removes a notification of any account, because users who run commands here have full access.
async fn remove(store: &dyn Store, id: &NotificationId) -> Result<()> {
    let record = store.find_notification(id).await?.ok_or_else(|| unknown_notification(id))?;
    let form = stores::find_form(store, &record.form).await?;
    let action = Action::NotificationDeleted;
    let event = audit_events::notification_event(action, &form, &record.notification);
    if !store.with_audit(event).delete_notification(id).await? {
        return Err(unknown_notification(id));
    }
    output::print_line(format!("{id} is removed"))
}

fn unknown_notification(id: &NotificationId) -> Error {
    let list = "see `sheaf notification list --form …`";
    Error::invalid(format!("there is no notification `{id}`; {list}"))
}
