//! Counts answers on servers that do not publish the types of their fields: finds the keys with
//! values that look like ratings, choices or checkboxes, and counts each value. Memory use is
//! bounded for any input.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use contract::submission::answer_text;
use contract::summary::{FIELDS_MAX, FieldValues, ValueCount, Values};
use contract::{Field, FieldType, Submission};

/// Maximum number of keys that are counted.
const KEYS_MAX: usize = 64;
/// Maximum number of distinct values of a key; a key with more is treated as text.
const DISTINCT_MAX: usize = 24;
/// Maximum length of a choice, in characters.
const CHOICE_CHARS_MAX: usize = 60;
/// Maximum value of a rating scale of whole numbers.
const SCALE_MAX: u8 = 10;
/// Minimum average number of occurrences per value. Choices repeat; free text does not.
const TIMES_MIN: u64 = 3;

/// Counts of the answers added so far.
#[derive(Debug, Clone, Default)]
pub struct AnswerCounts {
    total: u64,
    keys: Vec<KeyCounts>,
}

/// Counts of one key.
#[derive(Debug, Clone)]
struct KeyCounts {
    name: String,
    answered: u64,
    /// Count of each value; `None` once the key is treated as text.
    values: Option<BTreeMap<String, u64>>,
}

impl AnswerCounts {
    /// Adds the answers of a submission.
    pub fn add(&mut self, submission: &Submission) {
        self.total += 1;
        for (key, answer) in &submission.answers.0 {
            let at = self.keys.iter().position(|known| known.name == *key);
            let known = match at {
                Some(at) => &mut self.keys[at],
                None if self.keys.len() == KEYS_MAX => continue,
                None => {
                    let values = Some(BTreeMap::new());
                    self.keys.push(KeyCounts { name: key.clone(), answered: 0, values });
                    let last = self.keys.len() - 1;
                    &mut self.keys[last]
                }
            };
            known.add(answer);
        }
    }

    /// Returns the fields that are worth a chart, and the counts of their values as in a summary.
    /// The key serves as the field's name.
    pub fn chartable_fields(&self) -> (Vec<Field>, Vec<FieldValues>) {
        let counted_fields = self.keys.iter().enumerate().filter_map(|(at, key)| {
            let missing = self.total - key.answered;
            let values =
                key.values.as_ref().filter(|candidates| is_worth_a_plot(candidates, missing))?;
            let id = format!("fld_{}", at + 1).parse().ok()?;
            let of = |(value, count): (&String, &u64)| ValueCount {
                value: value.clone(),
                count: *count,
            };
            let mut listed: Vec<ValueCount> = values.iter().map(of).collect();
            listed.sort_by_key(|value| Reverse(value.count));
            let name = key.name.clone();
            let kind = FieldType::Choice;
            let field = Field { id, key: name.clone(), name, kind, hidden: false };
            let answers = Values { values: listed, others: 0, missing };
            Some((field.clone(), FieldValues { id: field.id, answers }))
        });
        counted_fields.take(FIELDS_MAX).unzip()
    }
}

impl KeyCounts {
    fn add(&mut self, answer: &serde_json::Value) {
        let answers = match answer {
            serde_json::Value::Array(items) => &items[..],
            one => std::slice::from_ref(one),
        };
        let mut texts: Vec<_> =
            answers.iter().map(answer_text).filter(|text| !text.is_empty()).collect();
        if texts.is_empty() {
            return;
        }
        self.answered += 1;
        let Some(values) = &mut self.values else { return };
        // A submission counts once per value, even if it repeats the value.
        texts.sort_unstable();
        texts.dedup();
        for text in &texts {
            if let Some(count) = values.get_mut(text.as_ref()) {
                *count += 1;
            } else {
                values.insert(text.to_string(), 1);
            }
        }
        let is_short = |text: &str| {
            let is_address = text.contains('@') || text.contains("://");
            let is_line = !text.contains(char::is_control);
            text.chars().count() <= CHOICE_CHARS_MAX && is_line && !is_address
        };
        let is_plain = !answers.iter().any(|answer| answer.is_object() || answer.is_array());
        if values.len() > DISTINCT_MAX || !is_plain || !texts.iter().all(|text| is_short(text)) {
            self.values = None;
        }
    }
}

/// Whether the counts are informative. A value that all submissions share, as a hidden input of
/// the page sends it, is not.
fn is_worth_a_plot(values: &BTreeMap<String, u64>, missing: u64) -> bool {
    let is_scale = |text: &String| text.parse::<u8>().is_ok_and(|number| number <= SCALE_MAX);
    let total: u64 = values.values().sum();
    let is_informative = values.len() > 1 || (values.len() == 1 && missing > 0);
    is_informative && (values.keys().all(is_scale) || total >= TIMES_MIN * values.len() as u64)
}

#[cfg(not(target_arch = "wasm32"))]
#[cfg(test)]
mod tests {
    use super::*;
    use contract::{Metadata, Timestamp};
    use serde_json::json;

    fn count_answers(answers: &[serde_json::Value]) -> AnswerCounts {
        let mut counts = AnswerCounts::default();
        for answers in answers {
            counts.add(&Submission {
                id: "sub_1".parse().unwrap(),
                form_id: "frm_1".parse().unwrap(),
                answers: serde_json::from_value(answers.clone()).unwrap(),
                metadata: Metadata::at(Timestamp::parse("2026-03-01").unwrap()),
                ai_insights: None,
            });
        }
        counts
    }

    fn describe_counts(counts: &AnswerCounts) -> Vec<String> {
        let (fields, values) = counts.chartable_fields();
        let describe = |(field, of): (&Field, &FieldValues)| {
            assert_eq!(field.id, of.id);
            let pair = |value: &ValueCount| format!("{}={}", value.value, value.count);
            let pairs: Vec<String> = of.answers.values.iter().map(pair).collect();
            format!("{}: {} missing={}", field.name, pairs.join(" "), of.answers.missing)
        };
        fields.iter().zip(&values).map(describe).collect()
    }

    #[test]
    fn ratings_choices_and_checkboxes_are_detected() {
        let row = |n: usize| {
            let plan = ["Free", "Pro"][n % 2];
            let likes = if n.is_multiple_of(4) { "Speed" } else { "Help" };
            json!({
                "stars": n % 3 + 3, "scale": (n % 2).to_string(), "plan": plan,
                "likes": ["Price", "Price", likes],
                "agreed": n != 1, "name": format!("Person {n}"), "age": 20 + n,
                "address": { "city": "Ulm" }, "note": "a\nb", "gone": null, "empty": "",
                "long": "x".repeat(61),
            })
        };
        let mut rows: Vec<_> = (0..30).map(row).collect();
        rows.push(json!({}));
        assert_eq!(
            describe_counts(&count_answers(&rows)),
            [
                "stars: 3=10 4=10 5=10 missing=1",
                "scale: 0=15 1=15 missing=1",
                "plan: Free=15 Pro=15 missing=1",
                "likes: Price=30 Help=22 Speed=8 missing=1",
                "agreed: true=29 false=1 missing=1",
            ]
        );
    }

    #[test]
    fn rarely_repeated_values_are_not_choices() {
        let row = |(stars, plan)| json!({ "plan": plan, "stars": stars });
        let rows = [(4, "a"), (5, "b"), (4, "a"), (4, "b"), (4, "a")].map(row);
        assert_eq!(describe_counts(&count_answers(&rows)), ["stars: 4=4 5=1 missing=0"]);
        let rows = ["a", "b", "a", "b", "a", "b"].map(|plan| json!({ "plan": plan }));
        assert_eq!(describe_counts(&count_answers(&rows)), ["plan: a=3 b=3 missing=0"]);
    }

    #[test]
    fn constant_values_and_addresses_are_skipped() {
        let site = ["https://a.example", "https://b.example"];
        let row = |n: usize| {
            let agreed = if n < 4 { "on" } else { "" };
            let mail = format!("{}@example.org", n % 2);
            let site = site[n % 2];
            json!({ "hidden": "v1", "agreed": agreed, "mail": mail, "site": site })
        };
        let rows: Vec<_> = (0..12).map(row).collect();
        assert_eq!(describe_counts(&count_answers(&rows)), ["agreed: on=4 missing=8"]);
    }

    #[test]
    fn keys_and_values_are_bounded() {
        let rows = (0..200).map(|n| json!({ format!("k{n}"): 1, "text": format!("t{n}") }));
        let counts = count_answers(&rows.collect::<Vec<_>>());
        assert_eq!(counts.keys.len(), KEYS_MAX);
        let texts = counts.keys.iter().find(|key| key.name == "text").unwrap();
        assert_eq!((texts.answered, &texts.values), (200, &None));
        assert_eq!(counts.chartable_fields().0.len(), FIELDS_MAX);
    }
}
