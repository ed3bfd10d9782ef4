//! One module per page. Pages do not import each other.

pub mod account;
pub mod activity;
pub mod api_keys;
pub mod forms;
pub mod insights;
pub mod not_found;
pub mod sign_in;
pub mod submissions;
