//! Filters: typed, linked, restored by Back, and removed one by one.

use crate::harness::{Page, Server, TestContext, Viewport, call_api, count_matches, run_test};
use serde_json::{Value, json};
use thirtyfour::Key;

#[tokio::test]
async fn filters_are_in_url_and_match_api_and_survive_back() {
    let server = Server::start("enterprise");
    let form = server.create_sampled_form("Feedback", "live", 2000);
    let key = server.create_key("live");
    run_test("filters", Viewport::DESKTOP, server, async |world| {
        let page = &world.page;
        let found = async |query: &str| {
            let total = count_matches(&world.server, &key, &form, query);
            let noun = if total == 1 { "submission" } else { "submissions" };
            assert!(total > 0 && total < 2000, "{query}: {total} rows do not test a filter");
            page.wait_for_text(&format!("{total} {noun}")).await;
        };
        world.sign_in_to_list(&form, "2,000 submissions").await;
        let path = format!("/live/forms/{form}");

        page.fill_text_field("Search", "delivery").await;
        page.wait_for_path(&format!("{path}?search=delivery")).await;
        found("search=delivery").await;

        page.click("button", "Filter").await;
        page.click("button", "UTM source").await;
        page.fill_text_field("UTM source", "google").await;
        page.click("button", "Apply").await;
        page.wait_for_path(&format!("{path}?search=delivery&utm_source=google")).await;
        found("search=delivery&utm_source=google").await;

        page.reload().await;
        found("search=delivery&utm_source=google").await;
        page.click("button", "Remove Search").await;
        page.wait_for_path(&format!("{path}?utm_source=google")).await;
        found("utm_source=google").await;

        page.open(&format!("{path}?utm_source=no-such-source")).await;
        page.wait_for_text("No matching submissions").await;
        page.click("button", "Clear filters").await;
        page.wait_for_path(&path).await;
        page.wait_for_text("2,000 submissions").await;
        check_history(page, &format!("{path}?utm_source=google")).await;
    })
    .await;
}

#[tokio::test]
async fn sentiments_and_answers_are_filtered() {
    let server = Server::start("enterprise");
    let form = server.create_analysed_form("Feedback", 2000);
    let key = server.create_key("live");
    run_test("filter-sentiment", Viewport::DESKTOP, server, async |world| {
        let page = &world.page;
        let found = async |query: &str| {
            let total = count_matches(&world.server, &key, &form, query);
            assert!(total > 0 && total < 2000, "{query}: {total} rows do not test a filter");
            page.wait_for_text(&format!("{total} submissions")).await;
        };
        // The name of an option in the picker has the number of submissions.
        let option = |name: &str| {
            let query = format!("sentiment={}", name.to_lowercase());
            format!("{name} {}", count_matches(&world.server, &key, &form, &query))
        };
        world.sign_in_to_list(&form, "2,000 submissions").await;
        let path = format!("/live/forms/{form}");

        page.click("button", "Filter").await;
        page.click("button", "Sentiment").await;
        page.click("checkbox", &option("Negative")).await;
        page.wait_for_path(&format!("{path}?sentiment=negative")).await;
        found("sentiment=negative").await;
        page.press_keys(Key::Escape + "").await;

        page.click("button", "Sentiment Negative").await;
        page.click("checkbox", &option("Mixed")).await;
        page.wait_for_path(&format!("{path}?sentiment=mixed,negative")).await;
        found("sentiment=mixed,negative").await;
        page.reload().await;
        page.find("button", "Remove Sentiment: Mixed or Negative").await;
        found("sentiment=mixed,negative").await;

        page.eval("document.querySelector('[role=row][data-key]').click()", vec![]).await;
        let shown = "return document.querySelector('.fact-filter .badge') !== null";
        page.wait_for("the card", shown, vec![]).await;
        let press = "const fact = document.querySelector('.fact-filter'); fact.click();
            return fact.title";
        let title = page.eval(press, vec![]).await;
        let name = title.as_str().and_then(|title| title.strip_prefix("Filter by Sentiment: "));
        let query = format!("sentiment={}", name.expect("a sentiment").to_lowercase());
        let filtered = "return location.search.slice(1) === arguments[0]";
        page.wait_for("the filter", filtered, vec![json!(query)]).await;
        page.press_keys(Key::Escape + "").await;
        page.wait_for_path(&format!("{path}?{query}")).await;
        found(&query).await;
        filter_by_rating(world, &key, &form).await;
    })
    .await;
}

/// Returns the id of the form's field with this name.
fn field_id(server: &Server, key: &str, form: &str, name: &str) -> String {
    let (status, body) = call_api(key, &format!("{}/v1/forms/{form}", server.url()));
    assert_eq!(status, 200);
    let body: Value = serde_json::from_slice(&body).expect("JSON");
    let mut fields = body["data"]["fields"].as_array().expect("fields").iter();
    let field = fields.find(|field| field["name"] == name).expect("a field of this name");
    field["id"].as_str().expect("an id").to_owned()
}

/// Filters a list of 2,000 submissions by the rating, by keyboard and on a card.
async fn filter_by_rating(context: &TestContext, key: &str, form: &str) {
    let page = &context.page;
    let rating = field_id(&context.server, key, form, "How satisfied are you?");
    let found = async |query: &str| {
        let total = count_matches(&context.server, key, form, query);
        assert!(total > 1 && total < 1000, "{query}: {total} rows do not test a filter");
        page.wait_for_text(&format!("{total} submissions")).await;
    };
    let path = format!("/live/forms/{form}");
    page.open(&path).await;
    page.wait_for_text("2,000 submissions").await;

    // A click with Alt on a cell filters by its value, and opens no submission.
    let mark = "const heads = [...document.querySelectorAll('[role=columnheader]')];
        const column = heads.findIndex(head => head.textContent.includes('Source'));
        const rows = [...document.querySelectorAll('.grid-rows [role=row]')];
        const cells = rows.map(row => row.children[column]);
        const cell = cells.find(cell => cell?.matches('.grid-cell:not([data-missing])'));
        return cell && (cell.id = 'pressed', cell.textContent)";
    let source = page.wait_for("a source", mark, vec![]).await;
    page.click_with_alt("#pressed").await;
    let query = format!("utm_source={}", source.as_str().expect("a source"));
    page.wait_for_path(&format!("{path}?{query}")).await;
    found(&query).await;
    page.open(&path).await;
    page.wait_for_text("2,000 submissions").await;

    page.find("button", "Filter").await.0.send_keys(Key::Enter + "").await.expect("a button");
    page.find("button", "UTM campaign").await;
    page.press_keys(Key::Tab + "").await;
    for _ in 0..3 {
        page.press_keys(Key::Down + "").await;
    }
    page.press_keys(Key::Enter + "").await;
    let on_list = "return document.activeElement.matches('.filter-picker select')";
    page.wait_for("the focus on the condition", on_list, vec![]).await;
    page.check_accessibility("the picker of an answer").await;
    for _ in 0..3 {
        page.press_keys(Key::Down + "").await;
    }
    page.press_keys(Key::Tab + "5" + Key::Enter).await;
    page.wait_for_path(&format!("{path}?{rating}=gte:5")).await;
    found(&format!("{rating}=gte:5")).await;
    page.reload().await;
    page.find("button", "Remove How satisfied are you?: is at least 5").await;
    page.set_viewport(Viewport::PHONE_DARK).await;
    page.check_appearance("filtered-by-answer-phone").await;
    page.set_viewport(Viewport::DESKTOP).await;

    page.eval("document.querySelector('[role=row][data-key]').click()", vec![]).await;
    let shown = "return document.querySelector('.answers-text .fact-filter .rating') !== null";
    page.wait_for("the rating on the card", shown, vec![]).await;
    let press = "const fact = document.querySelector('.answers-text .fact-filter:has(.rating)');
        fact.click(); return fact.title";
    let title = page.eval(press, vec![]).await;
    let stars = title.as_str().and_then(|title| title.rsplit_once(": ")).expect("a value").1;
    page.find("button", &format!("Remove How satisfied are you?: {stars}")).await;
    found(&format!("{rating}=eq:{stars}")).await;
}

/// Checks that Back and Forward restore a filtered list at its scroll position.
async fn check_history(page: &Page, path: &str) {
    page.open(path).await;
    page.wait_for_text("submissions").await;
    let top = "return document.querySelector('[role=grid]')?.scrollTop ?? null";
    let rows = "return document.querySelectorAll('[role=row][data-key]').length > 5";
    page.wait_for("rows", rows, vec![]).await;
    page.eval("document.querySelector('[role=grid]').scrollTop = 1500", vec![]).await;
    // Wait until the rows are drawn; before that, the page has not processed the scroll event.
    let rows = "return [...document.querySelectorAll('[role=row][data-key]')]
        .some((row) => row.ariaRowIndex > 36)";
    page.wait_for("the rows at that scroll position", rows, vec![]).await;
    page.click("link", "API keys").await;
    page.find("heading", "API keys").await;
    page.back().await;
    page.wait_for_path(path).await;
    let restored = "const top = document.querySelector('[role=grid]')?.scrollTop;
        return top >= 1400 && top <= 1600";
    page.wait_for("the previous scroll position", restored, vec![]).await;
    page.forward().await;
    page.find("heading", "API keys").await;
    assert_eq!(page.eval(top, vec![]).await, json!(null));
}
