//! Submitted content is shown as text everywhere. More than 200 injection payloads are used as
//! answers, as names of fields, forms, keys, categories and views, as metadata and as insights. No
//! payload may run, create an element, or need a policy to block it.

use crate::harness::{OWNER, Page, Server, Viewport, run_test, submit};
use crate::list::read_to_end;
use serde_json::{Value, json};
use std::fmt::Write as _;
use thirtyfour::Key;

/// Records calls of the payloads, and violations of the content security policy.
const RECORD_HITS: &str = "
window.hits = [];
window.hit = (...all) => window.hits.push(['hit', ...all]);
for (const name of ['alert', 'confirm', 'prompt']) {
  window[name] = (...all) => { window.hits.push([name, ...all]); };
}
document.addEventListener('securitypolicyviolation', (one) => {
  window.hits.push([one.violatedDirective, one.blockedURI, one.sourceFile, one.sample]);
});";

/// Returns elements and attributes that can only come from injected markup, and the recorded calls.
const FIND_INJECTIONS: &str = r"
const ours = /^(?:a|article|aside|b|body|button|caption|circle|code|datalist|dd|details|dialog|div|dl|dt|ellipse|em|fieldset|footer|form|g|h1|h2|h3|h4|head|header|hr|html|i|input|kbd|label|legend|li|line|link|main|mark|menu|meta|meter|nav|noscript|ol|optgroup|option|output|p|path|polygon|polyline|pre|progress|rect|s|script|search|section|select|small|span|strong|style|sub|summary|sup|svg|table|tbody|td|template|text|textarea|tfoot|th|thead|time|title|tr|u|ul|use|wbr)$/;
const address = /^(?:href|src|xlink:href|action|formaction|data|background|poster|ping)$/;
const bad = [];
for (const node of document.querySelectorAll('*')) {
  const html = node.outerHTML.slice(0, 200);
  if (!ours.test(node.localName)) bad.push(html);
  for (const { name, value } of node.attributes) {
    const leads = address.test(name) && /^[\s\u0000-\u001f]*(?:javascript|data|vbscript|blob):/i.test(value);
    if (/^on/i.test(name) || name === 'srcdoc' || leads) bad.push(html);
  }
  const isCode = node.localName === 'script' && node.type !== 'application/json';
  if (isCode && node.textContent.includes('hit(')) bad.push(html);
  const leavesUs = node.localName === 'a' && node.href && new URL(node.href).origin !== location.origin;
  if (leavesUs && !/^(?:https?|mailto|tel):/.test(node.href)) bad.push(html);
  if (leavesUs && /^https?:/.test(node.href) && !node.relList.contains('noopener')) bad.push(html);
}
return [bad, window.hits ?? []];";

/// Whether the page shows a text, or a field contains a payload.
const SHOWS_TEXT: &str = "const text = document.querySelector('main')?.innerText ?? '';
    const fields = [...document.querySelectorAll('input, textarea')];
    return text.toLowerCase().includes(arguments[0].toLowerCase())
        || fields.some((one) => one.value.includes('hit()'))";

/// Payloads that the tests wait for, so that every run includes them.
const ELEMENT: &str = "<details open ontoggle=hit()>x</details>";
const NAME: &str = "<body onload=hit()>";

/// Returns the decoded payloads of the table: all in a full run, and otherwise a third of them.
fn payloads() -> Vec<String> {
    let table = include_str!("data/payloads.txt");
    let lines = table.lines().filter(|line| !line.is_empty() && !line.starts_with("# "));
    let payloads: Vec<_> = lines.map(unescape).collect();
    assert!(payloads.len() >= 200, "only {} payloads", payloads.len());
    let runs = |(n, text): &(usize, String)| {
        test_servers::is_in_rotation(*n, 3) || [ELEMENT, NAME].contains(&&**text)
    };
    payloads.into_iter().enumerate().filter(runs).map(|(_, text)| text).collect()
}

fn unescape(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line.chars();
    while let Some(c) = rest.next() {
        match c {
            '\\' => match rest.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some('0') => out.push('\0'),
                Some('u') => {
                    let code: String = rest.by_ref().skip(1).take_while(|c| *c != '}').collect();
                    let code = u32::from_str_radix(&code, 16).expect("a number in base 16");
                    out.push(char::from_u32(code).expect("a character"));
                }
                other => out.extend(other),
            },
            c => out.push(c),
        }
    }
    out
}

/// Returns the payloads that are valid names: one line, no control characters, limited length.
fn valid_names(payloads: &[String], chars_max: usize) -> Vec<String> {
    let is_valid =
        |text: &&String| text.chars().count() <= chars_max && !text.contains(char::is_control);
    payloads.iter().filter(is_valid).map(|text| text.trim().to_owned()).collect()
}

/// Imports submissions from an NDJSON file.
fn import_submissions(server: &Server, form: &str, submissions: &[Value]) {
    let mut lines = String::new();
    for submission in submissions {
        writeln!(lines, "{submission}").expect("writing to a string cannot fail");
    }
    let file = server.data().join("hostile.ndjson");
    std::fs::write(&file, lines).expect("the file can be written");
    server.run_command(&["import", "--form", form, file.to_str().expect("a plain path")]);
}

/// Creates a form with one submission per payload, which is used in all its values.
fn form_with_row_per_payload(server: &Server, payloads: &[String]) -> String {
    let form = server.create_form("Rows", "live");
    let submission = |(n, text): (usize, &String)| {
        json!({
            "answers": { "Name": text, "Comment": format!("{text} {n}") },
            "metadata": {
                "submitted_at": format!("2026-03-{:02}T12:00:{:02}Z", n % 28 + 1, n % 60),
                "device": text, "browser": text, "ip_country": null,
                "utm_source": text, "utm_medium": text, "utm_campaign": text,
            },
            "ai_insights": {
                "sentiment": text, "sentiment_score": 0.5, "categories": [text, "x"],
                "language": text,
            },
        })
    };
    import_submissions(
        server,
        &form,
        &payloads.iter().enumerate().map(submission).collect::<Vec<_>>(),
    );
    form
}

/// Creates a form with one field per payload, which is the field's name and its answer.
fn form_with_field_per_payload(server: &Server, payloads: &[String]) -> String {
    let form = server.create_form("</script><script>hit()</script>", "live");
    let answers: serde_json::Map<_, _> =
        payloads.iter().map(|it| (it.clone(), json!(it))).collect();
    let submission =
        json!({ "answers": answers, "metadata": { "submitted_at": "2026-03-01T12:00:00Z" } });
    import_submissions(server, &form, &[submission.clone(), submission.clone(), submission]);
    for text in valid_names(payloads, 100).iter().step_by(10) {
        let body = json!({ text: text, "_gotcha": "x" }).to_string();
        submit(&format!("{}/f/{form}", server.url()), &body);
    }
    form
}

/// Panics if a payload has run, was blocked, or is on the page as markup.
async fn assert_no_injection(page: &Page, location: &str) {
    let found = page.eval(FIND_INJECTIONS, vec![]).await;
    assert_eq!(found, json!([[], []]), "{location}");
}

/// Navigates like a link of the dashboard, without loading the page.
async fn navigate(page: &Page, path: &str) {
    let body = "history.pushState(null, '', arguments[0]);\
        dispatchEvent(new PopStateEvent('popstate', { state: null })); return true";
    page.eval(body, vec![json!(path)]).await;
    page.wait_until_stable().await;
}

#[tokio::test]
async fn list_and_card_escape_answers() {
    let all = payloads();
    let server = Server::start("enterprise");
    let narrow = form_with_row_per_payload(&server, &all);
    let wide = form_with_field_per_payload(&server, &all);
    run_test("hostile-rows", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        page.sign_in(&context.server.sign_in_link()).await;
        if !page.is_firefox() {
            page.before_pages(RECORD_HITS).await;
        }
        let list = format!("/live/forms/{narrow}");
        page.open(&list).await;
        page.wait_for_text(&format!("{} submissions", all.len())).await;
        page.wait_for_text("hit()").await;
        assert_no_injection(page, "the first rows").await;
        assert_eq!(read_to_end(page, all.len()).await.0, all.len());
        assert_no_injection(page, "the last rows").await;
        page.open(&list).await;
        page.press_keys("j").await;
        page.press_keys(Key::Enter + "").await;
        page.wait_for_text("Answers").await;
        for n in 0..all.len() {
            assert_no_injection(page, &format!("the card of row {n}")).await;
            page.press_keys("j").await;
        }

        for path in [format!("/live/forms/{wide}"), format!("/live/forms/{wide}?search=hit")] {
            page.open(&path).await;
            page.wait_for_text("3 submissions").await;
            page.wait_for("rows", "return document.querySelector('[data-key]')", vec![]).await;
            assert_no_injection(page, &path).await;
        }
        page.press_keys("j").await;
        page.press_keys(Key::Enter + "").await;
        page.wait_for_text("Answers").await;
        page.wait_for_text(ELEMENT).await;
        assert_no_injection(page, "the card of many fields").await;
        if !page.is_firefox() {
            page.send_devtools_command("Page.printToPDF", json!({ "printBackground": true })).await;
            assert_no_injection(page, "the page after printing").await;
        }
    })
    .await;
}

#[tokio::test]
async fn filters_and_charts_escape_values() {
    let all = payloads();
    let server = Server::start("enterprise");
    let form = form_with_row_per_payload(&server, &all);
    run_test("hostile-filters", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        page.sign_in(&context.server.sign_in_link()).await;
        if !page.is_firefox() {
            page.before_pages(RECORD_HITS).await;
        }
        let list = format!("/live/forms/{form}");
        page.open(&format!("{list}/insights")).await;
        page.find("heading", "UTM sources").await;
        assert_no_injection(page, "the charts").await;
        page.click("button", ": Devices").await;
        assert_no_injection(page, "a chart as a table").await;

        page.open(&list).await;
        page.wait_for_text("submissions").await;
        for text in &all {
            let coded = page
                .eval("return encodeURIComponent(arguments[0])", vec![json!(text)])
                .await
                .as_str()
                .expect("a text")
                .to_owned();
            let filter = format!("search={coded}&utm_source={coded}&utm_medium={coded}");
            navigate(page, &format!("{list}?{filter}&utm_campaign={coded}")).await;
            page.wait_for("chips", "return document.querySelector('.chip')", vec![]).await;
            assert_no_injection(page, text).await;
        }
        // Also with a page load for each URL.
        for text in all.iter().step_by(20) {
            let body = "return location.origin + arguments[0] + '?' + new URLSearchParams({
                search: arguments[1], utm_source: arguments[1] })";
            let url = page.eval(body, vec![json!(list), json!(text)]).await;
            page.open(url.as_str().expect("a text")).await;
            page.wait_for("chips", "return document.querySelector('.chip')", vec![]).await;
            assert_no_injection(page, text).await;
        }

        let mut names = valid_names(&all, 60);
        names.dedup();
        let views: Vec<_> = names.iter().step_by(4).take(50).collect();
        let create = "const statuses = [];
            for (const name of arguments[1]) {
                const answer = await fetch(arguments[0], { method: 'POST',
                    headers: { 'content-type': 'application/json', 'x-sheaf-csrf': '1' },
                    body: JSON.stringify({ name, query: 'search=x', shared: true }) });
                statuses.push(answer.status);
            }
            return statuses.filter(status => status === 201).length";
        let path = format!("/account/forms/{form}/views");
        let created = page.eval_async(create, vec![json!(path), json!(views)]).await;
        assert!(created.as_u64().is_some_and(|created| created > 0), "{created}");
        page.open(&list).await;
        page.click("button", "Views").await;
        let shown = "return document.querySelectorAll('.views-link').length === arguments[0]";
        page.wait_for("the views", shown, vec![created]).await;
        assert_no_injection(page, "the saved views").await;
    })
    .await;
}

#[tokio::test]
async fn settings_escape_names() {
    let all = payloads();
    let server = Server::start("enterprise");
    let form = form_with_field_per_payload(&server, &all);
    let names = valid_names(&all, 100);
    for name in names.iter().step_by(20).take(10) {
        let name = format!("--name={name}");
        server.run_command(&["key", "create", "--account", OWNER, "--mode", "test", &name]);
    }
    let short: Vec<_> = valid_names(&all, 40).into_iter().step_by(6).take(20).collect();
    run_test("hostile-settings", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        page.sign_in(&context.server.sign_in_link()).await;
        if !page.is_firefox() {
            page.before_pages(RECORD_HITS).await;
        }
        // Requests take less time than commands. The limit is 100 in a second.
        let create = "for (const [index, name] of arguments[0].entries()) {
                await new Promise((done) => setTimeout(done, 15));
                const answer = await fetch('/account/forms', { method: 'POST',
                    headers: { 'content-type': 'application/json', 'x-sheaf-csrf': '1' },
                    body: JSON.stringify({ name, mode: index % 2 ? 'test' : 'live' }) });
                if (answer.status !== 201) return `${answer.status} for ${name}`;
            }
            return null";
        assert_eq!(page.eval_async(create, vec![json!(names)]).await, json!(null));
        let categories: Vec<_> =
            short.iter().map(|name| json!({ "name": name, "words": ["hit"] })).collect();
        page.open("/settings/forms").await;
        page.wait_for_text(NAME).await;
        assert_no_injection(page, "the forms").await;
        let set = "const answer = await fetch(`/account/forms/${arguments[0]}/categories`, {
            method: 'PUT', headers: { 'content-type': 'application/json', 'x-sheaf-csrf': '1' },
            body: JSON.stringify({ categories: arguments[1] }) }); return answer.status";
        let status = page.eval_async(set, vec![json!(form), json!(categories)]).await;
        assert_eq!(status, json!(200));
        for (tab, sign) in [
            ("share", "curl"),
            ("fields", "Save"),
            ("intake", "Honeypot"),
            ("spam", "hit()"),
            ("analysis", "ategories"),
        ] {
            page.open(&format!("/live/forms/{form}/settings/{tab}")).await;
            page.wait_for(tab, SHOWS_TEXT, vec![json!(sign)]).await;
            assert_no_injection(page, tab).await;
        }
        page.open("/settings/keys").await;
        page.find("button", "Revoke").await;
        assert_no_injection(page, "the keys").await;
        page.open("/settings/account").await;
        page.wait_for_text("This device").await;
        assert_no_injection(page, "the account").await;
        page.open(&format!("/live/forms/{form}")).await;
        page.click("button", "Export").await;
        page.find("dialog", "Export").await;
        assert_no_injection(page, "the export's dialog").await;
    })
    .await;
}
