//! Tests of the validation of categories and corrections, and of applying a correction.

use super::*;

fn parse_categories(json: &str) -> Result<Categories, String> {
    serde_json::from_str(json).map_err(|error| error.to_string())
}

#[track_caller]
fn assert_rejected(json: &str, expected: &str) {
    let error = parse_categories(json).unwrap_err();
    assert!(error.contains(expected), "{error}");
}

#[test]
fn invalid_categories_are_rejected() {
    let categories =
        parse_categories(r#"[{"name":" delivery ","words":["deliver*","too late"]},{"name":"x"}]"#);
    let categories = categories.unwrap();
    assert_eq!(categories.as_slice()[0].name, "delivery");
    assert_eq!(categories.as_slice()[1].words, Vec::<String>::new());
    assert_eq!(parse_categories("[]"), Ok(Categories::default()));
    assert_rejected(r#"[{"name":" "}]"#, "1 to 40 characters");
    assert_rejected(r#"[{"name":"a\nb"}]"#, "on one line");
    assert_rejected(&format!(r#"[{{"name":"{}"}}]"#, "x".repeat(41)), "1 to 40 characters");
    assert_rejected(r#"[{"name":"Price"},{"name":"PRICE"}]"#, "`PRICE` is named twice");
    assert_rejected(r#"[{"name":"a","words":["*"]}]"#, "a letter or digit");
    assert_rejected(r#"[{"name":"a","word":["x"]}]"#, "unknown field `word`");
    let json_of = |count: usize| {
        let categories: Vec<_> = (0..count).map(|n| format!(r#"{{"name":"n{n}"}}"#)).collect();
        format!("[{}]", categories.join(","))
    };
    assert!(parse_categories(&json_of(20)).is_ok());
    assert_rejected(&json_of(21), "at most 20 categories, but has 21");
    let words = vec!["\"w\""; 61].join(",");
    assert_rejected(
        &format!(r#"[{{"name":"a","words":[{words}]}}]"#),
        "at most 60 words, but has 61",
    );
}

#[test]
fn invalid_corrections_are_rejected() {
    let validate = |json: &str| serde_json::from_str::<InsightCorrection>(json).unwrap().validate();
    assert!(validate("{}").unwrap_err().contains("`sentiment`, `categories` or `language`"));
    assert!(validate(r#"{"sentiment":"angry"}"#).unwrap_err().contains("but is `angry`"));
    assert!(validate(r#"{"language":"English"}"#).unwrap_err().contains("but is `English`"));
    assert!(validate(r#"{"categories":["a","A"]}"#).unwrap_err().contains("named twice"));
    assert!(serde_json::from_str::<InsightCorrection>(r#"{"score":1}"#).is_err());
    for code in ["en", "pt-BR", "zh-Hant", "fil"] {
        assert!(is_language(code), "{code}");
    }
    for code in ["", "e", "EN", "en-", "en_GB", "english", "en-a", "en-aaaaaaaa-bbbbbbbb"] {
        assert!(!is_language(code), "{code}");
    }
}

#[test]
fn corrected_label_removes_score() {
    // The score belongs to the label of the analysis, so only the same label keeps it.
    let found = Insight {
        sentiment: Some("positive".to_owned()),
        sentiment_score: Some(0.9),
        categories: vec!["price".to_owned()],
        language: Some("en".to_owned()),
    };
    let correct_to = |label: &str| InsightCorrection {
        sentiment: Some(label.to_owned()),
        categories: Some(vec![]),
        language: None,
    };
    let shown = correct_to("negative").apply(Some(&found));
    assert_eq!((shown.sentiment.as_deref(), shown.sentiment_score), (Some("negative"), None));
    // An empty list removes the categories; an absent member keeps the value of the analysis.
    assert_eq!((shown.categories.len(), shown.language.as_deref()), (0, Some("en")));
    assert_eq!(correct_to("positive").apply(Some(&found)).sentiment_score, Some(0.9));
    assert_eq!(correct_to("mixed").apply(None).language, None);
}
