//! Logic of the dashboard that needs no browser: pure Rust without Leptos, web-sys or a clock.
//!
//! - List: [`filter`] parses the URL, [`list_model`] manages the loaded rows, [`selection`] the
//!   selected ones. [`columns`] and [`row`] define the contents of a row, [`search_highlight`]
//!   finds the search matches in it. [`triage_marks`] has the triage of the rows, [`board`] places
//!   them in the columns of their statuses.
//! - Submission: [`answers`] formats it, [`triage_history`] lists the events of its triage,
//!   [`mentions`] finds members in its notes, [`curl`] writes the shell command that fetches it.
//! - Actions: [`deletion`] deletes one by one, [`export`] has the options of an export.
//! - Forms: [`fields`] edits their fields, [`field_stats`] counts answers for charts, [`webhooks`]
//!   describes webhooks and deliveries, [`notifications`] addresses and the auto-reply.
//! - Page: [`commands`] lists the keyboard shortcuts, [`palette`] searches them;
//!   [`saved_views`], [`theme`] and [`time`] handle settings and texts.
//! - Account: [`activity`] formats the audit log, [`invite_instructions`] writes the command that
//!   links a member's identity, [`status_id`] derives the identifiers of statuses.
//! - [`script_names`] are shared with the scripts in `public`.

pub mod activity;
pub mod answers;
pub mod board;
pub mod commands;
pub mod curl;
pub mod deletion;
pub mod export;
pub mod field_stats;
pub mod fields;
pub mod filter;
pub mod invite_instructions;
pub mod list_model;
pub mod mentions;
pub mod notifications;
pub mod palette;
pub mod saved_views;
pub mod script_names;
pub mod search_highlight;
pub mod selection;
pub mod sort;
pub mod status_id;
pub mod theme;
pub mod time;
pub mod triage_history;
pub mod triage_marks;
pub mod webhooks;

// Shared with the first rows that the gateway renders into the page.
pub use row_view::{answer_role as row, column_selection as columns};
