//! Answers by field type: links, phone numbers, lists and ratings.

use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::HtmlElement;

use super::card_path;
use crate::network::{Network, Reply};
use crate::pages::{address, answer_as_gateway, forms_reply, open_submission, wait_until};
use crate::stage::{Stage, attr};

/// Returns a network whose form has these fields (name, type, answer), and a submission that
/// answers each.
fn network_with_fields(fields: &'static [(&'static str, &'static str, &'static str)]) -> Network {
    Network::new(move |asked| match asked.url.split('?').next().unwrap_or_default() {
        "/account/forms" => {
            let field = |(n, (name, kind, _)): (usize, &(&str, &str, &str))| json!({ "id": format!("fld_{n}"), "key": format!("f{n}"), "name": name, "type": kind });
            let fields: Vec<_> = fields.iter().enumerate().map(field).collect();
            forms_reply(&json!({ "fields": fields }))
        }
        "/api/live/v1/submissions/sub_900" => {
            let answer = |(n, (_, _, answer)): (usize, &(&str, &str, &str))| {
                let value = serde_json::from_str(answer).unwrap_or_else(|_| json!(answer));
                (format!("f{n}"), value)
            };
            let answers: serde_json::Map<String, Value> =
                fields.iter().enumerate().map(answer).collect();
            Reply::ok(&json!({ "data": {
                "id": "sub_900", "form_id": "frm_1", "answers": answers, "ai_insights": null,
                "metadata": { "submitted_at": "2026-01-01T00:00:00Z" },
            }}))
        }
        _ => answer_as_gateway(asked),
    })
}

async fn open_answers(query: &str) -> (Stage, Vec<HtmlElement>) {
    let stage = open_submission(&(card_path(900) + query)).await;
    let answers = stage.all(".answers-text");
    (stage, answers)
}

fn text(element: &HtmlElement) -> String {
    element.text_content().unwrap_or_default()
}

#[wasm_bindgen_test]
async fn urls_emails_and_phone_numbers_are_links() {
    let _network = network_with_fields(&[
        ("Mail", "email", "ada@example.com"),
        ("Phone", "phone", "+49 (0)30 123-456"),
        ("Extension", "phone", "ask for Ada"),
        ("Site", "url", "www.x.org/a"),
        ("Story", "long_text", "See (https://x.org/b).\nOr write to c@x.org, javascript:alert(1)."),
    ]);
    let (stage, answers) = open_answers("").await;
    let links = stage.all(".answers-text a");
    let led: Vec<_> = links.iter().map(|link| (text(link), attr(link, "href").unwrap())).collect();
    let pair = |text: &str, href: &str| (text.to_owned(), href.to_owned());
    assert_eq!(
        led,
        [
            pair("ada@example.com", "mailto:ada@example.com"),
            pair("+49 (0)30 123-456", "tel:+4930123456"),
            pair("www.x.org/a", "https://www.x.org/a"),
            pair("https://x.org/b", "https://x.org/b"),
            pair("c@x.org", "mailto:c@x.org"),
        ]
    );
    assert!(links.iter().all(|link| attr(link, "rel").unwrap().contains("noopener noreferrer")));
    let tabs: Vec<_> = links.iter().map(|link| link.has_attribute("target")).collect();
    assert_eq!(tabs, [false, false, true, true, false], "`mailto:` and `tel:` links open no tab");
    assert_eq!(text(&answers[2]), "ask for Ada");
    assert_eq!(
        text(&answers[4]),
        "See (https://x.org/b).\nOr write to c@x.org, javascript:alert(1)."
    );
}

#[wasm_bindgen_test]
async fn choices_are_a_list_and_filter_when_pressed() {
    let _network = network_with_fields(&[
        ("Colors", "choices", r#"["blue", "https://x.org/two"]"#),
        ("Score (1-5)", "rating", "4"),
        ("Words", "rating", "good"),
        ("Name", "text", "Ada"),
    ]);
    let (stage, _) = open_answers("").await;
    let items: Vec<_> = stage.all("ul.answers-list > li").iter().map(text).collect();
    assert_eq!(items, ["blue", "https://x.org/two"]);
    assert_eq!(attr(&stage.one(".answers-list a"), "href").as_deref(), Some("https://x.org/two"));
    let titles: Vec<_> = stage
        .all(".answers-text .fact-filter")
        .iter()
        .map(|one| attr(one, "title").unwrap())
        .collect();
    assert_eq!(titles, ["Filter by Colors: blue", "Filter by Score (1-5): 4"]);
    stage.all(".answers-text .fact-filter")[0].click();
    wait_until("the filter", || address().ends_with("?fld_0=eq:blue")).await;
}

#[wasm_bindgen_test]
async fn rating_has_stars_and_label() {
    let _network = network_with_fields(&[
        ("Score (1-5)", "rating", "4"),
        ("Other", "rating", "3/4"),
        ("Bare", "rating", "7"),
        ("Words", "rating", "good"),
    ]);
    let (stage, answers) = open_answers("").await;
    let ratings = stage.all(".rating");
    let marks: Vec<_> = stage.all(".rating-marks").iter().map(text).collect();
    assert_eq!(marks, ["★★★★☆", "★★★☆", "★"]);
    assert!(stage.all(".rating-marks").iter().all(|one| one.has_attribute("aria-hidden")));
    let labels: Vec<_> =
        ratings.iter().map(|one| (attr(one, "role"), attr(one, "aria-label"))).collect();
    let image = |name: &str| (Some("img".to_owned()), Some(name.to_owned()));
    assert_eq!(labels, [image("4 of 5"), image("3 of 4"), (None, None)]);
    assert_eq!(text(&answers[2]), "★7");
    assert_eq!(text(&answers[3]), "good");
}

#[wasm_bindgen_test]
async fn matches_are_highlighted_in_every_field_type() {
    let _network = network_with_fields(&[
        ("Story", "long_text", "At https://x.org/ab and ab@x.org"),
        ("Files", "choices", r#"["cab", "other"]"#),
        ("Score (1-5)", "rating", "4"),
    ]);
    let (stage, _) = open_answers("?search=ab").await;
    wait_until("marks", || !stage.all(".answers-text mark").is_empty()).await;
    let marked: Vec<_> = stage.all(".answers-text mark").iter().map(text).collect();
    assert_eq!(marked, ["ab", "ab", "ab"]);
    let led: Vec<_> = stage.all(".answers-text a").iter().map(text).collect();
    assert_eq!(led, ["https://x.org/ab", "ab@x.org"]);
    assert_eq!(stage.all(".answers-text a mark").len(), 2);
    assert_eq!(stage.all(".answers-list li").len(), 2);
    drop(stage);
    // A match that starts before a link and ends in it is highlighted in both.
    let (stage, _) = open_answers("?search=at%20https").await;
    wait_until("marks", || !stage.all(".answers-text mark").is_empty()).await;
    let marked: Vec<_> = stage.all(".answers-text mark").iter().map(text).collect();
    assert_eq!(marked, ["At ", "https"]);
    drop(stage);
    let (stage, _) = open_answers("?search=4").await;
    wait_until("marks", || !stage.all(".rating mark").is_empty()).await;
    assert_eq!(text(&stage.one(".rating mark")), "4");
}
