//! Selects the charts of a summary and their order. When the figures change, a chart that remains
//! keeps its elements, and so the focus and its display as a table.

use contract::filter::{FieldOperator, LabelProperty};
use contract::summary::{Summary, Values};
use contract::{Field, Filter};
use leptos::prelude::*;

use super::chart_data::{
    ChartData, ClickTarget, PropertyChart, Shape, duration_chart, time_chart, value_chart,
};
use crate::{
    components::{
        filter_bar::{label_name, value_text},
        names,
        sentiment::{self, sentiment_tone},
    },
    domain::{filter::FilterPart, time::format_duration},
    i18n::{self, number},
    ui::chart::{Plot, bars::Bars, columns::Columns, readout::Readout, track_item},
};

/// All charts. A click narrows `filter` and passes the result to `on_filter`.
#[component]
pub fn Charts(
    /// Data of the charts.
    #[prop(into)]
    drawings: Signal<Vec<ChartData>>,
    /// Current filter.
    filter: Memo<Filter>,
    /// Receives the narrowed filter of a click.
    on_filter: Callback<Filter>,
) -> impl IntoView {
    let plot_view = move |drawing: ChartData| {
        let key = drawing.key.clone();
        let columns = matches!(drawing.shape, Shape::Columns(..));
        let plot_data = track_item(drawings, drawing, move |data, _| data.key == key);
        let press = Callback::new(move |at: usize| {
            let narrowed = filter.with_untracked(|current| {
                plot_data.with_untracked(|data| data.narrow_filter(at, current))
            });
            if let Some(filter) = narrowed {
                on_filter.run(filter);
            }
        });
        let readout = Readout::default();
        let title = Signal::derive(move || plot_data.with(|data| data.title.clone()));
        let note = Signal::derive(move || plot_data.with(|data| data.note.clone()));
        let table = Signal::derive(move || plot_data.with(|data| data.table.clone()));
        if columns {
            let columns = Memo::new(move |_| match plot_data.get().shape {
                Shape::Columns(columns, _) => columns,
                Shape::Bars(_) => Vec::new(),
            });
            let fills = Memo::new(move |_| match plot_data.get().shape {
                Shape::Columns(_, fills) => fills,
                Shape::Bars(_) => Vec::new(),
            });
            view! {
                <Plot title note wide=true table readout>
                    <Columns columns fills number on_press=press readout />
                </Plot>
            }
            .into_any()
        } else {
            let bars = Memo::new(move |_| match plot_data.get().shape {
                Shape::Bars(bars) => bars,
                Shape::Columns(..) => Vec::new(),
            });
            view! {
                <Plot title note table readout>
                    <Bars bars on_press=press readout />
                </Plot>
            }
            .into_any()
        }
    };
    view! {
        <div class="plots">
            <For each=move || drawings.get() key=|data| data.key.clone() children=plot_view />
        </div>
    }
}

/// Returns the charts of a summary. `fields` provides the names of the fields. With
/// `has_properties`, clicks filter by labels and completion times. With `has_triage`, there are
/// charts of the triage; the names of statuses and members are tracked then.
pub fn summary_charts(
    summary: &Summary,
    fields: &[Field],
    (has_properties, has_triage): (bool, bool),
) -> Vec<ChartData> {
    let texts = i18n::insights();
    let common = i18n::common();
    let Summary { times: when, sentiments, .. } = summary;
    let label = |property| {
        let part = ClickTarget::Part(FilterPart::Label(property));
        if has_properties { part } else { ClickTarget::None }
    };
    let mut drawings = vec![time_chart("times", common.submissions, when, None)];
    if !sentiments.values.is_empty() {
        let labels = sentiments.values.iter().take(8).map(|value| value.value.clone());
        let labels: Vec<String> = labels.collect();
        let title = texts.sentiment_over_time;
        drawings.push(time_chart("sentiment-times", title, when, Some(&labels)));
        let listed = PropertyChart {
            target: label(LabelProperty::Sentiment),
            tone: Some(sentiment_tone),
            missing: common.not_analysed,
            ..property_without_filter("sentiment", texts.sentiment, sentiment::sentiment_name)
        };
        drawings.push(value_chart(sentiments, &listed));
    }
    let has_values = |of: &Values, listed: PropertyChart<'_>| {
        (!of.values.is_empty()).then(|| value_chart(of, &listed))
    };
    let listed = property_without_filter("categories", texts.categories, unchanged_label);
    let target = label(LabelProperty::Category);
    drawings.extend(has_values(&summary.categories, PropertyChart { target, ..listed }));
    if has_triage {
        drawings.extend(triage_charts(summary));
    }
    for charted_field in &summary.fields {
        let field = fields.iter().find(|field| field.id == charted_field.id);
        if field.is_some_and(|field| field.hidden) {
            continue;
        }
        let title = field.map_or_else(|| charted_field.id.to_string(), |field| field.name.clone());
        // A search finds a number in any field, so without criteria only words are clickable.
        let all_words = charted_field.answers.values.iter().all(|value| is_word(&value.value));
        let target = match field.filter(|_| has_properties) {
            Some(field) => ClickTarget::Field(field, FieldOperator::Eq),
            None if all_words && !has_properties => ClickTarget::Part(FilterPart::Search),
            None => ClickTarget::None,
        };
        let listed = PropertyChart {
            target,
            missing: texts.not_answered,
            ..property_without_filter(charted_field.id.as_str(), &title, value_text)
        };
        drawings.push(value_chart(&sort_numbers(&charted_field.answers), &listed));
    }
    for (of, key, title, part) in [
        (&summary.utm_sources, "utm_sources", texts.utm_sources, FilterPart::UtmSource),
        (&summary.utm_mediums, "utm_mediums", texts.utm_mediums, FilterPart::UtmMedium),
        (&summary.utm_campaigns, "utm_campaigns", texts.utm_campaigns, FilterPart::UtmCampaign),
    ] {
        let listed = property_without_filter(key, title, unchanged_label);
        drawings.extend(has_values(
            of,
            PropertyChart { target: ClickTarget::Part(part), missing: texts.none, ..listed },
        ));
    }
    for (property, of, listed) in [
        (
            LabelProperty::Country,
            &summary.countries,
            property_without_filter("countries", texts.countries, names::country_name),
        ),
        (
            LabelProperty::Device,
            &summary.devices,
            property_without_filter("devices", texts.devices, names::device_name),
        ),
        (
            LabelProperty::Browser,
            &summary.browsers,
            property_without_filter("browsers", texts.browsers, unchanged_label),
        ),
        (
            LabelProperty::Language,
            &summary.languages,
            property_without_filter("languages", texts.languages, names::language_name),
        ),
    ] {
        drawings.extend(has_values(of, PropertyChart { target: label(property), ..listed }));
    }
    drawings.extend(duration_chart(&summary.durations, has_properties));
    drawings
}

/// Returns the charts of status, tags and assignee.
fn triage_charts(summary: &Summary) -> Vec<ChartData> {
    let texts = i18n::triage();
    let status_name = |label: &str| label_name(LabelProperty::Status, Some(label));
    let assignee_name = |label: &str| label_name(LabelProperty::Assignee, Some(label));
    let charts = [
        (
            &summary.statuses,
            LabelProperty::Status,
            property_without_filter("statuses", texts.status, status_name),
        ),
        (
            &summary.tags,
            LabelProperty::Tag,
            PropertyChart {
                missing: i18n::filter_bar().no_tag,
                ..property_without_filter("tags", texts.tags, unchanged_label)
            },
        ),
        (
            &summary.assignees,
            LabelProperty::Assignee,
            PropertyChart {
                missing: texts.nobody,
                ..property_without_filter("assignees", texts.assignee, assignee_name)
            },
        ),
    ];
    let chart = |(values, property, listed): (&Values, LabelProperty, PropertyChart<'_>)| {
        let target = ClickTarget::Part(FilterPart::Label(property));
        let mut data = value_chart(values, &PropertyChart { target, ..listed });
        if property == LabelProperty::Status {
            data.note = median_text(summary);
        }
        (!values.values.is_empty()).then_some(data)
    };
    charts.into_iter().filter_map(chart).collect()
}

/// Returns the median time to `done` as a sentence; an empty text if it is not known.
fn median_text(summary: &Summary) -> String {
    let median = summary.median_seconds_to_done.map(|seconds| format_duration(seconds.into()));
    median.map(|median| (i18n::insights().median_to_done)(&median)).unwrap_or_default()
}

/// Returns the settings of a property without a corresponding filter.
fn property_without_filter<'a>(
    key: &'a str,
    title: &'a str,
    name: fn(&str) -> String,
) -> PropertyChart<'a> {
    let missing = i18n::insights().not_known;
    PropertyChart { key, title, name, target: ClickTarget::None, missing, tone: None }
}

fn unchanged_label(value: &str) -> String {
    value.to_owned()
}

fn is_word(value: &str) -> bool {
    value.chars().any(char::is_alphabetic) && !matches!(value, "true" | "false")
}

/// Returns the values in numeric order if all are numbers, as on a scale; otherwise by frequency.
fn sort_numbers(values: &Values) -> Values {
    let mut values = values.clone();
    let number = |text: &str| text.parse::<f64>().ok().filter(|value| value.is_finite());
    if values.values.iter().all(|value| number(&value.value).is_some()) {
        values.values.sort_by(|left, right| {
            let left_number = number(&left.value);
            let right_number = number(&right.value);
            left_number.partial_cmp(&right_number).unwrap_or(std::cmp::Ordering::Equal)
        });
    }
    values
}
