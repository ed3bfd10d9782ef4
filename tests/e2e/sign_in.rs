//! Sign-in and sign-out, and the return to the previous page.

use crate::harness::{OWNER, PASSWORD, Page, Server, TestContext, Viewport, run_test};

#[tokio::test]
async fn sign_in_link_works_once_and_asks_other_members() {
    let server = Server::start("enterprise");
    let form = server.create_sampled_form("Feedback", "live", 30);
    run_test("link", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        let link = context.server.sign_in_link();
        page.sign_in(&link).await;
        page.wait_for_path(&format!("/live/forms/{form}")).await;
        page.wait_for_text("30 submissions").await;
        assert!(!page.eval("return location.href", vec![]).await.to_string().contains("token"));
        page.lose_session().await;
        page.open("/sign-in").await;
        page.open(&link).await;
        page.wait_for_text("This link was used or has expired").await;
        page.take_console_errors().await;
        check_link_of_other_member(context, &form).await;
    })
    .await;
}

/// Checks that the link of another member asks the signed-in owner first.
async fn check_link_of_other_member(context: &TestContext, form: &str) {
    let page = &context.page;
    // A page without the dashboard, so that the browser loads the page of the link.
    page.open("/docs").await;
    page.sign_in(&context.server.sign_in_link()).await;
    page.wait_for_text("30 submissions").await;
    let words = ["account", "add-member", "--account", OWNER, "--email", "rea@example.com"];
    let link =
        context.server.run_command(&[&words[..], &["--url", &context.server.url()]].concat());
    page.open(&link).await;
    page.wait_for_text("Sign in as rea@example.com?").await;
    page.wait_for_text(&format!("You are signed in as {OWNER}")).await;
    if !page.is_firefox() {
        page.compare_outline("sign-in-link", "main", "").await;
    }
    page.click("button", "Cancel").await;
    page.wait_for_text("30 submissions").await;
    page.find("button", OWNER).await;
    page.open(&link).await;
    page.accept_link().await;
    page.wait_for_path(&format!("/live/forms/{form}")).await;
    page.find("button", "rea@example.com").await;
    page.take_console_errors().await;
}

#[tokio::test]
async fn password_sign_in_reports_wrong_password_and_returns() {
    let server = Server::start("enterprise");
    let form = server.create_sampled_form("Feedback", "live", 300);
    run_test("password", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        page.open("/").await;
        page.find("button", "Sign in").await;
        assert_eq!(
            page.take_console_errors().await,
            Vec::<String>::new(),
            "the console has errors on a first visit"
        );
        page.fill_text_field("Email", OWNER).await;
        page.fill_text_field("Password", "wrong password it is").await;
        page.click("button", "Sign in").await;
        page.wait_for_text("Incorrect email or password").await;
        page.take_console_errors().await;
        page.fill_text_field("Password", PASSWORD).await;
        page.click("button", "Sign in").await;
        page.wait_for_text("300 submissions").await;
        page.click("button", OWNER).await;
        page.click("menuitem", "Sign out").await;
        page.find("button", "Sign in").await;
        page.back().await;
        page.find("button", "Sign in").await;
        page.take_console_errors().await;
        check_return(page, &form).await;
    })
    .await;
}

/// Checks that a sign-in returns to the previous page, also after the session was lost.
async fn check_return(page: &Page, form: &str) {
    let path = format!("/live/forms/{form}?utm_source=google");
    page.open(&path).await;
    page.fill_text_field("Email", OWNER).await;
    page.fill_text_field("Password", PASSWORD).await;
    page.click("button", "Sign in").await;
    page.wait_for_path(&path).await;
    // The list has rows: a request that is still running would open the sign-in page.
    let has_rows = "return document.querySelector('.grid-track [data-key]') !== null";
    page.wait_for("the rows", has_rows, vec![]).await;
    page.find("button", "Filter").await;
    page.wait_until_stable().await;
    page.lose_session().await;
    page.fill_text_field("Search", "e").await;
    page.find("button", "Sign in").await;
    page.fill_text_field("Email", OWNER).await;
    page.fill_text_field("Password", PASSWORD).await;
    page.click("button", "Sign in").await;
    page.wait_for_path(&format!("/live/forms/{form}?search=e&utm_source=google")).await;
    page.take_console_errors().await;
}
