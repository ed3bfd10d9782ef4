//! Access control: members, sign-in links, sessions and passwords.

use super::{PostgresStore, people, sessions};
use async_trait::async_trait;
use contract::account::ClientInfo;
use contract::people::{PersonChange, Preferences};
use contract::{AccountId, PersonId, Timestamp};
use store::access::{AccessStore, PersonRecord, SessionOwner, SessionProof, SessionRecord};
use store::audit::Unaudited;
use store::{Hash, Result};

#[async_trait]
impl AccessStore for PostgresStore {
    async fn insert_member(&self, record: PersonRecord) -> Result<()> {
        let mut conn = self.connections.get().await?;
        let tx = self.begin_write(&mut conn).await?;
        let done = people::insert_member(&tx, &record).await?;
        tx.commit_audited(done).await
    }

    async fn find_person(&self, id: &PersonId) -> Result<Option<PersonRecord>> {
        people::find_person(&self.connections.get().await?, id).await
    }

    async fn find_person_by_email(&self, email: &str) -> Result<Option<PersonRecord>> {
        people::find_by_email(&self.connections.get().await?, email).await
    }

    async fn list_people(&self, account: &AccountId) -> Result<Vec<PersonRecord>> {
        people::list_people(&self.connections.get().await?, account).await
    }

    async fn change_member(
        &self,
        account: &AccountId,
        id: &PersonId,
        change: PersonChange,
    ) -> Result<bool> {
        let mut conn = self.connections.get().await?;
        let tx = self.begin_write(&mut conn).await?;
        let done = people::change_member(&tx, account, id, &change).await?;
        tx.commit_audited(done).await
    }

    async fn delete_member(&self, account: &AccountId, id: &PersonId) -> Result<bool> {
        let mut conn = self.connections.get().await?;
        let tx = self.begin_write(&mut conn).await?;
        let done = people::delete_member(&tx, account, id).await?;
        tx.commit_audited(done).await
    }

    async fn find_preferences(&self, id: &PersonId) -> Result<Option<Preferences>> {
        people::find_preferences(&self.connections.get().await?, id).await
    }

    async fn set_preferences(&self, id: &PersonId, preferences: Preferences) -> Result<bool> {
        let mut conn = self.connections.get().await?;
        let tx = self.begin_write(&mut conn).await?;
        let done = people::set_preferences(&tx, id, &preferences).await?;
        tx.commit_audited(done).await
    }

    async fn insert_link(
        &self,
        token: Hash,
        person: &PersonId,
        expires_at: Timestamp,
    ) -> Result<()> {
        let mut conn = self.connections.get().await?;
        let tx = self.begin_write(&mut conn).await?;
        let done = sessions::insert_link(&tx, token, person, expires_at).await?;
        tx.commit_audited(done).await
    }

    async fn find_link(&self, token: Hash, now: Timestamp) -> Result<Option<PersonId>> {
        sessions::find_link(&self.connections.get().await?, token, now).await
    }

    async fn insert_session(
        &self,
        session: SessionRecord,
        client: ClientInfo,
        proof: SessionProof,
    ) -> Result<bool> {
        let mut conn = self.connections.get().await?;
        let tx = self.begin_write(&mut conn).await?;
        let person = &session.person_id;
        let is_valid = match proof {
            SessionProof::Identity => true,
            SessionProof::Password(hash) => {
                sessions::lock_person_by_hash(&tx, person, Some(&hash)).await?
            }
            SessionProof::Link(token) => sessions::consume_link(&tx, token, &session).await?,
        };
        if is_valid {
            sessions::insert(&tx, &session, &client).await?;
        }
        tx.commit_audited(is_valid).await
    }

    async fn find_session(&self, token: Hash) -> Result<Option<(SessionRecord, SessionOwner)>> {
        sessions::find_session(&self.connections.get().await?, token).await
    }

    async fn list_sessions(&self, person: &PersonId) -> Result<Vec<(SessionRecord, ClientInfo)>> {
        sessions::list_sessions(&self.connections.get().await?, person).await
    }

    async fn touch_session(&self, token: Hash, seen_at: Timestamp) -> Result<()> {
        self.last_used.touch_session(token, seen_at).await;
        Ok(())
    }

    async fn reauthenticate_session(
        &self,
        was: Hash,
        token: Hash,
        proven_at: Timestamp,
    ) -> Result<bool> {
        let mut conn = self.connections.get().await?;
        let tx = self.begin_write(&mut conn).await?;
        let done = sessions::set_proof(&tx, was, token, proven_at).await?;
        tx.commit_audited(done).await
    }

    async fn delete_sessions(&self, seen_at: Timestamp, created_at: Timestamp) -> Result<()> {
        let mut conn = self.connections.get().await?;
        let tx = self.begin_write(&mut conn).await?;
        sessions::delete_expired(&tx, seen_at, created_at).await?;
        tx.commit_audited(Unaudited).await.map(drop)
    }

    async fn delete_session(&self, token: Hash) -> Result<()> {
        let mut conn = self.connections.get().await?;
        let tx = self.begin_write(&mut conn).await?;
        let done = sessions::delete_session(&tx, token).await?;
        tx.commit_audited(done).await
    }

    async fn delete_other_sessions(&self, person: &PersonId, except: Hash) -> Result<()> {
        let mut conn = self.connections.get().await?;
        let tx = self.begin_write(&mut conn).await?;
        let done = sessions::delete_other_sessions(&tx, person, except).await?;
        tx.commit_audited(done).await
    }

    async fn set_password(
        &self,
        person: &PersonId,
        was: Option<String>,
        hash: String,
    ) -> Result<bool> {
        let mut conn = self.connections.get().await?;
        let tx = self.begin_write(&mut conn).await?;
        let is_current = sessions::lock_person_by_hash(&tx, person, was.as_deref()).await?;
        if is_current {
            people::set_password(&tx, person, &hash).await?;
            sessions::delete_sessions_and_links(&tx, person).await?;
        }
        tx.commit_audited(is_current).await
    }
}
