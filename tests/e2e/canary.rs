//! Secrets as canaries: API keys, a password, a session token and a sign-in token are used
//! throughout the product. The test then searches every place where they must not be: the traffic
//! to the browser, the browser's storage, the server's debug log, the database, its write-ahead
//! log, and a backup.

use crate::harness::{Look, PASSWORD, Page, Server, curl, journey, post};
use serde_json::json;
use std::collections::HashMap;
use std::path::Path;

/// Secrets in clear text, by a name for messages.
type Marks = HashMap<&'static str, String>;

/// Returns the given marks that are in the browser's storage (page, web storage, script-visible
/// cookies, caches, databases) or in the responses that the page has received.
const KEPT: &str = "
const kept = [document.documentElement.outerHTML, document.cookie, location.href,
  JSON.stringify([{ ...localStorage }, { ...sessionStorage }]), JSON.stringify(history.state),
  ...(window.answers ?? []).flat()];
for (const name of await caches.keys()) {
  const cache = await caches.open(name);
  for (const request of await cache.keys()) {
    const answer = await cache.match(request);
    kept.push(request.url, JSON.stringify([...answer.headers]), await answer.text());
  }
}
for (const { name } of await indexedDB.databases()) {
  const database = await new Promise((done, failed) => {
    const asked = indexedDB.open(name);
    asked.onsuccess = () => done(asked.result);
    asked.onerror = () => failed(asked.error);
  });
  for (const store of database.objectStoreNames) {
    const all = database.transaction(store).objectStore(store).getAll();
    await new Promise((done) => { all.onsuccess = all.onerror = done; });
    kept.push(JSON.stringify(all.result ?? null));
  }
  database.close();
}
return arguments[0].filter((mark) => kept.some((text) => text?.includes(mark)));";

/// Records every response of the page, from its first script on.
const LISTEN: &str = "
window.answers = [];
const real = window.fetch;
window.fetch = async (...all) => {
  const answer = await real(...all);
  const text = await answer.clone().text().catch(() => '');
  const name = all[0] instanceof Request ? all[0].url : String(all[0]);
  window.answers.push([name, JSON.stringify([...answer.headers]), text]);
  return answer;
};";

/// Panics if a text contains one of the marks, except those named in `but`.
fn lacks(marks: &Marks, text: &[u8], place: &str, but: &[&str]) {
    let text = String::from_utf8_lossy(text);
    for (name, mark) in marks.iter().filter(|(name, _)| !but.contains(name)) {
        assert!(!text.contains(mark), "the {name} is in {place}");
    }
}

/// Panics if a file of a folder contains a mark, except the files named in `but`.
fn files_lack(marks: &Marks, folder: &Path, but: &[&str]) {
    let mut looked = 0;
    for entry in std::fs::read_dir(folder).expect("the folder can be read").flatten() {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        if path.is_dir() {
            files_lack(marks, &path, but);
        } else if !but.contains(&name.as_str()) {
            let bytes = std::fs::read(&path).expect("the file can be read");
            lacks(marks, &bytes, &name, &[]);
            looked += 1;
        }
    }
    assert!(looked > 0, "no file in {}", folder.display());
}

/// Visits the pages of an owner, and searches for marks on each.
async fn walk(page: &Page, marks: &Marks, form: &str, managed: bool) {
    let list = format!("/live/forms/{form}");
    for place in [
        "/".to_owned(),
        list.clone(),
        format!("{list}?search=heron"),
        format!("{list}/insights"),
        "/settings/forms".to_owned(),
        "/settings/keys".to_owned(),
        "/settings/account".to_owned(),
        format!("{list}/settings/share"),
        format!("{list}/settings/spam"),
    ] {
        page.open(&place).await;
        page.wait_for("the page", "return document.querySelector('main, dialog')", vec![]).await;
        page.rests().await;
        looks(page, marks, &place, &[]).await;
    }
    for path in ["/v1/submissions/sub_unknown", "/v1/forms/frm_unknown/submissions", "/v1/nothing"]
    {
        let body = "const answer = await fetch('/api/live' + arguments[0], {
            headers: { 'x-sheaf-csrf': '1' } }); return answer.status";
        let status = page.eval_async(body, vec![json!(path)]).await;
        assert_eq!(status, json!(404), "{path}");
    }
    let all = ["/account/keys", "/account/forms", "/sessions", "/session"];
    for path in all.iter().filter(|_| managed) {
        let body = "const answer = await fetch(arguments[0], { headers: { 'x-sheaf-csrf': '1' } });
            return [...answer.headers] + await answer.text()";
        let text = page.eval_async(body, vec![json!(path)]).await;
        lacks(marks, text.to_string().as_bytes(), path, &[]);
    }
}

/// Panics if the browser stores one of the marks, except those named in `but`.
async fn page_lacks(page: &Page, marks: &Marks, place: &str, but: &[&str]) {
    let sought =
        marks.iter().filter(|(name, _)| !but.contains(name)).map(|(_, mark)| mark.as_str());
    let found = page.eval_async(KEPT, vec![sought.collect()]).await;
    assert_eq!(found, json!([]), "{place}");
}

/// Searches the network traffic since the last call, and the browser's storage now.
async fn looks(page: &Page, marks: &Marks, place: &str, but: &[&str]) {
    page_lacks(page, marks, place, but).await;
    for line in page.network().await {
        // The session cookie is legitimate in these headers.
        let cookie = line.contains("ExtraInfo") || line.contains("\"Cookie\"");
        let own: &[&str] = if cookie { &["session"] } else { &[] };
        lacks(marks, line.as_bytes(), &format!("the traffic at {place}"), &[but, own].concat());
    }
}

/// Signs in by the password, and adds the session token to the marks.
async fn sign_in(page: &Page, marks: &mut Marks) {
    page.open("/sign-in").await;
    page.fill("Email", crate::harness::OWNER).await;
    page.fill("Password", PASSWORD).await;
    page.click("button", "Sign in").await;
    page.wait_for("the dashboard", "return document.querySelector('nav')", vec![]).await;
    let cookies = page.devtools("Network.getCookies", json!({})).await;
    let token = cookies["cookies"][0]["value"].as_str().expect("a cookie").to_owned();
    // 32 random bytes in base64url.
    assert_eq!(token.len(), 43, "a token");
    // Discard the traffic of the sign-in, which must contain the password.
    page.network().await;
    marks.insert("session", token);
}

/// Searches a backup, and the files of the database while the server runs.
fn kept_files_lack(server: &Server, marks: &Marks, but: &[&str]) {
    let backup = server.data().join("backup.db");
    server.sheaf(&["backup", backup.to_str().expect("a plain path")]);
    assert!(server.data().join("sheaf.db-wal").exists(), "there is no write-ahead log");
    files_lack(marks, server.data(), but);
    let log = server.log();
    assert!(log.len() > 2, "the log is too short: {log:?}");
    lacks(marks, log.join("\n").as_bytes(), "the server's log", &[]);
}

#[tokio::test]
async fn single_process_leaks_no_secret() {
    let server = Server::start_talkative("enterprise", &["serve"]);
    let form = server.form("Feedback", "live");
    post(&format!("{}/f/{form}", server.url()), r#"{"Name":"heron"}"#);
    let mut marks = Marks::from([
        ("live key", server.key("live")),
        ("test key", server.key("test")),
        ("password", PASSWORD.to_owned()),
        ("link", server.link().split_once("token=").expect("a link").1.to_owned()),
    ]);
    journey("canary", Look::DESK, server, async |world| {
    let (page, server) = (&world.page, &world.server);
    if page.is_firefox() {
        // Firefox does not report its network traffic.
        return;
    }
    page.before_pages(LISTEN).await;
    let used = ["live key", "test key"].map(|name| marks[name].clone());
    for key in &used {
        curl(key, &format!("{}/v1/forms/{form}/submissions/export", server.url()));
    }
    sign_in(page, &mut marks).await;
    page.open("/settings/keys").await;
    page.network().await;
    page.click("button", "Create key").await;
    page.fill("Name", "Nightly").await;
    page.click("button", "Create").await;
    let read = r"return document.querySelector('dialog[open]')?.innerText.match(/svc_sk_live_[0-9A-Za-z]{36}/)?.[0] ?? false";
    let secret = page.wait_for("the secret", read, vec![]).await;
    marks.insert("new key", secret.as_str().expect("a text").to_owned());
    // Only the response that creates a key may contain it.
    let told = page.eval("return JSON.stringify(window.answers)", vec![]).await.to_string();
    assert_eq!(told.matches(&marks["new key"]).count(), 1, "the harness sees answers");
    let found = page.eval_async(KEPT, vec![json!([marks["new key"]])]).await;
    assert_eq!(found, json!([marks["new key"]]), "the harness finds marks in the page");
    looks(page, &marks, "the dialog of a new key", &["new key"]).await;
    page.click("button", "Done").await;
    page.eval("window.answers = []", vec![]).await;
    page_lacks(page, &marks, "the page after the dialog", &[]).await;
    walk(page, &marks, &form, true).await;
    curl(&marks["new key"], &format!("{}/v1/nothing", server.url()));
    kept_files_lack(server, &marks, &[]);
    // Requests for unknown paths leave errors in the console.
    page.console().await;
    }).await;
}

#[tokio::test]
async fn gateway_leaks_no_secret() {
    let service = Server::start_talkative("enterprise", &["service"]);
    let form = service.sampled_form("Feedback", "live", 20);
    let mut marks =
        Marks::from([("live key", service.key("live")), ("password", PASSWORD.to_owned())]);
    let server = Server::start_talkative_gateway(&service.url(), &marks["live key"]);
    journey("canary-foreign", Look::DESK, server, async |world| {
        let (page, server) = (&world.page, &world.server);
        if page.is_firefox() {
            return;
        }
        page.before_pages(LISTEN).await;
        sign_in(page, &mut marks).await;
        walk(page, &marks, &form, false).await;
        // `live.key` is the file that the gateway reads the key from.
        kept_files_lack(server, &marks, &["live.key"]);
        kept_files_lack(&service, &marks, &[]);
        // Requests for unknown paths leave errors in the console.
        page.console().await;
    })
    .await;
}
