//! The months of a list: behind a button where there is no room for the rail, and found only when
//! they are asked for where requests are few.

use wasm_bindgen_test::wasm_bindgen_test;

use super::list::{LIST, first_row, long, names};
use super::{open, until};
use crate::network::{Network, Reply};
use crate::stage::{attr, settle, wait};

#[wasm_bindgen_test]
async fn a_list_without_room_for_the_rail_has_its_months_behind_a_button() {
    let _network = Network::new(long(0));
    let stage = open("/live/forms/frm_1");
    until("the rail", || !stage.all(".rail-month").is_empty()).await;
    let trigger = || stage.one(".rail-menu > .button");
    assert_eq!(trigger().offset_height(), 0, "a desk has the rail itself");
    // The side bar, and beside it as much room as a phone has.
    stage.resize(224 + 390);
    settle().await;
    assert_eq!(stage.one(".rail").offset_width(), 0);
    assert_eq!(trigger().text_content().unwrap(), "Months");
    assert!(trigger().offset_height() >= 40 && trigger().offset_width() >= 40);
    trigger().click();
    until("the months", || !stage.all(".rail-menu .rail-month").is_empty()).await;
    assert_eq!(attr(&stage.one(".popover:popover-open"), "aria-label").as_deref(), Some("Months"));
    for one in stage.all(".rail-menu :is(.rail-month, .rail-year)") {
        assert!(one.offset_height() >= 40, "{:?}: {}", one.text_content(), one.offset_height());
    }
    // A year leads to its last month, and the months of it stay in view.
    stage.all(".rail-menu .rail-year")[0].focus().unwrap();
    stage.all(".rail-menu .rail-year")[0].click();
    settle().await;
    assert_eq!(stage.all(":popover-open").len(), 1);
    assert!(crate::stage::focused(&stage.all(".rail-menu .rail-year")[0]));
    stage.one(".rail-menu .rail-month[title='January 2026']").click();
    until("its rows", || {
        first_row(&stage).as_deref() != Some("sub_2000")
            && names(&stage).iter().all(Option::is_some)
    })
    .await;
    assert!(stage.all(":popover-open").is_empty(), "it lies over what it led to");
    let current = || stage.all(".rail-menu .rail-month[aria-current]");
    until("the month", || {
        current().first().and_then(|one| attr(one, "title")).as_deref() == Some("January 2026")
    })
    .await;
}

#[wasm_bindgen_test]
async fn where_requests_are_few_the_months_are_found_when_they_are_asked_for() {
    let answer = long(0);
    let network = Network::new(move |asked| {
        let rate = asked.url.starts_with(LIST).then_some((400, 400));
        Reply { rate, ..answer(asked) }
    });
    let stage = open("/live/forms/frm_1");
    until("rows", || first_row(&stage).is_some()).await;
    until("the rail", || !stage.all(".rail").is_empty()).await;
    wait(1_500).await;
    assert_eq!(network.asked(LIST).len(), 1, "nothing is asked that nobody wished");
    assert!(stage.all(".rail-month").is_empty());
    let months = stage.one(".rail .rail-year");
    assert_eq!(months.text_content().as_deref(), Some("Months"));
    months.click();
    until("the months", || !stage.all(".rail-month").is_empty()).await;
    assert_eq!(stage.all(".rail-month").len(), 3, "January to March");
    assert!(network.asked(LIST).len() < 20, "{}", network.asked(LIST).len());
}
