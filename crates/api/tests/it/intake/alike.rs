//! Accepted answers are returned unchanged by get, list and both exports: property tests.

use super::ServiceWithForm;
use contract::submission::answer_text;
use contract::{Intake, query};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use serde_json::{Map, Number, Value};
use tokio::runtime::Runtime;

const FIELDS: [&str; 5] = ["a", "Ünï \"cöde\"", "=1+1", "a.b[0]", "long"];

fn any_scalar() -> impl Strategy<Value = Value> {
    let number = |text: String| Value::Number(serde_json::from_str::<Number>(&text).unwrap());
    prop_oneof![
        4 => "\\PC{0,12}".prop_map(Value::String),
        1 => "[\r\n\t,;\"'=+@\\-]{0,6}".prop_map(Value::String),
        1 => any::<bool>().prop_map(Value::Bool),
        1 => Just(Value::Null),
        1 => "-?[1-9][0-9]{0,25}".prop_map(number),
        1 => "-?0\\.[0-9]{1,20}".prop_map(number),
    ]
}

fn any_answers() -> impl Strategy<Value = Map<String, Value>> {
    let value = prop_oneof![3 => any_scalar(), 1 => prop::collection::vec(any_scalar(), 0..4).prop_map(Value::Array)];
    let member = (prop::sample::select(FIELDS.to_vec()), value);
    prop::collection::vec(member, 1..6)
        .prop_map(|all| all.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

/// Runs each case on the same form. Its newest submission is the one of the case.
fn check<S: Strategy>(
    strategy: &S,
    test: impl Fn(&Runtime, &ServiceWithForm, S::Value) -> Result<(), TestCaseError>,
) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let fixture = runtime.block_on(async {
        let fixture = ServiceWithForm::with_fields(&FIELDS).await;
        let intake = Intake { address_limit: None, form_limit: None, ..Intake::default() };
        fixture.app.store.update_intake(&fixture.form.id, intake).await.unwrap();
        fixture
    });
    let cases = if test_servers::is_full_run() { 48 } else { 16 };
    let mut runner =
        TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    runner.run(strategy, |value| test(&runtime, &fixture, value)).unwrap();
}

/// Returns the newest submission by list and both exports, which must agree.
async fn newest_submission(fixture: &ServiceWithForm) -> (Value, Vec<String>) {
    fixture.advance_second();
    let path = format!("/v1/forms/{}/submissions", fixture.form.id);
    let list = fixture.app.get(&fixture.key, &format!("{path}?limit=1")).await.json();
    let json = fixture.app.get(&fixture.key, &format!("{path}/export?format=json")).await.json();
    assert_eq!(json["data"][0].to_string(), list["data"][0].to_string());
    let ids: Vec<&str> = fixture.form.fields.iter().map(|field| field.id.as_str()).collect();
    let ids = ids.join(",");
    let csv = fixture.app.get(&fixture.key, &format!("{path}/export?fields={ids}")).await.body;
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let row = reader.records().next().unwrap().unwrap();
    (list["data"][0].clone(), row.iter().map(str::to_owned).collect())
}

#[test]
fn json_answers_are_returned_unchanged() {
    check(&any_answers(), |runtime, fixture, answers| {
        runtime.block_on(async {
            let sent = Value::Object(answers.clone());
            let answer = fixture.submit_json(&sent.to_string()).await;
            prop_assert_eq!(answer["answers"].to_string(), sent.to_string());
            let (listed, cells) = newest_submission(fixture).await;
            prop_assert_eq!(listed.to_string(), answer.to_string());
            let expected = FIELDS.map(|key| answers.get(key).map(answer_text).unwrap_or_default());
            prop_assert_eq!(cells, expected);
            Ok(())
        })
    });
}

#[test]
fn form_answers_are_returned_unchanged() {
    let texts = prop::collection::vec("\\PC{1,12}", FIELDS.len());
    check(&texts, |runtime, fixture, texts| {
        runtime.block_on(async {
            let pair = |(key, text): (&&str, &String)| {
                format!("{}={}", query::percent_encode(key), query::percent_encode(text))
            };
            let body: Vec<_> = FIELDS.iter().zip(&texts).map(pair).collect();
            let kind = [("content-type", "application/x-www-form-urlencoded")];
            let answer = fixture.get(&fixture.send(&kind, body.join("&")).await).await;
            let members = FIELDS.iter().zip(&texts);
            let expected: Map<_, _> =
                members.map(|(key, text)| ((*key).to_owned(), text.clone().into())).collect();
            prop_assert_eq!(&answer["answers"], &Value::Object(expected));
            let (listed, cells) = newest_submission(fixture).await;
            prop_assert_eq!(listed, answer);
            prop_assert_eq!(cells, texts);
            Ok(())
        })
    });
}
