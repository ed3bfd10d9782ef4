//! Tests of the meaning of columns: options, tools, fields of the form, and round trips of exports.

use super::*;
use crate::commands::import::header::PresetOptions;
use crate::commands::import::plan::{ImportOptions, Plan};

const NO_OPTIONS: ColumnOptions<'static> = ColumnOptions { mappings: &[], time: None };

fn field(id: &str, name: &str) -> Field {
    let id: FieldId = id.parse().unwrap();
    Field {
        id,
        key: format!("key of {name}"),
        name: name.to_owned(),
        kind: FieldType::Text,
        hidden: false,
    }
}

fn plan_import(file: &str, existing: &[Field], maps: &[&str]) -> Result<Plan, String> {
    let mut count = 0;
    let mint = || {
        count += 1;
        format!("fld_new{count}").parse().unwrap()
    };
    let mappings: Vec<Mapping> = maps.iter().map(|text| text.parse().unwrap()).collect();
    let options = ImportOptions {
        preset: PresetOptions::default(),
        column_options: ColumnOptions { mappings: &mappings, ..NO_OPTIONS },
        dates: Some(DateOrder::Mdy),
        zone: None,
        keeps_ids: true,
        now: Timestamp::parse("2026-12-01T00:00:00Z").unwrap(),
    };
    let open = || Ok(file.as_bytes());
    Plan::create(open, 0, existing, &options, mint).map_err(|error| error.to_string())
}

/// Returns a short description of each column's meaning.
fn describe_columns(file: &str, existing: &[Field], maps: &[&str]) -> Result<String, String> {
    let plan = plan_import(file, existing, maps)?;
    let column = |column: &MappedColumn| {
        let part = column.part.map(|part| part.to_string());
        let field = column.field.as_ref().map(|target| match target {
            FieldTarget::Known { key, .. } => key.clone(),
            FieldTarget::New(at) => {
                let field = &plan.layout.new_fields[*at];
                format!("+{}:{}", field.name, field.kind)
            }
        });
        part.into_iter().chain(field).collect::<Vec<_>>().join("&")
    };
    Ok(plan.layout.columns.iter().map(column).collect::<Vec<_>>().join(" "))
}

#[track_caller]
fn check_columns(file: &str, existing: &[Field], maps: &[&str], expected: &str) {
    assert_eq!(describe_columns(file, existing, maps).as_deref(), Ok(expected), "{file} {maps:?}");
}

#[test]
fn options_take_precedence_over_names() {
    let known = [field("fld_1", "Email")];
    check_columns("Email,Mail\na,b\n", &known, &["Mail=Email"], "+Email:text key of Email");
}

#[test]
fn column_of_two_options_is_rejected() {
    let error = plan_import("Created,Q\na,b\n", &[], &["Created=Date", "Created=Day"]);
    let error = error.err().unwrap();
    assert!(error.contains("two options name the column `Created`"), "{error}");
}

#[test]
fn options_take_precedence_over_tool() {
    let google = "Timestamp,Q,utm_source\n3/1/2026 9:00:00,a,mail\n";
    check_columns(google, &[], &[], "submitted_at +Q:text utm_source");
    check_columns(
        google,
        &[],
        &["Q=skip", "utm_source=field:utm_source"],
        "submitted_at skip +utm_source:text",
    );
    check_columns(google, &[], &["Timestamp=started_at"], "started_at +Q:text utm_source");
    check_columns(
        google,
        &[],
        &["Timestamp=When", "column 2=device"],
        "+When:date device utm_source",
    );
    let existing = [field("fld_1", "Q"), field("fld_2", "Other")];
    check_columns(google, &existing, &[], "submitted_at key of Q utm_source");
    check_columns(google, &existing, &["Q=Other"], "submitted_at key of Other utm_source");
    check_columns(google, &existing, &["Q=key of Other"], "submitted_at key of Other utm_source");
    let dates = "a,StartDate,EndDate\n1,1/2/26,1/2/26\n";
    check_columns(
        dates,
        &[],
        &[],
        "+a:number started_at&+StartDate:date submitted_at&+EndDate:date",
    );
    check_columns(
        dates,
        &[],
        &["EndDate=submitted_at"],
        "+a:number started_at&+StartDate:date submitted_at",
    );
}

#[test]
fn options_without_matching_column_are_rejected() {
    let refused = |maps: &[&str], message: &str| {
        let error = describe_columns("a,b\n1,2\n", &[], maps).unwrap_err();
        assert!(error.contains(message), "{error}");
    };
    refused(&["c=skip"], "`--map` must name a column, such as `a`, `b`, but is `c`");
    refused(&["column 3=skip"], "but is `column 3`");
    refused(&["a=device", "b=device"], "`a` and `b` cannot have the same target");
    check_columns("a,b\n1,2\n", &[], &["a=skip", "b=skip"], "skip skip");
}

#[test]
fn option_columns_become_one_field() {
    let file = "Respondent ID,Collector ID,End Date,Which?,,,How?\n\
        ,,,One,Two,Other (please specify),Response\n\
        1,9,1/2/26,One,Two,,good\n\
        2,9,1/2/26,,Two,something,bad\n";
    let expected = "+Respondent ID:number +Collector ID:number submitted_at +Which?:choices \
        +Which?:choices +Which? - Other (please specify):text +How?:text";
    check_columns(file, &[], &[], expected);
    let plan = plan_import(file, &[], &[]).unwrap();
    let drafts: Vec<_> = plan.rows(file.as_bytes()).map(Result::unwrap).collect();
    assert_eq!(drafts[0].answers["Which?"], serde_json::json!(["One", "Two"]));
    assert_eq!(drafts[1].answers["Which?"], serde_json::json!(["Two"]));
    assert_eq!(drafts[1].line, 4);
    // The next file for the same form finds the fields that the first one created.
    let again = &plan.layout.new_fields;
    let second = describe_columns(file, again, &[]).unwrap();
    assert!(!second.contains('+'), "{second}");
    let dates = "a,StartDate,EndDate\n1,1/2/26,1/2/26\n";
    let first = self::plan_import(dates, &[], &[]).unwrap();
    check_columns(
        dates,
        &first.layout.new_fields,
        &[],
        "a started_at&StartDate submitted_at&EndDate",
    );
    let matrix = file.replace(",,Two,something", ",3,Two,something");
    let apart = "+Respondent ID:number +Collector ID:number submitted_at +Which? - One:text \
        +Which? - Two:text +Which? - Other (please specify):text +How?:text";
    check_columns(&matrix, &[], &[], apart);
}

#[test]
fn questions_of_the_same_text_keep_their_fields() {
    let file = "Respondent ID,Collector ID,End Date,Which?,,How?,Which?,\n\
        ,,,One,Two,Response,Red,Blue\n\
        1,9,1/2/26,One,Two,good,Red,\n\
        2,9,1/2/26,,Two,bad,,Blue\n";
    let plan = plan_import(file, &[], &[]).unwrap();
    let fields = &plan.layout.new_fields;
    let choices: Vec<&Field> = fields.iter().filter(|it| it.kind == FieldType::Choices).collect();
    assert_eq!(choices.len(), 2, "{fields:?}");
    let again = plan_import(file, fields, &[]).unwrap();
    assert!(again.layout.new_fields.is_empty(), "{:?}", again.layout.new_fields);
    let row = again.rows(file.as_bytes()).next().unwrap().unwrap();
    assert_eq!(row.answers[&choices[0].key], serde_json::json!(["One", "Two"]));
    assert_eq!(row.answers[&choices[1].key], serde_json::json!(["Red"]));
}

/// Checks that the headers of an export with these fields are the same after an import.
#[track_caller]
fn assert_round_trip(fields: &[Field], existing: &[Field]) {
    let columns = Columns::all(fields);
    let headers: Vec<String> = columns.iter().map(|column| column.header.clone()).collect();
    let mut out = ::csv::Writer::from_writer(Vec::new());
    out.write_record(&headers).unwrap();
    let file = String::from_utf8(out.into_inner().unwrap()).unwrap();
    let plan = plan_import(&file, existing, &[]).unwrap();
    let all_fields: Vec<Field> = existing.iter().chain(&plan.layout.new_fields).cloned().collect();
    let exported: Vec<String> =
        Columns::all(&all_fields).iter().map(|c| c.header.clone()).collect();
    assert_eq!(exported, headers);
}

#[test]
fn export_headers_survive_import() {
    let fields = [
        field("fld_a", "Name"),
        field("fld_b", "Name"),
        field("fld_c", "device"),
        field("fld_d", "Only (fld_z)"),
        field("fld_e", "id"),
        field("fld_f", "skip"),
        field("fld_g", " "),
    ];
    assert_round_trip(&fields, &[]);
    assert_round_trip(&fields, &fields);
    assert_round_trip(&fields, &fields[..2]);
    assert_round_trip(&[], &[]);
    let file = "submission_id,submitted_at,Name (fld_b),device (fld_c),language\n";
    let existing = &fields[..3];
    check_columns(file, existing, &[], "id submitted_at key of Name key of device language");
    let plan = plan_import(file, &[], &[]).unwrap();
    let ids: Vec<_> = plan.layout.new_fields.iter().map(|f| (f.id.as_str(), &*f.name)).collect();
    assert_eq!(ids, [("fld_new1", "Name (fld_b)"), ("fld_c", "device")]);
}
