//! Sample submissions for the tests of the zero-copy readers: plain, hostile and damaged ones.

use crate::{Field, FieldType, Insight, Metadata, Submission, Timestamp};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// Texts that the zero-copy reader rejects. Some of them are valid submissions.
pub(crate) fn odd_texts() -> Vec<String> {
    let plain_text = with_answer("1");
    let replaced = |from: &str, to: &str| {
        assert!(plain_text.contains(from), "{from}");
        plain_text.replacen(from, to, 1)
    };
    let bare = r#"{"form_id":"frm_1","id":"sub_1","metadata":{"submitted_at":"2026-03-01"}}"#;
    let mut texts: Vec<String> = ["", "{}", "null", "[]", bare].map(str::to_owned).into();
    texts.extend([
        replaced("{\"id\"", "{ \"id\""),
        replaced("sub_01J9", "sub/01J9"),
        replaced("{\"id\"", "{\"id\":\"sub_2\",\"id\""),
        replaced("{\"a\":1", "{\"\\u0061\":\"x\",\"a\":2"),
        replaced("{\"a\":1", "{\"a\":1,"),
        replaced("15.500Z", "15.5Z"),
        replaced("\"device\":\"mobile\",", ""),
        format!("{plain_text} "),
        format!("{plain_text}}}"),
    ]);
    texts.extend((0..plain_text.len()).map(|end| plain_text[..end].to_owned()));
    texts
}

/// Returns the JSON of a submission with `value` as the raw text of one answer.
fn with_answer(value: &str) -> String {
    let mut row = plain_submissions().swap_remove(0);
    row.answers = serde_json::from_str(r#"{"a":"here","b":"y"}"#).unwrap();
    serde_json::to_string(&row).unwrap().replacen("\"here\"", value, 1)
}

/// Answers as raw JSON: plain, unusual and invalid.
const VALUES: &[&str] = &[
    "1E5",
    "1e+5",
    "-0",
    "-0.0",
    "01",
    "1.",
    ".5",
    "-",
    "12345678901234567890123.10",
    "[[1],2]",
    "[]",
    "[null,null]",
    "[\"a\",]",
    "{\"a\":1}",
    "{\"$serde_json::private::Number\":\"1\"}",
    "\"\\u00e9\\ud83d\\ude00\"",
    "\"\\ud83d\"",
    "\"\\ude00x\"",
    "\"\\x\"",
    "\"\\u12\"",
    "\"\u{1}\"",
    "\"a\nb\"",
    "\"\\/\\b\\f\\t\\\\\"",
    "tru",
    "nullx",
    "\"open",
    "\"=1+1\"",
    "\"-1.5\"",
    "\"-1.5.5\"",
    "\"\\t=x\"",
    "[\"=1\",\",\"]",
    "\"a\",\"a\":\"twice\"",
    "[1,2",
    "true,\"a\":null",
];

pub(crate) fn field(number: usize, key: &str) -> Field {
    Field {
        id: format!("fld_{number}").parse().unwrap(),
        key: key.to_owned(),
        name: key.to_owned(),
        kind: FieldType::Text,
        hidden: false,
    }
}

/// Returns fields with unusual keys.
pub(crate) fn fields() -> Vec<Field> {
    let keys =
        ["a", "b", "say \"hi\"", "", "\u{1}", "d\\e", "日本", "$serde_json::private::Number"];
    keys.iter().enumerate().map(|(number, key)| field(number, key)).collect()
}

/// Returns typical submissions that contain every kind of stored value.
pub(crate) fn plain_submissions() -> Vec<Submission> {
    let answers = json!({
        "a": "Ada", "b": "one, \"two\"\nthree", "say \"hi\"": 7, "": ["x", "y, z", true, 1.5],
        "\u{1}": true, "d\\e": null, "日本": "\u{0}é", "unknown": "z",
    });
    let mut metadata = Metadata::at(Timestamp::parse("2026-03-31T09:30:15.5Z").unwrap());
    metadata.device = Some("mobile".to_owned());
    metadata.completion_time_seconds = Some(u64::MAX);
    let insight = |score| Insight {
        sentiment: Some("mixed".to_owned()),
        sentiment_score: score,
        categories: vec!["a".to_owned(), "b, \"c\"".to_owned()],
        language: None,
    };
    let row = |ai_insights| Submission {
        id: "sub_01J9-Z_3".parse().unwrap(),
        form_id: "frm_1".parse().unwrap(),
        answers: serde_json::from_value(answers.clone()).unwrap(),
        metadata: metadata.clone(),
        ai_insights,
    };
    let scores = [None, Some(0.0), Some(1.0), Some(0.8125), Some(0.1 + 0.2)];
    let analysed = scores.into_iter().map(|score| row(Some(insight(score))));
    analysed.chain([row(None)]).collect()
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[\\PC\r\n\t\",;'=+@\\\\/-]{0,20}",
        any::<String>(),
        prop::sample::select(vec!["", "=1", "-12.5", "+", "'", "a,b", "\u{0}", "\u{1f}", "😀"])
            .prop_map(str::to_owned),
    ]
}

fn any_value() -> impl Strategy<Value = Value> {
    let number = prop::sample::select(VALUES[..8].to_vec())
        .prop_map(|text| serde_json::from_str(text).unwrap_or(Value::Null));
    let scalar = prop_oneof![
        4 => any_text().prop_map(Value::from),
        1 => any::<i64>().prop_map(Value::from),
        1 => any::<f64>().prop_map(Value::from),
        1 => any::<bool>().prop_map(Value::from),
        1 => number,
        1 => Just(Value::Null),
    ];
    scalar.prop_recursive(2, 8, 4, |inner| {
        prop_oneof![
            4 => prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            1 => prop::collection::vec((any_text(), inner), 0..3)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn any_insight() -> impl Strategy<Value = Option<Insight>> {
    let text = || prop::option::of(any_text());
    let score = prop::option::of(prop_oneof![
        0.0..=1.0,
        any::<f64>(),
        (0_u32..=9999).prop_map(|parts| f64::from(parts) / 1000.0)
    ])
    .prop_map(|score: Option<f64>| score.and_then(round_tripping_score));
    let parts = (text(), score, prop::collection::vec(self::any_text(), 0..3), text());
    prop::option::of(parts.prop_map(|(sentiment, sentiment_score, categories, language)| Insight {
        sentiment,
        sentiment_score,
        categories,
        language,
    }))
}

/// Drops scores that parsing changes: in the longest fractions the last digit may differ.
fn round_tripping_score(score: f64) -> Option<f64> {
    let written = serde_json::to_string(&score).unwrap();
    let read: Option<f64> = serde_json::from_str(&written).ok();
    read.filter(|read| read.is_finite() && read.to_bits() == score.to_bits())
}

fn any_metadata() -> impl Strategy<Value = Metadata> {
    let texts = prop::collection::vec(prop::option::of(any_text()), 6);
    let micros = Timestamp::MIN.micros()..=Timestamp::MAX.micros();
    let unit = prop::sample::select(vec![1_i64, 1000, 1_000_000]);
    (micros, unit, texts, any::<Option<u64>>()).prop_map(|(micros, unit, mut texts, seconds)| {
        let mut next = || texts.pop().flatten();
        Metadata {
            ip_country: next(),
            device: next(),
            browser: next(),
            utm_source: next(),
            utm_medium: next(),
            utm_campaign: next(),
            completion_time_seconds: seconds,
            ..Metadata::at(Timestamp::from_micros(micros / unit * unit).unwrap())
        }
    })
}

/// Generates fields and a submission. It answers some of the fields and an unknown one, in any
/// order.
pub(crate) fn any_submission() -> impl Strategy<Value = (Vec<Field>, Submission)> {
    let keys = prop::collection::vec(prop_oneof![any_text(), "[a-e]"], 0..8);
    (keys, any_metadata(), any_insight())
        .prop_flat_map(|(keys, metadata, ai_insights)| {
            let mut field_keys = keys.clone();
            field_keys.push("a".to_owned());
            let answered_keys =
                prop::sample::subsequence(keys.clone(), 0..=keys.len()).prop_shuffle();
            let values = prop::collection::vec(any_value(), keys.len());
            (Just(field_keys), answered_keys, values, any_text(), Just((metadata, ai_insights)))
        })
        .prop_map(|(field_keys, answered_keys, values, other, (metadata, ai_insights))| {
            let fields = field_keys.iter().enumerate().map(|(n, key)| field(n, key)).collect();
            let keys = answered_keys.into_iter().chain([other]);
            let answers: Map<String, Value> = keys.zip(values).collect();
            let row = Submission {
                id: "sub_1".parse().unwrap(),
                form_id: "frm_1".parse().unwrap(),
                answers: serde_json::from_value(Value::Object(answers)).unwrap(),
                metadata,
                ai_insights,
            };
            (fields, row)
        })
}

/// Generates the JSON of a submission with a random change.
pub(crate) fn damaged_submission() -> impl Strategy<Value = (Vec<Field>, String)> {
    let piece = prop_oneof![
        "[\\x00-\\x7f]{0,3}",
        "(\\\\u[0-9a-fA-F]{4}|\\\\.|\"|,|:|\\{|\\}|\\[|\\]|null|1|-|é){0,2}",
    ];
    let with_damage = (any_submission(), any::<prop::sample::Index>(), 0..3_usize, piece);
    let with_damage = with_damage.prop_map(|((fields, row), at, length, piece)| {
        let mut chars: Vec<char> = serde_json::to_string(&row).unwrap().chars().collect();
        let at = at.index(chars.len());
        let end = (at + length).min(chars.len());
        chars.splice(at..end, piece.chars());
        (fields, chars.into_iter().collect())
    });
    let with_odd_value =
        prop::sample::select(VALUES).prop_map(|value| (fields(), with_answer(value)));
    prop_oneof![3 => with_damage, 1 => with_odd_value]
}
