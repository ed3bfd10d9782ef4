//! How values and stretches of time are drawn, in which words, and what a press on one of them
//! filters by. It draws nothing itself.

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

/// So many values are drawn of one property; the table has all that are known.
const BARS_MAX: usize = 8;
/// How sentiments are stacked, from below.
const ORDER: [Tone; 5] = [Tone::Positive, Tone::Mixed, Tone::Info, Tone::Neutral, Tone::Negative];

/// What a plot shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drawing {
    /// What tells it from the others, whatever its figures are.
    pub key: String,
    /// What is plotted.
    pub title: String,
    /// What must be known to read it; empty for nothing.
    pub note: String,
    /// The same as a table.
    pub table: Grid,
    /// The plot.
    pub shape: Shape,
    /// Where each bar or column leads, in their order.
    leads: Vec<Lead>,
}

/// What it is drawn as. It stays the same for as long as the key does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shape {
    /// Bars that lie.
    Bars(Vec<Bar>),
    /// Columns that stand, and what their fills mean where there are several.
    Columns(Vec<Column>, Vec<(Tone, String)>),
}

/// Where a press leads.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Lead {
    Nowhere,
    To(Part, String),
    Within(Day, Day),
}

impl Drawing {
    /// Returns the filter that a press narrows another one to; `None` where it leads nowhere.
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

/// How the values of a property are named, toned and led to.
pub struct Listed<'a> {
    /// What tells the plot from the others.
    pub key: &'a str,
    /// What it is called.
    pub title: &'a str,
    /// What a value is called.
    pub name: fn(&str) -> String,
    /// What of a filter a value is, if anything.
    pub part: Option<Part>,
    /// What stands for no value.
    pub missing: &'a str,
    /// The tone of a value, where values have tones.
    pub tone: Option<fn(&str) -> Tone>,
}

/// Draws how often values occur.
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

/// Draws what came when: all, or stacked of the sentiments that have these labels.
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
    // Good news below, bad news above, whatever is most frequent.
    parts.sort_by_key(|(tone, _)| ORDER.iter().position(|it| Some(*it) == *tone));
    let said: Vec<String> = counted
        .filter(|(_, count)| **count > 0)
        .map(|(name, count)| format!("{} {}", sentiment::name(name), number(*count)))
        .collect();
    let said =
        if said.is_empty() { i18n::insights().no_sentiment.to_owned() } else { said.join(", ") };
    Column { key, text: format!("{label}: {said}"), label, parts }
}

/// What each fill means, in the order of the stack. Labels that we do not know share one.
fn fills(labels: &[String]) -> Vec<(Tone, String)> {
    let named = |wanted: Tone| {
        let of_tone = labels.iter().filter(|label| tone(label) == wanted);
        let names: Vec<String> = of_tone.map(|label| sentiment::name(label)).collect();
        (!names.is_empty()).then(|| (wanted, names.join(", ")))
    };
    ORDER.into_iter().filter_map(named).collect()
}

/// Draws how long people took, where that is known of any.
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
