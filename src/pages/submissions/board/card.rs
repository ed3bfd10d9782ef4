//! A card of the board: a link that opens the submission, and that can be dragged.

use std::sync::Arc;

use contract::Submission;
use leptos::{
    ev::{DragEvent, MouseEvent},
    prelude::*,
};
use row_view::answer;

use super::Board;
use crate::{
    components::{
        calendar::millis_of,
        sentiment::{self, Sentiment},
    },
    domain::{answers, board::BoardColumn},
    i18n,
    pages::submissions::triage::rows::marks_view,
    ui::time::RelativeTime,
};

/// The card of a submission in a column.
#[component]
pub fn BoardCard(
    /// The board.
    board: Board,
    /// The submission.
    row: Arc<Submission>,
    /// The column of the card.
    column: Memo<Option<BoardColumn>>,
) -> impl IntoView {
    let id = StoredValue::new(row.id.clone());
    let triage = board.triage.triage(&row.id);
    let is_unread = move || id.with_value(|id| board.triage.read_state(id)) == Some(false);
    let href = move || {
        board
            .list
            .source
            .with(|source| source.as_ref().map(|source| id.with_value(|id| source.url(Some(id)))))
    };
    let is_open =
        move || board.opened.id.with(|open| id.with_value(|id| open.as_ref() == Some(id)));
    let can_move = move || if board.triage.can_edit() { "true" } else { "false" };
    let at_ms = millis_of(row.metadata.submitted_at);
    let sentiment =
        sentiment::label_of(&row).map(|label| view! { <Sentiment label=label.to_owned() /> });
    let (title, text) = card_texts(board, row);
    view! {
        <li>
            <a
                class="board-card"
                data-key=id.get_value().to_string()
                data-unread=move || is_unread().then_some("")
                href=href
                aria-current=move || is_open().then_some("true")
                tabindex=move || if is_tab_stop(board, column, id) { "0" } else { "-1" }
                draggable=can_move
                on:focus=move |_| id.with_value(|id| board.set_active(id))
                on:click=move |event| open_card(board, &event, id)
                on:dragstart=move |event| start_drag(board, &event, id)
            >
                <span class="board-title">
                    {title}
                    {move || {
                        is_unread()
                            .then(|| {
                                view! { <span class="visually-hidden">{i18n::ui().unread}</span> }
                            })
                    }}
                </span>
                <span class="board-text">{text}</span>
                <span class="board-facts">
                    <RelativeTime at_ms />
                    {sentiment}
                    {move || marks_view(board.triage, triage.get(), false)}
                </span>
            </a>
        </li>
    }
}

type CardId = StoredValue<contract::SubmissionId>;

/// Returns the title and the main text. The text is empty if it is the title.
fn card_texts(
    board: Board,
    row: Arc<Submission>,
) -> (Memo<String>, impl Fn() -> String + Send + Sync + 'static) {
    let title = {
        let row = Arc::clone(&row);
        Memo::new(move |_| answers::submission_title(&row, &board.list.fields.get()))
    };
    let text = move || {
        let field = board.text_field.get();
        let text = field.map(|field| answer::cell_text(&row, &field)).unwrap_or_default();
        if title.with(|title| *title == text) { String::new() } else { text }
    };
    (title, text)
}

/// Returns whether Tab leads to the card: to the last focused one of its column, or else to the
/// first. Tracked.
fn is_tab_stop(board: Board, column: Memo<Option<BoardColumn>>, id: CardId) -> bool {
    let active = board.opened.board.active.get();
    column.with(|column| {
        let rows = column.as_ref().map_or(&[][..], |column| &column.rows);
        let active = active.and_then(|active| rows.iter().find(|row| row.id == active.id));
        let stop = active.or(rows.first());
        stop.is_some_and(|stop| id.with_value(|id| stop.id == *id))
    })
}

/// Opens the submission over the board. The browser handles clicks that open a new tab or window.
fn open_card(board: Board, event: &MouseEvent, id: CardId) {
    if event.ctrl_key() || event.meta_key() || event.shift_key() || event.alt_key() {
        return;
    }
    event.prevent_default();
    id.with_value(|id| board.opened.open(id));
}

fn start_drag(board: Board, event: &DragEvent, id: CardId) {
    if !untrack(|| board.triage.can_edit()) {
        return;
    }
    if let Some(transfer) = event.data_transfer() {
        transfer.set_effect_allowed("move");
        // Firefox starts a drag only with data.
        let _ = transfer.set_data("text/plain", &id.with_value(ToString::to_string));
    }
    board.dragged.set(Some(id.get_value()));
}
