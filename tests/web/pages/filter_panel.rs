//! Panel of properties: the list, the pickers with counts, the keyboard, and foreign servers.

use leptos::{prelude::*, wasm_bindgen::JsCast};
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::HtmlElement;

use super::insights::value_counts;
use super::{
    address, answer_as_foreign_gateway, answer_as_gateway, button, open_dashboard, open_rows,
    press_button, query_parameter, text_of, wait_until,
};
use crate::{
    network::{Network, RecordedRequest, Reply},
    stage::{Stage, dispatch_event, is_focused, press_key, settle, type_into, type_text, value},
};

const LIST: &str = "/live/forms/frm_1";

/// Returns a summary with UTM values: sources, mediums and campaigns; and with labels.
fn summary(utm: [&[(&str, u64)]; 3]) -> Value {
    let [sources, mediums, campaigns] = utm.map(|utm| value_counts(utm, 0));
    let countries = ["DE", "FR", "AT", "CH", "IT", "ES", "PL", "NL", "BE"];
    let countries: Vec<(&str, u64)> = countries.into_iter().zip((1..20).rev()).collect();
    json!({ "data": {
        "total": 9, "times": { "unit": "day", "earlier": 0, "buckets": [] },
        "sentiments": value_counts(&[("positive", 5), ("mixed", 3)], 1),
        "categories": value_counts(&[("Price, delivery", 4)], 0), "languages": value_counts(&[("de", 9)], 0),
        "countries": value_counts(&countries, 0), "devices": value_counts(&[], 9),
        "browsers": value_counts(&[("Firefox", 9)], 0), "utm_sources": sources, "utm_mediums": mediums,
        "utm_campaigns": campaigns, "durations": [], "fields": [],
    }})
}

fn answer_with_summary(asked: &RecordedRequest) -> Reply {
    if asked.url.starts_with("/account/forms/frm_1/summary") {
        Reply::ok(&summary([&[("google", 6), ("bing", 3)], &[("cpc", 4)], &[]]))
    } else {
        answer_as_gateway(asked)
    }
}

/// Opens the list at a query, and the panel.
async fn open_panel(query: &str) -> Stage {
    let stage = open_rows(&format!("{LIST}{query}")).await;
    button(&stage, "Filter").click();
    wait_until("the properties", || !stage.all(":popover-open .filter-item").is_empty()).await;
    settle().await;
    stage
}

fn property_names(stage: &Stage) -> Vec<String> {
    stage.texts(":popover-open .filter-item-name")
}

/// Chooses a property, and waits for its picker.
async fn choose(stage: &Stage, property: &str) {
    wait_until("the properties", || !stage.all(".filter-item[data-part]").is_empty()).await;
    // A header of the list can have the same name.
    let named = |item: &HtmlElement| item.text_content().unwrap_or_default().trim() == property;
    let items = stage.all(":popover-open .filter-item[data-part]").into_iter();
    items.filter(named).for_each(|item| item.click());
    wait_until("the picker", || text_of(stage, ".filter-title") == property).await;
    settle().await;
}

fn checkboxes(stage: &Stage) -> Vec<HtmlElement> {
    stage.all(".filter-picker input[type=checkbox]")
}

fn options(stage: &Stage) -> Vec<String> {
    stage.texts(".filter-picker .filter-item")
}

#[wasm_bindgen_test]
async fn labels_are_picked_with_counts() {
    let network = Network::new(answer_with_summary);
    let stage = open_panel("?search=needle&sentiment=mixed").await;
    let names = property_names(&stage);
    assert_eq!(names[..4], ["Your name", "What happened?", "Phone", "Status"]);
    assert_eq!(names[8..11], ["Sentiment", "Category", "Language"]);
    assert_eq!(
        names[14..],
        ["Completion time", "Sentiment score", "UTM source", "UTM medium", "UTM campaign",]
    );
    assert_eq!(stage.all(".filter-item-value")[8].text_content().as_deref(), Some("Mixed"));
    stage.all(".filter-item")[8].click();
    wait_until("the options", || options(&stage) == ["Positive5", "Mixed3", "No value1"]).await;
    let asked = network.requests("/summary");
    let last = &asked.last().unwrap().url;
    assert!(last.contains("search=needle") && !last.contains("sentiment"), "{last}");

    checkboxes(&stage)[2].click();
    wait_until("both", || address() == format!("{LIST}?search=needle&sentiment=none,mixed")).await;
    wait_until("the rows", || !network.requests("submissions?search=needle&s").is_empty()).await;
    wait_until("the chip", || text_of(&stage, ".chip-value") == "needleNo value or Mixed").await;
    checkboxes(&stage)[1].click();
    wait_until("one", || address() == format!("{LIST}?search=needle&sentiment=none")).await;
    assert_eq!(network.requests("/summary").len(), asked.len(), "the counts stay");
    button(&stage, "Clear").click();
    wait_until("none", || address() == format!("{LIST}?search=needle")).await;
    assert_eq!(options(&stage).len(), 3);
}

#[wasm_bindgen_test]
async fn keyboard_reaches_pickers_and_long_lists_are_searched() {
    let _network = Network::new(answer_with_summary);
    let stage = open_panel("").await;
    let items = stage.all(".filter-item");
    items[0].focus().unwrap();
    assert!(press_key(&items[0], "ArrowDown"));
    assert!(is_focused(&items[1]));
    press_key(&items[1], "End");
    press_key(&document().active_element().unwrap().unchecked_into(), "ArrowUp");
    assert!(is_focused(&items[17]));
    press_key(&items[17], "Home");
    assert!(is_focused(&items[0]));
    items[8].click();
    wait_until("the options", || checkboxes(&stage).len() == 3).await;
    wait_until("the focus", || is_focused(&checkboxes(&stage)[0])).await;
    press_key(&checkboxes(&stage)[0], "ArrowDown");
    assert!(is_focused(&checkboxes(&stage)[1]));
    button(&stage, "Back to all properties").click();
    wait_until("the list", || stage.all(".filter-list .filter-item").len() == 19).await;
    wait_until("its focus", || is_focused(&stage.all(".filter-item")[8])).await;
    choose(&stage, "Country").await;
    wait_until("the countries", || checkboxes(&stage).len() == 9).await;
    let search = stage.one(".filter-picker input[type=search]");
    type_into(&search, "erman");
    wait_until("the match", || options(&stage) == ["Germany19"]).await;
    type_into(&search, "nowhere");
    wait_until("no match", || options(&stage).is_empty()).await;
    assert_eq!(text_of(&stage, ".filter-picker .pick-status"), "No listed value matches");
    type_into(&search, "be");
    wait_until("the code", || options(&stage).iter().any(|it| it.starts_with("Belgium"))).await;
    checkboxes(&stage)[0].click();
    wait_until("the filter", || address() == format!("{LIST}?country=BE")).await;
    wait_until("the chip", || text_of(&stage, ".chip-value") == "Belgium").await;
}

#[wasm_bindgen_test]
async fn label_that_is_not_listed_can_be_typed() {
    let _network = Network::new(|asked| {
        if !asked.url.starts_with("/account/forms/frm_1/summary") {
            return answer_as_gateway(asked);
        }
        let mut summary = summary([&[], &[], &[]]);
        summary["data"]["countries"]["others"] = 2.into();
        Reply::ok(&summary)
    });
    let stage = open_panel("").await;
    choose(&stage, "Country").await;
    let status = || text_of(&stage, ".filter-picker .pick-status");
    wait_until("the others", || status().contains("2 submissions have values")).await;
    let search = stage.one(".filter-picker input[type=search]");
    type_into(&search, "SE");
    wait_until("the typed label", || options(&stage) == ["Sweden"]).await;
    checkboxes(&stage)[0].click();
    wait_until("the filter", || address() == format!("{LIST}?country=SE")).await;
    type_into(&search, "fr");
    wait_until("the listed label alone", || options(&stage) == ["France18"]).await;
}

#[wasm_bindgen_test]
async fn focus_returns_to_button_of_removed_chip() {
    let _network = Network::new(answer_with_summary);
    let stage = open_rows(&format!("{LIST}?sentiment=mixed")).await;
    let chip = stage.one(".chip-edit");
    chip.focus().unwrap();
    chip.click();
    wait_until("the options", || checkboxes(&stage).len() == 3).await;
    wait_until("the focus", || is_focused(&checkboxes(&stage)[0])).await;
    checkboxes(&stage)[1].click();
    wait_until("no chip", || stage.all(".chip-edit").is_empty()).await;
    stage.one(":popover-open").hide_popover().unwrap();
    wait_until("the focus", || is_focused(&button(&stage, "Filter"))).await;
    button(&stage, "Filter").click();
    wait_until("the list", || stage.all(":popover-open .filter-item").len() == 19).await;
}

#[wasm_bindgen_test]
async fn range_is_applied_as_typed() {
    let _network = Network::new(answer_with_summary);
    let stage = open_panel("?seconds_max=60").await;
    stage.all(".filter-item")[14].click();
    wait_until("the fields", || stage.all(".filter-range input").len() == 2).await;
    settle().await;
    let fields = stage.all(".filter-range input");
    assert_eq!(value(&fields[1]), "60");
    type_into(&fields[0], "90");
    dispatch_event(&fields[0], "change");
    settle().await;
    assert_eq!(address(), format!("{LIST}?seconds_max=60"));
    assert!(text_of(&stage, ".filter-range .field-error").contains("must not be less"));
    type_into(&fields[0], "soon");
    dispatch_event(&fields[0], "change");
    settle().await;
    assert!(text_of(&stage, ".filter-range .field-error").contains("Enter a number"));
    type_into(&fields[0], "9.5");
    wait_until("both", || address() == format!("{LIST}?seconds_min=9.5&seconds_max=60")).await;
    assert_eq!(text_of(&stage, ".filter-range .field-error"), "");
    wait_until("the chip", || text_of(&stage, ".chip-value") == "9.5 s – 1 min").await;
    type_into(&fields[1], "");
    wait_until("one", || address() == format!("{LIST}?seconds_min=9.5")).await;
    wait_until("the chip", || text_of(&stage, ".chip-value") == "At least 9.5 s").await;
}

/// Answers with a form whose field `text` is a choice, and `missing` a number, and their values.
fn answer_with_choices(asked: &RecordedRequest) -> Reply {
    let path = asked.url.split('?').next().unwrap_or_default();
    if path == "/account/forms" {
        let mut form = super::form("frm_1", "Feedback", "live");
        form["fields"][1]["type"] = "choice".into();
        form["fields"][2]["type"] = "number".into();
        return Reply::ok(&json!({ "data": [form] }));
    }
    let reply = answer_with_summary(asked);
    if path != "/account/forms/frm_1/summary" {
        return reply;
    }
    let mut body: Value = serde_json::from_str(&reply.body).unwrap();
    let (id, mut answers) = if asked.url.contains("field=fld_missing") {
        ("fld_missing", value_counts(&[("3", 4), ("2.5", 3), ("2.50", 2), ("12 kg", 1)], 0))
    } else if asked.url.contains("field=fld_name") {
        let long = "x".repeat(201);
        let answers = [("Ann", 4), ("Bob", 4), (" BOB", 3), (&*long, 2), ("two\nlines", 2)];
        ("fld_name", value_counts(&answers, 3))
    } else {
        ("fld_text", value_counts(&[("late", 6), ("broken", 2)], 1))
    };
    answers["id"] = id.into();
    body["data"]["fields"] = json!([answers]);
    Reply::ok(&body)
}

fn select_operator(stage: &Stage, operator: &str) {
    let list: web_sys::HtmlSelectElement = stage.one(".filter-picker select").unchecked_into();
    list.set_value(operator);
    dispatch_event(&list, "change");
}

#[wasm_bindgen_test]
async fn answer_is_picked_with_counts() {
    let network = Network::new(answer_with_choices);
    let stage = open_panel("?search=needle&fld_text=ne:late").await;
    assert_eq!(stage.texts(".chip"), ["Searchneedle", "What happened?is not late"]);
    stage.all(".filter-item")[1].click();
    wait_until("the picker", || text_of(&stage, ".filter-title") == "What happened?").await;
    settle().await;
    let list = stage.one(".filter-picker select");
    assert!(is_focused(&list));
    assert_eq!(value(&list), "ne");
    let picks = || text_of(&stage, ".filter-picker [role=option]");
    wait_until("the values", || picks() == "late6broken2").await;
    let asked = network.requests("/summary").last().unwrap().url.clone();
    assert!(asked.contains("search=needle") && !asked.contains("fld_"), "{asked}");

    select_operator(&stage, "eq");
    settle().await;
    stage.all(".filter-picker [role=option]")[1].click();
    let filtered = format!("{LIST}?search=needle&fld_text=eq:broken");
    wait_until("the answer", || address() == filtered).await;
    wait_until("the chip", || stage.texts(".chip")[1] == "What happened?broken").await;
    let request = "submissions?search=needle&fld_text=eq%3Abroken";
    wait_until("the rows", || !network.requests(request).is_empty()).await;
    select_operator(&stage, "filled");
    wait_until("no value", || stage.all(".filter-picker input").is_empty()).await;
    button(&stage, "Apply").click();
    wait_until("any", || address() == format!("{LIST}?search=needle&fld_text=filled")).await;
    assert!(stage.all(":popover-open").is_empty());
}

#[wasm_bindgen_test]
async fn answer_to_text_field_is_picked() {
    let network = Network::new(answer_with_choices);
    let stage = open_panel("?fld_text=eq:late").await;
    choose(&stage, "Your name").await;
    assert_eq!(value(&stage.one(".filter-picker select")), "contains");
    assert!(stage.all(".filter-picker [role=option]").is_empty());
    assert!(network.requests("field=fld_name").is_empty());
    select_operator(&stage, "eq");
    // Spellings that a filter does not distinguish are one value.
    wait_until("the values", || text_of(&stage, ".filter-picker [role=option]") == "Bob7Ann4")
        .await;
    let status = || text_of(&stage, ".filter-picker .pick-status");
    assert!(status().starts_with("4 submissions have other values"), "{}", status());
    let asked = network.requests("field=fld_name").last().unwrap().url.clone();
    assert!(asked.contains("fld_text=eq%3Alate"), "{asked}");
    let input = stage.one(".filter-picker input");
    type_text(&input, "Zoe").await;
    let expected = "No listed value matches. 4 submissions have other values";
    assert!(status().starts_with(expected), "{}", status());
    type_into(&input, " ");
    press_button(&stage, "Apply").await;
    assert_eq!(input.get_attribute("aria-invalid").as_deref(), Some("true"));
    let error = input.get_attribute("aria-describedby").unwrap();
    assert_eq!(text_of(&stage, &format!("#{error}")), "Enter a value");
    type_text(&input, "").await;
    stage.all(".filter-picker [role=option]")[1].click();
    let filtered = format!("{LIST}?fld_name=eq:Ann&fld_text=eq:late");
    wait_until("the answer", || address() == filtered).await;
    // The values of a choice field are in the plain summary.
    button(&stage, "Back to all properties").click();
    wait_until("the properties", || !stage.all(".filter-item[data-part]").is_empty()).await;
    stage.all(".filter-item")[1].click();
    wait_until("the choices", || text_of(&stage, ".filter-picker [role=option]") == "late6broken2")
        .await;
}

#[wasm_bindgen_test]
async fn number_is_picked_with_counts() {
    let network = Network::new(answer_with_choices);
    let stage = open_panel("").await;
    choose(&stage, "Phone").await;
    // Equal numbers are one value. An answer that is no number cannot be chosen.
    wait_until("the values", || text_of(&stage, ".filter-picker [role=option]") == "2.5534").await;
    let status = text_of(&stage, ".filter-picker .pick-status");
    assert!(status.starts_with("1 submission has another value"), "{status}");
    let input = stage.one(".filter-picker input");
    assert_eq!(input.get_attribute("inputmode").as_deref(), Some("decimal"));
    stage.all(".filter-picker [role=option]")[0].click();
    wait_until("the number", || address() == format!("{LIST}?fld_missing=eq:2.5")).await;
    assert_eq!(network.requests("field=fld_missing").len(), 1);
}

#[wasm_bindgen_test]
async fn reopened_panel_shows_no_error_of_cancelled_request() {
    let network = Network::new(|asked| answer_with_choices(asked).delayed(3_000));
    let stage = open_panel("").await;
    choose(&stage, "Your name").await;
    select_operator(&stage, "eq");
    wait_until("the request", || network.requests("field=fld_name").len() == 1).await;
    stage.one(":popover-open").hide_popover().unwrap();
    settle().await;
    button(&stage, "Filter").click();
    choose(&stage, "Your name").await;
    select_operator(&stage, "eq");
    wait_until("the request", || network.requests("field=fld_name").len() == 2).await;
    let status = || text_of(&stage, ".filter-picker .pick-status");
    wait_until("the values", || {
        assert!(!status().contains("cancelled"), "{}", status());
        status().starts_with("4 submissions")
    })
    .await;
}

#[wasm_bindgen_test]
async fn field_can_have_several_conditions() {
    let _network = Network::new(answer_with_choices);
    let stage = open_panel("").await;
    choose(&stage, "Phone").await;
    select_operator(&stage, "gte");
    settle().await;
    let input = || stage.one(".filter-picker input");
    type_into(&input(), "many");
    press_button(&stage, "Apply").await;
    assert!(text_of(&stage, ".filter-picker .field-error").contains("Enter a number"));
    type_into(&input(), " 2.5 ");
    button(&stage, "Apply").click();
    wait_until("a bound", || address() == format!("{LIST}?fld_missing=gte:2.5")).await;

    wait_until("the chip", || stage.texts(".chip") == ["Phoneis at least 2.5"]).await;
    stage.one(".chip-edit").click();
    wait_until("the picker", || text_of(&stage, ".filter-title") == "Phone").await;
    settle().await;
    assert_eq!(value(&input()), "2.5");
    select_operator(&stage, "lte");
    type_into(&input(), "9");
    button(&stage, "Add condition").click();
    let both = format!("{LIST}?fld_missing=gte:2.5&fld_missing=lte:9");
    wait_until("both bounds", || address() == both).await;
    type_into(&input(), "8");
    button(&stage, "Apply").click();
    let both = format!("{LIST}?fld_missing=gte:2.5&fld_missing=lte:8");
    wait_until("the other bound", || address() == both).await;
    wait_until("the panel to close", || stage.all(":popover-open").is_empty()).await;
    settle().await;
    button(&stage, "Remove Phone: is at least 2.5").click();
    wait_until("one bound", || address() == format!("{LIST}?fld_missing=lte:8")).await;
    button(&stage, "Filter").click();
    wait_until("the properties", || !stage.all(".filter-item[data-part]").is_empty()).await;
    stage.all(".filter-item")[2].click();
    wait_until("the picker", || text_of(&stage, ".filter-title") == "Phone").await;
    button(&stage, "Clear").click();
    wait_until("no filter", || address() == LIST).await;
}

#[wasm_bindgen_test]
async fn condition_of_deleted_field_can_be_removed() {
    let _network = Network::new(answer_with_choices);
    let stage = open_dashboard(&format!("{LIST}?fld_gone=eq:x"));
    wait_until("the chip", || stage.texts(".chip") == ["fld_gonex"]).await;
    stage.one(".chip-edit").click();
    wait_until("the picker", || text_of(&stage, ".filter-title") == "fld_gone").await;
    assert!(text_of(&stage, ".filter-picker").contains("no longer has this field"));
    button(&stage, "Clear").click();
    wait_until("no filter", || address() == LIST).await;
}

#[wasm_bindgen_test]
async fn utm_suggestion_is_applied_when_chosen() {
    let network = Network::new(answer_with_summary);
    let stage = open_panel("?utm_source=bing").await;
    stage.all(".filter-item")[16].click();
    wait_until("the values", || stage.all(".popover [role=option]").len() == 2).await;
    assert_eq!(text_of(&stage, ".popover [role=option]"), "google6bing3");
    let asked = network.requests("/summary");
    assert_eq!(query_parameter(&asked.last().unwrap().url, "utm_source"), None);
    stage.all(".popover [role=option]")[0].click();
    wait_until("the filter", || address() == format!("{LIST}?utm_source=google")).await;
    wait_until("the value", || value(&stage.one(".popover form input")) == "google").await;
}

#[wasm_bindgen_test]
async fn values_can_be_requested_again_after_error() {
    let network = Network::new(answer_as_gateway);
    let stage = open_rows(LIST).await;
    assert!(network.requests("/summary").is_empty(), "values are requested when the panel opens");
    button(&stage, "Filter").click();
    wait_until("the properties", || stage.all(":popover-open .filter-item").len() == 19).await;
    choose(&stage, "Sentiment").await;
    let failed = || text_of(&stage, ".pick-status").contains("Could not load values");
    wait_until("the error", failed).await;
    let before = network.requests("/summary").len();
    button(&stage, "Retry").click();
    wait_until("another try", || network.requests("/summary").len() == before + 1).await;
    button(&stage, "Back to all properties").click();
    choose(&stage, "UTM source").await;
    wait_until("the error", failed).await;
    type_text(&stage.one(".popover form input"), "typed").await;
    assert_eq!(address(), LIST, "a value is applied when it is submitted");
    button(&stage, "Apply").click();
    wait_until("the filter", || address() == format!("{LIST}?utm_source=typed")).await;
    assert!(stage.all(":popover-open").is_empty());
}

#[wasm_bindgen_test]
async fn foreign_server_offers_utm_values_of_loaded_rows() {
    let network = Network::new(|asked| match asked.url.as_str() {
        url if url.contains("/submissions?") => {
            let reply = answer_as_gateway(asked);
            let body = reply.body.replacen("\"google\"", "\"bing\"", 30);
            Reply { body, ..Reply::ok(&json!(null)) }
        }
        _ => answer_as_foreign_gateway(asked),
    });
    let stage = open_panel("").await;
    assert_eq!(property_names(&stage), ["UTM source", "UTM medium", "UTM campaign"]);
    choose(&stage, "UTM source").await;
    wait_until("the values", || text_of(&stage, ".pick-option") == "google70bing30").await;
    assert_eq!(text_of(&stage, ".pick-status"), "From 100 loaded submissions");
    button(&stage, "Back to all properties").click();
    choose(&stage, "UTM medium").await;
    assert!(stage.all(".pick-option").is_empty());
    assert!(network.requests("/summary").is_empty());
}

#[wasm_bindgen_test]
async fn foreign_server_ignores_properties_with_notice() {
    let network = Network::new(answer_as_foreign_gateway);
    let link = format!("{LIST}?search=needle&sentiment=mixed&score_min=0.5&status=open");
    let stage = open_rows(&link).await;
    let notices = text_of(&stage, ".notice");
    for name in ["`sentiment`", "`score_min`", "`status`"] {
        assert!(notices.contains(name), "{notices}");
    }
    assert_eq!(text_of(&stage, ".chip-value"), "needle");
    assert!(network.requests("sentiment=").is_empty() && network.requests("score_min").is_empty());
    assert!(network.requests("status=").is_empty() && network.requests("/triage").is_empty());
}
