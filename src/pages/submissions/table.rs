//! The list as a table, and its other states: loading, error, empty.

pub mod none_yet;

use std::sync::Arc;

use contract::{Filter, Form, Submission};
use leptos::prelude::*;

use super::{
    cell_filter::CellFilter,
    columns::{self, ColumnDef},
    inbox_tabs::InboxEmpty,
    list::SubmissionList,
    list_state::ListState,
    no_match::NoMatch,
    open_submission::OpenSubmission,
    row_marks::RowMarks,
    selection::{SelectionSlot, SelectionState},
    timeline::Timeline,
};
use crate::{
    api::ApiError,
    components::{
        page::{Failure, Wait, explain_error},
        search_highlight::SearchHighlight,
    },
    domain::{
        columns::SelectedColumn,
        list_model::ListPhase,
        sort::{is_descending, next_sort},
    },
    i18n, lazy_views,
    ui::{
        badge::StatusTone,
        button::{Button, ButtonSize},
        empty::Empty,
        icon::Glyph,
        lazy::Lazy,
        notice::Notice,
        skeleton::SkeletonRows,
        table::{Cell, Column, ColumnOrder, ColumnSorting, Slot, Table},
    },
};

use none_yet::NoSubmissions;

lazy_views! {
    /// The hint for a form without submissions.
    fn lazy_none_yet(form: Signal<Option<Form>>) in tools => view! { <NoSubmissions form /> };
    /// The hint in an empty inbox.
    fn lazy_inbox_empty(filter: Signal<Filter>, on_clear: Callback<()>) in row_marks => view! {
        <InboxEmpty filter on_clear />
    };
}

/// The list of a page in its current state.
#[component]
pub fn SubmissionTable(
    /// Clears all filters.
    #[prop(into)]
    on_clear: Callback<()>,
) -> impl IntoView {
    let page = expect_context::<ListState>();
    let list = page.rows;
    let state = Memo::new(move |_| {
        let error = list.error().get();
        match (list.count().get(), list.phase().get(), error) {
            (1.., _, _) => TableState::Rows,
            (0, ListPhase::Failed, Some(error)) => TableState::Failed(error),
            (0, ListPhase::Idle, _) if list.is_loaded() => TableState::Empty,
            (0, _, _) => TableState::Loading,
        }
    });
    let texts = i18n::list();
    let retry = Callback::new(move |()| list.retry_request());
    move || match state.get() {
        TableState::Rows => view! { <RowsTable retry /> }.into_any(),
        TableState::Loading => view! { <SkeletonRows label=texts.loading /> }.into_any(),
        TableState::Failed(error) if error.status() == Some(404) => {
            let text = texts.form_maybe_deleted;
            view! { <Empty icon=Glyph::Form title=texts.form_missing text /> }.into_any()
        }
        TableState::Failed(error) => {
            view! { <Failure error object=texts.the_list on_retry=retry /> }.into_any()
        }
        TableState::Empty if list.is_inbox() => {
            let load = move || lazy_inbox_empty(page.filter, on_clear);
            view! { <Lazy load fills="sections" /> }.into_any()
        }
        TableState::Empty if page.filter.with(|filter| !filter.is_empty()) => {
            view! { <NoMatch on_clear /> }.into_any()
        }
        TableState::Empty => {
            view! { <Lazy load=move || lazy_none_yet(page.form) fills="sections" /> }.into_any()
        }
    }
}

/// State of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
enum TableState {
    Loading,
    Rows,
    Empty,
    Failed(ApiError),
}

#[component]
fn RowsTable(retry: Callback<()>) -> impl IntoView {
    let state = expect_context::<ListState>();
    let ListState { rows: list, offers, view, .. } = state;
    let opened = expect_context::<OpenSubmission>();
    let checks = expect_context::<SelectionState>().checks();
    let chosen = Memo::new(move |_| {
        let selected = view.columns();
        offers.with(|offers| selected.with(|chosen| columns::apply_user_selection(offers, chosen)))
    });
    let layout = Memo::new(move |_| {
        let whole = view.absolute_times().get();
        offers.with(|offers| chosen.with(|chosen| TableLayout::of(offers, chosen, whole)))
    });
    // A changed width changes `chosen` but not `layout`. Read `chosen` first: a memo that re-runs
    // without changing marks its sources as clean, so a later read would not be notified.
    let columns =
        Signal::derive(move || chosen.with(|chosen| layout.with(|layout| layout.columns(chosen))));
    let resize = move |(index, width_px): (usize, u32)| {
        let shown = |layout: &TableLayout| layout.shown.get(index).map(ColumnDef::id);
        if let Some(id) = layout.with_untracked(shown) {
            view.set_columns(columns::resize_column(chosen.get_untracked(), &id, width_px));
        }
    };
    let sorting = column_sorting(layout);
    let cell_filter = CellFilter::from_context();
    let filter_by_cell = move |(row, column): (usize, usize)| {
        let column = layout.with_untracked(|layout| layout.shown.get(column).cloned());
        if let Some((column, row)) = column.zip(untrack(|| list.loaded_row(row))) {
            cell_filter.run(column, row);
        }
    };
    // Until the forms are known, the rows of the inbox have no names of forms and no answers.
    let knows_forms = Memo::new(move |_| {
        !state.is_inbox() || state.session.forms().with(|forms| forms.loaded().is_some())
    });
    let marks = use_context::<SearchHighlight>();
    let triage_marks = expect_context::<RowMarks>();
    let row = move |index: usize| {
        layout.with(|layout| {
            let shown = (&layout.shown[..], layout.whole);
            row_cells(state, index, shown, (marks, triage_marks))
        })
    };
    let name = move |index| untrack(|| list.loaded_row(index)).map(|row| row.id.to_string());
    let is_unread = move |index| {
        untrack(|| list.loaded_row(index)).is_some_and(|row| triage_marks.is_unread(&row))
    };
    view! {
        <div class="list-frame">
        <NewSubmissions list />
        {move || {
            // Other columns need a new table, because rendered rows keep their cells.
            let scrolls = layout.with(|layout| layout.slots.is_some());
            // Reading it, because a memo that is only tracked changes with its first value.
            knows_forms.get();
            marks.map(SearchHighlight::is_ready);
            let position = list.table.position().get_untracked();
            if position > 0.0 {
                list.table.restore_position(position);
            }
            list.table.restore_focus_after_rebuild();
            view! {
                <Table
                    label=i18n::common().submissions
                    columns
                    count=list.count()
                    total=list.total()
                    keys=move |range| list.row_keys(range, triage_marks.versions())
                    name
                    row
                    busy=list.is_slow()
                    scrolls
                    current=opened.index
                    checks
                    is_unread
                    on_range=move |view| {
                        list.set_visible_rows(view);
                        triage_marks.set_visible_rows(view);
                    }
                    on_resize=resize
                    sorting
                    on_open=move |index: usize| opened.open_row(index)
                    on_filter=filter_by_cell
                    handle=list.table
                />
            }
        }}
        <Timeline list />
        <SelectionSlot />
        </div>
        {move || {
            let stale = list.is_stale();
            list.error().get().map(|error| view! { <PageLoadError error stale retry /> })
        }}
    }
}

/// The visible columns and their format. Widths are not included: they change no cell.
#[derive(Debug, PartialEq, Eq)]
struct TableLayout {
    shown: Vec<ColumnDef>,
    /// Whether to show full times.
    whole: bool,
    /// Positions of the columns in narrow layouts, if the user chose the columns.
    slots: Option<Vec<Slot>>,
}

impl TableLayout {
    fn of(offers: &[ColumnDef], chosen: &[SelectedColumn], absolute_times: bool) -> Self {
        let shown = columns::visible_columns(offers, chosen);
        let slots = columns::is_custom(offers, chosen).then(|| columns::custom_slots(&shown));
        Self { shown, whole: absolute_times, slots }
    }

    fn columns(&self, chosen: &[SelectedColumn]) -> Vec<Column> {
        let slot = |index: usize| self.slots.as_ref().map(|slots| slots[index]);
        let column = |(index, offer): (usize, &ColumnDef)| {
            let column = offer.table_column(chosen, self.whole);
            slot(index).into_iter().fold(column, Column::with_slot)
        };
        self.shown.iter().enumerate().map(column).collect()
    }
}

/// Returns the sorting of the list by the visible columns.
fn column_sorting(layout: Memo<TableLayout>) -> ColumnSorting {
    let list = expect_context::<ListState>();
    let opened = expect_context::<OpenSubmission>();
    let property = move |index: usize| {
        layout.with(|layout| layout.shown.get(index).and_then(ColumnDef::sort_by))
    };
    let can_sort = move || list.session.capabilities().filters_properties && !list.is_inbox();
    let order = move |index: usize| {
        let by = property(index).filter(|_| can_sort())?;
        Some(match list.sort.with(|sort| is_descending(sort.as_ref(), &by)) {
            None => ColumnOrder::Unsorted,
            Some(false) => ColumnOrder::Ascending,
            Some(true) => ColumnOrder::Descending,
        })
    };
    let press = move |index: usize| {
        if let Some(by) = untrack(|| property(index)) {
            opened.set_sort(list.sort.with_untracked(|sort| next_sort(sort.as_ref(), &by)));
        }
    };
    ColumnSorting { order: Callback::new(order), on_press: Callback::new(press) }
}

/// Returns the cells of a row; placeholders if it is not loaded.
fn row_cells(
    state: ListState,
    index: usize,
    (shown, whole): (&[ColumnDef], bool),
    (marks, triage_marks): (Option<SearchHighlight>, RowMarks),
) -> Vec<Cell> {
    let row: Option<Arc<Submission>> = untrack(|| state.rows.loaded_row(index));
    let Some(row) = row else { return shown.iter().map(|_| Cell::Loading).collect() };
    let cell = |offer: &ColumnDef| columns::cell_of(offer, &row, whole, state.session);
    let cells = shown.iter().map(cell).collect();
    let marks = (marks, state.session);
    let cells = state
        .offers
        .with_untracked(|offers| columns::mark_matches(cells, &row, shown, offers, marks));
    triage_marks.add_to_cells(&row, cells)
}

/// The number of new submissions, with a button that shows them.
#[component]
fn NewSubmissions(list: SubmissionList) -> impl IntoView {
    let button = move |news: u64| {
        let press = move |_| list.show_new();
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
fn PageLoadError(error: ApiError, stale: bool, retry: Callback<()>) -> impl IntoView {
    let (tone, text, action) = if let ApiError::Status { status: 429, retry_after_s, .. } = error {
        let wait = view! { <Wait retry_after_s on_end=retry /> }.into_any();
        (StatusTone::Info, i18n::list().too_many.to_owned(), wait)
    } else {
        let press = move |_| retry.run(());
        let retry_button = view! {
            <Button size=ButtonSize::Small icon=Glyph::Refresh on_click=press>
                {i18n::common().retry}
            </Button>
        };
        let message = if stale { i18n::list().stale } else { i18n::list().more_failed };
        let text = message(&explain_error(&error));
        (StatusTone::Negative, text, retry_button.into_any())
    };
    view! {
        <div class="list-foot">
            <Notice tone>
                <p>{text}</p>
                {action}
            </Notice>
        </div>
    }
}
