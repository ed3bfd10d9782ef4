//! Whether a database is one that Sheaf can live in: asked once, at the start.

use super::query::column;
use crate::errors::database;
use store::{Result, StoreError};
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, GenericClient, Transaction};

/// The oldest server, as `server_version_num`: the first that notices by itself that who asked for
/// something is gone.
const VERSION_MIN: i32 = 140_000;
/// What is needed beside the server itself: both come with it, and a database's owner may make
/// them.
const EXTENSIONS: [&str; 2] = ["btree_gin", "pg_trgm"];
/// How many tables of somebody else are named.
const TOLD_MAX: usize = 3;
/// How much of what a server says of itself is told, in characters.
const VERSION_TOLD_MAX: usize = 60;

/// Looks at a server and a database.
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
            "the database `{name}` holds texts as `{encoding}`, but must hold them as UTF8; make \
             another one with `createdb --encoding UTF8 --locale C.UTF-8 --template template0`"
        )));
    }
    Ok(())
}

/// Refuses what speaks the same protocol and is something else: locks by number, triggers and
/// extensions are not there, or do nothing and say nothing.
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
        "the database's server is `{told}`, which only speaks PostgreSQL's protocol; name one that \
         is PostgreSQL, 14 or newer"
    )))
}

fn is_new_enough(version: i32, shown: &str) -> Result<()> {
    if version >= VERSION_MIN {
        return Ok(());
    }
    Err(StoreError::Unfit(format!(
        "the database's server is PostgreSQL `{shown}`, but must be 14 or newer; upgrade it"
    )))
}

/// Makes sure that the role may make tables, and that none of another program are there.
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
            "the role `{role}` may not make tables in the database `{name}`; let it: `GRANT CREATE \
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
        "the database `{name}` belongs to another program, whose tables are in it (`{}`); make one \
         for Sheaf alone and name that",
        tables.join("`, `")
    ))
}

/// Makes sure that text can be searched quickly, form by form.
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

/// Whether the database knows letters beyond ASCII, without which no search for them is quick.
pub(super) async fn knows_letters(client: &impl GenericClient) -> Result<bool> {
    let sql = "SELECT cardinality(show_trgm('\u{442}\u{435}\u{441}\u{442}')) > 0";
    column(&client.query_one(sql, &[]).await.map_err(database)?, 0)
}

/// Makes sure of letters beyond ASCII while the database is empty: later nothing can be done.
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
        "the database `{name}` knows no letters but those of ASCII, so that texts of other \
         languages could not be searched; make another one with `createdb --encoding UTF8 \
         --locale C.UTF-8 --template template0`"
    )))
}

fn lacks(extension: &str, role: &str, name: &str, error: tokio_postgres::Error) -> StoreError {
    let is = |code: &SqlState| error.code() == Some(code);
    if is(&SqlState::INSUFFICIENT_PRIVILEGE) {
        let all = EXTENSIONS.map(|extension| format!("CREATE EXTENSION {extension};")).join(" ");
        StoreError::Unfit(format!(
            "the database `{name}` lacks the extension `{extension}`, and the role `{role}` may \
             not make it; have its owner run `{all}` in it"
        ))
    } else if is(&SqlState::UNDEFINED_FILE) || is(&SqlState::FEATURE_NOT_SUPPORTED) {
        StoreError::Unfit(format!(
            "the database's server lacks the extension `{extension}`; install it there (Debian \
             has it in `postgresql`, Red Hat in `postgresql-contrib`)"
        ))
    } else {
        database(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_speaks_the_protocol_is_refused() {
        let check = |version: &str, is_it: bool| {
            let told = is_postgres(version);
            assert_eq!(told.is_ok(), is_it, "{version}");
            let why = told.err().map(|why| why.to_string()).unwrap_or_default();
            assert!(is_it || why.contains("only speaks PostgreSQL's protocol"), "{why}");
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
    fn an_old_server_is_refused_by_its_version() {
        assert!(is_new_enough(140_000, "14.0").is_ok());
        assert!(is_new_enough(150_018, "15.18").is_ok());
        let error = is_new_enough(130_023, "13.23").unwrap_err().to_string();
        assert_eq!(
            error,
            "the database's server is PostgreSQL `13.23`, but must be 14 or newer; upgrade it"
        );
    }
}
