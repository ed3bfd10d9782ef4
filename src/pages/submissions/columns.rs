//! The columns of the list, with titles and cells in the language of the page. The crate `row_view`
//! defines the columns.

use contract::{Field, Form, Submission, Timestamp};
use leptos::prelude::*;
use row_view::offer::{self, Cells, Titles};
pub use row_view::offer::{Offer, chosen, is_own, own_slots, resized, shown};

use super::{names, sentiment};
use crate::{
    components::{
        calendar::millis_of,
        search_highlight::{Marks, Spot},
    },
    domain::time,
    i18n,
    ui::table::Cell,
};

/// Returns all available columns. `origin` says whether any submission has a source and whether any
/// has a country: columns that would contain only dashes are hidden by default.
pub fn offers(form: Option<&Form>, fields: &[Field], origin: (bool, bool)) -> Vec<Offer> {
    offer::offers(&titles(), form, fields, origin)
}

/// Returns the titles of the columns in the page's language.
fn titles() -> Titles {
    let texts = i18n::column_names();
    Titles {
        browser: texts.browser,
        campaign: texts.campaign,
        country: texts.country,
        device: texts.device,
        medium: texts.medium,
        sentiment: texts.sentiment,
        source: texts.source,
        submitted: texts.submitted,
        time_taken: texts.time_taken,
    }
}

/// Renders cells for the table. The field says whether to show full times.
struct InTable(bool);

impl Cells for InTable {
    type Cell = Cell;

    fn text(&self, text: String) -> Cell {
        Cell::Text(text)
    }
    fn time(&self, at: Timestamp) -> Cell {
        Cell::Time { at_ms: millis_of(at), whole: self.0 }
    }
    fn sentiment(&self, label: &str) -> Cell {
        Cell::Badge(sentiment::tone(label), sentiment::name(label))
    }
    fn country(&self, code: String) -> Cell {
        Cell::Code(code, names::country)
    }
    fn device(&self, code: &str) -> Cell {
        Cell::Text(names::device(code))
    }
    fn took(&self, seconds: u64) -> Cell {
        Cell::Text(time::span(seconds))
    }
}

/// Returns the cell of a row in a column.
pub fn cell(offer: &Offer, row: &Submission, whole: bool) -> Cell {
    offer.cell(row, &InTable(whole))
}

/// Returns the answer that a column shows, with the column's index.
fn answer((place, offer): (usize, &Offer)) -> Option<Spot<'_>> {
    offer.answer().map(|(field, role)| (place, field, role))
}

/// Returns the cells of a row with search matches highlighted. If the match is in none of the
/// columns, a cell names the field that contains it.
pub fn marked(
    mut cells: Vec<Cell>,
    row: &Submission,
    shown: &[Offer],
    offers: &[Offer],
    marks: Option<Marks>,
) -> Vec<Cell> {
    let Some((painter, search)) = marks.and_then(|marks| untrack(|| marks.now())) else {
        return cells;
    };
    let spots: Vec<_> = shown.iter().enumerate().filter_map(answer).collect();
    let all: Vec<_> = offers.iter().enumerate().filter_map(answer).map(|it| it.1).collect();
    for (place, cell) in (painter.row)(row, &spots, &all, &search) {
        cells[place] = Cell::View(cell);
    }
    cells
}
