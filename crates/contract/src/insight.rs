//! Insight as its owner steers it (additive): what is analysed, by which categories, within which
//! daily limit, and what the owner says instead.
//!
//! What an insight *is* stands in [`crate::submission`]. Nothing here analyses anything.

use crate::{Insight, Timestamp, fold::fold};
use serde::{Deserialize, Serialize};

/// The labels of sentiment that we give.
pub const SENTIMENTS: [&str; 4] = ["positive", "neutral", "negative", "mixed"];
/// Most categories of a form, and most of one submission.
pub const CATEGORIES_MAX: usize = 20;
/// Longest name of a category, in characters.
pub const NAME_CHARS_MAX: usize = 40;
/// Most words and phrases of a category.
pub const WORDS_MAX: usize = 60;
/// Longest word or phrase, in characters.
pub const WORD_CHARS_MAX: usize = 60;

/// A category of a form, and the words by which it is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Category {
    /// What the insight calls it: 1 to 40 characters.
    #[cfg_attr(feature = "openapi", schemars(
        length(max = NAME_CHARS_MAX),
        regex(pattern = crate::NAME_PATTERN)
    ))]
    pub name: String,
    /// Words and phrases, whole and in any case; `deliver*` is every word that begins so.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schemars(
        length(max = WORDS_MAX),
        inner(length(max = WORD_CHARS_MAX), regex(pattern = "[A-Za-z0-9]"))
    ))]
    pub words: Vec<String>,
}

/// The categories of a form, checked: at most twenty, no name twice.
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
                "a form has at most {CATEGORIES_MAX} categories, but these are {count}"
            ));
        }
        let mut names = Vec::new();
        for category in &mut categories {
            category.name = checked_name(&category.name)?;
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

fn checked_name(name: &str) -> Result<String, String> {
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
    let fits = |word: &&String| {
        word.chars().count() <= WORD_CHARS_MAX && word.chars().any(char::is_alphanumeric)
    };
    match words.iter().find(|word| !fits(word)) {
        Some(word) => Err(format!(
            "a word of the category `{name}` must have a letter or digit and at most \
             {WORD_CHARS_MAX} characters, but is `{word}`"
        )),
        None => Ok(()),
    }
}

/// What `GET /account/forms/{form_id}/categories` answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct FormCategories {
    /// The categories by which the form's submissions are told.
    pub categories: Categories,
    /// Whether they are those that every form begins with.
    pub is_default: bool,
}

/// The body of `PUT /account/forms/{form_id}/categories`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NewCategories {
    /// The categories, in the owner's order; none at all is allowed.
    pub categories: Categories,
}

/// The body of `PUT /account/forms/{form_id}/analysis`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SetAnalysis {
    /// Whether the form's submissions are analysed from now on.
    pub analysis: bool,
    /// Whether those that were analysed already are analysed again.
    #[serde(default)]
    pub again: bool,
}

/// What `GET /account/forms/{form_id}/analysis` answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct FormAnalysis {
    /// Whether the form's submissions are analysed.
    pub analysis: bool,
    /// How many wait for it.
    pub pending: u64,
    /// Whether older submissions are still being looked through: more may come to wait.
    pub is_queueing: bool,
}

/// What one environment of an account may and did spend today.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct Spent {
    /// How many submissions may be analysed in a day (UTC).
    pub limit: u64,
    /// How many were today.
    pub used: u64,
    /// How many wait.
    pub pending: u64,
}

/// What `GET /account/insight` answers: the daily limit of actions (§2, §8) and what is used of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct InsightUsage {
    /// Of live forms.
    pub live: Spent,
    /// Of test forms, which have a count of their own and take nothing from the live one (§5.4).
    pub test: Spent,
    /// When both begin anew: the next midnight, UTC.
    pub resets_at: Timestamp,
}

/// What an owner says instead of the analysis. What is left out stays as the analysis found it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Correction {
    /// One of [`SENTIMENTS`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schemars(
        extend("enum" = ["positive", "neutral", "negative", "mixed", null])
    ))]
    pub sentiment: Option<String>,
    /// Any names, at most twenty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schemars(
        length(max = CATEGORIES_MAX),
        inner(length(max = NAME_CHARS_MAX), regex(pattern = crate::NAME_PATTERN))
    ))]
    pub categories: Option<Vec<String>>,
    /// A language code such as `en` or `pt-BR`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schemars(length(max = 16), regex(pattern = r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$"))
    )]
    pub language: Option<String>,
}

impl Correction {
    /// Returns the correction with its names trimmed.
    ///
    /// # Errors
    /// A sentence, where it says nothing or a value is not as it must be.
    pub fn checked(mut self) -> Result<Self, String> {
        let Self { sentiment, categories, language } = &mut self;
        if sentiment.is_none() && categories.is_none() && language.is_none() {
            return Err("a correction names `sentiment`, `categories` or `language`; to take one \
                        back, delete it"
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
            let named = |name: &String| Category { name: name.clone(), words: Vec::new() };
            let checked = Categories::try_from(names.iter().map(named).collect::<Vec<_>>())?;
            *names = checked.0.into_iter().map(|category| category.name).collect();
        }
        Ok(self)
    }

    /// Returns what is shown: the analysis, where there is one, with the owner's labels in it. A
    /// score that belonged to another label is left out.
    pub fn apply(&self, analysis: Option<&Insight>) -> Insight {
        let none =
            Insight { sentiment: None, sentiment_score: None, categories: vec![], language: None };
        let mut shown = analysis.cloned().unwrap_or(none);
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

/// Whether a text has the shape of a language code: two or three letters, then perhaps subtags.
pub fn is_language(code: &str) -> bool {
    let mut tags = code.split('-');
    let first = tags.next().unwrap_or_default();
    let primary = matches!(first.len(), 2 | 3) && first.bytes().all(|b| b.is_ascii_lowercase());
    let sub =
        |tag: &str| (2..=8).contains(&tag.len()) && tag.bytes().all(|b| b.is_ascii_alphanumeric());
    primary && code.len() <= 16 && tags.all(sub)
}

/// What `GET /account/submissions/{id}/insight` answers: what is shown, and where it is from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct InsightDetail {
    /// What the submission shows as `ai_insights`.
    pub shown: Option<Insight>,
    /// What the analysis found; `None` while it is pending.
    pub analysis: Option<Insight>,
    /// What the owner says instead, where they do.
    pub correction: Option<Correction>,
    /// When the owner said it.
    pub corrected_at: Option<Timestamp>,
}

#[cfg(test)]
#[path = "insight_tests.rs"]
mod tests;
