//! The suites that run over both databases, over PostgreSQL: what they name as their store is given
//! to them by `SHEAF_TEST_STORE`.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

use crate::{
    place,
    run::{Error, Result, output_of, say},
    serve, servers,
    steps::cargo,
    test::{Counts, counted},
};

/// Runs them. The command line is that of the binary that is released.
pub(crate) fn suites(counts: &mut Counts) -> Result {
    serve::build()?;
    let mut spec = cargo(&["test", "--locked", "--no-fail-fast", "--workspace", "--test", "spec"]);
    counted(spec.env("PATH", servers::path()?).env("SHEAF_TEST_STORE", "postgres"), counts)?;
    suite("service", &OF_THE_ROUTES, counts)?;
    suite("sheaf", &OF_THE_COMMANDS, counts)
}

/// Tests that are left out, and why.
type LeftOut = [(&'static str, &'static str)];

/// Tests of the routes that are about SQLite, or about both databases wherever they run.
const OF_THE_ROUTES: [(&str, &str); 6] = [
    ("store::", "they open both databases themselves"),
    ("audit::on_", "they open both databases themselves"),
    ("shared_limits::", "they open both databases themselves"),
    ("at_once::", "only a file is read without waiting"),
    ("when_too_much_is_being_written", "they hold the file"),
    ("an_export_that_waits_keeps_the_log_small", "it is SQLite's log"),
];

/// Tests of the command line that are about a file of data, and what of it.
const OF_THE_COMMANDS: [(&str, &str); 21] = [
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
    ("moving::", "they move it"),
    ("every_route_is_decided_for_every_role", "they write into it"),
    ("the_same_seed_gives_the_same", "they compare copies of it"),
    ("a_server_that_cannot_write", "they lock it"),
    ("the_size_of_the_file_is_told", "they ask for it"),
];

fn suite(package: &str, left_out: &LeftOut, counts: &mut Counts) -> Result {
    let mut test = Command::new(program(package)?);
    for (tests, why) in left_out {
        say(&format!("Left out over PostgreSQL: `{tests}`: {why}."));
        test.args(["--skip", tests]);
    }
    test.current_dir(folder(package)).env("PATH", servers::path()?);
    counted(test.env("SHEAF_TEST_STORE", "postgres").env("SHEAF_BIN", place::binary()), counts)
}

fn folder(package: &str) -> PathBuf {
    place::root().join("crates").join(package)
}

/// The program of a package's tests from outside. All packages are asked for, since cargo would
/// compile what they depend on once more for one of them.
fn program(package: &str) -> Result<PathBuf> {
    let mut build = cargo(&["test", "--locked", "--workspace", "--test", "it", "--no-run"]);
    let messages = output_of(build.args(["--message-format", "json"])).unwrap_or_default();
    let manifest = folder(package).join("Cargo.toml");
    let found = messages.lines().find_map(|line| executable(line, "it", &manifest));
    found.ok_or_else(|| {
        let why = "`cargo test --workspace --test it --no-run` says why";
        Error::new(format!("no tests of `{package}` were compiled; {why}"))
    })
}

/// The program that one of cargo's messages is about, where it is this target of this manifest.
fn executable(message: &str, target: &str, manifest: &Path) -> Option<PathBuf> {
    let message: Value = serde_json::from_str(message).ok()?;
    let is_it = message["target"]["name"] == target
        && message["manifest_path"].as_str().map(Path::new) == Some(manifest);
    is_it.then(|| message["executable"].as_str().map(PathBuf::from))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_of_a_target_is_found_by_its_manifest() {
        let message = |package: &str, name: &str| {
            format!(
                "{{\"reason\":\"compiler-artifact\",\"manifest_path\":\"/x/{package}/Cargo.toml\",\
                 \"target\":{{\"name\":\"{name}\"}},\"executable\":\"/t/{package}-{name}\"}}"
            )
        };
        let found = |line: &str| executable(line, "it", Path::new("/x/service/Cargo.toml"));
        assert_eq!(found(&message("service", "it")), Some(PathBuf::from("/t/service-it")));
        assert_eq!(found(&message("sheaf", "it")), None);
        assert_eq!(found(&message("service", "spec")), None);
        assert_eq!(found("   Compiling service"), None);
    }
}
