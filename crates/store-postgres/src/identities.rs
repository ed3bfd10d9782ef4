//! External identities of members, and the sessions that were opened through them.

use super::query::{column, exists, hash};
use super::sessions;
use super::text_encoding::{kept, read};
use super::{PostgresStore, accounts, people, query};
use crate::errors::database;
use async_trait::async_trait;
use contract::{AccountId, PersonId};
use deadpool_postgres::{GenericClient, Transaction};
use store::columns::{instant, parse};
use store::identity::{IDENTITIES_MAX, IdentityRecord, IdentityStore};
use store::{AccountRecord, Hash, Result, StoreError};
use tokio_postgres::Row;

#[async_trait]
impl IdentityStore for PostgresStore {
    async fn insert_identity(&self, record: IdentityRecord) -> Result<()> {
        let mut conn = self.connections.get().await?;
        let work = self.begin(&mut conn).await?;
        let done = insert(&work, &record).await?;
        work.done(done).await
    }

    async fn insert_account_of(
        &self,
        account: AccountRecord,
        identity: IdentityRecord,
    ) -> Result<()> {
        let mut conn = self.connections.get().await?;
        let work = self.begin(&mut conn).await?;
        accounts::insert(&work, &account).await?;
        let person_id = people::owner_of(&account.account.id)?;
        let done = insert(&work, &IdentityRecord { person_id, ..identity }).await?;
        work.done(done).await
    }

    async fn find_identity(&self, digest: Hash) -> Result<Option<PersonId>> {
        find(&self.connections.get().await?, digest).await
    }

    async fn find_session_identity(&self, digest: Hash, token: Hash) -> Result<Option<PersonId>> {
        let sql = "SELECT i.person FROM identity_sessions AS s
                   JOIN identities AS i ON i.digest = s.identity
                   WHERE s.token = $1 AND i.digest = $2";
        let conn = self.connections.get().await?;
        let found = query::row(&conn, sql, &[&token.as_slice(), &digest.as_slice()]).await?;
        found.map(|row| parse(column(&row, 0)?)).transpose()
    }

    async fn mark_session(&self, token: Hash, digest: Hash) -> Result<()> {
        // Either may just have been deleted. Then there is nothing to record.
        let sql = "INSERT INTO identity_sessions (token, identity) SELECT s.token, i.digest
                   FROM sessions AS s CROSS JOIN identities AS i
                   WHERE s.token = $1 AND i.digest = $2 FOR KEY SHARE";
        let mut conn = self.connections.get().await?;
        let work = self.begin(&mut conn).await?;
        let values: query::Values<'_> = &[&token.as_slice(), &digest.as_slice()];
        query::change(&*work, sql, values).await.map_err(database)?;
        work.done(()).await
    }

    async fn delete_identity_sessions(&self) -> Result<()> {
        let sql = "DELETE FROM sessions WHERE token IN (
                     SELECT token FROM sessions WHERE token IN (
                       SELECT token FROM identity_sessions)
                     ORDER BY token FOR UPDATE)";
        let mut conn = self.connections.get().await?;
        let work = self.begin(&mut conn).await?;
        query::change(&*work, sql, &[]).await.map_err(database)?;
        work.done(()).await
    }

    async fn list_identities(&self, account: &AccountId) -> Result<Vec<IdentityRecord>> {
        let sql = "SELECT i.digest, i.issuer, i.subject, i.person, i.created_at
                   FROM identities AS i JOIN people AS p ON p.id = i.person
                   WHERE p.account = $1 ORDER BY i.created_at, i.issuer, i.subject";
        let conn = self.connections.get().await?;
        let all = query::rows(&conn, sql, &[&account.as_str()]).await?;
        all.iter().map(record).collect()
    }

    async fn delete_identity(&self, digest: Hash) -> Result<bool> {
        let mut conn = self.connections.get().await?;
        let work = self.begin(&mut conn).await?;
        let done = delete(&work, digest).await?;
        work.done(done).await
    }
}

/// Links an identity. Locks the member's row, so that concurrent processes respect the limit. If
/// two processes link one identity to two members, the unique index accepts one of them.
async fn insert(tx: &Transaction<'_>, record: &IdentityRecord) -> Result<()> {
    let IdentityRecord { digest, issuer, subject, person_id, created_at } = record;
    sessions::hold(tx, person_id).await?;
    let sql = "SELECT COUNT(*) >= $2 FROM identities WHERE person = $1";
    let (person, most) = (person_id.as_str(), i64::from(IDENTITIES_MAX));
    let is_full = match query::row(tx, sql, &[&person, &most]).await? {
        Some(row) => column(&row, 0)?,
        None => false,
    };
    if is_full && find(tx, *digest).await?.is_none() {
        return Err(StoreError::TooManyIdentities);
    }
    let sql = "INSERT INTO identities (digest, issuer, subject, person, created_at)
               VALUES ($1, $2, $3, $4, $5)";
    let (of, as_whom) = (kept(issuer), kept(subject));
    query::change(tx, sql, &[&digest.as_slice(), &of, &as_whom, &person, &created_at.micros()])
        .await
        .map(drop)
        .map_err(|e| exists(e, || format!("an identity `{subject}` of `{issuer}`")))
}

async fn find(conn: &impl GenericClient, digest: Hash) -> Result<Option<PersonId>> {
    let sql = "SELECT person FROM identities WHERE digest = $1";
    let found = query::row(conn, sql, &[&digest.as_slice()]).await?;
    found.map(|row| parse(column(&row, 0)?)).transpose()
}

/// Deletes an identity and its sessions. Locks the member's row first, like every transaction that
/// changes several sessions of a member.
async fn delete(tx: &Transaction<'_>, digest: Hash) -> Result<bool> {
    let Some(person) = find(tx, digest).await? else { return Ok(false) };
    sessions::hold(tx, &person).await?;
    let sql = "DELETE FROM sessions WHERE token IN (
                 SELECT token FROM sessions WHERE token IN (
                   SELECT token FROM identity_sessions WHERE identity = $1)
                 ORDER BY token FOR UPDATE)";
    query::change(tx, sql, &[&digest.as_slice()]).await.map_err(database)?;
    let sql = "DELETE FROM identities WHERE digest = $1";
    Ok(query::change(tx, sql, &[&digest.as_slice()]).await.map_err(database)? > 0)
}

fn record(row: &Row) -> Result<IdentityRecord> {
    Ok(IdentityRecord {
        digest: hash(row, 0)?,
        issuer: read(column(row, 1)?),
        subject: read(column(row, 2)?),
        person_id: parse(column(row, 3)?)?,
        created_at: instant(column(row, 4)?)?,
    })
}
