//! Which plots a summary makes, in which words, and what a press on one of them filters by.

use contract::summary::{Bucket, Summary, Times, Unit, Values};
use contract::{Field, Filter};
use leptos::prelude::*;

use crate::{
    model::{
        filter::Part,
        time::{bounds, span},
    },
    page::number,
    shared::{
        calendar, names,
        sentiment::{self, tone},
    },
    texts,
    ui::{
        badge::Tone,
        chart::{
            Grid, Plot,
            bars::{Bar, Bars},
            columns::{Column, Columns},
        },
    },
};

/// So many values are drawn of one property; the table has all that are known.
const BARS_MAX: usize = 8;

/// All plots of a summary.
///
/// It was added up under `filter`; `fields` are the form's, by which answers are named. A press
/// gives the filter that it narrows to.
pub fn plots(
    summary: &Summary,
    filter: Filter,
    fields: &[Field],
    on_filter: Callback<Filter>,
) -> impl IntoView + use<> {
    let (texts, common) = (texts::insights(), texts::common());
    let list = Listing { filter, on_filter };
    let code = |value: &str| value.to_owned();
    let Summary { times, sentiments, .. } = summary;
    let has_sentiment = !sentiments.values.is_empty();
    let labels: Vec<String> = sentiments.values.iter().take(8).map(|it| it.value.clone()).collect();
    let answers = summary.fields.iter().map(|one| {
        let field = fields.iter().find(|field| field.id == one.id);
        let title = field.map_or_else(|| one.id.to_string(), |field| field.name.clone());
        // The filter knows words, but not of which field: a number would be found anywhere.
        let part = one.answers.values.iter().all(|it| is_word(&it.value)).then_some(Part::Search);
        let values = in_order(&one.answers);
        list.values(title, &values, yes_or_no, part, texts.not_answered, None)
    });
    view! {
        <div class="plots">
            {list.times(common.submissions, times, None)}
            {has_sentiment.then(|| list.times(texts.sentiment_over_time, times, Some(&labels)))}
            {has_sentiment
                .then(|| {
                    let (name, missing) = (sentiment::name, common.not_analysed);
                    list.values(texts.sentiment, sentiments, name, None, missing, Some(tone))
                })}
            {list.some(texts.categories, &summary.categories, code, None)}
            {answers.collect::<Vec<_>>()}
            {list.some(texts.utm_sources, &summary.utm_sources, code, Some(Part::UtmSource))}
            {list.some(texts.utm_mediums, &summary.utm_mediums, code, Some(Part::UtmMedium))}
            {list.some(texts.utm_campaigns, &summary.utm_campaigns, code, Some(Part::UtmCampaign))}
            {list.some(texts.countries, &summary.countries, names::country, None)}
            {list.some(texts.devices, &summary.devices, names::device, None)}
            {list.some(texts.browsers, &summary.browsers, code, None)}
            {list.some(texts.languages, &summary.languages, names::language, None)}
            {durations(summary)}
        </div>
    }
}

/// What presses start from.
struct Listing {
    filter: Filter,
    on_filter: Callback<Filter>,
}

impl Listing {
    /// As [`Listing::values`], where there is any value.
    fn some(
        &self,
        title: &str,
        values: &Values,
        name: impl Fn(&str) -> String,
        part: Option<Part>,
    ) -> Option<AnyView> {
        let texts = texts::insights();
        let missing = if part.is_some() { texts.none } else { texts.not_known };
        (!values.values.is_empty()).then(|| self.values(title, values, name, part, missing, None))
    }

    /// A plot of how often values occur, in the tones that they have, if any.
    fn values(
        &self,
        title: impl Into<String>,
        values: &Values,
        name: impl Fn(&str) -> String,
        part: Option<Part>,
        missing: &str,
        toned: Option<fn(&str) -> Tone>,
    ) -> AnyView {
        let (texts, common) = (texts::insights(), texts::common());
        let title = title.into();
        let (all, shown) = (&values.values, values.values.len().min(BARS_MAX));
        let mut bars: Vec<Bar> = all[..shown]
            .iter()
            .map(|it| Bar {
                label: name(&it.value),
                count: it.count,
                text: number(it.count),
                tone: toned.map(|tone| tone(&it.value)),
                act: part.map(|_| (texts.filter_by)(&it.value)).unwrap_or_default(),
            })
            .collect();
        let rest = all[shown..].iter().map(|it| it.count).sum::<u64>() + values.others;
        let mut push = |label: &str, count: u64| {
            if count > 0 {
                let (label, text) = (label.to_owned(), number(count));
                let tone = Some(Tone::Neutral);
                bars.push(Bar { label, count, text, tone, act: String::new() });
            }
        };
        push(common.others, rest);
        push(missing, values.missing);
        let mut rows: Vec<Vec<String>> =
            all.iter().map(|it| vec![name(&it.value), number(it.count)]).collect();
        for (label, count) in [(common.others, values.others), (missing, values.missing)] {
            if count > 0 {
                rows.push(vec![label.to_owned(), number(count)]);
            }
        }
        let heads = vec![title.clone(), common.submissions.to_owned()];
        let known: Vec<String> = all[..shown].iter().map(|it| it.value.clone()).collect();
        let (filter, on_filter) = (self.filter.clone(), self.on_filter);
        let press = Callback::new(move |at: usize| {
            let (Some(part), Some(value)) = (part, known.get(at)) else { return };
            let mut filter = filter.clone();
            part.set_text(&mut filter, value);
            on_filter.run(filter);
        });
        view! {
            <Plot title table=Grid { heads, rows }>
                <Bars bars=bars.clone() on_press=press />
            </Plot>
        }
        .into_any()
    }

    /// A plot over time: of all, or stacked of sentiments.
    fn times(&self, title: &str, times: &Times, labels: Option<&[String]>) -> AnyView {
        let texts = texts::insights();
        let column = |bucket: &Bucket| {
            let (label, total) = (stretch(times.unit, bucket), number(bucket.total));
            let Some(labels) = labels else {
                let text = format!("{label}: {total}");
                return Column { label, text, parts: vec![(None, bucket.total)] };
            };
            let counted = labels.iter().zip(&bucket.sentiments);
            let mut parts: Vec<_> =
                counted.clone().map(|(name, count)| (Some(tone(name)), *count)).collect();
            // Good news below, bad news above, whatever is most frequent.
            parts.sort_by_key(|(tone, _)| ORDER.iter().position(|it| Some(*it) == *tone));
            let said: Vec<String> = counted
                .filter(|(_, count)| **count > 0)
                .map(|(name, count)| format!("{} {}", sentiment::name(name), number(*count)))
                .collect();
            let said =
                if said.is_empty() { texts.no_sentiment.to_owned() } else { said.join(", ") };
            Column { text: format!("{label}: {said}"), label, parts }
        };
        let columns: Vec<Column> = times.buckets.iter().map(column).collect();
        let mut heads =
            vec![unit_word(times.unit).to_owned(), texts::common().submissions.to_owned()];
        heads.extend(labels.unwrap_or_default().iter().map(|label| sentiment::name(label)));
        let row = |bucket: &Bucket| {
            let mut row = vec![stretch(times.unit, bucket), number(bucket.total)];
            let counts = bucket.sentiments.iter().filter(|_| labels.is_some());
            row.extend(counts.map(|count| number(*count)));
            row
        };
        let rows = times.buckets.iter().map(row).collect();
        let days: Vec<_> = times
            .buckets
            .iter()
            .map(|bucket| (bucket.first_day.date(), bucket.last_day.date()))
            .collect();
        let (filter, on_filter) = (self.filter.clone(), self.on_filter);
        let press = Callback::new(move |at: usize| {
            let Some((first, last)) = days.get(at) else { return };
            let (date_from, date_to) = bounds(Some(*first), Some(*last), calendar::midnight);
            on_filter.run(Filter { date_from, date_to, ..filter.clone() });
        });
        let note = match times.earlier {
            0 => String::new(),
            earlier => (texts.earlier)(earlier),
        };
        let title = (texts.by_unit)(title, times.unit);
        view! {
            <Plot title note wide=true table=Grid { heads, rows }>
                <Columns columns=columns.clone() number on_press=press />
            </Plot>
        }
        .into_any()
    }
}

/// How sentiments are stacked, from below.
const ORDER: [Tone; 5] = [Tone::Positive, Tone::Mixed, Tone::Info, Tone::Neutral, Tone::Negative];

fn unit_word(unit: Unit) -> &'static str {
    let texts = texts::insights();
    match unit {
        Unit::Day => texts.day,
        Unit::Week => texts.week,
        Unit::Month => texts.month,
        Unit::Year => texts.year,
    }
}

fn stretch(unit: Unit, bucket: &Bucket) -> String {
    let (first, last) = (bucket.first_day.date(), bucket.last_day.date());
    match unit {
        Unit::Day => calendar::day_text(first).unwrap_or_default(),
        Unit::Week => {
            let text = |day| calendar::day_text(day).unwrap_or_default();
            format!("{} – {}", text(first), text(last))
        }
        Unit::Month => bucket.first_day.to_string()[..7].to_owned(),
        Unit::Year => bucket.first_day.to_string()[..4].to_owned(),
    }
}

fn is_word(value: &str) -> bool {
    value.chars().any(char::is_alphabetic) && !matches!(value, "true" | "false")
}

fn yes_or_no(value: &str) -> String {
    match value {
        "true" => texts::common().yes.to_owned(),
        "false" => texts::common().no.to_owned(),
        other => other.to_owned(),
    }
}

/// Numbers in their own order, as a scale reads; all else stays by frequency.
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

fn durations(summary: &Summary) -> Option<AnyView> {
    let texts = texts::insights();
    let any = summary.durations.iter().any(|it| it.count > 0);
    let bars: Vec<Bar> = summary
        .durations
        .iter()
        .map(|it| Bar {
            label: match it.to_s {
                Some(to_s) if it.from_s == 0 => (texts.under)(&span(to_s.into())),
                Some(to_s) => format!("{} – {}", span(it.from_s.into()), span(to_s.into())),
                None => (texts.and_more)(&span(it.from_s.into())),
            },
            count: it.count,
            text: number(it.count),
            ..Bar::default()
        })
        .collect();
    let rows = bars.iter().map(|bar| vec![bar.label.clone(), bar.text.clone()]).collect();
    let heads = vec![texts.completion_time.to_owned(), texts::common().submissions.to_owned()];
    any.then(|| {
        view! {
            <Plot title=texts.completion_time table=Grid { heads, rows }>
                <Bars bars=bars.clone() on_press=|_| () />
            </Plot>
        }
        .into_any()
    })
}
