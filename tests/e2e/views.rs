//! Filters by keyboard: highlighted search, dates, UTM values, and saved views.

use crate::harness::{OWNER, Page, Server, Viewport, count_matches, run_test};
use serde_json::json;
use thirtyfour::Key;

/// Presses Tab until the focused element has this name.
async fn tab_to(page: &Page, name: &str) {
    move_focus_to(page, name, false).await;
}

/// Presses Tab or Shift+Tab until the focused element has this name.
async fn move_focus_to(page: &Page, name: &str, back: bool) {
    let body = "const it = document.activeElement; const label = it.labels?.[0]?.innerText;
        return (it.getAttribute('aria-label') ?? label ?? it.innerText ?? '').trim()";
    for _ in 0..80 {
        if page.eval(body, vec![]).await == json!(name) {
            return;
        }
        page.press_keys(if back { Key::Shift + Key::Tab } else { Key::Tab + "" }).await;
    }
    panic!("Tab never reaches {name:?}");
}

async fn is_open(page: &Page, name: &str, open: bool) {
    let body = "const open = document.querySelector('[role=dialog]:popover-open');
        return (open?.getAttribute('aria-label') ?? '') === arguments[0]";
    page.wait_for("the panel", body, vec![json!(if open { name } else { "" })]).await;
}

#[tokio::test]
async fn filters_and_views_work_by_keyboard() {
    let server = Server::start("enterprise");
    let form = server.create_sampled_form("Feedback", "live", 2000);
    let key = server.create_key("live");
    run_test("views", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        context.sign_in_to_list(&form, "2,000 submissions").await;
        let path = format!("/live/forms/{form}");
        check_highlights(page).await;
        page.open(&path).await;
        page.wait_for_text("2,000 submissions").await;

        // A range: one day, and the same weekday a week before it.
        page.press_keys("/").await;
        tab_to(page, "Date").await;
        page.press_keys(Key::Enter + "").await;
        is_open(page, "Date", true).await;
        page.find("button", "Previous month").await;
        let today = "const day = document.querySelector(\"[role=grid] [tabindex='0']\");
            return document.activeElement === day";
        for _ in 0..20 {
            if page.eval(today, vec![]).await == json!(true) {
                break;
            }
            page.press_keys(Key::Tab + "").await;
        }
        page.press_keys(Key::Enter + "").await;
        page.wait_for_text("Choose the last day").await;
        page.press_keys(Key::Up + "").await;
        page.press_keys(Key::Enter + "").await;
        page.wait_until_text_is_gone("Choose the last day").await;
        page.press_keys(Key::Escape + "").await;
        is_open(page, "Date", false).await;
        let query = page.eval("return location.search.slice(1)", vec![]).await;
        let query = query.as_str().expect("a query").to_owned();
        assert!(query.contains("date_from=") && query.contains("date_to="), "{query}");
        let found = count_matches(&context.server, &key, &form, &query);
        page.wait_for_text(&format!("{found} submission")).await;
        page.press_keys("/").await;
        tab_to(page, "Clear all").await;
        page.press_keys(Key::Enter + "").await;
        page.wait_for_path(&path).await;

        // A UTM value from the suggestions.
        tab_to(page, "Filter").await;
        page.press_keys(Key::Enter + "").await;
        is_open(page, "Filter", true).await;
        tab_to(page, "Sentiment").await;
        page.press_keys(Key::End + "").await;
        page.press_keys(Key::Up + "").await;
        page.press_keys(Key::Up + "").await;
        page.press_keys(Key::Enter + "").await;
        // The picker takes the focus into its field.
        page.wait_for("values", "return document.querySelector('[role=option]') !== null", vec![])
            .await;
        page.press_keys("goo").await;
        page.press_keys(Key::Down + "").await;
        page.press_keys(Key::Enter + "").await;
        page.press_keys(Key::Enter + "").await;
        page.wait_for_path(&format!("{path}?utm_source=google")).await;
        let found = count_matches(&context.server, &key, &form, "utm_source=google");
        page.wait_for_text(&format!("{found} submission")).await;

        // Save the filter as the default view and open it by its link. Walk backwards from the
        // search field: beyond the end of the page, browsers have tab stops of their own.
        page.press_keys("/").await;
        move_focus_to(page, "Views", true).await;
        page.press_keys(Key::Enter + "").await;
        // The panel's content may load a moment later.
        page.find("textbox", "View name").await;
        tab_to(page, "View name").await;
        page.press_keys("From Google").await;
        tab_to(page, "Use as default view").await;
        page.press_keys(" ").await;
        page.press_keys(Key::Enter + "").await;
        page.find("link", "From Google").await;
        page.press_keys(Key::Escape + "").await;
        page.open(&path).await;
        page.wait_for_path(&format!("{path}?utm_source=google")).await;
        page.wait_for_text("Default view").await;
        page.check_appearance("shared-view").await;
        page.set_viewport(Viewport::PHONE_DARK).await;
        page.check_appearance("shared-view-phone").await;
        page.set_viewport(Viewport::DESKTOP).await;
        page.click("button", "Remove Default view: From Google").await;
        page.wait_for_path(&path).await;
        page.wait_for_text("2,000 submissions").await;
        page.click("button", "Views").await;
        page.click("link", "From Google").await;
        page.wait_for_path(&format!("{path}?utm_source=google")).await;
        page.wait_for_text(&format!("{found} submission")).await;
        page.click("link", "API keys").await;
        page.find("heading", "API keys").await;
        page.click("link", "Feedback").await;
        page.wait_for_path(&format!("{path}?utm_source=google")).await;
    })
    .await;
}

#[tokio::test]
async fn shared_default_view_opens_for_other_members() {
    let server = Server::start("enterprise");
    let form = server.create_sampled_form("Feedback", "live", 300);
    let path = format!("/live/forms/{form}");
    let filtered = format!("{path}?utm_source=google");
    run_test("shared-views", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        page.sign_in(&context.server.sign_in_link()).await;
        page.open(&filtered).await;
        page.click("button", "Views").await;
        page.fill_text_field("View name", "From Google").await;
        page.click("checkbox", "Use as default view").await;
        page.click("checkbox", "Share with members").await;
        page.click("button", "Save view").await;
        page.find("link", "From Google").await;
        page.wait_for_text("Default view").await;

        let words = ["account", "add-member", "--account", OWNER, "--email", "rea@example.com"];
        let link =
            context.server.run_command(&[&words[..], &["--url", &context.server.url()]].concat());
        page.open(&link).await;
        page.accept_link().await;
        page.find("button", "rea@example.com").await;
        page.open(&path).await;
        page.wait_for_path(&filtered).await;
        page.wait_for_text("Default view").await;
        page.click("button", "Remove Default view: From Google").await;
        page.wait_for_path(&path).await;
        page.wait_for_text("300 submissions").await;
        // Readers have no button to edit a shared view.
        page.click("button", "Views").await;
        page.find("link", "From Google").await;
        let edits = "return document.querySelectorAll('.views-item button').length";
        assert_eq!(page.eval(edits, vec![]).await, json!(0));
        page.fill_text_field("View name", "Mine").await;
        page.click("button", "Save view").await;
        page.find("link", "Mine").await;
        page.find("button", "Edit Mine").await;
        page.press_keys(Key::Escape + "").await;
        // Back from another page does not apply the default view again.
        page.click("link", "Insights").await;
        page.find("heading", "Feedback insights").await;
        page.back().await;
        page.wait_for_path(&path).await;
        page.wait_for_text("300 submissions").await;
    })
    .await;
}

/// Checks that the rows and the card show matches of a search while it is typed.
async fn check_highlights(page: &Page) {
    page.press_keys("/").await;
    page.press_keys("DELIVERY").await;
    let marked = "const rows = Array.from(document.querySelectorAll('[role=row][data-key]'));
        return rows.length > 3 && rows.every(row => row.querySelector('mark')
            && Array.from(row.querySelectorAll('mark')).every(
                mark => 'delivery'.startsWith(mark.textContent.toLowerCase())))";
    page.wait_for("marks in every row", marked, vec![]).await;
    page.press_keys(Key::Tab + "").await;
    page.eval("document.querySelector('[role=row][data-key]').click()", vec![]).await;
    let card =
        "return document.querySelector('.card mark')?.textContent.toLowerCase() === 'delivery'";
    page.wait_for("a mark on the card", card, vec![]).await;
}

/// Opens every panel in one viewport. No page scrolls sideways, and axe reports nothing.
async fn check_panels(name: &str, viewport: Viewport) {
    if viewport.is_skipped("every panel") {
        return;
    }
    let server = Server::start("enterprise");
    let form = server.create_analysed_form("Customer feedback", 2000);
    run_test(name, viewport, server, async |context| {
        let page = &context.page;
        page.sign_in(&context.server.sign_in_link()).await;
        page.open(&format!("/live/forms/{form}?search=delivery&utm_source=google")).await;
        page.wait_for("marks", "return document.querySelector('mark') !== null", vec![]).await;
        page.check_appearance(&format!("{name}-filter-marks")).await;
        page.click("button", "Date").await;
        page.click("button", "30 days").await;
        page.find("button", "Next month").await;
        page.check_appearance(&format!("{name}-filter-dates")).await;
        page.press_keys(Key::Escape + "").await;
        page.click("button", "Filter").await;
        page.find("button", "Completion time").await;
        page.check_appearance(&format!("{name}-filter-properties")).await;
        page.click("button", "Sentiment").await;
        let options = "return document.querySelector('.filter-list input') !== null";
        page.wait_for("the sentiments", options, vec![]).await;
        page.check_appearance(&format!("{name}-filter-sentiment")).await;
        page.click("button", "Back to all properties").await;
        page.click("button", "Completion time").await;
        page.find("textbox", "Maximum").await;
        page.check_appearance(&format!("{name}-filter-seconds")).await;
        page.click("button", "Back to all properties").await;
        page.click("button", "UTM source").await;
        page.wait_for("values", "return document.querySelector('[role=option]') !== null", vec![])
            .await;
        page.check_appearance(&format!("{name}-filter-utm")).await;
        page.press_keys(Key::Escape + "").await;
        page.press_keys(Key::Escape + "").await;
        page.click("button", "Views").await;
        for view in ["Deliveries from Google", "30 days"] {
            page.fill_text_field("View name", view).await;
            page.click("button", "Save view").await;
            page.find("link", view).await;
        }
        page.click("button", "Edit 30 days").await;
        page.find("button", "Use current filter").await;
        page.check_appearance(&format!("{name}-filter-views")).await;
        page.press_keys(Key::Escape + "").await;
        // A match in an answer that no column shows.
        page.open(&format!("/live/forms/{form}?search=%40example")).await;
        page.wait_for("marks", "return document.querySelector('mark') !== null", vec![]).await;
        page.check_appearance(&format!("{name}-filter-elsewhere")).await;
        // On a phone, a button replaces the month bar.
        if name.starts_with("phone") {
            page.open(&format!("/live/forms/{form}")).await;
            page.click("button", "Months").await;
            page.find("dialog", "Months").await;
            page.wait_for(
                "months",
                "return document.querySelector('.rail-menu .rail-month') !== null",
                vec![],
            )
            .await;
            page.check_appearance(&format!("{name}-filter-months")).await;
        }
    })
    .await;
}

#[tokio::test]
async fn every_panel_on_desktop() {
    check_panels("desk", Viewport::DESKTOP).await;
}

#[tokio::test]
async fn every_panel_on_dark_desktop() {
    check_panels("desk-dark", Viewport::DESKTOP_DARK).await;
}

#[tokio::test]
async fn every_panel_on_phone() {
    check_panels("phone", Viewport::PHONE).await;
}

#[tokio::test]
async fn every_panel_on_dark_phone() {
    check_panels("phone-dark", Viewport::PHONE_DARK).await;
}
