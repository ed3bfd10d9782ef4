//! Fields that the address editor and the auto-reply use: the time zone, and the language.

use contract::notification::{MailLanguage, TIME_ZONE_BYTES_MAX};
use js_sys::{Array, Function, Reflect};
use leptos::wasm_bindgen::{JsCast, JsValue};
use leptos::{html, prelude::*};

use crate::{
    domain::notifications::language_label,
    i18n,
    ui::{
        field::{Choice, SelectField, TextField},
        run_effect, unique_id,
    },
};

/// Returns the time zones that the browser knows; empty if it cannot list them.
fn known_time_zones() -> Vec<String> {
    let zones = || {
        let intl = Reflect::get(&js_sys::global(), &"Intl".into()).ok()?;
        let list: Function =
            Reflect::get(&intl, &"supportedValuesOf".into()).ok()?.dyn_into().ok()?;
        let zones = list.call1(&intl, &JsValue::from_str("timeZone")).ok()?;
        zones.dyn_into::<Array>().ok()
    };
    let zones = zones().unwrap_or_default();
    zones.iter().filter_map(|zone| zone.as_string()).collect()
}

/// Text field for a time zone, with the zones that the browser knows as suggestions.
#[component]
pub fn TimeZoneField(
    /// Name of the zone.
    #[prop(into)]
    value: Signal<String>,
    /// Error, and how to correct it.
    #[prop(into)]
    error: Signal<Option<String>>,
    /// Receives the typed or selected name.
    #[prop(into)]
    on_input: Callback<String>,
) -> impl IntoView {
    let texts = i18n::form_notifications();
    let list = unique_id("zones");
    let input = NodeRef::<html::Input>::new();
    let suggestions = list.clone();
    run_effect(move || {
        if let Some(input) = input.get() {
            // Fails only for a name that is not one of an attribute.
            let _ = input.set_attribute("list", &suggestions);
        }
    });
    let option = |zone: String| view! { <option value=zone></option> };
    view! {
        <TextField
            label=texts.time_zone
            hint=texts.time_zone_hint
            autocomplete="off"
            value
            error
            length_max=u32::try_from(TIME_ZONE_BYTES_MAX).unwrap_or(u32::MAX)
            on_input
            node_ref=input
        />
        <datalist id=list>{known_time_zones().into_iter().map(option).collect_view()}</datalist>
    }
}

/// List with the languages of emails.
#[component]
pub fn LanguageField(
    /// The language.
    value: RwSignal<MailLanguage>,
    /// Hint in one sentence; empty to omit it.
    hint: &'static str,
) -> impl IntoView {
    let choice =
        |language: &MailLanguage| Choice::new(language.as_str(), language_label(*language));
    let choose = move |code: String| {
        if let Ok(language) = code.parse() {
            value.set(language);
        }
    };
    view! {
        <SelectField
            label=i18n::form_notifications().language
            hint
            value=Signal::derive(move || value.get().as_str().to_owned())
            choices=Signal::stored(MailLanguage::ALL.iter().map(choice).collect::<Vec<_>>())
            on_change=choose
        />
    }
}
