//! `sheaf import --csv` for the files of form tools and spreadsheets, and `--dry-run`.

use crate::csv::{ImportServer, data_file};
use crate::test_env::{TestEnv, run_with_input, stderr_without_progress};
use std::collections::HashMap;

/// Imports a file into an empty form, and returns the rows of the export by column name.
#[track_caller]
fn import_rows(server: &ImportServer, file: &str, more: &str) -> Vec<HashMap<String, String>> {
    let rows = server.import_csv(&data_file(file), more);
    let row = |row: &Vec<String>| rows[0].iter().cloned().zip(row.iter().cloned()).collect();
    rows[1..].iter().map(row).collect()
}

#[track_caller]
fn dry_run(server: &ImportServer, file: &str) -> String {
    let env = &server.env;
    let form = env.form("");
    let before = env.run(&format!("form show {form} --json"));
    let printed = env.run(&format!("import --form {form} --csv {} --dry-run", data_file(file)));
    assert_eq!(before, env.run(&format!("form show {form} --json")), "a dry run changed the form");
    printed
}

#[track_caller]
fn check_cells(row: &HashMap<String, String>, cells: &[(&str, &str)]) {
    for (head, cell) in cells {
        assert_eq!(row[*head], *cell, "{head}");
    }
}

#[test]
fn google_forms_file_is_imported() {
    let server = ImportServer::start();
    insta::assert_snapshot!(dry_run(&server, "google.csv"), @r"
    The file is from Google Forms, UTF-8, with comma between its cells.

    COLUMN                             BECOMES       TYPE       FILLED  DISTINCT  EXAMPLE
    Timestamp                          submitted_at  instant    4       4         2026/03/01 9:30:15 AM GMT+1
    Username                           new field     email      3       3         ada@example.com
    Your name                          new field     text       4       4         Ada Lovelace
    Which days suit you?               new field     choices    4       4         Monday;Tuesday
    How likely are you to come again?  new field     rating     4       4         10
    Comment                            new field     long_text  3       3         All good

    4 submissions from 2026-03-01T08:30:15Z to 2026-03-31T21:59:59Z
    Nothing was written.
    ");
    let rows = import_rows(&server, "google.csv", "");
    check_cells(
        &rows[3],
        &[
            ("submitted_at", "2026-03-01T08:30:15Z"),
            ("Your name", "Ada Lovelace"),
            ("Which days suit you?", "Monday;Tuesday"),
            ("How likely are you to come again?", "10"),
        ],
    );
    check_cells(&rows[1], &[("submitted_at", "2026-03-30T08:00:00Z"), ("Comment", "Two\nlines")]);
    let rows = import_rows(&server, "google-sheet.csv", "--time-zone America/New_York");
    check_cells(
        &rows[4],
        &[
            ("submitted_at", "2026-03-01T14:30:15Z"),
            ("Which days suit you?", "Monday, Tuesday"),
            ("utm_source", "newsletter"),
        ],
    );
    check_cells(&rows[0], &[("submitted_at", "2026-03-31T04:02:00Z")]);
}

#[test]
fn typeform_file_is_imported() {
    let server = ImportServer::start();
    insta::assert_snapshot!(dry_run(&server, "typeform.csv"), @r"
    The file is from Typeform, UTF-8, with comma between its cells.

    COLUMN                BECOMES       TYPE     FILLED  DISTINCT  EXAMPLE
    #                     new field     text     3       3         h5n8xk2l7q
    What's your name?     new field     text     3       3         Ada
    How did you like it?  new field     rating   3       3         5
    May we call you?      new field     number   3       2         1
    Phone number          new field     phone    2       2         +49 30 1234567
    Response Type         new field     text     3       2         completed
    Start Date (UTC)      started_at    instant  3       3         2026-03-01 09:28:11
    Stage Date (UTC)      new field     date     1       1         2026-03-02 08:01:00
    Submit Date (UTC)     submitted_at  instant  2       2         2026-03-01 09:30:15
    Network ID            new field     text     3       3         8f14e45fce
    Tags                  new field     text     0       0
    utm_source            utm_source    text     2       2         newsletter

    3 submissions from 2026-03-01T09:30:15Z to 2026-03-02T08:00:00Z
    Nothing was written.
    ");
    let rows = import_rows(&server, "typeform.csv", "--map #=id");
    check_cells(
        &rows[2],
        &[
            ("submission_id", "sub_h5n8xk2l7q"),
            ("submitted_at", "2026-03-01T09:30:15Z"),
            ("completion_time_seconds", "124"),
            ("utm_source", "newsletter"),
            ("Response Type", "completed"),
        ],
    );
    // A response that was started and not submitted gets its start time.
    check_cells(
        &rows[0],
        &[
            ("submitted_at", "2026-03-02T08:00:00Z"),
            ("completion_time_seconds", ""),
            ("What's your name?", "Kim, Lee"),
        ],
    );
}

#[test]
fn surveymonkey_file_is_imported() {
    let server = ImportServer::start();
    insta::assert_snapshot!(dry_run(&server, "surveymonkey.csv"), @r"
    The file is from SurveyMonkey, UTF-8, with comma between its cells.

    COLUMN                                    BECOMES                                    TYPE     FILLED  DISTINCT  EXAMPLE
    Respondent ID                             new field                                  number   3       3         118224536301
    Collector ID                              new field                                  number   3       1         447719201
    Start Date                                started_at                                 instant  3       3         03/01/2026 09:28:11 AM
    End Date                                  submitted_at                               instant  3       3         03/01/2026 09:30:15 AM
    IP Address                                new field                                  text     3       3         192.0.2.7
    Email Address                             new field                                  text     0       0
    First Name                                new field                                  text     0       0
    Last Name                                 new field                                  text     0       0
    Custom Data 1                             new field                                  text     0       0
    How satisfied are you?                    new field                                  text     3       2         Very satisfied
    What do you use? (select all) - Laptop    new field `What do you use? (select all)`  choices  1       1         Laptop
    What do you use? (select all) - Phone     new field `What do you use? (select all)`  choices  2       1         Phone
    What do you use? (se…er (please specify)  new field                                  text     1       1         an old typewriter
    Anything else?                            new field                                  text     1       1         No, thank you

    3 submissions from 2026-03-01T09:30:15Z to 2026-03-02T00:00:30Z
    note: times without a time zone are read as UTC; set another with `--time-zone`, for example `--time-zone Europe/Berlin`
    Nothing was written.
    ");
    let rows = import_rows(&server, "surveymonkey.csv", "");
    check_cells(
        &rows[2],
        &[
            ("submitted_at", "2026-03-01T09:30:15Z"),
            ("completion_time_seconds", "124"),
            ("Respondent ID", "118224536301"),
            ("IP Address", "192.0.2.7"),
            ("What do you use? (select all)", "Laptop; Phone"),
        ],
    );
    check_cells(
        &rows[1],
        &[
            ("submitted_at", "2026-03-01T20:41:59Z"),
            ("What do you use? (select all)", "Phone"),
            ("What do you use? (select all) - Other (please specify)", "an old typewriter"),
            ("Anything else?", "No, thank you"),
        ],
    );
    check_cells(&rows[0], &[("submitted_at", "2026-03-02T00:00:30Z")]);
    let form = server.env.form("");
    let file = data_file("surveymonkey.csv");
    let plain = format!("import --form {form} --csv {file} --from plain --dates mdy");
    let error = server.env.fail(&plain);
    assert!(error.starts_with("line 2: column `End Date` is empty"), "{error}");
}

#[test]
fn encodings_and_delimiters_are_detected() {
    let server = ImportServer::start();
    insta::assert_snapshot!(dry_run(&server, "windows-1252.csv"), @r"
    The file is plain CSV, Windows-1252 (line 2 is not UTF-8), with semicolon between its cells.

    COLUMN  BECOMES    TYPE  FILLED  DISTINCT  EXAMPLE
    Name    new field  text  2       2         Müller
    Betrag  new field  text  2       2         1,50 €
    Datum   new field  date  2       2         13.03.2026

    2 submissions without submission times: all get the time of the import
    Nothing was written.
    ");
    let rows = import_rows(&server, "windows-1252.csv", "--time Datum");
    check_cells(
        &rows[1],
        &[("Name", "Müller"), ("Betrag", "1,50 €"), ("submitted_at", "2026-03-13T00:00:00Z")],
    );
    check_cells(&rows[0], &[("Name", "“Zoë”"), ("submitted_at", "2026-04-01T00:00:00Z")]);
    let rows = import_rows(&server, "utf-16.csv", "");
    check_cells(&rows[1], &[("Name", "김"), ("City", "서울")]);
    let form = server.env.form("");
    let file = data_file("windows-1252.csv");
    let error = server.env.fail(&format!("import --form {form} --csv {file} --encoding utf-8"));
    assert!(error.contains("is not UTF-8; set the file's encoding"), "{error}");
}

#[test]
fn ambiguous_and_skipped_times_are_refused() {
    let server = ImportServer::start();
    let env = &server.env;
    let form = env.form("");
    let file = env.write("file.csv", "When,a\n3/4/26 9:00,1\n5/6/26 9:00,2\n");
    let error = env.fail(&format!("import --form {form} --csv {file} --time When"));
    insta::assert_snapshot!(error, @"line 2: `3/4/26 9:00` and all other submission times could have the day or the month first; choose with `--dates dmy` or `--dates mdy`");
    let back = server.import_csv(&file, "--time When --dates dmy");
    assert_eq!(back[1][1], "2026-06-05T09:00:00Z");

    // In Berlin the hour after 02:00 does not exist on this day.
    let file = env.write("file.csv", "submitted_at,a\n2026-03-29 01:59,1\n2026-03-29 02:30,2\n");
    let command = format!("import --form {form} --csv {file} --time-zone Europe/Berlin");
    insta::assert_snapshot!(env.fail(&command), @"line 3: column `submitted_at` must be an hour that exists in the time zone, but is `2026-03-29 02:30`; check `--time-zone`");
    let back = server.import_csv(&file, "--time-zone -05:00");
    assert_eq!(back[1][1], "2026-03-29T07:30:00Z");
    assert_eq!(env.count(&form), 0);
}

#[test]
fn dry_run_lists_problems_with_lines() {
    let env = TestEnv::with_account();
    let form = env.form("");
    let file = env.write(
        "file.csv",
        concat!(
            "submission_id,submitted_at,a,ip_country,sentiment_score,language\n",
            "sub_1,2026-01-01T00:00:00Z,x,DE,0.5,en\n",
            "sub_1,2026-01-01T00:00:00Z,x,DE,0.5,en\n",
            "sub_2,soon,x,DE,0.5,en\n",
            "sub_3,2026-01-01T00:00:00Z,x,Germany,0.5,en\n",
            "sub_4,2026-01-01T00:00:00Z,x\n",
            "no id,2026-01-01T00:00:00Z,x,DE,0.5,en\n",
            "sub_5,,x,DE,0.5,en\n",
            "sub_6,2026-01-01T00:00:00Z,x,DE,2,en\n",
        ),
    );
    let command = format!("import --form {form} --csv {file}");
    let output = env.command(&format!("{command} --dry-run")).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let error = stderr_without_progress(&output);
    assert_eq!(error, "error: the file has 7 problems; correct them, then import it\n");
    let printed = String::from_utf8(output.stdout).unwrap();
    let problems: Vec<_> = printed.lines().filter(|line| line.starts_with("problem: ")).collect();
    insta::assert_snapshot!(problems.join("\n"), @r#"
    problem: line 3: the id `sub_1` is also on an earlier line
    problem: line 4: column `submitted_at` must be a time such as `2026-03-01T09:30:00Z`, `2026-03-01 09:30` or `3/1/26 9:30 PM`, but is `soon`
    problem: line 5: column `ip_country` must be a two-letter code such as `DE`, but is `Germany`
    problem: line 6: has 3 of the 6 cells of the header and of all other rows, so its end may be missing; add the delimiters of the missing cells
    problem: line 7: column `submission_id` must be an id (an id here is `sub_` followed by 1 to 64 letters, digits, `-` or `_`), but is `no id`; use `--new-ids` to ignore the ids of the file
    problem: line 8: column `submitted_at` is empty; add the time, or use the time of the import for all submissions with `--time now`
    problem: line 9: column `sentiment_score` must be a number from 0 to 1, but is `2`
    "#);
    assert!(printed.contains("1 submission from 2026-01-01T00:00:00Z"), "{printed}");
    let file = env.write("bad.csv", "submitted_at,a\nsoon,x\nlater,x\n");
    let output =
        env.command(&format!("import --form {form} --csv {file} --dry-run")).output().unwrap();
    let all_wrong = String::from_utf8(output.stdout).unwrap();
    let first = "No submission can be imported. The problems are listed below.\nThe file is";
    assert!(all_wrong.starts_with(first) && !all_wrong.contains("0 submissions"), "{all_wrong}");
    let first = env.fail(&command);
    assert_eq!(first, "line 3: the id `sub_1` is also on an earlier line");
    assert_eq!(env.count(&form), 0);
}

#[test]
fn dry_run_supports_mapping_and_ndjson() {
    let env = TestEnv::with_account();
    let form = env.form("--field Name");
    let lines = b"{\"answers\":{\"Name\":\"x\",\"age\":3}}\n{\"answers\":{},\"colour\":1}\n";
    let command = || env.command(&format!("import --form {form} - --dry-run"));
    let output = run_with_input(command(), &lines[..33]);
    insta::assert_snapshot!(crate::test_env::expect_success(&output), @r"
    ANSWER  BECOMES    TYPE
    Name    field      text
    age     new field  number

    1 submission without submission times: all get the time of the import
    Nothing was written.
    ");
    let output = run_with_input(command(), lines);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stdout).unwrap().contains("problem: line 2: unknown field"));
    let file = data_file("google.csv");
    let printed = env.run(&format!(
        "import --form {form} --csv {file} --map Username=skip --map Comment=Name --dry-run"
    ));
    let line = |head: &str| printed.lines().find(|line| line.starts_with(head)).unwrap().to_owned();
    assert!(line("Username").contains("nothing"), "{printed}");
    assert!(line("Comment").contains("field `Name`"), "{printed}");
    assert!(printed.contains("note: skipped columns: `Username`"), "{printed}");
    assert_eq!(env.count(&form), 0);
}

#[test]
fn spreadsheet_quirks_are_reported() {
    let env = TestEnv::with_account();
    let form = env.form("");
    let file = env.write(
        "file.csv",
        "sep=;\r\nName;Stadt;Wann war es?;;\r\nJürgen;Köln;########;;\r\n;;;;\r\nZoë\r\nBo;Åre;31.3.2026\r\n",
    );
    let mut bytes = std::fs::read(&file).unwrap();
    bytes.extend(b"S\xffren;\xc3\x85rhus;;;\r\n");
    std::fs::write(&file, bytes).unwrap();
    let printed = env.run(&format!("import --form {form} --csv {file} --dry-run"));
    insta::assert_snapshot!(printed, @r"
    The file is plain CSV, UTF-8, with semicolon between its cells.

    COLUMN        BECOMES    TYPE  FILLED  DISTINCT  EXAMPLE
    Name          new field  text  4       4         Jürgen
    Stadt         new field  text  3       3         Köln
    Wann war es?  new field  text  2       2         ########
    column 4      nothing    —     0       0
    column 5      nothing    —     0       0

    4 submissions without submission times: all get the time of the import
    note: a character on line 7 is not UTF-8; it becomes `�`
    note: 1 empty row is skipped, on line 4
    note: 2 rows have fewer cells than the header; the missing cells are empty, the first on line 5
    note: 1 answer is `###`: its column was too narrow in the spreadsheet, on line 3
    note: skipped columns: `column 4`, `column 5`
    Nothing was written.
    ");
    let file = env.write("times.csv", "Q,Slot\na,2026-03-02 9:00\nb,2026-03-01 9:00\n");
    let command = format!("import --form {form} --csv {file}");
    let error = env.fail(&command);
    insta::assert_snapshot!(error, @r#"the column `Slot` holds times, but may not be the submission time; name the column of the submission time with `--time "Slot"`, or use the time of the import for all submissions with `--time now`"#);
    env.run(&format!("{command} --time now"));
    assert_eq!(env.count(&form), 2);
}
