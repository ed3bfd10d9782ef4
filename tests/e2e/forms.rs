//! Forms and their settings: create a form, submit by the snippets that the page shows, rename
//! fields, save settings, release spam.

use crate::harness::{
    Page, Server, TestContext, Viewport, call_api, run_shown_command, run_test, submit,
};
use crate::intake::serve_page;
use serde_json::{Value, json};
use thirtyfour::Key;

/// Forms per page of `GET /account/forms`. The dashboard loads all pages.
const PAGE_FORMS: usize = 100;

/// Returns the text of the code block that starts with `prefix`.
async fn code_block(page: &Page, prefix: &str) -> String {
    let body = "return [...document.querySelectorAll('pre')].map(one => one.textContent)
        .find(text => text.startsWith(arguments[0])) ?? false";
    let found = page.wait_for(prefix, body, vec![json!(prefix)]).await;
    found.as_str().expect("text").to_owned()
}

/// Submits to a closed form, and returns the status and body.
fn submit_to_closed_form(address: &str) -> (u16, String) {
    let arguments = ["-s", "-w", "\n%{http_code}", "--json", r#"{"Name":"late"}"#, address];
    let out = std::process::Command::new("curl").args(arguments).output().expect("curl runs");
    let text = String::from_utf8(out.stdout).expect("text");
    let (body, status) = text.rsplit_once('\n').expect("a status");
    (status.parse().expect("a number"), body.to_owned())
}

/// Returns the form's id from the path of its settings page.
async fn form_id_from_url(page: &Page) -> String {
    let body = "return location.pathname.match(/forms\\/(frm_[a-z0-9]+)\\/settings/)?.[1] ?? false";
    let found = page.wait_for("the form's settings", body, vec![]).await;
    found.as_str().expect("text").to_owned()
}

#[tokio::test]
async fn form_is_created_used_edited_and_deleted() {
    let server = Server::start("enterprise");
    let key = server.create_key("live");
    run_test("forms", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        page.sign_in(&context.server.sign_in_link()).await;
        page.find("heading", "Forms").await;
        page.click("button", "Create form").await;
        page.fill_text_field("Name", "Contact").await;
        page.fill_text_field("Fields", "Name\nMessage").await;
        page.click("button", "Create").await;
        let form = form_id_from_url(page).await;
        page.wait_for_text("No submissions yet. Paste the HTML").await;
        let html = code_block(page, "<form").await;
        let script = code_block(page, "<script>").await;

        let expected =
            format!("<!doctype html><html lang=en><title>Contact</title>{html}{script}</html>");
        let site = serve_page(expected).await;
        page.open(&format!("{site}/contact?utm_source=mail")).await;
        // A submission within a second would be marked as spam.
        page.wait_for("a second", "return performance.now() > 1000", vec![]).await;
        page.fill_text_field("Name", "Ada ✓").await;
        page.fill_text_field("Message", "Hello").await;
        page.click("button", "Send").await;
        page.find("heading", "Thank you").await;

        page.open(&format!("/live/forms/{form}/settings")).await;
        page.find("heading", "Contact settings").await;
        let taken = run_shown_command(&code_block(page, "curl").await);
        assert!(taken["data"]["id"].as_str().is_some_and(|id| id.starts_with("sub_")), "{taken}");
        let list = format!("/live/forms/{form}");
        page.open(&list).await;
        page.wait_for_text("2 submissions").await;
        page.wait_for_text("Ada ✓").await;
        page.click("link", "Settings").await;
        page.click("link", "Fields").await;
        page.fill_text_field("Name of Name", "Full name").await;
        page.click("button", "Move Message up").await;
        page.click("button", "Save fields").await;
        page.wait_for_text("Fields saved").await;
        page.click("link", "Submissions").await;
        page.wait_for_text("Full name").await;
        page.click("link", "Settings").await;
        page.click("link", "Fields").await;
        page.click("button", "Hide Full name").await;
        page.check_appearance("form-fields-hidden").await;
        page.click("button", "Save fields").await;
        page.wait_for_text("Fields saved").await;
        page.click("link", "Submissions").await;
        page.wait_for_text("Hello").await;
        page.wait_until_text_is_gone("Full name").await;
        let export =
            format!("{}/v1/forms/{form}/submissions/export?format=csv", context.server.url());
        let (_, csv) = call_api(&key, &export);
        let csv = String::from_utf8(csv).expect("text");
        assert!(
            csv.starts_with("submission_id,submitted_at,Message,Full name,ip_country"),
            "{csv}"
        );
        assert!(csv.contains(",Hello,Ada ✓,"), "{csv}");
        let (_, body) =
            call_api(&key, &format!("{}/v1/forms/{form}/submissions", context.server.url()));
        let body: Value = serde_json::from_slice(&body).expect("JSON");
        assert_eq!(body["data"][1]["answers"]["Name"], "Ada ✓", "the key stays");
        assert_eq!(body["data"][1]["metadata"]["utm_source"], "mail");

        page.open(&format!("/live/forms/{form}/settings/fields")).await;
        page.click("button", "Delete Full name").await;
        page.click("button", "Save fields").await;
        page.wait_for_text("Delete this field?").await;
        page.check_appearance("form-field-delete").await;
        page.click("button", "Delete field").await;
        page.wait_for_text("Fields saved").await;
        let (_, csv) = call_api(&key, &export);
        let csv = String::from_utf8(csv).expect("text");
        assert!(csv.starts_with("submission_id,submitted_at,Message,ip_country"), "{csv}");
        let (_, body) =
            call_api(&key, &format!("{}/v1/forms/{form}/submissions", context.server.url()));
        let body: Value = serde_json::from_slice(&body).expect("JSON");
        assert_eq!(body["data"][1]["answers"]["Name"], "Ada ✓", "the answer stays");
        duplicate_and_delete(context, &key, &form).await;
    })
    .await;
}

/// Duplicates a form of two submissions, and deletes the original.
async fn duplicate_and_delete(context: &TestContext, key: &str, form: &str) {
    let page = &context.page;
    page.open(&format!("/live/forms/{form}/settings")).await;
    page.click("button", "Duplicate").await;
    page.find("heading", "Contact (copy) settings").await;
    page.wait_for_text("Created “Contact (copy)”").await;
    let copy = form_id_from_url(page).await;
    assert_ne!(copy, form);

    page.open(&format!("/live/forms/{form}/settings")).await;
    page.find("heading", "Contact settings").await;
    page.click("button", "Delete").await;
    page.wait_for_text("This permanently deletes “Contact” with 2 submissions").await;
    page.check_appearance("forms-delete").await;
    page.fill_text_field("Type the form name to confirm", "Contact").await;
    page.click("button", "Delete form").await;
    page.wait_for_text("Deleted “Contact”").await;
    page.wait_for_path("/settings/forms").await;
    page.click("link", "Activity").await;
    page.wait_for_text("Form “Contact” deleted").await;
    let list = |form: &str| format!("{}/v1/forms/{form}/submissions", context.server.url());
    assert_eq!(call_api(key, &list(form)).0, 404);
    assert_eq!(call_api(key, &list(&copy)).0, 200);
}

#[tokio::test]
async fn settings_are_saved_and_spam_is_released() {
    let server = Server::start("enterprise");
    let form = server.create_form("Contact", "live");
    let address = format!("{}/f/{form}", server.url());
    submit(&address, r#"{"Name":"A real person","_gotcha":"x"}"#);
    submit(&address, r#"{"Name":"Buy now","_gotcha":"x"}"#);
    run_test("form-settings", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        page.sign_in(&context.server.sign_in_link()).await;
        page.open(&format!("/live/forms/{form}/settings")).await;
        page.click("link", "Intake").await;
        page.fill_text_field("Allowed origins", "https://example.com").await;
        page.fill_text_field("Minimum completion time (seconds)", "4").await;
        page.click("button", "Save intake").await;
        page.wait_for_text("Intake settings saved").await;
        let shown = context.server.run_command(&["form", "intake", &form, "--json"]);
        assert!(shown.contains("https://example.com") && shown.contains('4'), "{shown}");
        page.reload().await;
        page.find("textbox", "Minimum completion time (seconds)").await;
        let script =
            "return [...document.querySelectorAll('textarea, input')].map(one => one.value)";
        let values = page.eval(script, vec![]).await.to_string();
        assert!(values.contains("https://example.com") && values.contains("\"4\""), "{values}");

        page.click("checkbox", "Closed").await;
        page.fill_text_field("Message when closed", "All places are taken.").await;
        page.click("button", "Save intake").await;
        page.wait_for_text("Intake settings saved").await;
        page.check_appearance("form-closed").await;
        let (status, body) = submit_to_closed_form(&address);
        assert_eq!(status, 403);
        assert!(body.contains("All places are taken."), "{body}");
        page.reload().await;
        page.wait_for_text("This form is closed.").await;

        page.click("link", "Spam").await;
        page.wait_for_text("2 in spam").await;
        page.click("button", "Release Name: A real person").await;
        page.wait_for_text("1 in spam").await;
        page.click("button", "Delete all").await;
        page.click("button", "Delete spam").await;
        page.wait_for_text("No spam").await;
        page.click("link", "Submissions").await;
        page.wait_for_text("1 submission").await;
        page.wait_for_text("A real person").await;

        page.open(&format!("/live/forms/{form}/settings/analysis")).await;
        page.click("checkbox", "Analyse submissions").await;
        page.wait_for_text("Analysis is on").await;
        page.click("link", "All forms").await;
        page.find("heading", "Forms").await;
        page.wait_for_text("On").await;
        page.click("button", "Rename Contact").await;
        page.fill_text_field("Name", "Letters").await;
        page.click("button", "Rename").await;
        page.wait_for_text("Renamed to “Letters”").await;
        assert!(context.server.run_command(&["form", "show", &form]).contains("Letters"));
    })
    .await;
}

/// Creates live forms by requests of the owner, which take less time than commands, and returns
/// their ids. Their names are `Form 1`, `Form 2` and so on. A user may send 100 requests within a
/// second, so there is a pause of a second after each 50.
async fn create_forms(page: &Page, count: usize) -> Vec<String> {
    let create = "const ids = [];
        for (let number = 1; number <= arguments[0]; number += 1) {
            const answer = await fetch('/account/forms', { method: 'POST',
                headers: { 'content-type': 'application/json', 'x-sheaf-csrf': '1' },
                body: JSON.stringify({ name: `Form ${number}`, mode: 'live' }) });
            ids.push((await answer.json()).data.id);
            if (number % 50 == 0) await new Promise(resume => setTimeout(resume, 1000));
        }
        return ids";
    let ids = page.eval_async(create, vec![json!(count)]).await;
    serde_json::from_value(ids).expect("ids")
}

#[tokio::test]
async fn form_beyond_first_page_is_listed() {
    let server = Server::start("enterprise");
    run_test("forms-many", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        page.sign_in(&context.server.sign_in_link()).await;
        let forms = create_forms(page, PAGE_FORMS + 1).await;
        let last = forms.last().expect("some forms");
        submit(&format!("{}/f/{last}", context.server.url()), r#"{"Name":"Ada"}"#);
        let path = format!("/live/forms/{last}");
        let name = format!("Form {}", forms.len());
        page.open("/settings/forms").await;
        page.wait_for_text(&format!("{} forms", forms.len())).await;
        page.find("button", &format!("Rename {name}")).await;
        page.check_appearance("forms-many").await;

        // The side bar scrolls to the form.
        page.open("/settings/account").await;
        page.click("link", &name).await;
        page.wait_for_path(&path).await;
        page.wait_for_text("1 submission").await;

        page.open("/settings/account").await;
        // Keys do nothing before the page is ready.
        page.find("link", &name).await;
        page.press_keys(Key::Control + "k").await;
        page.find("dialog", "Commands").await;
        page.press_keys(name.to_lowercase()).await;
        page.wait_for_text(&format!("{name}: insights")).await;
        page.press_keys(Key::Enter + "").await;
        page.wait_for_path(&path).await;
        page.wait_for_text("Ada").await;
    })
    .await;
}
