//! The notified addresses: each with its settings, its status and its buttons.

use contract::NotificationId;
use contract::notification::{AddressDisabledReason, NOTIFICATIONS_MAX};
use leptos::prelude::*;

use super::{NotificationsState, actions::AddressActions, editor::EditTarget};
use crate::{
    domain::notifications::{
        AddressStatus, settings_summary, status_label, status_of, suggested_address,
    },
    i18n,
    ui::{
        badge::{Badge, StatusTone},
        button::{Button, ButtonVariant},
        empty::Empty,
        icon::Glyph,
        notice::Notice,
    },
};

/// The addresses, or a note if the list is empty, and the buttons that add one.
#[component]
pub fn AddressList(
    /// State of the tab.
    state: NotificationsState,
) -> impl IntoView {
    let texts = i18n::form_notifications();
    let ids = Memo::new(move |_| {
        state.notifications().into_iter().map(|known| known.id).collect::<Vec<_>>()
    });
    let is_empty = Memo::new(move |_| ids.with(Vec::is_empty));
    // Only the kind of the view depends on the number: a change must not rebuild pressed buttons.
    move || {
        if is_empty.get() {
            return view! {
                <Empty icon=Glyph::Account title=texts.none text=texts.none_text>
                    <AddButtons state />
                </Empty>
            }
            .into_any();
        }
        view! {
            <div class="form-acts">
                <AddButtons state />
            </div>
            <ul class="form" data-wide="true" aria-label=texts.addresses>
                <For each=move || ids.get() key=NotificationId::clone let(id)>
                    <AddressItem id state />
                </For>
            </ul>
        }
        .into_any()
    }
}

#[component]
fn AddButtons(state: NotificationsState) -> impl IntoView {
    let texts = i18n::form_notifications();
    let count = Memo::new(move |_| state.read(|loaded| loaded.data.len()).unwrap_or_default());
    let disabled_reason = Signal::derive(move || {
        let full = (count.get() >= NOTIFICATIONS_MAX).then(|| (texts.full)(NOTIFICATIONS_MAX));
        state.missing_mail().or(full)
    });
    let is_own = Memo::new(move |_| {
        let session = state.session.session()?;
        suggested_address(session.person_email(), &state.notifications())
    });
    let add = move |email| state.editing.set(Some(EditTarget::New { email }));
    let add_mine = move || {
        let email = is_own.get()?;
        Some(view! {
            <Button disabled_reason on_click=move |_| add(email.clone())>
                {texts.add_mine}
            </Button>
        })
    };
    view! {
        <Button
            variant=ButtonVariant::Primary
            icon=Glyph::Plus
            disabled_reason
            on_click=move |_| add(String::new())
        >
            {texts.add}
        </Button>
        {add_mine}
    }
}

#[component]
fn AddressItem(id: NotificationId, state: NotificationsState) -> impl IntoView {
    let first = untrack(|| state.find(&id))?;
    let email = first.email.clone();
    let found = Memo::new(move |_| state.find(&id));
    // While the view of a deleted notification is removed, use the last known one.
    let notification = Signal::derive(move || found.get().unwrap_or_else(|| first.clone()));
    let error = move || {
        let reason = notification.with(|notification| notification.last_error.clone())?;
        let text = (i18n::form_notifications().last_error)(&reason);
        Some(view! { <Notice tone=StatusTone::Mixed>{text}</Notice> })
    };
    let summary =
        move || state.views.with(|views| notification.with(|it| settings_summary(it, views)));
    let status = move || notification.with(|notification| status_badge(status_of(notification)));
    Some(view! {
        <li>
            <div class="group">
                <div>
                    <h3>{email}</h3>
                    <p class="field-hint">{summary}</p>
                </div>
                <p>{status}</p>
                {error}
                <AddressActions notification state />
            </div>
        </li>
    })
}

/// Returns the badge with the status of an address.
fn status_badge(status: AddressStatus) -> impl IntoView + use<> {
    let (tone, icon) = match status {
        AddressStatus::Active => (StatusTone::Positive, Glyph::Check),
        AddressStatus::Waiting => (StatusTone::Mixed, Glyph::Clock),
        AddressStatus::Disabled(AddressDisabledReason::Refused) => {
            (StatusTone::Negative, Glyph::Warning)
        }
        AddressStatus::Disabled(_) => (StatusTone::Neutral, Glyph::Close),
    };
    view! { <Badge text=status_label(status) tone icon /> }
}
