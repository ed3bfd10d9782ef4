//! The columns of the list: their titles in the language of the page, and their cells. The crate
//! `row_view` defines them.

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

/// Returns every column that there is. `origin` tells whether any submission has a source, and
/// whether any has a country: columns of nothing but dashes are not shown by themselves.
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

/// Draws cells for a table; times whole, where that is wished.
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

/// Returns what a row shows in a column.
pub fn cell(offer: &Offer, row: &Submission, whole: bool) -> Cell {
    offer.cell(row, &InTable(whole))
}

/// Returns the answer that is a column, with its place.
fn answer((place, offer): (usize, &Offer)) -> Option<Spot<'_>> {
    offer.answer().map(|(field, role)| (place, field, role))
}

/// Returns the cells of a row with marks at what was searched for, and a word on where it stands
/// if in none of the columns.
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
