//! `sheaf import --csv`, and a round trip of every cell through an export.

use crate::server::Server;
use crate::test_env::TestEnv;
use std::collections::{HashMap, HashSet};
use std::path::Path;

const HOSTILE: &str = "\u{feff}Name,\"Long, \"\"quoted\"\"\nhead\",,Name,=1+1,When\r\n\
    Ada,\"a\r\nb\",,007,+49 30,5/10/18 4:01\r\n\
    \" x \",\"\"\"\",N\0L,1e3,@home,2018-05-09 14:00\r\n\
    ,,,,,2018-05-08T00:00:00Z\r\n\
    Zoë 👩‍👩‍👧,שלום,-1,0.10,\tx,2018-05-07T23:59:59.5+02:00\r\n";

/// An account with a key, and a server on its data, for files that are imported and exported again.
pub(crate) struct ImportServer {
    pub(crate) env: TestEnv,
    server: Server,
    key: String,
}

impl ImportServer {
    pub(crate) fn start() -> Self {
        let env = TestEnv::with_account();
        let key = env.key("live");
        let server = Server::start(&env, "service");
        Self { env, server, key }
    }

    /// Returns the CSV export of a form.
    pub(crate) fn export(&self, form: &str) -> Vec<u8> {
        let answer = self.server.get(&format!("/v1/forms/{form}/submissions/export"), &self.key);
        assert_eq!(answer.status, 200);
        answer.body
    }

    /// Imports a CSV file into a new form, and returns the rows of the export.
    ///
    /// Without a time column the export has the order of the file, otherwise the newest row is
    /// first.
    #[track_caller]
    pub(crate) fn import_csv(&self, file: &str, more: &str) -> Vec<Vec<String>> {
        let form = self.env.form("");
        self.env.run(&format!("import --form {form} --csv {file} {more}"));
        parse_rows(&self.export(&form))
    }
}

/// Returns the CSV export of a form.
pub(crate) fn export_csv(env: &TestEnv, form: &str) -> Vec<u8> {
    let key = env.key("live");
    let server = Server::start(env, "service");
    let answer = server.get(&format!("/v1/forms/{form}/submissions/export"), &key);
    assert_eq!(answer.status, 200);
    answer.body
}

/// Returns the path of a file in `tests/data`.
pub(crate) fn data_file(name: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
    file.to_str().unwrap().to_owned()
}

pub(crate) fn parse_rows(bytes: &[u8]) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(bytes);
    let rows = reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect());
    rows.collect()
}

#[test]
fn csv_cells_survive_round_trip() {
    let server = ImportServer::start();
    let file = server.env.write("file.csv", HOSTILE);
    let source = parse_rows(HOSTILE.as_bytes());
    let export = server.import_csv(&file, "--time When --dates mdy");
    assert_eq!(export.len(), source.len());
    for (row, back) in source[1..].iter().zip(&export[1..]) {
        assert_eq!(row[..5], back[2..7], "a row changed");
    }
    let instants: Vec<_> = export[1..].iter().map(|row| row[1].as_str()).collect();
    assert_eq!(
        instants,
        [
            "2018-05-10T04:01:00Z",
            "2018-05-09T14:00:00Z",
            "2018-05-08T00:00:00Z",
            "2018-05-07T21:59:59.500Z"
        ]
    );
    let headers = &export[0][2..];
    assert!(headers[0].starts_with("Name (fld_") && headers[3].starts_with("Name (fld_"));
    assert_eq!(headers[1..3], ["Long, \"quoted\"\nhead", "column 3"]);
    assert_eq!(headers[5], "ip_country", "the column of instants became a field");
}

#[test]
fn files_without_times_keep_their_order() {
    let server = ImportServer::start();
    let rows: Vec<_> = (0..500).map(|n| format!("row {n}")).collect();
    let file = server.env.write("file.csv", format!("Row\n{}\n", rows.join("\n")));
    let export = server.import_csv(&file, "");
    let back: Vec<_> = export[1..].iter().map(|row| row[2].clone()).collect();
    assert_eq!(back, rows);
    let instants: HashSet<_> = export[1..].iter().map(|row| &row[1]).collect();
    assert_eq!(instants.len(), 500, "two rows have the same time");

    let file = data_file("thanksgiving-2015.csv");
    let source = parse_rows(&std::fs::read(&file).unwrap());
    let export = server.import_csv(&file, "");
    assert_eq!((source.len(), source[0].len(), export.len()), (1059, 65, 1059));
    for (row, back) in source.iter().zip(&export).skip(1) {
        assert_eq!(row[..], back[2..2 + 65]);
    }
}

#[test]
fn invalid_row_imports_nothing() {
    let env = TestEnv::with_account();
    let form = env.form("");
    let fail = |text: &str, more: &str| {
        let file = env.write("file.csv", text);
        let error = env.fail(&format!("import --form {form} --csv {file} {more}"));
        let shown = env.json(&format!("form show {form} --json"));
        assert_eq!(
            (&shown["submission_count"], &shown["fields"]),
            (&0.into(), &serde_json::json!([]))
        );
        error
    };
    insta::assert_snapshot!(
        fail("a,b\n1,2\n1\n", ""),
        @"line 3: has 1 of the 2 cells of the header and of all other rows, so its end may be missing; add the delimiters of the missing cells"
    );
    assert_eq!(
        fail("a,b\n1,2020-01-01\n1,soon\n", "--time b"),
        "line 3: column `b` must be a time such as `2026-03-01T09:30:00Z`, `2026-03-01 09:30` or \
         `3/1/26 9:30 PM`, but is `soon`"
    );
    insta::assert_snapshot!(
        fail("a,b\n1,2\n", "--time c"),
        @"`--time` must name a column, such as `a`, `b`, but is `c`"
    );
    insta::assert_snapshot!(
        fail("", ""),
        @"the file is empty; its first line must name the columns"
    );
}

#[test]
fn real_survey_keeps_its_times() {
    let file = data_file("masculinity-2018-first-250.csv");
    let source = parse_rows(&std::fs::read(&file).unwrap());
    let export = ImportServer::start().import_csv(&file, "");
    assert_eq!((source.len(), export.len()), (251, 251));
    let by_number: HashMap<_, _> = export[1..].iter().map(|row| (row[2].as_str(), row)).collect();
    let took = export[0].iter().position(|head| head == "completion_time_seconds").unwrap();
    let mut clamped = 0;
    for row in &source[1..] {
        let back = by_number[row[0].as_str()];
        assert_eq!(row[..], back[2..2 + 98], "a cell changed");
        let (date, time) = row[2].split_once(' ').unwrap();
        let day = date.split('/').nth(1).unwrap();
        assert!(back[1].starts_with("2018-05-") && back[1].contains(&format!("-{day:0>2}T")));
        assert!(back[1].contains(&format!("T{time:0>5}:")), "{} is not {time}", back[1]);
        match back[took].parse::<u64>() {
            Ok(seconds) => assert!(seconds <= 86_400 && seconds % 60 == 0),
            Err(_) => clamped += 1,
        }
    }
    assert!(clamped > 0, "no submission ends before it begins");
    assert!(export[1..].windows(2).all(|pair| pair[0][1] >= pair[1][1]), "not newest first");
}
