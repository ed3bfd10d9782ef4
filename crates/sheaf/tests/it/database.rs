//! The binary on a PostgreSQL database: options, refusals, monitoring and recovery.

use std::process::Command;
use test_servers::Postgres;

use crate::server::{HttpResponse, Server};
use crate::test_env::{TestEnv, binary, expect_failure, expect_success, wait_until};

pub(crate) fn cluster() -> &'static Postgres {
    Postgres::shared()
}

/// Returns a command on the database at `url`.
pub(crate) fn command_on(url: &str, arguments: &str) -> Command {
    let mut command = binary();
    command.args(arguments.split_whitespace()).env("SHEAF_DATABASE_URL", url);
    command
}

fn with_password(url: &str) -> String {
    url.replace("//sheaf@", "//sheaf:hidden@")
}

#[test]
fn conflicting_data_locations_are_refused() {
    let env = TestEnv::new();
    let url = "postgres://me:hidden@127.0.0.1:1/d";
    let url_file = env.path("url");
    let url_file = url_file.display();
    let check = |command: &mut Command, expect: &str| {
        let printed = expect_failure(&command.output().unwrap());
        assert!(printed.contains(expect), "{printed}");
        assert!(!printed.contains("hidden"), "{printed}");
    };
    check(&mut command_on(url, "account list --data elsewhere"), "remove one of them");
    check(&mut command_on(url, &format!("account list --database-url-file {url_file}")), "twice");
    check(
        &mut env.command("serve --listen 127.0.0.1:0 --replica-url postgres://h/d"),
        "needs a database",
    );
    // `SHEAF_DATA`, which container images set, is ignored if a database is set.
    check(
        command_on(url, "account list").env("SHEAF_DATA", "/data"),
        "nothing listens at `127.0.0.1:1`",
    );
    check(&mut command_on("", "account list --data /nowhere"), "there is no data in `/nowhere`");
}

#[test]
fn file_only_commands_name_alternatives() {
    let url = "postgres://me:hidden@127.0.0.1:1/d";
    for (command, expect) in [("backup copy.db", "use `sheaf dump FILE`"), ("check", "pg_amcheck")]
    {
        let printed = expect_failure(&command_on(url, command).output().unwrap());
        assert!(printed.contains(expect), "{command}: {printed}");
    }
}

/// Runs a command on a database and returns its output.
fn run_on(url: &str, arguments: &str) -> String {
    expect_success(&command_on(url, arguments).output().unwrap())
}

#[test]
fn commands_do_not_migrate_schema() {
    let url = cluster().create_database().unwrap();
    let refused = |expect: &str| {
        for arguments in ["account list", "audit verify"] {
            let printed = expect_failure(&command_on(&url, arguments).output().unwrap());
            assert!(printed.contains(expect), "{arguments}: {printed}");
        }
    };
    refused("there is no data in the database; start a server on it");
    run_on(&url, "account create --email ada@example.com --plan free");
    let back = "DELETE FROM schema_migrations WHERE version > 1";
    cluster().run_sql(url.rsplit('/').next().unwrap(), back).unwrap();
    refused("start a server of this version to migrate it");
}

#[test]
fn audit_verify_works_on_database() {
    let url = cluster().create_database().unwrap();
    expect_success(
        &command_on(&url, "account create --email ada@example.com --plan free").output().unwrap(),
    );
    let printed = expect_success(&command_on(&url, "audit verify").output().unwrap());
    assert!(printed.contains("whole"), "{printed}");
    // The command prints its findings before it fails.
    let fails = |arguments: &str| {
        let output = command_on(&url, arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let missed = fails(&format!("audit verify --end 1:{}", "0".repeat(64)));
    assert!(missed.contains("does not contain the entry"), "{missed}");
    let change = "ALTER TABLE audit DISABLE TRIGGER USER; UPDATE audit SET detail = '{}'";
    cluster().run_sql(url.rsplit('/').next().unwrap(), change).unwrap();
    let printed = fails("audit verify");
    assert!(printed.contains("the audit log was changed"), "{printed}");
}

#[test]
fn database_url_file_must_be_private() {
    let env = TestEnv::new();
    let url = cluster().create_database().unwrap();
    run_on(&url, "account create --email a@example.com --plan free");
    let file = env.secret("url", &format!("{}\n", with_password(&url)));
    let mut list = binary();
    list.args(["account", "list", "--database-url-file", &file]);
    assert!(expect_success(&list.output().unwrap()).contains("a@example.com"));
    // A systemd credential is named without its directory.
    let folder = std::path::Path::new(&file).parent().unwrap();
    let mut list = binary();
    list.args(["account", "list", "--database-url-file", "url"])
        .env("CREDENTIALS_DIRECTORY", folder);
    assert!(expect_success(&list.output().unwrap()).contains("a@example.com"));
    let open = env.write("open", &url);
    let mut list = binary();
    list.args(["account", "list", "--database-url-file", &open]);
    assert!(expect_failure(&list.output().unwrap()).contains("chmod 600"));
}

#[test]
fn password_in_url_option_is_warned_about() {
    let url = with_password(&cluster().create_database().unwrap());
    let output = binary().args(["account", "list", "--database-url", &url]).output().unwrap();
    let printed = String::from_utf8(output.stderr).unwrap();
    assert!(printed.contains("process list"), "{printed}");
    assert!(!printed.contains("hidden"), "{printed}");
    // This command reads the location of the data twice, but warns once.
    let output = binary().args(["audit", "verify", "--database-url", &url]).output().unwrap();
    let printed = String::from_utf8(output.stderr).unwrap();
    assert_eq!(printed.matches("process list").count(), 1, "{printed}");
    let help = command_on(&url, "serve --help").output().unwrap();
    assert!(!String::from_utf8(help.stdout).unwrap().contains("hidden"));
}

/// Starts a server on a database, and returns it with the address of its operator endpoints.
fn start_server(url: &str, more: &str) -> (Server, String) {
    let command = command_on(
        url,
        &format!("serve --listen 127.0.0.1:0 --operator-listen 127.0.0.1:0 {more}"),
    );
    let mut server = Server::spawn(command);
    let line = server.line();
    let operator = line.strip_prefix("operator endpoints on http://").unwrap().to_owned();
    (server, operator)
}

fn request_operator(operator: &str, path: &str) -> HttpResponse {
    Server::ask_at(operator, "GET", path, &[], "")
}

fn wait_for_readiness(operator: &str, status: u16) -> String {
    let mut printed = String::new();
    wait_until(&format!("`/readyz` answers {status}"), || {
        let answer = request_operator(operator, "/readyz");
        answer.text().clone_into(&mut printed);
        answer.status == status
    });
    printed
}

#[test]
fn readiness_follows_database() {
    let cluster = Postgres::start(&["fsync=off"]).unwrap();
    let url = with_password(&cluster.create_database().unwrap());
    run_on(&url, "account create --email a@example.com --plan pro");
    let key = run_on(&url, "key create --account a@example.com --name Key --mode live");
    let form = run_on(&url, "form create --account a@example.com --name Form");
    let list = format!("/v1/forms/{form}/submissions");
    let (mut server, operator) = start_server(&url, "--database-connections 8");
    assert_eq!(server.get(&list, &key).status, 200);
    wait_for_readiness(&operator, 200);
    let metrics = request_operator(&operator, "/metrics");
    for line in [
        r#"sheaf_database_connections_max{for="calls"} 8"#,
        r#"sheaf_database_connections_max{for="long"} 2"#,
        r#"sheaf_database_calls_waiting{for="calls"} 0"#,
        "sheaf_replica_left_alone 0",
        "sheaf_ready 1",
    ] {
        assert!(metrics.text().contains(line), "{line}: {}", metrics.text());
    }
    cluster.crash().unwrap();
    let printed = wait_for_readiness(&operator, 503);
    assert!(printed.contains(r#""what":"database""#), "{printed}");
    let answer = server.get(&list, &key);
    assert_eq!(answer.status, 503, "{}", answer.text());
    assert!(answer.head.contains("retry-after: 1"), "{}", answer.head);
    cluster.restart().unwrap();
    wait_for_readiness(&operator, 200);
    server.signal("TERM");
    let printed = server.end();
    assert!(!printed.contains("hidden"), "{printed}");
}
