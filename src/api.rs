//! All HTTP requests of the page. Export requests are sent by the export worker.
//!
//! Every request carries the CSRF header and no API key: the gateway adds the key. This module
//! does not retry, cache or display anything.
//!
//! [`Backend`] describes the capabilities of the server. The functions for submissions work with
//! every server that implements the specification. The other functions need a server with the
//! matching capability.

mod account;
mod audit;
mod backend;
mod connection;
mod error;
mod event_stream;
mod forms;
mod keys;
mod members;
mod notifications;
mod preload;
mod remote;
mod request;
mod session;
mod submissions;
mod summary;
mod timeout;
mod trash;
mod triage;
mod views;
mod webhooks;

pub use account::*;
pub use audit::*;
pub use backend::{Backend, Capabilities};
pub use connection::{ConnectionState, set_observer};
pub use error::ApiError;
pub use event_stream::EventStream;
pub use forms::*;
pub use keys::*;
pub use members::*;
pub use notifications::*;
pub use remote::Remote;
pub use request::{AbortOnDrop, ApiResponse};
pub use session::*;
pub use submissions::*;
pub use summary::*;
pub use trash::*;
pub use triage::*;
pub use views::*;
pub use webhooks::*;
