//! The table of deliveries: time, event, state, last response.

use contract::webhook::{Delivery, DeliveryState};
use leptos::prelude::*;

use super::DeliveryLog;
use crate::{
    components::{calendar::millis_of, listing::Listing},
    domain::webhooks::{event_label, log::attempt_result, state_label},
    i18n,
    ui::{
        badge::{Badge, StatusTone},
        button::{Button, ButtonSize},
        icon::Glyph,
        time::Instant,
    },
};

/// The table, and the button that loads more.
#[component]
pub fn DeliveryTable(
    /// The log.
    log: DeliveryLog,
) -> impl IntoView {
    let texts = i18n::form_webhooks();
    let more = move || {
        log.pages.has_more().then(|| {
            view! {
                <div class="form-acts">
                    <Button busy=log.pages.busy on_click=move |_| log.load_next()>
                        {texts.log_more}
                    </Button>
                </div>
            }
        })
    };
    let row = move |delivery: Delivery| view! { <DeliveryRow delivery log /> };
    let heads = vec![texts.time, texts.event, texts.state, texts.last_response];
    view! {
        <Listing label=texts.log heads>
            <For each=move || log.pages.rows.get() key=|row| row.id.clone() children=row />
        </Listing>
        {more}
    }
}

#[component]
fn DeliveryRow(delivery: Delivery, log: DeliveryLog) -> impl IntoView {
    let texts = i18n::form_webhooks();
    let at_ms = millis_of(delivery.created_at);
    let of = (texts.details_of)(delivery.id.as_str());
    let event = event_label(delivery.event);
    // A changed delivery changes the cells, not the row, which contains the focused button.
    let known = Memo::new(move |_| {
        let find = |rows: &Vec<Delivery>| rows.iter().find(|row| row.id == delivery.id).cloned();
        log.pages.rows.with(find).unwrap_or_else(|| delivery.clone())
    });
    let response = move || {
        let last = known.with(|known| known.attempts.last().map(attempt_result));
        last.unwrap_or_else(|| "—".to_owned())
    };
    view! {
        <tr role="row">
            <td role="cell">
                <Instant at_ms />
            </td>
            <td role="cell">{event}</td>
            <td role="cell">{move || known.with(|known| state_badge(known.state))}</td>
            <td role="cell" data-label=texts.last_response>{response}</td>
            <td role="cell">
                <Button
                    size=ButtonSize::Small
                    on_click=move |_| log.opened.set(Some(known.get_untracked()))
                >
                    {texts.details}
                    <span class="visually-hidden">{of}</span>
                </Button>
            </td>
        </tr>
    }
}

/// Returns the badge with the state of a delivery.
pub(super) fn state_badge(state: DeliveryState) -> impl IntoView {
    let (tone, icon) = match state {
        DeliveryState::Pending => (StatusTone::Info, Glyph::Clock),
        DeliveryState::Delivered => (StatusTone::Positive, Glyph::Check),
        DeliveryState::Failed => (StatusTone::Negative, Glyph::Warning),
    };
    view! { <Badge text=state_label(state) tone icon /> }
}
