//! The suites that run over both databases, over PostgreSQL: what they name as their store is given
//! to them by `SHEAF_TEST_STORE`.

use crate::run::{Result, say};
use crate::servers;
use crate::test::nextest;
use crate::test::test_run::TestRun;

/// Runs them in one call: the specification, the routes of the service and the commands.
pub(crate) fn suites(test_run: &mut TestRun) -> Result {
    let path = servers::path()?;
    test_run.start_postgres(&path)?;
    let (routes, commands) = (without("api", &OF_THE_ROUTES), without("sheaf", &OF_THE_COMMANDS));
    let specification = if test_run.is_full() { "binary(spec)" } else { SPECIFICATION };
    let filter = format!("{specification} + {routes} + {commands}");
    nextest::select(test_run, &filter, |tests| {
        tests.args(["--test-threads", "4"]).env("PATH", path).env("SHEAF_TEST_STORE", "postgres");
    })
}

/// Sections of the specification that depend on the store. The others say the same over both, which
/// full runs check.
const SPECIFICATION: &str =
    "(binary(spec) & test(/^(delete|export|limits|list|one_meaning|states)::/))";

/// The tests of a package from outside, as a filter expression, without those that are left out.
fn without(package: &str, left_out: &LeftOut) -> String {
    for (tests, why) in left_out {
        say(&format!("LEFT OUT over PostgreSQL: `{tests}`: {why}."));
    }
    let left_out: Vec<_> = left_out.iter().map(|(tests, _)| format!(" - test({tests})")).collect();
    format!("(package({package}) & binary(it){})", left_out.concat())
}

/// Tests that are left out, and why.
type LeftOut = [(&'static str, &'static str)];

/// Tests of the routes that are about SQLite, or about both databases wherever they run.
const OF_THE_ROUTES: [(&str, &str); 4] = [
    ("audit::on_", "they open both databases themselves"),
    ("shared_limits::", "they open both databases themselves"),
    ("when_too_much_is_being_written", "they hold the file"),
    ("an_export_that_waits_keeps_the_log_small", "it is SQLite's log"),
];

/// Tests of the command line that are about a file of data, and what of it.
const OF_THE_COMMANDS: [(&str, &str); 22] = [
    ("lifecycle::a_deletion_that_was_killed", "they write into it"),
    ("a_log_that_was_touched", "they write into it"),
    ("a_backup_is_a_whole_copy", "it is what is copied"),
    ("a_damaged_file", "they damage it"),
    ("a_whole_file", "they look through it"),
    ("an_account_is_created_once", "they look at its permissions"),
    ("a_password_comes_from_standard_input", "they look for the password in it"),
    ("a_key_s_secret_is_printed_once", "they look for the secret in it"),
    ("the_data_directory_can_be_named", "they say where it is"),
    ("what_is_not_there_is_named", "it may be missing, a database not"),
    ("two_places_for_the_same_data", "they name both"),
    ("standard_input_and_pipes", "copies are made beside it"),
    ("import_changed::", "copies are made beside it"),
    ("import_resumed::", "they kill what writes it by its size"),
    ("a_running_server_sees_what_commands_do", "they back it up"),
    ("files_that_may_not_grow", "they limit its size"),
    ("matrix::", "they write into it"),
    ("archive::", "they dump it"),
    ("every_route_is_decided_for_every_role", "they write into it"),
    ("the_same_seed_gives_the_same", "they compare copies of it"),
    ("a_server_that_cannot_write", "they lock it"),
    ("the_size_of_the_file_is_told", "they ask for it"),
];
