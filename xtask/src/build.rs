//! The dashboard as it is released: compiled, split, optimised, compressed, and named by its
//! contents.

pub(crate) mod dashboard;
pub(crate) mod finish;
pub(crate) mod loader;
pub(crate) mod optimise;
pub(crate) mod size;
pub(crate) mod split;
pub(crate) mod styles;
