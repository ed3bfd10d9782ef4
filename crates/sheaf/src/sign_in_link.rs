//! Sign-in links.

use contract::audit::Action;
use contract::{PersonId, Timestamp};
use store::Store;
use store::clock::{Clock as _, SystemClock};

use crate::audit_events;
use crate::error::Result;

/// Creates a link that signs a member in once, within `lifetime_s` seconds.
///
/// # Errors
/// The store fails.
pub(crate) async fn create_sign_in_link(
    store: &dyn Store,
    person: &PersonId,
    base: &str,
    lifetime_s: i64,
) -> Result<String> {
    let (token, hash) = gateway::secret::generate_token();
    let end = SystemClock.now().micros() + lifetime_s * 1_000_000;
    let expires_at = Timestamp::from_micros(end).unwrap_or(Timestamp::MAX);
    let found = store.find_person(person).await?;
    match found {
        Some(record) => {
            let event = audit_events::account_event(Action::LinkMade, &record.account_id)
                .with_object("person", person);
            store.with_audit(event).insert_link(hash, person, expires_at).await?;
        }
        None => store.insert_link(hash, person, expires_at).await?,
    }
    Ok(sign_in_url(base, &token))
}

/// Returns the URL below the public URL `base` that signs in by a token. The token is in the
/// fragment, which browsers do not send, so no server or proxy logs it.
pub(crate) fn sign_in_url(base: &str, token: &str) -> String {
    format!("{base}/sign-in#token={token}")
}
