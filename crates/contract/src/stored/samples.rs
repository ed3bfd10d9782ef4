//! Sample submissions for the tests of the zero-copy readers: plain, hostile and damaged ones.

use crate::{Field, FieldType, Insight, Metadata, Submission, Timestamp};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// Texts that the zero-copy reader rejects. Some of them are valid submissions.
pub(crate) fn odd() -> Vec<String> {
    let usual = with_answer("1");
    let turned = |from: &str, to: &str| {
        assert!(usual.contains(from), "{from}");
        usual.replacen(from, to, 1)
    };
    let bare = r#"{"form_id":"frm_1","id":"sub_1","metadata":{"submitted_at":"2026-03-01"}}"#;
    let mut odd: Vec<String> = ["", "{}", "null", "[]", bare].map(str::to_owned).into();
    odd.extend([
        turned("{\"id\"", "{ \"id\""),
        turned("sub_01J9", "sub/01J9"),
        turned("{\"id\"", "{\"id\":\"sub_2\",\"id\""),
        turned("{\"a\":1", "{\"\\u0061\":\"x\",\"a\":2"),
        turned("{\"a\":1", "{\"a\":1,"),
        turned("15.500Z", "15.5Z"),
        turned("\"device\":\"mobile\",", ""),
        format!("{usual} "),
        format!("{usual}}}"),
    ]);
    odd.extend((0..usual.len()).map(|end| usual[..end].to_owned()));
    odd
}

/// Returns the JSON of a submission with `value` as the raw text of one answer.
fn with_answer(value: &str) -> String {
    let mut row = plain().swap_remove(0);
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
pub(crate) fn plain() -> Vec<Submission> {
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

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[\\PC\r\n\t\",;'=+@\\\\/-]{0,20}",
        any::<String>(),
        prop::sample::select(vec!["", "=1", "-12.5", "+", "'", "a,b", "\u{0}", "\u{1f}", "😀"])
            .prop_map(str::to_owned),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let number = prop::sample::select(VALUES[..8].to_vec())
        .prop_map(|text| serde_json::from_str(text).unwrap_or(Value::Null));
    let scalar = prop_oneof![
        4 => text().prop_map(Value::from),
        1 => any::<i64>().prop_map(Value::from),
        1 => any::<f64>().prop_map(Value::from),
        1 => any::<bool>().prop_map(Value::from),
        1 => number,
        1 => Just(Value::Null),
    ];
    scalar.prop_recursive(2, 8, 4, |inner| {
        prop_oneof![
            4 => prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            1 => prop::collection::vec((text(), inner), 0..3)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn insight() -> impl Strategy<Value = Option<Insight>> {
    let text = || prop::option::of(text());
    let score = prop::option::of(prop_oneof![
        0.0..=1.0,
        any::<f64>(),
        (0_u32..=9999).prop_map(|parts| f64::from(parts) / 1000.0)
    ])
    .prop_map(|score: Option<f64>| score.and_then(steady));
    let parts = (text(), score, prop::collection::vec(self::text(), 0..3), text());
    prop::option::of(parts.prop_map(|(sentiment, sentiment_score, categories, language)| Insight {
        sentiment,
        sentiment_score,
        categories,
        language,
    }))
}

/// Drops scores that parsing changes: in the longest fractions the last digit may differ.
fn steady(score: f64) -> Option<f64> {
    let written = serde_json::to_string(&score).unwrap();
    let read: Option<f64> = serde_json::from_str(&written).ok();
    read.filter(|read| read.is_finite() && read.to_bits() == score.to_bits())
}

fn metadata() -> impl Strategy<Value = Metadata> {
    let texts = prop::collection::vec(prop::option::of(text()), 6);
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
pub(crate) fn submission() -> impl Strategy<Value = (Vec<Field>, Submission)> {
    let keys = prop::collection::vec(prop_oneof![text(), "[a-e]"], 0..8);
    (keys, metadata(), insight())
        .prop_flat_map(|(keys, metadata, ai_insights)| {
            let mut asked = keys.clone();
            asked.push("a".to_owned());
            let answered = prop::sample::subsequence(keys.clone(), 0..=keys.len()).prop_shuffle();
            let values = prop::collection::vec(value(), keys.len());
            (Just(asked), answered, values, text(), Just((metadata, ai_insights)))
        })
        .prop_map(|(asked, answered, values, other, (metadata, ai_insights))| {
            let fields = asked.iter().enumerate().map(|(n, key)| field(n, key)).collect();
            let keys = answered.into_iter().chain([other]);
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
pub(crate) fn hostile() -> impl Strategy<Value = (Vec<Field>, String)> {
    let piece = prop_oneof![
        "[\\x00-\\x7f]{0,3}",
        "(\\\\u[0-9a-fA-F]{4}|\\\\.|\"|,|:|\\{|\\}|\\[|\\]|null|1|-|é){0,2}",
    ];
    let damaged = (submission(), any::<prop::sample::Index>(), 0..3_usize, piece);
    let damaged = damaged.prop_map(|((fields, row), at, length, piece)| {
        let mut chars: Vec<char> = serde_json::to_string(&row).unwrap().chars().collect();
        let at = at.index(chars.len());
        let end = (at + length).min(chars.len());
        chars.splice(at..end, piece.chars());
        (fields, chars.into_iter().collect())
    });
    let odd = prop::sample::select(VALUES).prop_map(|value| (fields(), with_answer(value)));
    prop_oneof![3 => damaged, 1 => odd]
}
