//! Databases of the unit tests.

use crate::{PostgresStore, Setup};
use test_servers::Postgres;

/// Creates a database with the newest schema and no data, and returns its address.
pub(crate) fn prepared_database() -> String {
    let prepare = async |url: &str| {
        PostgresStore::open(&Setup::with_defaults(url)).await.unwrap();
    };
    Postgres::shared().create_prepared_database(prepare).unwrap()
}
