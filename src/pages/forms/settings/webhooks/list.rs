//! The list of webhooks: URL, events, format, status.

use contract::webhook::{DisabledReason, WEBHOOKS_MAX, Webhook};
use leptos::prelude::*;

use super::{WebhooksState, editor::EditTarget};
use crate::{
    components::{
        calendar::millis_of,
        listing::{Listing, relative_time},
    },
    domain::webhooks::{
        WebhookStatus, event_labels, format_label, short_url, status_label, status_of,
    },
    i18n,
    ui::{
        badge::{Badge, StatusTone},
        button::{Button, ButtonVariant},
        empty::Empty,
        icon::Glyph,
        time::short_text,
    },
};

/// The list, or a note if there are no webhooks, and the button that creates one.
#[component]
pub fn WebhookList(
    /// State of the tab.
    state: WebhooksState,
) -> impl IntoView {
    let texts = i18n::form_webhooks();
    let count = Memo::new(move |_| state.webhooks.loaded().len());
    let full =
        Signal::derive(move || (count.get() >= WEBHOOKS_MAX).then(|| (texts.full)(WEBHOOKS_MAX)));
    let create = move || {
        view! {
            <Button
                variant=ButtonVariant::Primary
                icon=Glyph::Plus
                disabled_reason=full
                on_click=move |_| state.editing.set(Some(EditTarget::New))
            >
                {texts.create}
            </Button>
        }
    };
    let rows = move || {
        let row = move |webhook: Webhook| view! { <WebhookRow webhook state /> };
        state.webhooks.loaded().into_iter().map(row).collect_view()
    };
    let heads = [texts.url, texts.events, texts.format, texts.status, texts.created];
    let has_webhooks = Memo::new(move |_| count.get() > 0);
    let body = move || {
        if has_webhooks.get() {
            view! {
                <div class="form-acts">{create()}</div>
                <Listing label=texts.title heads=heads.to_vec()>
                    {rows}
                </Listing>
            }
            .into_any()
        } else {
            view! {
                <Empty icon=Glyph::External title=texts.none text=texts.none_text>
                    {create()}
                </Empty>
            }
            .into_any()
        }
    };
    view! {
        <p class="section-text">{texts.about}</p>
        <div class="form" data-wide="true">
            {body}
        </div>
    }
}

#[component]
fn WebhookRow(webhook: Webhook, state: WebhooksState) -> impl IntoView {
    let texts = i18n::form_webhooks();
    let short = short_url(&webhook.url);
    let of = (texts.manage_of)(&short);
    let href = state.url_of(Some(webhook.id.clone()));
    view! {
        <tr role="row">
            <td role="cell">{short}</td>
            <td role="cell">{event_labels(&webhook.events)}</td>
            <td role="cell">{format_label(webhook.format)}</td>
            <td role="cell">{status_badge(&webhook)}</td>
            <td role="cell" data-label=texts.created>
                {relative_time(Some(webhook.created_at))}
            </td>
            <td role="cell">
                <a class="button" data-variant="plain" data-size="small" href=href>
                    {texts.manage}
                    <span class="visually-hidden">{of}</span>
                </a>
            </td>
        </tr>
    }
}

/// Returns the badge with the status of a webhook.
pub(super) fn status_badge(webhook: &Webhook) -> impl IntoView + use<> {
    let status = status_of(webhook);
    let (tone, icon) = match status {
        WebhookStatus::Enabled => (StatusTone::Positive, Glyph::Check),
        WebhookStatus::FailingSince(_) => (StatusTone::Mixed, Glyph::Warning),
        WebhookStatus::Disabled(DisabledReason::Owner) => (StatusTone::Neutral, Glyph::Close),
        WebhookStatus::Disabled(_) => (StatusTone::Negative, Glyph::Warning),
    };
    let text = status_label(status, |since| short_text(millis_of(since)));
    view! { <Badge text tone icon /> }
}
