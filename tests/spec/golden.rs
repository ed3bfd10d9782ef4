//! Known bytes: without the parameters that the specification lacks, `/v1` answers as it always
//! has. The stored responses are those of commit 5525c010, the last one before these parameters.

use crate::app::{App, TestKey, TestResponse};
use contract::{Form, Submission};
use http::Method;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Creates submissions. Some have equal times, difficult texts or no metadata.
fn submissions(form: &Form) -> Vec<Submission> {
    const TEXTS: [&str; 6] =
        ["say \"hi\"", "two\r\nlines", "=1+1", "Straße, é", "日本語 ✓", "</b>"];
    let number: Value = serde_json::from_str("12345678901234567890.10").unwrap();
    let make = |n: usize| {
        let text = TEXTS[n / 3 % TEXTS.len()];
        let answers = match n % 3 {
            0 => json!({ "name": number, "note": text }),
            1 => json!({ "note": text, "name": ["One, two", true, null] }),
            _ => json!({ "unknown": text }),
        };
        let known = n.is_multiple_of(2);
        serde_json::from_value(json!({
            "id": format!("sub_{n:03}"), "form_id": form.id, "answers": answers,
            "metadata": {
                "submitted_at": format!("2026-01-{:02}T10:00:00.00000{}Z", 1 + n / 4, n % 4 / 2),
                "ip_country": known.then_some("DE"), "device": known.then_some("mobile"),
                "browser": known.then_some("Firefox"),
                "completion_time_seconds": known.then_some(n),
                "utm_source": known.then_some("google"), "utm_medium": known.then_some("cpc"),
                "utm_campaign": known.then_some("spring 26"),
            },
            "ai_insights": n.is_multiple_of(4).then(|| json!({
                "sentiment": "positive", "sentiment_score": 0.75,
                "categories": ["Price, delivery"], "language": "en",
            })),
        }))
        .unwrap()
    };
    (0..30).map(make).collect()
}

/// Formats a response with its headers in order of name. Identifiers and cursors, which differ in
/// each run, have fixed names.
fn format_response(request: &str, response: &TestResponse, replaced: &[(&str, &str)]) -> String {
    let mut text = format!("> {request}\n{}\n", response.status);
    let mut headers: Vec<_> = response.headers.iter().collect();
    headers.sort_by_key(|(name, _)| name.as_str());
    for (name, value) in headers {
        writeln!(text, "{name}: {}", value.to_str().unwrap()).unwrap();
    }
    let body = response.body.escape_debug().to_string().replace("\\\"", "\"");
    writeln!(text, "{body}\n").unwrap();
    replaced.iter().fold(text, |text, (value, name)| text.replace(value, name))
}

struct Recorder {
    app: App,
    key: TestKey,
    form: Form,
    /// The last cursor of a response.
    cursor: Option<String>,
    text: String,
}

impl Recorder {
    async fn record(&mut self, method: Method, path: &str) -> TestResponse {
        let path = path.replace("FORM", self.form.id.as_str());
        let path = path.replace("FIELD_1", self.form.fields[0].id.as_str());
        let response = self.app.call(method.clone(), &self.key, &path).await;
        let parsed: Option<Value> = serde_json::from_str(&response.body).ok();
        let cursor = parsed.as_ref().and_then(|body| body["pagination"]["next_cursor"].as_str());
        let mut replaced = vec![(self.form.id.as_str(), "FORM")];
        replaced.extend(cursor.map(|cursor| (cursor, "NEXT_CURSOR")));
        replaced.extend(self.cursor.as_ref().map(|cursor| (cursor.as_str(), "CURSOR")));
        for (field, name) in self.form.fields.iter().zip(["FIELD_1", "FIELD_2"]) {
            replaced.push((field.id.as_str(), name));
        }
        self.text += &format_response(&format!("{method} {path}"), &response, &replaced);
        if let Some(cursor) = cursor {
            self.cursor = Some(cursor.to_owned());
        }
        response
    }
}

#[tokio::test]
async fn responses_have_known_bytes() {
    let (app, key, form) = App::with_form(&["name", "note"]).await;
    app.submit(&form, submissions(&form)).await;
    let mut recorder = Recorder { app, key, form, cursor: None, text: String::new() };
    let list = "/v1/forms/FORM/submissions";
    for query in [
        "",
        "?limit=2&cursor=",
        "?search=stra%C3%9Fe",
        "?date_from=2026-01-03&date_to=2026-01-04",
        "?date_from=2026-01-03T10:00:00.000001Z&limit=3",
        "?utm_source=google&utm_medium=cpc&utm_campaign=spring%2026&limit=1",
        "?utm_source=none",
        "?limit=0",
        "?cursor=x",
        "?search=a&search=b",
    ] {
        recorder.record(Method::GET, &format!("{list}{query}")).await;
    }
    let first = recorder.record(Method::GET, &format!("{list}?limit=7")).await;
    let cursor = first.json()["pagination"]["next_cursor"].as_str().unwrap().to_owned();
    recorder.record(Method::GET, &format!("{list}?limit=7&cursor={cursor}")).await;
    for path in ["/v1/submissions/sub_004", "/v1/submissions/sub_x", "/v1/forms/frm_x/submissions"]
    {
        recorder.record(Method::GET, path).await;
    }
    for format in ["json", "csv", "xml"] {
        let path = format!("/v1/forms/FORM/submissions/export?format={format}&utm_source=google");
        recorder.record(Method::GET, &path).await;
    }
    recorder.record(Method::GET, &format!("{list}/export")).await;
    recorder.record(Method::GET, &format!("{list}/export?fields=FIELD_1")).await;
    for _ in 0..2 {
        recorder.record(Method::DELETE, "/v1/submissions/sub_004").await;
    }
    recorder.record(Method::POST, "/v1/submissions/sub_004").await;
    recorder.record(Method::GET, &format!("{list}?limit=1")).await;
    insta::assert_snapshot!(recorder.text);
}
