//! Tests of criteria for fields: which answers match, which parameters are valid, and their limits.

use crate::filter::{FIELD_CRITERIA_MAX, FieldOperator, operators_of};
use crate::{Answers, Field, FieldType, ListQuery};
use proptest::prelude::*;

fn field(kind: FieldType) -> Field {
    let key = "q".to_owned();
    Field { id: "fld_q".parse().unwrap(), name: key.clone(), key, kind, hidden: false }
}

fn answers(answer: &str) -> Answers {
    let json = if answer.is_empty() { "{}".to_owned() } else { format!(r#"{{"q":{answer}}}"#) };
    serde_json::from_str(&json).unwrap()
}

/// Returns whether the answer, as JSON or empty for none, matches `fld_q=value`.
#[track_caller]
fn matches(kind: FieldType, value: &str, answer: &str) -> bool {
    let query = format!("fld_q={}", crate::query::percent_encode(value));
    let mut fields = ListQuery::parse(&query).unwrap().filter.fields;
    assert!(!fields.matches(&answers(answer)), "unresolved criteria match nothing");
    fields.resolve(&[field(kind)]).unwrap();
    fields.matches(&answers(answer))
}

#[track_caller]
fn check(kind: FieldType, value: &str, matching: &[&str], others: &[&str]) {
    for answer in matching {
        assert!(matches(kind, value, answer), "{kind} {value} {answer}");
    }
    for answer in others {
        assert!(!matches(kind, value, answer), "{kind} {value} {answer}");
    }
}

#[test]
fn text_is_compared_folded_and_trimmed() {
    let text = FieldType::LongText;
    check(
        text,
        "eq: STRASSE ",
        &[r#"" Straße\n""#, r#"["x","straße"]"#],
        &[r#""Straße 1""#, r#"["str","asse"]"#, ""],
    );
    check(FieldType::Email, "eq:A@b.example", &[r#""a@B.example""#], &[r#""a@b""#]);
    check(text, "contains:E\u{301}\"", &[r#""caf\u00e9\"s""#], &[r#""cafe\"""#, ""]);
    check(text, "eq:1.50", &["1.50", r#""1.50""#], &["1.5"]);
    check(text, "eq:a:b", &[r#""A:B""#], &[r#""b""#]);
}

#[test]
fn numbers_are_compared_by_value() {
    for kind in [FieldType::Number, FieldType::Rating] {
        check(kind, "eq:1.5", &["1.50", r#"" 1.5 ""#, "[3,1.5]"], &["1.51", r#""x""#, ""]);
        check(kind, "gte:-2", &["-2.0", "1e3", r#""0""#], &["-2.01", "true", r#""2 m""#, ""]);
        check(kind, "lte:10", &["9", "10"], &["10.5", "null", "[]"]);
        check(kind, "contains:5", &["1.50"], &["1.4"]);
    }
    check(
        FieldType::Number,
        "eq:12345678901234567890123",
        &["12345678901234567890123"],
        &["12345678901234567890124"],
    );
}

#[test]
fn dates_are_compared_by_day() {
    let date = FieldType::Date;
    check(
        date,
        "eq:2026-03-01",
        &[r#""2026-03-01""#, r#""2026-03-01T23:59:00-08:00""#, r#"" 2026-03-01 10:00""#],
        &[r#""2026-03-02""#, r#""01.03.2026""#, r#""2026-03-01x""#, r#""""#],
    );
    check(date, "gte:2026-03-01", &[r#""2026-03-01""#], &[r#""2026-02-28""#, r#""soon""#]);
    check(date, "lte:2026-03-01T12:00", &[r#""2026-03-01T13:00""#], &[r#""2026-03-02""#]);
}

#[test]
fn options_are_compared_exactly() {
    for kind in [FieldType::Choice, FieldType::Choices] {
        check(
            kind,
            "eq:Red",
            &[r#""Red""#, r#"["Blue","Red"]"#],
            &[r#""red""#, r#""Red ""#, r#""Red; Blue""#, ""],
        );
    }
    check(FieldType::Choices, "contains:RE", &[r#"["Blue","Red"]"#], &[r#"["R","e"]"#]);
    check(FieldType::Boolean, "eq:true", &["true", r#""true""#], &["false", r#""yes""#]);
}

#[test]
fn negation_matches_absent_answers() {
    for kind in FieldType::ALL {
        let absent = ["", "null", r#""""#, r#"" \n\u3000""#, "[]", r#"[""," "]"#];
        check(kind, "empty", &absent, &["0", "false", r#""x""#, r#"["","x"]"#]);
        check(kind, "filled", &["0", "false", r#"["","x"]"#], &absent);
        let value = if kind == FieldType::Date { "2026-03-01" } else { "1" };
        check(kind, &format!("ne:{value}"), &absent, &[&format!("\"{value}\"")]);
    }
}

#[test]
fn invalid_parameters_are_rejected() {
    let bound = "must compare with a number such as `0.5` or a date, but is";
    for (query, problem) in [
        (
            "fld_q=like:x",
            "must be one of `eq:…`, `ne:…`, `contains:…`, `gte:…`, `lte:…`, `empty`, `filled`, but \
             is `like:x`",
        ),
        ("fld_q=eq:%20", "needs a value after `eq:`; for no answer, use `empty`"),
        ("fld_q=gte:soon", &format!("{bound} `gte:soon`")),
        (
            &format!("fld_q=eq:{}", "é".repeat(201)),
            "must have a value of at most 200 characters, but has 201",
        ),
    ] {
        let error = ListQuery::parse(query).unwrap_err();
        assert_eq!(error.message, format!("`fld_q` {problem}"), "{query}");
    }
    for shape in ["eq", "empty:", "empty:x", "EQ:x", ":x", " eq:x"] {
        let query = format!("fld_q={}", crate::query::percent_encode(shape));
        assert_eq!(ListQuery::parse(&query).unwrap_err().parameter, "fld_q", "{shape}");
    }
    assert_eq!(ListQuery::parse("fld_%20=eq:x").unwrap_err().parameter, "fld_ ");
    assert!(ListQuery::parse("fld_q=").unwrap().filter.is_empty());
}

#[test]
fn form_decides_which_criteria_fit() {
    let resolve = |kind, value: &str| {
        let query = ListQuery::parse(&format!("fld_q={value}")).unwrap();
        let mut fields = query.filter.fields;
        fields.resolve(&[field(kind)]).map_err(|error| error.message)
    };
    let error = |kind, value| resolve(kind, value).unwrap_err();
    assert_eq!(
        error(FieldType::Choice, "gte:1"),
        "`fld_q` is `gte:1`, but only number, rating and date fields support `gte`; the type of \
         this field is `choice`"
    );
    assert_eq!(
        error(FieldType::Rating, "eq:x"),
        "`fld_q` must compare with a number such as `0.5`, but is `eq:x`"
    );
    assert_eq!(
        error(FieldType::Date, "lte:5"),
        "`fld_q` must compare with a date such as `2026-03-01`, but is `lte:5`"
    );
    assert!(resolve(FieldType::Number, "gte:2026-03-01").is_err());
    assert!(resolve(FieldType::Date, "contains:5").is_ok());
    let mut unknown = ListQuery::parse("fld_other=filled").unwrap().filter.fields;
    assert_eq!(
        unknown.resolve(&[field(FieldType::Text)]).unwrap_err().message,
        "`fld_other` is not a field of this form; leave it out"
    );
}

#[test]
fn criteria_are_combined_and_limited() {
    let query = ListQuery::parse("fld_q=gte:2&fld_a=filled&fld_q=lte:4&fld_q=gte:2").unwrap();
    assert_eq!(query.to_query_string(), "fld_a=filled&fld_q=gte:2&fld_q=lte:4");
    let mut fields = ListQuery::parse("fld_q=gte:2&fld_q=lte:4").unwrap().filter.fields;
    fields.resolve(&[field(FieldType::Number)]).unwrap();
    assert!(fields.matches(&answers("3")) && !fields.matches(&answers("5")));
    let many = |count: usize| {
        let parts: Vec<String> = (0..count).map(|n| format!("fld_q=eq:{n}")).collect();
        ListQuery::parse(&parts.join("&"))
    };
    assert!(many(FIELD_CRITERIA_MAX).is_ok());
    assert_eq!(
        many(FIELD_CRITERIA_MAX + 1).unwrap_err().message,
        "`fld_q` exceeds the limit of 10 criteria for fields; leave some out"
    );
}

proptest! {
    /// The two ways to match agree.
    #[test]
    fn texts_match_as_answers_do(
        kind in proptest::sample::select(&FieldType::ALL[..]),
        operator in proptest::sample::select(&FieldOperator::ALL[..]),
        value in "[aAéß1 .-]{1,3}|1|2026-03-01",
        items in proptest::collection::vec("[aAéßẞ1 .-]{0,3}|1|2026-03-0[12]T?", 0..3),
    ) {
        let mut fields = crate::filter::FieldCriteria::default();
        let Ok(criterion) =
            crate::filter::FieldCriterion::new("fld_q".parse().unwrap(), operator, &value)
        else {
            return Ok(());
        };
        fields.add(criterion).unwrap();
        let is_supported = operators_of(kind).any(|it| it == operator);
        if fields.resolve(&[field(kind)]).is_err() {
            return Ok(());
        }
        prop_assert!(is_supported);
        let matcher = fields.matchers().unwrap().remove(0);
        let texts: Vec<String> = items
            .iter()
            .map(|it| if matcher.compares_folded() { crate::fold::fold(it) } else { it.clone() })
            .collect();
        let by_texts = matcher.matches_texts(texts.iter().map(String::as_str));
        let answer = serde_json::json!(items);
        prop_assert_eq!(by_texts, matcher.matches(Some(&answer)));
        let folded: Vec<String> = items.iter().map(|it| crate::fold::fold(it)).collect();
        if let Some((text, is_whole)) = matcher.required_text()
            && by_texts
        {
            let has = |it: &String| if is_whole { *it == text } else { it.contains(&*text) };
            prop_assert!(folded.iter().any(has));
        }
    }
}
