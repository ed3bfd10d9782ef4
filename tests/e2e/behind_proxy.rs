//! The dashboard behind an auth proxy, without its own sign-in. A user without a link sees
//! instructions, members are added by linking, and sign-out leads to the organisation's page.

use crate::harness::{Look, OWNER, Proxy, SIGN_OUT, Server, World, journey};

const READER: &str = "reader@example.com";

async fn visit(name: &str, look: Look) {
    if look.is_left_out("behind a proxy") {
        return;
    }
    let (server, proxy) = Server::start_behind_proxy("enterprise");
    let form = server.sampled_form("Feedback", "live", 30);
    journey(name, look, server, async |world| {
        let page = &world.page;
        let list = format!("/live/forms/{form}");
        // An unknown user sees the own identity. Linking it gives access.
        proxy.sign_in("olivia");
        page.open(&list).await;
        page.sees("No access").await;
        page.sees("`olivia` of `header:x-forwarded-email`").await;
        page.looks_right(&format!("{name}-unknown")).await;
        world.server.link_identity(OWNER, "olivia");
        page.click("button", "Retry").await;
        page.sees("30 submissions").await;
        page.is_at(&list).await;
        page.looks_right(&format!("{name}-in")).await;

        page.open("/settings/account").await;
        page.sees("This device").await;
        page.sees("Your organisation manages sign-in").await;
        page.misses("Password").await;
        page.looks_right(&format!("{name}-account")).await;
        let_a_reader_in(world, &proxy, name).await;

        // A lost session is renewed on the same page.
        page.lose_session().await;
        page.open(&format!("{list}?search=zzzzzz")).await;
        page.sees("No matching submissions").await;
        page.lose_session().await;
        page.click("button", "Clear filters").await;
        page.sees("30 submissions").await;
        page.is_at(&list).await;
        sign_out(world, &proxy, name).await;
        // The browser logs the refused requests.
        page.console().await;
    })
    .await;
}

/// An owner adds a reader, who then signs in with another identity of the proxy.
async fn let_a_reader_in(world: &World, proxy: &Proxy, name: &str) {
    let page = &world.page;
    page.click("button", "Add reader").await;
    page.fill("Email", READER).await;
    page.click("button", "Add").await;
    page.sees("sheaf account link-identity --account reader@example.com").await;
    page.misses("/sign-in#").await;
    page.looks_right(&format!("{name}-way-in")).await;
    page.click("button", "Done").await;
    page.sees(READER).await;
    page.looks_right(&format!("{name}-people")).await;
    proxy.sign_in("rita");
    page.open("/settings/account").await;
    page.sees("`rita` of `header:x-forwarded-email`").await;
    world.server.link_identity(READER, "rita");
    page.click("button", "Retry").await;
    page.sees("This device").await;
    page.misses("Add reader").await;
    page.looks_right(&format!("{name}-reader")).await;
    proxy.sign_in("olivia");
    page.open("/settings/account").await;
    page.sees(READER).await;
}

/// Signs out, which redirects to the organisation's sign-out page.
async fn sign_out(world: &World, proxy: &Proxy, name: &str) {
    let page = &world.page;
    page.click("button", OWNER).await;
    page.click("menuitem", "Sign out").await;
    page.sees("Signed out of everything").await;
    page.is_at(SIGN_OUT).await;
    // The proxy now sends no identity, and the page says so.
    page.open("/settings/account").await;
    page.sees("No access").await;
    page.sees("sign in through your organisation").await;
    page.looks_right(&format!("{name}-nobody")).await;
    proxy.sign_in("olivia");
    page.click("button", "Retry").await;
    page.sees(READER).await;
}

#[tokio::test]
async fn proxy_sign_in_on_desktop() {
    visit("proxy-desk", Look::DESK).await;
}

#[tokio::test]
async fn proxy_sign_in_on_dark_desktop() {
    visit("proxy-desk-dark", Look::DESK_DARK).await;
}

#[tokio::test]
async fn proxy_sign_in_on_phone() {
    visit("proxy-phone", Look::PHONE).await;
}

#[tokio::test]
async fn proxy_sign_in_on_dark_phone() {
    visit("proxy-phone-dark", Look::PHONE_DARK).await;
}
