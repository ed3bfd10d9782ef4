//! Exports: the browser saves the same bytes as the API returns, or the same cells in a workbook,
//! and an interrupted export resumes.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::harness::{OWNER, Page, Server, Viewport, WAIT_MAX, call_api, run_test};
use crate::workbook;
use serde_json::{Value, json};

#[tokio::test]
async fn exported_bytes_equal_api() {
    let server = Server::start("enterprise");
    let form = server.create_sampled_form("Feedback", "live", 1500);
    let key = server.create_key("live");
    run_test("export", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        let api = |query: &str| {
            let url =
                format!("{}/v1/forms/{form}/submissions/export?{query}", context.server.url());
            let (status, body) = call_api(&key, &url);
            assert_eq!(status, 200, "{query}");
            body
        };
        context.sign_in_to_list(&form, "1,500 submissions").await;

        // The whole form.
        start_export(page, "CSV").await;
        let (name, bytes) = page.download().await;
        assert!(name.starts_with("feedback-"), "{name}");
        assert!(bytes == api("safe=true"), "the whole form as CSV differs");
        start_export(page, "JSON").await;
        assert_same_json(&page.download().await.1, &api("format=json"));

        // The filtered list.
        page.open(&format!("/live/forms/{form}?search=the&utm_source=google")).await;
        page.wait_for_text("submissions").await;
        start_export(page, "CSV").await;
        let filtered = page.download().await.1;
        assert!(
            filtered == api("safe=true&search=the&utm_source=google"),
            "the list as CSV differs"
        );
        assert!(filtered.len() > 10_000, "the filtered export is too small for this test");
        start_export(page, "JSON").await;
        assert_same_json(
            &page.download().await.1,
            &api("format=json&search=the&utm_source=google"),
        );

        // A range of dates.
        let list = format!("{}/v1/forms/{form}/submissions", context.server.url());
        let get_list = |query: &str| -> Value {
            let body = call_api(&key, &format!("{list}?{query}")).1;
            serde_json::from_slice(&body).expect("a page of the list")
        };
        let newest = get_list("limit=100");
        let at =
            |row: usize| newest["data"][row]["metadata"]["submitted_at"].as_str().expect("a time");
        let range = format!("date_from={}&date_to={}", at(90), at(20));
        let total = get_list(&range)["pagination"]["total"].as_u64().expect("a total");
        assert!((60..80).contains(&total), "{total}: expected a range of about 70 rows");
        page.open(&format!("/live/forms/{form}?{range}")).await;
        page.wait_for_text(&format!("{total} submissions")).await;
        start_export(page, "CSV").await;
        let expected = api(&format!("safe=true&{range}"));
        assert!(page.download().await.1 == expected, "the range as CSV differs");

        check_chosen_file(page, &format!("/live/forms/{form}"), api("safe=true")).await;
        // Without escaped formulas.
        assert!(api("") != api("safe=true"), "no sample tests the escapes");
        page.open(&format!("/live/forms/{form}")).await;
        page.wait_for_text("1,500 submissions").await;
        page.click("button", "Export").await;
        page.click("checkbox", "Escape spreadsheet formulas").await;
        page.click("button", "Download").await;
        assert!(page.download().await.1 == api(""), "the CSV with formulas differs");
    })
    .await;
}

/// Exports a list of 1,500 submissions into a file that the user chooses.
async fn check_chosen_file(page: &Page, list: &str, expected: Vec<u8>) {
    page.open(list).await;
    page.wait_for_text("1,500 submissions").await;
    // WebDriver cannot use the system's file dialog, so a file of the origin replaces it.
    let choose = "window.showSaveFilePicker = async () =>
        (await navigator.storage.getDirectory()).getFileHandle('picked', { create: true })";
    page.eval(choose, vec![]).await;
    page.click("button", "Export").await;
    page.click("checkbox", "Save directly to a file").await;
    page.click("button", "Download").await;
    page.wait_for_text("Exported 1,500 submissions").await;
    let read = "const root = await navigator.storage.getDirectory();
        return (await (await root.getFileHandle('picked')).getFile()).text()";
    let expected = String::from_utf8(expected).expect("UTF-8");
    assert!(page.eval_async(read, vec![]).await == json!(expected), "the chosen file differs");
}

#[tokio::test]
async fn ndjson_and_excel_equal_api() {
    let server = Server::start("enterprise");
    let form = server.create_sampled_form("Feedback", "live", 700);
    let key = server.create_key("live");
    let url = format!("{}/v1/forms/{form}/submissions/export", server.url());
    let csv = String::from_utf8(call_api(&key, &url).1).expect("UTF-8");
    let json = String::from_utf8(call_api(&key, &format!("{url}?format=json")).1).expect("UTF-8");
    run_test("export-workbook", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        context.sign_in_to_list(&form, "700 submissions").await;
        start_export(page, "NDJSON").await;
        let (name, bytes) = page.download().await;
        assert!(name.ends_with(".ndjson"), "{name}");
        let lines = String::from_utf8(bytes).expect("UTF-8");
        let api: Vec<&str> = json.lines().filter(|line| line.starts_with("{\"id")).collect();
        let api: Vec<&str> = api.into_iter().map(|line| line.trim_end_matches(',')).collect();
        assert!(lines.lines().collect::<Vec<_>>() == api, "the lines differ");
        start_export(page, "Excel").await;
        let (name, bytes) = page.download().await;
        assert_eq!(Path::new(&name).extension().unwrap(), "xlsx");
        workbook::check(&bytes, &json, &csv);
    })
    .await;
}

#[tokio::test]
async fn export_resumes_after_pause_and_reload() {
    let service = Server::start_service("free");
    let form = service.create_sampled_form("Feedback", "live", 1150);
    let key = service.create_key("live");
    let url = format!("{}/v1/forms/{form}/submissions/export?format=json", service.url());
    let json = String::from_utf8(call_api(&key, &url).1).expect("UTF-8");
    let server = Server::start_gateway(&service.url(), &[("live", &service.create_key("live"))]);
    run_test("export-resume", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        context.sign_in_to_list(&form, "1,150 submissions").await;
        page.click("button", "Export").await;
        page.click("radio", "NDJSON").await;
        page.wait_for_text("Uses 12 API requests").await;
        page.click("button", "Download").await;
        wait_for_exported_rows(page, 1).await;
        page.click("button", "Pause").await;
        page.wait_for_text("Paused at ").await;
        let paused_at = wait_for_exported_rows(page, 1).await;
        page.click("button", "Resume").await;
        wait_for_exported_rows(page, paused_at + 1).await;
        page.reload().await;
        page.wait_for_text("1,150 submissions").await;
        page.click("button", "Export").await;
        page.wait_for_text("was interrupted at ").await;
        page.wait_until_text_is_gone("was interrupted at 0").await;
        page.click("button", "Resume").await;
        let lines = String::from_utf8(page.download().await.1).expect("UTF-8");
        let api: Vec<&str> = json.lines().filter(|line| line.starts_with("{\"id")).collect();
        let api: Vec<&str> = api.into_iter().map(|line| line.trim_end_matches(',')).collect();
        assert_eq!(lines.lines().count(), 1150);
        assert!(lines.lines().collect::<Vec<_>>() == api, "the lines differ");
        page.wait_for_text("Exported 1,150 submissions").await;
        // The page's own requests may use up the burst limit. Then the browser logs the 429, and
        // the export waits.
        let console_errors = page.take_console_errors().await;
        assert!(console_errors.iter().all(|line| line.contains("429")), "{console_errors:?}");
    })
    .await;
    drop(service);
}

/// The worker is loaded when the dialog opens, and a user may be faster than the network.
#[tokio::test]
async fn export_is_cancelled_before_worker_loads() {
    let (server, proxy, form) = Server::start_signed_in_by_proxy(300);
    proxy.delay_files(Some("/exporter-"));
    run_test("export-late", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        page.open(&format!("/live/forms/{form}")).await;
        page.wait_for_text("300 submissions").await;
        start_export(page, "CSV").await;
        page.click("button", "Cancel export").await;
        start_export(page, "NDJSON").await;
        page.find("button", "Pause").await;
        assert_eq!(page.downloads(), Vec::<String>::new(), "the worker was loaded too early");
        proxy.delay_files(None);
        let (name, bytes) = page.download().await;
        assert!(name.ends_with(".ndjson"), "{name}: the cancelled export was saved");
        assert_eq!(bytes.split(|byte| *byte == b'\n').count(), 301);
        page.wait_for_text("Exported 300 submissions").await;
        // A later export completes, so the cancelled one can no longer appear.
        start_export(page, "JSON").await;
        let (name, _) = page.download().await;
        assert_eq!(
            Path::new(&name).extension().unwrap(),
            "json",
            "{name}: the cancelled export was saved"
        );
        assert_eq!(page.downloads(), Vec::<String>::new(), "the cancelled export was saved");
        page.reload().await;
        page.wait_for_text("300 submissions").await;
        assert_no_resumable_export(page).await;
    })
    .await;
}

#[tokio::test]
async fn failed_worker_load_is_reported_and_retried() {
    let (server, proxy, form) = Server::start_signed_in_by_proxy(300);
    run_test("export-lost", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        page.open(&format!("/live/forms/{form}")).await;
        page.wait_for_text("300 submissions").await;
        // The browser reports a lost WebAssembly module in another way than a lost script.
        for ends in [".js", ".wasm"] {
            proxy.fail_files(Some(("/exporter-", ends)));
            page.click("button", "Export").await;
            page.wait_for_text("Could not start the export").await;
            page.check_accessibility("an export that cannot begin").await;
            // Reopening the dialog tries again.
            page.click("button", "Cancel export").await;
        }
        page.click("button", "Export").await;
        page.wait_for_text("Could not start the export").await;
        proxy.fail_files(None);
        page.click("button", "Try again").await;
        let rows = csv::Reader::from_reader(&page.download().await.1[..]).into_records().count();
        assert_eq!(rows, 300);
        // The browser logs the lost files.
        page.take_console_errors().await;
    })
    .await;
}

/// Another tab may have resumed and finished the export that this tab still offers. The browser may
/// then copy the file for up to ten minutes. Partial exports belong to the signed-in user, so
/// sign-out deletes them.
#[tokio::test]
async fn partial_export_is_deleted_after_other_tab_and_at_sign_out() {
    let service = Server::start_service("free");
    let form = service.create_sampled_form("Feedback", "live", 1150);
    let server = Server::start_gateway(&service.url(), &[("live", &service.create_key("live"))]);
    run_test("export-partial", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        let list = format!("/live/forms/{form}");
        let begun_anew = async || {
            page.reload().await;
            page.wait_for_text("1,150 submissions").await;
            page.click("button", "Export").await;
            page.wait_for_text("All submissions").await;
        };
        page.sign_in(&context.server.sign_in_link()).await;
        page.open(&list).await;
        page.wait_for_text("1,150 submissions").await;
        start_export(page, "NDJSON").await;
        wait_for_exported_rows(page, 1).await;
        begun_anew().await;
        page.wait_for_text("was interrupted at ").await;
        page.eval_async(MARK_FINISHED, vec![json!(0)]).await;
        page.click("button", "Resume").await;
        page.wait_for_text("The unfinished file no longer exists").await;
        page.reload().await;
        page.wait_for_text("1,150 submissions").await;
        assert_no_resumable_export(page).await;
        assert_eq!(
            page.eval_async(FILE_COUNT, vec![]).await,
            json!(1),
            "its file was deleted too early"
        );
        page.eval_async(MARK_FINISHED, vec![json!(Duration::from_mins(10).as_secs())]).await;
        begun_anew().await;
        wait_until_files_are_deleted(page).await;

        page.reload().await;
        page.wait_for_text("1,150 submissions").await;
        start_export(page, "NDJSON").await;
        wait_for_exported_rows(page, 1).await;
        assert_eq!(page.eval_async(FILE_COUNT, vec![]).await, json!(1));
        page.click("button", "Hide").await;
        page.click("button", OWNER).await;
        page.click("menuitem", "Sign out").await;
        page.wait_for_text("Sign in").await;
        wait_until_files_are_deleted(page).await;
        let databases = "return (await indexedDB.databases()).map(one => one.name)";
        assert_eq!(
            page.eval_async(databases, vec![]).await,
            json!([]),
            "the export job was not deleted"
        );
        page.sign_in(&context.server.sign_in_link()).await;
        page.open(&list).await;
        page.click("button", "Export").await;
        page.wait_for_text("Uses ").await;
        page.wait_until_text_is_gone("was interrupted").await;
        let console_errors = page.take_console_errors().await;
        assert!(console_errors.iter().all(|line| line.contains("429")), "{console_errors:?}");
    })
    .await;
    drop(service);
}

/// Waits until an export of 1,150 rows has written at least `min` rows, and returns the number of
/// written rows. A busy test can miss a number, because the next one follows within a second.
pub(crate) async fn wait_for_exported_rows(page: &Page, min: u64) -> u64 {
    let rows = "const shown = document.body.innerText.match(/([\\d,]+) of 1,150/)?.[1] ?? '0';
        const rows = Number(shown.replace(',', ''));
        return rows >= arguments[0] && rows";
    let rows = page.wait_for("exported rows", rows, vec![json!(min)]).await;
    rows.as_u64().expect("a number of rows")
}

/// Returns the number of export files in the browser.
const FILE_COUNT: &str = "try {
        const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle('exports');
        return (await Array.fromAsync(folder.keys())).length;
    } catch { return 0; }";

/// Marks each export in the browser's database as finished the given number of seconds ago.
const MARK_FINISHED: &str = "const answer = (asked) => new Promise((resolve, reject) => {
        asked.onsuccess = () => resolve(asked.result);
        asked.onerror = () => reject(asked.error);
    });
    const database = await answer(indexedDB.open('sheaf-exports', 1));
    const store = database.transaction('exports', 'readwrite').objectStore('exports');
    for (const stored of await answer(store.getAll())) {
        await answer(store.put({ ...stored, finished: Date.now() - 1000 * arguments[0] }));
    }
    database.close();";

/// Counts the workers that have reported interrupted exports, two frames after each report.
const COUNT_WORKER_REPORTS: &str = "window.heard = 0;
    const count = () => requestAnimationFrame(() => requestAnimationFrame(() => window.heard++));
    window.Worker = class extends Worker {
        constructor(...all) { super(...all); this.addEventListener('message', count, { once: true }); }
    };";

/// Opens the export dialog in a page that has not loaded the worker. Panics if it offers to resume
/// an export.
pub(crate) async fn assert_no_resumable_export(page: &Page) {
    page.eval(COUNT_WORKER_REPORTS, vec![]).await;
    page.click("button", "Export").await;
    page.wait_for("the worker", "return window.heard > 0", vec![]).await;
    page.wait_for_text("All submissions").await;
    page.wait_until_text_is_gone("was interrupted").await;
}

pub(crate) async fn wait_until_files_are_deleted(page: &Page) {
    let since = Instant::now();
    while page.eval_async(FILE_COUNT, vec![]).await != json!(0) {
        assert!(since.elapsed() < WAIT_MAX, "an export file was not deleted");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

async fn start_export(page: &Page, format: &str) {
    page.click("button", "Export").await;
    page.click("radio", format).await;
    page.click("button", "Download").await;
}

/// Compares two JSON exports without their creation times.
fn assert_same_json(browser: &[u8], api: &[u8]) {
    let without_instant = |bytes: &[u8]| {
        let text = String::from_utf8(bytes.to_vec()).expect("UTF-8");
        let complete: Value = serde_json::from_str(&text).expect("whole JSON");
        let at = complete["export"]["exported_at"].as_str().expect("an instant").to_owned();
        text.replace(&at, "")
    };
    assert!(without_instant(browser) == without_instant(api), "the JSON differs");
}
