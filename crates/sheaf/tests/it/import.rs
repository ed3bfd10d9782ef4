//! `sheaf import` of NDJSON: a file is imported completely or not at all.

use crate::test_env::{TestEnv, expect_failure, expect_success, run_with_input};

struct ImportFixture {
    env: TestEnv,
    form: String,
}

impl ImportFixture {
    fn new() -> Self {
        let env = TestEnv::with_account();
        let form = env.form("--field Name");
        Self { env, form }
    }

    #[track_caller]
    fn import(&self, file: &str) -> String {
        let path = self.env.write("file", file);
        self.env.run(&format!("import --form {} {path}", self.form))
    }

    #[track_caller]
    fn import_failing(&self, file: &str) -> String {
        let before = self.env.run(&format!("form show {} --json", self.form));
        let path = self.env.write("file", file);
        let error = self.env.fail(&format!("import --form {} {path}", self.form));
        let details = self.env.run(&format!("form show {} --json", self.form));
        assert_eq!(before, details, "a refused file changed the form");
        error
    }
}

#[test]
fn unknown_answers_create_fields() {
    let import = ImportFixture::new();
    let printed = import.import(concat!(
        r#"{"answers":{"Name":"Ada","age":36,"tags":["x","y"],"ok":true}}"#,
        "\r\n\r\n",
        r#"{"answers":{"age":1.50,"ok":null,"late":"x"}}"#,
    ));
    assert_eq!(printed, "2 submissions imported");
    let form = import.env.json(&format!("form show {} --json", import.form));
    let fields = form["fields"].as_array().unwrap().iter();
    let fields: Vec<_> = fields
        .map(|f| format!("{}:{}", f["key"].as_str().unwrap(), f["type"].as_str().unwrap()))
        .collect();
    assert_eq!(fields, ["Name:text", "age:number", "tags:text", "ok:boolean", "late:text"]);
    assert_eq!(import.import(""), "0 submissions imported");
    assert_eq!(import.env.count(&import.form), 2);
}

#[test]
fn invalid_file_imports_nothing() {
    let import = ImportFixture::new();
    let good = r#"{"answers":{"Name":"Ada","new":1}}"#;
    assert_eq!(
        import.import_failing(&format!(
            "{}{{\"answers\":{{}},\"metadata\":{{\"submitted_at\":\"soon\"}}}}\n{good}\n",
            format!("{good}\n").repeat(16)
        )),
        "line 17: `metadata.submitted_at` must be an ISO 8601 date such as `2026-03-01` or \
         date-time such as `2026-03-01T09:30:00Z`, but is `soon`"
    );
    insta::assert_snapshot!(
        import.import_failing(&format!("{good}\n{{\"answers\":\n")),
        @"line 2: is not JSON: EOF while parsing a value at byte 11"
    );
    assert_eq!(
        import.import_failing(&format!("{good}\n{{\"answers\":{{}},\"colour\":1}}\n")),
        "line 2: unknown field `colour`, expected one of `id`, `form_id`, `answers`, \
         `metadata`, `ai_insights`"
    );
    let twice = r#"{"id":"sub_1","answers":{}}"#;
    insta::assert_snapshot!(
        import.import_failing(&format!("{twice}\n{good}\n{twice}\n")),
        @"line 3: the id `sub_1` is also on an earlier line"
    );
}

#[test]
fn existing_id_error_has_id_and_line() {
    let import = ImportFixture::new();
    let line = |id: &str| format!("{{\"id\":\"{id}\",\"answers\":{{\"new\":1}}}}\n");
    import.import(&line("sub_7"));
    insta::assert_snapshot!(
        import.import_failing(&format!("{}{}", line("sub_8"), line("sub_7"))),
        @"line 2: the submission `sub_7` exists already; use `--new-ids` to import it again with a new id"
    );
    // Many rows, so that the insertion has begun when it reaches the existing id.
    let lines: String = (100..400).map(|n| line(&format!("sub_{n}"))).collect();
    let error = import.import_failing(&format!("{lines}{}", line("sub_7")));
    assert!(error.starts_with("line 301: "), "{error}");
    import.import(&lines);
}

#[test]
fn import_reads_stdin_and_pipes() {
    let import = ImportFixture::new();
    let command = || import.env.command(&format!("import --form {} -", import.form));
    expect_success(&run_with_input(command(), b"{\"answers\":{\"Name\":\"x\"}}\n"));
    let error = expect_failure(&run_with_input(command(), b"{\"answers\":{\"Name\":\"x\"}}\nno\n"));
    assert!(error.starts_with("line 2: is not JSON"), "{error}");
    assert_eq!(import.env.count(&import.form), 1);
    let pipe = import.env.command(&format!("import --form {} /dev/stdin", import.form));
    expect_success(&run_with_input(pipe, b"{\"answers\":{\"Name\":\"x\"}}\n"));
    assert_eq!(import.env.count(&import.form), 2);
    let left = std::fs::read_dir(import.env.data()).unwrap().count();
    assert!(left <= 3, "the copy was left behind");
}

#[test]
fn ndjson_in_other_encodings_is_read() {
    let import = ImportFixture::new();
    let text = "{\"answers\":{\"Name\":\"Zoë €\"}}\r\n";
    let marked = format!("\u{feff}{text}");
    let little: Vec<u8> = marked.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let run = |bytes: &[u8], more: &str| {
        let path = import.env.write("file", bytes);
        import.env.run(&format!("import --form {} {path} {more}", import.form))
    };
    for (bytes, more) in [
        (&little, ""),
        (&big, "--encoding utf-16be"),
        (&b"{\"answers\":{\"Name\":\"Zo\xeb \x80\"}}".to_vec(), "--encoding windows-1252"),
    ] {
        assert_eq!(run(bytes, more), "1 submission imported", "{more}");
    }
    let rows = crate::csv::parse_rows(&crate::csv::export_csv(&import.env, &import.form));
    assert!(rows.iter().skip(1).all(|row| row[2] == "Zoë €"), "{rows:?}");
    assert_eq!(rows.len(), 4);
}

#[test]
fn unreadable_file_error_names_file() {
    let import = ImportFixture::new();
    let fail = |file: &str| import.env.fail(&format!("import --form {} {file}", import.form));
    insta::assert_snapshot!(
        fail("/no/file"),
        @"cannot use the file `/no/file`: No such file or directory (os error 2)"
    );
    insta::assert_snapshot!(fail("/"), @"`/` is a directory; name a file");
    let path = import.env.write("latin1", b"{\"answers\":{\"a\":\"\xe4\"}}\n");
    insta::assert_snapshot!(fail(&path), @"line 1: is not UTF-8 at byte 18");
    let path = import.env.write("workbook", b"PK\x03\x04\x14\0[Content_Types].xml");
    let words =
        "the file is an Excel workbook (.xlsx); open it in a spreadsheet and save it as CSV";
    assert_eq!(fail(&path), words);
    assert_eq!(fail(&format!("--csv {path}")), words);
}
