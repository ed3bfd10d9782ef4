//! The manual: `--help` of every command, so that a change of the command line is seen.

use crate::world::{binary, good};

fn help(command: &str) -> String {
    let output = binary().args(command.split_whitespace()).arg("--help").output().unwrap();
    let text = good(&output);
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

#[test]
fn of_the_binary() {
    insta::assert_snapshot!(help(""), @"");
}

#[test]
fn of_serve() {
    insta::assert_snapshot!(help("serve"), @"");
}

#[test]
fn of_service() {
    insta::assert_snapshot!(help("service"), @"");
}

#[test]
fn of_gateway() {
    insta::assert_snapshot!(help("gateway"), @"");
}

#[test]
fn of_account() {
    insta::assert_snapshot!(help("account"), @"");
}

#[test]
fn of_account_create() {
    insta::assert_snapshot!(help("account create"), @"");
}

#[test]
fn of_account_list() {
    insta::assert_snapshot!(help("account list"), @"");
}

#[test]
fn of_account_sign_in_link() {
    insta::assert_snapshot!(help("account sign-in-link"), @"");
}

#[test]
fn of_form() {
    insta::assert_snapshot!(help("form"), @"");
}

#[test]
fn of_form_create() {
    insta::assert_snapshot!(help("form create"), @"");
}

#[test]
fn of_form_list() {
    insta::assert_snapshot!(help("form list"), @"");
}

#[test]
fn of_form_show() {
    insta::assert_snapshot!(help("form show"), @"");
}

#[test]
fn of_key() {
    insta::assert_snapshot!(help("key"), @"");
}

#[test]
fn of_key_create() {
    insta::assert_snapshot!(help("key create"), @"");
}

#[test]
fn of_key_list() {
    insta::assert_snapshot!(help("key list"), @"");
}

#[test]
fn of_key_revoke() {
    insta::assert_snapshot!(help("key revoke"), @"");
}

#[test]
fn of_import() {
    insta::assert_snapshot!(help("import"), @"");
}

#[test]
fn of_sample() {
    insta::assert_snapshot!(help("sample"), @"");
}

#[test]
fn of_backup() {
    insta::assert_snapshot!(help("backup"), @"");
}
