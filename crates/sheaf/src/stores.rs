//! Opens the store for a command, and finds what the command names in it.

use contract::{Account, AccountId, FormId, Person};
use service::store::sqlite::{Holding, SqliteStore};
use service::store::{FormRecord, Store};

use crate::args;
use crate::config::Data;
use crate::error::{Error, Result};

/// Opens the store, made where it is missing.
///
/// # Errors
/// A directory or a database that cannot be used.
pub(crate) fn open(data: &Data) -> Result<SqliteStore> {
    Ok(SqliteStore::open(&data.database()?)?)
}

/// Opens the store of a server, made where it is missing.
///
/// # Errors
/// As [`open`].
pub(crate) fn open_to_serve(data: &Data, memory: &args::Memory) -> Result<SqliteStore> {
    let text_bytes_max = usize::try_from(memory.search_mib).unwrap_or(usize::MAX) << 20;
    let holding = Holding { text_bytes_max, ..Holding::default() };
    Ok(SqliteStore::open_holding(&data.database()?, holding)?)
}

/// Opens the store where there is one.
///
/// # Errors
/// As [`open`], or no store there.
pub(crate) fn open_existing(data: &Data) -> Result<SqliteStore> {
    Ok(SqliteStore::open(&data.existing_database()?)?)
}

/// Finds an account by its mail address or its id.
///
/// # Errors
/// No such account.
pub(crate) async fn account(store: &impl Store, named: &str) -> Result<Account> {
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
pub(crate) async fn form(store: &impl Store, id: &FormId) -> Result<FormRecord> {
    store.find_form(id).await?.ok_or_else(|| {
        Error::refused(format!("there is no form `{id}`; see `sheaf form list --account …`"))
    })
}
