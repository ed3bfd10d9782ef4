//! A server without summaries: its pages are added up as they come, refusals are waited for, and
//! what was added up outlasts a failure.

use std::cell::Cell;

use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use super::{PLACE, foreign, forget};
use crate::network::{Asked, Network, Reply};
use crate::pages::{ROWS, button, open, parameter, shown, submission, until};
use crate::stage::settle;

fn is_list(asked: &Asked) -> bool {
    asked.url.starts_with("/api/")
}

#[wasm_bindgen_test]
async fn it_is_added_up_as_its_pages_come() {
    let network = Network::new(|asked| Reply { delay_ms: 30, ..foreign(asked) });
    let stage = open(PLACE);
    until("the first page", || shown(&stage, ".page-count") == "over 100 of 250").await;
    until("all of it", || shown(&stage, ".page-count") == "250 submissions").await;
    assert_eq!((network.asked("/summary").len(), network.asked("/api/").len()), (0, 3));
    assert!(shown(&stage, ".bar-label").contains("Firefox"));
    forget();
}

#[wasm_bindgen_test]
async fn a_refusal_of_the_first_page_counts_down_and_goes_on() {
    let asked_before = Cell::new(false);
    let network = Network::new(move |asked| {
        if is_list(asked) && !asked_before.replace(true) {
            return Reply::too_many(1);
        }
        foreign(asked)
    });
    let stage = open(PLACE);
    until("the refusal", || shown(&stage, ".empty-title") == "Too many requests").await;
    assert_eq!(stage.all("[role=timer]").len(), 1);
    until("all of it", || shown(&stage, ".page-count") == "250 submissions").await;
    assert_eq!(network.asked("/api/").len(), 4);
    forget();
}

#[wasm_bindgen_test]
async fn a_refusal_on_the_way_counts_down_beside_the_figures() {
    let refused = Cell::new(false);
    let _network = Network::new(move |asked| {
        if is_list(asked) && asked.url.contains("cursor") && !refused.replace(true) {
            return Reply::too_many(1);
        }
        foreign(asked)
    });
    let stage = open(PLACE);
    until("the wait", || stage.all("[role=timer]").len() == 1).await;
    assert_eq!(shown(&stage, ".page-count"), "over 100 of 250");
    until("all of it", || shown(&stage, ".page-count") == "250 submissions").await;
    assert_eq!(stage.all("[role=timer]").len(), 0);
    forget();
}

#[wasm_bindgen_test]
async fn what_passes_by_itself_is_tried_again() {
    let failures = Cell::new(0);
    let network = Network::new(move |asked| {
        if is_list(asked) && asked.url.contains("cursor=200") && failures.get() < 1 {
            failures.set(failures.get() + 1);
            return Reply { lost: true, ..Reply::default() };
        }
        foreign(asked)
    });
    let stage = open(PLACE);
    until("the second page", || shown(&stage, ".page-count") == "over 200 of 250").await;
    until("all of it", || shown(&stage, ".page-count") == "250 submissions").await;
    assert_eq!((network.asked("/api/").len(), stage.all(".notice").len()), (4, 0));
    forget();
}

#[wasm_bindgen_test]
async fn a_failure_on_the_way_keeps_the_figures_and_goes_on_from_there() {
    let is_well = std::rc::Rc::new(Cell::new(false));
    let well = is_well.clone();
    let network = Network::new(move |asked| {
        if is_list(asked) && asked.url.contains("cursor=200") && !well.get() {
            return Reply::error(503, "unavailable", "we are moving");
        }
        foreign(asked)
    });
    let stage = open(PLACE);
    until("the second page", || shown(&stage, ".page-count") == "over 200 of 250").await;
    // After one second, two and three.
    until("the notice", || !stage.all(".notice").is_empty()).await;
    let says = stage.text(".notice");
    assert!(says.starts_with("The rest could not be loaded. we are moving"), "{says}");
    assert_eq!(shown(&stage, ".page-count"), "over 200 of 250");
    assert!(shown(&stage, ".bar-label").contains("Firefox"), "the plots stay");
    assert_eq!(network.asked("cursor=200").len(), 4, "asked, and three times more");
    is_well.set(true);
    button(&stage, "Retry").click();
    until("all of it", || shown(&stage, ".page-count") == "250 submissions").await;
    settle().await;
    assert_eq!(stage.all(".notice").len(), 0);
    let begun = network.asked("/api/").iter().filter(|it| !it.url.contains("cursor")).count();
    assert_eq!(begun, 1, "it went on, and did not begin anew");
    forget();
}

#[wasm_bindgen_test]
async fn answers_that_read_like_choices_are_plotted() {
    let row = |number: u32| -> Value {
        let mut row = submission(number);
        let plan = if number.is_multiple_of(2) { "Free" } else { "Pro" };
        row["answers"] = json!({
            "stars": number % 5 + 1, "plan": plan,
            "name": format!("Person {number}"),
        });
        row
    };
    let _network = Network::new(move |asked| {
        if !is_list(asked) {
            return foreign(asked);
        }
        let start: u32 = parameter(&asked.url, "cursor").map_or(0, |it| it.parse().unwrap());
        let end = (start + 100).min(ROWS);
        let next = (end < ROWS).then(|| end.to_string());
        Reply::ok(&json!({
            "data": (start..end).map(row).collect::<Vec<_>>(),
            "pagination": { "total": ROWS, "limit": 100, "has_more": next.is_some(),
                "next_cursor": next },
        }))
    });
    let stage = open(PLACE);
    until("all of it", || shown(&stage, ".page-count") == "250 submissions").await;
    settle().await;
    let titles: Vec<_> =
        stage.all(".plot-title").iter().map(|it| it.text_content().unwrap()).collect();
    assert!(titles.contains(&"stars".to_owned()) && titles.contains(&"plan".to_owned()));
    assert!(!titles.contains(&"name".to_owned()), "{titles:?}");
    let bars = shown(&stage, ".bar");
    assert!(bars.contains("150250350450550") && bars.contains("Free125Pro125"), "{bars}");
    forget();
}
