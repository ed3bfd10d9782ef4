//! A long list, read to its end.

use crate::harness::{Page, Server, TestContext, Viewport, WAIT_MAX, count_matches, run_test};
use serde_json::json;
use std::collections::HashSet;
use std::time::{Duration, Instant};

const ROWS: usize = 25_000;

/// Returns the number of rows to read screen by screen: several times as many as the page keeps.
fn rows_to_read() -> usize {
    if test_servers::is_full_run() { ROWS } else { 3_000 }
}

/// Returns the ids of the drawn rows and the number of nodes of the page. If the rows fill the view
/// and all are loaded, scrolls on by most of the window's height.
const READ_AND_SCROLL: &str = r"
const grid = document.querySelector('[role=grid]');
const rows = Array.from(grid.querySelectorAll('.grid-track [role=row]'));
const ids = rows.filter(row => row.dataset.key).map(row => row.dataset.key);
const bottom = grid.getBoundingClientRect().top + grid.clientHeight;
const head = grid.querySelector('[role=columnheader]').closest('[role=row]')
  .getBoundingClientRect().bottom;
const drawn = rows.map(row => row.getBoundingClientRect());
const atEnd = grid.scrollTop + grid.clientHeight >= grid.scrollHeight - 2;
const fills = drawn.length > 0 && Math.min(...drawn.map(row => row.top)) <= head + 2
  && (atEnd || Math.max(...drawn.map(row => row.bottom)) >= bottom - 2);
if (fills && ids.length === rows.length) grid.scrollTop += grid.clientHeight * 0.8;
return [ids, document.querySelectorAll('*').length];
";

#[tokio::test]
async fn scrolling_shows_every_submission_once_at_its_place() {
    let server = Server::start("enterprise");
    let rows = rows_to_read();
    let form = server.create_sampled_form("Feedback", "live", rows);
    let key = server.create_key("live");
    run_test("scroll", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        let list = format!("/live/forms/{form}");
        let total = format!("{},000 submissions", rows / 1000);
        page.sign_in(&context.server.sign_in_link()).await;
        page.open(&list).await;
        page.wait_for_text(&total).await;
        let (seen, nodes_max) = read_to_end(page, rows).await;
        assert_eq!(seen, rows);
        assert!(nodes_max < 3000, "{nodes_max} nodes at once");
        assert_eq!(page.take_console_errors().await, Vec::<String>::new());
        page.open(&list).await;
        page.wait_for_text(&total).await;
        check_positions(context, &key, &form, rows).await;
    })
    .await;
}

/// Scrolls until `rows` submissions were seen, or no new one appears. Returns the number of seen
/// rows, and the maximum number of nodes of the page.
pub(crate) async fn read_to_end(page: &Page, rows: usize) -> (usize, u64) {
    let mut seen = HashSet::new();
    let mut nodes_max = 0;
    let mut last = Instant::now();
    while seen.len() < rows && last.elapsed() < WAIT_MAX {
        let read = page.eval(READ_AND_SCROLL, vec![]).await;
        let before = seen.len();
        seen.extend(read[0].as_array().expect("ids").iter().map(ToString::to_string));
        nodes_max = nodes_max.max(read[1].as_u64().expect("a number"));
        if seen.len() == before {
            tokio::time::sleep(Duration::from_millis(20)).await;
        } else {
            last = Instant::now();
        }
    }
    (seen.len(), nodes_max)
}

/// If loaded rows fill the view, returns the index and the time of the topmost row and the number
/// of drawn rows; otherwise `false`.
pub(crate) const TOP_ROW: &str = r"
const grid = document.querySelector('[role=grid]');
const rows = Array.from(grid.querySelectorAll('.grid-track [role=row]'));
if (!rows.length || rows.some(row => !row.dataset.key)) return false;
const edge = grid.querySelector('[role=columnheader]').getBoundingClientRect().bottom;
const top = rows.find(row => row.getBoundingClientRect().bottom > edge + 2);
const end = Math.max(...rows.map(row => row.getBoundingClientRect().bottom));
const bottom = grid.getBoundingClientRect().top + grid.clientHeight;
const atEnd = grid.scrollTop + grid.clientHeight >= grid.scrollHeight - 2;
// Otherwise the rows of the previous scroll position are still drawn.
if (!top || top.getBoundingClientRect().top > edge + 2 || !atEnd && end < bottom - 2) return false;
// A row shows its full time on hover.
const time = top.querySelector('time');
time.dispatchEvent(new MouseEvent('mouseover', { bubbles: true }));
return [Number(top.getAttribute('aria-rowindex')), time.dateTime, rows.length];
";

/// Moves the scroll bar and clicks a month. The API agrees with the position of the shown rows.
async fn check_positions(context: &TestContext, key: &str, form: &str, rows: usize) {
    let page = &context.page;
    page.find("navigation", "Months").await;
    let drag = "const g = document.querySelector('[role=grid]');
        g.scrollTop = (g.scrollHeight - g.clientHeight) * arguments[0]";
    for share in [0.5, 0.93, 0.2, 1.0] {
        page.eval(drag, vec![json!(share)]).await;
        let top = page.wait_for("rows", TOP_ROW, vec![]).await;
        // The API's number of older rows must agree with the row's index.
        let index = top[0].as_u64().expect("an index") - 2;
        let at = top[1].as_str().expect("an instant");
        let older = count_matches(&context.server, key, form, &format!("date_to={at}"));
        let position = rows as u64 - older;
        assert!(position.abs_diff(index) <= 3, "row {index} at {share}: {older} older");
        assert!(top[2].as_u64() <= Some(60), "{top} rows");
    }
    // The month bar appears when the oldest month is known.
    let oldest = "const all = document.querySelectorAll('nav[aria-label=Months] button[title]');
        return all.length > 0 && all[all.length - 1].innerText.replace(/\\s+/g, ' ').trim()";
    let month = page.wait_for("a month in the month bar", oldest, vec![]).await;
    page.click("button", month.as_str().expect("a name")).await;
    page.wait_for("its rows", TOP_ROW, vec![]).await;
    page.take_console_errors().await;
}
