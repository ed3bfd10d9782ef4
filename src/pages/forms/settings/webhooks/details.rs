//! One webhook: its settings, its buttons, and the log of its deliveries.

use contract::WebhookId;
use contract::webhook::Webhook;
use leptos::prelude::*;

use super::{
    WebhooksState,
    actions::WebhookActions,
    list::status_badge,
    log::{DeliveryLog, DeliverySection},
};
use crate::{
    components::listing::relative_time,
    domain::webhooks::{event_labels, format_label},
    i18n,
    ui::{empty::Empty, icon::Glyph},
};

/// The webhook, or a note that it does not exist.
#[component]
pub fn WebhookDetails(
    /// Id of the webhook.
    id: WebhookId,
    /// State of the tab.
    state: WebhooksState,
) -> impl IntoView {
    let texts = i18n::form_webhooks();
    let webhook = Memo::new(move |_| state.find(&id));
    // A changed webhook must not rebuild the view, which contains the pressed button.
    let is_known = Memo::new(move |_| webhook.with(Option::is_some));
    move || {
        let first = if is_known.get() { webhook.get_untracked() } else { None };
        let Some(first) = first else {
            return view! {
                <Empty icon=Glyph::Search title=texts.missing text=texts.missing_text />
            }
            .into_any();
        };
        let log = DeliveryLog::new(first.id.clone(), state);
        // While the view of a deleted webhook is removed, use the last known one.
        let webhook = Signal::derive(move || webhook.get().unwrap_or_else(|| first.clone()));
        view! {
            <p class="section-text">
                <span class="id">{move || webhook.with(|webhook| webhook.url.clone())}</span>
            </p>
            <div class="form" data-wide="true">
                <WebhookFacts webhook />
                <WebhookActions webhook log state />
                <DeliverySection webhook log />
            </div>
        }
        .into_any()
    }
}

#[component]
fn WebhookFacts(webhook: Signal<Webhook>) -> impl IntoView {
    let texts = i18n::form_webhooks();
    let facts = move || {
        let webhook = webhook.get();
        let status = status_badge(&webhook).into_any();
        let facts = [
            (texts.status, status),
            (texts.events, event_labels(&webhook.events).into_any()),
            (texts.format, format_label(webhook.format).into_any()),
            (texts.created, relative_time(Some(webhook.created_at))),
        ];
        facts.map(fact_view).into_iter().collect_view()
    };
    view! { <dl class="facts">{facts}</dl> }
}

/// Returns a line of a list of facts: name and value.
pub(super) fn fact_view((name, value): (&'static str, AnyView)) -> impl IntoView {
    view! {
        <dt class="facts-name">{name}</dt>
        <dd class="facts-value">{value}</dd>
    }
}
