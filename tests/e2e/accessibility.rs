//! Accessibility outlines of each named region of the dashboard. The snapshots are in `aria`, to be
//! read as a screen reader would.

use crate::harness::{Page, Server, TestContext, Viewport, run_test, submit};
use serde_json::{Value, json};
use std::fmt::Write as _;
use thirtyfour::Key;

/// Submissions with fixed contents and times, equal on every day and machine.
const SUBMISSIONS: [(&str, u32, &str, &str, &str, &str); 7] = [
    ("Ada", 5, "The delivery was quick, thank you.", "2025-01-08", "google", "positive"),
    ("Grace", 2, "Two parts were missing.\nWhom do I ask?", "2025-01-21", "google", "negative"),
    ("Linus", 3, "Good, but dear.", "2025-01-21", "mail", "mixed"),
    ("Barbara", 4, "Works.", "2025-02-03", "mail", "neutral"),
    ("Edsger", 1, "Goto the shop? Never again.", "2025-02-14", "", "negative"),
    ("Margaret", 5, "Landed safely.", "2025-03-01", "google", "positive"),
    ("Alan", 4, "", "2025-03-02", "", ""),
];

fn submissions() -> String {
    let mut lines = String::new();
    for (n, (name, score, comment, day, source, sentiment)) in SUBMISSIONS.into_iter().enumerate() {
        let mail = format!("{}@example.com", name.to_lowercase());
        let insight = json!({
            "sentiment": sentiment, "sentiment_score": f64::from(score) / 5.0,
            "categories": ["Delivery"], "language": "en",
        });
        let submission = json!({
            "id": format!("sub_{n:012}"),
            "answers": { "Name": name, "Score": score, "Comment": comment, "Mail": mail },
            "metadata": {
                "submitted_at": format!("{day}T09:{n:02}:00Z"), "ip_country": "DE",
                "device": if n % 2 == 0 { "mobile" } else { "desktop" }, "browser": "Firefox",
                "completion_time_seconds": 40 + 15 * n, "utm_source": source,
            },
            "ai_insights": if sentiment.is_empty() { Value::Null } else { insight },
        });
        writeln!(lines, "{submission}").expect("writing to a string cannot fail");
    }
    lines
}

/// Starts a server with the form of all these tests, and returns the form's id.
fn start_server() -> (Server, String) {
    let server = Server::start("enterprise");
    let form = server.run_command(&[
        "form",
        "create",
        "--account",
        crate::harness::OWNER,
        "--name",
        "Feedback",
        "--field",
        "Name",
        "--field",
        "Score:rating",
        "--field",
        "Comment:long_text",
        "--field",
        "Mail:email",
    ]);
    import_lines(&server, &form, &submissions());
    (server, form)
}

/// Imports submissions into a form, one per line.
fn import_lines(server: &Server, form: &str, lines: &str) {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(file.path(), lines).expect("it can be written");
    server.run_command(&["import", "--form", form, file.path().to_str().expect("a plain path")]);
}

/// Opens the list of the form, and waits for its first and last rows.
async fn open_list(page: &Page, path: &str) {
    page.open(path).await;
    page.wait_for_text("7 submissions").await;
    page.wait_for_text("Landed safely.").await;
}

#[tokio::test]
async fn outlines_of_list_card_and_dialogs() {
    let (server, form) = start_server();
    run_test("outline-list", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        let path = format!("/live/forms/{form}");
        page.sign_in(&context.server.sign_in_link()).await;
        open_list(page, &path).await;
        page.compare_outline("list", "main", "").await;
        page.click("button", "Columns").await;
        page.compare_outline("list-columns", "dialog", "Columns").await;

        open_list(page, &path).await;
        page.click("button", "Export").await;
        page.wait_for_text("Export submissions").await;
        page.compare_outline("export", "dialog", "").await;

        open_list(page, &path).await;
        compare_shortcuts(page).await;
        page.open(&format!("{path}/submissions/sub_000000000001")).await;
        page.wait_for_text("Whom do I ask?").await;
        page.compare_outline("card", "region", "Grace").await;
        page.open(&format!("{path}/insights")).await;
        page.find("heading", "UTM sources").await;
        page.compare_outline("insights", "main", "").await;
        page.click("button", "Show table").await;
        let is_there = "return document.querySelector('main table') !== null";
        page.wait_for("a table", is_there, vec![]).await;
        page.compare_outline("insights-table", "table", "").await;
        compare_months(context).await;
    })
    .await;
}

/// Compares the commands and the help with their snapshots.
async fn compare_shortcuts(page: &Page) {
    page.press_keys(Key::Control + "k").await;
    page.find("dialog", "Commands").await;
    let is_focused = "return document.activeElement.getAttribute('role') === 'combobox'";
    page.wait_for("the focus in the search for commands", is_focused, vec![]).await;
    page.press_keys("co").await;
    page.wait_for_text("6 commands").await;
    page.compare_outline("shortcuts-commands", "dialog", "Commands").await;
    page.press_keys(Key::Escape + "").await;
    page.wait_until_text_is_gone("Commands").await;
    page.press_keys("?").await;
    page.wait_for_text("Undo last action").await;
    page.compare_outline("shortcuts-keys", "dialog", "Keyboard shortcuts").await;
}

/// Compares the month bar, which appears from 300 submissions on, with its snapshot.
async fn compare_months(context: &TestContext) {
    let page = &context.page;
    let long = context.server.create_form("Long", "live");
    let lines = (0..320).map(|n| {
        let year = 2024 + n / 240;
        let month = n / 20 % 12 + 1;
        let day = n % 20 + 1;
        json!({
            "answers": { "Name": format!("Person {n}") },
            "metadata": { "submitted_at": format!("{year}-{month:02}-{day:02}T09:00:00Z") },
        })
    });
    let lines: Vec<String> = lines.map(|line| line.to_string()).collect();
    import_lines(&context.server, &long, &lines.join("\n"));
    page.open(&format!("/live/forms/{long}")).await;
    page.wait_for_text("320 submissions").await;
    page.find("button", "Jan 2025").await;
    page.compare_outline("list-rail", "navigation", "Months").await;
}

#[tokio::test]
async fn outlines_of_filters_views_and_deletion() {
    let (server, form) = start_server();
    run_test("outline-filters", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        let path = format!("/live/forms/{form}");
        page.sign_in(&context.server.sign_in_link()).await;
        compare_filters(page, &path).await;

        open_list(page, &path).await;
        page.click("checkbox", "Select row").await;
        page.wait_for_text("1 selected").await;
        page.compare_outline("delete-selection", "toolbar", "Selection").await;
        page.click("button", "Delete").await;
        page.wait_for_text("Moved to trash").await;
        page.compare_outline("delete-notice", "region", "Notifications").await;
        page.click("link", "Trash").await;
        page.wait_for_text("1 submission in trash").await;
        page.click("button", "Empty trash").await;
        page.find("dialog", "Empty trash?").await;
        page.compare_outline("delete-dialog", "dialog", "").await;
    })
    .await;
}

/// Compares the filters of a list, their panels, and the saved views with their snapshots.
async fn compare_filters(page: &Page, path: &str) {
    let on = "?search=delivery&date_from=2025-01-05T00:00:00Z&date_to=2025-02-02T00:00:00Z";
    page.open(&format!("{path}{on}")).await;
    page.wait_for_text("1 submission").await;
    page.compare_outline("filters", "main", "").await;
    page.click("button", "Date").await;
    page.find("button", "Previous month").await;
    page.compare_outline("filters-date", "dialog", "Date").await;
    page.press_keys(Key::Escape + "").await;
    page.click("button", "Filter").await;
    page.find("button", "UTM campaign").await;
    page.compare_outline("filters-properties", "dialog", "Filter").await;
    page.click("button", "Score").await;
    page.find("combobox", "Condition").await;
    page.compare_outline("filters-answer", "dialog", "Filter").await;
    page.click("button", "Back to all properties").await;
    page.click("button", "Sentiment").await;
    page.find("checkbox", "Positive").await;
    page.compare_outline("filters-sentiment", "dialog", "Filter").await;
    page.click("button", "Back to all properties").await;
    page.click("button", "UTM source").await;
    page.find("option", "google").await;
    page.compare_outline("filters-utm", "dialog", "Filter").await;
    page.press_keys(Key::Escape + "").await;
    page.press_keys(Key::Escape + "").await;
    page.click("button", "Views").await;
    page.fill_text_field("View name", "Deliveries").await;
    page.click("button", "Save view").await;
    page.find("link", "Deliveries").await;
    page.compare_outline("filters-views", "dialog", "Views").await;
}

#[tokio::test]
async fn outlines_of_sign_in_layout_and_settings() {
    let (server, form) = start_server();
    run_test("outline-settings", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        let list = format!("/live/forms/{form}");
        page.open("/sign-in").await;
        page.find("button", "Sign in").await;
        page.compare_outline("sign-in", "main", "").await;
        page.sign_in(&context.server.sign_in_link()).await;
        compare_layout(page, &list).await;

        let address = format!("{}/f/{form}", context.server.url());
        submit(&address, r#"{"Name":"Buy now","_gotcha":"x"}"#);
        context.server.create_key("live");
        for (file, path, shows) in [
            ("forms", "/settings/forms".to_owned(), "Feedback"),
            ("form-share", format!("{list}/settings"), "<form"),
            ("form-fields", format!("{list}/settings/fields"), "Save fields"),
            ("form-intake", format!("{list}/settings/intake"), "Save intake"),
            ("form-spam", format!("{list}/settings/spam"), "Buy now"),
            ("form-trash", format!("{list}/settings/trash"), "Trash is empty"),
            ("form-analysis", format!("{list}/settings/analysis"), "Daily limit"),
            ("form-notifications", format!("{list}/settings/notifications"), "No addresses yet"),
            ("form-webhooks", format!("{list}/settings/webhooks"), "No webhooks yet"),
            ("account", "/settings/account".to_owned(), "This device"),
            ("keys", "/settings/keys".to_owned(), "live of a test"),
        ] {
            page.open(&path).await;
            page.wait_for_text(shows).await;
            page.compare_outline(file, "main", "").await;
        }
        page.click("button", "Examples for live of a test").await;
        page.find("dialog", "Use").await;
        page.compare_outline("keys-examples", "dialog", "").await;
        page.click("button", "Done").await;
        page.click("button", "Create key").await;
        page.find("dialog", "Create").await;
        page.compare_outline("keys-create", "dialog", "").await;
    })
    .await;
}

/// Compares the top bar, the side bar and the menus with their snapshots.
async fn compare_layout(page: &Page, list: &str) {
    page.open(list).await;
    page.wait_for_text("7 submissions").await;
    page.compare_outline("shell-top", "banner", "").await;
    page.compare_outline("shell-side", "navigation", "Main").await;
    page.click("button", "Appearance").await;
    // The menu's content loads when it is first opened, and then takes the focus.
    let is_focused = "return document.activeElement.getAttribute('role') === 'menuitemradio'";
    page.wait_for("the focus in the menu", is_focused, vec![]).await;
    page.compare_outline("shell-appearance", "menu", "").await;
    page.press_keys(Key::Escape + "").await;
    page.click("button", "Account").await;
    page.compare_outline("shell-account", "menu", "").await;
}
