//! Insight settings (not in the specification): analysis of a form, categories, the daily limit,
//! and corrections by the owner.
//!
//! [`crate::submission`] defines the insight itself. This module does not analyse anything.

use crate::{Insight, Timestamp, fold::fold};
use serde::{Deserialize, Serialize};

/// Sentiment labels of analyses and corrections on this server.
pub const SENTIMENTS: [&str; 4] = ["positive", "neutral", "negative", "mixed"];
/// Maximum number of categories of a form, and of a submission.
pub const CATEGORIES_MAX: usize = 20;
/// Maximum length of a category's name, in characters.
pub const NAME_CHARS_MAX: usize = 40;
/// Maximum number of keywords of a category.
pub const WORDS_MAX: usize = 60;
/// Maximum length of a keyword, in characters.
pub const WORD_CHARS_MAX: usize = 60;

/// Category of a form, with its keywords.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Category {
    /// Name of the category, 1 to 40 characters.
    #[cfg_attr(feature = "openapi", schemars(
        length(max = NAME_CHARS_MAX),
        regex(pattern = crate::NAME_PATTERN)
    ))]
    pub name: String,
    /// Words and phrases, matched whole and case-insensitively. `deliver*` matches every word with
    /// this prefix.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schemars(
        length(max = WORDS_MAX),
        inner(length(max = WORD_CHARS_MAX), regex(pattern = "[A-Za-z0-9]"))
    ))]
    pub words: Vec<String>,
}

/// Validated categories of a form: at most 20, with unique names.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Category>", into = "Vec<Category>")]
pub struct Categories(Vec<Category>);

impl Categories {
    /// Returns the categories, in the owner's order.
    pub fn as_slice(&self) -> &[Category] {
        &self.0
    }
}

impl From<Categories> for Vec<Category> {
    fn from(categories: Categories) -> Self {
        categories.0
    }
}

impl TryFrom<Vec<Category>> for Categories {
    type Error = String;

    fn try_from(mut categories: Vec<Category>) -> Result<Self, String> {
        let count = categories.len();
        if count > CATEGORIES_MAX {
            return Err(format!(
                "a form can have at most {CATEGORIES_MAX} categories, but has {count}"
            ));
        }
        let mut names = Vec::new();
        for category in &mut categories {
            category.name = validate_category_name(&category.name)?;
            let folded = fold(&category.name);
            if names.contains(&folded) {
                return Err(format!("the category `{}` is named twice", category.name));
            }
            names.push(folded);
            check_words(category)?;
        }
        Ok(Self(categories))
    }
}

fn validate_category_name(name: &str) -> Result<String, String> {
    let trimmed = name.trim();
    let length = trimmed.chars().count();
    if length == 0 || length > NAME_CHARS_MAX || trimmed.chars().any(char::is_control) {
        return Err(format!(
            "a category's name must be 1 to {NAME_CHARS_MAX} characters on one line, but is \
             `{trimmed}`"
        ));
    }
    Ok(trimmed.to_owned())
}

fn check_words(category: &Category) -> Result<(), String> {
    let Category { name, words } = category;
    let count = words.len();
    if count > WORDS_MAX {
        return Err(format!(
            "the category `{name}` must have at most {WORDS_MAX} words, but has {count}"
        ));
    }
    let is_valid_word = |word: &&String| {
        word.chars().count() <= WORD_CHARS_MAX && word.chars().any(char::is_alphanumeric)
    };
    match words.iter().find(|word| !is_valid_word(word)) {
        Some(word) => Err(format!(
            "a word of the category `{name}` must have a letter or digit and at most \
             {WORD_CHARS_MAX} characters, but is `{word}`"
        )),
        None => Ok(()),
    }
}

/// Response of `GET /account/forms/{form_id}/categories`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct FormCategories {
    /// Categories that are assigned to the form's submissions.
    pub categories: Categories,
    /// Whether these are the default categories.
    pub is_default: bool,
}

/// Body of `PUT /account/forms/{form_id}/categories`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NewCategories {
    /// Categories, in the owner's order. The list may be empty.
    pub categories: Categories,
}

/// Body of `PUT /account/forms/{form_id}/analysis`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SetAnalysis {
    /// Whether to analyse the form's submissions.
    pub analysis: bool,
    /// Whether to analyse submissions again that already have an insight.
    #[serde(default)]
    pub again: bool,
}

/// Response of `GET /account/forms/{form_id}/analysis`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct FormAnalysis {
    /// Whether the form's submissions are analysed.
    pub analysis: bool,
    /// Number of queued submissions.
    pub pending: u64,
    /// Whether older submissions are still being queued, so that `pending` may grow.
    pub is_queueing: bool,
}

/// Daily limit and usage of one environment of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct InsightQuota {
    /// Maximum number of analysed submissions per day (UTC).
    pub limit: u64,
    /// Number of submissions analysed today.
    pub used: u64,
    /// Number of queued submissions.
    pub pending: u64,
}

/// Response of `GET /account/insight`: the daily limit of actions (specification, sections 2 and 8)
/// and its usage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct InsightUsage {
    /// Usage of live forms.
    pub live: InsightQuota,
    /// Usage of test forms, which is counted separately (specification, section 5.4).
    pub test: InsightQuota,
    /// Time of the next reset of both counts: midnight, UTC.
    pub resets_at: Timestamp,
}

/// Correction of an insight by the owner. Omitted members keep the result of the analysis.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct InsightCorrection {
    /// Corrected sentiment label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schemars(
        extend("enum" = ["positive", "neutral", "negative", "mixed", null])
    ))]
    pub sentiment: Option<String>,
    /// Corrected categories, at most 20. They need not be categories of the form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schemars(
        length(max = CATEGORIES_MAX),
        inner(length(max = NAME_CHARS_MAX), regex(pattern = crate::NAME_PATTERN))
    ))]
    pub categories: Option<Vec<String>>,
    /// Corrected language code, such as `en` or `pt-BR`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schemars(length(max = 16), regex(pattern = r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$"))
    )]
    pub language: Option<String>,
}

impl InsightCorrection {
    /// Validates the correction and trims its category names.
    ///
    /// # Errors
    /// A message, if no member is set or a value is invalid.
    pub fn validate(mut self) -> Result<Self, String> {
        let Self { sentiment, categories, language } = &mut self;
        if sentiment.is_none() && categories.is_none() && language.is_none() {
            return Err("a correction must have `sentiment`, `categories` or `language`; to \
                        remove it, delete the correction"
                .to_owned());
        }
        if let Some(label) = sentiment
            && !SENTIMENTS.contains(&label.as_str())
        {
            let labels = SENTIMENTS.join("`, `");
            return Err(format!("`sentiment` must be one of `{labels}`, but is `{label}`"));
        }
        if let Some(code) = language
            && !is_language(code)
        {
            return Err(format!("`language` must be a code such as `en`, but is `{code}`"));
        }
        if let Some(names) = categories {
            let category_of = |name: &String| Category { name: name.clone(), words: Vec::new() };
            let checked = Categories::try_from(names.iter().map(category_of).collect::<Vec<_>>())?;
            *names = checked.0.into_iter().map(|category| category.name).collect();
        }
        Ok(self)
    }

    /// Returns the insight to show: the analysis, if there is one, with the corrected values.
    ///
    /// If the sentiment label differs from the analysis, the score is removed.
    pub fn apply(&self, analysis: Option<&Insight>) -> Insight {
        let mut shown = analysis.cloned().unwrap_or_default();
        if let Some(label) = &self.sentiment
            && shown.sentiment.as_ref() != Some(label)
        {
            shown.sentiment = Some(label.clone());
            shown.sentiment_score = None;
        }
        if let Some(categories) = &self.categories {
            shown.categories.clone_from(categories);
        }
        if let Some(language) = &self.language {
            shown.language = Some(language.clone());
        }
        shown
    }
}

/// Returns whether a text looks like a language code: two or three letters and optional subtags.
pub fn is_language(code: &str) -> bool {
    let mut tags = code.split('-');
    let first = tags.next().unwrap_or_default();
    let has_language =
        matches!(first.len(), 2 | 3) && first.bytes().all(|byte| byte.is_ascii_lowercase());
    let is_subtag = |tag: &str| {
        (2..=8).contains(&tag.len()) && tag.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    has_language && code.len() <= 16 && tags.all(is_subtag)
}

/// Response of `GET /account/submissions/{id}/insight`: the shown insight and its origin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct InsightDetail {
    /// Insight of the submission, as in `ai_insights`.
    pub shown: Option<Insight>,
    /// Result of the analysis; `null` while it is pending.
    pub analysis: Option<Insight>,
    /// Correction by the owner, if any.
    pub correction: Option<InsightCorrection>,
    /// Time of the correction.
    pub corrected_at: Option<Timestamp>,
}

#[cfg(test)]
#[path = "insight_tests.rs"]
mod tests;
