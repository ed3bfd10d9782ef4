//! API keys. Only the hash of a secret is stored.

use super::{insertion_error, query};
use contract::key::ACTIVE_KEYS_MAX;
use contract::{Account, AccountId, ApiKey, KeyId, Timestamp};
use rusqlite::{Connection, Row};
use std::sync::Arc;
use store::columns::{forms_json, parse, parse_forms, parse_instant, parse_optional_instant};
use store::{Hash, KEYS_PER_HOUR_MAX, KeyRecord, Result, StoreError};

const KEY_COLUMNS: &str = "k.id, k.name, k.environment, k.prefix, k.last4, k.created_at, \
                   k.last_used_at, k.revoked_at, k.access, k.forms, k.expires_at";

const HOUR_US: i64 = 3_600_000_000;

/// Inserts a key, unless the account has the maximum of active keys, or of keys created within an
/// hour. Each key has a rate limit of its own, so creating and revoking keys at will would bypass
/// the limit. The counts and the insertion are one transaction.
pub(super) fn insert(
    conn: &Connection,
    account: &AccountId,
    key: &ApiKey,
    secret: Hash,
) -> Result<()> {
    let hour_ago = key.created_at.micros() - HOUR_US;
    let sql = "SELECT COUNT(*) FILTER (WHERE revoked_at IS NULL
                                       AND (expires_at IS NULL OR expires_at > ?)),
                    COUNT(*) FILTER (WHERE created_at > ?) FROM keys WHERE account = ?";
    let params = (key.created_at.micros(), hour_ago, account.as_str());
    let (active, lately): (i64, i64) = query::one(conn, sql, params, |row| row.try_into())?;
    let has_room = |count: i64, max: usize| usize::try_from(count).is_ok_and(|count| count < max);
    if !has_room(active, ACTIVE_KEYS_MAX) {
        return Err(StoreError::TooManyKeys);
    }
    if !has_room(lately, KEYS_PER_HOUR_MAX) {
        return Err(StoreError::KeysTooFast);
    }
    conn.execute(
        "INSERT INTO keys (id, account, secret, name, environment, prefix, last4, created_at,
                           last_used_at, revoked_at, access, forms, expires_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            key.id.as_str(),
            account.as_str(),
            secret,
            &key.name,
            key.environment.as_str(),
            &key.prefix,
            &key.last4,
            key.created_at.micros(),
            key.last_used_at.map(Timestamp::micros),
            key.revoked_at.map(Timestamp::micros),
            key.access.as_str(),
            key.forms.as_deref().map(forms_json),
            key.expires_at.map(Timestamp::micros),
        ),
    )
    .map_err(|error| insertion_error(error, || format!("key `{}`", key.id)))?;
    Ok(())
}

/// Finds a key and its owner by the hash of its secret.
pub(super) fn find(conn: &Connection, secret: Hash) -> Result<Option<KeyRecord>> {
    let sql = format!(
        "SELECT {KEY_COLUMNS}, a.id, a.email, a.plan
         FROM keys AS k JOIN accounts AS a ON a.id = k.account WHERE k.secret = ?"
    );
    let owner = |row: &Row<'_>| -> rusqlite::Result<(String, String, String)> {
        Ok((row.get(11)?, row.get(12)?, row.get(13)?))
    };
    let found = query::find(conn, &sql, [secret], |row| Ok((read_columns(row)?, owner(row)?)))?;
    let record = |(key, (id, email, plan)): (KeyColumns, (String, String, String))| {
        let account = Account { id: parse(&id)?, email, plan: parse(&plan)? };
        Ok(KeyRecord { account: Arc::new(account), key: Arc::new(to_api_key(key)?) })
    };
    found.map(record).transpose()
}

/// Lists an account's keys, newest first.
pub(super) fn list(conn: &Connection, account: &AccountId) -> Result<Vec<ApiKey>> {
    let sql = format!(
        "SELECT {KEY_COLUMNS} FROM keys AS k WHERE k.account = ? ORDER BY k.created_at DESC, k.seq DESC"
    );
    let rows: Vec<_> = query::list(conn, &sql, [account.as_str()], read_columns)?;
    rows.into_iter().map(to_api_key).collect()
}

/// Revokes an active key.
pub(super) fn revoke(
    conn: &Connection,
    account: &AccountId,
    id: &KeyId,
    now: Timestamp,
) -> Result<bool> {
    let sql = "UPDATE keys SET revoked_at = ? WHERE account = ? AND id = ? AND revoked_at IS NULL";
    let revoked = query::execute(conn, sql, (now.micros(), account.as_str(), id.as_str()))?;
    Ok(revoked == 1)
}

/// Sets the last use of a key. Never moves it back.
pub(super) fn touch(conn: &Connection, id: &KeyId, now: Timestamp) -> Result<()> {
    let sql = "UPDATE keys SET last_used_at = MAX(COALESCE(last_used_at, ?1), ?1) WHERE id = ?2";
    query::execute(conn, sql, (now.micros(), id.as_str()))?;
    Ok(())
}

struct KeyColumns {
    id: String,
    name: String,
    environment: String,
    prefix: String,
    last4: String,
    created_at: i64,
    last_used_at: Option<i64>,
    revoked_at: Option<i64>,
    access: String,
    forms: Option<String>,
    expires_at: Option<i64>,
}

fn read_columns(row: &Row<'_>) -> rusqlite::Result<KeyColumns> {
    Ok(KeyColumns {
        id: row.get(0)?,
        name: row.get(1)?,
        environment: row.get(2)?,
        prefix: row.get(3)?,
        last4: row.get(4)?,
        created_at: row.get(5)?,
        last_used_at: row.get(6)?,
        revoked_at: row.get(7)?,
        access: row.get(8)?,
        forms: row.get(9)?,
        expires_at: row.get(10)?,
    })
}

fn to_api_key(columns: KeyColumns) -> Result<ApiKey> {
    Ok(ApiKey {
        id: parse(&columns.id)?,
        name: columns.name,
        environment: parse(&columns.environment)?,
        prefix: columns.prefix,
        last4: columns.last4,
        created_at: parse_instant(columns.created_at)?,
        last_used_at: parse_optional_instant(columns.last_used_at)?,
        revoked_at: parse_optional_instant(columns.revoked_at)?,
        access: parse(&columns.access)?,
        forms: columns.forms.as_deref().map(parse_forms).transpose()?,
        expires_at: parse_optional_instant(columns.expires_at)?,
    })
}
