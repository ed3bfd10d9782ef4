//! Runs the suites that work with both databases over PostgreSQL, which
//! `SHEAF_TEST_STORE` selects.

use anyhow::Result;

use crate::run::print_line;
use crate::test::nextest;
use crate::test::test_run::TestRun;
use crate::{python, servers};

/// Sections of the specification that depend on the store. The other sections do not, and run over
/// PostgreSQL only in full runs.
const SPECIFICATION: &str =
    "(binary(spec) & test(/^spec::(delete|export|golden|limits|list|one_meaning|states)::/))";

/// API and command-line tests of the other runs: those with most statements of their own. The suite
/// of `store-tests` runs completely over PostgreSQL in the step `host`.
const QUICK_API_TESTS: &str =
    "(auth|export|inbox|insight|restricted_keys|summary|trash|triage|views)::";
const QUICK_COMMAND_TESTS: &str =
    "(commands|database|import|import_round_trip|intake|live|manual|operator|startup_shutdown)::";

/// API tests that open both databases themselves, or that hold the file of SQLite or read its log.
const SKIPPED_API_TESTS: &str = concat!(
    "audit::on_|shared_limits::|full_write_queue_returns_503|paused_export_does_not_grow_wal",
    // The limit is in memory.
    "|clock_jump_does_not_change_address_limit",
);

/// Command-line tests that depend on the file of SQLite, or that run the manual, for which the
/// database does not matter.
const SKIPPED_COMMAND_TESTS: &str = concat!(
    // They write into the file, damage, lock or copy it, or limit its size.
    "lifecycle::killed_deletion|changed_audit_log_fails|matrix::",
    "|damaged_file_error|locked_database_fails_only_readiness|file_size_limit_is_handled",
    "|backup_is_complete|running_server_sees_command_changes|archive::|import_changed::",
    "|import_reads_stdin_and_pipes|import_resumed::|same_seed_creates_same_submissions",
    // They look for secrets in it, or at its place, permissions and size.
    "|check_accepts_intact_file|password_is_read_from_stdin|key_secret_is_printed_once",
    "|token_is_neither_stored_nor_logged|create_account_rejects_duplicate_email",
    "|data_option_works_before_and_after|errors_name_missing_objects|conflicting_data_locations",
    "|metrics_include_store_sizes|webhook_docs::|mail_docs::",
    // They test options and connections.
    "|help::|leases::|framing::|forwarding::|server_tls::|mail_options::|body_bombs::|socket::",
    "|outgoing_tls::",
);

/// Runs the specification, the routes of the API and the commands in one call.
pub(crate) fn run_suites(test_run: &mut TestRun) -> Result<()> {
    let python = python::for_server_tests()?;
    let path = servers::search_path()?;
    test_run.start_postgres(&path)?;
    for skipped in [SKIPPED_API_TESTS, SKIPPED_COMMAND_TESTS] {
        print_line(&format!("LEFT OUT over PostgreSQL: {}.", skipped.replace('|', ", ")));
    }
    let (specification, api, commands) = if test_run.is_full {
        ("binary(spec)", ".", ".")
    } else {
        print_line(&format!("LEFT OUT: API tests other than {QUICK_API_TESTS}."));
        print_line(&format!("LEFT OUT: command-line tests other than {QUICK_COMMAND_TESTS}."));
        (SPECIFICATION, QUICK_API_TESTS, QUICK_COMMAND_TESTS)
    };
    let filter = format!(
        "{specification} \
         + (package(api) & binary(it) & test(/^{api}/) - test(/{SKIPPED_API_TESTS}/)) \
         + (package(sheaf) & binary(it) & test(/^{commands}/) - test(/{SKIPPED_COMMAND_TESTS}/))"
    );
    nextest::run_selected(test_run, &filter, |tests| {
        tests.args(["--test-threads", "4"]).env("PATH", path).env("SHEAF_TEST_STORE", "postgres");
        tests.env("TEST_PYTHON", python);
    })
}
