//! Plain HTML forms: their bodies, the pages for the sender, and redirects.

use super::ServiceWithForm;
use crate::app::TestResponse;
use contract::{FieldType, Intake};
use serde_json::json;

const ACCEPT: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
const FORM: (&str, &str) = ("content-type", "application/x-www-form-urlencoded");
const BROWSER: [(&str, &str); 2] = [FORM, ("accept", ACCEPT)];

#[track_caller]
fn check_page(answer: &TestResponse, status: u16, language: &str, expected: &str) {
    assert_eq!(answer.status, status, "{}", answer.body);
    assert_eq!(answer.header("content-type"), "text/html; charset=utf-8");
    assert!(answer.body.contains(&format!("<html lang=\"{language}\">")), "{}", answer.body);
    assert!(answer.body.contains(expected), "{expected}: {}", answer.body);
    let policy = answer.header("content-security-policy");
    assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"), "{policy}");
    assert!(!answer.body.contains("<script"));
}

/// Follows the redirect after an accepted form.
async fn follow_redirect(
    fixture: &ServiceWithForm,
    answer: &TestResponse,
    headers: &[(&str, &str)],
) -> TestResponse {
    assert_eq!(answer.status, 303, "{}", answer.body);
    let location = answer.header("location");
    assert_eq!(location, format!("{}/thanks", fixture.form.id));
    open_in_browser(fixture, &format!("/f/{location}"), headers).await
}

/// Opens a path as a browser.
async fn open_in_browser(
    fixture: &ServiceWithForm,
    path: &str,
    headers: &[(&str, &str)],
) -> TestResponse {
    use tower::ServiceExt as _;
    let mut request = http::Request::get(path).header("accept", ACCEPT);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let router = api::intake_router(fixture.app.service.clone());
    let request = request.body(axum::body::Body::empty()).unwrap();
    crate::app::read(router.oneshot(request).await.unwrap()).await
}

#[tokio::test]
async fn thank_you_page_is_in_browser_language() {
    let fixture = ServiceWithForm::start().await;
    let sent = fixture.send(&BROWSER, "name=Ada+L.&note=%E2%9C%93").await;
    check_page(&follow_redirect(&fixture, &sent, &[]).await, 200, "en", "Thank you");
    let german =
        [("accept-language", "de-DE,de;q=0.9,en;q=0.8"), ("referer", "https://a.example/contact")];
    let sent = fixture.send(&[&BROWSER[..], &german].concat(), "name=Eve").await;
    let answer = follow_redirect(&fixture, &sent, &german).await;
    check_page(&answer, 200, "de", "Vielen Dank");
    assert!(answer.body.contains("href=\"https://a.example/contact\""), "{}", answer.body);
    assert_eq!(fixture.count_submissions().await, 2);
}

#[tokio::test]
async fn double_click_counts_once() {
    let fixture = ServiceWithForm::start().await;
    let send = async |address: &str, body: &str| {
        let answer =
            fixture.send_to(fixture.form.id.as_str(), address, &BROWSER, body.to_owned()).await;
        assert_eq!(answer.status, 303, "{}", answer.body);
    };
    // Not at a whole second.
    fixture.app.clock.advance_ms(900);
    // The first click is faster than the form allows, so it is spam. The next ones are not.
    send("192.0.2.1:7", "name=Ada&_elapsed_seconds=0").await;
    assert_eq!(fixture.count_submissions().await, 0);
    // A double click, with another completion time each.
    let clicks = ["name=Ada&_elapsed_seconds=5", "name=Ada&_elapsed_seconds=6", "name=Ada"];
    futures_util::future::join_all(clicks.map(|body| send("192.0.2.1:7", body))).await;
    assert_eq!(fixture.count_submissions().await, 1);
    fixture.app.clock.advance_ms(9_200);
    send("192.0.2.1:8", "name=Ada").await;
    assert_eq!(fixture.count_submissions().await, 1);
    send("192.0.2.1:7", "name=Ada&note=x").await;
    send("192.0.2.2:7", "name=Ada").await;
    assert_eq!(fixture.count_submissions().await, 3, "other answers and senders count");
    fixture.app.clock.advance_ms(2_000);
    send("192.0.2.1:7", "name=Ada").await;
    assert_eq!(fixture.count_submissions().await, 4, "a later one counts");
    for _ in 0..2 {
        assert_eq!(
            fixture.send(&[FORM], "name=Ada").await.status,
            201,
            "scripts are not deduplicated"
        );
    }
    assert_eq!(fixture.count_submissions().await, 6);
}

#[tokio::test]
async fn script_that_sends_form_gets_json() {
    let fixture = ServiceWithForm::start().await;
    for accept in ["*/*", "application/json", "application/json, text/html"] {
        let answer = fixture.send(&[FORM, ("accept", accept)], "name=Ada").await;
        let stored = fixture.get(&answer).await;
        assert_eq!(stored["answers"], json!({"name": "Ada"}));
    }
    let answer = fixture.send(&[FORM], "name=Ada").await;
    assert_eq!(answer.header("content-type"), "application/json");
    let json = [("content-type", "application/json"), ("accept", ACCEPT)];
    let answer = fixture.send(&json, r#"{"name":"Ada"}"#).await;
    assert_eq!(answer.status, 201, "JSON requests get JSON");
}

#[tokio::test]
async fn browser_gets_errors_as_pages() {
    let fixture = ServiceWithForm::start().await;
    let answer = open_in_browser(&fixture, &format!("/f/{}", fixture.form.id), &[]).await;
    check_page(&answer, 405, "en", "does not take this method");
    assert!(answer.header("allow").contains("POST"));
    let set = async |intake| {
        fixture.app.store.update_intake(&fixture.form.id, intake).await.unwrap();
        fixture.advance_second();
    };
    set(Intake { strict: true, ..Intake::default() }).await;
    check_page(&fixture.send(&BROWSER, "nme=Ada").await, 400, "en", "`nme` is not a field");
    let answer = fixture.send(&BROWSER, "%3Cscript%3E=x").await;
    check_page(&answer, 400, "en", "`&lt;script&gt;`");
    let large = "x".repeat(262_145);
    check_page(&fixture.send(&BROWSER, large).await, 413, "en", "at most 262144 bytes");
    let lost = fixture.send_to("frm_x", "192.0.2.1:7", &BROWSER, "name=x").await;
    check_page(&lost, 404, "en", "no such form");
    set(Intake { address_limit: Some(1), ..Intake::default() }).await;
    let mut answer = fixture.send(&BROWSER, "name=x").await;
    while answer.status == 303 {
        answer = fixture.send(&BROWSER, "name=x").await;
    }
    check_page(&answer, 429, "en", "Please wait");
    assert_ne!(answer.header("retry-after"), "");
}

#[tokio::test]
async fn error_pages_are_in_browser_language() {
    let fixture = ServiceWithForm::start().await;
    let strict = Intake { strict: true, ..Intake::default() };
    fixture.app.store.update_intake(&fixture.form.id, strict).await.unwrap();
    let headers = |kind| [("content-type", kind), ("accept", ACCEPT), ("accept-language", "de")];
    let check = async |kind: &'static str, body: String, status: u16, expected: &str| {
        fixture.advance_second();
        let answer = fixture.send(&headers(kind), body).await;
        check_page(&answer, status, "de", expected);
        assert!(answer.body.contains("lang=\"de\">") && !answer.body.contains("auf Englisch"));
        assert!(!answer.body.contains("lang=\"en\""), "{}", answer.body);
    };
    let parts = "multipart/form-data; boundary=XX";
    let part = |header: &str, text: &str| {
        format!("--XX\r\nContent-Disposition: form-data{header}\r\n\r\n{text}\r\n--XX--\r\n")
    };
    let long = |key: &str, count: usize| format!("{key}={}", "x".repeat(count));
    let pairs = |count: usize| (0..count).map(|n| format!("k{n}")).collect::<Vec<_>>().join("&");
    for (body, status, expected) in [
        ("nme=Ada".to_owned(), 400, "`nme` ist kein Feld dieses Formulars"),
        (String::new(), 400, "füllen Sie ein Feld aus"),
        (long(&"k".repeat(1001), 1), 400, "höchstens 1000 Bytes"),
        (long("name", 32_769), 400, "höchstens 32768 Bytes haben, hat aber 32769"),
        (long("name", 262_145), 413, "höchstens 262144 Bytes"),
        (pairs(4001), 400, "höchstens 4000 Eingaben"),
        ("name=x&".repeat(201), 400, "höchstens 200 Werte"),
    ] {
        check(FORM.1, body, status, expected).await;
    }
    let large = "x".repeat(11 * 1024 * 1024);
    let large = part("; name=\"a\"; filename=\"b\"", &large);
    check(parts, large, 413, "höchstens 10485760 Bytes").await;
    for (body, expected) in
        [(part("", "x"), "muss einen Namen haben"), ("--XX\r\n".to_owned(), "kam unvollständig an")]
    {
        check(parts, body, 400, expected).await;
    }
    check("text/plain", "name=Ada".to_owned(), 415, "`enctype`").await;
    let lost = fixture.send_to("frm_x", "192.0.2.1:7", &headers(FORM.1), "name=x").await;
    check_page(&lost, 404, "de", "Dieses Formular gibt es nicht");
    let origins = vec!["https://a.example".to_owned()];
    let intake = Intake { origins, ..Intake::default() };
    fixture.app.store.update_intake(&fixture.form.id, intake).await.unwrap();
    fixture.advance_second();
    let sent = [&headers(FORM.1)[..], &[("origin", "https://b.example")]].concat();
    check_page(&fixture.send(&sent, "name=x").await, 403, "de", "Seiten von `https://b.example`");
    // Sends faster than a user could.
    while fixture.send(&sent, "name=x").await.status != 429 {}
    check_page(&fixture.send(&sent, "name=x").await, 429, "de", "Zu viele Anfragen");
}

#[tokio::test]
async fn browser_is_redirected_to_allowed_urls_only() {
    let fixture = ServiceWithForm::start().await;
    let redirects = vec!["https://a.example/thanks".to_owned(), "https://b.example".to_owned()];
    let intake = Intake { redirects, ..Intake::default() };
    fixture.app.store.update_intake(&fixture.form.id, intake).await.unwrap();
    let go = async |to: &str| {
        fixture.app.clock.advance_ms(10_000);
        let to = contract::query::percent_encode(to);
        fixture.send(&BROWSER, format!("name=Ada&_redirect={to}")).await
    };
    for good in ["https://a.example/thanks", "https://a.example/thanks?ok=1", "https://b.example/x"]
    {
        let answer = go(good).await;
        assert_eq!((answer.status, answer.header("location")), (303, good));
    }
    for bad in [
        "https://evil.example/",
        "https://a.example/",
        "//b.example/",
        "https://b.example@evil.example/",
        "https://b.example\\@evil.example/",
        "https://b.example.evil.example/",
        "javascript:alert(1)",
        "https://b.example/\r\nset-cookie: x",
    ] {
        let answer = go(bad).await;
        let thanks = format!("{}/thanks", fixture.form.id);
        assert_eq!((answer.status, answer.header("location")), (303, &*thanks), "{bad}");
    }
    assert_eq!(fixture.count_submissions().await, 11, "all submissions are stored");
    let script = fixture.send(&[FORM], "name=Ada&_redirect=https://b.example/").await;
    assert_eq!((script.status, script.header("location")), (201, ""));
}

#[tokio::test]
async fn texts_are_converted_to_field_types() {
    let fixture = ServiceWithForm::with_fields(&[]).await;
    let fields = [
        ("n", FieldType::Number),
        ("b", FieldType::Boolean),
        ("c", FieldType::Choices),
        ("t", FieldType::Text),
    ];
    let field = |(key, kind): (&str, FieldType)| contract::Field {
        id: format!("fld_{key}").parse().unwrap(),
        key: key.to_owned(),
        name: key.to_owned(),
        kind,
        hidden: false,
    };
    let fields = fields.map(field).to_vec();
    let none = Box::new(std::iter::empty());
    fixture.app.store.insert_submissions(&fixture.form.id, fields, none).await.unwrap();
    let answer = fixture.send(&[FORM], "n=4.50&b=on&c=red&t=4&t=").await;
    let stored = fixture.get(&answer).await;
    assert_eq!(stored["answers"].to_string(), r#"{"n":4.50,"b":true,"c":["red"],"t":"4"}"#);
    let answer = fixture.send(&[FORM], "n=four&b=maybe&c%5B%5D=red&c%5B%5D=blue&t=").await;
    let stored = fixture.get(&answer).await;
    assert_eq!(stored["answers"].to_string(), r#"{"n":"four","b":"maybe","c":["red","blue"]}"#);
    for both in ["c=red&c%5B%5D=blue", "c%5B0%5D=red&c%5B1%5D=blue"] {
        let stored = fixture.get(&fixture.send(&[FORM], both).await).await;
        assert_eq!(stored["answers"], json!({"c": ["red", "blue"]}), "{both}");
    }
}

#[tokio::test]
async fn numbered_keys_are_separate_questions() {
    let fixture = ServiceWithForm::with_fields(&[]).await;
    let check = async |sent: &str, answers: serde_json::Value| {
        let answer = fixture.get(&fixture.send(&[FORM], sent.to_owned()).await).await;
        assert_eq!(answer["answers"], answers, "{sent}");
    };
    check("q[12]=a&q[15]=b&q[]=c", json!({"q[12]": "a", "q[15]": "b", "q": ["c"]})).await;
    // The form has the field `q` now.
    check("q[0]=a&q[1]=b", json!({"q": ["a", "b"]})).await;
    check("row[1][name]=a&x[y]=b&[]=c", json!({"row[1][name]": "a", "x[y]": "b", "[]": "c"})).await;
}

#[tokio::test]
async fn hidden_input_of_checkbox_makes_no_list() {
    let fixture = ServiceWithForm::with_fields(&[]).await;
    let answer =
        fixture.get(&fixture.send(&[FORM], "agree=&agree=yes&news=off&news=on").await).await;
    assert_eq!(answer["answers"], json!({"agree": "yes", "news": true}));
}

#[tokio::test]
async fn odd_keys_and_empty_inputs_are_accepted() {
    let fixture = ServiceWithForm::with_fields(&[]).await;
    let check = async |sent: String, answers: serde_json::Value| {
        let answer = fixture.get(&fixture.send(&[FORM], sent.clone()).await).await;
        assert_eq!(answer["answers"], answers, "{sent:.40}");
    };
    check("Your%0D%0Aname=Ada".to_owned(), json!({"Your\r\nname": "Ada"})).await;
    check("=x&%20=y&%20[]=z".to_owned(), json!({"unnamed": ["x", "y", "z"]})).await;
    check("a%00=b%00c".to_owned(), json!({"a\u{fffd}": "b\u{fffd}c"})).await;
    let empty: Vec<_> = (0..600).map(|n| format!("k{n}=")).collect();
    check(format!("{}&k600=x", empty.join("&")), json!({"k600": "x"})).await;
    // Inputs of frameworks are ignored, whether valid or not.
    let state = "x".repeat(40_000);
    let wide = "_page=a&".repeat(300);
    check(format!("name=Ada&__VIEWSTATE={state}&_x=%00&{wide}"), json!({"name": "Ada"})).await;
}

#[tokio::test]
async fn multipart_form_is_accepted() {
    let fixture = ServiceWithForm::start().await;
    let kind = ("content-type", "multipart/form-data; boundary=XX");
    let body = "--XX\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\nAda\r\n--XX--\r\n";
    let answer = fixture.send(&[kind, ("accept", ACCEPT)], body).await;
    check_page(&follow_redirect(&fixture, &answer, &[]).await, 200, "en", "Thank you");
    let stored = fixture.get(&fixture.send(&[kind], body).await).await;
    assert_eq!(stored["answers"], json!({"name": "Ada"}));
}

/// Uses pages of other services. Only the form's URL was changed.
#[tokio::test]
async fn pages_for_other_services_work_unchanged() {
    let fixture = ServiceWithForm::with_fields(&[]).await;
    let redirects = vec!["https://a.example".to_owned()];
    let intake = Intake { redirects, ..Intake::default() };
    fixture.app.store.update_intake(&fixture.form.id, intake).await.unwrap();
    let formspree = "name=Ada&_replyto=ada%40example.org&message=Hello&_subject=New+message\
                     &_next=https%3A%2F%2Fa.example%2Fthanks&_language=en&_format=plain&_gotcha=";
    let answer = fixture.send(&BROWSER, formspree).await;
    assert_eq!((answer.status, answer.header("location")), (303, "https://a.example/thanks"));
    let answers = json!({"name": "Ada", "_replyto": "ada@example.org", "message": "Hello",
                         "_subject": "New message"});
    assert_eq!(fixture.get(&fixture.send(&[FORM], formspree).await).await["answers"], answers);
    let form = fixture.app.store.find_form(&fixture.form.id).await.unwrap().unwrap().form;
    let keys: Vec<_> = form.fields.iter().map(|field| field.key.as_str()).collect();
    assert_eq!(keys, ["name", "_replyto", "message"]);
    for body in [
        "name=Ada&form-name=contact&bot-field=",
        "name=Ada&access_key=1234&botcheck=&redirect=https%3A%2F%2Fa.example%2Fx",
        "name=Ada&g-recaptcha-response=03AG&utf8=%E2%9C%93&authenticity_token=a&_honey=",
        "name=Ada&_captcha=false&_template=table&_wpnonce=1&_anything=x",
    ] {
        let stored = fixture.get(&fixture.send(&[FORM], body).await).await;
        assert_eq!(stored["answers"], json!({"name": "Ada"}), "{body}");
    }
    for honeypot in ["_gotcha", "_honey", "bot-field", "botcheck"] {
        fixture.advance_second();
        let total = fixture.count_submissions().await;
        // A page may send an empty input twice, or report an unchecked box.
        let twice = format!("name=Ada&{honeypot}=&{honeypot}=false");
        assert_eq!(fixture.send(&[FORM], twice).await.status, 201);
        assert_eq!(
            fixture.count_submissions().await,
            total + 1,
            "{honeypot}: an empty one is not spam"
        );
        let filled = format!("name=Ada&{honeypot}=x&{honeypot}=");
        assert_eq!(fixture.send(&[FORM], filled).await.status, 201);
        assert_eq!(fixture.count_submissions().await, total + 1, "{honeypot}");
    }
}

#[tokio::test]
async fn field_takes_precedence_over_control_input() {
    let fixture =
        ServiceWithForm::with_fields(&["redirect", "bot-field", "_subject", "utf8", "_tags"]).await;
    let answer =
        fixture.get(&fixture.send(&[FORM], "redirect=a&bot-field=b&_subject=c&utf8=d").await).await;
    let answers = json!({"redirect": "a", "bot-field": "b", "_subject": "c", "utf8": "d"});
    assert_eq!(answer["answers"], answers);
    let answer = fixture.get(&fixture.send(&[FORM], "utf8=d&_tags[]=a&_tags[]=b").await).await;
    assert_eq!(answer["answers"], json!({"utf8": "d", "_tags": ["a", "b"]}));
}
