//! Sessions, and the links that open one. Only hashes of tokens are handled here.
//!
//! Transactions that change several sessions of a member lock the member's row first. Transactions
//! that delete sessions of several members lock them in the order of their tokens. This prevents
//! deadlocks.

use super::query;
use super::query::{read_column, read_hash};
use super::text_encoding::{decode, encode};
use contract::account::ClientInfo;
use contract::{FormAccess, PersonId, Timestamp};
use deadpool_postgres::{GenericClient, Transaction};
use store::access::{SESSIONS_MAX, SessionOwner};
use store::columns::{parse, parse_forms, parse_instant};
use store::{Hash, Result, SessionRecord};
use tokio_postgres::Row;

/// Inserts a sign-in link.
pub(super) async fn insert_link(
    tx: &Transaction<'_>,
    token: Hash,
    person: &PersonId,
    expires_at: Timestamp,
) -> Result<()> {
    let sql = "INSERT INTO links (token, person, expires_at) VALUES ($1, $2, $3)";
    let values: query::Parameters<'_> =
        &[&token.as_slice(), &person.as_str(), &expires_at.micros()];
    query::execute(tx, sql, values).await.map(drop)
}

/// Finds the member of a link that has not expired.
pub(super) async fn find_link(
    conn: &impl GenericClient,
    token: Hash,
    now: Timestamp,
) -> Result<Option<PersonId>> {
    let sql = "SELECT person FROM links WHERE token = $1 AND expires_at > $2";
    let person = query::fetch_row(conn, sql, &[&token.as_slice(), &now.micros()]).await?;
    person.map(|row| parse(read_column(&row, 0)?)).transpose()
}

/// Deletes the link that opens a session, and all expired links that no other transaction has
/// locked. Returns whether the link was valid and of the session's member.
pub(super) async fn consume_link(
    tx: &Transaction<'_>,
    token: Hash,
    session: &SessionRecord,
) -> Result<bool> {
    // Same lock order as a change of the password: the member's row first, then the links.
    lock_person(tx, &session.person_id).await?;
    let sql = "WITH late AS (
                 DELETE FROM links WHERE token IN (
                   SELECT token FROM links WHERE expires_at <= $2 FOR UPDATE SKIP LOCKED)
               )
               DELETE FROM links WHERE token = $1 AND expires_at > $2 AND person = $3";
    let now = session.created_at.micros();
    let values: query::Parameters<'_> = &[&token.as_slice(), &now, &session.person_id.as_str()];
    Ok(query::execute(tx, sql, values).await? > 0)
}

/// Inserts a session, and deletes the least recently used ones of the member beyond
/// [`SESSIONS_MAX`].
pub(super) async fn insert(
    tx: &Transaction<'_>,
    session: &SessionRecord,
    client: &ClientInfo,
) -> Result<()> {
    lock_person(tx, &session.person_id).await?;
    let token = session.token_hash.as_slice();
    let person = session.person_id.as_str();
    let sql =
        "INSERT INTO sessions (token, person, created_at, proven_at, seen_at, device, browser)
               VALUES ($1, $2, $3, $4, $5, $6, $7)";
    query::execute(
        tx,
        sql,
        &[
            &token,
            &person,
            &session.created_at.micros(),
            &session.authenticated_at.micros(),
            &session.last_used_at.micros(),
            &client.device.as_deref().map(encode),
            &client.browser.as_deref().map(encode),
        ],
    )
    .await?;
    let sql = "DELETE FROM sessions WHERE token IN (
                 SELECT token FROM sessions WHERE token IN (
                   SELECT token FROM sessions WHERE person = $1 AND token <> $2
                   ORDER BY seen_at DESC OFFSET $3)
                 ORDER BY token FOR UPDATE)";
    let others_max = i64::from(SESSIONS_MAX) - 1;
    query::execute(tx, sql, &[&person, &token, &others_max]).await.map(drop)
}

/// Lists a member's sessions, the most recently used first.
pub(super) async fn list_sessions(
    conn: &impl GenericClient,
    person: &PersonId,
) -> Result<Vec<(SessionRecord, ClientInfo)>> {
    let sql = "SELECT token, created_at, proven_at, seen_at, device, browser FROM sessions
               WHERE person = $1 ORDER BY seen_at DESC, created_at DESC";
    let rows = query::fetch_rows(conn, sql, &[&person.as_str()]).await?;
    let read_row = |row: &Row| {
        let session = read_session(read_hash(row, 0)?, person.clone(), row, 1)?;
        let word = |place| Ok(read_column::<Option<String>>(row, place)?.map(decode));
        Ok((session, ClientInfo { device: word(4)?, browser: word(5)? }))
    };
    rows.iter().map(read_row).collect()
}

/// Finds a session, and the account, role and forms of its member.
pub(super) async fn find_session(
    conn: &impl GenericClient,
    token: Hash,
) -> Result<Option<(SessionRecord, SessionOwner)>> {
    let sql = "SELECT p.id, p.account, p.role, p.email, s.created_at, s.proven_at, s.seen_at,
                      p.forms
               FROM sessions AS s JOIN people AS p ON p.id = s.person WHERE s.token = $1";
    let found = query::fetch_row(conn, sql, &[&token.as_slice()]).await?;
    let read_row = |row: Row| {
        let session = read_session(token, parse(read_column(&row, 0)?)?, &row, 4)?;
        let account_id = parse(read_column(&row, 1)?)?;
        let role = parse(read_column(&row, 2)?)?;
        let forms = read_column::<Option<&str>>(&row, 7)?.map(parse_forms).transpose()?;
        let (forms, email) = (FormAccess(forms), decode(read_column(&row, 3)?));
        let owner = SessionOwner { account_id, role, forms, email };
        Ok((session, owner))
    };
    found.map(read_row).transpose()
}

/// Reads a session. Its three instants start at the column `instants`.
fn read_session(
    token_hash: Hash,
    person_id: PersonId,
    row: &Row,
    instants: usize,
) -> Result<SessionRecord> {
    let at = |place| parse_instant(read_column(row, instants + place)?);
    Ok(SessionRecord {
        token_hash,
        person_id,
        created_at: at(0)?,
        authenticated_at: at(1)?,
        last_used_at: at(2)?,
    })
}

/// Sets the token and the instant of authentication of a session. Returns `false` if there is no
/// session with the token `was`.
pub(super) async fn set_proof(
    tx: &Transaction<'_>,
    was: Hash,
    token: Hash,
    proven_at: Timestamp,
) -> Result<bool> {
    let sql = "UPDATE sessions SET token = $1, proven_at = $2 WHERE token = $3";
    let values: query::Parameters<'_> = &[&token.as_slice(), &proven_at.micros(), &was.as_slice()];
    Ok(query::execute(tx, sql, values).await? > 0)
}

/// Deletes a session.
pub(super) async fn delete_session(tx: &Transaction<'_>, token: Hash) -> Result<()> {
    let sql = "DELETE FROM sessions WHERE token = $1";
    query::execute(tx, sql, &[&token.as_slice()]).await.map(drop)
}

/// Deletes all sessions of a member except one.
pub(super) async fn delete_other_sessions(
    tx: &Transaction<'_>,
    person: &PersonId,
    except: Hash,
) -> Result<()> {
    lock_person(tx, person).await?;
    let sql = "DELETE FROM sessions WHERE token IN (
                 SELECT token FROM sessions WHERE person = $1 AND token <> $2
                 ORDER BY token FOR UPDATE)";
    let values: query::Parameters<'_> = &[&person.as_str(), &except.as_slice()];
    query::execute(tx, sql, values).await.map(drop)
}

/// Deletes all sessions and sign-in links of a member.
pub(super) async fn delete_sessions_and_links(
    tx: &Transaction<'_>,
    person: &PersonId,
) -> Result<()> {
    lock_person(tx, person).await?;
    let sql = "DELETE FROM sessions WHERE token IN (
                 SELECT token FROM sessions WHERE person = $1 ORDER BY token FOR UPDATE)";
    query::execute(tx, sql, &[&person.as_str()]).await?;
    delete_links(tx, person).await
}

/// Deletes the sign-in links of a locked member.
pub(super) async fn delete_links(tx: &Transaction<'_>, person: &PersonId) -> Result<()> {
    let sql = "DELETE FROM links WHERE token IN (
                 SELECT token FROM links WHERE person = $1 ORDER BY token FOR UPDATE)";
    query::execute(tx, sql, &[&person.as_str()]).await.map(drop)
}

/// Deletes the sessions that were last used until `seen_at`, or created until `created_at`. Skips
/// sessions that another transaction has locked to delete or use them. The next call deletes those.
pub(super) async fn delete_expired(
    tx: &Transaction<'_>,
    seen_at: Timestamp,
    created_at: Timestamp,
) -> Result<()> {
    let sql = "DELETE FROM sessions WHERE token IN (
                 SELECT token FROM sessions WHERE seen_at <= $1 OR created_at <= $2
                 FOR UPDATE SKIP LOCKED)";
    query::execute(tx, sql, &[&seen_at.micros(), &created_at.micros()]).await.map(drop)
}

/// Locks a member's row until the transaction ends.
pub(super) async fn lock_person(tx: &Transaction<'_>, id: &PersonId) -> Result<()> {
    let sql = "SELECT 1 FROM people WHERE id = $1 FOR NO KEY UPDATE";
    query::fetch_row(tx, sql, &[&id.as_str()]).await.map(drop)
}

/// Like [`lock_person`], if the member has this password hash. Returns whether they do. Waits for a
/// concurrent change of the hash, and compares with its result.
pub(super) async fn lock_person_by_hash(
    tx: &Transaction<'_>,
    id: &PersonId,
    hash: Option<&str>,
) -> Result<bool> {
    let sql = "SELECT 1 FROM people WHERE id = $1 AND password_hash IS NOT DISTINCT FROM $2
               FOR NO KEY UPDATE";
    Ok(query::fetch_row(tx, sql, &[&id.as_str(), &hash]).await?.is_some())
}
