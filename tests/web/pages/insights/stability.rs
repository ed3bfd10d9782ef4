//! State that stays while figures change: focus, open tables, and DOM elements.

use wasm_bindgen_test::wasm_bindgen_test;

use super::{
    INSIGHTS_PATH, answer_as_foreign_gateway, bar, clear_stored_forms, open_plots, summary,
    value_counts,
};
use crate::network::{Network, Reply};
use crate::pages::{
    address, answer_as_gateway, forms_reply, open_dashboard, query_parameter, text_of, wait_until,
};
use crate::stage::{attr, click, is_focused, press_key, settle};
use serde_json::{Value, json};

/// Returns the summary under a filter: two of ten submissions by source, or four by date.
fn filtered_summary(url: &str) -> Value {
    let mut all = summary(10);
    if query_parameter(url, "utm_source").is_some() {
        all["data"]["total"] = 2.into();
        all["data"]["utm_sources"] = value_counts(&[("a & b", 2)], 0);
        all["data"]["countries"] = value_counts(&[], 2);
    }
    if query_parameter(url, "date_from").is_some() {
        all["data"]["total"] = 4.into();
        let buckets = all["data"]["times"]["buckets"].as_array_mut().unwrap();
        buckets.truncate(1);
    }
    all
}

fn summary_network() -> Network {
    Network::new(|asked| {
        if asked.url.starts_with("/account/forms/frm_1/summary") {
            Reply::ok(&filtered_summary(&asked.url)).delayed(40)
        } else {
            answer_as_gateway(asked)
        }
    })
}

#[wasm_bindgen_test]
async fn click_keeps_focus_on_bar() {
    let _network = summary_network();
    let stage = open_plots(INSIGHTS_PATH, 7).await;
    let pressed = bar(&stage, "a & b");
    let plots = stage.all(".plot");
    pressed.focus().unwrap();
    pressed.click();
    wait_until("the filtered figures", || text_of(&stage, ".page-count") == "2 submissions").await;
    settle().await;
    assert!(is_focused(&pressed), "the element of the bar was replaced");
    assert_eq!(stage.all("button.bar").len(), 8);
    let left: Vec<_> = stage.all(".plot");
    assert_eq!(left.len(), 6, "the plot of countries is removed");
    assert!(left.iter().all(|plot| plots.contains(plot)), "a plot was replaced");
}

#[wasm_bindgen_test]
async fn removed_column_passes_focus_to_neighbour() {
    let _network = summary_network();
    let stage = open_plots(INSIGHTS_PATH, 7).await;
    let columns = stage.all(".column");
    columns[0].focus().unwrap();
    press_key(&columns[0], "End");
    assert!(is_focused(&columns[2]));
    columns[2].click();
    wait_until("the filtered figures", || text_of(&stage, ".page-count") == "4 submissions").await;
    settle().await;
    let left = stage.all(".column");
    assert_eq!(left.len(), 2, "one column per plot");
    assert!(is_focused(&left[0]));
    assert_eq!(attr(&left[0], "tabindex").as_deref(), Some("0"));
}

#[wasm_bindgen_test]
async fn removed_plots_pass_focus_to_heading() {
    let _network =
        Network::new(|asked| match asked.url.starts_with("/account/forms/frm_1/summary") {
            true if asked.url.contains("utm_source") => Reply::ok(&summary(0)),
            true => Reply::ok(&summary(10)),
            false => answer_as_gateway(asked),
        });
    let stage = open_plots(INSIGHTS_PATH, 7).await;
    let pressed = bar(&stage, "google");
    pressed.focus().unwrap();
    pressed.click();
    wait_until("the empty state", || text_of(&stage, ".empty-title") == "No matching submissions")
        .await;
    settle().await;
    assert!(is_focused(&stage.one("h1")));
}

#[wasm_bindgen_test]
async fn open_table_stays_while_pages_load() {
    let _network = Network::new(|asked| Reply { delay_ms: 60, ..answer_as_foreign_gateway(asked) });
    let stage = open_dashboard(INSIGHTS_PATH);
    wait_until("the first page", || text_of(&stage, ".page-count") == "100 of 250 counted").await;
    let toggle = stage.all(".plot-header button")[0].clone();
    toggle.focus().unwrap();
    click(&toggle).await;
    let table = stage.one(".plot-table");
    let plots = stage.all(".plot");
    let rows = stage.all("tbody tr").len();
    wait_until("all of it", || text_of(&stage, ".page-count") == "250 submissions").await;
    settle().await;
    assert_eq!(stage.one(".plot-table"), table);
    assert!(stage.all("tbody tr").len() > rows, "the table did not get the new rows");
    assert!(is_focused(&toggle));
    assert_eq!(stage.all(".plot"), plots);
    clear_stored_forms();
}

#[wasm_bindgen_test]
async fn column_click_stays_within_date_filter() {
    let _network = summary_network();
    // In every time zone this start is within the first day.
    let dates = "date_from=2026-03-01T13:30:00Z&date_to=2026-03-02T09:15:00Z";
    let stage = open_plots(&format!("{INSIGHTS_PATH}?{dates}"), 7).await;
    click(&stage.all(".column")[0]).await;
    let url = address();
    let from = query_parameter(&url, "date_from").unwrap();
    assert_eq!(from, "2026-03-01T13:30:00Z", "{url}");
    assert!(query_parameter(&url, "date_to").unwrap().as_str() <= "2026-03-02T09:15:00Z", "{url}");
}

#[wasm_bindgen_test]
async fn field_names_appear_once_forms_load() {
    let _network = Network::new(|asked| match asked.url.as_str() {
        "/account/forms" => forms_reply(&json!({})).delayed(300),
        url if url.starts_with("/account/forms/frm_1/summary") => Reply::ok(&summary(10)),
        _ => answer_as_gateway(asked),
    });
    let stage = open_plots(INSIGHTS_PATH, 7).await;
    assert!(text_of(&stage, ".plot-title").contains("fld_text"));
    wait_until("the name", || text_of(&stage, ".plot-title").contains("What happened?")).await;
}
