//! Sign-in links.

use contract::audit::Action;
use contract::{PersonId, Timestamp};
use store::Store;
use store::clock::{Clock as _, SystemClock};

use crate::error::Result;
use crate::noted;

/// Creates a link that signs a member in once, within `ends_in_s` seconds.
///
/// # Errors
/// The store fails.
pub(crate) async fn link_to(
    store: &dyn Store,
    person: &PersonId,
    base: &str,
    ends_in_s: i64,
) -> Result<String> {
    let (token, hash) = gateway::secret::mint_token();
    let end = SystemClock.now().micros() + ends_in_s * 1_000_000;
    let expires_at = Timestamp::from_micros(end).unwrap_or(Timestamp::MAX);
    let found = store.find_person(person).await?;
    match found {
        Some(record) => {
            let act = noted::act(Action::LinkMade, &record.account_id).on("person", person);
            store.noting(act).insert_link(hash, person, expires_at).await?;
        }
        None => store.insert_link(hash, person, expires_at).await?,
    }
    // The token is in the fragment, which browsers do not send, so no server or proxy logs it.
    Ok(format!("{base}/sign-in#token={token}"))
}
