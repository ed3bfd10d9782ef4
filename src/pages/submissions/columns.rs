//! The columns of the list as the page has them: by the words of its language, filled for a table,
//! and in a panel in which a person chooses of them. What there is to show stands in `rows`.

use contract::{Field, Form, Submission, Timestamp};
use leptos::prelude::*;
use rows::offer::{self, Cells, Titles};
pub use rows::offer::{Offer, chosen, is_own, own_slots, resized, shown};

use super::{lazy, list_state::ListState, names, sentiment};
use crate::{
    components::{
        calendar::millis_of,
        marks::{Marks, Spot},
    },
    domain::{columns::Chosen, time},
    i18n,
    state::view::ViewStore,
    ui::{
        button::{Button, ButtonSize, IconButton},
        field::CheckField,
        icon::Glyph,
        later::Soon,
        popover::Popover,
        table::Cell,
    },
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

/// The panel: which columns, in which order, and how times are told.
#[component]
pub fn ColumnsMenu() -> impl IntoView {
    view! {
        <Popover label=i18n::column_names().columns icon=Glyph::Settings>
            <Soon load=lazy::columns fills="form" />
        </Popover>
    }
}

/// What the panel holds.
#[component]
pub fn ColumnsChoice() -> impl IntoView {
    let ListState { view, offers, .. } = expect_context();
    let columns =
        Memo::new(move |_| offers.with(|offers| view.columns().with(|kept| chosen(offers, kept))));
    let title = move |id: &str| {
        let named = |offer: &&Offer| offer.id() == id;
        offers.with(|offers| offers.iter().find(named).map(|offer| offer.title().to_owned()))
    };
    let item = move |(index, column): (usize, Chosen)| {
        let title = title(&column.id).unwrap_or_default();
        let (up, down) = ((i18n::common().move_up)(&title), (i18n::common().move_down)(&title));
        view! {
            <li class="columns-item">
                <CheckField
                    label=title
                    checked=column.shown
                    on_change=move |_| change(view, columns, index, Change::Toggle)
                />
                <IconButton
                    icon=Glyph::ChevronUp
                    size=ButtonSize::Small
                    label=up
                    on_click=move |_| change(view, columns, index, Change::Up)
                />
                <IconButton
                    icon=Glyph::ChevronDown
                    size=ButtonSize::Small
                    label=down
                    on_click=move |_| change(view, columns, index, Change::Down)
                />
            </li>
        }
    };
    view! {
        <div class="form">
            <CheckField
                label=i18n::columns().whole_times
                checked=view.whole_times()
                on_change=move |whole| view.tell_whole_times(whole)
            />
            <ul class="columns-list" aria-label=i18n::columns().in_order>
                {move || columns.get().into_iter().enumerate().map(item).collect_view()}
            </ul>
            <Button size=ButtonSize::Small on_click=move |_| view.choose(Vec::new())>
                {i18n::columns().reset}
            </Button>
        </div>
    }
}

/// What is done to a column.
#[derive(Clone, Copy, PartialEq)]
enum Change {
    Toggle,
    Up,
    Down,
}

/// Changes a column, and keeps the focus at what was pressed, which is drawn anew.
fn change(view: ViewStore, columns: Memo<Vec<Chosen>>, index: usize, change: Change) {
    let mut columns = columns.get_untracked();
    let last = columns.len().saturating_sub(1);
    let to = match change {
        Change::Toggle => index,
        Change::Up => index.saturating_sub(1),
        Change::Down => (index + 1).min(last),
    };
    if change == Change::Toggle {
        columns[index].shown = !columns[index].shown;
        if columns.iter().all(|column| !column.shown) {
            columns[index].shown = true;
        }
    }
    columns.swap(index, to);
    view.choose(columns);
    let control = match change {
        Change::Toggle => "input",
        Change::Up => "button",
        Change::Down => "button:last-child",
    };
    let pressed = format!(".columns-item:nth-child({}) {control}", to + 1);
    leptos::task::spawn_local(async move {
        leptos::task::tick().await;
        if let Ok(Some(pressed)) = document().query_selector(&pressed) {
            crate::ui::focus(&pressed);
        }
    });
}
