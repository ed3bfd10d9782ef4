//! Chart data: converts summaries into bars, columns and tables, with labels, and the filter that a
//! click on a bar or column sets.

use contract::Filter;
use contract::summary::{self, Bucket, Day, Times, Unit, Values};

use crate::{
    components::{
        calendar,
        sentiment::{self, tone},
    },
    domain::{
        filter::{Part, within},
        time::{bounds, span},
    },
    i18n::{self, number},
    ui::{
        badge::Tone,
        chart::{Grid, bars::Bar, columns::Column},
        time::month_text,
    },
};

/// Maximum number of bars of one property. The table lists every value.
const BARS_MAX: usize = 8;
/// Order of the sentiments in a stack, from the bottom.
const ORDER: [Tone; 5] = [Tone::Positive, Tone::Mixed, Tone::Info, Tone::Neutral, Tone::Negative];

/// Data of one chart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drawing {
    /// Identity of the chart, independent of its figures.
    pub key: String,
    /// Title.
    pub title: String,
    /// Note needed to understand the chart; may be empty.
    pub note: String,
    /// The same data as a table.
    pub table: Grid,
    /// Bars or columns.
    pub shape: Shape,
    /// Filter of each bar or column, in their order.
    leads: Vec<Lead>,
}

/// Kind of chart and its data. A key always has the same kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shape {
    /// Horizontal bars.
    Bars(Vec<Bar>),
    /// Vertical columns, and the legend of their fills if there are several.
    Columns(Vec<Column>, Vec<(Tone, String)>),
}

/// Filter that a click sets.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Lead {
    Nowhere,
    To(Part, String),
    Within(Day, Day),
}

impl Drawing {
    /// Returns `filter` narrowed to the bar or column at `at`; `None` if it has no filter.
    pub fn narrowed(&self, at: usize, filter: &Filter) -> Option<Filter> {
        match self.leads.get(at)? {
            Lead::Nowhere => None,
            Lead::To(part, value) => {
                let mut filter = filter.clone();
                part.set_text(&mut filter, value);
                Some(filter)
            }
            Lead::Within(first, last) => {
                let days = (Some(first.date()), Some(last.date()));
                within(filter, bounds(days.0, days.1, calendar::midnight))
            }
        }
    }
}

/// How the values of a property are labelled, coloured and filtered.
pub struct Listed<'a> {
    /// Identity of the chart.
    pub key: &'a str,
    /// Title of the chart.
    pub title: &'a str,
    /// Returns the label of a value.
    pub name: fn(&str) -> String,
    /// Part of the filter that a value corresponds to, if any.
    pub part: Option<Part>,
    /// Label for submissions without a value.
    pub missing: &'a str,
    /// Returns the tone of a value, if values have tones.
    pub tone: Option<fn(&str) -> Tone>,
}

/// Returns the chart of how often values occur.
pub fn values(values: &Values, listed: &Listed<'_>) -> Drawing {
    let (texts, common) = (i18n::insights(), i18n::common());
    let Listed { key, title, name, part, missing, tone } = *listed;
    let (all, shown) = (&values.values, values.values.len().min(BARS_MAX));
    let bar = |it: &summary::Value| Bar {
        key: format!("={}", it.value),
        label: name(&it.value),
        count: it.count,
        text: number(it.count),
        tone: tone.map(|tone| tone(&it.value)),
        act: part.map(|_| (texts.filter_by)(&it.value)).unwrap_or_default(),
    };
    let mut bars: Vec<Bar> = all[..shown].iter().map(bar).collect();
    let lead =
        |it: &summary::Value| part.map_or(Lead::Nowhere, |part| Lead::To(part, it.value.clone()));
    let leads = all[..shown].iter().map(lead).collect();
    let mut rows: Vec<Vec<String>> =
        all.iter().map(|it| vec![name(&it.value), number(it.count)]).collect();
    // Values without a bar are added to the bar of the values that the summary omits.
    let rest = all[shown..].iter().map(|it| it.count).sum::<u64>();
    for (key, label, drawn, listed) in [
        ("others", common.others, rest + values.others, values.others),
        ("missing", missing, values.missing, values.missing),
    ] {
        if drawn > 0 {
            let (key, label, text) = (key.to_owned(), label.to_owned(), number(drawn));
            let tone = Some(Tone::Neutral);
            bars.push(Bar { key, label, count: drawn, text, tone, act: String::new() });
        }
        if listed > 0 {
            rows.push(vec![label.to_owned(), number(listed)]);
        }
    }
    let heads = vec![title.to_owned(), common.submissions.to_owned()];
    Drawing {
        key: key.to_owned(),
        title: title.to_owned(),
        note: String::new(),
        table: Grid { heads, rows },
        shape: Shape::Bars(bars),
        leads,
    }
}

/// Returns the chart of submissions over time: totals, or stacked by the sentiments with these
/// labels.
pub fn times(key: &str, title: &str, times: &Times, labels: Option<&[String]>) -> Drawing {
    let texts = i18n::insights();
    let mut heads = vec![unit_word(times.unit).to_owned(), i18n::common().submissions.to_owned()];
    heads.extend(labels.unwrap_or_default().iter().map(|label| sentiment::name(label)));
    let row = |bucket: &Bucket| {
        let mut row = vec![stretch(times.unit, bucket), number(bucket.total)];
        let counts = bucket.sentiments.iter().filter(|_| labels.is_some());
        row.extend(counts.map(|count| number(*count)));
        row
    };
    let buckets = &times.buckets;
    Drawing {
        key: key.to_owned(),
        title: (texts.by_unit)(title, times.unit),
        note: match times.earlier {
            0 => String::new(),
            earlier => (texts.earlier)(earlier),
        },
        table: Grid { heads, rows: buckets.iter().map(row).collect() },
        shape: Shape::Columns(
            buckets.iter().map(|it| column(times.unit, it, labels)).collect(),
            fills(labels.unwrap_or_default()),
        ),
        leads: buckets.iter().map(|it| Lead::Within(it.first_day, it.last_day)).collect(),
    }
}

fn column(unit: Unit, bucket: &Bucket, labels: Option<&[String]>) -> Column {
    let (label, total) = (stretch(unit, bucket), number(bucket.total));
    let key = format!("{} {}", bucket.first_day, bucket.last_day);
    let Some(labels) = labels else {
        let text = format!("{label}: {total}");
        return Column { key, label, text, parts: vec![(None, bucket.total)] };
    };
    let counted = labels.iter().zip(&bucket.sentiments);
    let mut parts: Vec<_> =
        counted.clone().map(|(name, count)| (Some(tone(name)), *count)).collect();
    // A fixed order instead of by frequency: positive at the bottom, negative at the top.
    parts.sort_by_key(|(tone, _)| ORDER.iter().position(|it| Some(*it) == *tone));
    let said: Vec<String> = counted
        .filter(|(_, count)| **count > 0)
        .map(|(name, count)| format!("{} {}", sentiment::name(name), number(*count)))
        .collect();
    let said =
        if said.is_empty() { i18n::insights().no_sentiment.to_owned() } else { said.join(", ") };
    Column { key, text: format!("{label}: {said}"), label, parts }
}

/// Returns the legend of the fills, in the order of the stack. Unknown labels share a fill.
fn fills(labels: &[String]) -> Vec<(Tone, String)> {
    let named = |wanted: Tone| {
        let of_tone = labels.iter().filter(|label| tone(label) == wanted);
        let names: Vec<String> = of_tone.map(|label| sentiment::name(label)).collect();
        (!names.is_empty()).then(|| (wanted, names.join(", ")))
    };
    ORDER.into_iter().filter_map(named).collect()
}

/// Returns the chart of completion times; `None` if no submission has one.
pub fn durations(durations: &[summary::Duration]) -> Option<Drawing> {
    let texts = i18n::insights();
    let bar = |it: &summary::Duration| Bar {
        key: it.from_s.to_string(),
        label: match it.to_s {
            Some(to_s) if it.from_s == 0 => (texts.under)(&span(to_s.into())),
            Some(to_s) => format!("{} – {}", span(it.from_s.into()), span(to_s.into())),
            None => (texts.and_more)(&span(it.from_s.into())),
        },
        count: it.count,
        text: number(it.count),
        ..Bar::default()
    };
    let bars: Vec<Bar> = durations.iter().map(bar).collect();
    let rows = bars.iter().map(|bar| vec![bar.label.clone(), bar.text.clone()]).collect();
    let heads = vec![texts.completion_time.to_owned(), i18n::common().submissions.to_owned()];
    durations.iter().any(|it| it.count > 0).then(|| Drawing {
        key: "durations".to_owned(),
        title: texts.completion_time.to_owned(),
        note: String::new(),
        table: Grid { heads, rows },
        shape: Shape::Bars(bars),
        leads: Vec::new(),
    })
}

fn unit_word(unit: Unit) -> &'static str {
    let texts = i18n::insights();
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
        Unit::Month => calendar::midnight(first)
            .map(|begins| month_text(calendar::millis_of(begins), true))
            .unwrap_or_default(),
        Unit::Year => calendar::year_text(first).unwrap_or_default(),
    }
}
