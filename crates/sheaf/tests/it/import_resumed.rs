//! An import that is killed, and resumed by the same command.

use crate::world::TestEnv;
use std::fmt::Write as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, Stdio};

/// Enough rows for several transactions, so that the kill hits between two of them.
const ROWS: usize = 8000;

fn write_csv_file(world: &TestEnv, name: &str, ids: bool) -> String {
    let mut text = String::from("key,Name,Score\n");
    for n in 0..ROWS {
        writeln!(text, "sub_{n},\"Somebody, the {n}th\",{}", n % 5 + 1).unwrap();
    }
    let text = if ids { text.replacen("key", "id", 1) } else { text };
    world.write(name, text)
}

/// Size of the write-ahead log at the kill, in blocks of 512 bytes as `ulimit -f` counts them.
/// Several transactions are written by then, and the last one is not.
const LOG_BLOCKS: u32 = 6144;

/// Runs a command until the system kills it in a write, by a limit of the file size: always at the
/// same write.
fn run_until_killed(world: &TestEnv, arguments: &str) {
    let limited = format!("ulimit -c 0; ulimit -f {LOG_BLOCKS}; exec \"$@\"");
    let command = world.command(arguments);
    let mut killed = Command::new("sh");
    killed.args(["-c", &limited, "sh"]).arg(command.get_program()).args(command.get_args());
    let envs = command.get_envs().filter_map(|(name, value)| Some((name, value?)));
    let done = killed.env_clear().envs(envs).stdin(Stdio::null()).output().unwrap();
    assert!(done.status.signal().is_some(), "the command was not killed: {done:?}");
    let log = std::fs::metadata(world.data().join("sheaf.db-wal")).unwrap().len();
    assert_eq!(log, u64::from(LOG_BLOCKS) * 512, "the command was killed at another write");
}

#[test]
fn same_command_resumes_import() {
    let world = TestEnv::with_account();
    let form = world.form("");
    let command = format!("import --form {form} --csv {}", write_csv_file(&world, "a.csv", false));
    run_until_killed(&world, &command);
    assert_eq!(world.count(&form), 0, "an interrupted import is visible");
    let said = world.run(&command);
    let (_, last) = said.rsplit_once('\n').unwrap();
    let done = last.strip_prefix("8000 submissions imported, ").and_then(|rest| {
        rest.strip_suffix(" of them before an interruption")?.parse::<usize>().ok()
    });
    assert!(done.is_some_and(|done| (1000..ROWS).contains(&done)), "{said}");
    let rows = crate::csv::parse_rows(&crate::csv::export_csv(&world, &form));
    let names: Vec<_> = rows[1..].iter().map(|row| row[3].clone()).collect();
    let wanted: Vec<_> = (0..ROWS).map(|n| format!("Somebody, the {n}th")).collect();
    assert!(names == wanted, "rows are missing, duplicated or out of order");
}

#[test]
fn shuffled_import_resumes_in_time_order() {
    let world = TestEnv::with_account();
    let form = world.form("");
    let mut text = String::from("id,submitted_at,Name\n");
    for n in 0..ROWS {
        // 4999 has no common divisor with `ROWS`, so this is a permutation of the seconds.
        let at_s = i64::try_from(n * 4999 % ROWS).unwrap();
        let at = contract::Timestamp::from_millis(at_s * 1000).unwrap();
        writeln!(text, "sub_{n},{at},\"Somebody, the {at_s}th\"").unwrap();
    }
    let file = world.write("a.csv", text);
    let command =
        format!("import --form {form} --map id=id --map submitted_at=submitted_at --csv {file}");
    run_until_killed(&world, &command);
    assert_eq!(world.count(&form), 0, "an interrupted import is visible");
    let said = world.run(&command);
    assert!(said.ends_with(" of them before an interruption"), "{said}");
    let rows = crate::csv::parse_rows(&crate::csv::export_csv(&world, &form));
    let name = rows[0].iter().position(|head| head == "Name").unwrap();
    let names: Vec<_> = rows[1..].iter().map(|row| row[name].clone()).collect();
    let wanted: Vec<_> = (0..ROWS).rev().map(|n| format!("Somebody, the {n}th")).collect();
    assert!(names == wanted, "rows are missing, duplicated or out of order");
}

#[test]
fn ndjson_import_resumes() {
    let world = TestEnv::with_account();
    let form = world.form("");
    let line = |n: usize| {
        format!("{{\"id\":\"sub_{n}\",\"answers\":{{\"Name\":\"Somebody, the {n}th\"}}}}")
    };
    let lines: Vec<_> = (0..ROWS).map(line).collect();
    let command = format!("import --form {form} {}", world.write("a.ndjson", lines.join("\n")));
    run_until_killed(&world, &command);
    assert_eq!(world.count(&form), 0, "an interrupted import is visible");
    let said = world.run(&command);
    assert!(said.ends_with(" of them before an interruption"), "{said}");
    assert_eq!(world.count(&form), ROWS as u64);
}

#[test]
fn other_file_needs_restart_option() {
    let world = TestEnv::with_account();
    let form = world.form("");
    let command = |name: &str| {
        format!("import --form {form} --csv {} --map id=id", write_csv_file(&world, name, true))
    };
    run_until_killed(&world, &command("a.csv"));
    // A file without times is imported from its end, because its last row gets the oldest time. So
    // the interrupted import has inserted this id already.
    let other = world.write("b.csv", format!("id,Name\nsub_{},x\n", ROWS - 1));
    let wish = format!("import --form {form} --csv {other} --map id=id");
    let error = world.fail(&wish);
    assert!(error.contains("in an interrupted import; run that import again"), "{error}");
    assert_eq!(world.count(&form), 0);
    let said = world.run(&format!("{wish} --restart"));
    assert!(said.ends_with("1 submission imported"), "{said}");
    let error = world.fail(&command("a.csv"));
    assert!(error.starts_with("line 8001: the submission `sub_7999` exists already"), "{error}");
    assert_eq!(world.count(&form), 1);
}
