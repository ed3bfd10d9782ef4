//! Runs the suites that work with both databases over PostgreSQL, which
//! `SHEAF_TEST_STORE` selects.

use crate::run::{Result, print_line};
use crate::test::nextest;
use crate::test::test_run::TestRun;
use crate::{python, servers};

/// Runs the specification, the routes of the API and the commands in one call.
pub(crate) fn run_suites(test_run: &mut TestRun) -> Result {
    let python = python::ensure_environment("server-tests", python::SERVER_TESTS)?;
    let path = servers::search_path()?;
    test_run.start_postgres(&path)?;
    let routes = filter_without("api", &SKIPPED_API_TESTS);
    let commands = filter_without("sheaf", &SKIPPED_COMMAND_TESTS);
    let specification = if test_run.is_full() { "binary(spec)" } else { SPECIFICATION };
    let filter = format!("{specification} + {routes} + {commands}");
    nextest::run_selected(test_run, &filter, |tests| {
        tests.args(["--test-threads", "4"]).env("PATH", path).env("SHEAF_TEST_STORE", "postgres");
        tests.env("TEST_PYTHON", python.join("python3"));
    })
}

/// Sections of the specification that depend on the store. The other sections do not, and run over
/// PostgreSQL only in full runs.
const SPECIFICATION: &str =
    "(binary(spec) & test(/^spec::(delete|export|limits|list|one_meaning|states)::/))";

/// Returns the filter for the integration tests of a package, without the excluded ones.
fn filter_without(package: &str, left_out: &SkippedTests) -> String {
    for (tests, why) in left_out {
        print_line(&format!("LEFT OUT over PostgreSQL: `{tests}`: {why}."));
    }
    let left_out: Vec<_> = left_out.iter().map(|(tests, _)| format!(" - test({tests})")).collect();
    format!("(package({package}) & binary(it){})", left_out.concat())
}

/// Excluded tests, each with the reason.
type SkippedTests = [(&'static str, &'static str)];

/// API tests that are specific to SQLite, or that use both databases in every run.
const SKIPPED_API_TESTS: [(&str, &str); 4] = [
    ("audit::on_", "they open both databases themselves"),
    ("shared_limits::", "they open both databases themselves"),
    ("full_write_queue_returns_503", "they hold the file"),
    ("paused_export_does_not_grow_wal", "it is SQLite's log"),
];

/// Command-line tests that depend on the SQLite file. "It" in the reasons is that file.
const SKIPPED_COMMAND_TESTS: [(&str, &str); 25] = [
    ("lifecycle::killed_deletion", "they write into it"),
    ("changed_audit_log_fails", "they write into it"),
    ("backup_is_complete", "it is what is copied"),
    ("damaged_file_error", "they damage it"),
    ("check_accepts_intact_file", "they look through it"),
    ("create_account_rejects_duplicate_email", "they look at its permissions"),
    ("password_is_read_from_stdin", "they look for the password in it"),
    ("key_secret_is_printed_once", "they look for the secret in it"),
    ("token_is_neither_stored_nor_logged", "they look for the token in it"),
    ("data_option_works_before_and_after", "they say where it is"),
    ("errors_name_missing_objects", "it may be missing, a database not"),
    ("conflicting_data_locations", "they name both"),
    ("import_reads_stdin_and_pipes", "copies are made beside it"),
    ("import_changed::", "copies are made beside it"),
    ("import_resumed::", "they kill what writes it by its size"),
    ("running_server_sees_command_changes", "they back it up"),
    ("file_size_limit_is_handled", "they limit its size"),
    ("matrix::", "they write into it"),
    ("archive::", "they dump it"),
    ("every_route_has_role", "they write into it"),
    ("same_seed_creates_same_submissions", "they compare copies of it"),
    ("locked_database_fails_only_readiness", "they lock it"),
    ("metrics_include_store_sizes", "they ask for it"),
    ("webhook_docs::", "they read the manual, for which the database does not matter"),
    ("mail_docs::", "they read the manual, for which the database does not matter"),
];
