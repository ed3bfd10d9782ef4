//! Startup checks: whether Sheaf can use a database.

use super::query::column;
use crate::errors::database;
use store::{Result, StoreError};
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, GenericClient, Transaction};

/// Minimum server version, as `server_version_num`: the first that detects disconnected clients
/// during a statement.
const VERSION_MIN: i32 = 140_000;
/// Required extensions. Both ship with PostgreSQL, and the owner of a database may create them.
const EXTENSIONS: [&str; 2] = ["btree_gin", "pg_trgm"];
/// Maximum number of another program's tables in an error message.
const TOLD_MAX: usize = 3;
/// Maximum characters of the server's version text in an error message.
const VERSION_TOLD_MAX: usize = 60;

/// Checks the kind and version of the server, and the encoding of the database.
///
/// # Errors
/// [`StoreError::Unfit`] with what to do.
pub(super) async fn check(client: &Client) -> Result<()> {
    let row = client.query_one("SELECT version()", &[]).await.map_err(database)?;
    is_postgres(column(&row, 0)?)?;
    let sql = "SELECT current_setting('server_version_num')::int, \
               current_setting('server_version'), current_setting('server_encoding'), \
               current_database()::text";
    let row = client.query_one(sql, &[]).await.map_err(database)?;
    is_new_enough(column(&row, 0)?, column(&row, 1)?)?;
    let encoding: &str = column(&row, 2)?;
    if encoding != "UTF8" {
        let name: &str = column(&row, 3)?;
        return Err(StoreError::Unfit(format!(
            "the database `{name}` has the encoding `{encoding}`, but needs UTF8; create another \
             one with `createdb --encoding UTF8 --locale C.UTF-8 --template template0`"
        )));
    }
    Ok(())
}

/// Rejects servers that speak the same protocol but are not PostgreSQL. They lack advisory locks,
/// triggers or extensions, or silently ignore them.
fn is_postgres(version: &str) -> Result<()> {
    let is_it = version.starts_with("PostgreSQL ")
        && !["-YB-", "Redshift", "Materialize", "CockroachDB"]
            .iter()
            .any(|it| version.contains(it));
    if is_it {
        return Ok(());
    }
    let told: String = version.chars().take(VERSION_TOLD_MAX).collect();
    Err(StoreError::Unfit(format!(
        "the database server is `{told}`, which is only compatible with PostgreSQL; use PostgreSQL \
         14 or newer"
    )))
}

fn is_new_enough(version: i32, shown: &str) -> Result<()> {
    if version >= VERSION_MIN {
        return Ok(());
    }
    Err(StoreError::Unfit(format!(
        "the database server is PostgreSQL `{shown}`, but must be 14 or newer; upgrade it"
    )))
}

/// Checks that the role may create tables, and that an empty database has no tables of another
/// program.
///
/// # Errors
/// [`StoreError::Unfit`] with what to do.
pub(super) async fn may_build(tx: &Transaction<'_>, is_empty: bool) -> Result<()> {
    let sql = "SELECT coalesce(has_schema_privilege(current_schema(), 'CREATE'), false), \
               coalesce(current_schema(), 'public')::text, current_user::text, \
               current_database()::text";
    let row = tx.query_one(sql, &[]).await.map_err(database)?;
    let (may, schema): (bool, &str) = (column(&row, 0)?, column(&row, 1)?);
    let (role, name): (&str, &str) = (column(&row, 2)?, column(&row, 3)?);
    if !may {
        return Err(StoreError::Unfit(format!(
            "the role `{role}` may not create tables in the database `{name}`; run `GRANT CREATE \
             ON SCHEMA {schema} TO {role}`, or make it the database's owner"
        )));
    }
    if !is_empty {
        return Ok(());
    }
    let sql = "SELECT c.relname::text FROM pg_class c \
               JOIN pg_namespace n ON n.oid = c.relnamespace \
               WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p') AND NOT EXISTS \
               (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e') \
               ORDER BY 1 LIMIT $1";
    let max = i64::try_from(TOLD_MAX).unwrap_or(i64::MAX);
    let rows = tx.query(sql, &[&max]).await.map_err(database)?;
    let tables = rows.iter().map(|row| column(row, 0)).collect::<Result<Vec<&str>>>()?;
    if tables.is_empty() { Ok(()) } else { Err(another(name, &tables)) }
}

fn another(name: &str, tables: &[&str]) -> StoreError {
    StoreError::Unfit(format!(
        "the database `{name}` has tables of another program (`{}`); create a database only for \
         Sheaf and name that",
        tables.join("`, `")
    ))
}

/// Creates missing extensions. The index for text search, by form, needs them.
///
/// # Errors
/// [`StoreError::Unfit`] with what to do.
pub(super) async fn extensions(tx: &Transaction<'_>) -> Result<()> {
    let sql = "SELECT e.name, current_user::text, current_database()::text \
               FROM unnest($1::TEXT[]) AS e (name) \
               WHERE e.name NOT IN (SELECT extname FROM pg_extension)";
    for row in tx.query(sql, &[&EXTENSIONS.as_slice()]).await.map_err(database)? {
        let (extension, role, name) = (column(&row, 0)?, column(&row, 1)?, column(&row, 2)?);
        let make = format!("CREATE EXTENSION {extension}");
        if let Err(error) = tx.batch_execute(&make).await {
            return Err(lacks(extension, role, name, error));
        }
    }
    Ok(())
}

/// Whether the database classifies characters beyond ASCII as letters. Otherwise searches for them
/// cannot use the index.
pub(super) async fn knows_letters(client: &impl GenericClient) -> Result<bool> {
    let sql = "SELECT cardinality(show_trgm('\u{442}\u{435}\u{441}\u{442}')) > 0";
    column(&client.query_one(sql, &[]).await.map_err(database)?, 0)
}

/// Rejects an empty database that classifies only ASCII characters as letters. Its locale cannot be
/// changed later.
///
/// # Errors
/// [`StoreError::Unfit`] with what to do.
pub(super) async fn letters(tx: &Transaction<'_>) -> Result<()> {
    if knows_letters(tx).await? {
        return Ok(());
    }
    let row = tx.query_one("SELECT current_database()::text", &[]).await.map_err(database)?;
    let name: &str = column(&row, 0)?;
    Err(StoreError::Unfit(format!(
        "the database `{name}` classifies only ASCII characters as letters, so text in other \
         languages cannot be searched; create another one with `createdb --encoding UTF8 \
         --locale C.UTF-8 --template template0`"
    )))
}

fn lacks(extension: &str, role: &str, name: &str, error: tokio_postgres::Error) -> StoreError {
    let is = |code: &SqlState| error.code() == Some(code);
    if is(&SqlState::INSUFFICIENT_PRIVILEGE) {
        let all = EXTENSIONS.map(|extension| format!("CREATE EXTENSION {extension};")).join(" ");
        StoreError::Unfit(format!(
            "the database `{name}` lacks the extension `{extension}`, and the role `{role}` may \
             not create it; have its owner run `{all}` in it"
        ))
    } else if is(&SqlState::UNDEFINED_FILE) || is(&SqlState::FEATURE_NOT_SUPPORTED) {
        StoreError::Unfit(format!(
            "the database server lacks the extension `{extension}`; install it there (Debian has \
             it in `postgresql`, Red Hat in `postgresql-contrib`)"
        ))
    } else {
        database(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compatible_servers_are_rejected() {
        let check = |version: &str, is_it: bool| {
            let told = is_postgres(version);
            assert_eq!(told.is_ok(), is_it, "{version}");
            let why = told.err().map(|why| why.to_string()).unwrap_or_default();
            assert!(is_it || why.contains("only compatible with PostgreSQL"), "{why}");
        };
        check("PostgreSQL 15.18 (Debian 15.18-0+deb12u1) on x86_64-pc-linux-gnu", true);
        check("PostgreSQL 17.2 on aarch64-unknown-linux-gnu, compiled by gcc, 64-bit", true);
        check("CockroachDB CCL v24.3.1 (x86_64-pc-linux-gnu, built 2024/12/20)", false);
        check("PostgreSQL 15.2-YB-2.25.0.0-b0 on x86_64-pc-linux-gnu", false);
        check("PostgreSQL 8.0.2 on i686-pc-linux-gnu, Redshift 1.0.77", false);
        check("CrateDB 5.9.1", false);
        check("", false);
    }

    #[test]
    fn old_server_version_is_rejected() {
        assert!(is_new_enough(140_000, "14.0").is_ok());
        assert!(is_new_enough(150_018, "15.18").is_ok());
        let error = is_new_enough(130_023, "13.23").unwrap_err().to_string();
        assert_eq!(
            error,
            "the database server is PostgreSQL `13.23`, but must be 14 or newer; upgrade it"
        );
    }
}
