//! Distributions of the answers to fields with many distinct values: numbers and texts.

use super::ValueCount;
use crate::FieldId;
use serde::{Deserialize, Serialize};

/// Maximum number of submissions that are read. Of more matches, the newest are read.
pub const DISTRIBUTED_MAX: u64 = 100_000;
/// Maximum number of ranges of a number field.
pub const RANGES_MAX: u8 = 10;
/// Maximum number of listed words of a text field.
pub const WORDS_MAX: usize = 20;

/// Distributions of the answers of the submissions that match a filter.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct Distributions {
    /// Number of submissions that were read, newest first, at most [`DISTRIBUTED_MAX`].
    pub submissions: u64,
    /// Whether all matching submissions were read.
    pub is_complete: bool,
    /// Number fields with answers, in the form's order.
    pub numbers: Vec<NumberDistribution>,
    /// Text fields with words, in the form's order.
    pub texts: Vec<FieldWords>,
}

/// Distribution of the answers to a number field. Answers that are not numbers, and those of 10^15
/// or more, are ignored.
///
/// A quartile is an answer: at least a quarter, half or three quarters of the answers are not
/// above it, and it is the lowest such answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct NumberDistribution {
    /// Identifier of the field.
    pub id: FieldId,
    /// Number of answers.
    pub answers: u64,
    /// Lowest answer.
    pub min: f64,
    /// First quartile.
    pub lower_quartile: f64,
    /// Second quartile.
    pub median: f64,
    /// Third quartile.
    pub upper_quartile: f64,
    /// Highest answer.
    pub max: f64,
    /// Ranges in ascending order, at most [`RANGES_MAX`]: one for each distinct answer if they are
    /// few, otherwise of equal width, with round bounds.
    pub ranges: Vec<NumberRangeCount>,
}

/// Number of answers in a range.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct NumberRangeCount {
    /// Lower bound, inclusive.
    pub from: f64,
    /// Upper bound, exclusive; equal to `from` if the range is one number.
    pub to: f64,
    /// Number of answers.
    pub count: u64,
}

/// Most frequent words of a text field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct FieldWords {
    /// Identifier of the field.
    pub id: FieldId,
    /// Number of answers that are not empty.
    pub answers: u64,
    /// Lower-case words in at least two answers, without stop words, most frequent first, at most
    /// [`WORDS_MAX`]. The count is the number of answers with the word.
    pub words: Vec<ValueCount>,
}
