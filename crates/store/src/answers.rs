//! Reads single answers from the JSON of submissions, and compares them with criteria for fields.

mod column;

pub use column::{AnswerColumn, ColumnKey, ColumnMatchers, read_texts};

use super::Result;
use super::columns::{END_OF_VALUE, damaged_row};
use contract::filter::{AnswerMatcher, FieldCriteria};
use contract::fold::fold;
use contract::submission::for_each_leaf;
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;

/// Criteria for fields, prepared for many submissions.
#[derive(Debug)]
pub struct AnswerCheck<'a> {
    /// `None` if the criteria are not resolved.
    matchers: Option<Vec<AnswerMatcher<'a>>>,
}

impl<'a> AnswerCheck<'a> {
    /// Prepares the criteria of a filter.
    pub fn new(criteria: &'a FieldCriteria) -> Self {
        Self { matchers: criteria.matchers() }
    }

    /// Returns whether a submission matches, by its JSON. Criteria that are not resolved match no
    /// submission. Without criteria, the JSON is not read.
    ///
    /// # Errors
    /// If the JSON is not a submission.
    pub fn matches(&self, json: &str) -> Result<bool> {
        let Some(matchers) = &self.matchers else { return Ok(false) };
        if matchers.is_empty() {
            return Ok(true);
        }
        let mut matching: Vec<bool> = matchers.iter().map(|it| it.matches(None)).collect();
        let is_wanted = |key: &str| matchers.iter().any(|it| it.key() == key);
        for_each_answer(json, is_wanted, |key, answer| {
            for (matcher, matching) in matchers.iter().zip(&mut matching) {
                if matcher.key() == key {
                    *matching = matcher.matches(Some(answer));
                }
            }
        })?;
        Ok(matching.into_iter().all(|it| it))
    }
}

/// Returns the texts of an answer, case-folded or as they are, each with [`END_OF_VALUE`].
pub fn answer_texts(answer: &Value, folds: bool) -> Vec<u8> {
    let mut texts = Vec::new();
    for_each_leaf(answer, &mut |text| {
        let text = if folds { Cow::Owned(fold(&text)) } else { text };
        texts.extend_from_slice(text.as_bytes());
        texts.push(END_OF_VALUE);
    });
    texts
}

/// Calls `on_answer` with each wanted answer in the JSON of a submission. The others are not parsed
/// into values.
///
/// # Errors
/// If the JSON is not a submission.
pub fn for_each_answer(
    json: &str,
    is_wanted: impl Fn(&str) -> bool,
    mut on_answer: impl FnMut(&str, &Value),
) -> Result<()> {
    let mut reader = serde_json::Deserializer::from_str(json);
    let answers = Members { is_wanted, on_answer: &mut on_answer };
    let submission = SubmissionVisitor { answers };
    reader.deserialize_map(submission).map_err(|error| damaged_row(error.to_string()))
}

/// Key of a member.
#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

/// Visits a submission, and reads only its answers.
struct SubmissionVisitor<'f, W, F> {
    answers: Members<'f, W, F>,
}

impl<'de, W: Fn(&str) -> bool, F: FnMut(&str, &Value)> Visitor<'de>
    for SubmissionVisitor<'_, W, F>
{
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a submission")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut answers = Some(self.answers);
        while let Some(Key(key)) = map.next_key()? {
            match answers.take_if(|_| key == "answers") {
                Some(answers) => map.next_value_seed(answers)?,
                None => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

/// The wanted members of an object.
struct Members<'f, W, F> {
    is_wanted: W,
    on_answer: &'f mut F,
}

impl<'de, W: Fn(&str) -> bool, F: FnMut(&str, &Value)> DeserializeSeed<'de> for Members<'_, W, F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_map(self)
    }
}

impl<'de, W: Fn(&str) -> bool, F: FnMut(&str, &Value)> Visitor<'de> for Members<'_, W, F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("answers")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(Key(key)) = map.next_key()? {
            if (self.is_wanted)(&key) {
                (self.on_answer)(&key, &map.next_value()?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::{Field, ListQuery};

    const JSON: &str = r#"{"id":"sub_1","answers":{"a":[1.50,"É"],"b\"":"x","c":{"d":[]}},"x":1}"#;

    fn criteria(query: &str) -> FieldCriteria {
        let field = |id: &str, key: &str| {
            let json = serde_json::json!({"id": id, "key": key, "name": key, "type": "text"});
            serde_json::from_value::<Field>(json).unwrap()
        };
        let mut fields = ListQuery::parse(query).unwrap().filter.fields;
        fields.resolve(&[field("fld_a", "a"), field("fld_b", "b\""), field("fld_e", "e")]).unwrap();
        fields
    }

    #[test]
    fn criteria_are_checked_in_json() {
        for (query, expected) in [
            ("", true),
            ("fld_a=eq:1.50&fld_a=contains:e%CC%81", true),
            ("fld_a=eq:1.50&fld_a=contains:e%CC%81&fld_e=filled", false),
            ("fld_b=eq:X&fld_e=empty&fld_e=ne:x", true),
        ] {
            let criteria = criteria(query);
            assert_eq!(AnswerCheck::new(&criteria).matches(JSON).unwrap(), expected, "{query}");
        }
        let unresolved = ListQuery::parse("fld_a=filled").unwrap().filter.fields;
        assert!(!AnswerCheck::new(&unresolved).matches(JSON).unwrap());
    }

    #[test]
    fn damaged_json_is_an_error_with_criteria_only() {
        assert!(AnswerCheck::new(&FieldCriteria::default()).matches("{").unwrap());
        assert!(AnswerCheck::new(&criteria("fld_a=empty")).matches("{").is_err());
    }

    #[test]
    fn texts_of_wanted_answers_are_returned() {
        let mut found = Vec::new();
        let add = |key: &str, answer: &Value| {
            found.push((key.to_owned(), answer_texts(answer, true), answer_texts(answer, false)));
        };
        for_each_answer(JSON, |key| key != "c", add).unwrap();
        let texts = |parts: &[&str]| -> Vec<u8> {
            parts.iter().flat_map(|it| [it.as_bytes(), &[END_OF_VALUE]].concat()).collect()
        };
        let expected = [
            ("a".to_owned(), texts(&["1.50", "é"]), texts(&["1.50", "É"])),
            ("b\"".to_owned(), texts(&["x"]), texts(&["x"])),
        ];
        assert_eq!(found, expected);
    }
}
