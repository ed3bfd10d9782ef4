//! What many submissions say together: how many came when, and which values occur how often
//! (additive).
//!
//! [`Counts`] is the one way to add submissions up. The service and, in front of a server that has
//! no summaries, the browser both use it, so that their figures mean the same. Nothing here says
//! which submissions are meant; that is the filter's word.

mod counts;
mod day;
mod query;

pub use counts::{Charted, Counts, each_value};
pub use day::{Day, Unit};
pub use query::SummaryQuery;

use crate::FieldId;
use serde::{Deserialize, Serialize};

/// Most values that are listed of one property; the rest are [`Values::others`].
pub const VALUES_MAX: usize = 50;
/// Most stretches of time that are listed; what lies before them is [`Times::earlier`].
pub const BUCKETS_MAX: usize = 400;
/// Most sentiment labels that are counted for each stretch of time.
pub const TIMED_SENTIMENTS_MAX: usize = 8;
/// Most fields whose answers are counted.
pub const FIELDS_MAX: usize = 24;
/// Most different values of one property that are told apart; rows of further ones are others.
pub const DISTINCT_MAX: usize = 65_536;
/// Where the bars of completion times begin, in seconds; each ends where the next begins.
pub const DURATION_STARTS_S: [u32; 9] = [0, 10, 30, 60, 120, 300, 600, 1800, 3600];

/// What the submissions of a form that match a filter say together.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct Summary {
    /// How many match.
    pub total: u64,
    /// When they came.
    pub times: Times,
    /// Sentiment labels; those without are not analysed.
    pub sentiments: Values,
    /// Categories. A submission may have several.
    pub categories: Values,
    /// Language codes.
    pub languages: Values,
    /// Two-letter country codes.
    pub countries: Values,
    /// Device classes.
    pub devices: Values,
    /// Browser names.
    pub browsers: Values,
    /// UTM sources.
    pub utm_sources: Values,
    /// UTM mediums.
    pub utm_mediums: Values,
    /// UTM campaigns.
    pub utm_campaigns: Values,
    /// How long people took, shortest first; every bar is listed.
    pub durations: Vec<Duration>,
    /// Answers to fields that are rated, chosen or ticked, in the form's order.
    pub fields: Vec<FieldValues>,
}

/// When submissions came, in the days of a time zone.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct Times {
    /// How long a stretch is: the finest that keeps the whole range readable.
    pub unit: Unit,
    /// How many came before the first stretch that is listed.
    pub earlier: u64,
    /// The stretches, oldest first, also those in which none came.
    pub buckets: Vec<Bucket>,
}

/// One stretch of time.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct Bucket {
    /// Its first day.
    pub first_day: Day,
    /// Its last day, inclusive.
    pub last_day: Day,
    /// How many came.
    pub total: u64,
    /// How many of them have each of the first eight of the summary's `sentiments`, in that order.
    pub sentiments: Vec<u64>,
}

/// Which values of a property occur, and how often.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct Values {
    /// The most frequent ones, most frequent first, at most 50.
    pub values: Vec<Value>,
    /// How often further values occur, all together.
    pub others: u64,
    /// How many submissions have none.
    pub missing: u64,
}

/// A value and how many submissions have it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(rename = "ValueCount"))]
pub struct Value {
    /// The value, as text.
    pub value: String,
    /// How many submissions have it.
    pub count: u64,
}

/// How many people took so long.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct Duration {
    /// So many seconds or more.
    pub from_s: u32,
    /// Less than so many; `null` in the last.
    pub to_s: Option<u32>,
    /// How many.
    pub count: u64,
}

/// Which answers to a field occur.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct FieldValues {
    /// The field.
    pub id: FieldId,
    /// Its answers; of a field with several, each item.
    #[serde(flatten)]
    pub answers: Values,
}
