//! The dashboard behind an auth proxy, without its own sign-in. A user without a link sees
//! instructions, members are added by linking, and sign-out leads to the organisation's page.

use crate::harness::{OWNER, Proxy, SIGN_OUT, Server, TestContext, Viewport, run_test};

const READER: &str = "reader@example.com";

#[tokio::test]
async fn proxy_signs_members_in_and_out() {
    let (server, proxy) = Server::start_behind_proxy("enterprise");
    let form = server.create_sampled_form("Feedback", "live", 30);
    run_test("proxy", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        let list = format!("/live/forms/{form}");
        // An unknown user sees the own identity. Linking it gives access.
        proxy.sign_in("olivia");
        page.open(&list).await;
        page.wait_for_text("No access").await;
        page.wait_for_text("`olivia` of `header:x-forwarded-email`").await;
        page.check_each_view("proxy-unknown").await;
        context.server.link_identity(OWNER, "olivia");
        page.click("button", "Retry").await;
        page.wait_for_text("30 submissions").await;
        page.wait_for_path(&list).await;
        page.check_each_view("proxy-in").await;

        page.open("/settings/account").await;
        page.wait_for_text("This device").await;
        page.wait_for_text("Your organisation manages sign-in").await;
        page.wait_until_text_is_gone("Password").await;
        page.check_each_view("proxy-account").await;
        add_member(context, &proxy).await;

        // A lost session is renewed on the same page.
        page.lose_session().await;
        page.open(&format!("{list}?search=zzzzzz")).await;
        page.wait_for_text("No matching submissions").await;
        page.lose_session().await;
        page.click("button", "Clear filters").await;
        page.wait_for_text("30 submissions").await;
        page.wait_for_path(&list).await;
        sign_out(context, &proxy).await;
        // The browser logs the refused requests.
        page.take_console_errors().await;
    })
    .await;
}

/// An owner adds a reader, who then signs in with another identity of the proxy.
async fn add_member(context: &TestContext, proxy: &Proxy) {
    let page = &context.page;
    page.click("button", "Add member").await;
    page.fill_text_field("Email", READER).await;
    page.click("button", "Add").await;
    page.wait_for_text("sheaf account link-identity --account reader@example.com").await;
    page.wait_until_text_is_gone("/sign-in#").await;
    page.check_each_view("proxy-way-in").await;
    page.click("button", "Done").await;
    page.wait_for_text(READER).await;
    page.check_each_view("proxy-people").await;
    proxy.sign_in("rita");
    page.open("/settings/account").await;
    page.wait_for_text("`rita` of `header:x-forwarded-email`").await;
    context.server.link_identity(READER, "rita");
    page.click("button", "Retry").await;
    page.wait_for_text("This device").await;
    page.wait_until_text_is_gone("Add member").await;
    page.check_each_view("proxy-reader").await;
    proxy.sign_in("olivia");
    page.open("/settings/account").await;
    page.wait_for_text(READER).await;
}

/// Signs out, which redirects to the organisation's sign-out page.
async fn sign_out(context: &TestContext, proxy: &Proxy) {
    let page = &context.page;
    page.set_viewport(Viewport::PHONE_DARK).await;
    page.click("button", OWNER).await;
    page.click("menuitem", "Sign out").await;
    page.wait_for_text("Signed out of everything").await;
    page.wait_for_path(SIGN_OUT).await;
    // The proxy now sends no identity, and the page says so.
    page.open("/settings/account").await;
    page.wait_for_text("No access").await;
    page.wait_for_text("sign in through your organisation").await;
    page.check_each_view("proxy-nobody").await;
    proxy.sign_in("olivia");
    page.click("button", "Retry").await;
    page.wait_for_text(READER).await;
}
