//! What a row of the list shows: which answers, in which columns, and by which texts. The dashboard
//! draws its rows by it, and so does the gateway, whose page brings the first of them.
//!
//! In reading order: [`role`] which answers a row shows, [`answer`] how each reads; [`offer`] the
//! columns that there are, [`choice`] those that a person chose, [`mod@column`] how wide they are;
//! [`words`], [`tone`] and [`icon`] what they say; [`picture`] the first rows as HTML.
//!
//! It does no I/O, reads no clock and knows neither Leptos nor a browser.

pub mod answer;
pub mod choice;
pub mod column;
pub mod icon;
pub mod offer;
pub mod picture;
pub mod role;
pub mod tone;
pub mod words;

pub use column::{Column, Slot};
pub use offer::{Cells, Offer, Titles};
pub use tone::Tone;
pub use words::Words;
