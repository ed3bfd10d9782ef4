//! The sentiment of a submission as a badge. Unknown labels are only capitalised.

use contract::Submission;
use leptos::prelude::*;

use crate::{
    i18n,
    ui::badge::{Badge, StatusTone},
};

/// Returns the sentiment of a submission, as returned by the analysis.
pub fn label_of(submission: &Submission) -> Option<&str> {
    submission.ai_insights.as_ref()?.sentiment.as_deref()
}

/// Returns the tint of a label.
pub fn sentiment_tone(label: &str) -> StatusTone {
    StatusTone::from_sentiment(label)
}

/// Returns a label with its first letter in upper case.
pub fn capitalise_label(label: &str) -> String {
    let rest = label.char_indices().nth(1).map_or(label.len(), |(at, _)| at);
    to_upper_case(&label[..rest]) + &label[rest..]
}

/// Returns the translated name of a sentiment; an unknown label is only capitalised.
pub fn sentiment_name(label: &str) -> String {
    let texts = i18n::sentiments();
    match label {
        "positive" => texts.positive.to_owned(),
        "negative" => texts.negative.to_owned(),
        "mixed" => texts.mixed.to_owned(),
        "neutral" => texts.neutral.to_owned(),
        other => capitalise_label(other),
    }
}

/// Converts a text to upper case.
// Uses the browser's case tables: those of Rust would add some kilobytes.
pub fn to_upper_case(letter: &str) -> String {
    if letter.is_ascii() {
        return letter.to_ascii_uppercase();
    }
    js_sys::JsString::from(letter).to_upper_case().into()
}

/// Badge of a sentiment.
#[component]
pub fn Sentiment(
    /// Label, as returned by the analysis.
    label: String,
) -> impl IntoView {
    let tone = sentiment_tone(&label);
    view! { <Badge text=Signal::derive(move || sentiment_name(&label)) tone /> }
}
