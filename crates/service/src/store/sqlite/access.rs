//! Sign-in links, sessions and passwords, as the store does them.

use super::super::access::{AccessStore, SessionRecord};
use super::super::{Hash, Result};
use super::{SqliteStore, accounts, audit, sessions};
use async_trait::async_trait;
use contract::account::Client;
use contract::{AccountId, Timestamp};

#[async_trait]
impl AccessStore for SqliteStore {
    async fn insert_link(
        &self,
        token: Hash,
        account: &AccountId,
        expires_at: Timestamp,
    ) -> Result<()> {
        let account = account.clone();
        self.writer
            .write_when_full(move |conn| sessions::insert_link(conn, token, &account, expires_at))
            .await
    }

    async fn take_link(&self, token: Hash, now: Timestamp) -> Result<Option<AccountId>> {
        self.writer.write_when_full(move |conn| sessions::take_link(conn, token, now)).await
    }

    async fn insert_session(&self, session: SessionRecord, client: Client) -> Result<()> {
        self.writer.write_when_full(move |conn| sessions::insert(conn, &session, &client)).await
    }

    async fn find_session(&self, token: Hash) -> Result<Option<SessionRecord>> {
        let found = self.quick.visit(|conn, _| sessions::find(conn, token).map(Some))?;
        match found {
            Some(found) => Ok(found),
            None => self.readers.read(move |conn| sessions::find(conn, token)).await,
        }
    }

    async fn list_sessions(&self, account: &AccountId) -> Result<Vec<(SessionRecord, Client)>> {
        let account = account.clone();
        self.readers.read(move |conn| sessions::list(conn, &account)).await
    }

    async fn touch_session(&self, token: Hash, seen_at: Timestamp) -> Result<()> {
        self.writer.write_later(move |conn| sessions::touch(conn, token, seen_at))
    }

    async fn delete_sessions(&self, seen_at: Timestamp, created_at: Timestamp) -> Result<()> {
        self.writer
            .write_when_full(move |conn| {
                sessions::delete_old(conn, seen_at, created_at).map(|()| audit::Cleared)
            })
            .await
            .map(drop)
    }

    async fn delete_session(&self, token: Hash) -> Result<()> {
        self.writer.write_when_full(move |conn| sessions::delete(conn, token)).await
    }

    async fn delete_other_sessions(&self, account: &AccountId, kept: Hash) -> Result<()> {
        let account = account.clone();
        self.writer.write_when_full(move |conn| sessions::delete_others(conn, &account, kept)).await
    }

    async fn set_password(&self, account: &AccountId, hash: String) -> Result<()> {
        let account = account.clone();
        self.writer
            .write(move |conn| {
                accounts::set_password(conn, &account, &hash)?;
                sessions::delete_all(conn, &account)
            })
            .await
    }
}
