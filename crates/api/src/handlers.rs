//! Handlers of the routes.

pub(crate) mod audit;
pub(crate) mod audit_file;
pub(crate) mod auto_reply;
pub(crate) mod body;
pub(crate) mod deliveries;
pub(crate) mod distributions;
pub(crate) mod events;
pub(crate) mod export;
pub(crate) mod filter;
pub(crate) mod forms;
pub(crate) mod inbox;
pub(crate) mod insight;
pub(crate) mod intake;
pub(crate) mod keys;
mod mentions;
pub(crate) mod notes;
pub(crate) mod notifications;
pub(crate) mod own_form;
pub(crate) mod page;
pub(crate) mod preferences;
pub(crate) mod spam;
pub(crate) mod submissions;
pub(crate) mod summary;
pub(crate) mod trash;
pub(crate) mod triage;
pub(crate) mod views;
pub(crate) mod webhooks;
