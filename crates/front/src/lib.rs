//! What stands between a socket and the HTTP library: it lets through what can be read in one way
//! only.
//!
//! [`Guard`] is a stream around a stream. It looks at each request's bytes before the library does,
//! and what is not framed strictly never reaches it; in its place comes a request that [`refused`]
//! knows, so that the refusal is answered in its turn, with the body of all errors. Nothing here
//! knows what is served, or writes an answer.
//!
//! In reading order: [`Limits`], [`Fault`]; `head` and `chunks`, the two grammars; [`Framer`],
//! which puts them together; [`Guard`] with its [`Patience`] and its turn; [`Places`].

mod chunks;
mod fault;
mod framer;
mod guard;
mod head;
#[cfg(test)]
mod hostile;
mod limits;
mod patience;
mod places;
mod turn;

pub use fault::Fault;
pub use framer::{Framer, Stop};
pub use guard::{Guard, refused};
pub use limits::Limits;
pub use patience::{HeadTimer, Patience};
pub use places::{Place, Places};
