//! An import that is killed, and resumed by the same command.

use crate::test_env::TestEnv;
use std::fmt::Write as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, Stdio};

/// Enough rows for several transactions, so that the kill hits between two of them.
const ROWS: usize = 8000;

fn write_csv_file(env: &TestEnv, name: &str, ids: bool) -> String {
    let mut text = String::from("key,Name,Score\n");
    for n in 0..ROWS {
        writeln!(text, "sub_{n},\"Somebody, the {n}th\",{}", n % 5 + 1).unwrap();
    }
    let text = if ids { text.replacen("key", "id", 1) } else { text };
    env.write(name, text)
}

/// Size of the write-ahead log at the kill, in blocks of 512 bytes as `ulimit -f` counts them.
/// Several transactions are written by then, and the last one is not.
const LOG_BLOCKS: u32 = 6144;

/// Runs a command until the system kills it in a write, by a limit of the file size: always at the
/// same write.
fn run_until_killed(env: &TestEnv, arguments: &str) {
    let limited = format!("ulimit -c 0; ulimit -f {LOG_BLOCKS}; exec \"$@\"");
    let command = env.command(arguments);
    let mut killed = Command::new("sh");
    killed.args(["-c", &limited, "sh"]).arg(command.get_program()).args(command.get_args());
    let envs = command.get_envs().filter_map(|(name, value)| Some((name, value?)));
    let done = killed.env_clear().envs(envs).stdin(Stdio::null()).output().unwrap();
    assert!(done.status.signal().is_some(), "the command was not killed: {done:?}");
    let log = std::fs::metadata(env.data().join("sheaf.db-wal")).unwrap().len();
    assert_eq!(log, u64::from(LOG_BLOCKS) * 512, "the command was killed at another write");
}

#[test]
fn same_command_resumes_import() {
    let env = TestEnv::with_account();
    let form = env.form("");
    let command = format!("import --form {form} --csv {}", write_csv_file(&env, "a.csv", false));
    run_until_killed(&env, &command);
    assert_eq!(env.count(&form), 0, "an interrupted import is visible");
    let printed = env.run(&command);
    let (_, last) = printed.rsplit_once('\n').unwrap();
    let done = last.strip_prefix("8000 submissions imported, ").and_then(|rest| {
        rest.strip_suffix(" of them before an interruption")?.parse::<usize>().ok()
    });
    assert!(done.is_some_and(|done| (1000..ROWS).contains(&done)), "{printed}");
    let rows = crate::csv::parse_rows(&crate::csv::export_csv(&env, &form));
    let names: Vec<_> = rows[1..].iter().map(|row| row[3].clone()).collect();
    let expected: Vec<_> = (0..ROWS).map(|n| format!("Somebody, the {n}th")).collect();
    assert!(names == expected, "rows are missing, duplicated or out of order");
}

#[test]
fn shuffled_import_resumes_in_time_order() {
    let env = TestEnv::with_account();
    let form = env.form("");
    let mut text = String::from("id,submitted_at,Name\n");
    for n in 0..ROWS {
        // 4999 has no common divisor with `ROWS`, so this is a permutation of the seconds.
        let at_s = i64::try_from(n * 4999 % ROWS).unwrap();
        let at = contract::Timestamp::from_millis(at_s * 1000).unwrap();
        writeln!(text, "sub_{n},{at},\"Somebody, the {at_s}th\"").unwrap();
    }
    let file = env.write("a.csv", text);
    let command =
        format!("import --form {form} --map id=id --map submitted_at=submitted_at --csv {file}");
    run_until_killed(&env, &command);
    assert_eq!(env.count(&form), 0, "an interrupted import is visible");
    let printed = env.run(&command);
    assert!(printed.ends_with(" of them before an interruption"), "{printed}");
    let rows = crate::csv::parse_rows(&crate::csv::export_csv(&env, &form));
    let name = rows[0].iter().position(|head| head == "Name").unwrap();
    let names: Vec<_> = rows[1..].iter().map(|row| row[name].clone()).collect();
    let expected: Vec<_> = (0..ROWS).rev().map(|n| format!("Somebody, the {n}th")).collect();
    assert!(names == expected, "rows are missing, duplicated or out of order");
}

#[test]
fn ndjson_import_resumes() {
    let env = TestEnv::with_account();
    let form = env.form("");
    let line = |n: usize| {
        format!("{{\"id\":\"sub_{n}\",\"answers\":{{\"Name\":\"Somebody, the {n}th\"}}}}")
    };
    let lines: Vec<_> = (0..ROWS).map(line).collect();
    let command = format!("import --form {form} {}", env.write("a.ndjson", lines.join("\n")));
    run_until_killed(&env, &command);
    assert_eq!(env.count(&form), 0, "an interrupted import is visible");
    let printed = env.run(&command);
    assert!(printed.ends_with(" of them before an interruption"), "{printed}");
    let error = env.fail(&command);
    assert!(error.contains("exists already"), "{error}");
    assert_eq!(env.count(&form), ROWS as u64);
    let log = env.run("audit export --account a@example.com");
    let entries: Vec<_> = log.lines().filter(|line| line.contains("imported")).collect();
    assert!(matches!(entries[..], [entry] if entry.contains("\"count\":8000")), "{entries:?}");
}

#[test]
fn other_file_needs_restart_option() {
    let env = TestEnv::with_account();
    let form = env.form("");
    let command = |name: &str| {
        format!("import --form {form} --csv {} --map id=id", write_csv_file(&env, name, true))
    };
    run_until_killed(&env, &command("a.csv"));
    // A file without times is imported from its end, because its last row gets the oldest time. So
    // the interrupted import has inserted this id already.
    let other = env.write("b.csv", format!("id,Name\nsub_{},x\n", ROWS - 1));
    let import = format!("import --form {form} --csv {other} --map id=id");
    // A file that cannot be imported does not discard the interrupted import.
    let missing = format!("import --form {form} --csv {other}.missing --map id=id --restart");
    assert!(env.fail(&missing).contains(".missing"));
    let error = env.fail(&import);
    assert!(error.contains("in an interrupted import; run that import again"), "{error}");
    assert_eq!(env.count(&form), 0);
    let printed = env.run(&format!("{import} --restart"));
    assert!(printed.ends_with("1 submission imported"), "{printed}");
    let error = env.fail(&command("a.csv"));
    assert!(error.starts_with("line 8001: the submission `sub_7999` exists already"), "{error}");
    assert_eq!(env.count(&form), 1);
}
