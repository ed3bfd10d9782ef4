//! Content of the rows of the submission list: answers, columns and labels.
//!
//! The dashboard renders its rows with this crate. The gateway uses it to render the first rows
//! into the page. The crate does no I/O, reads no clock and knows neither Leptos nor a browser.
//!
//! Reading order:
//! - answers: [`answer_role`] selects them, [`answer`] formats them;
//! - columns: [`available_columns`] lists the available ones, [`column_selection`] is the user's
//!   selection, [`mod@column`] has titles and widths;
//! - labels and icons: [`labels`], [`tone`], [`icon`];
//! - the first rows as HTML: [`first_rows`].

pub mod answer;
pub mod answer_role;
pub mod available_columns;
pub mod column;
pub mod column_selection;
pub mod first_rows;
pub mod icon;
pub mod labels;
pub mod tone;

pub use available_columns::{CellRenderer, ColumnDef, Titles};
pub use column::{Column, Slot};
pub use labels::Labels;
pub use tone::StatusTone;
