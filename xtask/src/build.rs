//! Release build of the dashboard: compiles, splits, optimises and compresses it, and adds content
//! hashes to the file names.

pub(crate) mod dashboard;
pub(crate) mod files;
pub(crate) mod loader;
pub(crate) mod merge;
pub(crate) mod postprocess;
pub(crate) mod size;
pub(crate) mod split;
