//! The first rows in the HTML of a page: they equal the dashboard's rows, have the same positions,
//! and their data is requested once.

use crate::harness::{Page, Server, TestContext, Viewport, run_test, screenshot_folder, submit};
use serde_json::{Value, json};

/// Defines `read(root)`: the visible elements below `root` with classes, text and position, in
/// order.
const DEFINE_READ: &str = "const read = (root) => {
  const wanted = '.brand, .switch-item, .top-bar-tools > .button, .side-bar-heading, .nav-link, ' +
    '.nav-label, .nav-count, .page-header, .page-title, .page-count, .page-actions > .button, ' +
    '.filter-bar, .filter-bar > .button, .search-input, .grid-head, .grid-row, .grid-cell, ' +
    '.grid-cell > :not(.grid-resize, .grid-sort), .badge path';
  return [...root.querySelectorAll(wanted)].filter((one) => one.checkVisibility()).map((one) => {
    const { x, y, width, height } = one.getBoundingClientRect();
    const isWhole = one.children.length === 0 || one.matches('.page-count, .badge, .button');
    return [one.getAttribute('class'), one.dataset.slot ?? one.dataset.tone ?? one.dataset.key ?? '',
      isWhole ? one.textContent.trim() : '',
      [x, y, width, height].map((px) => Math.round(px * 2) / 2).join(' ')];
  });
};";

/// Records the first rows in the last frame before the dashboard replaces them, and all layout
/// shifts of the page.
const RECORD_FIRST_ROWS: &str = "
window.drawn = null;
window.moved = [];
const look = () => {
  const drawn = document.querySelector('[data-drawn]');
  if (drawn) window.drawn = read(drawn.closest('.first'));
  requestAnimationFrame(look);
};
look();
const describe = ({ node, previousRect, currentRect }) =>
  `${node?.className ?? node?.nodeName}: ${JSON.stringify([previousRect, currentRect])}`;
new PerformanceObserver((list) => list.getEntries().forEach((one) => {
  window.moved.push([one.value, one.sources.map(describe)]);
})).observe({ type: 'layout-shift', buffered: true });";

/// Returns how often the page requested data that came with the HTML.
const REQUEST_COUNT: &str = "return performance.getEntriesByType('resource').filter(one =>
  /\\/session$|\\/account\\/forms$|\\/submissions\\?limit=100$/.test(one.name)).length";

/// Returns the number of first rows below the end of the window.
const ROWS_BELOW_WINDOW: &str = "return window.drawn.filter(([name,,, position]) =>
  name === 'grid-row' && Number(position.split(' ')[1]) >= innerHeight).length";

/// Returns the number of rows that came with the page.
async fn first_row_count(page: &Page) -> usize {
    let rows = page.eval("return window.drawn", vec![]).await;
    let is_row = |element: &&Value| element[0] == "grid-row";
    rows.as_array().map_or(0, |all| all.iter().filter(is_row).count())
}

/// Compares the first rows with the dashboard's, for the rows inside of the window.
async fn assert_same_rows(page: &Page, moment: &str) {
    let body = format!(
        "{DEFINE_READ} const end = innerHeight;
        const inside = ([,,, position]) => Number(position.split(' ')[1]) < end;
        const now = read(document.querySelector('.shell'));
        return [window.drawn.filter(inside), now.filter(inside)];"
    );
    let both = page.eval(&body, vec![]).await;
    let then = both[0].as_array().expect("a list");
    let now = both[1].as_array().expect("a list");
    assert!(then.len() > 30, "{moment}: {then:?}");
    for (then, now) in then.iter().zip(now) {
        assert_eq!(then, now, "{moment}");
    }
    assert_eq!(then.len(), now.len(), "{moment}");
}

/// Views of the comparisons. The theme changes no position.
const VIEWS: [(&str, Viewport); 2] =
    [("first-desk", Viewport::DESKTOP), ("first-phone", Viewport::PHONE)];

#[tokio::test]
async fn first_rows_on_desktop_and_phone() {
    let server = Server::start_with_long_first_rows_wait("enterprise");
    let form = server.create_fixed_form("Customer feedback", 400);
    let few = server.create_fixed_form("Few", 3);
    run_test("first-rows", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        page.sign_in(&context.server.sign_in_link()).await;
        if !page.is_firefox() {
            page.freeze_date().await;
            page.before_pages(&format!("{{ {DEFINE_READ}{RECORD_FIRST_ROWS} }}")).await;
        }
        for (name, viewport) in VIEWS {
            page.set_viewport(viewport).await;
            check_first_rows(page, name, &form, &few).await;
        }
        check_submitted_html(context).await;
    })
    .await;
}

/// Compares the first rows of a long form and of a short one.
async fn check_first_rows(page: &Page, name: &str, form: &str, few: &str) {
    for (page_name, path, count) in [
        ("list", format!("/live/forms/{form}"), "400 submissions"),
        ("start", "/".to_owned(), "400 submissions"),
        ("few", format!("/live/forms/{few}"), "3 submissions"),
    ] {
        page.open(&path).await;
        page.wait_for_text(count).await;
        assert_eq!(
            page.eval(REQUEST_COUNT, vec![]).await,
            json!(0),
            "{page_name}: data was requested again"
        );
        if page.is_firefox() {
            continue;
        }
        // Without first rows there is nothing to compare.
        assert!(first_row_count(page).await > 3, "{page_name}: the page came without rows");
        if page_name == "few" {
            continue;
        }
        assert_same_rows(page, &format!("{name} {page_name}")).await;
        let below = page.eval(ROWS_BELOW_WINDOW, vec![]).await.as_u64().expect("a count");
        assert!(
            below <= 7,
            "{page_name}: {below} rows outside of the window delay the first frame"
        );
        let shifts = page.eval("return window.moved", vec![]).await;
        let entries = shifts.as_array().expect("a list").iter();
        let sum: f64 = entries.map(|shift| shift[0].as_f64().expect("a number")).sum();
        assert!(sum < 0.002, "{page_name}: {shifts}");
    }
    page.save_screenshot(&screenshot_folder().join(format!("{name}.png"))).await;
}

/// Checks that HTML in an answer is text in the first rows and in the data of the page.
async fn check_submitted_html(context: &TestContext) {
    let page = &context.page;
    let form = context.server.create_form("Feedback", "live");
    let evil = "</script><img src=x onerror='window.ran = true'><script>window.ran = true</script>";
    let url = format!("{}/f/{form}", context.server.url());
    submit(&url, &json!({ "Name": evil }).to_string());
    page.open(&format!("/live/forms/{form}")).await;
    page.wait_for_text("1 submission").await;
    page.wait_for_text(evil).await;
    let ran = "return window.ran === true || document.querySelector('img') !== null";
    assert_eq!(page.eval(ran, vec![]).await, json!(false));
    assert_eq!(page.eval(REQUEST_COUNT, vec![]).await, json!(0), "data was requested again");
}

#[tokio::test]
async fn first_rows_respect_stored_preferences_and_precede_module() {
    let server = Server::start_with_long_first_rows_wait("enterprise");
    let form = server.create_fixed_form("Feedback", 40);
    run_test("first-own", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        page.sign_in(&context.server.sign_in_link()).await;
        if page.is_firefox() {
            return;
        }
        page.freeze_date().await;
        page.before_pages(&format!("{{ {DEFINE_READ}{RECORD_FIRST_ROWS} }}")).await;
        let list = format!("/live/forms/{form}");
        for (key, value, seen) in [
            ("sheaf-theme".to_owned(), "dark", true),
            ("sheaf-density".to_owned(), "compact", true),
            ("sheaf-time".to_owned(), "absolute", false),
            (format!("sheaf-columns-{form}"), "-at,sentiment", false),
            ("sheaf-language".to_owned(), "de", false),
            ("sheaf-language".to_owned(), "en", true),
        ] {
            page.eval("localStorage.setItem(...arguments)", vec![json!(key), json!(value)]).await;
            page.open(&list).await;
            page.wait_for_text("40 ").await;
            page.wait_for("rows", "return document.querySelector('[data-key]')", vec![]).await;
            assert_eq!(first_row_count(page).await > 0, seen, "{key} is {value}");
            if seen {
                assert_same_rows(page, &key).await;
            }
            assert_eq!(
                page.eval(REQUEST_COUNT, vec![]).await,
                json!(0),
                "{key}: data was requested again"
            );
            if !["sheaf-theme", "sheaf-density"].contains(&key.as_str()) {
                page.eval("localStorage.removeItem(arguments[0])", vec![json!(key)]).await;
            }
        }
        check_module_load(page, &list).await;
    })
    .await;
}

/// Makes the page measure the given time, in ms, until its head was loaded. Works once per page.
const FAKE_HEAD_TIME: &str = "{ const now = performance.now; performance.now = () => {
  performance.now = now;
  return Number(localStorage.getItem('came-after'));
}; }";

/// Checks that the module is loaded once, and after the first rows if the network is fast.
async fn check_module_load(page: &Page, list: &str) {
    page.before_pages(FAKE_HEAD_TIME).await;
    for (path, ms, by) in
        [(list, 10, "fetch"), (list, 1000, "link"), ("/settings/account", 10, "link")]
    {
        page.eval("localStorage.setItem('came-after', arguments[0])", vec![json!(ms)]).await;
        page.open(path).await;
        page.wait_for("the dashboard", "return document.querySelector('#content h1')", vec![])
            .await;
        let asked = "return performance.getEntriesByType('resource').filter(one =>
            /dashboard-[^/]*wasm$/.test(one.name)).map(one => one.initiatorType)";
        assert_eq!(page.eval(asked, vec![]).await, json!([by]), "{path} after {ms} ms");
    }
}
