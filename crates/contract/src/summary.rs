//! Summary of many submissions: counts over time and counts of values (not in the specification).
//!
//! [`Counts`] computes every summary. The server uses it, and so does the browser if the server has
//! no summaries, so that their figures agree. The filter decides which submissions are counted.

mod counts;
mod day;
mod distributions;
mod query;

pub use counts::{CountedFields, Counts, for_each_value};
pub use day::{Day, TimeUnit};
pub use distributions::{
    DISTRIBUTED_MAX, Distributions, FieldWords, NumberDistribution, NumberRangeCount, RANGES_MAX,
    WORDS_MAX,
};
pub use query::SummaryQuery;

use crate::FieldId;
use serde::{Deserialize, Serialize};

/// Maximum number of listed values per property. The rest is in [`Values::others`].
pub const VALUES_MAX: usize = 50;
/// Maximum number of listed time buckets. Earlier submissions are in [`Times::earlier`].
pub const BUCKETS_MAX: usize = 400;
/// Maximum number of sentiment labels counted per time bucket.
pub const TIMED_SENTIMENTS_MAX: usize = 8;
/// Maximum number of fields with counted answers.
pub const FIELDS_MAX: usize = 24;
/// Maximum number of distinct values per property. Further values, in the order of the submissions
/// that are read, count as others.
pub const DISTINCT_MAX: usize = 65_536;
/// Maximum length of a counted value, in bytes. Longer ones count as others, so that the counts of
/// long answers need little memory.
pub const VALUE_BYTES_MAX: usize = 800;
/// Maximum number of times to `done` for their median. Further ones are ignored.
pub const DONE_TIMES_MAX: usize = 4_000_000;
/// Lower bounds of the completion time ranges, in seconds. Each range ends at the next bound.
pub const DURATION_STARTS_S: [u32; 9] = [0, 10, 30, 60, 120, 300, 600, 1800, 3600];

/// Summary of the submissions of a form that match a filter.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct Summary {
    /// Number of matching submissions.
    pub total: u64,
    /// Counts over time.
    pub times: Times,
    /// Sentiment labels. Submissions without one are not analysed.
    pub sentiments: Values,
    /// Categories. A submission can have several.
    pub categories: Values,
    /// Language codes.
    pub languages: Values,
    /// Two-letter country codes.
    pub countries: Values,
    /// Device classes.
    pub devices: Values,
    /// Browser names.
    pub browsers: Values,
    /// Statuses. Each submission has one.
    #[serde(default)]
    pub statuses: Values,
    /// Stars: `true` or `false`.
    #[serde(default)]
    pub starred: Values,
    /// Tags. A submission can have several.
    #[serde(default)]
    pub tags: Values,
    /// Identifiers of the assigned members.
    #[serde(default)]
    pub assignees: Values,
    /// Median time from submission to the last change to `done`, in seconds, of those that are
    /// done; the lower of two. `null` if there are none with a known time.
    #[serde(default)]
    pub median_seconds_to_done: Option<u32>,
    /// UTM sources.
    pub utm_sources: Values,
    /// UTM mediums.
    pub utm_mediums: Values,
    /// UTM campaigns.
    pub utm_campaigns: Values,
    /// Completion times, shortest range first. Empty ranges are included.
    pub durations: Vec<DurationRange>,
    /// Answers to the first rating, choice and boolean fields, in the form's order, or to the field
    /// of the query.
    pub fields: Vec<FieldValues>,
}

/// Counts over time, in days of a time zone.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct Times {
    /// Length of a bucket: the finest unit that keeps the range readable.
    pub unit: TimeUnit,
    /// Number of submissions before the first bucket.
    pub earlier: u64,
    /// Buckets, oldest first, including empty ones.
    pub buckets: Vec<Bucket>,
}

/// Counts of one period.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct Bucket {
    /// First day of the period.
    pub first_day: Day,
    /// Last day of the period, inclusive.
    pub last_day: Day,
    /// Number of submissions.
    pub total: u64,
    /// Number of submissions per label, for the first eight of the summary's `sentiments`.
    pub sentiments: Vec<u64>,
}

/// Counts of the values of a property.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct Values {
    /// Most frequent values, most frequent first, at most 50.
    pub values: Vec<ValueCount>,
    /// Total count of all other values, and of those above 800 bytes.
    pub others: u64,
    /// Number of submissions without a value, or with a blank answer.
    pub missing: u64,
}

/// Value and its number of submissions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(rename = "ValueCount"))]
pub struct ValueCount {
    /// The value, as text.
    pub value: String,
    /// Number of submissions with this value.
    pub count: u64,
}

/// Number of submissions in a range of completion times.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct DurationRange {
    /// Lower bound in seconds, inclusive.
    pub from_s: u32,
    /// Upper bound in seconds, exclusive; `null` in the last range.
    pub to_s: Option<u32>,
    /// Number of submissions.
    pub count: u64,
}

/// Counts of the answers to a field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct FieldValues {
    /// Identifier of the field.
    pub id: FieldId,
    /// Counts of the answers. For multiple-choice fields, each item counts.
    #[serde(flatten)]
    pub answers: Values,
}
