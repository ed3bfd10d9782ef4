//! Secrets as canaries: API keys, a password, a session token and a sign-in token are used
//! throughout the product. The test then searches every place where they must not be: the traffic
//! to the browser, the browser's storage, the server's debug log, the database, its write-ahead
//! log, and a backup.

use crate::harness::{PASSWORD, Page, Server, Viewport, call_api, run_test, submit};
use serde_json::json;
use std::collections::HashMap;
use std::path::Path;

/// Secrets in clear text, by a name for messages.
type Marks = HashMap<&'static str, String>;

/// Returns the given marks that are in the browser's storage (page, web storage, script-visible
/// cookies, caches, databases) or in the responses that the page has received.
const FIND_MARKS: &str = "
const stored = [document.documentElement.outerHTML, document.cookie, location.href,
  JSON.stringify([{ ...localStorage }, { ...sessionStorage }]), JSON.stringify(history.state),
  ...(window.answers ?? []).flat()];
for (const name of await caches.keys()) {
  const cache = await caches.open(name);
  for (const request of await cache.keys()) {
    const answer = await cache.match(request);
    stored.push(request.url, JSON.stringify([...answer.headers]), await answer.text());
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
    stored.push(JSON.stringify(all.result ?? null));
  }
  database.close();
}
return arguments[0].filter((mark) => stored.some((text) => text?.includes(mark)));";

/// Records every response of the page, from its first script on.
const RECORD_RESPONSES: &str = "
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
fn assert_lacks_marks(marks: &Marks, text: &[u8], location: &str, but: &[&str]) {
    let text = String::from_utf8_lossy(text);
    for (name, mark) in marks.iter().filter(|(name, _)| !but.contains(name)) {
        assert!(!text.contains(mark), "the {name} is in {location}");
    }
}

/// Panics if a file of a folder contains a mark, except the files named in `but`.
fn assert_files_lack_marks(marks: &Marks, folder: &Path, but: &[&str]) {
    let mut file_count = 0;
    for entry in std::fs::read_dir(folder).expect("the folder can be read").flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if path.is_dir() {
            assert_files_lack_marks(marks, &path, but);
        } else if !but.contains(&name.as_str()) {
            let bytes = std::fs::read(&path).expect("the file can be read");
            assert_lacks_marks(marks, &bytes, &name, &[]);
            file_count += 1;
        }
    }
    assert!(file_count > 0, "no file in {}", folder.display());
}

/// Visits the pages of an owner, and searches for marks on each.
async fn visit_pages(page: &Page, marks: &Marks, form: &str, managed: bool) {
    let list = format!("/live/forms/{form}");
    for location in [
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
        page.open(&location).await;
        page.wait_for("the page", "return document.querySelector('main, dialog')", vec![]).await;
        page.wait_until_stable().await;
        assert_browser_lacks_marks(page, marks, &location, &[]).await;
    }
    for path in ["/v1/submissions/sub_unknown", "/v1/forms/frm_unknown/submissions", "/v1/nothing"]
    {
        let body = "const answer = await fetch('/api/live' + arguments[0], {
            headers: { 'x-sheaf-csrf': '1' } }); return answer.status";
        let status = page.eval_async(body, vec![json!(path)]).await;
        assert_eq!(status, json!(404), "{path}");
    }
    let paths = ["/account/keys", "/account/forms", "/sessions", "/session"];
    for path in paths.iter().filter(|_| managed) {
        let body = "const answer = await fetch(arguments[0], { headers: { 'x-sheaf-csrf': '1' } });
            return [...answer.headers] + await answer.text()";
        let text = page.eval_async(body, vec![json!(path)]).await;
        assert_lacks_marks(marks, text.to_string().as_bytes(), path, &[]);
    }
}

/// Panics if the browser stores one of the marks, except those named in `but`.
async fn assert_page_lacks_marks(page: &Page, marks: &Marks, location: &str, but: &[&str]) {
    let values =
        marks.iter().filter(|(name, _)| !but.contains(name)).map(|(_, mark)| mark.as_str());
    let found = page.eval_async(FIND_MARKS, vec![values.collect()]).await;
    assert_eq!(found, json!([]), "{location}");
}

/// Searches the network traffic since the last call, and the browser's storage now.
async fn assert_browser_lacks_marks(page: &Page, marks: &Marks, location: &str, but: &[&str]) {
    assert_page_lacks_marks(page, marks, location, but).await;
    for line in page.take_network_log().await {
        // The session cookie is legitimate in these headers.
        let cookie = line.contains("ExtraInfo") || line.contains("\"Cookie\"");
        let allowed: &[&str] = if cookie { &["session"] } else { &[] };
        assert_lacks_marks(
            marks,
            line.as_bytes(),
            &format!("the traffic at {location}"),
            &[but, allowed].concat(),
        );
    }
}

/// Signs in by the password, and adds the session token to the marks.
async fn sign_in(page: &Page, marks: &mut Marks) {
    page.open("/sign-in").await;
    page.fill_text_field("Email", crate::harness::OWNER).await;
    page.fill_text_field("Password", PASSWORD).await;
    page.click("button", "Sign in").await;
    page.wait_for("the dashboard", "return document.querySelector('nav')", vec![]).await;
    let cookies = page.send_devtools_command("Network.getCookies", json!({})).await;
    let token = cookies["cookies"][0]["value"].as_str().expect("a cookie").to_owned();
    // 32 random bytes in base64url.
    assert_eq!(token.len(), 43, "a token");
    // Discard the traffic of the sign-in, which must contain the password.
    page.take_network_log().await;
    marks.insert("session", token);
}

/// Searches a backup, and the files of the database while the server runs.
fn assert_server_files_lack_marks(server: &Server, marks: &Marks, but: &[&str]) {
    let backup = server.data().join("backup.db");
    server.run_command(&["backup", backup.to_str().expect("a plain path")]);
    assert!(server.data().join("sheaf.db-wal").exists(), "there is no write-ahead log");
    assert_files_lack_marks(marks, server.data(), but);
    let log = server.log();
    assert!(log.len() > 2, "the log is too short: {log:?}");
    assert_lacks_marks(marks, log.join("\n").as_bytes(), "the server's log", &[]);
}

#[tokio::test]
async fn single_process_leaks_no_secret() {
    let server = Server::start_with_trace_log("enterprise", &["serve"]);
    let form = server.create_form("Feedback", "live");
    submit(&format!("{}/f/{form}", server.url()), r#"{"Name":"heron"}"#);
    let mut marks = Marks::from([
        ("live key", server.create_key("live")),
        ("test key", server.create_key("test")),
        ("password", PASSWORD.to_owned()),
        ("link", server.sign_in_link().split_once("token=").expect("a link").1.to_owned()),
    ]);
    run_test("canary", Viewport::DESKTOP, server, async |context| {
    let page = &context.page;
    let server = &context.server;
    if page.is_firefox() {
        // Firefox does not report its network traffic.
        return;
    }
    page.before_pages(RECORD_RESPONSES).await;
    let used = ["live key", "test key"].map(|name| marks[name].clone());
    for key in &used {
        call_api(key, &format!("{}/v1/forms/{form}/submissions/export", server.url()));
    }
    sign_in(page, &mut marks).await;
    page.open("/settings/keys").await;
    page.take_network_log().await;
    page.click("button", "Create key").await;
    page.fill_text_field("Name", "Nightly").await;
    page.click("button", "Create").await;
    let read = r"return document.querySelector('dialog[open]')?.innerText.match(/svc_sk_live_[0-9A-Za-z]{36}/)?.[0] ?? false";
    let secret = page.wait_for("the secret", read, vec![]).await;
    marks.insert("new key", secret.as_str().expect("a text").to_owned());
    // Only the response that creates a key may contain it.
    let responses = page.eval("return JSON.stringify(window.answers)", vec![]).await.to_string();
    assert_eq!(responses.matches(&marks["new key"]).count(), 1, "the harness sees answers");
    let found = page.eval_async(FIND_MARKS, vec![json!([marks["new key"]])]).await;
    assert_eq!(found, json!([marks["new key"]]), "the harness finds marks in the page");
    assert_browser_lacks_marks(page, &marks, "the dialog of a new key", &["new key"]).await;
    page.click("button", "Done").await;
    page.eval("window.answers = []", vec![]).await;
    assert_page_lacks_marks(page, &marks, "the page after the dialog", &[]).await;
    visit_pages(page, &marks, &form, true).await;
    call_api(&marks["new key"], &format!("{}/v1/nothing", server.url()));
    assert_server_files_lack_marks(server, &marks, &[]);
    // Requests for unknown paths leave errors in the console.
    page.take_console_errors().await;
    }).await;
}

#[tokio::test]
async fn gateway_leaks_no_secret() {
    let service = Server::start_with_trace_log("enterprise", &["service"]);
    let form = service.create_sampled_form("Feedback", "live", 20);
    let mut marks =
        Marks::from([("live key", service.create_key("live")), ("password", PASSWORD.to_owned())]);
    let server = Server::start_gateway_with_trace_log(&service.url(), &marks["live key"]);
    run_test("canary-foreign", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        let server = &context.server;
        if page.is_firefox() {
            return;
        }
        page.before_pages(RECORD_RESPONSES).await;
        sign_in(page, &mut marks).await;
        visit_pages(page, &marks, &form, false).await;
        // `live.key` is the file that the gateway reads the key from.
        assert_server_files_lack_marks(server, &marks, &["live.key"]);
        assert_server_files_lack_marks(&service, &marks, &[]);
        // Requests for unknown paths leave errors in the console.
        page.take_console_errors().await;
    })
    .await;
}
