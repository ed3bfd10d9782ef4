//! Gives the gateway its accounts from the store.
//!
//! The crates `gateway` and `store` do not depend on each other; this module connects them.

use async_trait::async_trait;
use contract::account::ClientInfo;
use contract::audit::AuditEvent;
use contract::form_access::InvalidForms;
use contract::people::{NewPerson, PersonChange};
use contract::{AccountId, FormId, Person, PersonId, Timestamp};
use gateway::{
    ABSOLUTE_S, Accounts, AddMemberOutcome, IDLE_S, MemberRecord, SessionOwner, SessionProof,
    SessionRecord, SetEmailOutcome, StoreError,
};
use std::sync::Arc;
use store::{PersonRecord, Store};

use crate::commands::people;
use crate::new_ids;

/// Accounts, links and sessions in the store.
pub(crate) struct StoreAccounts(pub(crate) Arc<dyn Store>);

fn to_gateway_error(error: store::StoreError) -> StoreError {
    StoreError(Box::new(error))
}

impl StoreAccounts {
    /// Deletes expired sessions. Called at each sign-in, which is frequent enough for this and rare
    /// enough to bear its cost.
    async fn delete_old_sessions(&self, now: Timestamp) -> Result<(), StoreError> {
        let before = |s: i64| Timestamp::from_micros(now.micros() - s * 1_000_000);
        if let (Some(idle), Some(aged)) = (before(IDLE_S), before(ABSOLUTE_S)) {
            self.0.delete_sessions(idle, aged).await.map_err(to_gateway_error)?;
        }
        Ok(())
    }

    /// Adds the account to a member.
    async fn with_account(
        &self,
        record: Option<PersonRecord>,
    ) -> Result<Option<MemberRecord>, StoreError> {
        let Some(PersonRecord { account_id, person, password_hash }) = record else {
            return Ok(None);
        };
        let account = self.0.find_account(&account_id).await.map_err(to_gateway_error)?;
        let account = account.map(|record| record.account);
        Ok(account.map(|account| MemberRecord { account, person, password_hash }))
    }
}

#[async_trait]
impl Accounts for StoreAccounts {
    async fn find_by_email(&self, email: &str) -> Result<Option<MemberRecord>, StoreError> {
        let found = self.0.find_person_by_email(email).await.map_err(to_gateway_error)?;
        self.with_account(found).await
    }

    async fn find_person(&self, id: &PersonId) -> Result<Option<MemberRecord>, StoreError> {
        let found = self.0.find_person(id).await.map_err(to_gateway_error)?;
        self.with_account(found).await
    }

    async fn list_people(&self, account: &AccountId) -> Result<Vec<Person>, StoreError> {
        let people = self.0.list_people(account).await.map_err(to_gateway_error)?;
        Ok(people.into_iter().map(|record| record.person).collect())
    }

    async fn find_invalid_form(
        &self,
        account: &AccountId,
        forms: &[FormId],
    ) -> Result<Option<InvalidForms>, StoreError> {
        store::keys::find_invalid_form(self.0.as_ref(), account, None, forms)
            .await
            .map_err(to_gateway_error)
    }

    async fn insert_member(
        &self,
        account: &AccountId,
        member: NewPerson,
        now: Timestamp,
    ) -> Result<AddMemberOutcome, StoreError> {
        let record = people::new_member(account, member, new_ids::new_person_id(), now);
        let person = record.person.clone();
        match self.0.insert_member(record).await {
            Ok(()) => Ok(AddMemberOutcome::Added(person)),
            Err(store::StoreError::Exists(_)) => Ok(AddMemberOutcome::Exists),
            Err(store::StoreError::TooManyMembers) => Ok(AddMemberOutcome::TooMany),
            Err(error) => Err(to_gateway_error(error)),
        }
    }

    async fn change_member(
        &self,
        account: &AccountId,
        id: &PersonId,
        change: PersonChange,
    ) -> Result<bool, StoreError> {
        self.0.change_member(account, id, change).await.map_err(to_gateway_error)
    }

    async fn delete_member(&self, account: &AccountId, id: &PersonId) -> Result<bool, StoreError> {
        self.0.delete_member(account, id).await.map_err(to_gateway_error)
    }

    async fn insert_link(
        &self,
        token_hash: [u8; 32],
        person: &PersonId,
        expires_at: Timestamp,
    ) -> Result<(), StoreError> {
        self.0.insert_link(token_hash, person, expires_at).await.map_err(to_gateway_error)
    }

    async fn find_link(
        &self,
        token_hash: [u8; 32],
        now: Timestamp,
    ) -> Result<Option<MemberRecord>, StoreError> {
        match self.0.find_link(token_hash, now).await.map_err(to_gateway_error)? {
            Some(id) => self.find_person(&id).await,
            None => Ok(None),
        }
    }

    fn describe_client(&self, user_agent: &str) -> ClientInfo {
        api::client_of_user_agent(user_agent)
    }

    fn with_audit(self: Arc<Self>, event: AuditEvent) -> Arc<dyn Accounts> {
        Arc::new(Self(self.0.with_audit(event)))
    }

    fn enqueue_audit(&self, event: AuditEvent) {
        self.0.enqueue_audit(event);
    }

    async fn insert_session(
        &self,
        session: SessionRecord,
        client: ClientInfo,
        proof: SessionProof,
    ) -> Result<bool, StoreError> {
        self.delete_old_sessions(session.created_at).await?;
        self.0.insert_session(session, client, proof).await.map_err(to_gateway_error)
    }

    async fn list_sessions(
        &self,
        person: &PersonId,
    ) -> Result<Vec<(SessionRecord, ClientInfo)>, StoreError> {
        self.0.list_sessions(person).await.map_err(to_gateway_error)
    }

    async fn find_session(
        &self,
        token_hash: [u8; 32],
    ) -> Result<Option<(SessionRecord, SessionOwner)>, StoreError> {
        self.0.find_session(token_hash).await.map_err(to_gateway_error)
    }

    async fn touch_session(
        &self,
        token_hash: [u8; 32],
        last_used_at: Timestamp,
    ) -> Result<(), StoreError> {
        self.0.touch_session(token_hash, last_used_at).await.map_err(to_gateway_error)
    }

    async fn reauthenticate_session(
        &self,
        was: [u8; 32],
        token_hash: [u8; 32],
        proven_at: Timestamp,
    ) -> Result<bool, StoreError> {
        self.0.reauthenticate_session(was, token_hash, proven_at).await.map_err(to_gateway_error)
    }

    async fn delete_session(&self, token_hash: [u8; 32]) -> Result<(), StoreError> {
        self.0.delete_session(token_hash).await.map_err(to_gateway_error)
    }

    async fn delete_other_sessions(
        &self,
        person: &PersonId,
        except: [u8; 32],
    ) -> Result<(), StoreError> {
        self.0.delete_other_sessions(person, except).await.map_err(to_gateway_error)
    }

    async fn set_email(
        &self,
        person: &PersonId,
        email: String,
        except: [u8; 32],
    ) -> Result<SetEmailOutcome, StoreError> {
        match self.0.set_email(person, email, Some(except)).await {
            Ok(true) => Ok(SetEmailOutcome::Done),
            Ok(false) => Ok(SetEmailOutcome::UnknownMember),
            Err(store::StoreError::Exists(_)) => Ok(SetEmailOutcome::Taken),
            Err(error) => Err(to_gateway_error(error)),
        }
    }

    async fn set_password(
        &self,
        person: &PersonId,
        was: Option<String>,
        hash: String,
    ) -> Result<bool, StoreError> {
        self.0.set_password(person, was, hash).await.map_err(to_gateway_error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::{Account, Plan};
    use store::AccountRecord;
    use store_sqlite::SqliteStore;

    #[tokio::test]
    async fn sign_in_deletes_expired_sessions() {
        let directory = tempfile::tempdir().unwrap();
        let store = Arc::new(SqliteStore::open(&directory.path().join("sheaf.db")).unwrap());
        let at = |s: i64| Timestamp::from_micros(1_800_000_000_000_000 + s * 1_000_000).unwrap();
        let id: AccountId = "acc_1".parse().unwrap();
        let account = Account { id, email: "a@example.com".to_owned(), plan: Plan::Pro };
        let record = AccountRecord { account, password_hash: None, created_at: at(0) };
        store.insert_account(record).await.unwrap();
        let accounts = StoreAccounts(store);
        let sign_in = async |token: u8, created: i64, seen: i64| {
            let session = SessionRecord {
                token_hash: [token; 32],
                person_id: "psn_1".parse().unwrap(),
                created_at: at(created),
                authenticated_at: at(created),
                last_used_at: at(seen),
            };
            accounts
                .insert_session(session, ClientInfo::default(), SessionProof::Identity)
                .await
                .unwrap();
        };
        let now = ABSOLUTE_S;
        sign_in(1, 0, now - 1).await;
        sign_in(2, 1, now - IDLE_S).await;
        sign_in(3, 1, now - IDLE_S + 1).await;
        sign_in(4, now, now).await;
        for token in 1..=4 {
            let found = accounts.find_session([token; 32]).await.unwrap();
            assert_eq!(found.is_some(), token > 2, "{token}");
        }
    }
}
