//! `sheaf key`: API keys. A secret is printed once, by the command that creates it.

use contract::audit::Action;
use contract::key::KeyState;
use contract::{ApiKey, KeyAccess, KeyId, NewKey, Timestamp};
use store::Store;
use store::clock::{Clock as _, SystemClock};
use store::keys::{self, CreateKeyError};

use crate::args;
use crate::config::Data;
use crate::error::{Error, Result};
use crate::{audit_events, output, stores};

/// Runs `sheaf key`.
///
/// # Errors
/// Arguments that are invalid, or a store that fails.
pub(crate) async fn run(data: &Data, args: args::Key) -> Result<()> {
    let store = stores::open_existing(data).await?;
    match args {
        args::Key::Create(new) => create_key(store.as_ref(), new).await,
        args::Key::List { owner, shape } => {
            let account = stores::find_account(store.as_ref(), &owner.account).await?;
            print_keys(&store.list_keys(&account.id).await?, shape.json)
        }
        args::Key::Revoke { id } => revoke_key(store.as_ref(), &id).await,
    }
}

/// Creates a key and prints its secret.
async fn create_key(store: &dyn Store, new: args::NewKeyArgs) -> Result<()> {
    let args::NewKeyArgs { owner, name, mode, is_read_only, forms, expires } = new;
    let now = SystemClock.now();
    let too_late = || Error::invalid("`--expires` is too far in the future; use an earlier date");
    let new = NewKey {
        name,
        environment: mode,
        access: if is_read_only { KeyAccess::Read } else { KeyAccess::Full },
        forms: (!forms.is_empty()).then_some(forms),
        expires_at: expires.map(|end| end.after(now).ok_or_else(too_late)).transpose()?,
    };
    let account = stores::find_account(store, &owner.account).await?;
    let created = keys::create_key(store, &account.id, new, now).await;
    let (key, secret) = created.map_err(|error| match error {
        CreateKeyError::Invalid(invalid) => Error::invalid(invalid.to_string()),
        CreateKeyError::Store(error) => error.into(),
    })?;
    let event = audit_events::account_event(Action::KeyCreated, &account.id);
    let event = keys::describe_created(event, &key);
    store.with_audit(event).insert_key(&account.id, key, secret.hash()).await?;
    output::print_line(secret.expose())
}

fn print_keys(keys: &[ApiKey], json: bool) -> Result<()> {
    let now = SystemClock.now();
    let row = |key: &ApiKey| {
        [
            key.id.to_string(),
            key.name.clone(),
            key.environment.to_string(),
            format!("{}…{}", key.prefix, key.last4),
            key.access.as_str().to_owned(),
            key.forms.as_ref().map_or_else(|| "all".to_owned(), |forms| forms.len().to_string()),
            key.created_at.to_string(),
            key.last_used_at.map_or_else(|| "never".to_owned(), |at| at.to_string()),
            describe_state(key, now),
        ]
    };
    let heads = ["ID", "NAME", "MODE", "KEY", "ACCESS", "FORMS", "CREATED", "LAST USED", "STATE"];
    output::print_list(keys, json, heads, row)
}

/// Returns the state of a key at a time, with the time of its end.
fn describe_state(key: &ApiKey, now: Timestamp) -> String {
    let with_time = |state: &str, at: Option<Timestamp>| {
        at.map_or_else(|| state.to_owned(), |at| format!("{state} {at}"))
    };
    match key.state_at(now) {
        KeyState::Active if key.expires_at.is_none() => "active".to_owned(),
        KeyState::Active => with_time("expires", key.expires_at),
        KeyState::Expired => with_time("expired", key.expires_at),
        KeyState::Revoked => with_time("revoked", key.revoked_at),
    }
}

/// Revokes a key of any account, because users who run commands here have full access.
async fn revoke_key(store: &dyn Store, id: &KeyId) -> Result<()> {
    let now = SystemClock.now();
    let mut is_known = false;
    for record in store.list_accounts().await? {
        let account = record.account.id;
        let event =
            audit_events::account_event(Action::KeyRevoked, &account).with_object("key", id);
        if store.with_audit(event).revoke_key(&account, id, now).await? {
            return output::print_line(format!("{id} is revoked"));
        }
        is_known |= store.list_keys(&account).await?.iter().any(|key| key.id == *id);
    }
    Err(Error::invalid(if is_known {
        format!("the key `{id}` is already revoked")
    } else {
        format!("there is no key `{id}`; see `sheaf key list --account …`")
    }))
}
