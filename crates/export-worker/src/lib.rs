//! Exports in the browser: a web worker that sends its own requests and writes the file.
//!
//! [`task`] defines the messages between page and worker. [`plan`] calculates the number of
//! requests of an export and their pace. The dashboard uses only these two modules. The other
//! modules convert submissions into the bytes of a file and can resume an interrupted export. Only
//! the binary accesses the browser.
#![deny(missing_docs)]

pub mod plan;
pub mod task;

#[cfg(feature = "worker")]
pub mod export_parser;
#[cfg(feature = "worker")]
pub mod file;
#[cfg(feature = "worker")]
pub mod saved_export;
#[cfg(feature = "worker")]
pub mod xlsx;

/// Folder of the export files in the origin private file system.
pub const EXPORT_FOLDER: &str = "exports";
/// `IndexedDB` database of unfinished exports.
pub const EXPORT_DATABASE: &str = "sheaf-exports";
