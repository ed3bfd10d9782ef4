//! Filters by label, such as the sentiment or the country (not in the specification).

use crate::named_enum::named_enum;
use crate::query::shorten_value;
use crate::triage::{Status, Tag, Triage};
use crate::{PersonId, Submission};

/// Maximum length of the labels of one property in a query, in characters.
pub const LABELS_CHARS_MAX: usize = 1000;
/// Text in a query for submissions without a label.
pub const NO_LABEL: &str = "none";

named_enum! {
    /// Property of a submission that has labels, in the order of queries and of [`LabelFilters`].
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum LabelProperty {
        /// Sentiment of the insight.
        Sentiment = "sentiment",
        /// Categories of the insight: one of them must match.
        Category = "category",
        /// Language code of the insight.
        Language = "language",
        /// Two-letter country code.
        Country = "country",
        /// Device class.
        Device = "device",
        /// Browser name.
        Browser = "browser",
        /// Status of the triage. Each submission has one.
        Status = "status",
        /// Star of the triage: `true` or `false`.
        Starred = "starred",
        /// Tags of the triage: one of them must match.
        Tag = "tag",
        /// Id of the assigned member.
        Assignee = "assignee",
    }
}

impl LabelProperty {
    /// Returns the property of a query parameter.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|property| property.as_str() == name)
    }

    /// Returns whether the property belongs to the triage. Otherwise it is one of the submission
    /// itself.
    pub fn is_triage(self) -> bool {
        matches!(self, Self::Status | Self::Starred | Self::Tag | Self::Assignee)
    }

    /// Returns the labels of a submission. An empty text is no label.
    pub fn labels_of<'a>(self, submission: &'a Submission, triage: &'a Triage) -> Vec<&'a str> {
        let metadata = &submission.metadata;
        let insight = submission.ai_insights.as_ref();
        let label = match self {
            Self::Status | Self::Starred | Self::Tag | Self::Assignee => {
                return self.labels_of_triage(triage);
            }
            Self::Category => {
                let all = insight.map_or(&[][..], |insight| &insight.categories);
                return all.iter().map(String::as_str).filter(|label| !label.is_empty()).collect();
            }
            Self::Sentiment => insight.and_then(|insight| insight.sentiment.as_deref()),
            Self::Language => insight.and_then(|insight| insight.language.as_deref()),
            Self::Country => metadata.ip_country.as_deref(),
            Self::Device => metadata.device.as_deref(),
            Self::Browser => metadata.browser.as_deref(),
        };
        label.into_iter().filter(|label| !label.is_empty()).collect()
    }

    /// Returns the labels of a triage; an empty list for a property of the submission itself.
    pub fn labels_of_triage(self, triage: &Triage) -> Vec<&str> {
        match self {
            Self::Status => vec![triage.status.as_str()],
            Self::Starred => vec![if triage.starred { "true" } else { "false" }],
            Self::Tag => triage.tags.iter().map(Tag::as_str).collect(),
            Self::Assignee => triage.assignee.iter().map(PersonId::as_str).collect(),
            _ => Vec::new(),
        }
    }
}

/// Accepted labels of one property; `None` accepts submissions without a label. Without any, the
/// property is not filtered.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Labels(Vec<Option<String>>);

impl Labels {
    /// Creates a list of labels. Its order and duplicates have no effect. Empty texts are ignored.
    pub fn new(labels: impl IntoIterator<Item = Option<String>>) -> Self {
        let is_label = |label: &Option<String>| label.as_deref() != Some("");
        let mut labels: Vec<_> = labels.into_iter().filter(is_label).collect();
        labels.sort_unstable();
        labels.dedup();
        Self(labels)
    }

    /// Parses the value of a query parameter: labels separated by commas. A backslash before a
    /// character removes its meaning, so `\,` is a comma and `\none` the label `none`.
    ///
    /// # Errors
    /// If the value has more than [`LABELS_CHARS_MAX`] characters. Returns the problem, without the
    /// name of the parameter.
    pub fn parse(value: &str) -> Result<Self, String> {
        let length = value.chars().count();
        if length > LABELS_CHARS_MAX {
            return Err(format!(
                "must have at most {LABELS_CHARS_MAX} characters, but has {length}"
            ));
        }
        let mut labels = Vec::new();
        let mut label = String::new();
        let mut is_escaped = false;
        let mut chars = value.chars();
        loop {
            let next = chars.next();
            match next {
                Some('\\') => {
                    is_escaped = true;
                    label.extend(chars.next());
                }
                None | Some(',') => {
                    let label = std::mem::take(&mut label);
                    let is_literal = std::mem::take(&mut is_escaped) || label != NO_LABEL;
                    labels.push(is_literal.then_some(label));
                }
                Some(c) => label.push(c),
            }
            if next.is_none() {
                break;
            }
        }
        Ok(Self::new(labels))
    }

    /// Returns the value of the query parameter: the inverse of [`Labels::parse`].
    pub fn to_query_value(&self) -> String {
        let mut value = String::new();
        for label in &self.0 {
            if !value.is_empty() {
                value.push(',');
            }
            match label.as_deref() {
                None => value.push_str(NO_LABEL),
                Some(NO_LABEL) => {
                    value.push('\\');
                    value.push_str(NO_LABEL);
                }
                Some(label) => {
                    for c in label.chars() {
                        if matches!(c, ',' | '\\') {
                            value.push('\\');
                        }
                        value.push(c);
                    }
                }
            }
        }
        value
    }

    /// Checks that labels exist for a property whose labels are fixed. The statuses of an account
    /// are not known here, only their form.
    ///
    /// # Errors
    /// Returns the problem, without the name of the parameter.
    pub(crate) fn check(&self, property: LabelProperty) -> Result<(), String> {
        let is_known = |label: &Option<String>| match (property, label.as_deref()) {
            (LabelProperty::Status, label) => {
                label.is_some_and(|label| label.parse::<Status>().is_ok())
            }
            (LabelProperty::Starred, label) => matches!(label, Some("true" | "false")),
            _ => true,
        };
        let Some(unknown) = self.0.iter().find(|label| !is_known(label)) else { return Ok(()) };
        let unknown = shorten_value(unknown.as_deref().unwrap_or(NO_LABEL));
        Err(if property == LabelProperty::Starred {
            format!("must be `true` or `false`, but is `{unknown}`")
        } else {
            format!("has the unknown status `{unknown}`")
        })
    }

    /// Returns the accepted labels, sorted, first `None` if it is accepted.
    pub fn as_slice(&self) -> &[Option<String>] {
        &self.0
    }

    /// Returns whether the property is not filtered.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether a submission with these labels matches.
    pub fn match_any(&self, labels: &[&str]) -> bool {
        let accepts = |label: &Option<String>| match label.as_deref() {
            None => labels.is_empty(),
            Some(label) => labels.contains(&label),
        };
        self.0.is_empty() || self.0.iter().any(accepts)
    }
}

/// Accepted labels of each filtered property, in the order of [`LabelProperty::ALL`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct LabelFilters(Vec<(LabelProperty, Labels)>);

impl LabelFilters {
    /// Returns the accepted labels of a property.
    pub fn get(&self, property: LabelProperty) -> &Labels {
        static NOT_FILTERED: Labels = Labels(Vec::new());
        self.find(property).map_or(&NOT_FILTERED, |found| &self.0[found].1)
    }

    /// Sets the accepted labels of a property.
    pub fn set(&mut self, property: LabelProperty, labels: Labels) {
        match (self.find(property), labels.is_empty()) {
            (Ok(found), false) => self.0[found].1 = labels,
            (Ok(found), true) => drop(self.0.remove(found)),
            (Err(place), false) => self.0.insert(place, (property, labels)),
            (Err(_), true) => {}
        }
    }

    fn find(&self, property: LabelProperty) -> Result<usize, usize> {
        self.0.binary_search_by_key(&property, |(known, _)| *known)
    }

    /// Iterates over the filtered properties and their accepted labels.
    pub fn iter(&self) -> impl Iterator<Item = (LabelProperty, &Labels)> {
        self.0.iter().map(|(property, labels)| (*property, labels))
    }

    /// Returns whether no property is filtered.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether a submission matches.
    pub fn matches(&self, submission: &Submission, triage: &Triage) -> bool {
        self.iter()
            .all(|(property, labels)| labels.match_any(&property.labels_of(submission, triage)))
    }

    /// Returns whether a triage matches the filtered properties of the triage. The others are
    /// ignored.
    pub fn matches_triage(&self, triage: &Triage) -> bool {
        let mut filtered = self.iter().filter(|(property, _)| property.is_triage());
        filtered.all(|(property, labels)| labels.match_any(&property.labels_of_triage(triage)))
    }

    /// Returns whether a property of the triage is filtered.
    pub fn has_triage(&self) -> bool {
        self.iter().any(|(property, _)| property.is_triage())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parsed(value: &str) -> Vec<Option<String>> {
        Labels::parse(value).unwrap().as_slice().to_vec()
    }

    /// Returns a list of labels, with `None` for `-`.
    fn labels(texts: &[&str]) -> Vec<Option<String>> {
        texts.iter().map(|label| (*label != "-").then(|| (*label).to_owned())).collect()
    }

    #[test]
    fn values_are_separated_by_commas() {
        assert_eq!(parsed("b,a,b"), labels(&["a", "b"]));
        assert_eq!(parsed("none,a"), labels(&["-", "a"]));
        assert_eq!(parsed(r"a\,b,\none,c\\"), labels(&["a,b", "c\\", "none"]));
        assert_eq!(parsed("None, a"), labels(&[" a", "None"]));
        assert_eq!(parsed(",,"), labels(&[]));
        assert_eq!(parsed("a\\"), labels(&["a"]));
        assert_eq!(parsed(r"\,,none"), labels(&["-", ","]));
    }

    #[test]
    fn length_is_limited() {
        assert!(Labels::parse(&"é".repeat(1000)).is_ok());
        let error = Labels::parse(&"é".repeat(1001)).unwrap_err();
        assert_eq!(error, "must have at most 1000 characters, but has 1001");
    }

    #[test]
    fn properties_are_set_in_any_order() {
        let mut filters = LabelFilters::default();
        let set = |filters: &mut LabelFilters, property, value| {
            filters.set(property, Labels::parse(value).unwrap());
        };
        set(&mut filters, LabelProperty::Browser, "b");
        set(&mut filters, LabelProperty::Sentiment, "a");
        set(&mut filters, LabelProperty::Sentiment, "none");
        set(&mut filters, LabelProperty::Device, "");
        let found: Vec<_> =
            filters.iter().map(|(property, labels)| (property, labels.as_slice())).collect();
        let expected = [
            (LabelProperty::Sentiment, &[None][..]),
            (LabelProperty::Browser, &labels(&["b"])[..]),
        ];
        assert_eq!(found, expected);
        assert_eq!(filters.get(LabelProperty::Browser).as_slice(), labels(&["b"]));
        assert!(filters.get(LabelProperty::Device).is_empty());
        set(&mut filters, LabelProperty::Browser, "");
        set(&mut filters, LabelProperty::Sentiment, "");
        assert_eq!(filters, LabelFilters::default());
    }

    proptest! {
        #[test]
        fn query_value_round_trips(
            labels in proptest::collection::vec(
                proptest::option::of(r"[a\\,é ]{0,3}|none|\PC{0,5}"), 0..6
            ),
        ) {
            let labels = Labels::new(labels);
            prop_assert_eq!(Labels::parse(&labels.to_query_value()), Ok(labels));
        }
    }
}
