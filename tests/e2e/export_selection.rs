//! An export of selected rows and columns contains only these, and a cancelled export leaves no
//! file.

use crate::export::{
    assert_no_resumable_export, wait_for_exported_rows, wait_until_files_are_deleted,
};
use crate::harness::{Server, Viewport, call_api, run_test};
use crate::trash::select_rows;
use serde_json::{Value, json};

/// List indexes of the selected rows.
const SELECTED_ROWS: [u64; 3] = [0, 2, 5];

/// Returns the cells of a CSV file, with the header row.
fn read_rows(csv: &[u8]) -> Vec<Vec<String>> {
    let rows = csv::ReaderBuilder::new().has_headers(false).from_reader(csv).into_records();
    rows.map(|row| row.expect("a row").iter().map(str::to_owned).collect()).collect()
}

#[tokio::test]
async fn export_contains_selected_rows_and_columns() {
    let server = Server::start("enterprise");
    let form = server.create_sampled_form("Feedback", "live", 40);
    let list = format!("{}/v1/forms/{form}/submissions?limit=100", server.url());
    let key = server.create_key("live");
    let (_, body) = call_api(&key, &list);
    let listed: Value = serde_json::from_slice(&body).expect("JSON");
    let to_index = |at: u64| usize::try_from(at).expect("a few");
    let selected = SELECTED_ROWS.map(|at| listed["data"][to_index(at)].clone());
    let ids =
        selected.clone().map(|submission| submission["id"].as_str().expect("an id").to_owned());
    run_test("export-chosen", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        context.sign_in_to_list(&form, "40 submissions").await;
        select_rows(page, &SELECTED_ROWS).await;
        page.wait_for_text("3 selected").await;
        page.click("button", "Export selection").await;
        page.click("radio", "NDJSON").await;
        page.click("button", "Download").await;
        let (name, bytes) = page.download().await;
        assert!(name.ends_with(".ndjson"), "{name}");
        let lines = String::from_utf8(bytes).expect("UTF-8");
        let lines = lines.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        assert_eq!(lines.collect::<Vec<_>>(), selected);
        page.wait_for_text("Exported 3 submissions").await;

        page.click("button", "Export selection").await;
        page.click("radio", "CSV").await;
        page.eval("document.querySelector('dialog[open] summary').click()", vec![]).await;
        page.click("checkbox", "device").await;
        page.click("button", "Download").await;
        let (_, bytes) = page.download().await;
        let mut table = csv::Reader::from_reader(&bytes[..]);
        let headers = table.headers().expect("heads").clone();
        assert!(headers.iter().any(|head| head == "ip_country"), "{headers:?}");
        assert!(headers.iter().all(|head| head != "device"), "{headers:?}");
        let written = table.records().map(|row| row.expect("a row")[0].to_owned());
        assert_eq!(written.collect::<Vec<_>>(), ids);

        let set = "const answer = await fetch(`/account/forms/${arguments[0]}/submissions`, {
            method: 'PATCH', headers: { 'x-sheaf-csrf': '1', 'content-type': 'application/json' },
            body: JSON.stringify({
              ids: [arguments[1]], set: { status: 'done', add_tags: ['=a'] } }),
          });
          return answer.status";
        assert_eq!(page.eval_async(set, vec![json!(form), json!(ids[1])]).await, json!(200));
        page.click("button", "Export selection").await;
        page.click("radio", "CSV").await;
        page.click("checkbox", "Tags").await;
        page.click("checkbox", "Status").await;
        page.click("checkbox", "Number of notes").await;
        page.click("button", "Download").await;
        let (_, bytes) = page.download().await;
        let query = "safe=true&columns=status,tags,notes_count";
        let url = format!("{}/v1/forms/{form}/submissions/export?{query}", context.server.url());
        let (_, body) = call_api(&key, &url);
        let mut of_api = read_rows(&body);
        of_api.retain(|row| row[0] == "submission_id" || ids.contains(&row[0]));
        assert_eq!(read_rows(&bytes), of_api);
        assert_eq!(&of_api[2][of_api[2].len() - 3..], ["done", "'=a", "0"]);
    })
    .await;
}

#[tokio::test]
async fn cancelled_export_leaves_no_file() {
    let service = Server::start_service("free");
    let form = service.create_sampled_form("Feedback", "live", 1150);
    let server = Server::start_gateway(&service.url(), &[("live", &service.create_key("live"))]);
    run_test("export-cancel", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        context.sign_in_to_list(&form, "1,150 submissions").await;
        page.click("button", "Export").await;
        page.click("radio", "NDJSON").await;
        page.click("button", "Download").await;
        wait_for_exported_rows(page, 1).await;
        page.click("button", "Cancel export").await;
        wait_until_files_are_deleted(page).await;
        assert_eq!(page.downloads(), Vec::<String>::new());
        page.reload().await;
        page.wait_for_text("1,150 submissions").await;
        assert_no_resumable_export(page).await;
        let console_errors = page.take_console_errors().await;
        assert!(console_errors.iter().all(|line| line.contains("429")), "{console_errors:?}");
    })
    .await;
    drop(service);
}
