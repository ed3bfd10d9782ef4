//! Opens the store for a command, and finds the records that the command names.

use contract::{Account, AccountId, FormId, Person};
use std::sync::{Arc, Weak};
use store::audit::AuditReport;
use store::{FormRecord, Store};
use store_postgres::{Migrate, PostgresStore, Setup};
use store_sqlite::{IndexLimits, SqliteStore};

use crate::args;
use crate::config::{self, Data, DataLocation};
use crate::error::{Error, Result};

/// Maximum number of database connections of a command.
const COMMAND_CONNECTIONS_MAX: usize = 4;

/// An open store of either kind.
pub(crate) enum OpenStore {
    /// Database file.
    File(Arc<SqliteStore>),
    /// Database.
    Database(Arc<PostgresStore>),
}

/// Weak reference to an open store.
pub(crate) enum WeakStore {
    /// Database file.
    File(Weak<SqliteStore>),
    /// Database.
    Database(Weak<PostgresStore>),
}

impl OpenStore {
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
    pub(crate) fn start_background_tasks(&self) -> Result<()> {
        match self {
            Self::File(store) => Ok(store.start_background_checks()?),
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
    pub(crate) fn downgrade(&self) -> WeakStore {
        match self {
            Self::File(store) => WeakStore::File(Arc::downgrade(store)),
            Self::Database(store) => WeakStore::Database(Arc::downgrade(store)),
        }
    }
}

impl WeakStore {
    /// Returns the store if it is still open.
    pub(crate) fn upgrade(&self) -> Option<OpenStore> {
        match self {
            Self::File(store) => store.upgrade().map(OpenStore::File),
            Self::Database(store) => store.upgrade().map(OpenStore::Database),
        }
    }
}

/// Opens the store, and creates it if it is missing.
///
/// # Errors
/// A directory or a database that cannot be used.
pub(crate) async fn open_store(data: &Data) -> Result<OpenStore> {
    Ok(match data.location()? {
        DataLocation::Directory(directory) => {
            open_file(&config::create_data_directory(&directory)?)?
        }
        DataLocation::Database(setup) => open_database(with_command_connections(setup)).await?,
    })
}

/// Returns the location of a server's data, checked as far as possible without opening it.
///
/// # Errors
/// As [`Data::location`], or a replica for a data directory.
pub(crate) fn server_location(
    data: &Data,
    database_use: &args::DatabaseUse,
) -> Result<DataLocation> {
    let replica_url = match &database_use.replica_url_file {
        Some(file) => Some(config::read_secret(file)?),
        None => database_use.replica_url.clone(),
    };
    match data.location()? {
        DataLocation::Directory(_) if replica_url.is_some() => Err(Error::invalid(
            "`--replica-url` needs a database; set `--database-url`, or remove the replica",
        )),
        DataLocation::Directory(directory) => Ok(DataLocation::Directory(directory)),
        DataLocation::Database(setup) => {
            let connections_max = database_use.connections_max.into();
            let setup = Setup { replica_url, connections_max, ..setup };
            setup.check()?;
            Ok(DataLocation::Database(setup))
        }
    }
}

/// Opens the store of a server, and creates it if it is missing.
///
/// # Errors
/// As [`open_store`].
pub(crate) async fn open_server_store(
    location: DataLocation,
    memory: &args::Memory,
) -> Result<OpenStore> {
    let bytes_max = usize::try_from(memory.search_mib).unwrap_or(usize::MAX) << 20;
    match location {
        DataLocation::Directory(directory) => {
            let limits = IndexLimits { text_bytes_max: bytes_max, ..IndexLimits::default() };
            let store =
                SqliteStore::open_with_limits(&config::create_data_directory(&directory)?, limits)?;
            Ok(OpenStore::File(Arc::new(store)))
        }
        DataLocation::Database(setup) => {
            open_database(Setup { answer_bytes_max: bytes_max, ..setup }).await
        }
    }
}

/// Opens an existing store. Does not migrate the schema of a database, because servers of another
/// version may use it.
///
/// # Errors
/// As [`open_store`]; a store that does not exist, or a database with the schema of another
/// version.
pub(crate) async fn open_existing(data: &Data) -> Result<Arc<dyn Store>> {
    Ok(open_existing_store(data).await?.store())
}

async fn open_existing_store(data: &Data) -> Result<OpenStore> {
    Ok(match data.location()? {
        DataLocation::Directory(directory) => open_file(&config::find_database(&directory)?)?,
        DataLocation::Database(setup) => {
            open_database(Setup { migrate: Migrate::Never, ..with_command_connections(setup) })
                .await?
        }
    })
}

/// Verifies the audit log of a database. Files are verified by [`store_sqlite::verify`] instead,
/// without opening a store.
///
/// # Errors
/// As [`open_existing`]; data in a file.
pub(crate) async fn verify_audit(
    data: &Data,
    expected_ends: Vec<(i64, String)>,
) -> Result<AuditReport> {
    let OpenStore::Database(store) = open_existing_store(data).await? else {
        return Err(Error::invalid("the data are in a file; name it in `sheaf audit verify FILE`"));
    };
    Ok(store.verify(expected_ends).await?)
}

fn open_file(path: &std::path::Path) -> Result<OpenStore> {
    Ok(OpenStore::File(Arc::new(SqliteStore::open(path)?)))
}

async fn open_database(setup: Setup) -> Result<OpenStore> {
    Ok(OpenStore::Database(Arc::new(PostgresStore::open(&setup).await?)))
}

fn with_command_connections(setup: Setup) -> Setup {
    Setup { connections_max: COMMAND_CONNECTIONS_MAX, ..setup }
}

/// Finds an account by its email address or its id.
///
/// # Errors
/// An unknown account.
pub(crate) async fn find_account(store: &dyn Store, name: &str) -> Result<Account> {
    let record = match name.parse::<AccountId>() {
        Ok(id) => store.find_account(&id).await?,
        Err(_) => store.find_account_by_email(name.trim()).await?,
    };
    record.map(|record| record.account).ok_or_else(|| {
        Error::invalid(format!("there is no account `{name}`; see `sheaf account list`"))
    })
}

/// Finds a member by email address, or the owner of an account by its id.
///
/// # Errors
/// An unknown member.
pub(crate) async fn find_member(store: &dyn Store, name: &str) -> Result<Person> {
    let record = match name.parse::<AccountId>() {
        Ok(id) => store.list_people(&id).await?.into_iter().next(),
        Err(_) => store.find_person_by_email(name.trim()).await?,
    };
    record.map(|record| record.person).ok_or_else(|| {
        Error::invalid(format!(
            "there is no member with the email address or account `{name}`; see `sheaf account \
             list` and `sheaf account people`"
        ))
    })
}

/// Finds a form.
///
/// # Errors
/// An unknown form.
pub(crate) async fn find_form(store: &dyn Store, id: &FormId) -> Result<FormRecord> {
    store.find_form(id).await?.ok_or_else(|| unknown_form(id))
}

/// Returns the error for an unknown form.
pub(crate) fn unknown_form(id: &FormId) -> Error {
    Error::invalid(format!("there is no form `{id}`; see `sheaf form list --account …`"))
}
