//! Archives between stores of both kinds.
#![expect(clippy::unwrap_used, reason = "a test ends at the first surprise")]

mod archive;
mod place;
