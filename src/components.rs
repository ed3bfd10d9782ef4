//! Domain components that several pages use. They do not depend on any page.

pub mod calendar;
pub mod day_fields;
pub mod environment;
pub mod filter_bar;
pub mod form_access;
pub mod listing;
pub mod names;
pub mod occurring_values;
pub mod owner_only;
pub mod page;
pub mod paginated;
pub mod remote;
pub mod save;
pub mod saved_views;
pub mod search_highlight;
pub mod sentiment;
pub mod webhook_notice;
