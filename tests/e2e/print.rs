//! Printed pages: the open card or the rows, and nothing of the surrounding page.

use crate::harness::{Page, Server, Viewport, run_test, screenshot_folder};
use serde_json::json;
use std::process::Command;

/// Prints the page to a PDF file, and returns its text in one line.
async fn print_text(page: &Page, name: &str) -> String {
    let printed =
        page.send_devtools_command("Page.printToPDF", json!({ "printBackground": true })).await;
    let data = printed["data"].as_str().expect("a PDF, in base64");
    let file = screenshot_folder().join(format!("{name}.pdf"));
    let coded = file.with_extension("base64");
    std::fs::write(&coded, data).expect("the PDF can be written");
    let python = std::env::var_os("OPENPYXL_PYTHON").expect("named by `cargo xtask test e2e`");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/e2e/print.py");
    let read =
        Command::new(python).arg(script).arg(&coded).arg(&file).output().expect("Python starts");
    assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
    let text = String::from_utf8(read.stdout).expect("text");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Texts of the surrounding page, which must not be printed.
const SURROUNDING_TEXTS: [&str; 5] = ["Delete", "API keys", "Export", "Insights", "Print"];

#[tokio::test]
async fn print_contains_only_card_or_rows_in_both_themes() {
    let server = Server::start("enterprise");
    let form = server.create_sampled_form("Customer feedback", "live", 60);
    run_test("print", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        page.sign_in(&context.server.sign_in_link()).await;
        check_print(page, "print", &form).await;
        page.set_viewport(Viewport::DESKTOP_DARK).await;
        check_print(page, "print-dark", &form).await;
    })
    .await;
}

/// Prints a filtered list and a card.
async fn check_print(page: &Page, name: &str, form: &str) {
    page.open(&format!("/live/forms/{form}?search=a")).await;
    page.wait_for("rows", "return document.querySelector('.grid-track [data-key]')", vec![]).await;
    let total = page.eval("return document.querySelector('.page-count').innerText", vec![]);
    let total = total.await.as_str().expect("a count").to_owned();
    let list = print_text(page, &format!("{name}-list")).await;
    for text in ["Customer feedback", &total] {
        assert!(list.contains(text), "{text:?} in {list}");
    }
    let without_spaces = list.replace(char::is_whitespace, "");
    assert!(without_spaces.contains("Searcha"), "the filter in {list}");
    let third = page.eval(
        "return document.querySelectorAll('.grid-track [data-key] time')[2].innerText",
        vec![],
    );
    let third = third.await.as_str().expect("an instant").to_owned();
    assert!(list.contains(&third), "{third:?} in {list}");
    for text in SURROUNDING_TEXTS {
        assert!(!list.contains(text), "{text:?} in {list}");
    }
    page.eval("document.querySelectorAll('.grid-track [data-key]')[1].click()", vec![]).await;
    page.find("button", "Print").await;
    page.wait_for_text("Metadata").await;
    let card = print_text(page, &format!("{name}-card")).await;
    for text in ["Answers", "Metadata", "Submission"] {
        assert!(card.contains(text), "{text:?} in {card}");
    }
    for text in SURROUNDING_TEXTS.into_iter().chain(["Customer feedback"]) {
        assert!(!card.contains(text), "{text:?} in {card}");
    }
    let called = "window.print = () => { window.called = true }; return true";
    page.eval(called, vec![]).await;
    page.click("button", "Print").await;
    page.wait_for("the browser to print", "return window.called", vec![]).await;
}
