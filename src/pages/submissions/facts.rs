//! What a card says beside the answers: when and how a submission came, and what analysis found.

use contract::{Insight, Metadata, Submission};
use leptos::prelude::*;

use super::{names, sentiment::Sentiment};
use crate::{
    model::{answers::short_id, time::span},
    shared::calendar::millis_of,
    texts,
    ui::{copy::CopyButton, time::Instant},
};

/// One name and its value.
fn fact(name: &'static str, value: Option<AnyView>) -> impl IntoView {
    let value = value.unwrap_or_else(|| view! { <span class="missing">"—"</span> }.into_any());
    view! {
        <dt class="facts-name">{name}</dt>
        <dd class="facts-value">{value}</dd>
    }
}

fn text(text: Option<String>) -> Option<AnyView> {
    text.filter(|text| !text.is_empty()).map(IntoAny::into_any)
}

/// Id, instant and insight: what a reader looks for first.
#[component]
pub fn Head(
    /// The submission.
    submission: Submission,
) -> impl IntoView {
    let Submission { id, metadata, ai_insights, .. } = submission;
    let id = id.to_string();
    let at_ms = millis_of(metadata.submitted_at);
    let shown = view! {
        <span class="id" title=id.clone()>
            {short_id(&id)}
        </span>
        <CopyButton text=id.clone() label=texts::card().copy_id icon_only=true />
    };
    view! {
        <dl class="facts">
            {fact(texts::card().submitted, Some(view! { <Instant at_ms /> }.into_any()))}
            {insight_facts(ai_insights)} {fact(texts::card().id, Some(shown.into_any()))}
        </dl>
    }
}

fn insight_facts(insight: Option<Insight>) -> AnyView {
    let texts = texts::card();
    let Some(insight) = insight else {
        let none = view! { <span class="missing">{texts::common().not_analysed}</span> };
        return fact(texts.insight, Some(none.into_any())).into_any();
    };
    let Insight { sentiment, sentiment_score, categories, language } = insight;
    let score = sentiment_score.map(|score| {
        let share = format!("{}%", score * 100.0);
        view! { <span class="facts-score" style=("--share", share)>{format!("{score:.2}")}</span> }
    });
    let sentiment = sentiment.map(|label| view! { <Sentiment label /> {score} }.into_any());
    let categories = (!categories.is_empty()).then(|| {
        let one =
            |category: String| view! { <li class="badge" data-tone="neutral">{category}</li> };
        view! { <ul class="chips">{categories.into_iter().map(one).collect_view()}</ul> }.into_any()
    });
    let language = language.map(|code| names::language(&code).into_any());
    view! {
        {fact(texts.sentiment, sentiment)}
        {fact(texts.categories, categories)}
        {fact(texts.language, language)}
    }
    .into_any()
}

/// How it came.
#[component]
pub fn Origin(
    /// The metadata.
    metadata: Metadata,
) -> impl IntoView {
    let Metadata { ip_country, device, browser, completion_time_seconds, .. } = metadata;
    let texts = texts::card();
    let (source, medium) = (metadata.utm_source, metadata.utm_medium);
    let country = ip_country.map(|code| names::country(&code).into_any());
    let device = device.map(|device| names::device(&device).into_any());
    let took = completion_time_seconds.map(|seconds| span(seconds).into_any());
    view! {
        <dl class="facts">
            {fact(texts.country, country)} {fact(texts.device, device)}
            {fact(texts.browser, text(browser))} {fact(texts.completed_in, took)}
            {fact(texts.utm_source, text(source))}
            {fact(texts.utm_medium, text(medium))}
            {fact(texts.utm_campaign, text(metadata.utm_campaign))}
        </dl>
    }
}
