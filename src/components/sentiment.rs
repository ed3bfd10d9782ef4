//! The sentiment of a submission as a badge. A label that we do not know is shown in its own words.

use leptos::prelude::*;

use crate::{
    i18n,
    ui::badge::{Badge, Tone},
};

/// Returns the tint of a label.
pub fn tone(label: &str) -> Tone {
    Tone::of_sentiment(label)
}

/// Returns a label as it is shown: with a capital, as words of a page begin.
pub fn word(label: &str) -> String {
    let rest = label.char_indices().nth(1).map_or(label.len(), |(at, _)| at);
    capital(&label[..rest]) + &label[rest..]
}

/// Returns what a sentiment is called; a label that we do not know, in its own words.
pub fn name(label: &str) -> String {
    let texts = i18n::sentiments();
    match label {
        "positive" => texts.positive.to_owned(),
        "negative" => texts.negative.to_owned(),
        "mixed" => texts.mixed.to_owned(),
        "neutral" => texts.neutral.to_owned(),
        other => word(other),
    }
}

/// Returns a text in capitals.
// The browser knows capitals already: a second table of them would weigh some kilobytes.
pub fn capital(letter: &str) -> String {
    if letter.is_ascii() {
        return letter.to_ascii_uppercase();
    }
    js_sys::JsString::from(letter).to_upper_case().into()
}

/// The badge.
#[component]
pub fn Sentiment(
    /// The label, as analysis gave it.
    label: String,
) -> impl IntoView {
    let tone = tone(&label);
    view! { <Badge text=Signal::derive(move || name(&label)) tone /> }
}
