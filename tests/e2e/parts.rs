//! Parts that come when they are wanted: what a first look at the list does not bring, and what a
//! page says where the connection is gone.

use crate::harness::{Look, Page, Server, journey};

/// What was fetched of the parts, by name without the hash.
const FETCHED: &str = "return performance.getEntriesByType('resource').map(one => \
    one.name.match(/split_(\\w+)-/)?.[1]).filter(Boolean)";

/// Lets every request for a part fail, as without a connection, until it is mended.
async fn cut(page: &Page) {
    let cut = "window.whole = window.fetch; window.fetch = (what, how) => \
        /split_|chunk_/.test(what.url ?? what) ? Promise.reject(new TypeError('gone')) \
        : window.whole(what, how); return true";
    page.eval(cut, vec![]).await;
}

async fn mend(page: &Page) {
    page.eval("window.fetch = window.whole; return true", vec![]).await;
}

#[tokio::test]
async fn the_list_brings_no_part_that_it_does_not_need() {
    let server = Server::start("enterprise");
    let form = server.sampled_form("Feedback", "live", 30);
    journey("parts", Look::DESK, server, async |world| {
        let page = &world.page;
        page.sign_in(&world.server.link()).await;
        page.open(&format!("/live/forms/{form}")).await;
        page.sees("30 submissions").await;
        let fetched = page.eval(FETCHED, vec![]).await;
        let fetched = fetched.as_array().expect("a list");
        // The card, and what popovers and dialogs hold, come by themselves later; nothing else does.
        let ahead = ["card", "tools"];
        let later = |part: &serde_json::Value| ahead.iter().any(|one| part == one);
        assert!(fetched.iter().all(later), "{fetched:?}");
        let card = format!("return ({}).includes('card')", FETCHED.trim_start_matches("return "));
        page.wait_for("the card's code", &card, vec![]).await;
        page.click("button", "Export").await;
        page.sees("Export submissions").await;
    })
    .await;
}

#[tokio::test]
async fn a_part_that_does_not_come_says_so_and_is_asked_for_again() {
    let server = Server::start("enterprise");
    let form = server.sampled_form("Feedback", "live", 30);
    journey("parts-gone", Look::DESK, server, async |world| {
        let page = &world.page;
        page.sign_in(&world.server.link()).await;
        page.open(&format!("/live/forms/{form}")).await;
        page.sees("30 submissions").await;
        cut(page).await;
        page.click("button", "Export").await;
        page.sees("It could not be opened, so nothing was done.").await;
        page.click("link", "API keys").await;
        page.sees("This part could not be loaded").await;
        page.is_accessible("a part that did not come").await;
        mend(page).await;
        page.click("button", "Retry").await;
        page.find("button", "Create key").await;
        page.back().await;
        page.click("button", "Export").await;
        page.sees("Export submissions").await;
        let told = page.console().await;
        assert!(told.iter().any(|line| line.contains("gone")), "{told:?}");
    })
    .await;
}
