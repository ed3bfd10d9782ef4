use super::*;
use contract::{Metadata, Timestamp};
use proptest::prelude::*;
use serde_json::json;

fn field(key: &str, kind: FieldType) -> Field {
    let id = format!("fld_{key}").parse().unwrap();
    Field { id, key: key.to_owned(), name: key.to_owned(), kind, hidden: false }
}

fn tally_answers(kind: FieldType, answers: &[Value]) -> Distributions {
    let mut tally = AnswerTally::for_fields(&[field("a", kind)]);
    for answer in answers {
        tally.add(&Submission {
            id: "sub_1".parse().unwrap(),
            form_id: "frm_1".parse().unwrap(),
            answers: serde_json::from_value(json!({ "a": answer })).unwrap(),
            metadata: Metadata::at(Timestamp::parse("2026-03-01").unwrap()),
            ai_insights: None,
        });
    }
    tally.finish(true)
}

fn frequent_words(texts: &[&str]) -> String {
    let texts: Vec<Value> = texts.iter().map(|text| json!(text)).collect();
    let found = tally_answers(FieldType::LongText, &texts).texts;
    let words = found.iter().flat_map(|field| &field.words);
    words.map(|word| format!("{} {}", word.value, word.count)).collect::<Vec<_>>().join(", ")
}

#[test]
fn quartiles_are_answers_and_texts_are_read() {
    let answers = [json!(4), json!("1"), json!(" 2.5 "), json!(3), json!("many"), json!(null)];
    let found = tally_answers(FieldType::Number, &answers);
    let numbers = &found.numbers[0];
    assert_eq!((found.submissions, numbers.answers), (6, 4));
    let quartiles = [numbers.lower_quartile, numbers.median, numbers.upper_quartile];
    assert_eq!((numbers.min, quartiles, numbers.max), (1.0, [1.0, 2.5, 3.0], 4.0));
    let values: Vec<_> = numbers.ranges.iter().map(|range| (range.from, range.to)).collect();
    assert_eq!(values, [(1.0, 1.0), (2.5, 2.5), (3.0, 3.0), (4.0, 4.0)]);
    assert_eq!(tally_answers(FieldType::Number, &[json!("many")]).numbers, []);
}

#[test]
fn equal_numbers_have_one_range() {
    let numbers =
        &tally_answers(FieldType::Number, &[json!(-0.0), json!(0), json!("0")]).numbers[0];
    let range = NumberRangeCount { from: 0.0, to: 0.0, count: 3 };
    assert_eq!((&numbers.ranges[..], numbers.median), (&[range][..], 0.0));
}

#[test]
fn many_numbers_have_round_ranges() {
    let starts = |from: u32, to: u32, divisor: f64| -> Vec<f64> {
        let answers: Vec<_> = (from..=to).map(|n| json!(f64::from(n) / divisor)).collect();
        let numbers = &tally_answers(FieldType::Number, &answers).numbers[0];
        numbers.ranges.iter().map(|range| range.from).collect()
    };
    assert_eq!(starts(18, 84, 1.0), [10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0]);
    assert_eq!(starts(5, 16, 100.0), [0.04, 0.06, 0.08, 0.1, 0.12, 0.14, 0.16]);
}

#[test]
fn words_without_stop_words_are_counted_once_per_answer() {
    let english = frequent_words(&[
        "The delivery was late, the delivery was very late.",
        "I don’t know when my Delivery arrives: mail a@example.com",
        "see https://example.com/late",
    ]);
    assert_eq!(english, "delivery 2");
    let german = frequent_words(&[
        "Die Lieferung kam leider viel zu spät bei mir an",
        "Ich warte noch immer auf die Lieferung von gestern",
    ]);
    assert_eq!(german, "lieferung 2");
    assert_eq!(frequent_words(&["unique", "words 12 12", "x y"]), "");
}

#[test]
fn numbers_and_words_are_those_of_filters() {
    let answers = [json!(".5"), json!("+4"), json!("inf"), json!("5.")];
    let numbers = &tally_answers(FieldType::Number, &answers).numbers[0];
    assert_eq!((numbers.answers, numbers.min), (1, 0.5));
    let english = frequent_words(&["It isn’t the customer’s fault", "A customer’s right isn’t it"]);
    assert_eq!(english, "customer’s 2");
}

#[test]
fn hidden_and_other_fields_are_not_read() {
    let hidden = Field { hidden: true, ..field("n", FieldType::Number) };
    let tally = AnswerTally::for_fields(&[hidden, field("e", FieldType::Email)]);
    assert!(tally.numbers.is_empty() && tally.texts.is_empty());
}

proptest! {
    #[test]
    fn ranges_contain_every_number_once(
        values in prop::collection::vec(prop_oneof![any::<f64>(), -9.0..9.0_f64], 1..60),
    ) {
        let answers: Vec<Value> = values.iter().map(|value| json!(value)).collect();
        let expected = values.iter().filter(|value| value.abs() < 1e15).count() as u64;
        let found = tally_answers(FieldType::Number, &answers).numbers;
        prop_assert_eq!(found.first().map_or(0, |found| found.answers), expected);
        prop_assume!(expected > 0);
        let found = &found[0];
        prop_assert_eq!(found.ranges.iter().map(|range| range.count).sum::<u64>(), expected);
        for pair in found.ranges.windows(2) {
            prop_assert!(pair[0].to <= pair[1].from && pair[0].from < pair[1].from);
        }
        prop_assert!(found.ranges.len() <= usize::from(RANGES_MAX));
        prop_assert!(found.min <= found.lower_quartile && found.lower_quartile <= found.median);
        prop_assert!(found.median <= found.upper_quartile && found.upper_quartile <= found.max);
    }
}
