//! Tests of valid CSV, and of the errors for invalid rows.

use super::*;
use crate::commands::import::header::PresetOptions;
use crate::commands::import::layout::ColumnOptions;
use crate::commands::import::notes::Tally;
use crate::commands::import::parsed_submission::VALUE_BYTES_MAX;
use crate::commands::import::plan::{ImportOptions, Plan};
use crate::commands::import::table::ROW_BYTES_MAX;
use contract::FieldType;

fn plan_import(file: &[u8], existing: &[Field], time: Option<&str>) -> Result<Plan, String> {
    let mut count = 0;
    let mint = || {
        count += 1;
        format!("fld_new{count}").parse().unwrap()
    };
    let options = ImportOptions {
        preset: PresetOptions::default(),
        column_options: ColumnOptions { mappings: &[], time },
        dates: None,
        zone: None,
        keeps_ids: true,
        now: Timestamp::parse("2026-12-01T00:00:00Z").unwrap(),
    };
    Plan::create(|| Ok(file), 0, existing, &options, mint).map_err(|error| error.to_string())
}

fn read_rows(file: &[u8], time: Option<&str>) -> Result<Vec<ParsedSubmission>, String> {
    let plan = plan_import(file, &[], time)?;
    plan.rows(file).map(|draft| draft.map_err(|error| error.to_string())).collect()
}

#[track_caller]
fn check_answers(file: &str, answers: &[&str]) {
    let drafts = read_rows(file.as_bytes(), None).unwrap();
    let json: Vec<_> = drafts.iter().map(|d| serde_json::to_string(&d.answers).unwrap()).collect();
    assert_eq!(json, answers, "{file:?}");
}

#[track_caller]
fn assert_rejected(file: &[u8], time: Option<&str>, message: &str) {
    let error = read_rows(file, time).unwrap_err();
    assert!(error.contains(message), "{error}");
}

#[test]
fn cells_keep_their_text() {
    check_answers("a,b\n 1 ,007\n", &[r#"{"a":" 1 ","b":"007"}"#]);
    check_answers(
        "a,b\r\n\"x, \"\"y\"\"\r\nz\",=1+1\r\n",
        &[r#"{"a":"x, \"y\"\r\nz","b":"=1+1"}"#],
    );
    check_answers("\u{feff}a,b\n,\0\n", &["{\"b\":\"\\u0000\"}"]);
    check_answers("a,b\n", &[]);
    check_answers("a,b", &[]);
}

#[test]
fn empty_and_duplicate_headers_become_fields() {
    let plan = plan_import(b",a,a, ,column 1\nx,x,x,x,x\n", &[], None).unwrap();
    let fields = plan.layout.new_fields.iter().map(|f| (f.name.as_str(), f.key.as_str(), f.kind));
    let text = FieldType::Text;
    assert_eq!(
        fields.collect::<Vec<_>>(),
        [
            ("column 1", "column 1", text),
            ("a", "a", text),
            ("a", "a (fld_new3)", text),
            ("column 4", "column 4", text),
            ("column 1", "column 1 (fld_new5)", text),
        ]
    );
    let file = b"a,a\n1,2\n";
    let answers = &read_rows(file, None).unwrap()[0].answers;
    assert_eq!(serde_json::to_string(answers).unwrap(), r#"{"a":1,"a (fld_new2)":2}"#);
}

#[test]
fn columns_are_matched_with_fields_by_name() {
    let field = |id: &str, key: &str, name: &str| Field {
        id: id.parse().unwrap(),
        key: key.to_owned(),
        name: name.to_owned(),
        kind: FieldType::Number,
        hidden: false,
    };
    let existing = [field("fld_1", "k1", "a"), field("fld_2", "k2", "a"), field("fld_3", "b", "c")];
    let file = b"a,a,a,b\n1,2,3,4\n";
    let plan = plan_import(file, &existing, None).unwrap();
    let keys: Vec<_> = plan.layout.new_fields.iter().map(|field| field.key.as_str()).collect();
    assert_eq!(keys, ["a", "b (fld_new2)"]);
    let draft = plan.rows(&file[..]).next().unwrap().unwrap();
    let json = serde_json::to_string(&draft.answers).unwrap();
    assert_eq!(json, r#"{"k1":1,"k2":2,"a":3,"b (fld_new2)":4}"#);
}

#[test]
fn submission_time_column_is_no_field() {
    let drafts = read_rows(b"a,When\n1,5/20/18 4:01\n", Some("When")).unwrap();
    assert_eq!(drafts[0].submitted_at, Timestamp::parse("2018-05-20T04:01:00Z").ok());
    assert_eq!(drafts[0].answers.len(), 1);
    assert_rejected(b"a,b\n1,2\n", Some("When"), "`--time` must name a column, such as `a`, `b`");
    assert_rejected(
        b"a,When\n1,5/20/18 4:01\n2,soon\n",
        Some("When"),
        "line 3: column `When` must be",
    );
    assert_rejected(b"a,When\n1,\n", Some("When"), "line 2: column `When` is empty; add the time");
    assert_rejected(
        b"a,When\n1,5/10/18\n",
        Some("When"),
        "line 2: `5/10/18` and all other submission",
    );
}

#[test]
fn invalid_row_is_reported_with_line() {
    assert_rejected(b"", None, "the file is empty");
    assert_rejected(
        b"a,b\n1,2\n\"x\ny\",2\n1,2,3\n",
        None,
        "line 5: has 3 cells, but the header has 2",
    );
    assert_rejected(b"a,b\n1\n2,3\n", None, "line 2: has 1 of the 2 cells");
    assert_rejected(b"a,b\r1,2\r3\r4,5\r", None, "line 3: has 1 of the 2 cells");
    assert_rejected(b"a,b\r\n1,2\r\n1,\xe4\r\n", None, "line 3: column `b` is not UTF-8");
    assert_rejected(b"a,\xe4\n", None, "line 1: column 2: is not UTF-8");
    let name = format!("a,{}\n", "x".repeat(1001));
    assert_rejected(name.as_bytes(), None, "line 1: a field's name has at most 1000 bytes");
    assert_rejected(name.as_bytes(), None, "shorten it with `--map \"column 2=NAME\"`");
    let cells = vec!["x"; 100_000].join(",");
    assert_rejected(
        cells.as_bytes(),
        None,
        "line 1: a file has at most 2015 columns, but this one has 100000",
    );
    let long = format!("a\n{}\n", "x".repeat(VALUE_BYTES_MAX + 1));
    assert_rejected(long.as_bytes(), None, "line 2: column `a` must have at most 262144 bytes");
    let open = format!("a\n\"{}", "x\n".repeat(ROW_BYTES_MAX));
    assert_rejected(open.as_bytes(), None, "line 2: the row does not end");
}

proptest::proptest! {
    #[test]
    fn any_bytes_never_panic(file in r#"[ab,"\r\n\x00é=\x{feff}]{0,80}"#, cut in 0_usize..80) {
        let bytes = file.as_bytes();
        let _ = read_rows(&bytes[..cut.min(bytes.len())], None);
    }

    #[test]
    fn written_csv_round_trips(
        rows in proptest::collection::vec(
            proptest::array::uniform3(r#"[ab,"\r\n\x00é= ]{0,6}"#),
            0..9,
        )
    ) {
        let mut out = csv::Writer::from_writer(Vec::new());
        out.write_record(["a", "b", "c"]).unwrap();
        for row in &rows {
            out.write_record(row).unwrap();
        }
        let drafts = read_rows(&out.into_inner().unwrap(), None).unwrap();
        let text = |value: &Value| contract::submission::answer_text(value).into_owned();
        let cells = |draft: &ParsedSubmission| {
            ["a", "b", "c"].map(|key| draft.answers.get(key).map(text).unwrap_or_default())
        };
        let back: Vec<_> = drafts.iter().map(cells).collect();
        // Rows with only white space are skipped.
        let is_blank = |cell: &String| cell.bytes().all(|b| b.is_ascii_whitespace());
        let expected: Vec<_> =
            rows.into_iter().filter(|row: &[String; 3]| !row.iter().all(is_blank)).collect();
        proptest::prop_assert_eq!(back, expected);
    }
}

#[test]
fn implausible_completion_times_are_corrected() {
    let file = "StartDate,EndDate\n\
        5/20/18 4:00,5/20/18 4:07\n\
        5/20/18 4:07,5/20/18 4:00\n\
        5/20/18 4:00,5/22/18 4:00\n\
        5/20/18 4:00,\n";
    let plan = plan_import(file.as_bytes(), &[], None).unwrap();
    let mut rows = plan.rows(file.as_bytes());
    let took: Vec<_> =
        rows.by_ref().map(|row| row.unwrap().metadata.completion_time_seconds).collect();
    assert_eq!(took, [Some(420), None, Some(86_400), None]);
    let tally = |first_line| Tally { count: 1, first_line };
    let notes =
        RowNotes { negative_duration: tally(3), long_duration: tally(4), ..RowNotes::default() };
    assert_eq!(rows.notes, notes);
    let drafts = read_rows(file.as_bytes(), None).unwrap();
    assert_eq!(drafts[3].submitted_at, Timestamp::parse("2018-05-20T04:00:00Z").ok());
    assert_eq!(drafts[1].answers.len(), 2, "a guessed column is lost");
}

#[test]
fn single_date_column_is_an_answer() {
    for file in [
        "Start Date,b\n3/4/26,1\n",
        "End Date,b\n3/4/26,1\n",
        "StartDate,EndDate\nsoon,1/2/26\n",
        "Born on,b\n31.3.2001,1\n",
    ] {
        let drafts = read_rows(file.as_bytes(), None).unwrap();
        assert_eq!((drafts[0].submitted_at, drafts[0].answers.len()), (None, 2), "{file}");
    }
}

/// Returns the submission times of a file, or its error.
fn submission_times(file: &str, time: Option<&str>) -> Result<String, String> {
    let drafts = read_rows(file.as_bytes(), time)?;
    let time =
        |draft: &ParsedSubmission| draft.submitted_at.map_or("-".to_owned(), |at| at.to_string());
    Ok(drafts.iter().map(time).collect::<Vec<_>>().join(" "))
}

#[test]
fn time_column_is_recognised() {
    let day = "2026-03-01 09:30";
    let read = "2026-03-01T09:30:00Z";
    for (file, expected) in [
        // By name, in any position.
        (format!("a,Submitted on\n1,{day}\n"), read),
        (format!("a,b,Zeitstempel\n1,x,{day}\n"), read),
        (format!("Appointment,Created at\n2026-05-05 10:00,{day}\n"), read),
        (format!("Created at,Updated at\n{day},2026-05-05 10:00\n"), read),
        ("a,Submission Date\n1,\"Mar 1, 2026\"\n".to_owned(), "2026-03-01T00:00:00Z"),
        ("submitted_at,a\n46082.395833,1\n".to_owned(), read),
        ("submitted_at;a\n46082,395833;1\n".to_owned(), read),
        ("timestamp,a\n1772357400,1\n".to_owned(), read),
        ("timestamp,a\n1772357400000,1\n".to_owned(), read),
        // By its position, its order, or a neighbour that is no later.
        (format!("Was weiß ich,b\n{day},1\n"), read),
        (
            "b,When\n1,2026-03-03 09:30\n2,2026-03-02 09:30\n3,2026-03-01 09:30\n".to_owned(),
            "2026-03-03T09:30:00Z 2026-03-02T09:30:00Z 2026-03-01T09:30:00Z",
        ),
        (format!("ID,Startzeit,Fertigstellungszeit\n1,2026-03-01 09:28,{day}\n"), read),
        (format!("{day},b\n{day},1\n"), read),
    ] {
        assert_eq!(submission_times(&file, None).as_deref(), Ok(expected), "{file}");
    }
}

#[test]
fn unclear_time_column_is_an_error() {
    for (file, name) in [
        // Answers to a question: in the future, in no order, or with gaps.
        ("Appointment,b\n2027-05-05 10:00,1\n", "Appointment"),
        (
            "a,Appointment\n1,2026-03-02 10:00\n2,2026-03-01 10:00\n3,2026-03-04 10:00\n",
            "Appointment",
        ),
        ("a,When\n1,2026-03-01 10:00\n2,\n", "When"),
        ("From,To\n2026-03-01 10:00,2026-02-01 10:00\n", "From"),
    ] {
        let error = submission_times(file, None).unwrap_err();
        let option = format!("--time \"{name}\"");
        assert!(error.contains(&option) && error.contains("--time now"), "{error}");
        assert!(submission_times(file, Some("now")).unwrap().starts_with('-'), "{file}");
    }
    assert_eq!(
        submission_times("now,a\n2026-03-01 10:00,1\n", Some("now")).unwrap(),
        "2026-03-01T10:00:00Z"
    );
    assert_rejected(
        b"submitted_at,a\nsoon,1\n",
        None,
        "line 2: column `submitted_at` must be a time",
    );
    assert_rejected(
        b"submitted_at,a\n2026-03-01 9:30,1\n########,2\n",
        None,
        "line 3: column `submitted_at` is `########`: the column was too narrow",
    );
    assert_rejected(
        b"submitted_at,a\n99999999,1\n",
        None,
        "line 2: column `submitted_at` must be a time",
    );
    assert_rejected(
        b"Timestamp,a\n2026-03-01 9:30 IST,1\n",
        None,
        "line 2: column `Timestamp` has `IST`",
    );
}

#[test]
fn empty_spreadsheet_cells_are_skipped() {
    check_answers("a,b,,\n1,2,,\n,,,\n \n3,,,\n", &[r#"{"a":1,"b":2}"#, r#"{"a":3}"#]);
    check_answers("a,b\n1,2,,,\n3,4\n", &[r#"{"a":1,"b":2}"#, r#"{"a":3,"b":4}"#]);
    check_answers(
        "a,b,c\n1\n2,3\n4,5,6\n",
        &[r#"{"a":1}"#, r#"{"a":2,"b":3}"#, r#"{"a":4,"b":5,"c":6}"#],
    );
    check_answers(",,\na,b,\n1,2,\n", &[r#"{"a":1,"b":2}"#]);
    check_answers("sep=;\na;b\n1;2\n", &[r#"{"a":1,"b":2}"#]);
    check_answers("a,b\r1,\"x\ny\"\r", &[r#"{"a":1,"b":"x\ny"}"#]);
    let wide = format!("a,b{}\n1,2{}\n", ",".repeat(16_000), ",".repeat(16_000));
    check_answers(&wide, &[r#"{"a":1,"b":2}"#]);
}

#[test]
fn limesurvey_without_times_is_rejected() {
    let file = "id,submitdate,lastpage,startlanguage,Q\n1,1980-01-01 00:00:00,3,en,x\n";
    assert_rejected(file.as_bytes(), None, "which LimeSurvey writes if it records no times");
    assert_eq!(submission_times(file, Some("now")).as_deref(), Ok("-"));
}

#[test]
fn future_submission_time_is_rejected() {
    let file = |time: &str| format!("submitted_at,a\n2026-01-02 9:30,x\n{time},x\n");
    for good in ["2026-12-01T23:59:59Z", "2026-12-01 23:00", "2026-12-02"] {
        assert!(read_rows(file(good).as_bytes(), None).is_ok(), "{good}");
    }
    for bad in ["2026-12-02T00:00:01Z", "2027-01-01", "13/1/2027", "46400", "1900000000"] {
        let message = format!("line 3: column `submitted_at` is in the future: `{bad}`");
        assert_rejected(file(bad).as_bytes(), None, &message);
    }
    let started = b"started_at,submitted_at,a\n2027-01-01 9:30,2026-01-01 9:31,x\n";
    assert_rejected(started, None, "column `started_at` is in the future");
    let export = b"submission_id,submitted_at,a,ip_country,device,browser\n\
        sub_1,2027-01-01T09:30:00Z,x,,,\nsub_2,2027-01-01 9:30,x,,,\n";
    assert_rejected(export, None, "line 3: column `submitted_at` is in the future");
    // Times in answers may be in the future.
    let answer = b"submitted_at,Slot\n2026-01-01 9:30,2031-01-01 9:30\n";
    assert!(read_rows(answer, None).is_ok());
}
