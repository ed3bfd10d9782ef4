//! Sign-in and sign-out, and the return to the previous page.

use crate::harness::{Look, OWNER, PASSWORD, Server, journey};

#[tokio::test]
async fn sign_in_link_works_once() {
    let server = Server::start("enterprise");
    let form = server.sampled_form("Feedback", "live", 30);
    journey("link", Look::DESK, server, async |world| {
        let page = &world.page;
        let link = world.server.link();
        page.sign_in(&link).await;
        page.is_at(&format!("/live/forms/{form}")).await;
        page.sees("30 submissions").await;
        assert!(!page.eval("return location.href", vec![]).await.to_string().contains("token"));
        page.lose_session().await;
        page.open("/sign-in").await;
        page.open(&link).await;
        page.sees("This link was used or has expired").await;
        page.console().await;
    })
    .await;
}

#[tokio::test]
async fn link_of_other_member_asks_first() {
    let server = Server::start("enterprise");
    let form = server.sampled_form("Feedback", "live", 30);
    journey("other-link", Look::DESK, server, async |world| {
        let page = &world.page;
        page.sign_in(&world.server.link()).await;
        page.sees("30 submissions").await;
        let words = ["account", "add-reader", "--account", OWNER, "--email", "rea@example.com"];
        let link = world.server.sheaf(&[&words[..], &["--url", &world.server.url()]].concat());
        page.open(&link).await;
        page.sees("Sign in as rea@example.com?").await;
        page.sees(&format!("You are signed in as {OWNER}")).await;
        if !page.is_firefox() {
            page.reads("sign-in-link", "main", "").await;
        }
        page.click("button", "Cancel").await;
        page.sees("30 submissions").await;
        page.find("button", OWNER).await;
        page.open(&link).await;
        page.accept_link().await;
        page.is_at(&format!("/live/forms/{form}")).await;
        page.find("button", "rea@example.com").await;
        page.console().await;
    })
    .await;
}

#[tokio::test]
async fn password_sign_in_reports_wrong_password() {
    let server = Server::start("enterprise");
    server.sampled_form("Feedback", "live", 30);
    journey("password", Look::DESK, server, async |world| {
        let page = &world.page;
        page.open("/").await;
        page.find("button", "Sign in").await;
        assert_eq!(
            page.console().await,
            Vec::<String>::new(),
            "the console has errors on a first visit"
        );
        page.fill("Email", OWNER).await;
        page.fill("Password", "wrong password it is").await;
        page.click("button", "Sign in").await;
        page.sees("Incorrect email or password").await;
        page.console().await;
        page.fill("Password", PASSWORD).await;
        page.click("button", "Sign in").await;
        page.sees("30 submissions").await;
        page.click("button", OWNER).await;
        page.click("menuitem", "Sign out").await;
        page.find("button", "Sign in").await;
        page.back().await;
        page.find("button", "Sign in").await;
        page.console().await;
    })
    .await;
}

#[tokio::test]
async fn lost_session_returns_after_sign_in() {
    let server = Server::start("enterprise");
    let form = server.sampled_form("Feedback", "live", 300);
    journey("lost-session", Look::DESK, server, async |world| {
        let page = &world.page;
        let place = format!("/live/forms/{form}?utm_source=google");
        page.open(&place).await;
        page.fill("Email", OWNER).await;
        page.fill("Password", PASSWORD).await;
        page.click("button", "Sign in").await;
        page.is_at(&place).await;
        page.sees("submissions").await;
        page.lose_session().await;
        page.fill("Search", "e").await;
        page.find("button", "Sign in").await;
        page.fill("Email", OWNER).await;
        page.fill("Password", PASSWORD).await;
        page.click("button", "Sign in").await;
        page.is_at(&format!("/live/forms/{form}?search=e&utm_source=google")).await;
        page.console().await;
    })
    .await;
}
