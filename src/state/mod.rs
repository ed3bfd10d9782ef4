//! State that outlives a page, provided once as context. Rows, filters and anything else that fits
//! in a URL do not belong here.

pub mod changes;
pub mod commands;
pub mod confirm;
pub mod deletions;
pub mod exports;
pub mod last_date_preset;
pub mod list_view;
pub mod reauthentication;
pub mod saved_views;
pub mod session;
pub mod shortcut_setting;
pub mod theme;
pub mod toasts;
