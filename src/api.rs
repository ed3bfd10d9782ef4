//! All HTTP requests of the page. Exports are requested by their worker.
//!
//! Every request carries the header against cross-site request forgery and no key: the gateway adds
//! the key. Nothing is retried, cached or shown here.
//!
//! [`Backend`] says what the server can do. The functions on submissions work with every server of
//! the specification. The others work only with a server that has the capability for them.

mod account;
mod audit;
mod backend;
mod connection;
mod error;
mod forms;
mod keys;
mod members;
mod preload;
mod remote;
mod request;
mod session;
mod submissions;
mod summary;
mod timeout;
mod trash;

pub use account::*;
pub use audit::*;
pub use backend::{Backend, Capabilities};
pub use connection::{Reach, observe};
pub use error::ApiError;
pub use forms::*;
pub use keys::*;
pub use members::*;
pub use remote::Remote;
pub use request::{Abort, Answer};
pub use session::*;
pub use submissions::*;
pub use summary::*;
pub use trash::*;
