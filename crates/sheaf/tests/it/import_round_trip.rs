//! An export is imported into an empty form and exported again: both exports have the same bytes.

use crate::csv::ImportServer;
use crate::test_env::stderr_without_progress;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Map, Value, json};
use std::cell::Cell;

/// Field keys that equal a column of the export, or that need quotes.
const KEYS: [&str; 14] = [
    "Name",
    "Name (fld_z)",
    "device",
    "language",
    "submission_id",
    "submitted_at",
    "id",
    "skip",
    "a, \"b\"\nc",
    "=1+1",
    " ",
    "started_at",
    "utm_source",
    "\u{202e}x",
];

fn scalar_strategy() -> impl Strategy<Value = Value> {
    let number = "-?(0|[1-9][0-9]{0,24})(\\.[0-9]{1,6})?([eE][-+]?[0-9]{1,2})?";
    prop_oneof![
        4 => "[a; ,\"'\r\n\t=+@0-9-]{0,9}".prop_map(Value::from),
        2 => "\\PC{0,12}".prop_map(Value::from),
        2 => number.prop_map(|text| serde_json::from_str(&text).unwrap()),
        1 => prop_oneof!["(true|false|null)"].prop_map(|text| serde_json::from_str(&text).unwrap()),
        1 => prop_oneof!["2026-0[1-9]-1[0-9]", "1/2/26", "yes", "a@example\\.com", "007", "1E5"]
            .prop_map(Value::from),
    ]
}

fn answer_strategy() -> impl Strategy<Value = Value> {
    let list = prop::collection::vec(scalar_strategy(), 0..4).prop_map(Value::Array);
    prop_oneof![5 => scalar_strategy(), 1 => list]
}

fn metadata_strategy() -> impl Strategy<Value = Value> {
    let label = || prop::option::of("[a-z, \"\n=]{0,8}");
    let at = prop_oneof![0..5_i64, 0..253_402_300_799_i64];
    let rest = (prop::option::of("[A-Za-z]{2}"), prop::option::of(0..1_u64 << 53));
    (at, 0..1000_i64, label(), label(), label(), rest).prop_map(
        |(at_s, millis, device, source, campaign, (country, took))| {
            let at = contract::Timestamp::from_millis(at_s * 1000 + millis).unwrap();
            json!({
                "submitted_at": at.to_string(), "ip_country": country, "device": device,
                "browser": null, "completion_time_seconds": took, "utm_source": source,
                "utm_campaign": campaign,
            })
        },
    )
}

fn insight_strategy() -> impl Strategy<Value = Value> {
    let categories = prop::collection::vec("[a; ]{0,4}", 0..4);
    let insight = (prop::option::of("[a-z]{0,5}"), prop::option::of(0.0..=1.0), categories);
    let insight = insight.prop_map(|(sentiment, score, categories)| {
        json!({ "sentiment": sentiment, "sentiment_score": score, "categories": categories })
    });
    prop_oneof![Just(Value::Null), insight]
}

fn submissions_strategy() -> impl Strategy<Value = Vec<Value>> {
    let answers = prop::collection::vec((prop::sample::select(&KEYS[..]), answer_strategy()), 0..8)
        .prop_map(|pairs| {
            Value::Object(pairs.into_iter().map(|(k, v)| (k.to_owned(), v)).collect::<Map<_, _>>())
        });
    prop::collection::vec((answers, metadata_strategy(), insight_strategy()), 0..120).prop_map(
        |submissions| {
            let build = |(n, (answers, metadata, insight)): (usize, (Value, Value, Value))| {
                // A permutation, because 1009 is prime, so that ids are in no order.
                json!({
                    "id": format!("sub_{}", n * 7919 % 1009), "answers": answers,
                    "metadata": metadata, "ai_insights": insight,
                })
            };
            submissions.into_iter().enumerate().map(build).collect()
        },
    )
}

#[test]
fn export_survives_import_round_trip() {
    let [original, copy] = [(); 2].map(|()| ImportServer::start());
    // Ids are unique in a database, so each case has its own.
    let case = Cell::new(0);
    let cases = if test_servers::is_full_run() { 8 } else { 3 };
    let mut runner =
        TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let done = runner.run(&submissions_strategy(), |mut all| {
        case.set(case.get() + 1);
        for submission in &mut all {
            let id = format!("{}_{}", submission["id"].as_str().unwrap(), case.get());
            submission["id"] = Value::from(id);
        }
        let lines = all.iter().map(Value::to_string).collect::<Vec<_>>().join("\n");
        let form = original.env.form("--field Name --field Name --field device");
        let file = original.env.write("file.ndjson", lines);
        original.env.run(&format!("import --form {form} {file}"));
        let first = original.export(&form);

        let form = copy.env.form("");
        let file = copy.env.write("file.csv", &first);
        let printed = copy.env.run(&format!("import --form {form} --csv {file}"));
        prop_assert!(printed.starts_with("The file is an export of Sheaf, UTF-8"), "{}", printed);
        let second = copy.export(&form);
        prop_assert_eq!(String::from_utf8(first).unwrap(), String::from_utf8(second).unwrap());
        Ok(())
    });
    done.unwrap();
}

#[test]
fn import_keeps_ids_without_conflict() {
    let server = ImportServer::start();
    let env = &server.env;
    let (form, other) = (env.form(""), env.form(""));
    env.run(&format!("sample --form {form} --count 40 --seed 1"));
    let file = env.write("file.csv", server.export(&form));
    let error = env.fail(&format!("import --form {other} --csv {file}"));
    assert!(error.starts_with("line 2: the submission `sub_"), "{error}");
    assert!(
        error.ends_with("exists already; use `--new-ids` to import it again with a new id"),
        "{error}"
    );
    let shown = env.command(&format!("import --form {other} --csv {file} --dry-run"));
    let shown = { shown }.output().unwrap();
    let shown = (stderr_without_progress(&shown), String::from_utf8(shown.stdout).unwrap());
    assert_eq!(shown.1.matches("exists already; use `--new-ids`").count(), 40, "{}", shown.1);
    assert_eq!(shown.0, "error: the file has 40 problems; correct them, then import it\n");
    env.run(&format!("import --form {other} --csv {file} --new-ids"));
    assert_eq!((env.count(&form), env.count(&other)), (40, 40));
    let strip = |bytes: Vec<u8>| -> Vec<Vec<String>> {
        let mut rows = crate::csv::parse_rows(&bytes);
        for row in &mut rows {
            row.remove(0);
        }
        rows.sort();
        rows
    };
    assert_eq!(strip(server.export(&form)), strip(server.export(&other)));
}
