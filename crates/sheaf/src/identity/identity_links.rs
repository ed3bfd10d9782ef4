//! Links between identities of a proxy and members: lookups for the gateway, and the commands that
//! manage links.

use async_trait::async_trait;
use contract::audit::Action;
use contract::{Account, AccountId, Person, PersonId, Plan};
use gateway::StoreError;
use gateway::identity::{Identity, IdentityLinks, ProvisionOutcome, VerifiedIdentity};
use serde::Serialize;
use std::sync::Arc;
use store::clock::{Clock as _, SystemClock};
use store::identity::{IDENTITIES_MAX, IdentityRecord};
use store::{AccountRecord, Store};

use crate::error::{Error, Result};
use crate::{audit_events, new_ids, output, stores};

/// Identities in the store.
pub(super) struct StoreIdentities {
    pub(super) store: Arc<dyn Store>,
    /// Plan of the accounts that are created for unknown users; `None` creates no accounts.
    pub(super) provision: Option<Plan>,
}

fn to_gateway_error(error: store::StoreError) -> StoreError {
    StoreError(Box::new(error))
}

#[async_trait]
impl IdentityLinks for StoreIdentities {
    async fn find_member(&self, identity: &Identity) -> Result<Option<PersonId>, StoreError> {
        self.store.find_identity(identity.digest()).await.map_err(to_gateway_error)
    }

    async fn find_by_session(
        &self,
        identity: &Identity,
        token_hash: [u8; 32],
    ) -> Result<Option<PersonId>, StoreError> {
        let digest = identity.digest();
        self.store.find_session_identity(digest, token_hash).await.map_err(to_gateway_error)
    }

    async fn mark_session(
        &self,
        token_hash: [u8; 32],
        identity: &Identity,
    ) -> Result<(), StoreError> {
        self.store
            .set_session_identity(token_hash, identity.digest())
            .await
            .map_err(to_gateway_error)
    }

    async fn provision_account(
        &self,
        verified: &VerifiedIdentity,
    ) -> Result<ProvisionOutcome, StoreError> {
        let Some(plan) = self.provision else { return Ok(ProvisionOutcome::Disabled) };
        let Some(email) = verified.address.clone() else { return Ok(ProvisionOutcome::NoAddress) };
        let account = Account { id: new_ids::new_account_id(), email, plan };
        let created_at = SystemClock.now();
        // The store replaces this id by the id of the account's owner, which it creates.
        let identity = identity_record(&verified.identity, &new_ids::new_person_id());
        let account = AccountRecord { account, password_hash: None, created_at };
        let event = audit_events::account_event(Action::AccountCreated, &account.account.id)
            .with_value("by", "proxy");
        match self.store.with_audit(event).insert_account_with_identity(account, identity).await {
            // A concurrent request of the same user may have created the account.
            Ok(()) | Err(store::StoreError::Exists(_)) => {}
            Err(error) => return Err(to_gateway_error(error)),
        }
        let person = self.find_member(&verified.identity).await?;
        Ok(person.map_or(ProvisionOutcome::AddressTaken, ProvisionOutcome::Person))
    }
}

fn identity_record(identity: &Identity, person: &PersonId) -> IdentityRecord {
    IdentityRecord {
        digest: identity.digest(),
        issuer: identity.issuer().to_owned(),
        subject: identity.subject().to_owned(),
        person_id: person.clone(),
        created_at: SystemClock.now(),
    }
}

fn parse_identity(issuer: &str, subject: &str) -> Result<Identity> {
    Identity::new(issuer, subject).map_err(|wrong| Error::invalid(wrong.to_string()))
}

/// Links an identity to a member.
///
/// # Errors
/// An invalid identity, an unknown member, or an identity that is linked already.
pub(crate) async fn link_identity(
    store: &dyn Store,
    member: &str,
    issuer: &str,
    subject: &str,
) -> Result<()> {
    let identity = parse_identity(issuer, subject)?;
    let person = stores::find_member(store, member).await?;
    let store = with_identity_audit(store, Action::PersonLinked, &person.id, &identity).await?;
    let record = identity_record(&identity, &person.id);
    store.insert_identity(record).await.map_err(|error| match error {
        store::StoreError::Exists(_) => Error::invalid(format!(
            "{identity} is linked to a member already; see `sheaf account identities`, and unlink \
             it first with `sheaf account unlink-identity`"
        )),
        store::StoreError::TooManyIdentities => Error::invalid(format!(
            "`{}` is linked to {IDENTITIES_MAX} identities, which is the maximum; unlink one first \
             with `sheaf account unlink-identity`",
            person.email
        )),
        other => other.into(),
    })?;
    output::print_line(format!("{identity} is linked to {}", person.email))
}

/// Returns a store that adds an audit event about an identity to its next write.
async fn with_identity_audit(
    store: &dyn Store,
    action: Action,
    person: &PersonId,
    identity: &Identity,
) -> Result<Arc<dyn Store>> {
    let record = store.find_person(person).await?;
    let record = record
        .ok_or_else(|| Error::invalid(format!("`{person}` was removed meanwhile; try again")))?;
    let event =
        audit_events::account_event(action, &record.account_id).with_object("person", person);
    Ok(store.with_audit(
        event
            .with_user_text("issuer", identity.issuer())
            .with_user_text("name", identity.subject()),
    ))
}

/// Unlinks an identity from its member.
///
/// # Errors
/// An identity that is not linked.
pub(crate) async fn unlink_identity(store: &dyn Store, issuer: &str, subject: &str) -> Result<()> {
    let identity = parse_identity(issuer, subject)?;
    let not_linked = || {
        let message = format!("{identity} is not linked; see `sheaf account identities`");
        Error::invalid(message)
    };
    let person = store.find_identity(identity.digest()).await?.ok_or_else(not_linked)?;
    let store = with_identity_audit(store, Action::PersonUnlinked, &person, &identity).await?;
    if !store.delete_identity(identity.digest()).await? {
        return Err(not_linked());
    }
    output::print_line(format!("{identity} is unlinked"))
}

/// Identity in the output of a list.
#[derive(Serialize)]
struct ListedIdentity {
    issuer: String,
    subject: String,
    email: String,
    linked_at: String,
}

/// Prints the identities of an account's members.
///
/// # Errors
/// The store fails.
pub(crate) async fn list_identities(
    store: &dyn Store,
    account: &AccountId,
    json: bool,
) -> Result<()> {
    let people: Vec<Person> =
        store.list_people(account).await?.into_iter().map(|record| record.person).collect();
    let email = |id: &PersonId| {
        people.iter().find(|person| person.id == *id).map(|person| person.email.clone())
    };
    let listed = |record: IdentityRecord| ListedIdentity {
        email: email(&record.person_id).unwrap_or_default(),
        issuer: record.issuer,
        subject: record.subject,
        linked_at: record.created_at.to_string(),
    };
    let identities: Vec<_> =
        store.list_identities(account).await?.into_iter().map(listed).collect();
    let row = |identity: &ListedIdentity| {
        let ListedIdentity { email, issuer, subject, linked_at } = identity;
        [issuer, subject, email, linked_at].map(String::clone)
    };
    output::print_list(&identities, json, ["ISSUER", "SUBJECT", "EMAIL", "LINKED"], row)
}
