//! Behind an auth proxy: nobody signs in here. Who is not linked learns what to do, who is, is in;
//! people get in by being linked, and out where the organisation has it.

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
        // Somebody whom nothing here knows learns what they are called, and is let in by that.
        proxy.sign_in("olivia");
        page.open(&list).await;
        page.sees("No way in yet").await;
        page.sees("`olivia` of `header:x-forwarded-email`").await;
        page.looks_right(&format!("{name}-unknown")).await;
        world.server.link_identity(OWNER, "olivia");
        page.click("button", "Retry").await;
        page.sees("30 submissions").await;
        page.is_at(&list).await;
        page.looks_right(&format!("{name}-in")).await;

        page.open("/settings/account").await;
        page.sees("This one").await;
        page.sees("Your organisation signs people in here").await;
        page.misses("Password").await;
        page.looks_right(&format!("{name}-account")).await;
        let_a_reader_in(world, &proxy, name).await;

        // What was lost begins again, at the same place.
        page.lose_session().await;
        page.open(&format!("{list}?search=zzzzzz")).await;
        page.sees("No submissions match").await;
        page.lose_session().await;
        page.click("button", "Clear filters").await;
        page.sees("30 submissions").await;
        page.is_at(&list).await;
        sign_out(world, &proxy, name).await;
        // The browser writes down what was refused meanwhile.
        page.console().await;
    })
    .await;
}

/// An owner adds a reader, hands over how they get in, and they do, by another sign-in.
async fn let_a_reader_in(world: &World, proxy: &Proxy, name: &str) {
    let page = &world.page;
    page.click("button", "Add a reader").await;
    page.fill("Mail address", READER).await;
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
    page.sees("This one").await;
    page.misses("Add a reader").await;
    page.looks_right(&format!("{name}-reader")).await;
    proxy.sign_in("olivia");
    page.open("/settings/account").await;
    page.sees(READER).await;
}

/// Out here is out there: the browser is led to where the organisation has that.
async fn sign_out(world: &World, proxy: &Proxy, name: &str) {
    let page = &world.page;
    page.click("button", OWNER).await;
    page.click("menuitem", "Sign out").await;
    page.sees("Signed out of everything").await;
    page.is_at(SIGN_OUT).await;
    // Whoever comes back is nobody to the proxy now, and learns that.
    page.open("/settings/account").await;
    page.sees("No way in yet").await;
    page.sees("says who you are").await;
    page.looks_right(&format!("{name}-nobody")).await;
    proxy.sign_in("olivia");
    page.click("button", "Retry").await;
    page.sees(READER).await;
}

#[tokio::test]
async fn behind_a_proxy_at_a_desk() {
    visit("proxy-desk", Look::DESK).await;
}

#[tokio::test]
async fn behind_a_proxy_at_a_desk_at_night() {
    visit("proxy-desk-dark", Look::DESK_DARK).await;
}

#[tokio::test]
async fn behind_a_proxy_on_a_phone() {
    visit("proxy-phone", Look::PHONE).await;
}

#[tokio::test]
async fn behind_a_proxy_on_a_phone_at_night() {
    visit("proxy-phone-dark", Look::PHONE_DARK).await;
}
