//! When a form closes, and the message that visitors see then.

use contract::{Closing, Timestamp, closing::MESSAGE_CHARS_MAX};
use leptos::prelude::*;

use super::setting_error;
use crate::{
    components::calendar::{field_text, parse_field_text, time_zone},
    i18n,
    ui::{
        badge::StatusTone,
        field::{CheckField, FieldKind, TextField},
        notice::Notice,
        time::now_ms,
    },
};

/// State of the inputs. Cheap to copy.
#[derive(Clone, Copy, Debug)]
pub struct ClosingDraft {
    is_closed: RwSignal<bool>,
    at: RwSignal<String>,
    after: RwSignal<String>,
    message: RwSignal<String>,
    /// The settings on the server.
    stored: RwSignal<Closing>,
}

impl ClosingDraft {
    pub(super) fn new(closing: Closing) -> Self {
        let after = closing.closes_after.map(|count| count.to_string());
        Self {
            is_closed: RwSignal::new(closing.closed),
            at: RwSignal::new(closing.closes_at.map(field_text).unwrap_or_default()),
            after: RwSignal::new(after.unwrap_or_default()),
            message: RwSignal::new(closing.message.clone().unwrap_or_default()),
            stored: RwSignal::new(closing),
        }
    }

    /// Parses the inputs. Returns `None` if they are unchanged.
    ///
    /// # Errors
    ///
    /// Returns the name of the invalid setting, and the allowed values.
    pub(super) fn parse_inputs(self) -> Result<Option<Closing>, String> {
        let after = self.after.get_untracked();
        let after = after.trim();
        let error = |_| (i18n::form_intake().not_whole)("closes_after", after);
        let message = self.message.get_untracked().trim().to_owned();
        let closing = Closing {
            closed: self.is_closed.get_untracked(),
            closes_at: self.parse_closes_at()?,
            closes_after: Some(after)
                .filter(|text| !text.is_empty())
                .map(|text| text.parse::<u64>().map_err(error))
                .transpose()?,
            message: Some(message).filter(|text| !text.is_empty()),
        };
        let is_stored = self.stored.with_untracked(|stored| *stored == closing);
        Ok((!is_stored).then_some(closing))
    }

    /// Stores the saved settings as the unchanged state.
    pub(super) fn mark_saved(self, closing: Option<Closing>) {
        self.stored.try_set(closing.unwrap_or_default());
    }

    fn parse_closes_at(self) -> Result<Option<Timestamp>, String> {
        let text = self.at.get_untracked();
        if text.is_empty() {
            return Ok(None);
        }
        // The input has minute precision: an unchanged value keeps its microseconds.
        let stored = self.stored.with_untracked(|closing| closing.closes_at);
        match stored.filter(|at| field_text(*at) == text).or_else(|| parse_field_text(&text)) {
            Some(at) => Ok(Some(at)),
            None => Err((i18n::form_intake().not_an_instant)("closes_at", &text)),
        }
    }
}

/// The inputs.
#[component]
pub fn ClosingFields(
    /// State of the inputs.
    closing: ClosingDraft,
    /// Error of the last save.
    error: RwSignal<Option<String>>,
) -> impl IntoView {
    let texts = i18n::form_intake();
    let is_closed = move || {
        let now = Timestamp::from_millis(now_ms().cast_signed());
        closing.stored.with(|closing| now.is_some_and(|now| closing.is_closed(now)))
    };
    view! {
        <h2 class="section-title">{texts.closing}</h2>
        <Show when=is_closed>
            <Notice tone=StatusTone::Mixed>{texts.is_closed}</Notice>
        </Show>
        <CheckField
            label=texts.closed
            hint=texts.closed_hint
            checked=closing.is_closed
            on_change=move |on| closing.is_closed.set(on)
        />
        <TextField
            kind=FieldKind::DateTime
            label=texts.closes_at
            hint=(texts.closes_at_hint)(&time_zone())
            value=closing.at
            error=setting_error(error, "closes_at")
            on_input=move |text| closing.at.set(text)
        />
        <TextField
            label=texts.closes_after
            hint=texts.closes_after_hint
            value=closing.after
            error=setting_error(error, "closes_after")
            on_input=move |text| closing.after.set(text)
        />
        <TextField
            label=texts.message
            hint=texts.message_hint
            length_max=u32::try_from(MESSAGE_CHARS_MAX).unwrap_or(u32::MAX)
            value=closing.message
            error=setting_error(error, "message")
            on_input=move |text| closing.message.set(text)
        />
    }
}
