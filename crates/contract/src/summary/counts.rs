//! Counts of submissions, added one by one or in groups.
//!
//! Only counts are stored, never submissions. Their size is bounded for any input.

use super::{
    BUCKETS_MAX, Bucket, DISTINCT_MAX, DONE_TIMES_MAX, DURATION_STARTS_S, Day, DurationRange,
    FIELDS_MAX, FieldValues, Summary, TIMED_SENTIMENTS_MAX, TimeUnit, Times, VALUE_BYTES_MAX,
    VALUES_MAX, ValueCount, Values,
};
use crate::submission::answer_text;
use crate::{Field, FieldId, FieldType, PersonId, Submission, Triage};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Indexes of the properties that every submission has. Fields follow from [`FIRST_FIELD`] on.
const SENTIMENT: usize = 0;
const CATEGORY: usize = 1;
const LANGUAGE: usize = 2;
const COUNTRY: usize = 3;
const DEVICE: usize = 4;
const BROWSER: usize = 5;
const STATUS: usize = 6;
const STARRED: usize = 7;
const TAG: usize = 8;
const ASSIGNEE: usize = 9;
const SOURCE: usize = 10;
const MEDIUM: usize = 11;
const CAMPAIGN: usize = 12;
const DURATION: usize = 13;
const FIRST_FIELD: usize = 14;

/// Fields of a form with counted answers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CountedFields(Vec<(FieldId, String)>);

impl CountedFields {
    /// Selects the rating, choice and boolean fields that are not hidden, at most [`FIELDS_MAX`].
    pub fn for_fields(fields: &[Field]) -> Self {
        let is_charted = |field: &&Field| {
            use FieldType::{Boolean, Choice, Choices, Rating};
            !field.hidden && matches!(field.kind, Rating | Choice | Choices | Boolean)
        };
        let charted = fields.iter().filter(is_charted).take(FIELDS_MAX);
        Self(charted.map(|field| (field.id.clone(), field.key.clone())).collect())
    }

    /// Selects one field, of any type.
    pub fn for_field(fields: &[Field], id: &FieldId) -> Self {
        let field = fields.iter().find(|field| field.id == *id);
        Self(field.map(|field| (field.id.clone(), field.key.clone())).into_iter().collect())
    }

    /// Returns whether the answers to a field are counted.
    pub fn contains(&self, id: &FieldId) -> bool {
        self.0.iter().any(|(counted, _)| counted == id)
    }
}

/// Calls `visit` with the index of each property and each distinct value of a submission.
///
/// The value is `None` if the submission has none. The sentiment comes first and has one value. The
/// first properties are those of [`LabelProperty`](crate::filter::LabelProperty), in its order.
pub fn for_each_value(
    submission: &Submission,
    triage: &Triage,
    charted: &CountedFields,
    visit: &mut dyn FnMut(usize, Option<&str>),
) {
    let metadata = &submission.metadata;
    let insight = submission.ai_insights.as_ref();
    let set = |value: &'_ Option<String>| value.clone().filter(|value| !value.is_empty());
    visit(SENTIMENT, insight.and_then(|insight| set(&insight.sentiment)).as_deref());
    let categories = insight.map_or(&[][..], |insight| &insight.categories);
    for_each_distinct(
        categories.iter().map(|category| Cow::Borrowed(category.as_str())),
        CATEGORY,
        visit,
    );
    visit(LANGUAGE, insight.and_then(|insight| set(&insight.language)).as_deref());
    visit(STATUS, Some(triage.status.as_str()));
    visit(STARRED, Some(if triage.starred { "true" } else { "false" }));
    for_each_distinct(triage.tags.iter().map(|tag| Cow::Borrowed(tag.as_str())), TAG, visit);
    visit(ASSIGNEE, triage.assignee.as_ref().map(PersonId::as_str));
    for (property, value) in [
        (COUNTRY, &metadata.ip_country),
        (DEVICE, &metadata.device),
        (BROWSER, &metadata.browser),
        (SOURCE, &metadata.utm_source),
        (MEDIUM, &metadata.utm_medium),
        (CAMPAIGN, &metadata.utm_campaign),
    ] {
        visit(property, value.as_deref().filter(|value| !value.is_empty()));
    }
    let bar = metadata.completion_time_seconds.map(|seconds| {
        let bar = DURATION_STARTS_S.partition_point(|start| u64::from(*start) <= seconds) - 1;
        // There are fewer than ten ranges, so one digit is enough.
        char::from_digit(u32::try_from(bar).unwrap_or_default(), 10).unwrap_or('0')
    });
    visit(DURATION, bar.map(|bar| bar.encode_utf8(&mut [0; 4]).to_owned()).as_deref());
    for (place, (_, key)) in charted.0.iter().enumerate() {
        let items = match submission.answers.0.get(key) {
            Some(serde_json::Value::Array(items)) => items.as_slice(),
            answer => answer.map_or(&[][..], std::slice::from_ref),
        };
        // Filters treat a blank answer as missing, too.
        let texts = items.iter().map(answer_text).filter(|text| !text.trim().is_empty());
        for_each_distinct(texts, FIRST_FIELD + place, visit);
    }
}

fn for_each_distinct<'a>(
    values: impl Iterator<Item = Cow<'a, str>>,
    property: usize,
    visit: &mut dyn FnMut(usize, Option<&str>),
) {
    let mut visited: Vec<Cow<'a, str>> = Vec::new();
    for value in values {
        if !value.is_empty() && !visited.contains(&value) {
            visit(property, Some(&value));
            visited.push(value);
        }
    }
    if visited.is_empty() {
        visit(property, None);
    }
}

/// Counts of submissions.
#[derive(Debug, Clone, Default)]
pub struct Counts {
    charted: CountedFields,
    total: u64,
    days: BTreeMap<Day, DayCounts>,
    properties: Vec<ValueTally>,
    /// Times to `done`, in seconds.
    done_times: Vec<u32>,
}

/// Counts of one day.
#[derive(Debug, Clone, Default)]
struct DayCounts {
    total: u64,
    sentiments: BTreeMap<String, u64>,
}

/// Counts of the values of one property.
#[derive(Debug, Clone, Default)]
struct ValueTally {
    values: BTreeMap<String, u64>,
    others: u64,
    missing: u64,
}

impl ValueTally {
    fn add(&mut self, value: Option<&str>, count: u64) {
        let Some(value) = value else {
            self.missing += count;
            return;
        };
        if let Some(known) = self.values.get_mut(value) {
            *known += count;
        } else if self.values.len() < DISTINCT_MAX && value.len() <= VALUE_BYTES_MAX {
            self.values.insert(value.to_owned(), count);
        } else {
            self.others += count;
        }
    }

    fn add_values(&mut self, values: &Values) {
        for ValueCount { value, count } in &values.values {
            self.add(Some(value), *count);
        }
        self.others += values.others;
        self.missing += values.missing;
    }

    fn values(&self) -> Values {
        let mut values: Vec<(&String, u64)> =
            self.values.iter().map(|(value, count)| (value, *count)).collect();
        // The sort is stable: values with equal counts stay in alphabetical order.
        values.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let further = values.iter().skip(VALUES_MAX).map(|(_, count)| count).sum::<u64>();
        let listed = values.into_iter().take(VALUES_MAX);
        let listed = listed.map(|(value, count)| ValueCount { value: value.clone(), count });
        Values { values: listed.collect(), others: self.others + further, missing: self.missing }
    }
}

impl Counts {
    /// Creates counts of zero submissions.
    pub fn new(charted: CountedFields) -> Self {
        let properties = vec![ValueTally::default(); FIRST_FIELD + charted.0.len()];
        Self { charted, total: 0, days: BTreeMap::new(), properties, done_times: Vec::new() }
    }

    /// Adds a submission received on a day.
    pub fn add(&mut self, submission: &Submission, triage: &Triage, day: Day) {
        let sentiment =
            submission.ai_insights.as_ref().and_then(|insight| insight.sentiment.as_deref());
        self.add_day(day, sentiment.filter(|label| !label.is_empty()), 1);
        let properties = &mut self.properties;
        let mut visit = |property: usize, value: Option<&str>| properties[property].add(value, 1);
        for_each_value(submission, triage, &self.charted, &mut visit);
    }

    /// Adds `count` submissions of a day with a sentiment. The caller adds their other values with
    /// [`Counts::add_value`].
    pub fn add_day(&mut self, day: Day, sentiment: Option<&str>, count: u64) {
        self.total += count;
        let of_day = self.days.entry(day).or_default();
        of_day.total += count;
        let Some(sentiment) = sentiment else { return };
        if let Some(known) = of_day.sentiments.get_mut(sentiment) {
            *known += count;
        } else {
            of_day.sentiments.insert(sentiment.to_owned(), count);
        }
    }

    /// Adds `count` submissions with a value of a property, by its index in [`for_each_value`].
    pub fn add_value(&mut self, property: usize, value: Option<&str>, count: u64) {
        if let Some(tally) = self.properties.get_mut(property) {
            tally.add(value, count);
        }
    }

    /// Adds the time from a submission to its last change to `done`, in seconds.
    pub fn add_done_time(&mut self, seconds: u32) {
        if self.done_times.len() < DONE_TIMES_MAX {
            self.done_times.push(seconds);
        }
    }

    /// Adds the summary of another form: its total, the values of each property and the completion
    /// times. Times, the median time to `done` and fields stay as they were.
    ///
    /// A summary lists at most [`VALUES_MAX`] values of a property, so a value that it does not
    /// list counts as other, even if another summary lists it.
    pub fn add_summary(&mut self, summary: &Summary) {
        self.total += summary.total;
        for (property, values) in [
            (SENTIMENT, &summary.sentiments),
            (CATEGORY, &summary.categories),
            (LANGUAGE, &summary.languages),
            (COUNTRY, &summary.countries),
            (DEVICE, &summary.devices),
            (BROWSER, &summary.browsers),
            (STATUS, &summary.statuses),
            (STARRED, &summary.starred),
            (TAG, &summary.tags),
            (ASSIGNEE, &summary.assignees),
            (SOURCE, &summary.utm_sources),
            (MEDIUM, &summary.utm_mediums),
            (CAMPAIGN, &summary.utm_campaigns),
        ] {
            self.properties[property].add_values(values);
        }
        for (bar, range) in summary.durations.iter().enumerate() {
            self.properties[DURATION].add(Some(&bar.to_string()), range.count);
        }
    }

    /// Returns the median of the times to `done`; the lower of two.
    fn median_done_time(&self) -> Option<u32> {
        let mut times = self.done_times.clone();
        let middle = times.len().checked_sub(1)? / 2;
        Some(*times.select_nth_unstable(middle).1)
    }

    /// Returns the number of added submissions.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Returns the summary. `first` and `last` are the days of the filter, if it sets them.
    pub fn summary(&self, first: Option<Day>, last: Option<Day>) -> Summary {
        let of = |property: usize| self.properties[property].values();
        let sentiments = of(SENTIMENT);
        let fields = self.charted.0.iter().zip(&self.properties[FIRST_FIELD..]);
        let fields =
            fields.map(|((id, _), tally)| FieldValues { id: id.clone(), answers: tally.values() });
        Summary {
            total: self.total,
            times: self.times(first, last, &sentiments),
            sentiments,
            categories: of(CATEGORY),
            languages: of(LANGUAGE),
            countries: of(COUNTRY),
            devices: of(DEVICE),
            browsers: of(BROWSER),
            statuses: of(STATUS),
            starred: of(STARRED),
            tags: of(TAG),
            assignees: of(ASSIGNEE),
            median_seconds_to_done: self.median_done_time(),
            utm_sources: of(SOURCE),
            utm_mediums: of(MEDIUM),
            utm_campaigns: of(CAMPAIGN),
            durations: self.durations(),
            fields: fields.collect(),
        }
    }

    fn durations(&self) -> Vec<DurationRange> {
        let counts = &self.properties[DURATION].values;
        let bar = |(place, from_s): (usize, &u32)| DurationRange {
            from_s: *from_s,
            to_s: DURATION_STARTS_S.get(place + 1).copied(),
            count: counts.get(&place.to_string()).copied().unwrap_or_default(),
        };
        DURATION_STARTS_S.iter().enumerate().map(bar).collect()
    }

    fn times(&self, first: Option<Day>, last: Option<Day>, sentiments: &Values) -> Times {
        let known = (self.days.keys().next(), self.days.keys().next_back());
        let (first, last) =
            (first.or(known.0.copied()).or(last), last.or(known.1.copied()).or(first));
        let (Some(first), Some(last)) = (first, last) else { return Times::default() };
        // The days of a filter may have no submissions; the range must include every counted day.
        let first = known.0.map_or(first, |known| first.min(*known));
        let last = known.1.map_or(last, |known| last.max(*known)).max(first);
        let unit = TimeUnit::for_range(first, last);
        let starts = bucket_starts(unit, first, last);
        let mut times = Times { unit, earlier: 0, buckets: Vec::with_capacity(starts.len()) };
        let shown = starts.first().copied().unwrap_or(first);
        times.earlier = self.days.range(..shown).map(|(_, of_day)| of_day.total).sum();
        let labels: Vec<&str> =
            sentiments.values.iter().map(|sentiment| sentiment.value.as_str()).collect();
        let labels = &labels[..labels.len().min(TIMED_SENTIMENTS_MAX)];
        for start in starts {
            let next = unit.next_period_start(start);
            let mut bucket = Bucket {
                first_day: start,
                last_day: Day(next.0 - 1),
                total: 0,
                sentiments: vec![0; labels.len()],
            };
            for of_day in self.days.range(start..next).map(|(_, of_day)| of_day) {
                bucket.total += of_day.total;
                for (sum, label) in bucket.sentiments.iter_mut().zip(labels) {
                    *sum += of_day.sentiments.get(*label).copied().unwrap_or_default();
                }
            }
            times.buckets.push(bucket);
        }
        times
    }
}

/// Returns the first days of the newest periods of a range, oldest first.
fn bucket_starts(unit: TimeUnit, first: Day, last: Day) -> Vec<Day> {
    let mut starts = Vec::new();
    let mut start = unit.period_start(last);
    while starts.len() < BUCKETS_MAX {
        starts.push(start);
        if start <= first {
            break;
        }
        start = unit.period_start(Day(start.0 - 1));
    }
    starts.reverse();
    starts
}

#[cfg(test)]
#[path = "counts_tests.rs"]
mod tests;
