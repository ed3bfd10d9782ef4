//! What the driver's errors mean to people, and which of them pass by themselves.
//!
//! Only the first line of what a server says is told: what follows may quote what was written.

use super::address::Address;
use deadpool_postgres::PoolError;
use std::error::Error;
use std::io;
use store::StoreError;
use tokio_postgres::error::SqlState;

/// An error of the driver or the pool, in the words of the server.
#[derive(Debug, thiserror::Error)]
#[error("{words}")]
struct Failed {
    words: String,
    source: BoxedError,
}

type BoxedError = Box<dyn Error + Send + Sync>;

/// Returns the error of a database that failed.
pub(crate) fn database(error: impl Into<BoxedError>) -> StoreError {
    let source = error.into();
    let words = of_driver(source.as_ref()).map_or_else(|| source.to_string(), driver_words);
    let is_passing = is_passing(source.as_ref());
    let failed = Box::new(Failed { words, source });
    if is_passing { StoreError::Unavailable(failed) } else { StoreError::Database(failed) }
}

/// Returns the error of a database that is not there for the moment.
pub(crate) fn gone(why: impl Into<String>) -> StoreError {
    StoreError::Unavailable(why.into().into())
}

/// What the database calls an error; nothing where the connection is at fault.
pub(crate) fn code(error: &StoreError) -> Option<&SqlState> {
    let (StoreError::Database(error) | StoreError::Unavailable(error)) = error else { return None };
    let failed: &Failed = error.downcast_ref()?;
    of_driver(failed.source.as_ref())?.code()
}

/// The driver's own error, whether the pool had it or not.
fn of_driver<'a>(
    error: &'a (dyn Error + Send + Sync + 'static),
) -> Option<&'a tokio_postgres::Error> {
    error.downcast_ref().or_else(|| error.source()?.downcast_ref())
}

fn driver_words(error: &tokio_postgres::Error) -> String {
    match (error.as_db_error(), error.source()) {
        (Some(said), _) => format!("{} ({})", said.message(), said.code().code()),
        (None, Some(source)) => format!("{error}: {source}"),
        (None, None) => error.to_string(),
    }
}

/// Whether an error is one that passes: the same call may work in a moment.
fn is_passing(error: &(dyn Error + Send + Sync + 'static)) -> bool {
    matches!(error.downcast_ref(), Some(PoolError::Timeout(_)))
        || of_driver(error).is_some_and(passes)
}

fn passes(error: &tokio_postgres::Error) -> bool {
    let Some(code) = error.code() else {
        let is_io = error.source().and_then(|it| it.downcast_ref::<io::Error>()).is_some();
        // The driver has no other way to tell that a connection did not come about in time.
        return is_io || error.is_closed() || error.to_string().starts_with("timeout");
    };
    // Classes: of the connection, of a want of means (memory, connections), of an operator's hand
    // (which a statement's own time-out is, too).
    let is_class = ["08", "53", "57"].iter().any(|class| code.code().starts_with(class));
    is_class
        || [
            SqlState::READ_ONLY_SQL_TRANSACTION,
            SqlState::T_R_SERIALIZATION_FAILURE,
            SqlState::T_R_DEADLOCK_DETECTED,
            SqlState::LOCK_NOT_AVAILABLE,
            SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
        ]
        .contains(code)
}

/// Says in one sentence why a database cannot be used from the start, and what to do.
pub(super) fn sentence(address: &Address, error: &tokio_postgres::Error) -> String {
    let (place, role, name) = (address.place(), address.role(), address.database());
    let Some(said) = error.as_db_error() else { return wire_sentence(&place, error) };
    let code = said.code();
    if *code == SqlState::INVALID_PASSWORD {
        format!("the database at `{place}` refuses the password of `{role}`; correct the address")
    } else if *code == SqlState::INVALID_AUTHORIZATION_SPECIFICATION {
        format!(
            "the database at `{place}` does not let `{role}` in ({}); make the role, or let it in \
             by `pg_hba.conf`",
            said.message()
        )
    } else if *code == SqlState::INVALID_CATALOG_NAME {
        format!(
            "there is no database `{name}` at `{place}`; make one with `createdb --encoding \
             UTF8 {name}`, or correct the address"
        )
    } else if *code == SqlState::INSUFFICIENT_PRIVILEGE {
        format!(
            "the role `{role}` may not use the database `{name}` ({}); grant it that",
            said.message()
        )
    } else if *code == SqlState::TOO_MANY_CONNECTIONS {
        format!(
            "the database at `{place}` takes no more connections; raise its `max_connections`, or \
             give each server fewer by `--database-connections`"
        )
    } else if *code == SqlState::CANNOT_CONNECT_NOW {
        format!("the database at `{place}` is starting or ending; try again in a moment")
    } else {
        format!("the database at `{place}` cannot be used: {}", driver_words(error))
    }
}

fn wire_sentence(place: &str, error: &tokio_postgres::Error) -> String {
    let Some(source) = error.source() else { return silent(place) };
    let said = source.to_string();
    let text = error.to_string();
    let kind = source.downcast_ref::<io::Error>().map(io::Error::kind);
    if said.contains("does not allow writes") {
        return standby(place);
    }
    if text.contains("TLS") && said.contains("does not support TLS") {
        return format!(
            "the database at `{place}` does not speak TLS; switch `ssl` on there, or say \
             `sslmode=disable` in the address where the way to it is safe"
        );
    }
    if text.contains("TLS") {
        return format!(
            "the database at `{place}` does not prove who it is ({said}); name the authority that \
             vouches for it with `--database-ca`, or correct the host's name"
        );
    }
    match kind {
        Some(io::ErrorKind::ConnectionRefused | io::ErrorKind::NotFound) => {
            format!("nobody listens at `{place}`; start the database there, or correct the address")
        }
        Some(io::ErrorKind::TimedOut) => silent(place),
        _ if said.contains("lookup") => {
            format!("the host of `{place}` is not known ({said}); correct the address")
        }
        _ => format!("the database at `{place}` cannot be reached: {said}; correct the address"),
    }
}

/// Says that nobody answers.
pub(super) fn silent(place: &str) -> String {
    format!(
        "the database at `{place}` does not answer in time; see whether it runs, and whether a \
         firewall is between"
    )
}

/// Says that a database only reads.
fn standby(place: &str) -> String {
    format!(
        "the database at `{place}` takes no writes: it is a replica, or was made read-only; name \
         the primary, and a replica with `--replica-url`"
    )
}
