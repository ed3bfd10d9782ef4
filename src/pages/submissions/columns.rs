//! The columns of the list: what there is to show of a submission, and the panel in which a person
//! chooses of it. It keeps nothing itself.

use contract::{Field, Form, Submission};
use leptos::prelude::*;

use super::{desk::Desk, names, parts, sentiment};
use crate::{
    model::{
        answers,
        columns::{Chosen, WIDTHS_PX, arrange},
        row::{self, Role},
        time,
    },
    shared::{
        calendar::millis_of,
        marks::{Marks, Spot},
    },
    stores::view::ViewStore,
    texts,
    ui::{
        button::{Button, ButtonSize, IconButton},
        field::CheckField,
        icon::Glyph,
        later::Soon,
        popover::Popover,
        table::{Cell, Column, Slot},
    },
};

/// How many answers a row shows by itself beside where its submission came from, and without that.
const ANSWERS_MAX: (usize, usize) = (3, 5);

/// What a column shows.
#[derive(Debug, Clone, PartialEq, Eq)]
enum What {
    When,
    Answer(Field, Role),
    Sentiment,
    Source,
    Medium,
    Campaign,
    Country,
    Device,
    Browser,
    Took,
}

/// A column that there is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    id: String,
    title: String,
    what: What,
    shown: bool,
}

/// Returns every column that there is. `origin` tells whether any submission has a source, and
/// whether any has a country: columns of nothing but dashes are not shown by themselves.
pub fn offers(form: Option<&Form>, fields: &[Field], origin: (bool, bool)) -> Vec<Offer> {
    let texts = texts::column_names();
    let analysed = form.is_none_or(|form| form.analysis);
    let fields_max = match origin {
        (false, false) => ANSWERS_MAX.1 - usize::from(analysed),
        _ => ANSWERS_MAX.0,
    };
    let chosen = row::choose(fields, fields_max);
    let offer = |id: &str, title: &str, what: What, shown: bool| Offer {
        id: id.to_owned(),
        title: title.to_owned(),
        what,
        shown,
    };
    let mut offers = vec![offer("at", texts.submitted, What::When, true)];
    offers.extend(fields.iter().map(|field| {
        let role = chosen.iter().find(|(one, _)| one == field).map(|(_, role)| *role);
        // By its key: of a server that tells no fields, only that stays the same.
        let id = format!("a.{}", contract::query::encode(&field.key).replace([',', ':'], "."));
        let what = What::Answer(field.clone(), role.unwrap_or(Role::Other));
        offer(&id, &field.name, what, role.is_some())
    }));
    offers.extend([
        offer("sentiment", texts.sentiment, What::Sentiment, analysed),
        offer("source", texts.source, What::Source, origin.0),
        offer("medium", texts.medium, What::Medium, false),
        offer("campaign", texts.campaign, What::Campaign, false),
        offer("country", texts.country, What::Country, origin.1),
        offer("device", texts.device, What::Device, false),
        offer("browser", texts.browser, What::Browser, false),
        offer("took", texts.time_taken, What::Took, false),
    ]);
    offers
}

/// Returns the columns of a choice among those that there are.
pub fn chosen(offers: &[Offer], chosen: &[Chosen]) -> Vec<Chosen> {
    let there: Vec<_> = offers.iter().map(|offer| (offer.id.clone(), offer.shown)).collect();
    arrange(&there, chosen)
}

/// Returns those that are shown, in their order.
pub fn shown(offers: &[Offer], columns: &[Chosen]) -> Vec<Offer> {
    let of = |column: &Chosen| offers.iter().find(|offer| offer.id == column.id).cloned();
    columns.iter().filter(|column| column.shown).filter_map(of).collect()
}

/// Returns the columns with another width of one of them.
pub fn resized(mut columns: Vec<Chosen>, id: &str, width_px: u32) -> Vec<Chosen> {
    if let Some(column) = columns.iter_mut().find(|column| column.id == id) {
        column.width_px = Some(width_px.clamp(WIDTHS_PX.0, WIDTHS_PX.1));
    }
    columns
}

impl Offer {
    /// Returns what it is called in a choice.
    pub fn id(&self) -> String {
        self.id.clone()
    }

    /// Returns the column for a table, as wide as was chosen.
    pub fn column(&self, columns: &[Chosen], whole_times: bool) -> Column {
        let (width_px, share, slot) = match self.what {
            What::When if whole_times => (192, 0, Slot::Aside),
            What::When => (120, 0, Slot::Aside),
            What::Answer(_, Role::Title) => (160, 2, Slot::Title),
            What::Answer(_, Role::Words) => (160, 3, Slot::Text),
            What::Answer(_, Role::Spare) => (160, 2, Slot::Spare),
            What::Answer(_, Role::Other) => (144, 2, Slot::Extra),
            What::Sentiment => (116, 0, Slot::Mark),
            What::Country => (80, 0, Slot::Extra),
            _ => (104, 0, Slot::Extra),
        };
        let column = Column::new(self.title.clone(), width_px).grows(share).slot(slot);
        match columns.iter().find(|column| column.id == self.id).and_then(|one| one.width_px) {
            Some(width_px) => column.wide(width_px),
            None => column,
        }
    }

    /// Returns what a row shows in this column.
    pub fn cell(&self, row: &Submission, whole: bool) -> Cell {
        let metadata = &row.metadata;
        let of = |one: &Option<String>| Cell::Text(one.clone().unwrap_or_default());
        match &self.what {
            What::When => Cell::Time { at_ms: millis_of(metadata.submitted_at), whole },
            What::Answer(field, _) => Cell::Text(answers::cell(row, field)),
            What::Sentiment => {
                match row.ai_insights.as_ref().and_then(|it| it.sentiment.as_ref()) {
                    Some(label) => Cell::Badge(sentiment::tone(label), sentiment::name(label)),
                    None => Cell::Text(String::new()),
                }
            }
            What::Source => of(&metadata.utm_source),
            What::Medium => of(&metadata.utm_medium),
            What::Campaign => of(&metadata.utm_campaign),
            What::Country => match metadata.ip_country.clone() {
                Some(code) => Cell::Code(code, names::country),
                None => Cell::Text(String::new()),
            },
            What::Device => of(&metadata.device),
            What::Browser => of(&metadata.browser),
            What::Took => of(&metadata.completion_time_seconds.map(time::span)),
        }
    }
}

/// Returns the answer that is a column, with its place.
fn answer((place, offer): (usize, &Offer)) -> Option<Spot<'_>> {
    match &offer.what {
        What::Answer(field, role) => Some((place, field, *role)),
        _ => None,
    }
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
pub fn ColumnsMenu(
    /// The desk of the page.
    desk: Desk,
) -> impl IntoView {
    view! {
        <Popover label=texts::column_names().columns icon=Glyph::Settings>
            <Soon load=move || parts::columns(desk) fills="form" />
        </Popover>
    }
}

/// What the panel holds.
#[component]
pub fn ColumnsChoice(
    /// The desk of the page.
    desk: Desk,
) -> impl IntoView {
    let (view, offers) = (desk.view, desk.offers);
    let columns =
        Memo::new(move |_| offers.with(|offers| view.columns().with(|kept| chosen(offers, kept))));
    let title = move |id: &str| {
        let named = |offer: &&Offer| offer.id == id;
        offers.with(|offers| offers.iter().find(named).map(|offer| offer.title.clone()))
    };
    let item = move |(index, column): (usize, Chosen)| {
        let title = title(&column.id).unwrap_or_default();
        let (up, down) = ((texts::common().move_up)(&title), (texts::common().move_down)(&title));
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
                label=texts::columns().whole_times
                checked=view.whole_times()
                on_change=move |whole| view.tell_whole_times(whole)
            />
            <ul class="columns-list" aria-label=texts::columns().in_order>
                {move || columns.get().into_iter().enumerate().map(item).collect_view()}
            </ul>
            <Button size=ButtonSize::Small on_click=move |_| view.choose(Vec::new())>
                {texts::columns().reset}
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
