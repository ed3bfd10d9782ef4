//! Tests of valid NDJSON, and of the errors for invalid lines.

use super::*;

fn read_lines(file: &str) -> Vec<Result<ParsedSubmission, String>> {
    let form = "frm_1".parse().unwrap();
    NdjsonLines::new(file.as_bytes(), form).map(|draft| draft.map_err(|e| e.to_string())).collect()
}

#[track_caller]
fn read_one(line: &str) -> ParsedSubmission {
    read_lines(line).pop().unwrap().unwrap()
}

#[track_caller]
fn assert_rejected(line: &str, message: &str) {
    let file = format!("{{\"answers\":{{}}}}\n{line}\n");
    let error = read_lines(&file).into_iter().find_map(Result::err).unwrap();
    assert!(error.starts_with("line 2: ") && error.contains(message), "{error}");
}

#[test]
fn format_of_specification_is_accepted() {
    let complete = concat!(
        r#"{"id":"sub_1","form_id":"frm_1","#,
        r#""answers":{"b":"x","a":1.10},"#,
        r#""metadata":{"submitted_at":"2026-03-01T09:30:00Z","ip_country":"DE","#,
        r#""device":"mobile","browser":"Firefox","#,
        r#""completion_time_seconds":42,"utm_source":"x","#,
        r#""utm_medium":null,"utm_campaign":null},"#,
        r#""ai_insights":{"sentiment":"mixed","sentiment_score":0.5,"#,
        r#""categories":["a"],"language":"en"}}"#,
    );
    let at = Timestamp::parse("2026-01-01").unwrap();
    let submission = read_one(complete).complete("frm_1".parse().unwrap(), at, || unreachable!());
    let back = serde_json::to_string(&submission).unwrap();
    assert_eq!(back, complete);
}

#[test]
fn only_answers_are_required() {
    for line in [
        r#"{"answers":{"a":1}}"#,
        r#"{"id":null,"form_id":null,"answers":{"a":1},"metadata":null,"ai_insights":null}"#,
        r#"{"answers":{"a":1},"metadata":{"submitted_at":null,"completion_time_seconds":null}}"#,
    ] {
        let draft = read_one(line);
        assert_eq!((draft.id, draft.submitted_at, draft.insight), (None, None, None));
        assert_eq!(draft.answers["a"], 1);
    }
    let insight =
        read_one(r#"{"answers":{},"ai_insights":{"sentiment":"odd","categories":null}}"#).insight;
    assert_eq!(insight.unwrap().sentiment.as_deref(), Some("odd"));
}

#[test]
fn bom_crlf_and_blank_lines_are_accepted() {
    let drafts = read_lines("\u{feff}{\"answers\":{}}\r\n\r\n  \n{\"answers\":{}}");
    let lines: Vec<_> = drafts.into_iter().map(|draft| draft.unwrap().line).collect();
    assert_eq!(lines, [1, 4]);
    assert!(read_lines("").is_empty());
}

#[test]
fn hostile_text_is_unchanged() {
    let draft = read_one(r#"{"answers":{"a":"\u0000\u202e\ud83d\ude00 <b>\r\n"}}"#);
    assert_eq!(draft.answers["a"], "\0\u{202e}😀 <b>\r\n");
}

#[test]
fn invalid_line_is_reported_with_reason() {
    assert_rejected("{", "is not JSON: EOF while parsing");
    assert_rejected("[]", "must be a JSON object, a submission, but is a list");
    assert_rejected("null", "expected a JSON object");
    assert_rejected("7", "expected a JSON object");
    assert_rejected("{\"answers\":{}} x", "is not JSON: trailing characters at byte 16");
    assert_rejected(r#"{"answers":{},"colour":1}"#, "unknown field `colour`");
    assert_rejected(r#"{"answers":{},"answers":{}}"#, "duplicate field `answers`");
    assert_rejected(r#"{"answers":{"a":1,"a":2}}"#, "`a` occurs twice");
    assert_rejected(r#"{"answers":[1]}"#, "expected a JSON object");
    assert_rejected(r#"{"answers":{"a":{"b":1}}}"#, "the answer `a` must be");
    assert_rejected(r#"{"answers":{},"id":"7"}"#, "`id` is wrong: an id here is `sub_`");
    assert_rejected(r#"{"answers":{},"id":7}"#, "expected a string");
    assert_rejected(r#"{"answers":{},"form_id":"frm_2"}"#, "`form_id` must be `frm_1`");
    assert_rejected(
        r#"{"answers":{},"metadata":{"submitted_at":"yesterday"}}"#,
        "`metadata.submitted_at` must be an ISO 8601 date",
    );
    assert_rejected(
        r#"{"answers":{},"metadata":{"submitted_at":"2026-02-30"}}"#,
        "but is `2026-02-30`",
    );
    assert_rejected(r#"{"answers":{},"metadata":{"submitted_at":7}}"#, "but is `7`");
    assert_rejected(
        r#"{"answers":{},"metadata":{"colour":7}}"#,
        "`metadata.colour` is not a member",
    );
    assert_rejected(r#"{"answers":{},"metadata":{"ip_country":"Germany"}}"#, "two-letter code");
    assert_rejected(r#"{"answers":{},"metadata":{"completion_time_seconds":-1}}"#, "whole number");
    assert_rejected(r#"{"answers":{},"metadata":{"completion_time_seconds":1.5}}"#, "whole number");
    assert_rejected(r#"{"answers":{},"metadata":{"device":["x"]}}"#, "a text or null");
    assert_rejected(r#"{"answers":{},"ai_insights":{"sentiment_score":1.1}}"#, "from 0 to 1");
    assert_rejected(
        r#"{"answers":{},"ai_insights":{"categories":"a"}}"#,
        "a list of at most 100 texts",
    );
    assert_rejected(
        r#"{"answers":{},"ai_insights":{"mood":"a"}}"#,
        "`ai_insights.mood` is not a member",
    );
    let deep = format!(r#"{{"answers":{{"a":{}1{}}}}}"#, "[".repeat(500), "]".repeat(500));
    assert_rejected(&deep, "contains an object or a list within a list");
}

#[test]
fn invalid_utf8_or_long_line_is_rejected() {
    let form: FormId = "frm_1".parse().unwrap();
    let bytes = b"{\"answers\":{\"a\":\"\xff\"}}\n";
    let error = NdjsonLines::new(&bytes[..], form.clone()).next().unwrap().unwrap_err();
    assert_eq!(error.to_string(), "line 1: is not UTF-8 at byte 18");
    let padded = |bytes: usize| {
        let mut line = b"{\"answers\":{}}".to_vec();
        line.resize(bytes, b' ');
        line.extend_from_slice(b"\r\n");
        NdjsonLines::new(&line[..], form.clone()).next().unwrap().is_ok()
    };
    let long = format!("{}\n{{\"answers\":{{}}}}\n", "x".repeat(3 * LINE_BYTES_MAX));
    let read = read_lines(&long);
    assert!(read[0].as_ref().unwrap_err().starts_with("line 1: a line has at most"), "{read:?}");
    assert_eq!((read.len(), read[1].as_ref().unwrap().line), (2, 2));
    assert!(padded(LINE_BYTES_MAX));
    assert!(!padded(LINE_BYTES_MAX + 1));
}

proptest::proptest! {
    #[test]
    fn any_bytes_never_panic(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..200)) {
        for draft in NdjsonLines::new(&bytes[..], "frm_1".parse().unwrap()).take(50) {
            let _ = draft;
        }
    }

    #[test]
    fn any_json_never_panics(
        line in r#"\{("(id|answers|metadata|ai_insights|x)":?|[\[\]{},:0-9.eE-]|null|"x"){0,20}"#
    ) {
        let _ = read_lines(&line);
    }
}

#[test]
fn private_parser_key_is_no_number() {
    let key = "$serde_json::private::Number";
    assert_rejected(&format!(r#"{{"answers":{{"{key}":"1"}}}}"#), "cannot be a field's name");
    for number in
        [format!(r#"{{"{key}":"1"}}"#), r#"{"\u0024serde_json::private::Number":"1"}"#.into()]
    {
        assert_rejected(
            &format!(r#"{{"answers":{{"a":{number}}}}}"#),
            "the answer `a` must be a text",
        );
        assert_rejected(
            &format!(r#"{{"answers":{{"a":["x",{number}]}}}}"#),
            "the answer `a` must be a text",
        );
        let seconds =
            format!(r#"{{"answers":{{}},"metadata":{{"completion_time_seconds":{number}}}}}"#);
        assert_rejected(&seconds, "`metadata.completion_time_seconds` must be a whole number");
    }
}

#[test]
fn invalid_or_conflicting_keys_are_rejected() {
    assert_rejected(r#"{"answers":{"\ud800":1}}"#, "is not JSON");
    assert_rejected(r#"{"answers":{"a\udc00b":1}}"#, "is not JSON");
    assert_rejected(r#"{"answers":{"a":{"b":1},"a.b":2}}"#, "the answer `a` must be a text");
    assert_rejected(r#"{"answers":{"a.b":2,"a":{"b":1}}}"#, "the answer `a` must be a text");
}

#[test]
fn list_and_lone_surrogate_are_rejected() {
    assert_rejected(r#"["sub_1",null,{"a":1},null,null]"#, "must be a JSON object");
    assert_rejected(r#"{"answers":{"a":"\ud800"}}"#, "`a` is not JSON");
    assert_rejected(
        &format!(r#"{{"answers":{{"a":{}1{}}}}}"#, "[".repeat(100), "]".repeat(100)),
        "list within",
    );
}
