//! External identities of members, and the sessions that were opened through them.

use super::query::{insert_error, read_column, read_hash};
use super::sessions;
use super::text_encoding::{decode, encode};
use super::{PostgresStore, accounts, people, query};
use async_trait::async_trait;
use contract::{AccountId, PersonId};
use deadpool_postgres::{GenericClient, Transaction};
use store::columns::{parse, parse_instant};
use store::identity::{IDENTITIES_MAX, IdentityRecord, IdentityStore};
use store::{AccountRecord, Hash, Result, StoreError};
use tokio_postgres::Row;

#[async_trait]
impl IdentityStore for PostgresStore {
    async fn insert_identity(&self, record: IdentityRecord) -> Result<()> {
        let mut conn = self.connections.get().await?;
        let tx = self.begin_write(&mut conn).await?;
        let done = insert(&tx, &record).await?;
        tx.commit_audited(done).await
    }

    async fn insert_account_with_identity(
        &self,
        account: AccountRecord,
        identity: IdentityRecord,
    ) -> Result<()> {
        let mut conn = self.connections.get().await?;
        let tx = self.begin_write(&mut conn).await?;
        accounts::insert(&tx, &account).await?;
        let person_id = people::owner_id(&account.account.id)?;
        let done = insert(&tx, &IdentityRecord { person_id, ..identity }).await?;
        tx.commit_audited(done).await
    }

    async fn find_identity(&self, digest: Hash) -> Result<Option<PersonId>> {
        find_linked_person(&self.connections.get().await?, digest).await
    }

    async fn find_session_identity(&self, digest: Hash, token: Hash) -> Result<Option<PersonId>> {
        let sql = "SELECT i.person FROM identity_sessions AS s
                   JOIN identities AS i ON i.digest = s.identity
                   WHERE s.token = $1 AND i.digest = $2";
        let conn = self.connections.get().await?;
        let found = query::fetch_row(&conn, sql, &[&token.as_slice(), &digest.as_slice()]).await?;
        found.map(|row| parse(read_column(&row, 0)?)).transpose()
    }

    async fn set_session_identity(&self, token: Hash, digest: Hash) -> Result<()> {
        // Either may just have been deleted. Then there is nothing to record.
        let sql = "INSERT INTO identity_sessions (token, identity) SELECT s.token, i.digest
                   FROM sessions AS s CROSS JOIN identities AS i
                   WHERE s.token = $1 AND i.digest = $2 FOR KEY SHARE";
        let mut conn = self.connections.get().await?;
        let tx = self.begin_write(&mut conn).await?;
        let values: query::Parameters<'_> = &[&token.as_slice(), &digest.as_slice()];
        query::execute(&*tx, sql, values).await?;
        tx.commit_audited(()).await
    }

    async fn delete_identity_sessions(&self) -> Result<()> {
        let sql = "DELETE FROM sessions WHERE token IN (
                     SELECT token FROM sessions WHERE token IN (
                       SELECT token FROM identity_sessions)
                     ORDER BY token FOR UPDATE)";
        let mut conn = self.connections.get().await?;
        let tx = self.begin_write(&mut conn).await?;
        query::execute(&*tx, sql, &[]).await?;
        tx.commit_audited(()).await
    }

    async fn list_identities(&self, account: &AccountId) -> Result<Vec<IdentityRecord>> {
        let sql = "SELECT i.digest, i.issuer, i.subject, i.person, i.created_at
                   FROM identities AS i JOIN people AS p ON p.id = i.person
                   WHERE p.account = $1 ORDER BY i.created_at, i.issuer, i.subject";
        let conn = self.connections.get().await?;
        let rows = query::fetch_rows(&conn, sql, &[&account.as_str()]).await?;
        rows.iter().map(read_identity).collect()
    }

    async fn delete_identity(&self, digest: Hash) -> Result<bool> {
        let mut conn = self.connections.get().await?;
        let tx = self.begin_write(&mut conn).await?;
        let done = delete_link(&tx, digest).await?;
        tx.commit_audited(done).await
    }
}

/// Links an identity. Locks the member's row, so that concurrent processes respect the limit. If
/// two processes link one identity to two members, the unique index accepts one of them.
async fn insert(tx: &Transaction<'_>, record: &IdentityRecord) -> Result<()> {
    let IdentityRecord { digest, issuer, subject, person_id, created_at } = record;
    sessions::lock_person(tx, person_id).await?;
    let sql = "SELECT COUNT(*) >= $2 FROM identities WHERE person = $1";
    let person = person_id.as_str();
    let max = i64::from(IDENTITIES_MAX);
    let is_full = query::fetch_one(tx, sql, &[&person, &max]).await?;
    if read_column(&is_full, 0)? && find_linked_person(tx, *digest).await?.is_none() {
        return Err(StoreError::TooManyIdentities);
    }
    let sql = "INSERT INTO identities (digest, issuer, subject, person, created_at)
               VALUES ($1, $2, $3, $4, $5)";
    let of = encode(issuer);
    let as_whom = encode(subject);
    query::execute_raw(tx, sql, &[&digest.as_slice(), &of, &as_whom, &person, &created_at.micros()])
        .await
        .map(drop)
        .map_err(|error| insert_error(error, || format!("an identity `{subject}` of `{issuer}`")))
}

async fn find_linked_person(conn: &impl GenericClient, digest: Hash) -> Result<Option<PersonId>> {
    let sql = "SELECT person FROM identities WHERE digest = $1";
    let found = query::fetch_row(conn, sql, &[&digest.as_slice()]).await?;
    found.map(|row| parse(read_column(&row, 0)?)).transpose()
}

/// Deletes an identity and its sessions. Locks the member's row first, like every transaction that
/// changes several sessions of a member.
async fn delete_link(tx: &Transaction<'_>, digest: Hash) -> Result<bool> {
    let Some(person) = find_linked_person(tx, digest).await? else { return Ok(false) };
    sessions::lock_person(tx, &person).await?;
    let sql = "DELETE FROM sessions WHERE token IN (
                 SELECT token FROM sessions WHERE token IN (
                   SELECT token FROM identity_sessions WHERE identity = $1)
                 ORDER BY token FOR UPDATE)";
    query::execute(tx, sql, &[&digest.as_slice()]).await?;
    let sql = "DELETE FROM identities WHERE digest = $1";
    Ok(query::execute(tx, sql, &[&digest.as_slice()]).await? > 0)
}

fn read_identity(row: &Row) -> Result<IdentityRecord> {
    Ok(IdentityRecord {
        digest: read_hash(row, 0)?,
        issuer: decode(read_column(row, 1)?),
        subject: decode(read_column(row, 2)?),
        person_id: parse(read_column(row, 3)?)?,
        created_at: parse_instant(read_column(row, 4)?)?,
    })
}
