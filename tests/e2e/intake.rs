//! A plain HTML form on a page of another origin, filled in and submitted in a browser.

use crate::harness::{Server, TestContext, Viewport, call_api, run_test, screenshot_folder};
use axum::Router;
use axum::response::Html;

/// Serves a page at every path of a new port, which is another origin. Returns the origin.
pub(crate) async fn serve_page(page: String) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("it is bound");
    let router = Router::new().fallback(async move || Html(page.clone()));
    tokio::spawn(async move { axum::serve(listener, router).await });
    format!("http://{address}")
}

/// Returns a page with the form that `sheaf form show` prints.
fn page_with_form(server: &Server, form: &str, more: &str) -> String {
    let shown = server.run_command(&["form", "show", form, "--url", &server.url()]);
    let begin = shown.find("<form").expect("a form to paste");
    let end = shown.find("</form>").expect("its end");
    let form = &shown[begin..end];
    format!("<!doctype html><html lang=en><title>Contact</title>{form}{more}</form></html>")
}

/// Returns the script of `docs/api.md` that adds the page's URL and the completion time to a form.
fn documented_script() -> &'static str {
    let manual = include_str!("../../docs/api.md");
    let start = manual.find("<script>").expect("a script to paste");
    let end = start + manual[start..].find("</script>").expect("its end");
    &manual[start..end + "</script>".len()]
}

/// Fills in and submits a form, and checks the thank-you page on a phone in both themes.
#[tokio::test]
async fn external_form_shows_thank_you_page_or_refusal() {
    let server = Server::start("enterprise");
    let form = server.create_form("Contact", "live");
    let site = serve_page(page_with_form(&server, &form, documented_script())).await;
    let key = server.create_key("live");
    run_test("intake", Viewport::PHONE, server, async |context| {
        let page = &context.page;
        page.open(&format!("{site}/contact?utm_source=a%20friend")).await;
        // A submission within a second would be marked as spam.
        page.wait_for("a second", "return performance.now() > 1000", vec![]).await;
        page.fill_text_field("Name", "Ada ✓").await;
        page.click("button", "Send").await;
        page.wait_for_path(&format!("/f/{form}/thanks")).await;
        page.find("heading", "Thank you").await;
        for viewport in [Viewport::PHONE, Viewport::PHONE_DARK] {
            page.set_viewport(viewport).await;
            let file = format!("intake-{}.png", viewport.screenshot_suffix());
            page.save_screenshot(&screenshot_folder().join(file)).await;
            page.assert_fits_width("the thank-you page").await;
            page.check_accessibility("the thank-you page").await;
        }
        page.reload().await;
        page.find("heading", "Thank you").await;
        let list = format!("{}/v1/forms/{form}/submissions", context.server.url());
        let (_, body) = call_api(&key, &list);
        let list: serde_json::Value = serde_json::from_slice(&body).expect("JSON");
        assert_eq!(list["pagination"]["total"], 1);
        let submission = &list["data"][0];
        assert_eq!(submission["answers"], serde_json::json!({"Name": "Ada ✓"}));
        assert_eq!(submission["metadata"]["utm_source"], "a friend");
        assert!(submission["metadata"]["completion_time_seconds"].as_u64() >= Some(1));
        page.click("link", &format!("Back to {}", &site["http://".len()..])).await;
        page.find("textbox", "Name").await;
        check_refusal_and_redirect(context).await;
    })
    .await;
}

/// Checks the page of a refused submission, and the redirect to a page of the owner.
async fn check_refusal_and_redirect(context: &TestContext) {
    let (page, server) = (&context.page, &context.server);
    let form = server.create_form("Contact", "live");
    let strict = server.create_form("Strict", "live");
    server.run_command(&["form", "intake", &strict, "--strict", "on"]);
    let wrong = serve_page(page_with_form(server, &strict, "")).await;
    let thanks =
        serve_page("<!doctype html><title>Own</title><h1>Our own thanks</h1>".into()).await;
    let onward = format!("<input type=hidden name=_redirect value={thanks}/done?x=1>");
    let right = serve_page(page_with_form(server, &form, &onward)).await;
    server.run_command(&["form", "intake", &form, "--redirect", &thanks]);
    page.set_viewport(Viewport::DESKTOP).await;
    page.open(&wrong).await;
    page.fill_text_field("Name", "Ada").await;
    page.click("button", "Send").await;
    page.find("heading", "Your answers were not sent").await;
    page.wait_for_text("`Name` is not a field of this form").await;
    page.check_accessibility("the refusal page").await;
    let logged = page.take_console_errors().await;
    let console_errors = usize::from(!page.is_firefox());
    assert!(
        logged.len() == console_errors && logged.iter().all(|it| it.contains("400")),
        "{logged:?}"
    );
    page.back().await;
    page.open(&right).await;
    page.fill_text_field("Name", "Ada").await;
    page.click("button", "Send").await;
    page.wait_for_path("/done?x=1").await;
    page.wait_for_text("Our own thanks").await;
}
