//! Archives between stores of both kinds.
#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod archive;
mod location;
