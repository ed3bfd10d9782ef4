//! Start and end of a server: durability, changes by commands while it runs, and shutdown.

use crate::server::Server;
use crate::test_env::{TestEnv, binary, expect_failure};
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};

#[test]
fn acknowledged_submissions_and_deletions_survive_kill() {
    let env = TestEnv::with_account();
    let form = env.form("--field Name");
    let key = env.key("live");
    let mut server = Server::start(&env, "serve");
    let submit = |n: usize| {
        let body = format!(r#"{{"Name":"{n}"}}"#);
        let answer = server.ask("POST", &format!("/f/{form}"), &[], &body);
        assert_eq!(answer.status, 201, "{}", answer.text());
        answer.json()["data"]["id"].as_str().unwrap().to_owned()
    };
    let ids: Vec<_> = (0..6).map(submit).collect();
    let path = format!("/v1/submissions/{}", ids[0]);
    let header = format!("X-API-Key: {key}");
    assert_eq!(server.ask("DELETE", &path, &[&header], "").status, 204);
    server.child.kill().unwrap();
    server.child.wait().unwrap();
    assert_eq!(env.count(&form), 5);

    let server = Server::start(&env, "serve");
    assert_eq!(server.get(&path, &key).status, 404);
    let list = server.get(&format!("/v1/forms/{form}/submissions"), &key).json();
    let listed = list["data"].as_array().unwrap().iter().rev().map(|row| row["id"].clone());
    assert_eq!(listed.collect::<Vec<_>>(), ids[1..]);
}

#[test]
fn running_server_sees_command_changes() {
    let env = TestEnv::with_account();
    let form = env.form("");
    let server = Server::start(&env, "serve");
    let list = format!("/v1/forms/{form}/submissions");
    let key = env.key("live");
    assert_eq!(server.get(&list, &key).json()["pagination"]["total"], 0);
    let file = env.write("file", "{\"answers\":{\"new\":1}}\n");
    env.run(&format!("import --form {form} {file}"));
    assert_eq!(server.get(&list, &key).json()["data"][0]["answers"]["new"], 1);
    env.run(&format!("backup {}", env.path("copy.db").display()));

    let keys = env.json("key list --account a@example.com --json");
    env.run(&format!("key revoke {}", keys[0]["id"].as_str().unwrap()));
    let refused = server.get(&list, &key);
    assert_eq!((refused.status, &refused.json()["error"]), (403, &"forbidden".into()));
}

#[test]
fn signal_shuts_down_cleanly() {
    let env = TestEnv::with_account();
    for name in ["TERM", "INT"] {
        let mut server = Server::start(&env, "serve");
        let mut idle = TcpStream::connect(&server.address).unwrap();
        idle.write_all(b"GET /session HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
        assert!(idle.read(&mut [0; 512]).unwrap() > 0);
        server.signal(name);
        // Without the drain, the server would close the connection after a timeout and log that
        // instead.
        let log = server.end();
        assert!(log.contains("\"drained\""), "an idle connection delayed the shutdown: {log}");
        assert_eq!(server.child.wait().unwrap().code(), Some(0), "{name}");
    }
}

#[test]
fn log_is_json_without_secrets() {
    let env = TestEnv::with_account();
    let key = env.key("live");
    let mut command = env.command("serve --listen 127.0.0.1:0");
    command.env("RUST_LOG", "debug");
    let mut server = Server::spawn(command);
    let token = env.sign_in_token();
    let answer = server.dashboard("POST", "/session", "", &format!("{{\"token\":\"{token}\"}}"));
    let cookie = answer.cookie();
    server.get("/v1/forms/frm_1/submissions?search=canary", &key);
    server.signal("TERM");
    let log = server.end();
    assert!(log.contains("drain") && log.contains("/v1/forms/frm_1/submissions"), "{log}");
    for line in log.lines() {
        assert!(serde_json::from_str::<serde_json::Value>(line).is_ok(), "{line}");
    }
    let cookie = cookie.split_once('=').unwrap().1;
    for secret in [key.as_str(), &token, cookie, "canary"] {
        assert!(!log.contains(secret), "{secret} was logged");
    }
    let mut wrong = env.command("account list");
    let wrong = wrong.env("RUST_LOG", "=,=").output().unwrap();
    assert!(crate::test_env::expect_failure(&wrong).contains("`RUST_LOG` must be a filter"));
}

/// The port is in use, so a server that listens before it checks its options would report the port.
#[test]
fn invalid_option_fails_before_opening_data() {
    let env = TestEnv::new();
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let listen = format!("--listen {}", other.local_addr().unwrap());
    let data = env.path("none");
    let check = |arguments: &str, expect: &str| {
        let mut command = binary();
        command.args(arguments.split_whitespace()).env("SHEAF_DATA", &data);
        let printed = expect_failure(&command.output().unwrap());
        assert!(printed.contains(expect), "{arguments}: {printed}");
        assert!(!data.exists(), "{arguments}: the data directory was created");
    };
    let insight = "--insight-url http://127.0.0.1:9 --insight-model m";
    let key = env.secret("key", "two words");
    let two_places = "--data elsewhere --database-url postgres://127.0.0.1:1/d";
    let database = "--database-url postgres://127.0.0.1:1/d";
    for (option, expect) in [
        (two_places.to_owned(), "name two locations of the data"),
        ("--database-url mysql://127.0.0.1/d".to_owned(), "postgres://"),
        (format!("{database} --replica-url mysql://127.0.0.1/d"), "postgres://"),
        (format!("{database} --database-ca /nowhere/ca.pem"), "/nowhere/ca.pem"),
        ("--replica-url postgres://127.0.0.1:1/d".to_owned(), "`--replica-url` needs a database"),
        (format!("{insight} --insight-key-file {key}"), "must contain only a key"),
        (format!("{insight} --insight-ca /nowhere/ca.pem"), "/nowhere/ca.pem"),
        ("--geoip-db /nowhere/country.mmdb".to_owned(), "/nowhere/country.mmdb"),
        ("--country-header CF-IPCountry".to_owned(), "`--country-header` needs a trusted proxy"),
    ] {
        for command in ["serve", "service"] {
            check(&format!("{command} {listen} {option}"), expect);
        }
    }
    let key = env.secret("key", "svc_sk_live_abc");
    let gateway = format!("gateway {listen} --upstream http://127.0.0.1:9 --key-live-file {key}");
    check(&format!("{gateway} {two_places}"), "name two locations of the data");
    let used = format!("cannot listen on `{}`", other.local_addr().unwrap());
    check(&format!("serve {listen}"), &used);
    check(&format!("service {listen}"), &used);
}
