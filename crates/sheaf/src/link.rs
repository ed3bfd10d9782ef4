//! Sign-in links.

use contract::audit::Action;
use contract::{PersonId, Timestamp};
use store::Store;
use store::clock::{Clock as _, SystemClock};

use crate::error::Result;
use crate::noted;

/// Makes a link that signs a person in, once, within so many seconds.
///
/// # Errors
/// A store that fails.
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
    // In the fragment, which browsers do not send: no server and no proxy logs it.
    Ok(format!("{base}/sign-in#token={token}"))
}
