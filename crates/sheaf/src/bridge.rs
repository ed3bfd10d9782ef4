//! The gateway's accounts and keys, over the service's store.
//!
//! The gateway and the service do not know each other; this is where they meet.

use async_trait::async_trait;
use contract::{Account, AccountId, Environment, Timestamp};
use gateway::{Accounts, Keys, Secret, SessionRecord, SignInRecord, StoreError};
use service::Service;
use service::store::{self, Store};
use std::sync::Arc;

/// Accounts, links and sessions as the store keeps them.
pub(crate) struct StoreAccounts(pub(crate) Arc<dyn Store>);

fn failed(error: store::StoreError) -> StoreError {
    StoreError(Box::new(error))
}

#[async_trait]
impl Accounts for StoreAccounts {
    async fn find_by_email(&self, email: &str) -> Result<Option<SignInRecord>, StoreError> {
        let found = self.0.find_account_by_email(email).await.map_err(failed)?;
        Ok(found.map(|record| SignInRecord {
            account: record.account,
            password_hash: record.password_hash,
        }))
    }

    async fn find_account(&self, id: &AccountId) -> Result<Option<Account>, StoreError> {
        let found = self.0.find_account(id).await.map_err(failed)?;
        Ok(found.map(|record| record.account))
    }

    async fn redeem_link(
        &self,
        token_hash: [u8; 32],
        now: Timestamp,
    ) -> Result<Option<Account>, StoreError> {
        match self.0.take_link(token_hash, now).await.map_err(failed)? {
            Some(id) => self.find_account(&id).await,
            None => Ok(None),
        }
    }

    async fn insert_session(&self, session: SessionRecord) -> Result<(), StoreError> {
        let SessionRecord { token_hash, account_id, created_at, seen_at } = session;
        let session = store::SessionRecord { token_hash, account_id, created_at, seen_at };
        self.0.insert_session(session).await.map_err(failed)
    }

    async fn find_session(
        &self,
        token_hash: [u8; 32],
    ) -> Result<Option<SessionRecord>, StoreError> {
        let found = self.0.find_session(token_hash).await.map_err(failed)?;
        Ok(found.map(|session| {
            let store::SessionRecord { token_hash, account_id, created_at, seen_at } = session;
            SessionRecord { token_hash, account_id, created_at, seen_at }
        }))
    }

    async fn touch_session(
        &self,
        token_hash: [u8; 32],
        seen_at: Timestamp,
    ) -> Result<(), StoreError> {
        self.0.touch_session(token_hash, seen_at).await.map_err(failed)
    }

    async fn delete_session(&self, token_hash: [u8; 32]) -> Result<(), StoreError> {
        self.0.delete_session(token_hash).await.map_err(failed)
    }
}

/// The keys of the service in this process: one for each account and environment, in memory only.
pub(crate) struct SessionKeys(pub(crate) Service);

#[async_trait]
impl Keys for SessionKeys {
    async fn key_for(
        &self,
        account: &AccountId,
        environment: Environment,
    ) -> Result<Option<Secret>, StoreError> {
        let secret = self.0.session_key(account, environment);
        Ok(Some(Secret::new(secret.expose().to_owned())))
    }

    fn environments(&self) -> Vec<Environment> {
        Environment::ALL.into()
    }
}
