//! Read state of the open submission. Opening marks as read, and a button changes the state.

use contract::triage::TriageChange;
use leptos::{ev, prelude::*, task::spawn_local};

use super::card_triage::CardTriage;
use crate::{
    i18n,
    state::read_setting::marks_read_when_opened,
    ui::{
        button::{Button, ButtonSize},
        run_effect,
    },
};

fn change_to(is_read: bool) -> TriageChange {
    TriageChange { read: Some(is_read), ..TriageChange::default() }
}

/// Marks the open submission as read once its state is known and the window is visible, unless the
/// user has disabled this or has marked it as unread. An error is not reported: the submission is
/// unread again.
pub(super) fn mark_read_when_shown(card: CardTriage) {
    let Some((_, id)) = card.key().filter(|_| marks_read_when_opened()) else { return };
    let is_visible = RwSignal::new(!document().hidden());
    let listener = window_event_listener(ev::visibilitychange, move |_| {
        is_visible.try_set(!document().hidden());
    });
    on_cleanup(move || listener.remove());
    let is_done = StoredValue::new(false);
    run_effect(move || {
        let read = card.state.read_state(&id);
        let is_shown = is_visible.get() && read.is_some();
        if !is_shown || is_done.get_value() {
            return;
        }
        is_done.set_value(true);
        if read == Some(true) || card.state.is_kept_unread(&id) {
            return;
        }
        let (state, ids) = (card.state, [id.clone()]);
        spawn_local(async move {
            if let Err(error) = state.try_update_ids(&ids, &change_to(true)).await {
                state.session().handle_error(&error);
            }
        });
    });
}

/// Button that marks the open submission as unread, or as read.
#[component]
pub fn ReadButton(
    /// The open submission.
    card: CardTriage,
) -> impl IntoView {
    let texts = i18n::triage();
    let is_read = Memo::new(move |_| {
        // While it is unknown, the submission is about to be marked as read.
        card.key().and_then(|(_, id)| card.state.read_state(&id)).unwrap_or(true)
    });
    let toggle = move |_| {
        let read = !is_read.get_untracked();
        if let Some((_, id)) = card.key().filter(|_| !read) {
            card.state.set_kept_unread(Some(id));
        }
        card.change(change_to(read));
    };
    view! {
        <Button size=ButtonSize::Small on_click=toggle>
            {move || if is_read.get() { texts.mark_unread } else { texts.mark_read }}
        </Button>
    }
}
