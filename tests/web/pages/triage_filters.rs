//! Filters by status, star, tag and assignee: names in the panel and in chips, and the charts of
//! the insights page.

use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use super::bulk_triage::server::TriageServer;
use super::{address, button, open_dashboard, open_rows, text_of, wait_until};
use crate::network::{Network, RecordedRequest, Reply};
use crate::stage::{Stage, attr, settle};

const LIST: &str = "/live/forms/frm_1";
const INSIGHTS: &str = "/live/forms/frm_1/insights";

fn values(values: &[(&str, u64)], missing: u64) -> Value {
    let counted = |(value, count): &(&str, u64)| json!({ "value": value, "count": count });
    let values: Vec<Value> = values.iter().map(counted).collect();
    json!({ "values": values, "others": 0, "missing": missing })
}

fn answer_with_triage(asked: &RecordedRequest) -> Reply {
    if !asked.url.starts_with("/account/forms/frm_1/summary") {
        return TriageServer::default().answer(asked);
    }
    let none = values(&[], 9);
    Reply::ok(&json!({ "data": {
        "total": 9, "times": { "unit": "day", "earlier": 0, "buckets": [] },
        "sentiments": none, "categories": none, "languages": none, "countries": none,
        "devices": none, "browsers": none, "utm_sources": none, "utm_mediums": none,
        "utm_campaigns": none, "durations": [], "fields": [],
        "statuses": values(&[("open", 5), ("waiting", 3), ("retired", 1)], 0),
        "starred": values(&[("false", 7), ("true", 2)], 0),
        "tags": values(&[("VIP", 4)], 5),
        "assignees": values(&[("psn_1", 2), ("psn_9", 1)], 6),
    }}))
}

fn options(stage: &Stage) -> Vec<String> {
    stage.texts(".filter-picker .filter-item")
}

async fn open_panel(stage: &Stage) {
    wait_until("the page", || text_of(stage, ".page-count").contains("submissions")).await;
    button(stage, "Filter").click();
    wait_until("the properties", || !stage.all(":popover-open .filter-item").is_empty()).await;
    settle().await;
}

/// Chooses a property of the panel, and waits for its options.
async fn expect_options(stage: &Stage, property: &str, expected: &[&str]) {
    wait_until("the properties", || !stage.all(".filter-item[data-part]").is_empty()).await;
    let item = stage.all(".filter-item[data-part]").into_iter();
    let named = |item: &web_sys::HtmlElement| {
        let name = item.query_selector(".filter-item-name").unwrap().unwrap();
        name.text_content().as_deref() == Some(property)
    };
    item.filter(named).for_each(|item| item.click());
    wait_until(property, || options(stage) == expected).await;
}

#[wasm_bindgen_test]
async fn triage_is_filtered_by_names_with_counts() {
    let network = Network::new(answer_with_triage);
    let stage = open_rows(LIST).await;
    settle().await;
    for names in ["/people", "/account/triage"] {
        assert!(network.requests(names).is_empty(), "an unfiltered list needs no names: {names}");
    }
    open_panel(&stage).await;
    let names = stage.all(":popover-open .filter-item-name");
    let names: Vec<_> =
        names.iter().skip(3).take(6).filter_map(|name| name.text_content()).collect();
    assert_eq!(names, ["Status", "Star", "Read status", "Tag", "Assignee", "Sentiment"]);
    expect_options(&stage, "Status", &["Open5", "Waiting for reply3", "retired1"]).await;
    stage.all(".filter-picker input")[1].click();
    wait_until("the filter", || address() == format!("{LIST}?status=waiting")).await;
    wait_until("the chip", || stage.texts(".chip") == ["StatusWaiting for reply"]).await;
    wait_until("the rows", || !network.requests("submissions?status=waiting").is_empty()).await;
    button(&stage, "Back to all properties").click();
    expect_options(&stage, "Star", &["Not starred7", "Starred2"]).await;
    button(&stage, "Back to all properties").click();
    expect_options(&stage, "Tag", &["VIP4", "No tag5"]).await;
    button(&stage, "Back to all properties").click();
    expect_options(&stage, "Assignee", &["owner@example.org2", "A member1", "Nobody6"]).await;
    stage.all(".filter-picker input")[2].click();
    let chips = ["StatusWaiting for reply", "AssigneeNobody"];
    wait_until("the chips", || stage.texts(".chip") == chips).await;
    assert_eq!(address(), format!("{LIST}?status=waiting&assignee=none"));
}

#[wasm_bindgen_test]
async fn chips_of_a_link_have_names() {
    let _network = Network::new(answer_with_triage);
    let query = "status=done,waiting&starred=false&tag=none,VIP&assignee=psn_1";
    let stage = open_dashboard(&format!("{LIST}?{query}"));
    let chips = [
        "StatusDone or Waiting for reply",
        "StarNot starred",
        "TagNo tag or VIP",
        "Assigneeowner@example.org",
    ];
    wait_until("the chips", || stage.texts(".chip") == chips).await;
    let edit = stage.all(".chip-edit").remove(0);
    assert_eq!(attr(&edit, "title").as_deref(), Some("Edit Status: Done or Waiting for reply"));
    edit.click();
    wait_until("the picker", || text_of(&stage, ".filter-title") == "Status").await;
    button(&stage, "Remove Star: Not starred").click();
    wait_until("the rest", || stage.texts(".chip").len() == 3).await;
}

#[wasm_bindgen_test]
async fn insights_count_triage_and_filter_by_it() {
    let _network = Network::new(answer_with_triage);
    let stage = open_dashboard(INSIGHTS);
    let labels = [
        "Open",
        "Waiting for reply",
        "retired",
        "VIP",
        "No tag",
        "owner@example.org",
        "A member",
        "Nobody",
    ];
    wait_until("the names", || stage.texts(".bar-label") == labels).await;
    let titles = stage.texts(".plot-title");
    assert_eq!(titles[1..], ["Status", "Tags", "Assignee"]);
    assert!(!text_of(&stage, ".plot").contains("Median"), "the summary has no median");
    let press = |name: &str| {
        let bars = stage.all("button.bar").into_iter();
        let named = |bar: &web_sys::HtmlElement| bar.text_content().unwrap().starts_with(name);
        bars.filter(named).for_each(|bar| bar.click());
    };
    press("Waiting");
    wait_until("the status", || address() == format!("{INSIGHTS}?status=waiting")).await;
    wait_until("its chip", || stage.texts(".chip") == ["StatusWaiting for reply"]).await;
    press("No tag");
    wait_until("the tag", || address() == format!("{INSIGHTS}?status=waiting&tag=none")).await;
    press("owner@");
    let all = format!("{INSIGHTS}?status=waiting&tag=none&assignee=psn_1");
    wait_until("the assignee", || address() == all).await;
}
