//! Commands, one module each.

pub(crate) mod account;
pub(crate) mod archive;
pub(crate) mod audit;
pub(crate) mod backup;
pub(crate) mod check;
pub(crate) mod dashboard;
pub(crate) mod form;
pub(crate) mod gateway;
pub(crate) mod health;
pub(crate) mod import;
pub(crate) mod intake;
pub(crate) mod key;
pub(crate) mod mail;
pub(crate) mod notification;
pub(crate) mod people;
pub(crate) mod sample;
pub(crate) mod sample_data;
pub(crate) mod serve;
pub(crate) mod spam;
pub(crate) mod webhook;
