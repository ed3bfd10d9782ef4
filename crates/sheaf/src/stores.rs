//! Opens the store for a command, and finds what the command names in it.

use contract::{Account, AccountId, FormId, Person};
use std::sync::{Arc, Weak};
use store::audit::AuditReport;
use store::{FormRecord, Store};
use store_postgres::{Migrate, PostgresStore, Setup};
use store_sqlite::{Holding, SqliteStore};

use crate::args;
use crate::config::{self, Data, Place};
use crate::error::{Error, Result};

/// Most connections of a command to a database.
const COMMAND_CONNECTIONS_MAX: usize = 4;

/// A store of either kind.
pub(crate) enum Opened {
    /// In a file.
    File(Arc<SqliteStore>),
    /// In a database.
    Database(Arc<PostgresStore>),
}

/// The same, without keeping it open.
pub(crate) enum Watched {
    /// In a file.
    File(Weak<SqliteStore>),
    /// In a database.
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

    /// Has a file looked through beside the work; a database looks after itself.
    ///
    /// # Errors
    /// A thread that cannot be had.
    pub(crate) fn keep_watch(&self) -> Result<()> {
        match self {
            Self::File(store) => Ok(store.keep_watch()?),
            Self::Database(_) => Ok(()),
        }
    }

    /// Waits until what is written a little later is written.
    pub(crate) async fn finish(&self) {
        match self {
            // A file's writer does so when it ends.
            Self::File(_) => {}
            Self::Database(store) => store.finish().await,
        }
    }

    /// Returns what finds it again as long as it is open.
    pub(crate) fn watched(&self) -> Watched {
        match self {
            Self::File(store) => Watched::File(Arc::downgrade(store)),
            Self::Database(store) => Watched::Database(Arc::downgrade(store)),
        }
    }
}

impl Watched {
    /// Returns the store where it is still open.
    pub(crate) fn opened(&self) -> Option<Opened> {
        match self {
            Self::File(store) => store.upgrade().map(Opened::File),
            Self::Database(store) => store.upgrade().map(Opened::Database),
        }
    }
}

/// Opens the store, made where it is missing.
///
/// # Errors
/// A directory or a database that cannot be used.
pub(crate) async fn open(data: &Data) -> Result<Opened> {
    Ok(match data.place()? {
        Place::Directory(directory) => file(&config::new_database(&directory)?)?,
        Place::Database(setup) => database(of_command(setup)).await?,
    })
}

/// Returns where a server keeps everything, checked as far as it can be without opening it.
///
/// # Errors
/// As [`Data::place`], or a replica of a data directory.
pub(crate) fn place_to_serve(data: &Data, database_use: &args::DatabaseUse) -> Result<Place> {
    let replica_url = match &database_use.replica_url_file {
        Some(file) => Some(config::read_secret(file)?),
        None => database_use.replica_url.clone(),
    };
    match data.place()? {
        Place::Directory(_) if replica_url.is_some() => Err(Error::refused(
            "`--replica-url` is for a database; name that with `--database-url`, or leave it out",
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

/// Opens the store of a server, made where it is missing.
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

/// Opens the store where there is one. The schema of a database is left as it is: servers of
/// another version may be at work on it.
///
/// # Errors
/// As [`open`], or no store there, or one of another version in a database.
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

/// Looks through the audit log of a database; a file is looked through from outside.
///
/// # Errors
/// As [`open_existing`]; a file in place of a database.
pub(crate) async fn verify_audit(data: &Data, wanted: Vec<(i64, String)>) -> Result<AuditReport> {
    let Opened::Database(store) = existing(data).await? else {
        return Err(Error::refused("this is a file; name it behind `sheaf audit verify`"));
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

/// Finds an account by its mail address or its id.
///
/// # Errors
/// No such account.
pub(crate) async fn account(store: &dyn Store, named: &str) -> Result<Account> {
    let record = match named.parse::<AccountId>() {
        Ok(id) => store.find_account(&id).await?,
        Err(_) => store.find_account_by_email(named.trim()).await?,
    };
    record.map(|record| record.account).ok_or_else(|| {
        Error::refused(format!("there is no account `{named}`; see `sheaf account list`"))
    })
}

/// Finds a person by their mail address, or the owner of an account by its id.
///
/// # Errors
/// Nobody like that.
pub(crate) async fn person(store: &dyn Store, named: &str) -> Result<Person> {
    let record = match named.parse::<AccountId>() {
        Ok(id) => store.list_people(&id).await?.into_iter().next(),
        Err(_) => store.find_person_by_email(named.trim()).await?,
    };
    record.map(|record| record.person).ok_or_else(|| {
        Error::refused(format!(
            "there is nobody with the mail address or account `{named}`; see `sheaf account list` \
             and `sheaf account people`"
        ))
    })
}

/// Finds a form.
///
/// # Errors
/// No such form.
pub(crate) async fn form(store: &dyn Store, id: &FormId) -> Result<FormRecord> {
    store.find_form(id).await?.ok_or_else(|| no_form(id))
}

/// The error of a form that is not there.
pub(crate) fn no_form(id: &FormId) -> Error {
    Error::refused(format!("there is no form `{id}`; see `sheaf form list --account …`"))
}
