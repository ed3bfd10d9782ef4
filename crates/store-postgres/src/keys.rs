//! API keys. Only hashes of their secrets are handled here.

use super::query::{insert_error, read_column};
use super::text_encoding::{decode, encode};
use super::{people, query};
use contract::key::ACTIVE_KEYS_MAX;
use contract::{Account, AccountId, ApiKey, KeyId, Timestamp};
use deadpool_postgres::{GenericClient, Transaction};
use std::sync::Arc;
use store::columns::{forms_json, parse, parse_forms, parse_instant, parse_optional_instant};
use store::{Hash, KEYS_PER_HOUR_MAX, KeyRecord, Result, StoreError};
use tokio_postgres::Row;

macro_rules! select_key {
    ($rest:literal) => {
        concat!(
            "SELECT k.id, k.name, k.environment, k.prefix, k.last4, k.created_at, k.last_used_at,
                    k.revoked_at, k.access, k.forms, k.expires_at",
            $rest
        )
    };
}

const HOUR_US: i64 = 3_600_000_000;

/// Inserts a key within the limits on active and recent keys. Locks the account's row, so that
/// concurrent processes respect the limits.
///
/// # Errors
/// [`StoreError::TooManyKeys`], [`StoreError::KeysTooFast`], or [`StoreError::Exists`].
pub(super) async fn insert(
    tx: &Transaction<'_>,
    account: &AccountId,
    key: &ApiKey,
    secret: Hash,
) -> Result<()> {
    people::lock_account(tx, account).await?;
    let sql = "SELECT COUNT(*) FILTER (WHERE revoked_at IS NULL
                                         AND (expires_at IS NULL OR expires_at > $3)),
                      COUNT(*) FILTER (WHERE created_at > $2) FROM keys WHERE account = $1";
    let now = key.created_at.micros();
    let hour_ago = now - HOUR_US;
    let counts = query::fetch_one(tx, sql, &[&account.as_str(), &hour_ago, &now]).await?;
    let (active, lately) = (read_column(&counts, 0)?, read_column(&counts, 1)?);
    let has_room = |count: i64, max: usize| usize::try_from(count).is_ok_and(|count| count < max);
    if !has_room(active, ACTIVE_KEYS_MAX) {
        return Err(StoreError::TooManyKeys);
    }
    if !has_room(lately, KEYS_PER_HOUR_MAX) {
        return Err(StoreError::KeysTooFast);
    }
    let sql = "INSERT INTO keys (id, account, secret, name, environment, prefix, last4, created_at,
                                 last_used_at, revoked_at, access, forms, expires_at)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)";
    query::execute_raw(
        tx,
        sql,
        &[
            &key.id.as_str(),
            &account.as_str(),
            &secret.as_slice(),
            &encode(&key.name),
            &key.environment.as_str(),
            &key.prefix,
            &key.last4,
            &key.created_at.micros(),
            &key.last_used_at.map(Timestamp::micros),
            &key.revoked_at.map(Timestamp::micros),
            &key.access.as_str(),
            &key.forms.as_deref().map(forms_json),
            &key.expires_at.map(Timestamp::micros),
        ],
    )
    .await
    .map(drop)
    .map_err(|error| insert_error(error, || format!("key `{}`", key.id)))
}

/// Finds a key and its owner by the hash of its secret.
pub(super) async fn find_key(conn: &impl GenericClient, secret: Hash) -> Result<Option<KeyRecord>> {
    let sql = select_key!(
        ", a.id, a.email, a.plan FROM keys AS k
                    JOIN accounts AS a ON a.id = k.account WHERE k.secret = $1"
    );
    let found = query::fetch_row(conn, sql, &[&secret.as_slice()]).await?;
    let record = |row: Row| {
        let id = read_column(&row, 11)?;
        let email = read_column(&row, 12)?;
        let plan = read_column(&row, 13)?;
        let account = Account { id: parse(id)?, email: decode(email), plan: parse(plan)? };
        Ok(KeyRecord { account: Arc::new(account), key: Arc::new(read_api_key(&row)?) })
    };
    found.map(record).transpose()
}

/// Lists an account's keys, newest first.
pub(super) async fn list_keys(
    conn: &impl GenericClient,
    account: &AccountId,
) -> Result<Vec<ApiKey>> {
    let sql =
        select_key!(" FROM keys AS k WHERE k.account = $1 ORDER BY k.created_at DESC, k.seq DESC");
    let rows = query::fetch_rows(conn, sql, &[&account.as_str()]).await?;
    rows.iter().map(read_api_key).collect()
}

/// Revokes an active key for every process. Returns `false` if there is no such key.
pub(super) async fn revoke_key(
    tx: &Transaction<'_>,
    account: &AccountId,
    id: &KeyId,
    now: Timestamp,
) -> Result<bool> {
    let sql = "UPDATE keys SET revoked_at = $1
               WHERE account = $2 AND id = $3 AND revoked_at IS NULL";
    let values: query::Parameters<'_> = &[&now.micros(), &account.as_str(), &id.as_str()];
    Ok(query::execute(tx, sql, values).await? > 0)
}

fn read_api_key(row: &Row) -> Result<ApiKey> {
    Ok(ApiKey {
        id: parse(read_column(row, 0)?)?,
        name: decode(read_column(row, 1)?),
        environment: parse(read_column(row, 2)?)?,
        prefix: read_column(row, 3)?,
        last4: read_column(row, 4)?,
        created_at: parse_instant(read_column(row, 5)?)?,
        last_used_at: parse_optional_instant(read_column(row, 6)?)?,
        revoked_at: parse_optional_instant(read_column(row, 7)?)?,
        access: parse(read_column(row, 8)?)?,
        forms: read_column::<Option<&str>>(row, 9)?.map(parse_forms).transpose()?,
        expires_at: parse_optional_instant(read_column(row, 10)?)?,
    })
}
