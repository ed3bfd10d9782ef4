//! Submissions of another tool: imported, shown, and exported again with unchanged cells.

use crate::harness::{Server, Viewport, run_test};

/// A typical file of a survey tool: long headers, line breaks, formulas, text that looks like
/// numbers, gaps.
const SURVEY: &str = "Respondent,\"Which of these side dishes, if any, are typically served at \
    your dinner? Please select all that apply. - Other (please specify)\",Comment,Budget\r\n\
    0042,\"squash, \"\"my way\"\"\",\"two\nlines\",1.50\r\n\
    0043,,=SUM(A1:A9),-007\r\n\
    0044,Grünkohl 🥬,  spaced  ,1e5\r\n";

fn parse_cells(text: &str) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
    let row = |row: Result<csv::StringRecord, csv::Error>| {
        row.expect("a row").iter().map(str::to_owned).collect()
    };
    reader.records().map(row).collect()
}

#[tokio::test]
async fn imported_cells_are_exported_unchanged() {
    let server = Server::start("enterprise");
    let form = server.create_form("Dinner survey", "live");
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(file.path(), SURVEY).expect("it can be written");
    let path = file.path().to_str().expect("a plain path");
    server.run_command(&["import", "--form", &form, "--csv", path]);
    run_test("import", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        page.sign_in(&context.server.sign_in_link()).await;
        page.open(&format!("/live/forms/{form}")).await;
        page.wait_for_text("3 submissions").await;
        page.fill_text_field("Search", "GRÜNKOHL").await;
        page.wait_for_text("1 submission").await;
        page.click("row", "0044").await;
        page.wait_for_text("Please select all that apply. - Other (please specify)").await;
        page.open(&format!("/live/forms/{form}")).await;
        page.wait_for_text("3 submissions").await;
        page.click("button", "Export").await;
        page.click("checkbox", "Escape spreadsheet formulas").await;
        page.click("button", "Download").await;
        let exported = parse_cells(&String::from_utf8(page.download().await.1).expect("UTF-8"));
        let source = parse_cells(SURVEY);
        assert_eq!(exported.len(), source.len());
        for (exported, source) in exported.iter().zip(&source) {
            assert_eq!(exported[2..2 + source.len()], source[..]);
        }
    })
    .await;
}
