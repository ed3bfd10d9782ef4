//! `sheaf key`: API keys. A secret is printed once, by the command that creates it.

use contract::audit::Action;
use contract::{ApiKey, KeyId};
use store::Store;
use store::clock::{Clock as _, SystemClock};
use store::keys;

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
        args::Key::Create { owner, name, mode } => {
            let account = stores::find_account(store.as_ref(), &owner.account).await?;
            let (key, secret) = keys::generate_key(&name, mode, SystemClock.now())
                .map_err(|wrong| Error::invalid(wrong.to_string()))?;
            let act =
                audit_events::account_event(Action::KeyCreated, &account.id).with_environment(mode);
            let act = act.with_object("key", &key.id).with_user_text("name", &key.name);
            store.with_audit(act).insert_key(&account.id, key, secret.hash()).await?;
            output::print_line(secret.expose())
        }
        args::Key::List { owner, shape } => {
            let account = stores::find_account(store.as_ref(), &owner.account).await?;
            print_keys(&store.list_keys(&account.id).await?, shape.json)
        }
        args::Key::Revoke { id } => revoke_key(store.as_ref(), &id).await,
    }
}

fn print_keys(keys: &[ApiKey], json: bool) -> Result<()> {
    if json {
        return output::print_json(&keys);
    }
    let row = |key: &ApiKey| {
        [
            key.id.to_string(),
            key.name.clone(),
            key.environment.to_string(),
            format!("{}…{}", key.prefix, key.last4),
            key.created_at.to_string(),
            key.last_used_at.map_or_else(|| "never".to_owned(), |at| at.to_string()),
            key.revoked_at.map_or_else(|| "active".to_owned(), |at| format!("revoked {at}")),
        ]
    };
    let rows: Vec<_> = keys.iter().map(row).collect();
    output::print_table(["ID", "NAME", "MODE", "KEY", "CREATED", "LAST USED", "STATE"], &rows)
}

/// Revokes a key of any account, because users who run commands here have full access.
async fn revoke_key(store: &dyn Store, id: &KeyId) -> Result<()> {
    let now = SystemClock.now();
    let mut is_known = false;
    for record in store.list_accounts().await? {
        let account = record.account.id;
        let act = audit_events::account_event(Action::KeyRevoked, &account).with_object("key", id);
        if store.with_audit(act).revoke_key(&account, id, now).await? {
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
