//! Opens the store for a command, and finds the records that the command names.

use contract::{Account, AccountId, FormId, Person};
use std::sync::{Arc, Weak};
use store::audit::AuditReport;
use store::{FormRecord, Store};
use store_postgres::{Migrate, PostgresStore, Setup};
use store_sqlite::{Holding, SqliteStore};

use crate::args;
use crate::config::{self, Data, Place};
use crate::error::{Error, Result};

/// Maximum number of database connections of a command.
const COMMAND_CONNECTIONS_MAX: usize = 4;

/// An open store of either kind.
pub(crate) enum Opened {
    /// Database file.
    File(Arc<SqliteStore>),
    /// Database.
    Database(Arc<PostgresStore>),
}

/// Weak reference to an open store.
pub(crate) enum Watched {
    /// Database file.
    File(Weak<SqliteStore>),
    /// Database.
    Database(Weak<PostgresStore>),
}

impl Opened {
    /// Returns the store.
    pub(crate) fn store(&self) -> Arc<dyn Store> {
        match self {
            Self::File(store) => Arc::clone(store) as _,
            Self::Database(store) => Arc::clone(store) as _,
        }
    }

    /// Starts the background tasks of a file: it reserves disk space and checks for damage. A
    /// database needs no such tasks.
    ///
    /// # Errors
    /// A thread that cannot be started.
    pub(crate) fn keep_watch(&self) -> Result<()> {
        match self {
            Self::File(store) => Ok(store.keep_watch()?),
            Self::Database(_) => Ok(()),
        }
    }

    /// Waits until delayed writes are done.
    pub(crate) async fn finish(&self) {
        match self {
            // The writer of a file does this when it stops.
            Self::File(_) => {}
            Self::Database(store) => store.finish().await,
        }
    }

    /// Returns a weak reference to the store.
    pub(crate) fn watched(&self) -> Watched {
        match self {
            Self::File(store) => Watched::File(Arc::downgrade(store)),
            Self::Database(store) => Watched::Database(Arc::downgrade(store)),
        }
    }
}

impl Watched {
    /// Returns the store if it is still open.
    pub(crate) fn opened(&self) -> Option<Opened> {
        match self {
            Self::File(store) => store.upgrade().map(Opened::File),
            Self::Database(store) => store.upgrade().map(Opened::Database),
        }
    }
}

/// Opens the store, and creates it if it is missing.
///
/// # Errors
/// A directory or a database that cannot be used.
pub(crate) async fn open(data: &Data) -> Result<Opened> {
    Ok(match data.place()? {
        Place::Directory(directory) => file(&config::new_database(&directory)?)?,
        Place::Database(setup) => database(of_command(setup)).await?,
    })
}

/// Returns the location of a server's data, checked as far as possible without opening it.
///
/// # Errors
/// As [`Data::place`], or a replica for a data directory.
pub(crate) fn place_to_serve(data: &Data, database_use: &args::DatabaseUse) -> Result<Place> {
    let replica_url = match &database_use.replica_url_file {
        Some(file) => Some(config::read_secret(file)?),
        None => database_use.replica_url.clone(),
    };
    match data.place()? {
        Place::Directory(_) if replica_url.is_some() => Err(Error::refused(
            "`--replica-url` needs a database; set `--database-url`, or remove the replica",
        )),
        Place::Directory(directory) => Ok(Place::Directory(directory)),
        Place::Database(setup) => {
            let connections_max = database_use.connections_max.into();
            let setup = Setup { replica_url, connections_max, ..setup };
            setup.check()?;
            Ok(Place::Database(setup))
        }
    }
}

/// Opens the store of a server, and creates it if it is missing.
///
/// # Errors
/// As [`open`].
pub(crate) async fn open_to_serve(place: Place, memory: &args::Memory) -> Result<Opened> {
    match place {
        Place::Directory(directory) => {
            let text_bytes_max = usize::try_from(memory.search_mib).unwrap_or(usize::MAX) << 20;
            let holding = Holding { text_bytes_max, ..Holding::default() };
            let store = SqliteStore::open_holding(&config::new_database(&directory)?, holding)?;
            Ok(Opened::File(Arc::new(store)))
        }
        Place::Database(setup) => database(setup).await,
    }
}

/// Opens an existing store. Does not migrate the schema of a database, because servers of another
/// version may use it.
///
/// # Errors
/// As [`open`]; a store that does not exist, or a database with the schema of another version.
pub(crate) async fn open_existing(data: &Data) -> Result<Arc<dyn Store>> {
    Ok(existing(data).await?.store())
}

async fn existing(data: &Data) -> Result<Opened> {
    Ok(match data.place()? {
        Place::Directory(directory) => file(&config::existing_database(&directory)?)?,
        Place::Database(setup) => {
            database(Setup { migrate: Migrate::Never, ..of_command(setup) }).await?
        }
    })
}

/// Verifies the audit log of a database. Files are verified by [`store_sqlite::verify`] instead,
/// without opening a store.
///
/// # Errors
/// As [`open_existing`]; data in a file.
pub(crate) async fn verify_audit(data: &Data, wanted: Vec<(i64, String)>) -> Result<AuditReport> {
    let Opened::Database(store) = existing(data).await? else {
        return Err(Error::refused("the data are in a file; name it in `sheaf audit verify FILE`"));
    };
    Ok(store.verify(wanted).await?)
}

fn file(path: &std::path::Path) -> Result<Opened> {
    Ok(Opened::File(Arc::new(SqliteStore::open(path)?)))
}

async fn database(setup: Setup) -> Result<Opened> {
    Ok(Opened::Database(Arc::new(PostgresStore::open(&setup).await?)))
}

fn of_command(setup: Setup) -> Setup {
    Setup { connections_max: COMMAND_CONNECTIONS_MAX, ..setup }
}

/// Finds an account by its email address or its id.
///
/// # Errors
/// An unknown account.
pub(crate) async fn account(store: &dyn Store, named: &str) -> Result<Account> {
    let record = match named.parse::<AccountId>() {
        Ok(id) => store.find_account(&id).await?,
        Err(_) => store.find_account_by_email(named.trim()).await?,
    };
    record.map(|record| record.account).ok_or_else(|| {
        Error::refused(format!("there is no account `{named}`; see `sheaf account list`"))
    })
}

/// Finds a member by email address, or the owner of an account by its id.
///
/// # Errors
/// An unknown member.
pub(crate) async fn person(store: &dyn Store, named: &str) -> Result<Person> {
    let record = match named.parse::<AccountId>() {
        Ok(id) => store.list_people(&id).await?.into_iter().next(),
        Err(_) => store.find_person_by_email(named.trim()).await?,
    };
    record.map(|record| record.person).ok_or_else(|| {
        Error::refused(format!(
            "there is no member with the email address or account `{named}`; see `sheaf account \
             list` and `sheaf account people`"
        ))
    })
}

/// Finds a form.
///
/// # Errors
/// An unknown form.
pub(crate) async fn form(store: &dyn Store, id: &FormId) -> Result<FormRecord> {
    store.find_form(id).await?.ok_or_else(|| no_form(id))
}

/// Returns the error for an unknown form.
pub(crate) fn no_form(id: &FormId) -> Error {
    Error::refused(format!("there is no form `{id}`; see `sheaf form list --account …`"))
}
