//! Timestamps in the files of other tools, in any language.

pub(crate) mod column_times;
pub(crate) mod date_order;
mod date_parser;
mod date_text;
pub(crate) mod moment;
mod words;
pub(crate) mod zone;
