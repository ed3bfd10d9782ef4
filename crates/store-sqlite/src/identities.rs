//! [`IdentityStore`] for SQLite: external identities of members, and the sessions they started.

use super::{SqliteStore, accounts, insertion_error, people};
use async_trait::async_trait;
use contract::{AccountId, PersonId};
use rusqlite::{Connection, OptionalExtension, Row};
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
        self.writer
            .write_when_full(move |conn| conn.execute(of, ()).map(|_| ()).map_err(database_error))
            .await
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
    let count: u32 =
        conn.query_row(of, [person_id.as_str()], |row| row.get(0)).map_err(database_error)?;
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
    conn.prepare_cached("SELECT person FROM identities WHERE digest = ?")
        .and_then(|mut found| found.query_row([digest], person_column).optional())
        .map_err(database_error)?
        .map(|person| parse(&person))
        .transpose()
}

fn find_by_session(conn: &Connection, digest: Hash, token: Hash) -> Result<Option<PersonId>> {
    conn.prepare_cached(
        "SELECT i.person FROM identity_sessions AS s JOIN identities AS i ON i.digest = s.identity
         WHERE s.token = ? AND i.digest = ?",
    )
    .and_then(|mut found| found.query_row([token, digest], person_column).optional())
    .map_err(database_error)?
    .map(|person| parse(&person))
    .transpose()
}

fn person_column(row: &Row<'_>) -> rusqlite::Result<String> {
    row.get(0)
}

fn link_session(conn: &Connection, token: Hash, digest: Hash) -> Result<()> {
    // The session or the identity may have been deleted meanwhile; then nothing is inserted.
    conn.execute(
        "INSERT INTO identity_sessions (token, identity) SELECT s.token, i.digest
         FROM sessions AS s JOIN identities AS i WHERE s.token = ? AND i.digest = ?",
        [token, digest],
    )
    .map_err(database_error)?;
    Ok(())
}

fn list(conn: &Connection, account: &AccountId) -> Result<Vec<IdentityRecord>> {
    let mut statement = conn
        .prepare_cached(
            "SELECT i.digest, i.issuer, i.subject, i.person, i.created_at
             FROM identities AS i JOIN people AS p ON p.id = i.person
             WHERE p.account = ? ORDER BY i.created_at, i.issuer, i.subject",
        )
        .map_err(database_error)?;
    let columns =
        |row: &Row<'_>| -> rusqlite::Result<(Hash, String, String, String, i64)> { row.try_into() };
    let rows = statement.query_map([account.as_str()], columns).map_err(database_error)?;
    rows.map(|row| {
        let (digest, issuer, subject, person, created_at) = row.map_err(database_error)?;
        let person_id = parse(&person)?;
        let created_at = parse_instant(created_at)?;
        Ok(IdentityRecord { digest, issuer, subject, person_id, created_at })
    })
    .collect()
}

fn delete(conn: &Connection, digest: Hash) -> Result<bool> {
    let of = "DELETE FROM sessions WHERE token IN
        (SELECT token FROM identity_sessions WHERE identity = ?)";
    conn.execute(of, [digest]).map_err(database_error)?;
    let count = conn
        .execute("DELETE FROM identities WHERE digest = ?", [digest])
        .map_err(database_error)?;
    Ok(count > 0)
}
