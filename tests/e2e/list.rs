//! Reading a long list to its end.

use crate::harness::{Look, Server, journey};
use serde_json::json;
use std::collections::HashSet;

const ROWS: usize = 25_000;

/// Notes each row that is in view, then scrolls on by most of a window. Gives the ids seen, how
/// many nodes the page has, and whether the end is reached.
const READ_ON: &str = r"
const grid = document.querySelector('[role=grid]');
const rows = Array.from(grid.querySelectorAll('[role=row][data-key]'));
const ids = rows.map(row => row.dataset.key);
grid.scrollTop += grid.clientHeight * 0.8;
return [ids, document.querySelectorAll('*').length,
  grid.scrollTop + grid.clientHeight >= grid.scrollHeight - 2];
";

#[tokio::test]
async fn scrolling_to_the_end_shows_every_submission_once() {
    let server = Server::start("enterprise");
    let form = server.sampled_form("Feedback", "live", ROWS);
    journey("scroll", Look::DESK, server, async |world| {
        let page = &world.page;
        page.sign_in(&world.server.link()).await;
        page.open(&format!("/live/forms/{form}")).await;
        page.sees("25,000 submissions").await;
        let mut seen = HashSet::new();
        let mut nodes_max = 0;
        while seen.len() < ROWS {
            let read = page.eval(READ_ON, vec![]).await;
            let before = seen.len();
            seen.extend(read[0].as_array().expect("ids").iter().map(ToString::to_string));
            nodes_max = nodes_max.max(read[1].as_u64().expect("a number"));
            if seen.len() == before {
                tokio::time::sleep(std::time::Duration::from_millis(20)).await;
            }
            assert!(read[2] == json!(false) || seen.len() >= before, "the end came early");
        }
        assert_eq!(seen.len(), ROWS);
        assert!(nodes_max < 3000, "{nodes_max} nodes at once");
    })
    .await;
}

#[tokio::test]
async fn a_form_without_submissions_says_how_to_get_the_first() {
    let server = Server::start("enterprise");
    let form = server.form("Empty", "test");
    journey("empty", Look::DESK, server, async |world| {
        let page = &world.page;
        page.sign_in(&world.server.link()).await;
        page.open(&format!("/test/forms/{form}")).await;
        page.sees("No submissions yet").await;
        page.sees("Test").await;
        page.open("/live/forms/frm_unknown").await;
        page.sees("This form does not exist").await;
        page.console().await;
    })
    .await;
}
