//! Cross-site request forgery: in the browser of a signed-in owner, a foreign page sends every kind
//! of request that a page can send to every route that changes data. No data may change.
//!
//! The foreign page is once of another site (`localhost`), so that requests carry no cookie. Once
//! it is of the same site with another port, so that the browser sends the cookie.

use crate::harness::{Browser, Page, Server, Viewport, submit};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpListener;

/// Sends requests in every way that a page of another origin can.
const ATTACK: &str = r"
const [base, routes] = arguments;
const asked = [];
const frame = (name) => {
  const one = document.createElement('iframe');
  one.name = name;
  document.body.append(one);
  return one;
};
const submit = (url, enctype, body, target) => {
  const form = document.createElement('form');
  Object.assign(form, { action: url, method: 'post', enctype, target });
  const field = document.createElement('input');
  // As text/plain this is valid JSON: the value closes the string that the name opens.
  [field.name, field.value] = [body.slice(0, -1) + ',\'x\':\'', '\'}'];
  form.append(field);
  document.body.append(form);
  form.submit();
};
let count = 0;
for (const { method, path, body } of routes) {
  const url = base + path;
  const send = (options) => asked.push(fetch(url, { credentials: 'include', ...options }).then(
    (answer) => answer.type, (error) => String(error)));
  const json = { 'content-type': 'application/json' };
  if (method === 'POST') {
    for (const enctype of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
      const name = `frame-${count++}`;
      frame(name);
      submit(url, enctype, body, name);
    }
    window.open('about:blank', 'popup');
    submit(url, 'text/plain', body, 'popup');
    send({ method, mode: 'no-cors' });
    send({ method, mode: 'no-cors', body });
    send({ method, mode: 'no-cors', body: new Blob([body]) });
    send({ method, mode: 'no-cors', headers: json, body });
    navigator.sendBeacon(url);
    navigator.sendBeacon(url, body);
    navigator.sendBeacon(url, new Blob([body], { type: 'application/json' }));
  }
  send({ method, mode: 'cors' });
  send({ method, mode: 'cors', headers: { ...json, 'x-sheaf-csrf': '1' }, body });
  send({ method: 'POST', mode: 'no-cors', headers: { 'x-http-method-override': method } });
  new Image().src = `${url}?_method=${method}`;
  frame(`read-${count++}`).src = url;
}
const types = await Promise.all(asked);
await new Promise((done) => setTimeout(done, 1500));
return [types.length, types.filter((type) => type === 'cors' || type === 'basic').length];";

/// Creates objects of the owner, and returns their ids.
const SETUP: &str = "const call = async (method, path, body) => {
    const headers = { 'x-sheaf-csrf': '1', 'content-type': 'application/json' };
    const answer = await fetch(path, { method, headers, body: body && JSON.stringify(body) });
    return answer.status === 204 ? null : (await answer.json()).data;
};
const form = arguments[0];
await call('PUT', `/account/forms/${form}/categories`, { categories: [{ name: 'x', words: ['y'] }] });
const spam = await call('GET', `/account/forms/${form}/spam`);
const rows = await call('GET', `/api/live/v1/forms/${form}/submissions`);
await call('PUT', `/account/submissions/${rows[0].id}/insight`, { sentiment: 'mixed' });
const keys = await call('GET', '/account/keys');
const access = await call('GET', '/sessions');
const reader = await call('POST', '/people', { email: 'reader@example.com' });
return { form_id: form, spam: spam[0].submission.id, id: rows[0].id, key_id: keys[0].id,
    session_id: access.sessions[0].id, person_id: reader.id };";

/// Serves an empty page, and returns its port.
fn serve_foreign_page() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = listener.local_addr().expect("the listener has an address").port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.read(&mut [0; 4096]);
            let body = "<!doctype html><title>Evil</title><body>Evil";
            let _ = write!(
                stream,
                "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {}\r\n\
                 connection: close\r\n\r\n{body}",
                body.len()
            );
        }
    });
    port
}

/// Returns all rows of the server as text, except times of last use and the audit log, which
/// records the refusals.
fn dump_rows(server: &Server) -> Vec<String> {
    let file = server.data().join("sheaf.db");
    let conn = rusqlite::Connection::open(file).expect("the database opens");
    let sql = "SELECT name FROM sqlite_schema WHERE type = 'table'
        AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'audit%'";
    let mut tables = conn.prepare(sql).expect("SQL");
    let tables = tables.query_map([], |row| row.get::<_, String>(0)).expect("tables");
    let mut all = Vec::new();
    for table in tables.flatten() {
        let mut rows = conn.prepare(&format!("SELECT * FROM {table}")).expect("SQL");
        let columns: Vec<String> = rows.column_names().map(str::to_owned).collect();
        let mut rows = rows.query([]).expect("rows");
        while let Some(row) = rows.next().expect("a row") {
            let values = columns.iter().enumerate().map(|(n, column)| {
                let value: rusqlite::types::Value = row.get(n).expect("a value");
                let is_use = column == "seen_at" || column == "last_used_at";
                if is_use { String::new() } else { format!("{column}={value:?}") }
            });
            all.push(format!("{table}: {}", values.collect::<Vec<_>>().join(" ")));
        }
    }
    all.sort();
    all
}

/// Returns every route of the published document that changes data, except those for any origin.
fn changing_routes(server: &Server, ids: &Value) -> Vec<Value> {
    let (_, document) = crate::harness::call_api("", &format!("{}/openapi.json", server.url()));
    let document: Value = serde_json::from_slice(&document).expect("JSON");
    let mut routes = Vec::new();
    for (path, methods) in document["paths"].as_object().expect("paths") {
        for (method, operation) in methods.as_object().expect("methods") {
            if path.starts_with("/f/") || ["get", "options"].contains(&method.as_str()) {
                continue;
            }
            let mut filled = path.clone();
            let id = if path.contains("/spam/") { "spam" } else { "id" };
            for (name, from) in [
                ("form_id", "form_id"),
                ("key_id", "key_id"),
                ("session_id", "session_id"),
                ("person_id", "person_id"),
                ("id", id),
            ] {
                let id = ids[from].as_str().expect("an id");
                filled = filled.replace(&format!("{{{name}}}"), id);
            }
            let examples = &operation["requestBody"]["content"]["application/json"]["examples"];
            let example = &operation["requestBody"]["content"]["application/json"]["example"];
            let first = examples.as_object().and_then(|all| all.values().next());
            let body = first.map_or(example, |example_object| &example_object["value"]);
            let body = if body.is_null() { json!({ "name": "taken" }) } else { body.clone() };
            let forwarded = filled.starts_with("/v1/").then(|| format!("/api/live{filled}"));
            for path in forwarded.into_iter().chain([filled]) {
                routes.push(json!({
                    "method": method.to_uppercase(), "path": path, "body": body.to_string(),
                }));
            }
        }
    }
    assert!(routes.len() > 15, "only {} routes", routes.len());
    routes
}

async fn run_attack(page: &Page, server: &Server, host: &str) {
    let form = server.create_form("Feedback", "live");
    server.create_key("live");
    for body in [r#"{"name":"a"}"#, r#"{"name":"b"}"#, r#"{"name":"x","_gotcha":"x"}"#] {
        submit(&format!("{}/f/{form}", server.url()), body);
    }
    page.sign_in(&server.sign_in_link()).await;
    let ids = page.eval_async(SETUP, vec![json!(form)]).await;
    let routes = changing_routes(server, &ids);
    let before = dump_rows(server);
    page.open(&format!("http://{host}:{}/", serve_foreign_page())).await;
    let counts = page.eval_async(ATTACK, vec![json!(server.url()), json!(routes)]).await;
    let request_count = counts[0].as_u64().expect("a number");
    let read = counts[1].as_u64();
    assert!(request_count >= 3 * routes.len() as u64, "only {request_count} requests");
    assert_eq!(read, Some(0), "the other origin could read an answer");
    assert_eq!(dump_rows(server), before, "a forged request changed data");
    page.open(&format!("{}/settings/account", server.url())).await;
    page.wait_for_text("This device").await;
}

async fn attack_from(host: &str) {
    let server = Server::start("enterprise");
    let browser = Browser::start(Viewport::DESKTOP).await;
    let page = Page::new(browser.driver(), server.url());
    // A failure panics here; the browser then ends with the test.
    run_attack(&page, &server, host).await;
    browser.quit().await;
}

#[tokio::test]
async fn cross_site_page_changes_nothing() {
    attack_from("localhost").await;
}

#[tokio::test]
async fn page_of_other_port_changes_nothing() {
    attack_from("127.0.0.1").await;
}
