//! `sheaf webhook`: creates, lists, changes and deletes webhooks. A secret is printed once, by the
//! command that creates it.

use contract::audit::Action;
use contract::webhook::{
    WEBHOOKS_MAX, WebhookEvent, WebhookFormat, WebhookSettings, default_events,
};
use contract::{FormId, Timestamp, Webhook, WebhookId};
use notify::{AddressPolicy, UrlError};
use serde::Serialize;
use std::time::Duration;
use store::clock::{Clock as _, SystemClock};
use store::outbox::{OLD_SECRET_AGE_MAX, SigningSecret, new_webhook};
use store::{FormRecord, Store, StoreError};

mod deliveries;

use crate::args;
use crate::config::Data;
use crate::error::{Error, Result};
use crate::{audit_events, confirm, output, stores};

/// Output of `sheaf webhook create` and `sheaf webhook rotate`.
#[derive(Serialize)]
struct PrintedSecret {
    id: WebhookId,
    secret: String,
    /// Time until which requests are also signed with the previous secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    old_secret_until: Option<Timestamp>,
}

/// Runs `sheaf webhook`.
///
/// # Errors
/// Arguments that are invalid, or a store that fails.
pub(crate) async fn run(data: &Data, args: args::Webhook) -> Result<()> {
    let store = stores::open_existing(data).await?;
    let store = store.as_ref();
    match args {
        args::Webhook::Create { form, url, events, format, addresses } => {
            create(store, &form, url, events, format, &addresses.policy()).await
        }
        args::Webhook::List { form, shape } => {
            stores::find_form(store, &form).await?;
            let records = store.list_webhooks(&form).await?;
            let webhooks: Vec<_> = records.into_iter().map(|record| record.webhook).collect();
            print_webhooks(&webhooks, shape.json)
        }
        args::Webhook::Delete { id, yes } => delete(store, &id, yes).await,
        args::Webhook::Rotate { id } => rotate_secret(store, id).await,
        args::Webhook::Enable { id } => set_enabled(store, &id, true).await,
        args::Webhook::Disable { id } => set_enabled(store, &id, false).await,
        args::Webhook::Test { id, wait_s } => {
            deliveries::send_test(store, &id, Duration::from_secs(wait_s)).await
        }
        args::Webhook::Deliveries { id, limit, shape } => {
            deliveries::print(store, &id, limit.into(), shape.json).await
        }
        args::Webhook::Replay { id } => deliveries::replay(store, &id).await,
    }
}

async fn create(
    store: &dyn Store,
    form: &FormId,
    url: String,
    events: Vec<WebhookEvent>,
    format: WebhookFormat,
    policy: &AddressPolicy,
) -> Result<()> {
    let record = stores::find_form(store, form).await?;
    // Before the URL, because that may wait for a name server. The insertion checks it again.
    if store.list_webhooks(form).await?.len() >= WEBHOOKS_MAX {
        return Err(StoreError::TooManyWebhooks.into());
    }
    policy.check_url(&url).await.map_err(|error| refused_url(&error))?;
    let events = if events.is_empty() { default_events() } else { events };
    let new = new_webhook(form.clone(), url, &events, format, SystemClock.now());
    let id = new.webhook.id.clone();
    let secret = new.secret.expose_text();
    let event = audit_events::webhook_event(Action::WebhookCreated, &record, &new.webhook);
    if !store.with_audit(event).insert_webhook(new).await? {
        return Err(stores::unknown_form(form));
    }
    output::print_json(&PrintedSecret { id, secret, old_secret_until: None })
}

/// Returns the error for a URL that is not allowed, with the option that allows it.
fn refused_url(error: &UrlError) -> Error {
    let option = match error {
        UrlError::Scheme { scheme, .. } if scheme == "http" => {
            " (`--webhook-allow-http` allows it)"
        }
        UrlError::Host(_) => " (`--webhook-allow-network`)",
        _ => "",
    };
    Error::invalid(format!("`--url` is not allowed: {error}{option}"))
}

fn print_webhooks(webhooks: &[Webhook], json: bool) -> Result<()> {
    let row = |webhook: &Webhook| {
        let events: Vec<_> = webhook.events.iter().map(|event| event.as_str()).collect();
        [
            webhook.id.to_string(),
            webhook.url.clone(),
            events.join(","),
            webhook.format.to_string(),
            webhook.created_at.to_string(),
            describe_state(webhook),
        ]
    };
    let columns = ["ID", "URL", "EVENTS", "FORMAT", "CREATED", "STATE"];
    output::print_list(webhooks, json, columns, row)
}

fn describe_state(webhook: &Webhook) -> String {
    match (webhook.disabled, webhook.failing_since) {
        (Some(disabled), _) => format!("disabled {} ({})", disabled.at, disabled.reason.as_str()),
        (None, Some(since)) => format!("failing since {since}"),
        (None, None) => "enabled".to_owned(),
    }
}

async fn delete(store: &dyn Store, id: &WebhookId, yes: bool) -> Result<()> {
    let (form, webhook) = find_webhook(store, id).await?;
    if !yes {
        let name = &form.form.name;
        let effect = format!("This permanently deletes a webhook of the form {name} and its log.");
        confirm::confirm_by_typing(&effect, id.as_str())?;
    }
    let event = audit_events::webhook_event(Action::WebhookDeleted, &form, &webhook);
    if !store.with_audit(event).delete_webhook(id).await? {
        return Err(unknown_webhook(id));
    }
    output::print_line(format!("{id} is deleted"))
}

async fn rotate_secret(store: &dyn Store, id: WebhookId) -> Result<()> {
    let (form, webhook) = find_webhook(store, &id).await?;
    let secret = SigningSecret::generate();
    let now = SystemClock.now();
    let event = audit_events::webhook_event(Action::WebhookRotated, &form, &webhook);
    if !store.with_audit(event).rotate_secret(&id, secret, now).await? {
        return Err(unknown_webhook(&id));
    }
    let old_until = now.saturating_add(OLD_SECRET_AGE_MAX);
    let secret = secret.expose_text();
    output::print_json(&PrintedSecret { id, secret, old_secret_until: Some(old_until) })
}

async fn set_enabled(store: &dyn Store, id: &WebhookId, enabled: bool) -> Result<()> {
    let (form, webhook) = find_webhook(store, id).await?;
    let event = audit_events::webhook_event(Action::WebhookSet, &form, &webhook)
        .with_value("enabled", enabled);
    let Webhook { url, events, format, .. } = webhook;
    let settings = WebhookSettings { url, events, format, enabled };
    if !store.with_audit(event).update_webhook(id, settings, SystemClock.now()).await? {
        return Err(unknown_webhook(id));
    }
    output::print_line(format!("{id} is {}", if enabled { "enabled" } else { "disabled" }))
}

/// Finds a webhook of any account, because users who run commands here have full access. Returns
/// its form, too.
async fn find_webhook(store: &dyn Store, id: &WebhookId) -> Result<(FormRecord, Webhook)> {
    let record = store.find_webhook(id).await?.ok_or_else(|| unknown_webhook(id))?;
    let form = stores::find_form(store, &record.form).await?;
    Ok((form, record.webhook))
}

fn unknown_webhook(id: &WebhookId) -> Error {
    Error::invalid(format!("there is no webhook `{id}`; see `sheaf webhook list --form …`"))
}
