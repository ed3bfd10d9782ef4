//! Selects the charts of a summary and their order. When the figures change, a chart that remains
//! keeps its elements, and so the focus and its display as a table.

use contract::summary::{Summary, Values};
use contract::{Field, Filter};
use leptos::prelude::*;

use super::chart_data::{Drawing, Listed, Shape, durations, times, values};
use crate::{
    components::{
        names,
        sentiment::{self, tone},
    },
    domain::filter::Part,
    i18n::{self, number},
    ui::chart::{Plot, bars::Bars, columns::Columns, own, said::Said},
};

/// All charts. A click narrows `filter` and passes the result to `on_filter`.
#[component]
pub fn Plots(
    /// Data of the charts.
    #[prop(into)]
    drawings: Signal<Vec<Drawing>>,
    /// Current filter.
    filter: Memo<Filter>,
    /// Receives the narrowed filter of a click.
    on_filter: Callback<Filter>,
) -> impl IntoView {
    let one = move |drawing: Drawing| {
        let key = drawing.key.clone();
        let columns = matches!(drawing.shape, Shape::Columns(..));
        let own = own(drawings, drawing, move |one, _| one.key == key);
        let press = Callback::new(move |at: usize| {
            let narrowed =
                filter.with_untracked(|it| own.with_untracked(|one| one.narrowed(at, it)));
            if let Some(filter) = narrowed {
                on_filter.run(filter);
            }
        });
        let said = Said::default();
        let title = Signal::derive(move || own.with(|one| one.title.clone()));
        let note = Signal::derive(move || own.with(|one| one.note.clone()));
        let table = Signal::derive(move || own.with(|one| one.table.clone()));
        if columns {
            let columns = Memo::new(move |_| match own.get().shape {
                Shape::Columns(columns, _) => columns,
                Shape::Bars(_) => Vec::new(),
            });
            let fills = Memo::new(move |_| match own.get().shape {
                Shape::Columns(_, fills) => fills,
                Shape::Bars(_) => Vec::new(),
            });
            view! {
                <Plot title note wide=true table said>
                    <Columns columns fills number on_press=press said />
                </Plot>
            }
            .into_any()
        } else {
            let bars = Memo::new(move |_| match own.get().shape {
                Shape::Bars(bars) => bars,
                Shape::Columns(..) => Vec::new(),
            });
            view! {
                <Plot title note table said>
                    <Bars bars on_press=press said />
                </Plot>
            }
            .into_any()
        }
    };
    view! {
        <div class="plots">
            <For each=move || drawings.get() key=|one| one.key.clone() children=one />
        </div>
    }
}

/// Returns the charts of a summary. `fields` provides the names of the fields.
pub fn drawings(summary: &Summary, fields: &[Field]) -> Vec<Drawing> {
    let (texts, common) = (i18n::insights(), i18n::common());
    let Summary { times: when, sentiments, .. } = summary;
    let mut drawings = vec![times("times", common.submissions, when, None)];
    if !sentiments.values.is_empty() {
        let labels = sentiments.values.iter().take(8).map(|it| it.value.clone());
        let labels: Vec<String> = labels.collect();
        let title = texts.sentiment_over_time;
        drawings.push(times("sentiment-times", title, when, Some(&labels)));
        let listed = Listed {
            tone: Some(tone),
            missing: common.not_analysed,
            ..plain("sentiment", texts.sentiment, sentiment::name)
        };
        drawings.push(values(sentiments, &listed));
    }
    let some =
        |of: &Values, listed: Listed<'_>| (!of.values.is_empty()).then(|| values(of, &listed));
    drawings.extend(some(&summary.categories, plain("categories", texts.categories, as_it_is)));
    for one in &summary.fields {
        let field = fields.iter().find(|field| field.id == one.id);
        if field.is_some_and(|field| field.hidden) {
            continue;
        }
        let title = field.map_or_else(|| one.id.to_string(), |field| field.name.clone());
        // Search has no field condition: a number would match in any field, so only words are
        // clickable.
        let all_words = one.answers.values.iter().all(|it| is_word(&it.value));
        let listed = Listed {
            part: all_words.then_some(Part::Search),
            missing: texts.not_answered,
            ..plain(one.id.as_str(), &title, yes_or_no)
        };
        drawings.push(values(&in_order(&one.answers), &listed));
    }
    for (of, key, title, part) in [
        (&summary.utm_sources, "utm_sources", texts.utm_sources, Part::UtmSource),
        (&summary.utm_mediums, "utm_mediums", texts.utm_mediums, Part::UtmMedium),
        (&summary.utm_campaigns, "utm_campaigns", texts.utm_campaigns, Part::UtmCampaign),
    ] {
        let listed = plain(key, title, as_it_is);
        drawings.extend(some(of, Listed { part: Some(part), missing: texts.none, ..listed }));
    }
    for (of, listed) in [
        (&summary.countries, plain("countries", texts.countries, names::country)),
        (&summary.devices, plain("devices", texts.devices, names::device)),
        (&summary.browsers, plain("browsers", texts.browsers, as_it_is)),
        (&summary.languages, plain("languages", texts.languages, names::language)),
    ] {
        drawings.extend(some(of, listed));
    }
    drawings.extend(durations(&summary.durations));
    drawings
}

/// Returns the settings of a property without a corresponding filter.
fn plain<'a>(key: &'a str, title: &'a str, name: fn(&str) -> String) -> Listed<'a> {
    let missing = i18n::insights().not_known;
    Listed { key, title, name, part: None, missing, tone: None }
}

fn as_it_is(value: &str) -> String {
    value.to_owned()
}

fn is_word(value: &str) -> bool {
    value.chars().any(char::is_alphabetic) && !matches!(value, "true" | "false")
}

fn yes_or_no(value: &str) -> String {
    match value {
        "true" => i18n::common().yes.to_owned(),
        "false" => i18n::common().no.to_owned(),
        other => other.to_owned(),
    }
}

/// Returns the values in numeric order if all are numbers, as on a scale; otherwise by frequency.
fn in_order(values: &Values) -> Values {
    let mut values = values.clone();
    let number = |text: &str| text.parse::<f64>().ok().filter(|it| it.is_finite());
    if values.values.iter().all(|it| number(&it.value).is_some()) {
        values.values.sort_by(|a, b| {
            let (a, b) = (number(&a.value), number(&b.value));
            a.partial_cmp(&b).unwrap_or(std::cmp::Ordering::Equal)
        });
    }
    values
}
