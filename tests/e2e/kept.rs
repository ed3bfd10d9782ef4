//! Without the network: what was read before is there for whoever asked for that, and for nobody
//! else.

use crate::harness::{Look, Page, Server, World, journey, pictures};
use serde_json::json;

/// Waits until the worker has the page in its hands, and its files.
async fn is_ready(page: &Page) {
    let body = "return navigator.serviceWorker.controller
        && (await (await caches.open('sheaf-files-1')).keys()).length > 3";
    let body = format!("return (async () => {{ {body} }})()");
    page.wait_for("the worker", &body, vec![]).await;
}

/// The paths of the answers that are kept.
async fn kept(page: &Page) -> Vec<String> {
    let body = "const names = (await caches.keys()).filter(name => name.startsWith('sheaf-read-'));
        const all = await Promise.all(names.map(async name => (await caches.open(name)).keys()));
        return all.flat().map(one => new URL(one.url).pathname).sort()";
    let kept = page.eval_async(body, vec![]).await;
    kept.as_array().expect("a list").iter().map(|it| it.as_str().expect("a path").into()).collect()
}

/// Waits until so many answers are kept.
async fn keeps(page: &Page, count: usize) {
    let body = "return (async () => {
        const names = (await caches.keys()).filter(name => name.startsWith('sheaf-read-'));
        const all = await Promise.all(names.map(async name => (await caches.open(name)).keys()));
        return all.flat().length === arguments[0]; })()";
    let body = body.replace("arguments[0]", &count.to_string());
    page.wait_for(&format!("{count} kept answers"), &body, vec![]).await;
}

/// Waits until every page of the dashboard can be shown without the server.
async fn holds_all_parts(page: &Page) {
    let body = "return (async () => {
        const held = await (await caches.open('sheaf-files-1')).keys();
        const script = held.find(one => /dashboard-\\w+\\.js$/.test(one.url));
        const text = await (await caches.match(script, { ignoreVary: true })).text();
        const named = new Set(text.match(/[\\w-]+-[0-9a-f]{8}\\.(wasm|css)/g));
        const there = new Set(held.map(one => new URL(one.url).pathname.slice(1)));
        return named.size > 50 && [...named].every(name => there.has(name)); })()";
    page.wait_for("all parts", body, vec![]).await;
}

/// Whether the page that is kept is one with somebody's rows in it.
const SHELL_HAS_ROWS: &str = "const kept = { cacheName: 'sheaf-files-1', ignoreVary: true };
    const text = await (await caches.match('/', kept)).text();
    if (!text.includes('shell first')) throw new Error('no page is kept');
    return / data-(told|url|key)=/.test(text)";

async fn switch(page: &Page) {
    page.click("button", "Account owner@example.com").await;
    page.click("menuitemcheckbox", "Keep what I read on this device").await;
}

async fn switch_on(page: &Page) {
    switch(page).await;
    page.sees("leave this off on a shared machine").await;
    page.click("button", "Keep on this device").await;
}

/// Signs in at a form's list, with the worker there.
async fn begin(world: &World, form: &str) -> String {
    let (page, list) = (&world.page, format!("/live/forms/{form}"));
    page.sign_in(&world.server.link()).await;
    page.open(&list).await;
    page.sees("40 submissions").await;
    is_ready(page).await;
    list
}

#[tokio::test]
async fn what_was_read_is_there_without_the_network_once_that_was_asked_for() {
    let server = Server::start("enterprise");
    let form = server.sampled_form("Feedback", "live", 40);
    journey("offline", Look::DESK, server, async |world| {
        let page = &world.page;
        let list = begin(world, &form).await;
        assert_eq!(kept(page).await, Vec::<String>::new(), "off until it is asked for");
        switch_on(page).await;
        page.open(&list).await;
        page.sees("40 submissions").await;
        keeps(page, 3).await;
        let all = kept(page).await;
        assert_eq!(all[0], "/account/forms", "{all:?}");
        assert_eq!(all[2], "/session", "{all:?}");
        assert_eq!(page.eval_async(SHELL_HAS_ROWS, vec![]).await, json!(false));
        page.eval("document.querySelectorAll('.grid-track [data-key]')[1].click()", vec![]).await;
        page.sees("Metadata").await;
        let card = page.eval("return location.pathname", vec![]).await;
        holds_all_parts(page).await;
        world.server.stop();
        page.open(&list).await;
        page.sees("40 submissions").await;
        page.sees("Offline: what was read before is shown").await;
        let rows = "return document.querySelectorAll('.grid-track [data-key]').length > 5";
        page.wait_for("rows", rows, vec![]).await;
        page.rests().await;
        page.picture(&pictures().join("offline.png")).await;
        page.is_accessible("the list without the network").await;
        page.open(card.as_str().expect("a path")).await;
        page.sees("Metadata").await;
        page.open("/settings/keys").await;
        page.sees("Sheaf could not be reached").await;
        page.console().await;
    })
    .await;
}

#[tokio::test]
async fn nothing_is_there_where_it_was_not_asked_for() {
    let server = Server::start("enterprise");
    let form = server.sampled_form("Feedback", "live", 40);
    journey("offline-off", Look::PHONE_DARK, server, async |world| {
        let page = &world.page;
        let list = begin(world, &form).await;
        page.open(&list).await;
        page.sees("40 submissions").await;
        assert_eq!(kept(page).await, Vec::<String>::new());
        world.server.stop();
        page.open(&list).await;
        page.sees("Sheaf could not be reached").await;
        page.misses("40 submissions").await;
        page.picture(&pictures().join("offline-off.png")).await;
        page.console().await;
    })
    .await;
}

#[tokio::test]
async fn what_is_kept_goes_with_the_submission_the_choice_and_the_session() {
    let server = Server::start("enterprise");
    let form = server.sampled_form("Feedback", "live", 40);
    journey("offline-gone", Look::DESK, server, async |world| {
        let page = &world.page;
        let list = begin(world, &form).await;
        switch_on(page).await;
        page.open(&list).await;
        page.sees("40 submissions").await;
        keeps(page, 3).await;
        // Deleted means gone, from here, too.
        let delete = "const id = document.querySelector('.grid-track [data-key]').dataset.key;
            const answer = await fetch('/api/live/v1/submissions/' + id,
                { method: 'DELETE', headers: { 'x-sheaf-csrf': '1' } });
            return answer.status";
        assert_eq!(page.eval_async(delete, vec![]).await, json!(204));
        keeps(page, 2).await;
        assert_eq!(kept(page).await, ["/account/forms", "/session"]);
        switch(page).await;
        page.sees("What was kept on this device is deleted").await;
        keeps(page, 0).await;
        switch_on(page).await;
        page.open(&list).await;
        page.sees("39 submissions").await;
        keeps(page, 3).await;
        page.click("button", "Account owner@example.com").await;
        page.click("menuitem", "Sign out").await;
        page.find("button", "Sign in").await;
        keeps(page, 0).await;
        world.server.stop();
        page.open("/").await;
        page.sees("Sheaf could not be reached").await;
        page.console().await;
    })
    .await;
}
