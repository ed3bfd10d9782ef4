//! State that outlives a page, provided as context by the app. Rows belong to their page, and
//! filters and the like to the URL.

pub mod changes;
pub mod commands;
pub mod confirm;
pub mod deletions;
pub mod exports;
pub mod last_date_preset;
pub mod list_view;
pub mod read_setting;
pub mod reauthentication;
pub mod saved_views;
pub mod session;
pub mod shortcut_setting;
pub mod theme;
pub mod toasts;
pub mod triage;
