//! Startup checks: whether Sheaf can use a database.

use super::query::read_column;
use crate::errors::database_error;
use store::{Result, StoreError};
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, GenericClient, Transaction};

/// Minimum server version, as `server_version_num`: the first that detects disconnected clients
/// during a statement.
const VERSION_MIN: i32 = 140_000;
/// Required extensions. Both ship with PostgreSQL, and the owner of a database may create them.
const EXTENSIONS: [&str; 2] = ["btree_gin", "pg_trgm"];
/// Maximum number of another program's tables in an error message.
const TABLES_NAMED_MAX: usize = 3;
/// Maximum characters of the server's version text in an error message.
const VERSION_CHARS_MAX: usize = 60;

/// Checks the kind and version of the server, and the encoding of the database.
///
/// # Errors
/// [`StoreError::Unusable`] with what to do.
pub(super) async fn check_server(client: &Client) -> Result<()> {
    let row = client.query_one("SELECT version()", &[]).await.map_err(database_error)?;
    is_postgres(read_column(&row, 0)?)?;
    let sql = "SELECT current_setting('server_version_num')::int, \
               current_setting('server_version'), current_setting('server_encoding'), \
               current_database()::text";
    let row = client.query_one(sql, &[]).await.map_err(database_error)?;
    is_new_enough(read_column(&row, 0)?, read_column(&row, 1)?)?;
    let encoding: &str = read_column(&row, 2)?;
    if encoding != "UTF8" {
        let name: &str = read_column(&row, 3)?;
        return Err(StoreError::Unusable(format!(
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
            .any(|name| version.contains(name));
    if is_it {
        return Ok(());
    }
    let shown: String = version.chars().take(VERSION_CHARS_MAX).collect();
    Err(StoreError::Unusable(format!(
        "the database server is `{shown}`, which is only compatible with PostgreSQL; use \
         PostgreSQL \
         14 or newer"
    )))
}

fn is_new_enough(version: i32, shown: &str) -> Result<()> {
    if version >= VERSION_MIN {
        return Ok(());
    }
    Err(StoreError::Unusable(format!(
        "the database server is PostgreSQL `{shown}`, but must be 14 or newer; upgrade it"
    )))
}

/// Checks that the role may create tables, and that an empty database has no tables of another
/// program.
///
/// # Errors
/// [`StoreError::Unusable`] with what to do.
pub(super) async fn check_privileges(tx: &Transaction<'_>, is_empty: bool) -> Result<()> {
    let sql = "SELECT coalesce(has_schema_privilege(current_schema(), 'CREATE'), false), \
               coalesce(current_schema(), 'public')::text, current_user::text, \
               current_database()::text";
    let row = tx.query_one(sql, &[]).await.map_err(database_error)?;
    let (may, schema): (bool, &str) = (read_column(&row, 0)?, read_column(&row, 1)?);
    let (role, name): (&str, &str) = (read_column(&row, 2)?, read_column(&row, 3)?);
    if !may {
        return Err(StoreError::Unusable(format!(
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
    let max = i64::try_from(TABLES_NAMED_MAX).unwrap_or(i64::MAX);
    let rows = tx.query(sql, &[&max]).await.map_err(database_error)?;
    let tables = rows.iter().map(|row| read_column(row, 0)).collect::<Result<Vec<&str>>>()?;
    if tables.is_empty() { Ok(()) } else { Err(foreign_tables_error(name, &tables)) }
}

fn foreign_tables_error(name: &str, tables: &[&str]) -> StoreError {
    StoreError::Unusable(format!(
        "the database `{name}` has tables of another program (`{}`); create a database only for \
         Sheaf and name that",
        tables.join("`, `")
    ))
}

/// Creates missing extensions. The index for text search, by form, needs them.
///
/// # Errors
/// [`StoreError::Unusable`] with what to do.
pub(super) async fn create_extensions(tx: &Transaction<'_>) -> Result<()> {
    let sql = "SELECT e.name, current_user::text, current_database()::text \
               FROM unnest($1::TEXT[]) AS e (name) \
               WHERE e.name NOT IN (SELECT extname FROM pg_extension)";
    for row in tx.query(sql, &[&EXTENSIONS.as_slice()]).await.map_err(database_error)? {
        let extension = read_column(&row, 0)?;
        let role = read_column(&row, 1)?;
        let name = read_column(&row, 2)?;
        let make = format!("CREATE EXTENSION {extension}");
        if let Err(error) = tx.batch_execute(&make).await {
            return Err(extension_error(extension, role, name, error));
        }
    }
    Ok(())
}

/// Whether the database classifies characters beyond ASCII as letters. Otherwise searches for them
/// cannot use the index.
pub(super) async fn has_unicode_letters(client: &impl GenericClient) -> Result<bool> {
    let sql = "SELECT cardinality(show_trgm('\u{442}\u{435}\u{441}\u{442}')) > 0";
    read_column(&client.query_one(sql, &[]).await.map_err(database_error)?, 0)
}

/// Returns whether the tables may be distributed over machines by Citus.
pub(super) async fn may_be_distributed(client: &impl GenericClient) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus')";
    read_column(&client.query_one(sql, &[]).await.map_err(database_error)?, 0)
}

/// Rejects an empty database that classifies only ASCII characters as letters. Its locale cannot be
/// changed later.
///
/// # Errors
/// [`StoreError::Unusable`] with what to do.
pub(super) async fn check_letters(tx: &Transaction<'_>) -> Result<()> {
    if has_unicode_letters(tx).await? {
        return Ok(());
    }
    let row = tx.query_one("SELECT current_database()::text", &[]).await.map_err(database_error)?;
    let name: &str = read_column(&row, 0)?;
    Err(StoreError::Unusable(format!(
        "the database `{name}` classifies only ASCII characters as letters, so text in other \
         languages cannot be searched; create another one with `createdb --encoding UTF8 \
         --locale C.UTF-8 --template template0`"
    )))
}

fn extension_error(
    extension: &str,
    role: &str,
    name: &str,
    error: tokio_postgres::Error,
) -> StoreError {
    let is = |code: &SqlState| error.code() == Some(code);
    if is(&SqlState::INSUFFICIENT_PRIVILEGE) {
        let statements =
            EXTENSIONS.map(|extension| format!("CREATE EXTENSION {extension};")).join(" ");
        StoreError::Unusable(format!(
            "the database `{name}` lacks the extension `{extension}`, and the role `{role}` may \
             not create it; have its owner run `{statements}` in it"
        ))
    } else if is(&SqlState::UNDEFINED_FILE) || is(&SqlState::FEATURE_NOT_SUPPORTED) {
        StoreError::Unusable(format!(
            "the database server lacks the extension `{extension}`; install it there (Debian has \
             it in `postgresql`, Red Hat in `postgresql-contrib`)"
        ))
    } else {
        database_error(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compatible_servers_are_rejected() {
        let check = |version: &str, is_it: bool| {
            let result = is_postgres(version);
            assert_eq!(result.is_ok(), is_it, "{version}");
            let reason = result.err().map(|reason| reason.to_string()).unwrap_or_default();
            assert!(is_it || reason.contains("only compatible with PostgreSQL"), "{reason}");
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
