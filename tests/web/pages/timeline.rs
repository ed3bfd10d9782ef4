//! Months of a list: behind a button on narrow screens, and looked up on demand where the rate
//! limit is low.

use wasm_bindgen_test::wasm_bindgen_test;

use super::list::{LIST, first_row, long_list_gateway, open_list, row_keys};
use super::{open_dashboard, wait_until};
use crate::network::{Network, Reply};
use crate::stage::{attr, click, settle, wait};

#[wasm_bindgen_test]
async fn narrow_list_has_month_button() {
    let _network = Network::new(long_list_gateway(0));
    let stage = open_dashboard("/live/forms/frm_1");
    wait_until("the date scroller", || !stage.all(".rail-month").is_empty()).await;
    let trigger = || stage.one(".rail-menu > .button");
    assert_eq!(trigger().offset_height(), 0, "the button is for narrow screens");
    // 224 px for the side bar, and the width of a phone for the list.
    stage.resize(224 + 390);
    settle().await;
    assert_eq!(stage.one(".rail").offset_width(), 0);
    assert_eq!(trigger().text_content().unwrap(), "Months");
    assert!(trigger().offset_height() >= 40 && trigger().offset_width() >= 40);
    trigger().click();
    wait_until("the months", || !stage.all(".rail-menu .rail-month").is_empty()).await;
    assert_eq!(attr(&stage.one(".popover:popover-open"), "aria-label").as_deref(), Some("Months"));
    for one in stage.all(".rail-menu :is(.rail-month, .rail-year)") {
        assert!(one.offset_height() >= 40, "{:?}: {}", one.text_content(), one.offset_height());
    }
    // A year opens its last month, and its months stay visible.
    stage.all(".rail-menu .rail-year")[0].focus().unwrap();
    click(&stage.all(".rail-menu .rail-year")[0]).await;
    assert_eq!(stage.all(":popover-open").len(), 1);
    assert!(crate::stage::is_focused(&stage.all(".rail-menu .rail-year")[0]));
    stage.one(".rail-menu .rail-month[title='January 2026']").click();
    wait_until("its rows", || {
        first_row(&stage).as_deref() != Some("sub_2000")
            && row_keys(&stage).iter().all(Option::is_some)
    })
    .await;
    assert!(stage.all(":popover-open").is_empty(), "the popover still covers the rows");
    let current = || stage.all(".rail-menu .rail-month[aria-current]");
    wait_until("the month", || {
        current().first().and_then(|one| attr(one, "title")).as_deref() == Some("January 2026")
    })
    .await;
}

#[wasm_bindgen_test]
async fn low_rate_limit_defers_month_lookup() {
    let answer = long_list_gateway(0);
    let network = Network::new(move |asked| {
        let rate = asked.url.starts_with(LIST).then_some((400, 400));
        Reply { rate, ..answer(asked) }
    });
    let stage = open_list("/live/forms/frm_1").await;
    wait_until("the date scroller", || !stage.all(".rail").is_empty()).await;
    wait(1_500).await;
    assert_eq!(network.requests(LIST).len(), 1, "months were requested without a click");
    assert!(stage.all(".rail-month").is_empty());
    let months = stage.one(".rail .rail-year");
    assert_eq!(months.text_content().as_deref(), Some("Months"));
    months.click();
    wait_until("the months", || !stage.all(".rail-month").is_empty()).await;
    assert_eq!(stage.all(".rail-month").len(), 3, "January to March");
    assert!(network.requests(LIST).len() < 20, "{}", network.requests(LIST).len());
}
