//! Metadata from hidden inputs, headers and the client's address (specification, section 2).

use super::ServiceWithForm;
use api::Country;
use axum::body::Body;
use http::Request;
use serde_json::{Value, json};
use tower::ServiceExt;

#[tokio::test]
async fn hidden_inputs_set_completion_time() {
    let fixture = ServiceWithForm::start().await;
    let check = async |hidden: &str, seconds: Value| {
        fixture.advance_second();
        let answer = fixture.submit_json(&format!(r#"{{"name":"x",{hidden}}}"#)).await;
        assert_eq!(answer["metadata"]["completion_time_seconds"], seconds, "{hidden}");
        assert_eq!(answer["answers"], json!({"name": "x"}));
    };
    check(r#""_elapsed_seconds":61"#, json!(61)).await;
    check(r#""_elapsed_seconds":"61.9""#, json!(61)).await;
    check(r#""_elapsed_seconds":1e9"#, json!(86_400)).await;
    check(r#""_elapsed_seconds":-5"#, Value::Null).await;
    check(r#""_elapsed_seconds":"""#, Value::Null).await;
    check(r#""_started_at":"2026-03-01T11:59:00Z""#, json!(66)).await;
    check(r#""_started_at":1772366340000"#, json!(67)).await;
    check(r#""_started_at":"1772366340000""#, json!(68)).await;
    check(r#""_started_at":1772366340.5"#, json!(69)).await;
    check(r#""_started_at":"1772366340""#, json!(70)).await;
    check(r#""_started_at":"2026-01-01""#, json!(86_400)).await;
    check(r#""_started_at":"2026-03-01T12:01:00Z""#, Value::Null).await;
    check(r#""_started_at":"""#, Value::Null).await;
    check(r#""_started_at":"","_elapsed_seconds":7"#, json!(7)).await;
    // Invalid values are ignored and do not reject the submission.
    check(r#""_started_at":"soon""#, Value::Null).await;
    check(r#""_elapsed_seconds":"long""#, Value::Null).await;
    // Seconds that the page counted take precedence over the sender's clock, in any order.
    check(r#""_elapsed_seconds":7,"_started_at":"2026-03-01T12:00:00Z""#, json!(7)).await;
    check(r#""_started_at":"2026-03-01T12:00:00Z","_elapsed_seconds":7"#, json!(7)).await;
    check(r#""_elapsed_seconds":[5,31.25]"#, json!(31)).await;
}

#[tokio::test]
async fn utm_prefers_last_input_then_page_then_referer() {
    let fixture = ServiceWithForm::start().await;
    let check = async |hidden: &str, utm: [Option<&str>; 3]| {
        fixture.advance_second();
        let referer = "https://a.example/?utm_source=r1&utm_medium=r2&utm_campaign=r3";
        let headers = [("content-type", "application/json"), ("referer", referer)];
        let answer = fixture.send(&headers, format!(r#"{{"name":"x"{hidden}}}"#)).await;
        let metadata = fixture.get(&answer).await["metadata"].clone();
        let is = ["utm_source", "utm_medium", "utm_campaign"].map(|name| metadata[name].clone());
        assert_eq!(is, utm.map(|value| json!(value)), "{hidden}");
    };
    check("", [Some("r1"), Some("r2"), Some("r3")]).await;
    let page = r#","_page":"https://a.example/?utm_source=p1&utm_medium=p%202""#;
    check(page, [Some("p1"), Some("p 2"), Some("r3")]).await;
    let hidden = format!(r#"{page},"utm_source":"h1""#);
    check(&hidden, [Some("h1"), Some("p 2"), Some("r3")]).await;
    check(r#","_utm_campaign":"h3","utm_medium":"""#, [Some("r1"), Some("r2"), Some("h3")]).await;
    let stored = fixture.submit_json(r#"{"name":"x","_page":"no address"}"#).await;
    assert_eq!(stored["metadata"]["utm_source"], Value::Null);
    let page = "https%3A%2F%2Fa.example%2F%3Futm_source%3D";
    let body = format!(
        "name=Ada&_page={page}old&_elapsed_seconds=12.5&_page={page}mail&_elapsed_seconds=31.25\
         &utm_medium=x&utm_medium=y"
    );
    let answer = fixture.send(&[("content-type", "application/x-www-form-urlencoded")], body).await;
    let metadata = fixture.get(&answer).await["metadata"].clone();
    assert_eq!(metadata["utm_source"], "mail");
    assert_eq!(metadata["utm_medium"], "y");
    assert_eq!(metadata["completion_time_seconds"], 31);
}

#[tokio::test]
async fn field_named_like_utm_is_an_answer() {
    let fixture = ServiceWithForm::with_fields(&["utm_source", "_page"]).await;
    let answer = fixture.submit_json(r#"{"utm_source":"a friend","_page":"7"}"#).await;
    assert_eq!(answer["answers"], json!({"utm_source": "a friend", "_page": "7"}));
    assert_eq!(answer["metadata"]["utm_source"], Value::Null);
}

#[tokio::test]
async fn device_and_browser_come_from_user_agent() {
    let fixture = ServiceWithForm::start().await;
    let check = async |agent: &str, device: Value, browser: Value| {
        let headers = [("content-type", "application/json"), ("user-agent", agent)];
        let answer = fixture.send(&headers, r#"{"name":"x"}"#).await;
        let metadata = fixture.get(&answer).await["metadata"].clone();
        assert_eq!((&metadata["device"], &metadata["browser"]), (&device, &browser), "{agent}");
        assert!(!metadata.to_string().contains("Gecko"));
    };
    let firefox = "Mozilla/5.0 (Android 15; Mobile; rv:153.0) Gecko/153.0 Firefox/153.0";
    check(firefox, json!("mobile"), json!("Firefox")).await;
    check("Gecko", Value::Null, Value::Null).await;
    let accented = "Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0 \u{e9}";
    check(accented, json!("desktop"), json!("Firefox")).await;
    let long = format!("{}Firefox/1.0", "x".repeat(5000));
    check(&long, Value::Null, Value::Null).await;
}

#[tokio::test]
async fn country_comes_from_request_extensions() {
    let fixture = ServiceWithForm::start().await;
    for (code, expected) in [
        ("de", json!("DE")),
        ("GB", json!("GB")),
        (" xk ", json!("XK")),
        ("UK", json!("GB")),
        ("EL", json!("GR")),
        ("QZ", Value::Null),
        ("YU", Value::Null),
        ("XX", Value::Null),
        ("EU", Value::Null),
        ("AP", Value::Null),
        ("T1", Value::Null),
        ("DEU", Value::Null),
        ("", Value::Null),
    ] {
        let mut request = Request::post(format!("/f/{}", fixture.form.id))
            .header("content-type", "application/json")
            .header("cf-ipcountry", "SE")
            .body(Body::from(r#"{"name":"x"}"#))
            .unwrap();
        if let Some(country) = Country::new(code) {
            request.extensions_mut().insert(country);
        }
        let router = api::intake_router(fixture.app.service.clone());
        let answer = crate::app::read(router.oneshot(request).await.unwrap()).await;
        assert_eq!(fixture.get(&answer).await["metadata"]["ip_country"], expected, "{code}");
    }
}

#[tokio::test]
async fn client_address_is_never_stored() {
    let fixture = ServiceWithForm::start().await;
    let json = [("content-type", "application/json")];
    let from = "203.0.113.197:4711";
    for body in [r#"{"name":"x"}"#, r#"{"name":"x","_gotcha":"x"}"#] {
        assert_eq!(fixture.send_to(fixture.form.id.as_str(), from, &json, body).await.status, 201);
    }
    for file in std::fs::read_dir(fixture.app.folder.path()).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        for address in [&b"203.0.113.197"[..], &[203, 0, 113, 197]] {
            assert!(!bytes.windows(address.len()).any(|window| window == address));
        }
    }
}
