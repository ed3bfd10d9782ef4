//! A key that was revoked opens nothing any more, from the moment at which that was acknowledged:
//! under load, and whoever revoked it, the server itself or another process.

use crate::server::Server;
use crate::world::World;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// The status of what a key is answered.
fn status(address: &str, path: &str, key: &str) -> u16 {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET {path} HTTP/1.0\r\nHost: a.test\r\nX-API-Key: {key}\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.split(' ').nth(1).unwrap().parse().unwrap()
}

/// Asks with a key from several threads at once, has it revoked meanwhile, and counts what was asked
/// after that and answered all the same.
fn check(address: &str, path: &str, key: &str, revoke: impl FnOnce()) {
    let is_over = AtomicBool::new(false);
    let (before, after, revoked_at) = std::thread::scope(|scope| {
        let ask = || {
            let mut all = Vec::new();
            while !is_over.load(Ordering::Relaxed) {
                let begun = Instant::now();
                all.push((begun, status(address, path, key)));
            }
            all
        };
        let askers: Vec<_> = (0..4).map(|_| scope.spawn(ask)).collect();
        while status(address, path, key) != 200 {}
        std::thread::sleep(std::time::Duration::from_millis(300));
        revoke();
        let revoked_at = Instant::now();
        std::thread::sleep(std::time::Duration::from_millis(700));
        is_over.store(true, Ordering::Relaxed);
        let all = askers.into_iter().flat_map(|asker| asker.join().unwrap());
        let (before, after): (Vec<_>, Vec<_>) = all.partition(|(begun, _)| *begun < revoked_at);
        (before, after, revoked_at)
    });
    assert!(before.iter().any(|(_, status)| *status == 200), "nothing was answered before");
    assert!(after.len() > 20, "only {} requests after {revoked_at:?}", after.len());
    let opened = after.iter().filter(|(_, status)| *status != 403).count();
    assert_eq!(opened, 0, "of {} requests", after.len());
}

#[test]
fn a_revoked_key_opens_nothing_from_then_on() {
    let world = World::with_account();
    let form = world.form("--field Name");
    let mut server = Server::start(&world, "serve --plan-limits enterprise=1000000/100000");
    let sent = server.ask("POST", &format!("/f/{form}"), &[], r#"{"Name":"Ada"}"#).json();
    let one = format!("/v1/submissions/{}", sent["data"]["id"].as_str().unwrap());
    let list = format!("/v1/forms/{form}/submissions");
    let body = format!("{{\"token\":\"{}\"}}", server.token());
    let cookie = server.dashboard("POST", "/session", "", &body).cookie();
    for path in [&one, &list] {
        let new =
            server.dashboard("POST", "/account/keys", &cookie, r#"{"name":"x","mode":"live"}"#);
        let (new, key) = (new.json(), world.key("live"));
        let account = format!("/account/keys/{}", new["data"]["id"].as_str().unwrap());
        check(&server.address, path, new["secret"].as_str().unwrap(), || {
            assert_eq!(server.dashboard("DELETE", &account, &cookie, "").status, 204);
        });
        let keys = world.json("key list --account a@example.com --json");
        let is_it = |one: &&serde_json::Value| one["last4"] == key[key.len() - 4..];
        let id = keys.as_array().unwrap().iter().find(is_it).unwrap()["id"].clone();
        check(&server.address, path, &key, || {
            world.run(&format!("key revoke {}", id.as_str().unwrap()));
        });
    }
}
