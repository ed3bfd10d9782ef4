//! The list as a table, and its other states: loading, error, empty.

pub mod none_yet;

use std::sync::Arc;

use contract::{Form, Submission};
use leptos::prelude::*;

use super::{
    columns::{self, Offer},
    list::List,
    timeline::Rail,
};
use crate::{
    api::ApiError,
    components::{
        page::{Failure, Wait, explain},
        search_highlight::Marks,
    },
    domain::{columns::Chosen, list_model::Phase},
    i18n, lazy_views,
    state::list_view::ViewStore,
    ui::{
        badge::Tone,
        button::{Button, ButtonSize},
        empty::Empty,
        icon::Glyph,
        lazy::Lazy,
        notice::Notice,
        skeleton::SkeletonRows,
        table::{Cell, Checks, Column, Slot, Table},
    },
};

use none_yet::NoneYet;

lazy_views! {
    /// The hint for a form without submissions.
    fn lazy_none_yet(form: Signal<Option<Form>>) in tools => view! { <NoneYet form /> };
}

/// Returns whether any of the first rows has a source, and whether any has a country.
pub fn origin(list: List) -> (bool, bool) {
    list.with_rows(|rows| row_view::offer::origin(rows)).unwrap_or_default()
}

/// The list of a page in its current state.
#[component]
pub fn SubmissionTable(
    /// The list.
    list: List,
    /// The form, once known.
    #[prop(into)]
    form: Signal<Option<Form>>,
    /// The available columns.
    offers: Memo<Vec<Offer>>,
    /// The columns that the user chose.
    view: ViewStore,
    /// Whether the list is filtered.
    #[prop(into)]
    filtered: Signal<bool>,
    /// Index of the open submission.
    #[prop(into)]
    current: Signal<Option<usize>>,
    /// The selection.
    checks: Checks,
    /// The bar above the list while rows are selected.
    #[prop(into)]
    bar: ViewFn,
    /// Receives the index of the row to open.
    #[prop(into)]
    on_open: Callback<usize>,
    /// Clears all filters.
    #[prop(into)]
    on_clear: Callback<()>,
) -> impl IntoView {
    let state = Memo::new(move |_| {
        let error = list.error().get();
        match (list.count().get(), list.phase().get(), error) {
            (1.., _, _) => State::Rows,
            (0, Phase::Failed, Some(error)) => State::Failed(error),
            (0, Phase::Idle, _) if list.has_begun() => State::Nothing,
            (0, _, _) => State::Loading,
        }
    });
    let texts = i18n::list();
    let retry = Callback::new(move |()| list.retry());
    move || match state.get() {
        State::Rows => {
            let bar = bar.clone();
            view! { <Rows list offers kept=view current checks bar on_open retry /> }.into_any()
        }
        State::Loading => view! { <SkeletonRows label=texts.loading /> }.into_any(),
        State::Failed(error) if error.status() == Some(404) => {
            let text = texts.form_maybe_deleted;
            view! { <Empty icon=Glyph::Form title=texts.form_missing text /> }.into_any()
        }
        State::Failed(error) => {
            view! { <Failure error what=texts.the_list on_retry=retry /> }.into_any()
        }
        State::Nothing if filtered.get() => none_match(on_clear),
        State::Nothing => {
            view! { <Lazy load=move || lazy_none_yet(form) fills="sections" /> }.into_any()
        }
    }
}

fn none_match(on_clear: Callback<()>) -> AnyView {
    view! {
        <Empty
            icon=Glyph::Filter
            title=i18n::common().no_submissions_match
            text=i18n::list().none_match
        >
            <Button on_click=move |_| on_clear.run(())>{i18n::common().clear_filters}</Button>
        </Empty>
    }
    .into_any()
}

/// State of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
enum State {
    Loading,
    Rows,
    Nothing,
    Failed(ApiError),
}

#[component]
fn Rows(
    list: List,
    offers: Memo<Vec<Offer>>,
    kept: ViewStore,
    current: Signal<Option<usize>>,
    checks: Checks,
    bar: ViewFn,
    on_open: Callback<usize>,
    retry: Callback<()>,
) -> impl IntoView {
    let chosen = Memo::new(move |_| {
        offers.with(|offers| kept.columns().with(|kept| columns::chosen(offers, kept)))
    });
    let layout = Memo::new(move |_| {
        let whole = kept.whole_times().get();
        offers.with(|offers| chosen.with(|chosen| Layout::of(offers, chosen, whole)))
    });
    // A changed width changes `chosen` but not `layout`. Read `chosen` first: a memo that re-runs
    // without changing marks its sources as clean, so a later read would not be notified.
    let columns =
        Signal::derive(move || chosen.with(|chosen| layout.with(|layout| layout.columns(chosen))));
    let resize = move |(index, width_px): (usize, u32)| {
        let id = layout.with_untracked(|layout| layout.shown.get(index).map(Offer::id));
        if let Some(id) = id {
            kept.choose(columns::resized(chosen.get_untracked(), &id, width_px));
        }
    };
    let marks = use_context::<Marks>();
    let row = move |index: usize| {
        layout.with(|layout| drawn(list, index, (&layout.shown, layout.whole), offers, marks))
    };
    view! {
        <div class="list-frame">
        <NewSubmissions list />
        {move || {
            // Other columns need a new table, because rendered rows keep their cells.
            let scrolls = layout.with(|layout| layout.slots.is_some());
            marks.map(Marks::are_ready);
            let position = list.table.position().get_untracked();
            if position > 0.0 {
                list.table.restore(position);
            }
            list.table.keep_focus();
            view! {
                <Table
                    label=i18n::common().submissions
                    columns
                    count=list.count()
                    total=list.total()
                    keys=move |range| list.keys(range)
                    name=move |index| untrack(|| list.row(index)).map(|row| row.id.to_string())
                    row
                    busy=list.is_slow()
                    scrolls
                    current
                    checks
                    on_range=move |view| list.look(view)
                    on_resize=resize
                    on_open
                    handle=list.table
                />
            }
        }}
        <Rail list />
        {bar.run()}
        </div>
        {interrupted(list, retry)}
    }
}

/// The visible columns and their format. Widths are not included: they change no cell.
#[derive(Debug, PartialEq, Eq)]
struct Layout {
    shown: Vec<Offer>,
    /// Whether to show full times.
    whole: bool,
    /// Positions of the columns in narrow layouts, if the user chose the columns.
    slots: Option<Vec<Slot>>,
}

impl Layout {
    fn of(offers: &[Offer], chosen: &[Chosen], whole: bool) -> Self {
        let shown = columns::shown(offers, chosen);
        let slots = columns::is_own(offers, chosen).then(|| columns::own_slots(&shown));
        Self { shown, whole, slots }
    }

    fn columns(&self, chosen: &[Chosen]) -> Vec<Column> {
        let own = |index: usize| self.slots.as_ref().map(|slots| slots[index]);
        let column = |(index, offer): (usize, &Offer)| {
            let column = offer.column(chosen, self.whole);
            own(index).into_iter().fold(column, Column::slot)
        };
        self.shown.iter().enumerate().map(column).collect()
    }
}

fn interrupted(list: List, retry: Callback<()>) -> impl IntoView {
    move || {
        let stale = list.is_stale();
        list.error().get().map(|error| view! { <Interrupted error stale retry /> })
    }
}

/// Returns the cells of a row; placeholders if it is not loaded.
fn drawn(
    list: List,
    index: usize,
    (shown, whole): (&[Offer], bool),
    offers: Memo<Vec<Offer>>,
    marks: Option<Marks>,
) -> Vec<Cell> {
    let row: Option<Arc<Submission>> = untrack(|| list.row(index));
    let Some(row) = row else { return shown.iter().map(|_| Cell::Waits).collect() };
    let cells = shown.iter().map(|offer| columns::cell(offer, &row, whole)).collect();
    offers.with_untracked(|offers| columns::marked(cells, &row, shown, offers, marks))
}

/// The number of new submissions, with a button that shows them.
#[component]
fn NewSubmissions(list: List) -> impl IntoView {
    let button = move |news: u64| {
        let press = move |_| list.refresh();
        view! {
            <Button size=ButtonSize::Small icon=Glyph::ChevronUp on_click=press>
                {(i18n::list().news)(news)}
            </Button>
        }
    };
    view! {
        <div class="list-news" role="status">
            {move || Some(list.new_count().get()).filter(|news| *news > 0).map(button)}
        </div>
    }
}

/// Error at the end of the list: a later page, or the first page of another filter, failed to load.
/// The rows stay.
#[component]
fn Interrupted(error: ApiError, stale: bool, retry: Callback<()>) -> impl IntoView {
    let (tone, text, act) = if let ApiError::Status { status: 429, retry_after_s, .. } = error {
        let wait = view! { <Wait retry_after_s on_end=retry /> }.into_any();
        (Tone::Info, i18n::list().too_many.to_owned(), wait)
    } else {
        let press = move |_| retry.run(());
        let again = view! {
            <Button size=ButtonSize::Small icon=Glyph::Refresh on_click=press>
                {i18n::common().retry}
            </Button>
        };
        let what = if stale { i18n::list().stale } else { i18n::list().more_failed };
        let text = what(&explain(&error));
        (Tone::Negative, text, again.into_any())
    };
    view! {
        <div class="list-foot">
            <Notice tone>
                <p>{text}</p>
                {act}
            </Notice>
        </div>
    }
}
