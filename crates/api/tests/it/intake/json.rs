//! JSON bodies: accepted ones are stored unchanged, invalid ones are rejected by name.

use super::ServiceWithForm;
use serde_json::{Value, json};

#[tokio::test]
async fn stored_answers_are_returned_unchanged() {
    let fixture =
        ServiceWithForm::with_fields(&["Name", "Score", "ok", "tags", "none", "long"]).await;
    let sent = r#"{"Name":"Ada \"the\" 1st\r\n✓","Score":4.50,"ok":true,"tags":["a",1,false,null],"none":null,"long":12345678901234567890123}"#;
    let answer = fixture.post(sent).await;
    let stored = fixture.get(&answer).await;
    assert_eq!(stored["answers"].to_string(), sent);
    assert_eq!(stored["id"], answer.json()["data"]["id"]);
    assert_eq!(stored["form_id"], fixture.form.id.as_str());
    assert_eq!(stored["metadata"]["submitted_at"], answer.json()["data"]["submitted_at"]);
    assert_eq!(answer.json()["data"]["submitted_at"], "2026-03-01T12:00:00Z");
    assert_eq!(stored["ai_insights"], Value::Null);
    assert_eq!(answer.json().as_object().unwrap().len(), 1);
    assert_eq!(answer.json()["data"].as_object().unwrap().len(), 2);
}

#[tokio::test]
async fn sender_sets_nothing_but_answers() {
    let fixture = ServiceWithForm::start().await;
    let metadata = json!({
        "submitted_at": "2000-01-01T00:00:00Z", "ip_country": "XK", "device": "toaster",
        "browser": "x", "completion_time_seconds": 7, "utm_source": "x", "utm_medium": "x",
        "utm_campaign": "x",
    });
    let insight = json!({"sentiment": "positive", "sentiment_score": 1, "categories": ["x"],
                         "language": "xx"});
    for (key, value) in [
        ("id", json!("sub_mine")),
        ("form_id", json!("frm_other")),
        ("answers", json!({"name": "x"})),
        ("metadata", metadata.clone()),
        ("ai_insights", insight.clone()),
        ("submitted_at", json!("2000-01-01T00:00:00Z")),
        ("spam", json!(true)),
        ("account", json!("acc_planted")),
        ("environment", json!("test")),
        ("seq", json!(1)),
        ("version", json!(7)),
        ("__proto__", json!("x")),
    ] {
        fixture.advance_second();
        let sent = json!({"name": "Ada", key: value});
        let answer = fixture.submit_json(&sent.to_string()).await;
        assert_ne!(answer["id"], "sub_mine");
        assert_eq!(answer["form_id"], fixture.form.id.as_str());
        assert_eq!(answer["answers"]["name"], "Ada", "{key}");
        assert_eq!(answer["ai_insights"], Value::Null, "{key}");
        for (member, planted) in metadata.as_object().unwrap() {
            assert_ne!(answer["metadata"][member], *planted, "{key}");
        }
    }
    for members in [&metadata, &insight] {
        for (key, value) in members.as_object().unwrap() {
            fixture.advance_second();
            let answer = fixture.submit_json(&json!({"name": "Ada", key: value}).to_string()).await;
            // UTM values are the exception: they are control inputs.
            if !key.starts_with("utm_") {
                assert_ne!(answer["metadata"][key], *value, "{key}");
                assert_eq!(answer["ai_insights"], Value::Null, "{key}");
            }
        }
    }

    // If a form has fields of these names, they are answers only.
    let names = ["id", "form_id", "account", "submitted_at", "ip_country", "device"];
    let fixture = ServiceWithForm::with_fields(&names).await;
    let sent = r#"{"id":"sub_mine","form_id":"frm_x","account":"acc_x","submitted_at":"2000-01-01T00:00:00Z","ip_country":"XK","device":"toaster"}"#;
    let answer = fixture.submit_json(sent).await;
    assert_eq!(answer["answers"].to_string(), sent);
    assert_ne!(answer["id"], "sub_mine");
    assert_eq!(answer["form_id"], fixture.form.id.as_str());
    let metadata = &answer["metadata"];
    assert_eq!(metadata["submitted_at"], "2026-03-01T12:00:00Z");
    for key in ["ip_country", "device", "browser", "completion_time_seconds"] {
        assert_eq!(metadata[key], Value::Null, "{key}");
    }
}

#[tokio::test]
async fn invalid_json_is_rejected_by_name() {
    let fixture = ServiceWithForm::start().await;
    let check = async |body: Vec<u8>, expected: &str| {
        let sent = String::from_utf8_lossy(&body).chars().take(60).collect::<String>();
        let answer = fixture.send(&[("content-type", "application/json")], body).await;
        assert_eq!(answer.error(), (400, "validation_error".to_owned()), "{sent}");
        assert!(answer.body.contains(expected), "{sent}: {}", answer.body);
        fixture.advance_second();
    };
    let text = |text: &str| text.as_bytes().to_vec();
    check(text(""), "must be JSON").await;
    check(text("null"), "must be JSON").await;
    check(text("[1]"), "must be JSON").await;
    check(text("\"x\""), "must be JSON").await;
    check(text("{\"name\":\"x\"} x"), "must be JSON").await;
    check(text("{\"name\":\"x\""), "must be JSON").await;
    check(text("{name:1}"), "must be JSON").await;
    check(text("{\"name\":NaN}"), "must be JSON").await;
    check(text("{\"name\":01}"), "must be JSON").await;
    check(text("{}"), "at least one answer").await;
    check(text(r#"{"_page":"x"}"#), "at least one answer").await;
    check(text(r#"{"name":"a","name":"b"}"#), "`name` is repeated").await;
    check(text(r#"{"name":"a","na\u006de":"b"}"#), "`name` is repeated").await;
    check(b"{\"name\":\"\xff\"}".to_vec(), "is not UTF-8").await;
    check(b"{\"name\":\"\xed\xa0\x80\"}".to_vec(), "is not UTF-8").await;
    check(text(&format!("{{\"a\":\"{}\"}}", "\\u0000".repeat(10_923))), "at most 32768 bytes")
        .await;
    check(text(r#"{"name":{"a":1},"name.a":2}"#), "`name.a` is repeated").await;
    check(text(r#"{"name":{"a":1,"a":2}}"#), "`name.a` is repeated").await;
    check(text(r#"{"name":1e999}"#), "fits a double, but is `1e+999`").await;
    check(text(r#"{"name":[-1e999]}"#), "fits a double").await;
    check(text(&format!("{{\"name\":{}}}", "9".repeat(65))), "at most 64 characters").await;
    check(text(&format!("{{\"name\":{}1", "[".repeat(100_000))), "EOF").await;
    let deep = format!("{{\"name\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    check(deep.into(), "nested 8 levels deep").await;
    let deep = format!("{}1{}", "{\"a\":".repeat(9), "}".repeat(9));
    check(deep.into(), "`a.a.a.a.a.a.a.a` is deeper").await;
    // A key is checked before it is copied into nested keys.
    let below: Vec<_> = (0..4002).map(|n| format!("\"k{n}\":1")).collect();
    let long = format!("{{\"{}\":{{{}}}}}", "k".repeat(100_000), below.join(","));
    check(long.into(), "at most 1000 bytes").await;
    let members: Vec<_> = (0..501).map(|n| format!("\"k{n}\":1")).collect();
    check(format!("{{\"name\":{{{}}}}}", members.join(",")).into(), "at most 500 answers").await;
    assert_eq!(fixture.count_submissions().await, 0);
    assert_eq!(
        fixture.app.store.find_form(&fixture.form.id).await.unwrap().unwrap().form,
        fixture.form
    );
}

#[tokio::test]
async fn nested_objects_become_dotted_keys() {
    let fixture = ServiceWithForm::start().await;
    let check = async |sent: &str, answers: Value| {
        fixture.advance_second();
        assert_eq!(fixture.submit_json(sent).await["answers"], answers, "{sent}");
    };
    check(
        r#"{"name":{"first":"Ada","of":{"x":[1,"b",null]}},"n":1.5}"#,
        json!({"name.first": "Ada", "name.of.x": [1, "b", null], "n": 1.5}),
    )
    .await;
    check(
        r#"{"items":[{"sku":"A-1","n":2},{"sku":"B-2"},"x"],"l":[[1],[2,3]]}"#,
        json!({"items.0.sku": "A-1", "items.0.n": 2, "items.1.sku": "B-2", "items.2": "x",
               "l.0": [1], "l.1": [2, 3]}),
    )
    .await;
    check(r#"{"name":"Ada","empty":{},"list":[]}"#, json!({"name": "Ada", "list": []})).await;
    let deepest = format!("{}1{}", "{\"a\":".repeat(8), "}".repeat(8));
    check(&deepest, json!({"a.a.a.a.a.a.a.a": 1})).await;
}

#[tokio::test]
async fn json_is_decoded_in_its_encoding() {
    let fixture = ServiceWithForm::start().await;
    let check = async |kind: &str, body: Vec<u8>| {
        fixture.advance_second();
        let answer = fixture.send(&[("content-type", kind)], body).await;
        assert_eq!(fixture.get(&answer).await["answers"], json!({"name": "J\u{fc}rg"}), "{kind}");
    };
    let text = "{\"name\":\"J\u{fc}rg\"}";
    check("application/json", text.into()).await;
    check("application/json", [b"\xef\xbb\xbf", text.as_bytes()].concat()).await;
    let latin = b"{\"name\":\"J\xfcrg\"}".to_vec();
    check("application/json; charset=\"ISO-8859-1\"", latin.clone()).await;
    let unnamed = fixture.send(&[("content-type", "application/json")], latin).await;
    assert_eq!(unnamed.status, 400);
    assert!(unnamed.body.contains("`charset`"), "{}", unnamed.body);
    let wide = |order: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(order).collect::<Vec<_>>();
    let little = wide(u16::to_le_bytes);
    let big = wide(u16::to_be_bytes);
    for utf16 in [[b"\xff\xfe", &little[..]].concat(), little, big] {
        let refused = fixture.send(&[("content-type", "application/json")], utf16).await;
        assert!(refused.body.contains("is UTF-16; send it as UTF-8"), "{}", refused.body);
    }
}

#[tokio::test]
async fn private_keys_of_parser_are_rejected() {
    let fixture = ServiceWithForm::start().await;
    let check = async |json: &str, expected: &str| {
        fixture.advance_second();
        let answer = fixture.post(json).await;
        assert_eq!(answer.status, 400, "{}", answer.body);
        assert!(answer.body.contains(expected), "{expected}: {}", answer.body);
    };
    // The parser would parse each level again, with a new depth limit.
    let mut endless = "1".to_owned();
    for _ in 0..13 {
        let within = json!(endless);
        let open = "[".repeat(120);
        let close = "]".repeat(120);
        endless = format!("{open}{{\"$serde_json::private::RawValue\":{within}}}{close}");
    }
    check(&format!("{{\"name\":{endless}}}"), "nested 8 levels deep").await;
    for type_name in ["Number", "RawValue"] {
        let object = format!("{{\"$serde_json::private::{type_name}\":\"1\"}}");
        check(&format!("{{\"name\":{object}}}"), "cannot be an answer key").await;
        check(&format!("{{\"name\":[{object}]}}"), "cannot be an answer key").await;
        check(&format!("{{\"name\":\"x\",{}", &object[1..]), "cannot be an answer key").await;
        check(&object.replace('$', "\\u0024"), "cannot be an answer key").await;
    }
    assert_eq!(fixture.count_submissions().await, 0);
}

#[tokio::test]
async fn odd_keys_and_texts_are_stored() {
    let fixture = ServiceWithForm::start().await;
    let sent = r#"{"name":"\ud83d","note":["\udc00\ud800 x","a\ud83d\ude00"]}"#;
    let answers = fixture.submit_json(sent).await["answers"].clone();
    let replaced = "\u{fffd}\u{fffd} x";
    assert_eq!(answers, json!({"name": "\u{fffd}", "note": [replaced, "a\u{1f600}"]}));
    let answer = fixture
        .submit_json(r#"{"":"a","b\nc\u0000":["d\u0000",1],"_e":"\u0000","_f\u0000":[{}]}"#)
        .await;
    assert_eq!(answer["answers"], json!({"unnamed": "a", "b\nc\u{fffd}": ["d\u{fffd}", 1]}));
    let answer = fixture.submit_json(r#"{"":1," ":2,"unnamed":3,"a\u0000":4,"a\ufffd":5}"#).await;
    let answers =
        json!({"unnamed": 1, "unnamed 2": 2, "unnamed 3": 3, "a\u{fffd}": 4, "a\u{fffd} 4": 5});
    assert_eq!(answer["answers"], answers);
}

#[tokio::test]
async fn sizes_are_accepted_up_to_limit() {
    let names: Vec<String> = (0..500).map(|n| format!("f{n}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let fixture = ServiceWithForm::with_fields(&names).await;
    let check = async |fits: Value, exceeds: Value, expected: &str| {
        fixture.advance_second();
        let answer = fixture.post(&fits.to_string()).await;
        assert_eq!(answer.status, 201, "{expected}: {}", answer.body);
        let answer = fixture.post(&exceeds.to_string()).await;
        assert_eq!(answer.status, 400, "{expected}");
        assert!(answer.body.contains(expected), "{}", answer.body);
    };
    let text = |n: usize| json!({"f0": "x".repeat(n)});
    check(text(32 * 1024), text(32 * 1024 + 1), "at most 32768 bytes, but has 32769").await;
    let items = |n: usize| json!({"f0": vec![1; n]});
    check(items(200), items(201), "at most 200 items, but has 201").await;
    let long = |n: usize| json!({"f0": 1, "k".repeat(n): 1});
    let answer = fixture.post(&long(1001).to_string()).await;
    assert!(answer.body.contains("at most 1000 bytes") && answer.body.contains("has 1001"));
    let members: serde_json::Map<_, _> = (0..4001).map(|n| (format!("k{n}"), json!(1))).collect();
    let answer = fixture.post(&Value::Object(members).to_string()).await;
    assert!(answer.body.contains("at most 4000 members, but has 4001"), "{}", answer.body);
    // A form with more fields than the limit accepts an answer to each.
    let names: Vec<String> = (0..600).map(|n| format!("f{n}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let fixture = ServiceWithForm::with_fields(&names).await;
    let all_members: serde_json::Map<_, _> =
        names.iter().map(|n| ((*n).to_owned(), json!(1))).collect();
    assert_eq!(fixture.post(&Value::Object(all_members).to_string()).await.status, 201);
}

#[tokio::test]
async fn oversized_and_unsupported_bodies_are_rejected() {
    let fixture = ServiceWithForm::start().await;
    for headers in [
        &[][..],
        &[("content-type", "text/plain")],
        &[("content-type", "application/jsonx")],
        &[("content-type", "application/json"), ("content-encoding", "gzip")],
        &[("content-type", "application/json"), ("content-encoding", "identity")],
    ] {
        let answer = fixture.send(headers, r#"{"name":"x"}"#).await;
        assert_eq!(answer.error(), (415, "validation_error".to_owned()), "{headers:?}");
    }
    let good = [("content-type", "Application/JSON ; charset=UTF-8")];
    assert_eq!(fixture.send(&good, r#"{"name":"x"}"#).await.status, 201);
    let declared = [("content-type", "application/json"), ("content-length", "262145")];
    let answer = fixture.send(&declared, "{}").await;
    assert_eq!(answer.error(), (413, "validation_error".to_owned()));
    assert!(answer.body.contains("at most 262144 bytes, but has 262145"), "{}", answer.body);
    let answer = fixture.post(&" ".repeat(262_145)).await;
    assert_eq!(answer.error(), (413, "validation_error".to_owned()));
}
