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

/// Counts the files of parts that are asked for, and how many at most without a break.
const COUNTS: &str = "const [breaks, whole] = [new MessageChannel(), window.fetch];
    let now = 0;
    breaks.port1.onmessage = () => { now = 0; };
    window.asked = { all: 0, most: 0 };
    window.fetch = (what, how) => {
        if (/split_|chunk_/.test(what.url ?? what)) {
            if (now === 0) breaks.port2.postMessage(0);
            now += 1;
            asked.all += 1;
            asked.most = Math.max(asked.most, now);
        }
        return whole(what, how);
    };
    return true";

/// A part is many small files: asked for at once, they keep a phone from answering.
#[tokio::test]
async fn the_files_of_a_part_are_asked_for_a_few_at_a_time() {
    let server = Server::start("enterprise");
    let form = server.sampled_form("Feedback", "live", 30);
    journey("parts-in-turns", Look::DESK, server, async |world| {
        let page = &world.page;
        page.sign_in(&world.server.link()).await;
        page.open(&format!("/live/forms/{form}")).await;
        page.sees("30 submissions").await;
        page.eval(COUNTS, vec![]).await;
        page.click("link", "API keys").await;
        page.find("button", "Create key").await;
        let asked = page.eval("return [asked.all, asked.most]", vec![]).await;
        let [all, most] = [0, 1].map(|at| asked[at].as_u64().expect("a count"));
        assert!(all > 8, "{all} files are no proof");
        assert!(most <= 4, "{most} of {all} files were asked for at once");
    })
    .await;
}
