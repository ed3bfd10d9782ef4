//! The history of the triage of the open submission, collapsed at first.

use leptos::{html, prelude::*};

use super::{card_triage::CardTriage, change::event_text};
use crate::{
    components::calendar::millis_of,
    domain::triage_history::{PastEvent, past_events},
    i18n,
    ui::time::RelativeTime,
};

/// The latest changes, newest first. They are loaded again when the list opens or a change is made,
/// because other members make changes too.
#[component]
pub fn History(
    /// The open submission.
    card: CardTriage,
) -> impl IntoView {
    let texts = i18n::triage();
    let is_open = RwSignal::new(false);
    let element = NodeRef::<html::Details>::new();
    let changes = card.state.update_count();
    let loaded_at = StoredValue::new(changes.get_untracked());
    Effect::new(move |_| {
        let count = changes.get();
        if is_open.get() && loaded_at.get_value() != count {
            loaded_at.set_value(count);
            card.load();
        }
    });
    let line = move |past: PastEvent| {
        let at_ms = millis_of(past.at);
        let sentence = move || {
            let person = match &past.person {
                Some(person) => card.state.assignee_name(person),
                None => texts.removed_member.to_owned(),
            };
            (texts.history_by)(&event_text(card.state, &past.event), &person)
        };
        view! {
            <li class="history-line">
                <span class="history-text">{sentence}</span>
                <RelativeTime at_ms />
            </li>
        }
    };
    let lines = move || {
        let past =
            if is_open.get() { card.history.with(|all| past_events(all)) } else { Vec::new() };
        let is_empty = is_open.get() && past.is_empty();
        view! {
            <ol class="history">{past.into_iter().map(line).collect_view()}</ol>
            {is_empty.then(|| view! { <p class="field-hint">{texts.history_empty}</p> })}
        }
    };
    let on_toggle = move |_| {
        if let Some(element) = element.get_untracked() {
            is_open.set(element.open());
        }
    };
    view! {
        <details class="triage-history" node_ref=element on:toggle=on_toggle>
            <summary>{texts.history}</summary>
            {lines}
        </details>
    }
}
