//! Specification, section 4.4 (Export submissions).

use crate::app::{App, TestKey, TestResponse, hostile, submission};
use contract::csv::CsvWriter;
use contract::json::JsonWriter;
use contract::submission::answer_text;
use contract::{Columns, Environment, ExportQuery, Form, Plan, Submission};
use serde_json::{Value, json};
use store::clock::Clock;

async fn export_submissions(app: &App, key: &TestKey, form: &Form, query: &str) -> TestResponse {
    app.get(key, &format!("/v1/forms/{}/submissions/export?{query}", form.id)).await
}

fn read_csv(text: &str) -> (Vec<String>, Vec<Vec<String>>) {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let cells = |record: &csv::StringRecord| record.iter().map(str::to_owned).collect::<Vec<_>>();
    let head = cells(reader.headers().unwrap());
    (head, reader.records().map(|record| cells(&record.unwrap())).collect())
}

#[tokio::test]
async fn rules_1_to_4_header_then_one_row_per_submission() {
    let (app, key, form) = App::with_form(&["name", "note"]).await;
    let mut row =
        submission(&form, "1", "2026-02-01T09:30:00Z", json!({"note": "n", "name": "Ada"}));
    row.metadata.ip_country = Some("DE".to_owned());
    row.metadata.device = Some("mobile".to_owned());
    row.metadata.utm_source = Some("google".to_owned());
    app.submit(&form, vec![row, submission(&form, "2", "2026-02-02", json!({}))]).await;
    let answer = export_submissions(&app, &key, &form, "").await;
    assert_eq!((answer.status, answer.header("content-type")), (200, "text/csv; charset=utf-8"));
    assert_eq!(
        answer.body,
        "submission_id,submitted_at,name,note,ip_country,device,browser,completion_time_seconds,\
         utm_source,utm_medium,utm_campaign,sentiment,sentiment_score,categories,language\r\n\
         sub_2,2026-02-02T00:00:00Z,,,,,,,,,,,,,\r\n\
         sub_1,2026-02-01T09:30:00Z,Ada,n,DE,mobile,,,google,,,,,,\r\n"
    );
}

#[tokio::test]
async fn rule_5_special_characters_are_quoted_losslessly() {
    let (app, key, form) = App::with_form(&["name", "note"]).await;
    let rows = hostile(&form, 120);
    app.submit(&form, rows.clone()).await;
    let (head, read) = read_csv(&export_submissions(&app, &key, &form, "").await.body);
    assert_eq!(read.len(), rows.len());
    let column = |name: &str| head.iter().position(|head| head == name).unwrap();
    for row in &rows {
        let line = read.iter().find(|line| line[0] == row.id.as_str()).unwrap();
        for name in ["name", "note"] {
            let answer = row.answers.0.get(name).unwrap_or(&Value::Null);
            assert_eq!(line[column(name)], answer_text(answer));
        }
        assert_eq!(line[column("submitted_at")], row.metadata.submitted_at.to_string());
        let source = row.metadata.utm_source.clone().unwrap_or_default();
        assert_eq!(line[column("utm_source")], source);
    }
}

#[tokio::test]
async fn rule_6_fields_select_and_order_columns() {
    let (app, key, form) = App::with_form(&["name", "note"]).await;
    let row = submission(&form, "1", "2026-02-01", json!({"name": "Ada", "note": "a,b"}));
    app.submit(&form, vec![row]).await;
    let name = &form.fields[0].id;
    let note = &form.fields[1].id;
    let query = format!("fields={note},{name}");
    assert_eq!(
        export_submissions(&app, &key, &form, &query).await.body,
        "note,name\r\n\"a,b\",Ada\r\n"
    );
    let query = format!("fields={name}");
    assert_eq!(export_submissions(&app, &key, &form, &query).await.body, "name\r\nAda\r\n");
    let query = format!("format=json&fields={note}");
    let json = export_submissions(&app, &key, &form, &query).await.json();
    assert_eq!(json["data"][0]["answers"], json!({"note": "a,b"}));
    assert_eq!(json["export"]["fields"], json!([note]));
}

#[tokio::test]
async fn unknown_field_error_contains_its_id() {
    let (app, key, form) = App::with_form(&["name", "note"]).await;
    let field_id = &form.fields[0].id;
    for format in ["csv", "json"] {
        let query = format!("format={format}&fields={field_id},fld_zzz");
        let answer = export_submissions(&app, &key, &form, &query).await;
        assert_eq!(answer.error(), (400, "validation_error".to_owned()));
        assert!(answer.body.contains("`fld_zzz`"), "{}", answer.body);
    }
}

#[tokio::test]
async fn invalid_parameter_error_contains_its_name() {
    let (app, key, form) = App::with_form(&["name", "note"]).await;
    let field = &form.fields[0].id;
    for (query, names) in [
        ("format=xlsx", "format"),
        ("format=CSV", "format"),
        ("date_from=x", "date_from"),
        ("date_from=2026-02-02&date_to=2026-02-01", "date_from"),
        ("fields=,", "fields"),
        ("fields=name", "fields"),
        (&format!("fields={field},{field}"), "fields"),
        ("field=x", "field"),
        ("limit=10", "limit"),
        ("cursor=x", "cursor"),
        ("safe=yes", "safe"),
        ("format=csv&format=json", "format"),
    ] {
        let answer = export_submissions(&app, &key, &form, query).await;
        assert_eq!(answer.error(), (400, "validation_error".to_owned()), "{query}");
        assert!(answer.body.contains(&format!("`{names}`")), "{query}: {}", answer.body);
    }
}

#[tokio::test]
async fn export_of_unknown_form_returns_404() {
    let (app, key, _) = App::with_form(&["name", "note"]).await;
    let answer = app.get(&key, "/v1/forms/frm_unknown/submissions/export").await;
    assert_eq!(answer.error(), (404, "not_found".to_owned()));
}

#[tokio::test]
async fn date_range_selects_same_rows_as_list() {
    let (app, key, form) = App::with_form(&["name", "note"]).await;
    let rows =
        (1..=4).map(|n| submission(&form, &n.to_string(), &format!("2026-02-0{n}"), json!({})));
    app.submit(&form, rows.collect()).await;
    let query = "date_from=2026-02-02&date_to=2026-02-04";
    let (_, csv) = read_csv(&export_submissions(&app, &key, &form, query).await.body);
    assert_eq!(csv.iter().map(|line| line[0].as_str()).collect::<Vec<_>>(), ["sub_3", "sub_2"]);
    let json = export_submissions(&app, &key, &form, &format!("format=json&{query}")).await;
    assert_eq!(json.ids(), ["sub_3", "sub_2"]);
}

#[tokio::test]
async fn json_export_has_submissions_and_trailer() {
    let (app, key, form) = App::with_form(&["name", "note"]).await;
    let rows = hostile(&form, 30);
    app.submit(&form, rows.clone()).await;
    let answer = export_submissions(&app, &key, &form, "format=json&date_from=2026-01-01").await;
    assert_eq!((answer.status, answer.header("content-type")), (200, "application/json"));
    let mut json = answer.json();
    assert_eq!(
        json["export"].take(),
        json!({
            "form_id": form.id, "exported_at": "2026-03-01T12:00:00Z",
            "date_from": "2026-01-01T00:00:00Z", "date_to": null, "fields": null, "count": 30
        })
    );
    let data: Vec<Submission> = serde_json::from_value(json["data"].take()).unwrap();
    assert_eq!(data.len(), rows.len());
    assert!(rows.iter().all(|row| data.contains(row)));
}

#[tokio::test]
async fn file_name_has_form_and_date() {
    let (app, key, form) = App::with_form(&["name", "note"]).await;
    for (query, ending) in [("", "csv"), ("format=json", "json")] {
        let answer = export_submissions(&app, &key, &form, query).await;
        let name = format!("attachment; filename=\"{}-20260301.{ending}\"", form.id);
        assert_eq!(answer.header("content-disposition"), name);
    }
}

#[tokio::test]
async fn empty_export_has_only_header() {
    let (app, key, form) = App::with_form(&["name", "note"]).await;
    let (head, rows) = read_csv(&export_submissions(&app, &key, &form, "").await.body);
    assert_eq!((head.len(), rows.len()), (15, 0));
}

#[tokio::test]
async fn export_of_any_size_is_complete() {
    let app = App::start().await;
    let account = app.account(Plan::Enterprise).await;
    let key = app.key(&account, Environment::Live).await;
    // Rows on the boundary between two read batches must not be lost.
    for count in [1, 40, 60, 500, 1203] {
        let form = app.form(&account, Environment::Live, &["name", "note"]).await;
        let mut rows = hostile(&form, count);
        for row in &mut rows {
            row.id = format!("{}_{count}", row.id).parse().unwrap();
        }
        app.submit(&form, rows).await;
        let (_, read) = read_csv(&export_submissions(&app, &key, &form, "").await.body);
        let unique: std::collections::HashSet<_> = read.iter().map(|row| row[0].clone()).collect();
        assert_eq!((read.len(), unique.len()), (count, count));
    }
}

#[tokio::test]
async fn export_bytes_equal_contract_writers() {
    let (app, key, form) = App::with_form(&["name", "note"]).await;
    let mut rows = hostile(&form, 200);
    app.submit(&form, rows.clone()).await;
    rows.sort_by_key(|row| std::cmp::Reverse((row.metadata.submitted_at, row.id.clone())));
    for query in ["", "safe=true", "fields", "fields&safe=true"] {
        let listed = format!("fields={},{}", form.fields[1].id, form.fields[0].id);
        let query = query.replace("fields", &listed);
        let parsed_query = ExportQuery::parse(&query).unwrap();
        let columns = match &parsed_query.fields {
            Some(ids) => Columns::for_fields(&form.fields, ids).unwrap(),
            None => Columns::all(&form.fields),
        };
        let mut csv = CsvWriter::new(columns, parsed_query.disarms_formulas, Vec::new()).unwrap();
        let mut json =
            JsonWriter::new(form.id.clone(), &form.fields, &parsed_query, app.clock.now()).unwrap();
        for row in &rows {
            csv.write_row(row).unwrap();
            json.write_row(row);
        }
        let body = export_submissions(&app, &key, &form, &query).await.body;
        assert_eq!(body.as_bytes(), csv.finish().unwrap(), "{query}");
        let body =
            export_submissions(&app, &key, &form, &format!("format=json&{query}")).await.body;
        assert_eq!(body.as_bytes(), json.finish(), "{query}");
    }
}

#[tokio::test]
async fn formulas_are_escaped_only_with_safe() {
    let (app, key, form) = App::with_form(&["name", "note"]).await;
    let row = submission(&form, "1", "2026-02-01", json!({"name": "=1+1", "note": -3}));
    app.submit(&form, vec![row]).await;
    let fields = format!("fields={},{}", form.fields[0].id, form.fields[1].id);
    let safe = export_submissions(&app, &key, &form, &format!("{fields}&safe=true")).await;
    assert_eq!(safe.body, "name,note\r\n'=1+1,-3\r\n");
    assert_eq!(
        export_submissions(&app, &key, &form, &fields).await.body,
        "name,note\r\n=1+1,-3\r\n"
    );
}
