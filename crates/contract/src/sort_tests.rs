//! Tests of the order of lists.

use crate::fold::fold;
use crate::submission::for_each_leaf;
use crate::{FieldType, ListQuery, Sort, SortValue, Submission, Timestamp};
use serde_json::{Value, json};

fn submission(id: &str, second: u32, answer: &Value, score: Option<f64>) -> Submission {
    let json = json!({
        "id": id,
        "form_id": "frm_1",
        "answers": {"q": answer},
        "metadata": {"submitted_at": format!("2026-03-01T00:00:{second:02}Z")},
        "ai_insights": {
            "sentiment": null, "sentiment_score": score, "categories": [], "language": null,
        },
    });
    serde_json::from_value(json).unwrap()
}

fn sort(text: &str, kind: FieldType) -> Sort {
    let json = json!({"id": "fld_q", "key": "q", "name": "Q", "type": kind});
    let mut sort = Sort::parse(text).unwrap().unwrap();
    sort.resolve(&[serde_json::from_value(json).unwrap()]).unwrap();
    sort
}

/// Returns the indexes of the answers in the order of a sort. Later ones are newer.
fn order(text: &str, kind: FieldType, answers: &[Value]) -> Vec<usize> {
    let sort = sort(text, kind);
    let keys = answers.iter().zip(0..).map(|(answer, n)| {
        (sort.key_of(&submission(&format!("sub_{n}"), n, answer, None), None), n as usize)
    });
    let mut keys: Vec<_> = keys.collect();
    keys.sort();
    keys.into_iter().map(|(_, n)| n).collect()
}

#[test]
fn answers_compare_by_type_and_missing_ones_are_last() {
    let numbers = [json!("10"), json!(9), json!("x"), json!(null), json!(["x", "9.0"]), json!(-1)];
    assert_eq!(order("fld_q", FieldType::Number, &numbers), [5, 4, 1, 0, 3, 2]);
    assert_eq!(order("-fld_q", FieldType::Rating, &numbers), [0, 4, 1, 5, 3, 2]);
    assert_eq!(order("fld_q", FieldType::Text, &numbers), [5, 0, 1, 4, 2, 3]);
    let dates = [json!("2026-03-02"), json!("2026-03-01T23:00"), json!("soon"), json!("")];
    assert_eq!(order("fld_q", FieldType::Date, &dates), [1, 0, 3, 2]);
    let texts = [json!("Straße"), json!(" "), json!("STRASSA"), json!("strasse"), json!(" apple")];
    assert_eq!(order("fld_q", FieldType::Text, &texts), [4, 2, 3, 0, 1]);
    assert_eq!(order("-fld_q", FieldType::Choice, &texts), [3, 0, 2, 4, 1]);
    assert_eq!(order("+submitted_at", FieldType::Text, &texts), [0, 1, 2, 3, 4]);
}

#[test]
fn long_values_are_cut() {
    let long = |end: &str| json!(format!("{}{end}", "1".repeat(40)));
    assert_eq!(order("fld_q", FieldType::Text, &[long("a"), long("b")]), [1, 0]);
    assert_eq!(order("fld_q", FieldType::Number, &[long("1"), json!(1)]), [1, 0]);
}

#[test]
fn values_of_texts_are_those_of_the_answer() {
    let answer = json!(["\u{3000}", " \u{c9}t\u{e9} ", {"a": 1.5, "b": "2026-03-01"}]);
    for (kind, expected) in [
        (FieldType::Text, "\u{e9}t\u{e9}"),
        (FieldType::Choices, "\u{e9}t\u{e9}"),
        (FieldType::Number, "1.5"),
        (FieldType::Date, "2026-03-01"),
    ] {
        let sort = sort("fld_q", kind);
        let mut texts = Vec::new();
        for_each_leaf(&answer, &mut |text| {
            texts.push(if sort.compares_folded() { fold(&text) } else { text.into_owned() });
        });
        let value = sort.value_of_texts(texts.iter().map(String::as_str));
        assert_eq!(value, sort.answer_value(&answer), "{kind:?}");
        let Some(SortValue::Text(text) | SortValue::Decimal(text)) = value else {
            panic!("{kind:?} has no text");
        };
        assert_eq!(text, expected);
    }
}

#[test]
fn scores_compare_as_numbers() {
    let sort = Sort::parse("-sentiment_score").unwrap().unwrap();
    let key = |second, score| sort.key_of(&submission("sub_1", second, &json!(null), score), None);
    assert!(key(0, Some(0.5)) < key(1, Some(0.25)));
    assert!(key(1, Some(0.0)) < key(0, Some(-0.0)));
    assert!(key(0, Some(0.0)) < key(1, None));
}

#[test]
fn unchanged_submissions_have_the_time_of_their_submission() {
    let sort = Sort::parse("-updated_at").unwrap().unwrap();
    let key = |second, updated_at: Option<i64>| {
        let updated_at = updated_at.map(|at| Timestamp::from_micros(at).unwrap());
        sort.key_of(&submission("sub_1", second, &json!(null), None), updated_at)
    };
    let first = Timestamp::parse("2026-03-01T00:00:00Z").unwrap().micros();
    assert!(key(0, Some(first + 2_000_000)) < key(1, None));
    assert!(key(1, None) < key(0, Some(first + 1)));
    assert_eq!(key(1, None), key(1, Some(first + 1_000_000)));
}

#[test]
fn sort_is_written_as_it_is_parsed() {
    for (text, written) in [
        ("sort=submitted_at", ""),
        ("sort=-submitted_at", ""),
        ("sort=", ""),
        ("sort=+submitted_at", "sort=%2Bsubmitted_at"),
        ("sort=%2Bsubmitted_at", "sort=%2Bsubmitted_at"),
        ("sort=%20submitted_at", "sort=%2Bsubmitted_at"),
        ("sort=completion_time_seconds", "sort=completion_time_seconds"),
        ("sort=+sentiment_score", "sort=sentiment_score"),
        ("sort=-updated_at", "sort=-updated_at"),
        ("sort=-fld_q", "sort=-fld_q"),
    ] {
        let query = ListQuery::parse(text).unwrap();
        assert_eq!(query.to_query_string(), written, "{text}");
        assert_eq!(ListQuery::parse(written).unwrap(), query, "{text}");
    }
}

#[test]
fn other_sorts_are_refused() {
    for text in ["name", "--fld_q", "fld_", "é", "-", "submitted_at,fld_q"] {
        let error = ListQuery::parse(&format!("sort={text}")).unwrap_err();
        assert_eq!(error.parameter, "sort");
        assert!(error.message.ends_with(&format!("but is `{text}`")), "{error}");
    }
    assert_eq!(ListQuery::parse("sort=fld_q&sort=fld_q").unwrap_err().parameter, "sort");
    let error = Sort::parse("fld_x").unwrap().unwrap().resolve(&[]).unwrap_err();
    assert_eq!(error.message, "`sort` names `fld_x`, which is not a field of this form");
}
