//! Insights page: plots, filters by click, and the empty and error states.

#[path = "insights/foreign.rs"]
mod foreign_server;
#[path = "insights/stability.rs"]
mod stability;

use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use super::{
    address, answer_as_foreign_gateway, answer_as_gateway, button, local_storage, open_dashboard,
    query_parameter, text_of, wait_until,
};
use crate::network::{Network, RecordedRequest, Reply};
use crate::stage::{Stage, attr, click, settle};
use web_sys::HtmlElement;

const INSIGHTS_PATH: &str = "/live/forms/frm_1/insights";

pub(super) fn value_counts(values: &[(&str, u64)], missing: u64) -> Value {
    let one = |(value, count): &(&str, u64)| json!({ "value": value, "count": count });
    let listed: Vec<Value> = values.iter().map(one).collect();
    json!({ "values": listed, "others": 0, "missing": missing })
}

fn summary(total: u64) -> Value {
    let bucket = |day: u32, total: u64| {
        let day = format!("2026-03-{day:02}");
        json!({ "first_day": day, "last_day": day, "total": total, "sentiments": [total / 2] })
    };
    let none = value_counts(&[], total);
    json!({ "data": {
        "total": total,
        "times": { "unit": "day", "earlier": 0,
            "buckets": [bucket(1, 4), bucket(2, 0), bucket(3, 6)] },
        "sentiments": value_counts(&[("positive", 5)], 5), "categories": none, "languages": none,
        "countries": value_counts(&[("DE", 7), ("FR", 3)], 0), "devices": none, "browsers": none,
        "utm_sources": value_counts(&[("google", 6), ("a & b", 2)], 2), "utm_mediums": none,
        "utm_campaigns": none,
        "durations": [{ "from_s": 0, "to_s": 10, "count": 3 },
            { "from_s": 3600, "to_s": null, "count": 1 }],
        "fields": [{ "id": "fld_text", "values": [{ "value": "10", "count": 4 },
            { "value": "9", "count": 3 }], "others": 0, "missing": 3 }],
    }})
}

fn answer_with_summary(asked: &RecordedRequest) -> Reply {
    if !asked.url.starts_with("/account/forms/frm_1/summary") {
        return answer_as_gateway(asked);
    }
    match query_parameter(&asked.url, "search").as_deref() {
        Some("nothing") => Reply::ok(&summary(0)),
        Some("often") => Reply::too_many(7),
        Some("broken") => Reply::error(500, "internal_error", "our fault"),
        _ => Reply::ok(&summary(10)),
    }
}

/// Opens the page, and waits for this number of plots.
async fn open_plots(path: &str, count: usize) -> Stage {
    let stage = open_dashboard(path);
    wait_until("plots", || stage.all(".plot").len() == count).await;
    stage
}

/// Removes the stored list of forms that were opened by id.
fn clear_stored_forms() {
    local_storage().remove_item("sheaf-forms").unwrap();
}

#[wasm_bindgen_test]
async fn plots_show_summary_filter_by_click_and_have_tables() {
    let network = Network::new(answer_with_summary);
    let stage = open_plots(INSIGHTS_PATH, 7).await;
    assert_eq!(stage.text("h1"), "Feedback insights");
    assert_eq!(stage.text(".page-count"), "10 submissions");
    let asked = network.requests("/summary");
    assert!(asked[0].url.contains("time_zone="), "{asked:?}");
    assert_eq!(network.requests("/api/").len(), 0, "the plots need one request");
    let titles = text_of(&stage, ".plot-title");
    assert!(titles.contains("What happened?") && titles.contains("Sentiment over time by day"));
    assert!(text_of(&stage, ".bar-label").contains("Germany"));
    // A rating scale is in its own order, not by frequency.
    assert!(text_of(&stage, ".bar-label").contains("910"), "{}", text_of(&stage, ".bar-label"));

    bar(&stage, "a & b").click();
    wait_until("the filter", || address() == format!("{INSIGHTS_PATH}?utm_source=a%20%26%20b"))
        .await;
    wait_until("its chip", || stage.all(".chip").len() == 1).await;
    wait_until("its request", || network.requests("/summary?utm_source=").len() == 1).await;
    settle().await;
    assert_eq!(stage.all(".column[tabindex='0']").len(), 2, "one tab stop per plot");
    let last = stage.all(".column").remove(2);
    assert!(attr(&last, "title").unwrap().ends_with(": 6"));
    last.click();
    wait_until("days", || address().contains("date_from=") && address().contains("date_to=")).await;
    wait_until("chips", || stage.all(".chip").len() == 3).await;
    settle().await;

    let toggles: Vec<_> = stage.all(".plot-header button");
    assert_eq!(toggles.len(), 7);
    toggles.iter().for_each(web_sys::HtmlElement::click);
    settle().await;
    assert_eq!((stage.all(".plot-table").len(), stage.all(".bars, .column-chart").len()), (7, 0));
    assert!(text_of(&stage, "tbody tr").contains("Positive5"));
    click(&toggles[0]).await;
    assert_eq!(stage.all(".column-chart").len(), 1);
}

/// Distributions of a number field and of a text field.
fn distributions() -> Reply {
    Reply::ok(&json!({ "data": {
        "submissions": 100_000, "is_complete": false,
        "numbers": [{ "id": "fld_name", "answers": 3, "min": 1.0, "lower_quartile": 1.0,
            "median": 2.5, "upper_quartile": 4.0, "max": 4.0,
            "ranges": [{ "from": 1.0, "to": 1.0, "count": 1 },
                { "from": 2.0, "to": 5.0, "count": 2 }] }],
        "texts": [{ "id": "fld_text", "answers": 9, "words": [{ "value": "cold", "count": 4 }] }],
    }}))
}

/// Returns the bar whose text starts with a label.
fn bar(stage: &Stage, label: &str) -> HtmlElement {
    let mut bars = stage.all("button.bar").into_iter();
    bars.find(|bar| bar.text_content().unwrap().starts_with(label)).unwrap()
}

#[wasm_bindgen_test]
async fn distributions_show_quartiles_and_words() {
    let network = Network::new(|asked| {
        if !asked.url.starts_with("/account/forms/frm_1/distributions") {
            return answer_with_summary(asked);
        }
        if query_parameter(&asked.url, "fld_text").as_deref() == Some("contains%3Acold") {
            return Reply::error(500, "internal_error", "our fault");
        }
        distributions()
    });
    let stage = open_plots(INSIGHTS_PATH, 9).await;
    let notes = text_of(&stage, ".plot-note");
    let quartiles = "Minimum 1, lower quartile 1, median 2.5, upper quartile 4, maximum 4.";
    assert!(notes.contains(quartiles), "{notes}");
    assert!(notes.contains("In 9 answers.") && notes.contains("newest 100,000"), "{notes}");
    assert!(text_of(&stage, ".bar-label").contains("12 – 5"), "{}", text_of(&stage, ".bar-label"));

    bar(&stage, "cold").click();
    let filtered = format!("{INSIGHTS_PATH}?fld_text=contains:cold");
    wait_until("the filter", || address() == filtered).await;
    wait_until("the chip", || text_of(&stage, ".chip") == "What happened?contains cold").await;
    wait_until("the error", || stage.all(".notice").len() == 1).await;
    assert_eq!(stage.all(".plot").len(), 7, "the other plots stay");
    assert_eq!(network.requests("/distributions").len(), 2);
}

#[wasm_bindgen_test]
async fn number_range_filters_by_its_bounds() {
    let _network = Network::new(|asked| {
        let is_distribution = asked.url.starts_with("/account/forms/frm_1/distributions");
        if is_distribution { distributions() } else { answer_with_summary(asked) }
    });
    let stage = open_plots(&format!("{INSIGHTS_PATH}?fld_name=gte:3"), 9).await;
    bar(&stage, "2 – 5").click();
    let filtered =
        format!("{INSIGHTS_PATH}?fld_name=ne:5&fld_name=gte:2&fld_name=gte:3&fld_name=lte:5");
    wait_until("the filter", || address() == filtered).await;
}

#[wasm_bindgen_test]
async fn value_that_cannot_be_filtered_is_no_button() {
    let _network = Network::new(|asked| {
        if asked.url == "/account/forms" {
            let mut form = super::form("frm_1", "Feedback", "live");
            form["fields"][1]["type"] = "rating".into();
            return Reply::ok(&json!({ "data": [form] }));
        }
        let mut all = summary(10);
        all["data"]["fields"][0]["values"][1]["value"] = "n/a".into();
        let is_summary = asked.url.starts_with("/account/forms/frm_1/summary");
        if is_summary { Reply::ok(&all) } else { answer_with_summary(asked) }
    });
    let stage = open_dashboard(INSIGHTS_PATH);
    wait_until("plots", || text_of(&stage, ".bar-label").contains("n/a")).await;
    assert!(!text_of(&stage, "button.bar").contains("n/a"));
    assert!(text_of(&stage, "button.bar").contains("10"));
}

#[wasm_bindgen_test]
async fn hidden_field_has_no_plot() {
    let _network = Network::new(|asked| {
        if asked.url != "/account/forms" {
            return answer_with_summary(asked);
        }
        let mut form = super::form("frm_1", "Feedback", "live");
        form["fields"][1]["hidden"] = true.into();
        Reply::ok(&json!({ "data": [form] }))
    });
    let stage = open_plots(INSIGHTS_PATH, 6).await;
    assert!(!text_of(&stage, ".plot-title").contains("What happened?"));
}

#[wasm_bindgen_test]
async fn months_and_years_use_viewer_language() {
    for (unit, last, name) in
        [("month", "2026-03-31", "March 2026: 6"), ("year", "2026-12-31", "2026: 6")]
    {
        let _network = Network::new(move |asked| {
            let mut all = summary(10);
            all["data"]["times"] = json!({ "unit": unit, "earlier": 0, "buckets": [
                { "first_day": &last.replace("-31", "-01").replace("-12-", "-01-"),
                    "last_day": last, "total": 6, "sentiments": [3] }
            ]});
            let is_summary = asked.url.starts_with("/account/forms/frm_1/summary");
            if is_summary { Reply::ok(&all) } else { answer_as_gateway(asked) }
        });
        let stage = open_plots(INSIGHTS_PATH, 7).await;
        assert_eq!(attr(&stage.all(".column")[0], "title").as_deref(), Some(name));
    }
}

#[wasm_bindgen_test]
async fn status_plot_shows_median_time_to_done() {
    let _network = Network::new(|asked| {
        let mut all = summary(10);
        all["data"]["statuses"] = value_counts(&[("open", 8), ("done", 2)], 0);
        all["data"]["median_seconds_to_done"] = 7500.into();
        let is_summary = asked.url.starts_with("/account/forms/frm_1/summary");
        if is_summary { Reply::ok(&all) } else { answer_as_gateway(asked) }
    });
    let stage = open_plots(INSIGHTS_PATH, 8).await;
    let plots = stage.all(".plot");
    let texts = plots.iter().map(|plot| plot.text_content().unwrap_or_default());
    let status = texts.into_iter().find(|text| text.starts_with("Status")).unwrap();
    assert!(status.contains("Median time to done: 2 h 5 min"), "{status}");
}

#[wasm_bindgen_test]
async fn empty_and_failed_summaries_show_messages() {
    let _network = Network::new(answer_with_summary);
    for (query, says) in [
        ("?search=nothing", "No matching submissions"),
        ("?search=often", "Too many requests"),
        ("?search=broken", "Insights could not be loaded"),
    ] {
        let stage = open_dashboard(&format!("{INSIGHTS_PATH}{query}"));
        wait_until(says, || text_of(&stage, ".empty-title") == says).await;
    }
}

#[wasm_bindgen_test]
async fn filter_panel_counts_values() {
    let network = Network::new(answer_with_summary);
    let stage = open_plots(INSIGHTS_PATH, 7).await;
    button(&stage, "Filter").click();
    wait_until("the properties", || stage.all(":popover-open .filter-item").len() == 19).await;
    button(&stage, "Country").click();
    let countries = || text_of(&stage, ".filter-picker .filter-item");
    wait_until("the countries", || countries() == "Germany7France3").await;
    assert_eq!(
        network.requests("/summary").len(),
        2,
        "one request for the plots, one for the values"
    );
    stage.all(".filter-picker input")[1].click();
    wait_until("the filter", || address() == format!("{INSIGHTS_PATH}?country=FR")).await;
}

#[wasm_bindgen_test]
async fn bars_filter_by_labels_and_completion_times() {
    let _network = Network::new(answer_with_summary);
    let stage = open_plots(INSIGHTS_PATH, 7).await;
    let press = |title: &str| {
        let mut bars = stage.all("button.bar").into_iter();
        bars.find(|bar| attr(bar, "title").as_deref() == Some(title)).expect(title).click();
    };
    press("Filter by Sentiment: Not analysed");
    wait_until("no label", || address() == format!("{INSIGHTS_PATH}?sentiment=none")).await;
    press("Filter by Sentiment: Positive");
    wait_until("the label", || address() == format!("{INSIGHTS_PATH}?sentiment=positive")).await;
    press("Filter by What happened?: Not answered");
    wait_until("no answer", || address().ends_with("positive&fld_text=empty")).await;
    wait_until("the chip", || text_of(&stage, ".chip-value") == "Positiveis empty").await;
    button(&stage, "Remove What happened?: is empty").click();
    press("Filter by What happened?: 9");
    wait_until("the answer", || address().ends_with("positive&fld_text=eq:9")).await;
    press("Filter by Country: Germany");
    let all = format!("{INSIGHTS_PATH}?sentiment=positive&country=DE&fld_text=eq:9");
    wait_until("the country", || address() == all).await;
    press("Filter by Completion time: Under 10 s");
    wait_until("the end", || address().starts_with(&format!("{INSIGHTS_PATH}?seconds_max=9&")))
        .await;
    // A bar never widens the filter.
    press("Filter by Completion time: 1 h or more");
    wait_until("the start", || address().contains("?seconds_min=3600&seconds_max=9&")).await;
}
