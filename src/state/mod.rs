//! What outlives a page, provided once as context. Never rows, filters or anything a URL can hold.

pub mod acts;
pub mod changes;
pub mod confirm;
pub mod deletions;
pub mod exports;
pub mod pressed;
pub mod proof;
pub mod saved;
pub mod session;
pub mod single_keys;
pub mod theme;
pub mod toasts;
pub mod view;
