//! Content of the rows of the submission list: answers, columns and labels.
//!
//! The dashboard renders its rows with this crate. The gateway uses it to render the first rows
//! into the page. The crate does no I/O, reads no clock and knows neither Leptos nor a browser.
//!
//! Reading order:
//! - answers: [`role`] selects them, [`answer`] formats them;
//! - columns: [`offer`] lists the available ones, [`choice`] is the user's selection,
//!   [`mod@column`] has titles and widths;
//! - labels and icons: [`words`], [`tone`], [`icon`];
//! - the first rows as HTML: [`picture`].

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
