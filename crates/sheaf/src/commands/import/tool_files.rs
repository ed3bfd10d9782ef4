//! Tests with files of other tools and languages: the recognised tool, and the submission times.

use contract::{FieldId, Timestamp};

use super::header::PresetOptions;
use super::input_file::InputSummary;
use super::layout::ColumnOptions;
use super::plan::{ImportOptions, Plan};
use super::time::zone::Zone;

/// Reads a file, and returns the tool, the submission times, and the completion times.
fn describe_file(file: &str, zone: Option<&str>, time: Option<&str>) -> Result<String, String> {
    let options = ImportOptions {
        preset: PresetOptions::default(),
        column_options: ColumnOptions { mappings: &[], time },
        dates: None,
        zone: zone.map(|zone| zone.parse::<Zone>().unwrap()),
        keeps_ids: true,
        now: Timestamp::parse("2026-12-01T00:00:00Z").unwrap(),
    };
    let mut count = 0;
    let mint = || -> FieldId {
        count += 1;
        format!("fld_new{count}").parse().unwrap()
    };
    let plan = Plan::create(|| Ok(file.as_bytes()), 0, &[], &options, mint);
    let plan = plan.map_err(|error| error.to_string())?;
    let content =
        InputSummary { hash: [0; 32], bytes: 0, encoding: "UTF-8".to_owned(), note: None };
    let description = plan.describe(&content);
    let mut parts = vec![description.split(',').next().unwrap_or_default().to_owned()];
    for draft in plan.rows(file.as_bytes()) {
        let draft = draft.map_err(|error| error.to_string())?;
        let took = draft.metadata.completion_time_seconds;
        let took = took.map(|took| format!(" in {took} s")).unwrap_or_default();
        parts.push(format!("{}{took}", draft.submitted_at.map_or("-".into(), |at| at.to_string())));
    }
    Ok(parts.join(", "))
}

#[track_caller]
fn check_file(file: &str, zone: Option<&str>, expected: &str) {
    assert_eq!(describe_file(file, zone, None).as_deref(), Ok(expected), "{file}");
}

/// Files, with the expected tool and times.
const FILES: &[(&str, &str)] = &[
    (
        "Submission ID;Respondent ID;Submitted at;Was?\nx1;y1;2026-03-01 09:30:00;a\n",
        "from Tally, 2026-03-01T09:30:00Z",
    ),
    (
        "Submission Date,Name,When can you come?,Submission ID\n\
             \"Mar 1, 2026\",Ada,2026-05-01 10:00,1\n",
        "from Jotform, 2026-03-01T00:00:00Z",
    ),
    ("Submission Date,Name\n03/13/2026 9:30 PM,Ada\n", "from Jotform, 2026-03-13T21:30:00Z"),
    (
        "start;end;Q;_id;_uuid;_submission_time\n\
             2026-03-01T10:28:00+01:00;2026-03-01T10:30:00+01:00;a;7;u;2026-03-01T09:30:00\n",
        "from KoboToolbox, 2026-03-01T09:30:00Z",
    ),
    (
        "SubmissionDate,start,end,q,meta-instanceID,KEY\n2026-03-01T09:30:00.123Z,\
             2026-03-01T09:20:00.000+00:00,2026-03-01T09:25:00.000+00:00,a,uuid:1,uuid:1\n",
        "from ODK, 2026-03-01T09:30:00.123Z",
    ),
    (
        "SubmissionDate,q,KEY\n\"Mar 1, 2026 9:30:00 PM\",a,uuid:1\n",
        "from ODK, 2026-03-01T21:30:00Z",
    ),
    (
        "id;submitdate;lastpage;startlanguage;startdate;datestamp;Q\n\
             \"1\";2026-03-01 09:30:00;2;en;2026-03-01 09:28:00;2026-03-01 09:30:00;a\n\
             \"2\";;\"1\";\"en\";2026-03-01 09:40:00;2026-03-01 09:41:00;\n",
        "from LimeSurvey, 2026-03-01T09:30:00Z in 120 s, 2026-03-01T09:40:00Z",
    ),
    (
        "Response ID,Date submitted,Last page,Start language,Q\n1,2026-03-01 09:30:00,2,en,a\n",
        "from LimeSurvey, 2026-03-01T09:30:00Z",
    ),
    (
        "id. Response ID;submitdate. Date submitted;lastpage. Last page;\
             startdate. Date started;Q1. How?\n\
             1;2026-03-01 09:30:00;2;2026-03-01 09:28:00;a\n",
        "from LimeSurvey, 2026-03-01T09:30:00Z in 120 s",
    ),
    (
        "\"User ID\",\"User display name\",\"Timestamp\",\"Q\"\n\
             \"\",\"Anonymous user\",\"2026-03-01T10:30:00+01:00\",\"a\"\n",
        "from Nextcloud Forms, 2026-03-01T09:30:00Z",
    ),
    (
        "\"Benutzer-ID\",\"Anzeigename des Nutzers\",\"Zeitstempel\",\"Q\"\n\
             \"\",\"Anonym\",\"2026-03-01T10:30:00+01:00\",\"a\"\n",
        "plain CSV, 2026-03-01T09:30:00Z",
    ),
    (
        "No.,Response ID,Timestamp,Finished,Survey ID,1. Q\n1,c1,2026-03-01 09:30:00,true,s,a\n",
        "from Formbricks, 2026-03-01T09:30:00Z",
    ),
    (
        "number,title,email,body,data,created_at,human_fields\n\
             1,,a@example.com,x,{},2026-03-01 09:30:00 UTC,{}\n",
        "from Netlify Forms, 2026-03-01T09:30:00Z",
    ),
    ("name,_date\nAda,2026-03-01T09:30:00.000000+00:00\n", "from Formspree, 2026-03-01T09:30:00Z"),
    ("Name,Created time\nAda,3/13/2026 9:30am\n", "from Airtable or Notion, 2026-03-13T09:30:00Z"),
    ("Name,Date\nAda,2026-03-01\n", "plain CSV, -"),
    ("Name,Created\nAda,\"March 13, 2026 9:30pm\"\n", "plain CSV, 2026-03-13T21:30:00Z"),
    (
        "ID,Start time,Completion time,Email,Name,Last modified time,Q\n\
             1,3/13/26 9:28:00,3/13/26 9:30:00,anonymous,,,a\n",
        "from Microsoft Forms, 2026-03-13T09:30:00Z in 120 s",
    ),
    (
        "ID,Start time,Completion time,Email,Name,Last modified time,Q\n\
             1,3/4/26 9:28:00,3/4/26 9:30:00,anonymous,,3/31/26 9:30:00,a\n",
        "from Microsoft Forms, 2026-03-04T09:30:00Z in 120 s",
    ),
    (
        "ID;Startzeit;Fertigstellungszeit;E-Mail;Name;Frage\n\
             1;03.04.2026 09:28:00;03.04.2026 09:30:00;anonymous;;a\n",
        "plain CSV, 2026-04-03T09:30:00Z in 120 s",
    ),
    (
        "ID,Qalqar,Qaqortoq,Email,Meet\n1,13/3/2026 9:28,13/3/2026 9:30,a,14/3/2026 10:00\n",
        "plain CSV, 2026-03-13T09:30:00Z in 120 s",
    ),
    (
        "StartDate,EndDate,RecordedDate,ResponseId,Q1\nStart Date,End Date,Recorded,ID,How?\n\
             \"{\"\"ImportId\"\":\"\"startDate\"\",\"\"timeZone\"\":\"\"Asia/Tokyo\"\"}\",x,x,x,x\n\
             2026-03-01 18:28:00,2026-03-01 18:30:00,2026-03-01 18:30:01,R_1,a\n",
        "from Qualtrics, 2026-03-01T09:30:00Z in 120 s",
    ),
    (
        "respondent_id,collector_id,date_created,date_modified,q\n\
             1,2,03/04/2026 09:28:00 AM,03/04/2026 09:30:00 AM,a\n",
        "from SurveyMonkey, 2026-03-04T09:30:00Z in 120 s",
    ),
    // An export that was saved by a spreadsheet.
    (
        "submission_id;submitted_at;Q;ip_country;device;browser;sentiment_score;language;;\n\
             sub_1;13.03.2026 09:30;a;DE;mobile;Firefox;0,75;de;;\n;;;;;;;;;\n",
        "an export of Sheaf, 2026-03-13T09:30:00Z",
    ),
    (
        "submission_id,submitted_at,Q,ip_country,device,browser,language\n\
             sub_1,46082.395833,a,DE,mobile,Firefox,de\n",
        "an export of Sheaf, 2026-03-01T09:30:00Z",
    ),
];

#[test]
fn tool_files_are_recognised_and_dated() {
    for (file, expected) in FILES {
        check_file(file, None, expected);
    }
}

#[test]
fn google_forms_is_parsed_in_many_languages() {
    for (head, time) in [
        ("Timestamp", "2026/03/01 9:30:15\u{202f}AM UTC"),
        ("Zeitstempel", "2026/03/01 9:30:15 AM GMT+0"),
        ("Horodateur", "2026/03/01 9:30:15 AM UTC+0"),
        ("Marca temporal", "2026/03/01 9:30:15\u{a0}a.\u{a0}m. GMT"),
        ("Carimbo de data/hora", "01/03/2026 09:30:15"),
        ("Informazioni cronologiche", "01/03/2026 9.30.15"),
        ("Tijdstempel", "1-3-2026 9:30:15"),
        ("Aikaleima", "2026/03/01 9.30.15 ap. UTC"),
        ("Tidsstempel", "2026/03/01 9.30.15 AM GMT"),
        ("Sygnatura czasowa", "2026/03/01 9:30:15 AM GMT"),
        ("Časová značka", "2026/03/01 9:30:15 dop. GMT"),
        ("Časové razítko", "01.03.2026 9:30:15"),
        ("Időbélyeg", "2026. 03. 01. 9:30:15"),
        ("Отметка времени", "01.03.2026 9:30:15"),
        ("Позначка часу", "2026/03/01 9:30:15 дп GMT"),
        ("Клеймо за време", "2026/03/01 9:30:15 пр.об. Гринуич"),
        ("Χρονική σήμανση", "2026/03/01 9:30:15 π.μ. GMT"),
        ("Zaman damgası", "2026/03/01 9:30:15 ÖÖ GMT"),
        ("חותמת זמן", "2026/03/01 \u{200f}9:30:15 לפנה״צ GMT\u{200e}"),
        ("طابع زمني", "٢٠٢٦/٠٣/٠١ ٩:٣٠:١٥ ص غرينتش"),
        ("タイムスタンプ", "2026/03/01 9:30:15 午前 GMT"),
        ("타임스탬프", "2026. 3. 1 오전 9:30:15"),
        ("时间戳记", "2026/03/01 上午9:30:15"),
        ("時間戳記", "2026/3/1 上午 9:30:15"),
        ("ประทับเวลา", "1/3/2026, 9:30:15"),
        ("ประทับเวลา", "1/3/69, 9:30:15"),
        ("タイムスタンプ", "26/03/01 9:30:15"),
        ("タイムスタンプ", "令和8年3月1日 9:30:15"),
        ("타임스탬프", "26. 3. 1. 오전 9:30:15"),
        ("Időbélyeg", "26. 03. 01. 9:30:15"),
        ("Laiko žyma", "26.03.01 9:30:15"),
        ("Tidstämpel", "26-03-01 09:30:15"),
        ("时间戳记", "26/03/01 9:30:15"),
        ("Dấu thời gian", "2026/03/01 9:30:15 SA GMT"),
        ("टाइमस्टैम्प", "2026/03/01 9:30:15 पूर्वाह्न GMT"),
    ] {
        let file = format!("{head},Q\n\"{time}\",a\n");
        check_file(&file, None, "from Google Forms, 2026-03-01T09:30:15Z");
    }
}

#[test]
fn ambiguous_time_column_or_order_is_rejected() {
    for (file, expected) in [
        // A date that a respondent typed says nothing about the dates of the program.
        ("Timestamp,Birthday\n3/4/2026 9:00,31/12/1990\n", "`--dates dmy` or `--dates mdy`"),
        ("submitted_at,Born\n3/4/2026 9:00,12/31/1990\n", "`--dates dmy` or `--dates mdy`"),
        ("Name,Von,Bis\nAda,2026-03-02 9:00,2026-03-01 9:00\n", "--time \"Von\""),
        ("Date,Time,Name\n2026-03-01,9:00,Ada\n", "--time \"Date\""),
        ("Name,Slot\nAda,2026-03-01 9:00\nBo,2026-02-01 9:00\n", "--time \"Slot\""),
        ("Name,Slot\nAda,30 Qux 2026 9:00:00\n", "`30 Qux 2026 9:00:00` cannot be read"),
        ("ID,Start time,Completion time\n1,2/3/26 9:00,2/3/26 9:01\n", "--dates dmy"),
        ("Timestamp,Q\n26/03/01 9:00,a\n", "`--dates dmy` or `--dates ymd`"),
        ("完了時刻,Q\n3/4/2026 9:00,a\n", "`--dates dmy` or `--dates mdy`"),
        ("Timestamp,Q\n30 listopada 2026 9:30,a\n", "has a month that differs between languages"),
    ] {
        let error = describe_file(file, None, None).unwrap_err();
        assert!(error.contains(expected), "{error}");
        assert!(!error.contains("listopada") || error.contains("line 2"), "{error}");
    }
    let dated =
        describe_file("Timestamp,Q\n2026/07/01 9:30:15 AM CST,a\n", Some("Asia/Shanghai"), None);
    assert_eq!(dated.as_deref(), Ok("from Google Forms, 2026-07-01T01:30:15Z"));
    let now = describe_file("Timestamp,Q\n2026/07/01 9:30:15,a\n", None, Some("now"));
    assert_eq!(now.as_deref(), Ok("from Google Forms, -"));
}
