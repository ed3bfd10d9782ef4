//! Chart data: converts summaries into bars, columns and tables, with labels, and the filter that a
//! click on a bar or column sets.

use contract::filter::{FieldCriterion, FieldOperator, Number, NumberRange};
use contract::summary::{self, Bucket, Day, TimeUnit, Times, Values};
use contract::{Field, Filter};

use crate::{
    components::{
        calendar,
        filter_bar::part_name,
        sentiment::{self, sentiment_tone},
    },
    domain::{
        filter::{FilterPart, intersect_dates, is_supported, set_criterion},
        time::{format_duration, instant_bounds},
    },
    i18n::{self, number},
    ui::{
        badge::StatusTone,
        chart::{ChartTable, bars::Bar, columns::ChartColumn},
        time::month_text,
    },
};

/// Maximum number of bars of one property. The table lists every value.
const BARS_MAX: usize = 8;
/// Order of the sentiments in a stack, from the bottom.
const STACK_ORDER: [StatusTone; 5] = [
    StatusTone::Positive,
    StatusTone::Mixed,
    StatusTone::Info,
    StatusTone::Neutral,
    StatusTone::Negative,
];

/// Data of one chart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChartData {
    /// Identity of the chart, independent of its figures.
    pub key: String,
    /// Title.
    pub title: String,
    /// Note needed to understand the chart; may be empty.
    pub note: String,
    /// The same data as a table.
    pub table: ChartTable,
    /// Bars or columns.
    pub shape: Shape,
    /// Filter of each bar or column, in their order.
    click_filters: Vec<ClickFilter>,
}

/// Kind of chart and its data. A key always has the same kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shape {
    /// Horizontal bars.
    Bars(Vec<Bar>),
    /// Vertical columns, and the legend of their fills if there are several.
    Columns(Vec<ChartColumn>, Vec<(StatusTone, String)>),
}

/// Filter that a click sets.
#[derive(Debug, Clone, PartialEq, Eq)]
enum ClickFilter {
    Unfiltered,
    /// Value of a part; `None` for submissions without one.
    PartValue(FilterPart, Option<String>),
    /// Criteria for the answers to a field.
    Criteria(Vec<FieldCriterion>),
    /// Whole seconds of the completion time.
    Seconds(NumberRange),
    DayRange(Day, Day),
}

impl ChartData {
    /// Returns the chart of ranges of the answers to a field, with all bars, and the criteria that
    /// a click on each sets.
    pub fn of_ranges(key: String, title: &str, ranges: Vec<(Bar, Vec<FieldCriterion>)>) -> Self {
        let ranges = ranges.into_iter();
        let (bars, filters) = ranges.map(|(bar, it)| (bar, ClickFilter::Criteria(it))).unzip();
        Self::of_bars(key, title, bars, filters)
    }

    fn of_bars(key: String, title: &str, bars: Vec<Bar>, click_filters: Vec<ClickFilter>) -> Self {
        let rows = bars.iter().map(|bar| vec![bar.label.clone(), bar.text.clone()]).collect();
        let heads = vec![title.to_owned(), i18n::common().submissions.to_owned()];
        Self {
            key,
            title: title.to_owned(),
            note: String::new(),
            table: ChartTable { heads, rows },
            shape: Shape::Bars(bars),
            click_filters,
        }
    }

    /// Returns `filter` narrowed to the bar or column at `at`; `None` if it has no filter.
    pub fn narrow_filter(&self, at: usize, filter: &Filter) -> Option<Filter> {
        match self.click_filters.get(at)? {
            ClickFilter::Unfiltered => None,
            ClickFilter::PartValue(part, value) => {
                let mut filter = filter.clone();
                part.set_value(&mut filter, value.as_deref());
                Some(filter)
            }
            ClickFilter::Criteria(criteria) => criteria
                .iter()
                .try_fold(filter.clone(), |filter, it| set_criterion(&filter, None, it.clone())),
            ClickFilter::Seconds(seconds) => {
                let seconds = filter.seconds.intersect(*seconds);
                Some(Filter { seconds, ..filter.clone() })
            }
            ClickFilter::DayRange(first, last) => {
                let days = (Some(first.to_date()), Some(last.to_date()));
                intersect_dates(filter, instant_bounds(days.0, days.1, calendar::start_of_day))
            }
        }
    }
}

/// Filter that a click on a value sets.
#[derive(Clone, Copy)]
pub enum ClickTarget<'a> {
    /// Nothing.
    None,
    /// A part of the filter.
    Part(FilterPart),
    /// The answers to a field, compared by this operator if the field's type supports it.
    Field(&'a Field, FieldOperator),
}

impl ClickTarget<'_> {
    /// Returns the filter of a value; of submissions without a value for `None`.
    fn click_filter(self, value: Option<&str>) -> ClickFilter {
        match (self, value) {
            // Only labels have a filter for submissions without a value.
            (Self::Part(part), None) if !part.is_property() => ClickFilter::Unfiltered,
            (Self::Part(part), value) => ClickFilter::PartValue(part, value.map(str::to_owned)),
            (Self::Field(field, operator), value) => {
                let operator = if value.is_some() { operator } else { FieldOperator::Empty };
                FieldCriterion::new(field.id.clone(), operator, value.unwrap_or_default())
                    .ok()
                    .filter(|criterion| is_supported(criterion, field))
                    .map_or(ClickFilter::Unfiltered, |it| ClickFilter::Criteria(vec![it]))
            }
            (Self::None, _) => ClickFilter::Unfiltered,
        }
    }

    /// Returns the description of a click that filters by a value; empty if it does not filter.
    fn click_text(self, filter: &ClickFilter, title: &str, label: &str) -> String {
        match (self, filter) {
            (_, ClickFilter::Unfiltered) | (Self::None, _) => String::new(),
            (Self::Part(part), _) => filter_text(part, label),
            (Self::Field(..), _) => (i18n::filter_bar().filter_by)(title, label),
        }
    }
}

/// How the values of a property are labelled, coloured and filtered.
pub struct PropertyChart<'a> {
    /// Identity of the chart.
    pub key: &'a str,
    /// Title of the chart.
    pub title: &'a str,
    /// Returns the label of a value.
    pub name: fn(&str) -> String,
    /// Filter that a click on a value sets.
    pub target: ClickTarget<'a>,
    /// Label for submissions without a value.
    pub missing: &'a str,
    /// Returns the tone of a value, if values have tones.
    pub tone: Option<fn(&str) -> StatusTone>,
}

/// Returns the chart of how often values occur.
pub fn value_chart(values: &Values, listed: &PropertyChart<'_>) -> ChartData {
    let common = i18n::common();
    let PropertyChart { key, title, name, target, missing, tone } = *listed;
    let all = &values.values;
    let shown = values.values.len().min(BARS_MAX);
    let filters = all[..shown].iter().map(|it| target.click_filter(Some(&it.value)));
    let mut click_filters: Vec<ClickFilter> = filters.collect();
    let bar = |(it, filter): (&summary::ValueCount, &ClickFilter)| Bar {
        key: format!("={}", it.value),
        label: name(&it.value),
        count: it.count,
        text: number(it.count),
        tone: tone.map(|_tone| sentiment_tone(&it.value)),
        act: target.click_text(filter, title, &name(&it.value)),
    };
    let mut bars: Vec<Bar> = all.iter().zip(&click_filters).map(bar).collect();
    let mut rows: Vec<Vec<String>> =
        all.iter().map(|it| vec![name(&it.value), number(it.count)]).collect();
    // Values without a bar are added to the bar of the values that the summary omits.
    let rest = all[shown..].iter().map(|it| it.count).sum::<u64>();
    for (key, label, drawn, listed, filter) in [
        ("others", common.others, rest + values.others, values.others, ClickFilter::Unfiltered),
        ("missing", missing, values.missing, values.missing, target.click_filter(None)),
    ] {
        if drawn > 0 {
            let key = key.to_owned();
            let act = target.click_text(&filter, title, label);
            let label = label.to_owned();
            let text = number(drawn);
            let tone = Some(StatusTone::Neutral);
            bars.push(Bar { key, label, count: drawn, text, tone, act });
            click_filters.push(filter);
        }
        if listed > 0 {
            rows.push(vec![label.to_owned(), number(listed)]);
        }
    }
    let heads = vec![title.to_owned(), common.submissions.to_owned()];
    ChartData {
        key: key.to_owned(),
        title: title.to_owned(),
        note: String::new(),
        table: ChartTable { heads, rows },
        shape: Shape::Bars(bars),
        click_filters,
    }
}

/// Returns the description of a click that filters by a value of a part.
fn filter_text(part: FilterPart, value: &str) -> String {
    match part {
        // The search finds the value of one field in any field.
        FilterPart::Search => (i18n::insights().filter_by)(value),
        _ => (i18n::filter_bar().filter_by)(part_name(part), value),
    }
}

/// Returns the chart of submissions over time: totals, or stacked by the sentiments with these
/// labels.
pub fn time_chart(key: &str, title: &str, times: &Times, labels: Option<&[String]>) -> ChartData {
    let texts = i18n::insights();
    let mut heads = vec![unit_name(times.unit).to_owned(), i18n::common().submissions.to_owned()];
    heads.extend(labels.unwrap_or_default().iter().map(|label| sentiment::sentiment_name(label)));
    let row = |bucket: &Bucket| {
        let mut row = vec![bucket_label(times.unit, bucket), number(bucket.total)];
        let counts = bucket.sentiments.iter().filter(|_| labels.is_some());
        row.extend(counts.map(|count| number(*count)));
        row
    };
    let buckets = &times.buckets;
    ChartData {
        key: key.to_owned(),
        title: (texts.by_unit)(title, times.unit),
        note: match times.earlier {
            0 => String::new(),
            earlier => (texts.earlier)(earlier),
        },
        table: ChartTable { heads, rows: buckets.iter().map(row).collect() },
        shape: Shape::Columns(
            buckets.iter().map(|it| time_column(times.unit, it, labels)).collect(),
            fill_legend(labels.unwrap_or_default()),
        ),
        click_filters: buckets
            .iter()
            .map(|it| ClickFilter::DayRange(it.first_day, it.last_day))
            .collect(),
    }
}

fn time_column(unit: TimeUnit, bucket: &Bucket, labels: Option<&[String]>) -> ChartColumn {
    let label = bucket_label(unit, bucket);
    let total = number(bucket.total);
    let key = format!("{} {}", bucket.first_day, bucket.last_day);
    let Some(labels) = labels else {
        let text = format!("{label}: {total}");
        return ChartColumn { key, label, text, parts: vec![(None, bucket.total)] };
    };
    let counted = labels.iter().zip(&bucket.sentiments);
    let mut parts: Vec<_> =
        counted.clone().map(|(name, count)| (Some(sentiment_tone(name)), *count)).collect();
    // A fixed order instead of by frequency: positive at the bottom, negative at the top.
    parts.sort_by_key(|(tone, _)| STACK_ORDER.iter().position(|it| Some(*it) == *tone));
    let counts_text: Vec<String> = counted
        .filter(|(_, count)| **count > 0)
        .map(|(name, count)| format!("{} {}", sentiment::sentiment_name(name), number(*count)))
        .collect();
    let value = if counts_text.is_empty() {
        i18n::insights().no_sentiment.to_owned()
    } else {
        counts_text.join(", ")
    };
    ChartColumn { key, text: format!("{label}: {value}"), label, parts }
}

/// Returns the legend of the fills, in the order of the stack. Unknown labels share a fill.
fn fill_legend(labels: &[String]) -> Vec<(StatusTone, String)> {
    let named = |wanted: StatusTone| {
        let of_tone = labels.iter().filter(|label| sentiment_tone(label) == wanted);
        let names: Vec<String> = of_tone.map(|label| sentiment::sentiment_name(label)).collect();
        (!names.is_empty()).then(|| (wanted, names.join(", ")))
    };
    STACK_ORDER.into_iter().filter_map(named).collect()
}

/// Returns the chart of completion times; `None` if no submission has one. A click filters by a
/// range if the server `has_filter`.
pub fn duration_chart(durations: &[summary::DurationRange], has_filter: bool) -> Option<ChartData> {
    let texts = i18n::insights();
    let bar = |range: &summary::DurationRange| {
        let label = match range.to_s {
            Some(to_s) if range.from_s == 0 => (texts.under)(&format_duration(to_s.into())),
            Some(to_s) => {
                format!(
                    "{} – {}",
                    format_duration(range.from_s.into()),
                    format_duration(to_s.into())
                )
            }
            None => (texts.and_more)(&format_duration(range.from_s.into())),
        };
        let act = if has_filter { filter_text(FilterPart::Seconds, &label) } else { String::new() };
        let key = range.from_s.to_string();
        Bar { key, label, count: range.count, text: number(range.count), tone: None, act }
    };
    let bars: Vec<Bar> = durations.iter().map(bar).collect();
    let filters = durations.iter().map(|it| duration_filter(it, has_filter)).collect();
    let chart = ChartData::of_bars("durations".to_owned(), texts.completion_time, bars, filters);
    durations.iter().any(|duration| duration.count > 0).then_some(chart)
}

/// Returns the filter by a range of completion times.
fn duration_filter(range: &summary::DurationRange, has_filter: bool) -> ClickFilter {
    if !has_filter {
        return ClickFilter::Unfiltered;
    }
    let number = |seconds: u32| Number::parse(&seconds.to_string());
    // Completion times are whole seconds, and the filter includes its bounds.
    let max = range.to_s.and_then(|to_s| number(to_s.saturating_sub(1)));
    let min = if range.from_s > 0 || max.is_none() { number(range.from_s) } else { None };
    ClickFilter::Seconds(NumberRange { min, max })
}

fn unit_name(unit: TimeUnit) -> &'static str {
    let texts = i18n::insights();
    match unit {
        TimeUnit::Day => texts.day,
        TimeUnit::Week => texts.week,
        TimeUnit::Month => texts.month,
        TimeUnit::Year => texts.year,
    }
}

fn bucket_label(unit: TimeUnit, bucket: &Bucket) -> String {
    let first = bucket.first_day.to_date();
    let last = bucket.last_day.to_date();
    match unit {
        TimeUnit::Day => calendar::day_text(first).unwrap_or_default(),
        TimeUnit::Week => {
            let text = |day| calendar::day_text(day).unwrap_or_default();
            format!("{} – {}", text(first), text(last))
        }
        TimeUnit::Month => calendar::start_of_day(first)
            .map(|start| month_text(calendar::millis_of(start), true))
            .unwrap_or_default(),
        TimeUnit::Year => calendar::year_text(first).unwrap_or_default(),
    }
}
