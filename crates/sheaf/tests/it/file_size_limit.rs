//! A limit on file sizes: a server that reaches it keeps running, and logs how to raise it.

use crate::server::Server;
use crate::test_env::TestEnv;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Sets the file size limit of a running server, in bytes; `None` removes it.
fn set_file_size_limit(server: &Server, bytes: Option<u64>) {
    let bytes = bytes.map_or_else(|| "unlimited".to_owned(), |bytes| bytes.to_string());
    let pid = server.child.id().to_string();
    let limit = format!("--fsize={bytes}:unlimited");
    let mut command = Command::new("prlimit");
    let done = command.args(["--pid", &pid, &limit]).stdin(Stdio::null()).status().unwrap();
    assert!(done.success());
}

#[track_caller]
fn check_full(answer: &crate::server::HttpResponse) {
    assert_eq!(answer.status, 503, "{}", answer.text());
    assert!(answer.head.contains("retry-after: 30"), "{}", answer.head);
    assert_eq!(answer.json()["error"], "internal_error");
    let message = answer.json()["message"].to_string();
    assert!(message.contains("the disk of this server is full"), "{message}");
}

#[test]
fn file_size_limit_is_handled_as_full_disk() {
    let env = TestEnv::with_account();
    let form = env.form("--field Name");
    let key = env.key("live");
    let mut server = Server::start(&env, "service");
    let send = || server.ask("POST", &format!("/f/{form}"), &[], r#"{"Name":"Ada"}"#);
    let header = format!("X-API-Key: {key}");
    let delete = |id: &str| server.ask("DELETE", &format!("/v1/submissions/{id}"), &[&header], "");
    let id = |answer: crate::server::HttpResponse| {
        assert_eq!(answer.status, 201, "{}", answer.text());
        answer.json()["data"]["id"].as_str().unwrap().to_owned()
    };
    let ids: Vec<_> = (0..4).map(|_| id(send())).collect();

    // Near the limit the server refuses writes that grow the file, and accepts the others.
    set_file_size_limit(&server, Some(32 << 20));
    check_full(&send());
    assert_eq!(delete(&ids[0]).status, 204);

    // Beyond the limit every write fails, but `SIGXFSZ` does not kill the process.
    set_file_size_limit(&server, Some(4096));
    check_full(&send());
    check_full(&delete(&ids[1]));
    let list = server.get(&format!("/v1/forms/{form}/submissions"), &key);
    assert_eq!((list.status, list.json()["pagination"]["total"].as_u64()), (200, Some(3)));

    set_file_size_limit(&server, None);
    assert_eq!(delete(&ids[1]).status, 204);
    let retry = || {
        std::thread::sleep(Duration::from_millis(100));
        send()
    };
    id((0..300).map(|_| retry()).find(|answer| answer.status != 503).unwrap());
    server.signal("TERM");
    let log = server.end();
    assert!(log.contains("raise the limit (`LimitFSIZE`, `ulimit -f`)"), "{log}");
}
