//! The columns of the list, with titles and cells in the language of the page. The crate `row_view`
//! defines the columns.

use contract::{Field, Form, FormId, Submission, Timestamp};
use leptos::prelude::*;
use row_view::available_columns::{self, CellRenderer, InboxTitles, Titles};
pub use row_view::available_columns::{
    ColumnDef, apply_user_selection, custom_slots, is_custom, resize_column, visible_columns,
};

use super::{names, sentiment};
use crate::{
    components::{calendar::millis_of, search_highlight::SearchHighlight},
    domain::time,
    i18n,
    state::session::SessionStore,
    ui::table::Cell,
};

/// Returns all available columns. `origin` says whether any submission has a source and whether any
/// has a country: columns that would contain only dashes are hidden by default.
pub fn available_columns(
    form: Option<&Form>,
    fields: &[Field],
    origin: (bool, bool),
) -> Vec<ColumnDef> {
    available_columns::available_columns(&column_titles(), form, fields, origin)
}

/// Returns the titles of the columns in the page's language.
fn column_titles() -> Titles {
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

/// Returns the columns of the inbox.
pub fn inbox_columns() -> Vec<ColumnDef> {
    let (texts, inbox) = (i18n::column_names(), i18n::inbox());
    available_columns::inbox_columns(&InboxTitles {
        submitted: texts.submitted,
        submission: inbox.submission,
        text: inbox.text,
        form: inbox.form,
        sentiment: texts.sentiment,
    })
}

/// Renders cells for the table.
struct TableCells {
    /// Whether to show full times.
    absolute_times: bool,
    /// Has the names and fields of the forms.
    session: SessionStore,
}

impl CellRenderer for TableCells {
    type Cell = Cell;

    fn text(&self, text: String) -> Cell {
        Cell::Text(text)
    }
    fn time(&self, at: Timestamp) -> Cell {
        Cell::Time { at_ms: millis_of(at), whole: self.absolute_times }
    }
    fn sentiment(&self, label: &str) -> Cell {
        Cell::Badge(sentiment::sentiment_tone(label), sentiment::sentiment_name(label))
    }
    fn country(&self, code: String) -> Cell {
        Cell::Code(code, names::country_name)
    }
    fn device(&self, code: &str) -> Cell {
        Cell::Text(names::device_name(code))
    }
    fn took(&self, seconds: u64) -> Cell {
        Cell::Text(time::format_duration(seconds))
    }
    fn form(&self, id: &FormId) -> Cell {
        Cell::Text(untrack(|| self.session.form_name(id)))
    }
    fn fields(&self, form: &FormId) -> Vec<Field> {
        untrack(|| self.session.form(form)).map(|form| form.fields).unwrap_or_default()
    }
}

/// Returns the cell of a row in a column.
pub fn cell_of(
    column: &ColumnDef,
    row: &Submission,
    absolute_times: bool,
    session: SessionStore,
) -> Cell {
    column.render_cell(row, &TableCells { absolute_times, session })
}

/// Returns the cells of a row with search matches highlighted. If the match is in none of the
/// columns, a cell names the field that contains it.
pub fn mark_matches(
    mut cells: Vec<Cell>,
    row: &Submission,
    shown: &[ColumnDef],
    available: &[ColumnDef],
    (marks, session): (Option<SearchHighlight>, SessionStore),
) -> Vec<Cell> {
    let Some((painter, search)) = marks.and_then(|marks| untrack(|| marks.renderer_and_search()))
    else {
        return cells;
    };
    for (index, cell) in (painter.row)(row, shown, available, session, &search) {
        cells[index] = Cell::View(cell);
    }
    cells
}
