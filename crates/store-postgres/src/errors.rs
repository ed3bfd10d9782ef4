//! Converts driver errors into [`StoreError`], and decides which of them are transient.
//!
//! Only the first line of a server message is used, because the rest may quote written values.

use super::address::Address;
use deadpool_postgres::PoolError;
use std::error::Error;
use std::io;
use store::StoreError;
use tokio_postgres::error::SqlState;

/// An error of the driver or the pool, with the server's message.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
struct DriverFailure {
    message: String,
    source: BoxedError,
}

type BoxedError = Box<dyn Error + Send + Sync>;

/// Returns the [`StoreError`] for a database error: `Unavailable` if it is transient.
pub(crate) fn database_error(error: impl Into<BoxedError>) -> StoreError {
    let source = error.into();
    let words =
        find_driver_error(source.as_ref()).map_or_else(|| source.to_string(), driver_message);
    let is_passing = is_transient(source.as_ref());
    let failed = Box::new(DriverFailure { message: words, source });
    if is_passing { StoreError::Unavailable(failed) } else { StoreError::Database(failed) }
}

/// Returns the error for a database that is temporarily unavailable.
pub(crate) fn unavailable(reason: impl Into<String>) -> StoreError {
    StoreError::Unavailable(reason.into().into())
}

/// Returns the SQLSTATE of an error, or `None` if the connection failed.
pub(crate) fn sql_state(error: &StoreError) -> Option<&SqlState> {
    let (StoreError::Database(error) | StoreError::Unavailable(error)) = error else { return None };
    let failed: &DriverFailure = error.downcast_ref()?;
    find_driver_error(failed.source.as_ref())?.code()
}

/// Returns the driver's error, also if an error of the pool wraps it.
fn find_driver_error<'a>(
    error: &'a (dyn Error + Send + Sync + 'static),
) -> Option<&'a tokio_postgres::Error> {
    error.downcast_ref().or_else(|| error.source()?.downcast_ref())
}

fn driver_message(error: &tokio_postgres::Error) -> String {
    match (error.as_db_error(), error.source()) {
        (Some(said), _) => format!("{} ({})", said.message(), said.code().code()),
        (None, Some(source)) => format!("{error}: {source}"),
        (None, None) => error.to_string(),
    }
}

/// Whether an error is transient: the same call may succeed soon.
fn is_transient(error: &(dyn Error + Send + Sync + 'static)) -> bool {
    matches!(error.downcast_ref(), Some(PoolError::Timeout(_)))
        || find_driver_error(error).is_some_and(is_transient_driver_error)
}

fn is_transient_driver_error(error: &tokio_postgres::Error) -> bool {
    let Some(code) = error.code() else {
        let is_io = error.source().and_then(|source| source.downcast_ref::<io::Error>()).is_some();
        // The driver reports a connection timeout only by this text.
        return is_io || error.is_closed() || error.to_string().starts_with("timeout");
    };
    // Classes 08 (connection), 53 (insufficient memory or connections) and 57 (operator
    // intervention, which includes the statement timeout).
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

/// Describes in one sentence why a database cannot be used at startup, and what to do.
pub(super) fn describe_connect_error(address: &Address, error: &tokio_postgres::Error) -> String {
    let place = address.host_and_port();
    let role = address.role();
    let name = address.database();
    let Some(said) = error.as_db_error() else { return describe_wire_error(&place, error) };
    let code = said.code();
    if *code == SqlState::INVALID_PASSWORD {
        format!("the database at `{place}` rejects the password of `{role}`; correct the address")
    } else if *code == SqlState::INVALID_AUTHORIZATION_SPECIFICATION {
        format!(
            "the database at `{place}` rejects the role `{role}` ({}); create the role, or allow \
             it in `pg_hba.conf`",
            said.message()
        )
    } else if *code == SqlState::INVALID_CATALOG_NAME {
        format!(
            "there is no database `{name}` at `{place}`; create it with `createdb --encoding \
             UTF8 {name}`, or correct the address"
        )
    } else if *code == SqlState::INSUFFICIENT_PRIVILEGE {
        format!(
            "the role `{role}` may not use the database `{name}` ({}); grant it access",
            said.message()
        )
    } else if *code == SqlState::TOO_MANY_CONNECTIONS {
        format!(
            "the database at `{place}` has no connections left; raise its `max_connections`, or \
             lower `--database-connections` of each server"
        )
    } else if *code == SqlState::CANNOT_CONNECT_NOW {
        format!("the database at `{place}` is starting or stopping; try again in a moment")
    } else {
        format!("the database at `{place}` cannot be used: {}", driver_message(error))
    }
}

fn describe_wire_error(place: &str, error: &tokio_postgres::Error) -> String {
    let Some(source) = error.source() else { return describe_timeout(place) };
    let message = source.to_string();
    let text = error.to_string();
    let kind = source.downcast_ref::<io::Error>().map(io::Error::kind);
    if message.contains("does not allow writes") {
        return describe_read_only(place);
    }
    if text.contains("TLS") && message.contains("does not support TLS") {
        return format!(
            "the database at `{place}` does not support TLS; enable `ssl` there, or set \
             `sslmode=disable` in the address if the network is trusted"
        );
    }
    if text.contains("TLS") {
        return format!(
            "TLS verification of the database at `{place}` failed ({message}); name its \
             certificate authority with `--database-ca`, or correct the host name"
        );
    }
    match kind {
        Some(io::ErrorKind::ConnectionRefused | io::ErrorKind::NotFound) => {
            format!("nothing listens at `{place}`; start the database there or correct the address")
        }
        Some(io::ErrorKind::TimedOut) => describe_timeout(place),
        _ if message.contains("lookup") => {
            format!("the host of `{place}` was not found ({message}); correct the address")
        }
        _ => format!("cannot connect to the database at `{place}`: {message}; correct the address"),
    }
}

/// Describes a database that does not respond.
pub(super) fn describe_timeout(place: &str) -> String {
    format!(
        "the database at `{place}` does not answer in time; check that it is running, and that no \
         firewall blocks it"
    )
}

/// Describes a database that is read-only.
fn describe_read_only(place: &str) -> String {
    format!(
        "the database at `{place}` is read-only, for example a replica; name the primary in the \
         address, and a replica with `--replica-url`"
    )
}
