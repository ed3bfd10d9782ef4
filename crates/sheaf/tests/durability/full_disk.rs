//! A full disk from the client's view. The server gets a small `tmpfs` as its disk.

use crate::ask::ask;
use crate::sender::FormUnderTest;
use crate::server::Server;
use crate::smtp_server::SmtpServer;
use crate::test_env::{TestEnv, wait_until};
use std::io::Write as _;
use std::path::PathBuf;
use std::process::Command;

const DISK: &str = "size=192m";
/// Mounts the disk on the data directory, copies the data onto it, and runs the remaining
/// arguments.
const MOUNT: &str = "cp -a \"$1\" \"$1.there\" && mount -t tmpfs -o \"$0\" none \"$1\" && \
    cp -a \"$1.there/.\" \"$1\" && shift && exec \"$@\"";

/// Starts the server with more options on its own disk, in a mount namespace.
fn start_on_small_disk(env: &TestEnv, more: &str) -> Server {
    let allowed = |how: &&str| {
        let tried = Command::new("unshare").args([how, "true"]).output();
        tried.is_ok_and(|tried| tried.status.success())
    };
    // Root mounts in a mount namespace alone; other users need a user namespace as well.
    let how = ["-m", "-rm"].into_iter().find(allowed);
    let how = how.expect("`unshare` is not allowed: this test needs to mount; run it as root");
    let mut command = Command::new("unshare");
    command.args([how, "sh", "-c", MOUNT, DISK, env.data().to_str().unwrap()]);
    command.args([env!("CARGO_BIN_EXE_sheaf"), "service", "--listen", "127.0.0.1:0"]);
    command.args(more.split_whitespace());
    command.env("SHEAF_DATA", env.data());
    Server::spawn(command)
}

/// Returns the data directory in the server's mount namespace.
fn mounted_data(env: &TestEnv, server: &Server) -> PathBuf {
    format!("/proc/{}/root{}", server.child.id(), env.data().display()).into()
}

fn submit(target: &FormUnderTest<'_>) -> (u16, String, String) {
    let text = "a full disk ".repeat(2500);
    let body = format!("{{\"a\":\"{text}\",\"b\":\"{text}\",\"c\":\"{text}\"}}");
    let path = format!("/f/{}", target.form);
    let (status, answer) = ask(target.address, "POST", &path, &[], &body).unwrap();
    let json: serde_json::Value = serde_json::from_str(&answer).unwrap();
    let message = json["message"].as_str().unwrap_or_default().to_owned();
    (status, json["error"].as_str().unwrap_or_default().to_owned(), message)
}

#[test]
fn full_disk_returns_503_until_space_is_free() {
    let env = TestEnv::with_account();
    let form = env.form("--field a --field b --field c");
    env.run(&format!("form intake {form} --address-limit none --form-limit none"));
    let key = env.key("live");
    let server = start_on_small_disk(&env, "");
    let target = FormUnderTest { address: &server.address, form: &form, key: &key };
    let root = mounted_data(&env, &server);
    wait_until("the reserve file exists", || root.join("sheaf.reserve").exists());
    assert_eq!(submit(&target).0, 201);

    let mut other = std::fs::File::create(root.join("other")).unwrap();
    while other.write(&[1; 4096]).is_ok() {}
    drop(other);
    let refused = (0..500).map(|_| submit(&target)).find(|(status, ..)| *status != 201).unwrap();
    let (status, error, message) = refused;
    assert_eq!((status, error.as_str()), (503, "internal_error"), "{message}");
    assert!(message.contains("the disk of this server is full"), "{message}");
    let list = server.get(&format!("/v1/forms/{form}/submissions"), &key);
    assert_eq!(list.status, 200, "reads fail: {}", list.text());
    let total = list.json()["pagination"]["total"].as_u64().unwrap();
    let id = list.json()["data"][0]["id"].as_str().unwrap().to_owned();
    let header = format!("X-API-Key: {key}");
    let deleted = server.ask("DELETE", &format!("/v1/submissions/{id}"), &[&header], "");
    assert_eq!(deleted.status, 204, "{}", deleted.text());
    let list = server.get(&format!("/v1/forms/{form}/submissions"), &key);
    assert_eq!(list.json()["pagination"]["total"], total - 1);

    std::fs::remove_file(root.join("other")).unwrap();
    wait_until("submissions are accepted again", || submit(&target).0 == 201);
    wait_until("the reserve file exists again", || root.join("sheaf.reserve").exists());
}

#[test]
fn operator_gets_mail_about_nearly_full_disk() {
    let env = TestEnv::with_account();
    let smtp = SmtpServer::start();
    let more = format!("{} --mail-operator operator@b.example", smtp.options());
    let server = start_on_small_disk(&env, &more);
    let root = mounted_data(&env, &server);
    wait_until("the reserve file exists", || root.join("sheaf.reserve").exists());
    let mut other = std::fs::File::create(root.join("other")).unwrap();
    while other.write(&[1; 4096]).is_ok() {}
    drop(other);
    let mail = smtp.next_mail();
    assert_eq!(mail.to, ["operator@b.example"]);
    assert!(mail.text().contains("disk"), "{}", mail.text());
}
