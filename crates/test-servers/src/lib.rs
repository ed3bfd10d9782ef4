//! Servers for tests and benchmarks, started from the packages installed on the machine.
//!
//! Each runs in its own folder on a free port, never as a system service and never as root. It ends
//! when the process that started it ends, for any reason.

mod corpus;
mod level;
mod port;
mod postgres;
mod prepared_file;
mod process;
#[cfg(feature = "async")]
mod smtp;

pub use corpus::{for_each_kind, for_each_text};
pub use level::{is_full_run, is_in_rotation};
pub use port::ReservedPort;
pub use postgres::Postgres;
pub use prepared_file::copy_prepared_file;
pub use process::Error;
#[cfg(feature = "async")]
pub use smtp::{ReceivedMail, SmtpOptions, SmtpReceiver, SmtpStage, SmtpTls};
