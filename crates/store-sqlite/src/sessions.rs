//! Sessions and sign-in links. Only hashes of tokens are stored.

use crate::query;
use contract::account::ClientInfo;
use contract::{FormAccess, PersonId, Timestamp};
use rusqlite::{Connection, Row};
use store::access::{SESSIONS_MAX, SessionOwner};
use store::columns::{parse, parse_forms, parse_instant};
use store::{Hash, Result, SessionRecord};

/// Inserts a sign-in link.
pub(super) fn insert_link(
    conn: &Connection,
    token: Hash,
    person: &PersonId,
    expires_at: Timestamp,
) -> Result<()> {
    let sql = "INSERT INTO links (token, person, expires_at) VALUES (?, ?, ?)";
    query::execute(conn, sql, (token, person.as_str(), expires_at.micros())).map(drop)
}

/// Finds the member of an unexpired link.
pub(super) fn find_link(
    conn: &Connection,
    token: Hash,
    now: Timestamp,
) -> Result<Option<PersonId>> {
    let sql = "SELECT person FROM links WHERE token = ? AND expires_at > ?";
    let person = query::find(conn, sql, (token, now.micros()), |row| row.get::<_, String>(0))?;
    person.as_deref().map(parse).transpose()
}

/// Consumes the link that starts a session, and deletes expired links. Returns whether the link
/// exists and belongs to the session's member.
pub(super) fn consume_link(
    conn: &Connection,
    token: Hash,
    session: &SessionRecord,
) -> Result<bool> {
    let now = session.created_at.micros();
    query::execute(conn, "DELETE FROM links WHERE expires_at <= ?", [now])?;
    let sql = "DELETE FROM links WHERE token = ? AND person = ?";
    Ok(query::execute(conn, sql, (token, session.person_id.as_str()))? > 0)
}

/// Inserts a session, and deletes the member's oldest sessions beyond the maximum.
pub(super) fn insert(
    conn: &Connection,
    session: &SessionRecord,
    client: &ClientInfo,
) -> Result<()> {
    let person = session.person_id.as_str();
    let columns = (
        session.token_hash,
        person,
        session.created_at.micros(),
        session.authenticated_at.micros(),
        session.last_used_at.micros(),
        &client.device,
        &client.browser,
    );
    let sql =
        "INSERT INTO sessions (token, person, created_at, proven_at, seen_at, device, browser)
               VALUES (?, ?, ?, ?, ?, ?, ?)";
    query::execute(conn, sql, columns)?;
    let sql = "DELETE FROM sessions WHERE token IN (
                 SELECT token FROM sessions WHERE person = ? AND token <> ?
                 ORDER BY seen_at DESC LIMIT -1 OFFSET ?)";
    query::execute(conn, sql, (person, session.token_hash, SESSIONS_MAX - 1)).map(drop)
}

/// Lists the sessions of a member, the last used first.
pub(super) fn list(
    conn: &Connection,
    person: &PersonId,
) -> Result<Vec<(SessionRecord, ClientInfo)>> {
    let sql = "SELECT token, created_at, proven_at, seen_at, device, browser FROM sessions
               WHERE person = ? ORDER BY seen_at DESC, created_at DESC";
    let columns = |row: &Row<'_>| -> rusqlite::Result<(Hash, [i64; 3], ClientInfo)> {
        let client = ClientInfo { device: row.get(4)?, browser: row.get(5)? };
        Ok((row.get(0)?, [row.get(1)?, row.get(2)?, row.get(3)?], client))
    };
    let rows: Vec<_> = query::list(conn, sql, [person.as_str()], columns)?;
    let session = |(token_hash, instants, client)| {
        Ok((to_session_record(token_hash, person.clone(), instants)?, client))
    };
    rows.into_iter().map(session).collect()
}

fn to_session_record(
    token_hash: Hash,
    person_id: PersonId,
    instants: [i64; 3],
) -> Result<SessionRecord> {
    let [created_at, proven_at, seen_at] = instants;
    Ok(SessionRecord {
        token_hash,
        person_id,
        created_at: parse_instant(created_at)?,
        authenticated_at: parse_instant(proven_at)?,
        last_used_at: parse_instant(seen_at)?,
    })
}

/// Finds a session, with the account, role and forms of its member.
pub(super) fn find(
    conn: &Connection,
    token: Hash,
) -> Result<Option<(SessionRecord, SessionOwner)>> {
    type Columns = (String, String, String, String, i64, i64, i64, Option<String>);
    let sql =
        "SELECT p.id, p.account, p.role, p.email, s.created_at, s.proven_at, s.seen_at, p.forms
               FROM sessions AS s JOIN people AS p ON p.id = s.person WHERE s.token = ?";
    let found: Option<Columns> = query::find(conn, sql, [token], |row| row.try_into())?;
    let Some((person, account, role, email, created_at, proven_at, seen_at, forms)) = found else {
        return Ok(None);
    };
    let session = to_session_record(token, parse(&person)?, [created_at, proven_at, seen_at])?;
    let forms = FormAccess(forms.as_deref().map(parse_forms).transpose()?);
    let owner = SessionOwner { account_id: parse(&account)?, role: parse(&role)?, forms, email };
    Ok(Some((session, owner)))
}

/// Sets the last use of a session. Never moves it back.
pub(super) fn touch(conn: &Connection, token: Hash, seen_at: Timestamp) -> Result<()> {
    let sql = "UPDATE sessions SET seen_at = MAX(seen_at, ?) WHERE token = ?";
    query::execute(conn, sql, (seen_at.micros(), token)).map(drop)
}

/// Replaces the token of a session, and sets the time of its re-authentication.
pub(super) fn set_proof(
    conn: &Connection,
    was: Hash,
    token: Hash,
    proven_at: Timestamp,
) -> Result<bool> {
    let of = "UPDATE sessions SET token = ?, proven_at = ? WHERE token = ?";
    Ok(query::execute(conn, of, (token, proven_at.micros(), was))? > 0)
}

/// Deletes a session.
pub(super) fn delete(conn: &Connection, token: Hash) -> Result<()> {
    query::execute(conn, "DELETE FROM sessions WHERE token = ?", [token]).map(drop)
}

/// Deletes all sessions of a member except one.
pub(super) fn delete_others(
    conn: &Connection,
    person: &PersonId,
    except_token: Hash,
) -> Result<()> {
    let of = "DELETE FROM sessions WHERE person = ? AND token <> ?";
    query::execute(conn, of, (person.as_str(), except_token)).map(drop)
}

/// Deletes all sessions and sign-in links of a member.
pub(super) fn delete_all(conn: &Connection, person: &PersonId) -> Result<()> {
    query::execute(conn, "DELETE FROM sessions WHERE person = ?", [person.as_str()])?;
    delete_links(conn, person)
}

/// Deletes all sign-in links of a member.
pub(super) fn delete_links(conn: &Connection, person: &PersonId) -> Result<()> {
    query::execute(conn, "DELETE FROM links WHERE person = ?", [person.as_str()]).map(drop)
}

/// Deletes the sessions last used, or created, at or before these instants.
pub(super) fn delete_old(
    conn: &Connection,
    seen_at: Timestamp,
    created_at: Timestamp,
) -> Result<()> {
    let sql = "DELETE FROM sessions WHERE seen_at <= ? OR created_at <= ?";
    query::execute(conn, sql, (seen_at.micros(), created_at.micros())).map(drop)
}
