//! Servers that Sheaf may stand on, started for tests and benches from the machine's own packages:
//! in a folder of their own, on a free port, never as a service of the system and never as root.
//!
//! Each ends with the process that started it, however that ends.

mod corpus;
mod level;
mod port;
mod postgres;
mod process;

pub use corpus::{for_each_kind, for_each_text};
pub use level::{is_full_run, is_in_rotation};
pub use port::ReservedPort;
pub use postgres::Postgres;
pub use process::Error;
