//! What CSV may look like, and how a wrong row is named.

use super::super::draft::VALUE_BYTES_MAX;
use super::super::heads::Known;
use super::super::instant::Zone;
use super::super::layout::Wishes;
use super::super::plan::{Options, Plan};
use super::super::table::ROW_BYTES_MAX;
use super::*;
use contract::FieldType;

fn plan(file: &[u8], known: &[Field], time: Option<&str>) -> Result<Plan, String> {
    let mut count = 0;
    let mint = || {
        count += 1;
        format!("fld_new{count}").parse().unwrap()
    };
    let options = Options {
        known: Known::default(),
        wishes: Wishes { mappings: &[], time },
        dates: None,
        zone: Zone::Offset(0),
        keeps_ids: true,
    };
    Plan::make(|| Ok(file), 0, known, &options, mint).map_err(|error| error.to_string())
}

fn read(file: &[u8], time: Option<&str>) -> Result<Vec<Draft>, String> {
    let plan = plan(file, &[], time)?;
    plan.rows(file).map(|draft| draft.map_err(|error| error.to_string())).collect()
}

#[track_caller]
fn check(file: &str, answers: &[&str]) {
    let drafts = read(file.as_bytes(), None).unwrap();
    let json: Vec<_> = drafts.iter().map(|d| serde_json::to_string(&d.answers).unwrap()).collect();
    assert_eq!(json, answers, "{file:?}");
}

#[track_caller]
fn refused(file: &[u8], time: Option<&str>, words: &str) {
    let error = read(file, time).unwrap_err();
    assert!(error.contains(words), "{error}");
}

#[test]
fn cells_stay_the_text_that_they_are() {
    check("a,b\n 1 ,007\n", &[r#"{"a":" 1 ","b":"007"}"#]);
    check("a,b\r\n\"x, \"\"y\"\"\r\nz\",=1+1\r\n", &[r#"{"a":"x, \"y\"\r\nz","b":"=1+1"}"#]);
    check("\u{feff}a,b\n,\0\n", &["{\"b\":\"\\u0000\"}"]);
    check("a,b\n,", &["{}"]);
    check("a,b\n", &[]);
    check("a,b", &[]);
}

#[test]
fn heads_that_are_empty_or_stand_twice_become_fields_of_their_own() {
    let plan = plan(b",a,a, ,column 1\n", &[], None).unwrap();
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
    let answers = &read(file, None).unwrap()[0].answers;
    assert_eq!(serde_json::to_string(answers).unwrap(), r#"{"a":1,"a (fld_new2)":2}"#);
}

#[test]
fn columns_are_matched_with_fields_by_name() {
    let field = |id: &str, key: &str, name: &str| Field {
        id: id.parse().unwrap(),
        key: key.to_owned(),
        name: name.to_owned(),
        kind: FieldType::Number,
    };
    let known = [field("fld_1", "k1", "a"), field("fld_2", "k2", "a"), field("fld_3", "b", "c")];
    let file = b"a,a,a,b\n1,2,3,4\n";
    let plan = plan(file, &known, None).unwrap();
    let keys: Vec<_> = plan.layout.new_fields.iter().map(|field| field.key.as_str()).collect();
    assert_eq!(keys, ["a", "b (fld_new2)"]);
    let draft = plan.rows(&file[..]).next().unwrap().unwrap();
    let json = serde_json::to_string(&draft.answers).unwrap();
    assert_eq!(json, r#"{"k1":1,"k2":2,"a":3,"b (fld_new2)":4}"#);
}

#[test]
fn a_column_of_instants_is_no_field() {
    let drafts = read(b"a,When\n1,5/20/18 4:01\n", Some("When")).unwrap();
    assert_eq!(drafts[0].submitted_at, Timestamp::parse("2018-05-20T04:01:00Z").ok());
    assert_eq!(drafts[0].answers.len(), 1);
    refused(b"a,b\n1,2\n", Some("When"), "`--time` must name a column, such as `a`, `b`");
    refused(b"a,When\n1,5/20/18 4:01\n2,soon\n", Some("When"), "line 3: column `When` must be");
    refused(b"a,When\n1,\n", Some("When"), "line 2: column `When` is empty; write the instant");
    refused(b"a,When\n1,5/10/18\n", Some("When"), "line 2: `5/10/18` and all other dates");
}

#[test]
fn a_wrong_row_is_named_with_its_line() {
    refused(b"", None, "the file is empty");
    refused(b"a,b\n1,2\n\"x\ny\",2\n1,2,3\n", None, "line 5: must have 2 cells like the header");
    refused(b"a,b\n1\n", None, "line 2: must have 2 cells like the header row, but has 1");
    refused(b"a,b\r\n1,2\r\n1,\xe4\r\n", None, "line 3: column `b` is not UTF-8");
    refused(b"a,\xe4\n", None, "line 1: column 2: is not UTF-8");
    refused(format!("{}\n", "x".repeat(1001)).as_bytes(), None, "line 1: a field's name");
    refused(",".repeat(2015).as_bytes(), None, "line 1: a file has at most 2015 columns");
    refused("x".repeat(1101).as_bytes(), None, "line 1: column 1: a head has at most 1100 bytes");
    let long = format!("a\n{}\n", "x".repeat(VALUE_BYTES_MAX + 1));
    refused(long.as_bytes(), None, "line 2: column `a` must have at most 262144 bytes");
    let open = format!("a\n\"{}", "x\n".repeat(ROW_BYTES_MAX));
    refused(open.as_bytes(), None, "line 2: the row does not end");
}

proptest::proptest! {
    #[test]
    fn no_bytes_make_it_panic(file in r#"[ab,"\r\n\x00é=\x{feff}]{0,80}"#, cut in 0_usize..80) {
        let bytes = file.as_bytes();
        let _ = read(&bytes[..cut.min(bytes.len())], None);
    }

    #[test]
    fn what_is_written_is_read_back(
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
        let drafts = read(&out.into_inner().unwrap(), None).unwrap();
        let text = |value: &Value| contract::submission::text_of(value).into_owned();
        let cells = |draft: &Draft| {
            ["a", "b", "c"].map(|key| draft.answers.get(key).map(text).unwrap_or_default())
        };
        let back: Vec<_> = drafts.iter().map(cells).collect();
        proptest::prop_assert_eq!(back, rows);
    }
}

#[test]
fn times_that_cannot_be_are_not_believed() {
    let file = "StartDate,EndDate\n\
        5/20/18 4:00,5/20/18 4:07\n\
        5/20/18 4:07,5/20/18 4:00\n\
        5/20/18 4:00,5/22/18 4:00\n\
        5/20/18 4:00,\n";
    let plan = plan(file.as_bytes(), &[], None).unwrap();
    let mut rows = plan.rows(file.as_bytes());
    let took: Vec<_> =
        rows.by_ref().map(|row| row.unwrap().metadata.completion_time_seconds).collect();
    assert_eq!(took, [Some(420), None, Some(86_400), None]);
    assert_eq!(rows.clamped, Clamped { negative: (1, 3), long: (1, 4) });
    let drafts = read(file.as_bytes(), None).unwrap();
    assert_eq!(drafts[3].submitted_at, Timestamp::parse("2018-05-20T04:00:00Z").ok());
    assert_eq!(drafts[1].answers.len(), 2, "a guessed column is lost");
}

#[test]
fn a_lone_date_is_an_answer() {
    for file in
        ["Start Date,b\n3/4/26,1\n", "End Date,b\n3/4/26,1\n", "StartDate,EndDate\nsoon,1/2/26\n"]
    {
        let drafts = read(file.as_bytes(), None).unwrap();
        assert_eq!((drafts[0].submitted_at, drafts[0].answers.len()), (None, 2), "{file}");
    }
}
