//! The metadata and insights of a submission: time, origin and results of the analysis.

use contract::filter::LabelProperty;
use contract::{Field, Insight, Metadata, Submission};
use js_sys::{Intl, Object, Reflect};
use leptos::{prelude::*, wasm_bindgen::JsValue};

use super::{
    names,
    open_submission::OpenSubmission,
    sentiment::{self, Sentiment},
};
use crate::{
    components::{
        calendar::millis_of,
        filter_bar::{label_name, part_name, value_text},
    },
    domain::{
        answers::{plain::LabeledValue, short_id},
        filter::FilterPart,
        time::format_duration,
    },
    i18n,
    ui::{
        copy::CopyButton,
        time::{Instant, full_text},
    },
};

/// Returns all metadata and insights as text.
pub fn all_facts(submission: &Submission) -> Vec<LabeledValue> {
    let Submission { id, metadata, ai_insights, .. } = submission;
    let texts = i18n::card();
    let mut facts = vec![(texts.submitted, Some(full_text(millis_of(metadata.submitted_at))))];
    if let Some(insight) = ai_insights {
        let score = insight.sentiment_score.map(|score| format!(" ({})", format_score(score)));
        let sentiment = insight.sentiment.as_deref().map(sentiment::sentiment_name);
        let sentiment = sentiment.map(|name| name + &score.unwrap_or_default());
        let categories = Some(insight.categories.join(", "));
        facts.push((texts.sentiment, sentiment));
        facts.push((texts.categories, categories.filter(|text| !text.is_empty())));
        facts.push((texts.language, insight.language.as_deref().map(names::language_name)));
    } else {
        facts.push((texts.insight, Some(i18n::common().not_analysed.to_owned())));
    }
    facts.push((texts.id, Some(id.to_string())));
    facts.extend(origin_facts(metadata));
    facts
}

/// Returns the origin of a submission as text.
fn origin_facts(metadata: &Metadata) -> [LabeledValue; 7] {
    let texts = i18n::card();
    let text = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    [
        (texts.country, metadata.ip_country.as_deref().map(names::country_name)),
        (texts.device, metadata.device.as_deref().map(names::device_name)),
        (texts.browser, text(&metadata.browser)),
        (texts.completed_in, metadata.completion_time_seconds.map(format_duration)),
        (texts.utm_source, text(&metadata.utm_source)),
        (texts.utm_medium, text(&metadata.utm_medium)),
        (texts.utm_campaign, text(&metadata.utm_campaign)),
    ]
}

/// Returns the filter of each origin fact: its part and value, if there is one.
fn origin_filters(metadata: &Metadata) -> [Option<(FilterPart, String)>; 7] {
    let by = |part: FilterPart, value: &Option<String>| Some((part, value.clone()?));
    [
        by(FilterPart::Label(LabelProperty::Country), &metadata.ip_country),
        by(FilterPart::Label(LabelProperty::Device), &metadata.device),
        by(FilterPart::Label(LabelProperty::Browser), &metadata.browser),
        None,
        by(FilterPart::UtmSource, &metadata.utm_source),
        by(FilterPart::UtmMedium, &metadata.utm_medium),
        by(FilterPart::UtmCampaign, &metadata.utm_campaign),
    ]
}

/// Returns a button around `content` that filters the list by a value; only the content if there is
/// no such filter.
fn filter_button(part: FilterPart, value: String, content: AnyView) -> AnyView {
    let Some(opened) = use_context::<OpenSubmission>() else { return content };
    if value.is_empty() || !opened.supports_filter(part) {
        return content;
    }
    let name = match part {
        FilterPart::Label(property) => label_name(property, Some(&value)),
        _ => value.clone(),
    };
    let label = (i18n::filter_bar().filter_by)(part_name(part), &name);
    press_view(label, move || opened.filter_by(part, &value), content)
}

/// Returns a button around an answer that filters the list by it; only the content if there is no
/// such filter.
pub(super) fn answer_button(field: &Field, value: &str, content: AnyView) -> AnyView {
    let Some(opened) = use_context::<OpenSubmission>() else { return content };
    let Some(criterion) = opened.answer_criterion(field, value) else { return content };
    let label = (i18n::filter_bar().filter_by)(&field.name, &value_text(value));
    let press = move || {
        opened.filter_by_answer(&criterion);
    };
    press_view(label, press, content)
}

fn press_view(label: String, press: impl Fn() + 'static, content: AnyView) -> AnyView {
    view! {
        <button class="fact-filter" type="button" title=label on:click=move |_| press()>
            {content}
        </button>
    }
    .into_any()
}

/// Formats a score with two decimal places in the viewer's locale.
fn format_score(score: f64) -> String {
    let options = Object::new();
    for name in ["minimumFractionDigits", "maximumFractionDigits"] {
        // Cannot fail on a plain object.
        let _ = Reflect::set(&options, &name.into(), &2.into());
    }
    let format = Intl::NumberFormat::new(&i18n::number_locales(), &options).format();
    let text = format.call1(&JsValue::UNDEFINED, &score.into()).ok();
    text.and_then(|text| text.as_string()).unwrap_or_default()
}

/// Returns a name and its value; a dash for `None`.
fn fact_view(name: &'static str, value: Option<AnyView>) -> impl IntoView {
    let value = value.unwrap_or_else(|| view! { <span class="missing">"—"</span> }.into_any());
    view! {
        <dt class="facts-name">{name}</dt>
        <dd class="facts-value">{value}</dd>
    }
}

/// Time, insights and id.
#[component]
pub fn SummaryFacts(
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
        <CopyButton text=id.clone() label=i18n::card().copy_id icon_only=true />
    };
    view! {
        <dl class="facts">
            {fact_view(i18n::card().submitted, Some(view! { <Instant at_ms /> }.into_any()))}
            {insight_facts(ai_insights)} {fact_view(i18n::card().id, Some(shown.into_any()))}
        </dl>
    }
}

fn insight_facts(insight: Option<Insight>) -> AnyView {
    let texts = i18n::card();
    let Some(insight) = insight else {
        let not_analysed = view! { <span class="missing">{i18n::common().not_analysed}</span> };
        return fact_view(texts.insight, Some(not_analysed.into_any())).into_any();
    };
    let Insight { sentiment, sentiment_score, categories, language } = insight;
    let score = sentiment_score.map(|score| {
        let share = format!("{}%", score * 100.0);
        view! { <span class="facts-score" style=("--share", share)>{format_score(score)}</span> }
    });
    let by = |property, value: String, content: AnyView| {
        filter_button(FilterPart::Label(property), value, content)
    };
    let sentiment = sentiment.map(|label| {
        let badge = view! { <Sentiment label=label.clone() /> }.into_any();
        let badge = by(LabelProperty::Sentiment, label, badge);
        view! { {badge} {score} }.into_any()
    });
    let categories = (!categories.is_empty()).then(|| {
        let category_view = |category: String| {
            let badge = view! {
                <span class="badge" data-tone="neutral">
                    {category.clone()}
                </span>
            };
            view! { <li>{by(LabelProperty::Category, category, badge.into_any())}</li> }
        };
        view! { <ul class="chips">{categories.into_iter().map(category_view).collect_view()}</ul> }
            .into_any()
    });
    let language = language.map(|code| {
        let name = names::language_name(&code).into_any();
        by(LabelProperty::Language, code, name)
    });
    view! {
        {fact_view(texts.sentiment, sentiment)}
        {fact_view(texts.categories, categories)}
        {fact_view(texts.language, language)}
    }
    .into_any()
}

/// Origin of the submission.
#[expect(clippy::needless_pass_by_value, reason = "components own their props")]
#[component]
pub fn OriginFacts(
    /// The metadata.
    metadata: Metadata,
) -> impl IntoView {
    let fact_row = |((name, value), filter): (LabeledValue, Option<(FilterPart, String)>)| {
        let value = value.map(|text| match filter {
            Some((part, value)) => filter_button(part, value, text.into_any()),
            None => text.into_any(),
        });
        fact_view(name, value)
    };
    let facts = origin_facts(&metadata).into_iter().zip(origin_filters(&metadata));
    view! { <dl class="facts">{facts.map(fact_row).collect_view()}</dl> }
}
