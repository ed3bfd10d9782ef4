//! [`AccessStore`] for SQLite: members, sign-in links, sessions and passwords.

use super::{SqliteStore, people, sessions};
use async_trait::async_trait;
use contract::account::ClientInfo;
use contract::people::{PersonChange, Preferences};
use contract::{AccountId, PersonId, Timestamp};
use store::access::{AccessStore, PersonRecord, SessionOwner, SessionProof, SessionRecord};
use store::audit::Unaudited;
use store::{Hash, Result};

#[async_trait]
impl AccessStore for SqliteStore {
    async fn insert_member(&self, record: PersonRecord) -> Result<()> {
        self.writer.write(move |conn| people::insert_member(conn, &record)).await
    }

    async fn find_person(&self, id: &PersonId) -> Result<Option<PersonRecord>> {
        let id = id.clone();
        self.readers.read(move |conn| people::find(conn, &id)).await
    }

    async fn find_person_by_email(&self, email: &str) -> Result<Option<PersonRecord>> {
        let email = email.to_owned();
        self.readers.read(move |conn| people::find_by_email(conn, &email)).await
    }

    async fn list_people(&self, account: &AccountId) -> Result<Vec<PersonRecord>> {
        let account = account.clone();
        self.readers.read(move |conn| people::list(conn, &account)).await
    }

    async fn change_member(
        &self,
        account: &AccountId,
        id: &PersonId,
        change: PersonChange,
    ) -> Result<bool> {
        let account = account.clone();
        let id = id.clone();
        self.writer.write(move |conn| people::change_member(conn, &account, &id, &change)).await
    }

    async fn delete_member(&self, account: &AccountId, id: &PersonId) -> Result<bool> {
        let account = account.clone();
        let id = id.clone();
        self.writer.write_when_full(move |conn| people::delete_member(conn, &account, &id)).await
    }

    async fn find_preferences(&self, id: &PersonId) -> Result<Option<Preferences>> {
        let id = id.clone();
        self.readers.read(move |conn| people::find_preferences(conn, &id)).await
    }

    async fn set_preferences(&self, id: &PersonId, preferences: Preferences) -> Result<bool> {
        let id = id.clone();
        self.writer.write(move |conn| people::set_preferences(conn, &id, &preferences)).await
    }

    async fn insert_link(
        &self,
        token: Hash,
        person: &PersonId,
        expires_at: Timestamp,
    ) -> Result<()> {
        let person = person.clone();
        self.writer
            .write_when_full(move |conn| sessions::insert_link(conn, token, &person, expires_at))
            .await
    }

    async fn find_link(&self, token: Hash, now: Timestamp) -> Result<Option<PersonId>> {
        self.readers.read(move |conn| sessions::find_link(conn, token, now)).await
    }

    async fn insert_session(
        &self,
        session: SessionRecord,
        client: ClientInfo,
        proof: SessionProof,
    ) -> Result<bool> {
        self.writer
            .write_when_full(move |conn| {
                let is_valid = match proof {
                    SessionProof::Identity => true,
                    SessionProof::Password(hash) => {
                        people::has_hash(conn, &session.person_id, Some(&hash))?
                    }
                    SessionProof::Link(token) => sessions::consume_link(conn, token, &session)?,
                };
                if is_valid {
                    sessions::insert(conn, &session, &client)?;
                }
                Ok(is_valid)
            })
            .await
    }

    async fn find_session(&self, token: Hash) -> Result<Option<(SessionRecord, SessionOwner)>> {
        self.readers.read_statement(|conn| sessions::find(conn, token)).await
    }

    async fn list_sessions(&self, person: &PersonId) -> Result<Vec<(SessionRecord, ClientInfo)>> {
        let person = person.clone();
        self.readers.read(move |conn| sessions::list(conn, &person)).await
    }

    async fn touch_session(&self, token: Hash, seen_at: Timestamp) -> Result<()> {
        self.writer.write_later(move |conn| sessions::touch(conn, token, seen_at))
    }

    async fn reauthenticate_session(
        &self,
        was: Hash,
        token: Hash,
        proven_at: Timestamp,
    ) -> Result<bool> {
        self.writer
            .write_when_full(move |conn| sessions::set_proof(conn, was, token, proven_at))
            .await
    }

    async fn delete_sessions(&self, seen_at: Timestamp, created_at: Timestamp) -> Result<()> {
        self.writer
            .write_when_full(move |conn| {
                sessions::delete_old(conn, seen_at, created_at).map(|()| Unaudited)
            })
            .await
            .map(drop)
    }

    async fn delete_session(&self, token: Hash) -> Result<()> {
        self.writer.write_when_full(move |conn| sessions::delete(conn, token)).await
    }

    async fn delete_other_sessions(&self, person: &PersonId, except: Hash) -> Result<()> {
        let person = person.clone();
        self.writer
            .write_when_full(move |conn| sessions::delete_others(conn, &person, except))
            .await
    }

    async fn set_password(
        &self,
        person: &PersonId,
        was: Option<String>,
        hash: String,
    ) -> Result<bool> {
        let person = person.clone();
        self.writer
            .write(move |conn| {
                if !people::has_hash(conn, &person, was.as_deref())? {
                    return Ok(false);
                }
                people::set_password(conn, &person, &hash)?;
                sessions::delete_all(conn, &person).map(|()| true)
            })
            .await
    }
}
