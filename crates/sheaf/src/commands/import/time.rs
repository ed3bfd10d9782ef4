//! Timestamps in the files of other tools, in any language.
//!
//! [`moment`] parses one cell, with [`date_text`], [`date_parser`] and [`words`]. The meaning of a
//! date such as `3/4/26` depends on the whole file: [`column_times`] collects the evidence of a
//! column, [`date_order`] decides the order of day and month, and [`zone`] converts to UTC.

pub(crate) mod column_times;
pub(crate) mod date_order;
mod date_parser;
mod date_text;
pub(crate) mod moment;
mod words;
pub(crate) mod zone;
