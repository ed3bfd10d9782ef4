//! Accessibility outlines of each named region of the dashboard. The snapshots are in `aria`, to be
//! read as a screen reader would.

use crate::harness::{Look, Page, Server, World, journey, post};
use serde_json::{Value, json};
use std::fmt::Write as _;
use thirtyfour::Key;

/// Submissions with fixed contents and times, equal on every day and machine.
const PEOPLE: [(&str, u32, &str, &str, &str, &str); 7] = [
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
    for (n, (name, score, comment, day, source, sentiment)) in PEOPLE.into_iter().enumerate() {
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
fn server() -> (Server, String) {
    let server = Server::start("enterprise");
    let form = server.sheaf(&[
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
    fill(&server, &form, &submissions());
    (server, form)
}

/// Imports submissions into a form, one per line.
fn fill(server: &Server, form: &str, lines: &str) {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(file.path(), lines).expect("it can be written");
    server.sheaf(&["import", "--form", form, file.path().to_str().expect("a plain path")]);
}

/// Runs a test that begins signed in, on the list.
async fn listening(name: &str, steps: impl AsyncFnOnce(&World, &Page, &str)) {
    let (server, form) = server();
    journey(name, Look::DESK, server, async |world| {
        let page = &world.page;
        page.sign_in(&world.server.link()).await;
        let place = format!("/live/forms/{form}");
        page.open(&place).await;
        page.sees("7 submissions").await;
        page.sees("Landed safely.").await;
        steps(world, page, &place).await;
    })
    .await;
}

#[tokio::test]
async fn outline_of_list_and_months() {
    listening("told-list", async |world, page, _| {
        page.reads("list", "main", "").await;
        page.click("button", "Columns").await;
        page.reads("list-columns", "dialog", "Columns").await;
        // The month bar appears from 300 submissions on.
        let long = world.server.form("Long", "live");
        let lines = (0..320).map(|n| {
            let (year, month, day) = (2024 + n / 240, n / 20 % 12 + 1, n % 20 + 1);
            json!({
                "answers": { "Name": format!("Person {n}") },
                "metadata": { "submitted_at": format!("{year}-{month:02}-{day:02}T09:00:00Z") },
            })
        });
        let lines: Vec<String> = lines.map(|line| line.to_string()).collect();
        fill(&world.server, &long, &lines.join("\n"));
        page.open(&format!("/live/forms/{long}")).await;
        page.sees("320 submissions").await;
        page.find("button", "Jan 2025").await;
        page.reads("list-rail", "navigation", "Months").await;
    })
    .await;
}

#[tokio::test]
async fn outline_of_filters_and_views() {
    listening("told-filters", async |_, page, place| {
        let on = "?search=delivery&date_from=2025-01-05T00:00:00Z&date_to=2025-02-02T00:00:00Z";
        page.open(&format!("{place}{on}")).await;
        page.sees("1 submission").await;
        page.reads("filters", "main", "").await;
        page.click("button", "Date").await;
        page.find("button", "Previous month").await;
        page.reads("filters-date", "dialog", "Date").await;
        page.press(Key::Escape + "").await;
        page.click("button", "UTM").await;
        page.find("combobox", "Source")
            .await
            .0
            .click()
            .await
            .expect("the combobox takes the focus");
        page.find("option", "google").await;
        page.reads("filters-utm", "dialog", "UTM").await;
        page.press(Key::Escape + "").await;
        page.press(Key::Escape + "").await;
        page.click("button", "Views").await;
        page.fill("View name", "Deliveries").await;
        page.click("button", "Save view").await;
        page.find("link", "Deliveries").await;
        page.reads("filters-views", "dialog", "Views").await;
    })
    .await;
}

#[tokio::test]
async fn outline_of_card() {
    listening("told-card", async |_, page, place| {
        page.open(&format!("{place}/submissions/sub_000000000001")).await;
        page.sees("Whom do I ask?").await;
        page.reads("card", "region", "Grace").await;
    })
    .await;
}

#[tokio::test]
async fn outline_of_selection_and_deletion() {
    listening("told-delete", async |_, page, _| {
        page.click("checkbox", "Select row").await;
        page.sees("1 selected").await;
        page.reads("delete-selection", "toolbar", "Selection").await;
        page.click("button", "Delete").await;
        page.sees("Moved to trash").await;
        page.reads("delete-notice", "region", "Notifications").await;
        page.click("link", "Trash").await;
        page.sees("1 submission in trash").await;
        page.click("button", "Empty trash").await;
        page.find("dialog", "Empty trash?").await;
        page.reads("delete-dialog", "dialog", "").await;
    })
    .await;
}

#[tokio::test]
async fn outline_of_insights() {
    listening("told-insights", async |_, page, place| {
        page.open(&format!("{place}/insights")).await;
        page.find("heading", "UTM sources").await;
        page.reads("insights", "main", "").await;
        page.click("button", "Show table").await;
        let is_there = "return document.querySelector('main table') !== null";
        page.wait_for("a table", is_there, vec![]).await;
        page.reads("insights-table", "table", "").await;
    })
    .await;
}

#[tokio::test]
async fn outline_of_export_dialog() {
    listening("told-export", async |_, page, _| {
        page.click("button", "Export").await;
        page.sees("Export submissions").await;
        page.reads("export", "dialog", "").await;
    })
    .await;
}

#[tokio::test]
async fn outline_of_commands_and_shortcuts() {
    listening("told-habits", async |_, page, _| {
        page.press(Key::Control + "k").await;
        page.find("dialog", "Commands").await;
        let is_focused = "return document.activeElement.getAttribute('role') === 'combobox'";
        page.wait_for("the focus in the search for commands", is_focused, vec![]).await;
        page.press("co").await;
        page.sees("5 commands").await;
        page.reads("habits-commands", "dialog", "Commands").await;
        page.press(Key::Escape + "").await;
        page.misses("Commands").await;
        page.press("?").await;
        page.sees("Undo last action").await;
        page.reads("habits-keys", "dialog", "Keyboard shortcuts").await;
    })
    .await;
}

#[tokio::test]
async fn outline_of_forms_settings_and_keys() {
    listening("told-forms", async |world, page, place| {
        let form = place.rsplit('/').next().expect("an id");
        let address = format!("{}/f/{form}", world.server.url());
        post(&address, r#"{"Name":"Buy now","_gotcha":"x"}"#);
        world.server.key("live");
        for (file, path, shows) in [
            ("forms", "/settings/forms".to_owned(), "Feedback"),
            ("form-share", format!("{place}/settings"), "<form"),
            ("form-fields", format!("{place}/settings/fields"), "Save fields"),
            ("form-intake", format!("{place}/settings/intake"), "Save intake"),
            ("form-spam", format!("{place}/settings/spam"), "Buy now"),
            ("form-trash", format!("{place}/settings/trash"), "Trash is empty"),
            ("form-analysis", format!("{place}/settings/analysis"), "Daily limit"),
            ("account", "/settings/account".to_owned(), "This device"),
            ("keys", "/settings/keys".to_owned(), "live of a test"),
        ] {
            page.open(&path).await;
            page.sees(shows).await;
            page.reads(file, "main", "").await;
        }
        page.click("button", "Examples for live of a test").await;
        page.find("dialog", "Use").await;
        page.reads("keys-examples", "dialog", "").await;
        page.click("button", "Done").await;
        page.click("button", "Create key").await;
        page.find("dialog", "Create").await;
        page.reads("keys-create", "dialog", "").await;
    })
    .await;
}

#[tokio::test]
async fn outline_of_sign_in_and_layout() {
    let (server, form) = server();
    journey("told-shell", Look::DESK, server, async |world| {
        let page = &world.page;
        page.open("/sign-in").await;
        page.find("button", "Sign in").await;
        page.reads("sign-in", "main", "").await;
        page.sign_in(&world.server.link()).await;
        page.open(&format!("/live/forms/{form}")).await;
        page.sees("7 submissions").await;
        page.reads("shell-top", "banner", "").await;
        page.reads("shell-side", "navigation", "Main").await;
        page.click("button", "Appearance").await;
        // The menu's content loads when it is first opened, and then takes the focus.
        let is_focused = "return document.activeElement.getAttribute('role') === 'menuitemradio'";
        page.wait_for("the focus in the menu", is_focused, vec![]).await;
        page.reads("shell-appearance", "menu", "").await;
        page.press(Key::Escape + "").await;
        page.click("button", "Account").await;
        page.reads("shell-account", "menu", "").await;
    })
    .await;
}
