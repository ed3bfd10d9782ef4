//! [`IdentityStore`] for SQLite: external identities of members, and the sessions they started.

use super::{SqliteStore, accounts, insertion_error, people, query};
use async_trait::async_trait;
use contract::{AccountId, PersonId};
use rusqlite::Connection;
use store::columns::{database_error, parse, parse_instant};
use store::identity::{IDENTITIES_MAX, IdentityRecord, IdentityStore};
use store::{AccountRecord, Hash, Result, StoreError};

#[async_trait]
impl IdentityStore for SqliteStore {
    async fn insert_identity(&self, record: IdentityRecord) -> Result<()> {
        self.writer.write(move |conn| insert(conn, &record)).await
    }

    async fn insert_account_with_identity(
        &self,
        account: AccountRecord,
        identity: IdentityRecord,
    ) -> Result<()> {
        self.writer
            .write(move |conn| {
                accounts::insert(conn, &account)?;
                let owner = people::list(conn, &account.account.id)?.into_iter().next();
                let owner =
                    owner.ok_or_else(|| database_error(rusqlite::Error::QueryReturnedNoRows))?;
                insert(conn, &IdentityRecord { person_id: owner.person.id, ..identity })
            })
            .await
    }

    async fn find_identity(&self, digest: Hash) -> Result<Option<PersonId>> {
        self.readers.read_statement(|conn| find(conn, digest)).await
    }

    async fn find_session_identity(&self, digest: Hash, token: Hash) -> Result<Option<PersonId>> {
        self.readers.read_statement(|conn| find_by_session(conn, digest, token)).await
    }

    async fn set_session_identity(&self, token: Hash, digest: Hash) -> Result<()> {
        self.writer.write_when_full(move |conn| link_session(conn, token, digest)).await
    }

    async fn delete_identity_sessions(&self) -> Result<()> {
        let of = "DELETE FROM sessions WHERE token IN (SELECT token FROM identity_sessions)";
        self.writer.write_when_full(move |conn| query::execute(conn, of, ()).map(|_| ())).await
    }

    async fn list_identities(&self, account: &AccountId) -> Result<Vec<IdentityRecord>> {
        let account = account.clone();
        self.readers.read(move |conn| list(conn, &account)).await
    }

    async fn delete_identity(&self, digest: Hash) -> Result<bool> {
        self.writer.write_when_full(move |conn| delete(conn, digest)).await
    }
}

fn insert(conn: &Connection, record: &IdentityRecord) -> Result<()> {
    let IdentityRecord { digest, issuer, subject, person_id, created_at } = record;
    let of = "SELECT COUNT(*) FROM identities WHERE person = ?";
    let count: u32 = query::one(conn, of, [person_id.as_str()], |row| row.get(0))?;
    if find(conn, *digest)?.is_none() && count >= IDENTITIES_MAX {
        return Err(StoreError::TooManyIdentities);
    }
    conn.execute(
        "INSERT INTO identities (digest, issuer, subject, person, created_at)
         VALUES (?, ?, ?, ?, ?)",
        (digest, issuer, subject, person_id.as_str(), created_at.micros()),
    )
    .map_err(|error| {
        insertion_error(error, || format!("a link of `{subject}` from `{issuer}` to a user"))
    })?;
    Ok(())
}

fn find(conn: &Connection, digest: Hash) -> Result<Option<PersonId>> {
    let sql = "SELECT person FROM identities WHERE digest = ?";
    let person = query::find(conn, sql, [digest], |row| row.get::<_, String>(0))?;
    person.as_deref().map(parse).transpose()
}

fn find_by_session(conn: &Connection, digest: Hash, token: Hash) -> Result<Option<PersonId>> {
    let sql =
        "SELECT i.person FROM identity_sessions AS s JOIN identities AS i ON i.digest = s.identity
         WHERE s.token = ? AND i.digest = ?";
    let person = query::find(conn, sql, [token, digest], |row| row.get::<_, String>(0))?;
    person.as_deref().map(parse).transpose()
}

fn link_session(conn: &Connection, token: Hash, digest: Hash) -> Result<()> {
    // The session or the identity may have been deleted meanwhile; then nothing is inserted.
    let sql = "INSERT INTO identity_sessions (token, identity) SELECT s.token, i.digest
               FROM sessions AS s JOIN identities AS i WHERE s.token = ? AND i.digest = ?";
    query::execute(conn, sql, [token, digest])?;
    Ok(())
}

fn list(conn: &Connection, account: &AccountId) -> Result<Vec<IdentityRecord>> {
    let sql = "SELECT i.digest, i.issuer, i.subject, i.person, i.created_at
               FROM identities AS i JOIN people AS p ON p.id = i.person
               WHERE p.account = ? ORDER BY i.created_at, i.issuer, i.subject";
    let rows: Vec<(Hash, String, String, String, i64)> =
        query::list(conn, sql, [account.as_str()], |row| row.try_into())?;
    let record = |(digest, issuer, subject, person, created_at): (_, _, _, String, i64)| {
        let person_id = parse(&person)?;
        let created_at = parse_instant(created_at)?;
        Ok(IdentityRecord { digest, issuer, subject, person_id, created_at })
    };
    rows.into_iter().map(record).collect()
}

fn delete(conn: &Connection, digest: Hash) -> Result<bool> {
    let of = "DELETE FROM sessions WHERE token IN
        (SELECT token FROM identity_sessions WHERE identity = ?)";
    query::execute(conn, of, [digest])?;
    let count = query::execute(conn, "DELETE FROM identities WHERE digest = ?", [digest])?;
    Ok(count > 0)
}
