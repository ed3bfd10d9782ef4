//! The columns of the board. A dragged card can be dropped in them.

use contract::triage::Status;
use leptos::{ev::DragEvent, html, prelude::*, wasm_bindgen::JsCast};

use super::{Board, card::BoardCard};
use crate::{
    api::ApiError,
    components::{
        page::{Failure, explain_error},
        paginated::Paginated,
        sentiment,
    },
    domain::board::BoardColumn,
    i18n,
    ui::{
        badge::StatusTone,
        button::{Button, ButtonSize},
        icon::Glyph,
        intersection::on_near_view,
        notice::Notice,
        set_if_changed,
        skeleton::SkeletonLines,
        unique_id,
    },
};

/// All columns.
#[component]
pub fn BoardColumns(
    /// The board.
    board: Board,
) -> impl IntoView {
    // The column under a dragged card.
    let target = RwSignal::new(None::<Status>);
    view! {
        <div
            class="board"
            tabindex="-1"
            on:keydown=move |event| board.handle_key(&event)
            on:dragend=move |_| {
                board.dragged.set(None);
                target.set(None);
            }
        >
            <For each=move || board.statuses.get() key=Status::clone let:status>
                <Column board status target />
            </For>
        </div>
    }
}

/// A column: its name, the number of submissions, and the loaded ones.
#[component]
fn Column(board: Board, status: Status, target: RwSignal<Option<Status>>) -> impl IntoView {
    let status = StoredValue::new(status);
    let column = Memo::new(move |_| {
        let status = status.get_value();
        board.shown.with(|columns| columns.iter().find(|column| column.status == status).cloned())
    });
    let total = Memo::new(move |_| column.with(|column| column.as_ref()?.total));
    let name_id = unique_id("board-column");
    let labelled_by = name_id.clone();
    let name = move || status.with_value(|status| board.triage.status_name(status));
    let is_target = move || target.get() == Some(status.get_value());
    let drag_over = move |event: DragEvent| {
        if board.dragged.with_untracked(Option::is_some) {
            // Allows the drop.
            event.prevent_default();
            set_if_changed(target, Some(status.get_value()));
        }
    };
    let drop = move |event: DragEvent| {
        target.set(None);
        if let Some(id) = board.dragged.try_update(Option::take).flatten() {
            event.prevent_default();
            board.move_to(id, status.get_value());
        }
    };
    view! {
        <section
            class="board-column"
            aria-labelledby=labelled_by
            data-target=move || is_target().then_some("")
            on:dragover=drag_over
            on:dragleave=move |event| {
                if has_left(&event) {
                    target.set(None);
                }
            }
            on:drop=drop
        >
            <h2 class="board-head">
                <span class="board-name" id=name_id>
                    {name}
                </span>
                <span class="page-count">{move || total.get().map(i18n::number)}</span>
            </h2>
            <div class="board-scroll" tabindex="-1">
                <ColumnContent board status column total />
            </div>
        </section>
    }
}

/// Returns whether the pointer has left the column, and not only one of its elements.
fn has_left(event: &DragEvent) -> bool {
    let column = event.current_target().and_then(|column| column.dyn_into::<web_sys::Node>().ok());
    let to = event.related_target().and_then(|to| to.dyn_into::<web_sys::Node>().ok());
    !column.is_some_and(|column| column.contains(to.as_ref()))
}

/// The cards of a column, a message if it is empty, or the error of its request.
#[component]
fn ColumnContent(
    board: Board,
    status: StoredValue<Status>,
    column: Memo<Option<BoardColumn>>,
    total: Memo<Option<u64>>,
) -> impl IntoView {
    let pages =
        move || board.loaded.with(|loaded| status.with_value(|status| super::find(loaded, status)));
    let error = Memo::new(move |_| pages().and_then(|pages| pages.error.get()));
    let cursor = move || pages().and_then(Paginated::cursor);
    let load = move |is_first: bool| status.with_value(|status| board.load(status, is_first));
    let is_loaded = Memo::new(move |_| total.get().is_some());
    let rows = move || column.get().map(|column| column.rows).unwrap_or_default();
    let is_empty = move || total.get() == Some(0) && rows().is_empty();
    let cards = move || {
        view! {
            <ul class="board-cards">
                <For
                    each=rows
                    key=|row| (row.id.clone(), sentiment::label_of(row).map(str::to_owned))
                    let:row
                >
                    <BoardCard board row column />
                </For>
            </ul>
            {move || is_empty().then(|| view! { <p class="board-none">{i18n::board().none}</p> })}
            {move || match error.get() {
                Some(error) => load_error_view(&error, move || load(true)),
                None => cursor().map(|_| view! { <NextPage load /> }.into_any()).into_any(),
            }}
        }
    };
    move || match (is_loaded.get(), error.get()) {
        (true, _) => cards().into_any(),
        (false, Some(error)) => {
            let object = i18n::board().the_column;
            view! { <Failure error object on_retry=move |()| load(true) /> }.into_any()
        }
        (false, None) => view! { <SkeletonLines label=i18n::list().loading /> }.into_any(),
    }
}

/// Returns an error below the loaded cards, which stay.
fn load_error_view(error: &ApiError, retry: impl Fn() + Send + Sync + 'static) -> AnyView {
    let text = (i18n::list().more_failed)(&explain_error(error));
    view! {
        <Notice tone=StatusTone::Negative>
            {text}
            <Button size=ButtonSize::Small icon=Glyph::Refresh on_click=move |_| retry()>
                {i18n::common().retry}
            </Button>
        </Notice>
    }
    .into_any()
}

/// Loads the next page when it scrolls into view, or by its button.
#[component]
fn NextPage(load: impl Fn(bool) + Copy + Send + Sync + 'static) -> impl IntoView {
    let end = NodeRef::<html::Div>::new();
    on_near_view(end, move || untrack(|| load(false)));
    view! {
        <div class="board-more" node_ref=end>
            <Button size=ButtonSize::Small on_click=move |_| load(false)>
                {i18n::board().more}
            </Button>
        </div>
    }
}
