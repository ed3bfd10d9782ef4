//! Exports, as the browser writes them: in a worker, beside the page, from requests of its own.
//!
//! [`task`] holds the words between page and worker, [`plan`] how many requests an export takes
//! and how fast they may go; the dashboard uses these two alone. The rest turns submissions into
//! the bytes of a file and can go on where it was broken off. Only the program touches the browser.
#![deny(missing_docs)]

pub mod plan;
pub mod task;

#[cfg(feature = "worker")]
pub mod file;
#[cfg(feature = "worker")]
pub mod rows;
#[cfg(feature = "worker")]
pub mod saved;
#[cfg(feature = "worker")]
pub mod xlsx;

/// The folder of the files of all exports, in the part of the disk that the browser lends.
pub const FOLDER: &str = "exports";
/// The browser's database of exports that are under way.
pub const DATABASE: &str = "sheaf-exports";
