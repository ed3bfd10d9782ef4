//! A revoked key is refused from the moment its revocation is acknowledged: under load, and whether
//! the server itself or another process revoked it.

use crate::server::Server;
use crate::test_env::{SOON, TestEnv, wait_until};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

/// Returns the status of a request with a key.
fn response_status(address: &str, path: &str, key: &str) -> u16 {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET {path} HTTP/1.0\r\nHost: a.test\r\nX-API-Key: {key}\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.split(' ').nth(1).unwrap().parse().unwrap()
}

/// Number of threads that send requests.
const CLIENTS: usize = 4;
/// Number of requests of each thread after the revocation.
const REQUESTS_AFTER_REVOCATION: usize = 6;

/// Sends requests with a key from several threads and revokes it meanwhile. Panics if a request
/// that began after the revocation was accepted.
fn check_revocation(address: &str, path: &str, key: &str, revoke: impl FnOnce()) {
    let answered = AtomicUsize::new(0);
    let is_revoked = AtomicBool::new(false);
    let all: Vec<_> = std::thread::scope(|scope| {
        let request = || {
            let mut all = Vec::new();
            let mut after = 0;
            let started_at = Instant::now();
            while after < REQUESTS_AFTER_REVOCATION && started_at.elapsed() < SOON {
                let is_after = is_revoked.load(Ordering::SeqCst);
                let status = response_status(address, path, key);
                answered.fetch_add(usize::from(status == 200), Ordering::Relaxed);
                after += usize::from(is_after);
                all.push((is_after, status));
            }
            all
        };
        let clients: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(request)).collect();
        wait_until("requests with the key succeed", || answered.load(Ordering::Relaxed) >= 20);
        revoke();
        is_revoked.store(true, Ordering::SeqCst);
        clients.into_iter().flat_map(|client| client.join().unwrap()).collect()
    });
    let after: Vec<_> = all.iter().filter(|(is_after, _)| *is_after).collect();
    assert_eq!(after.len(), CLIENTS * REQUESTS_AFTER_REVOCATION, "the server was too slow");
    let opened = after.iter().filter(|(_, status)| *status != 403).count();
    assert_eq!(opened, 0, "requests accepted after the revocation, of {}", after.len());
}

#[test]
fn revoked_key_is_refused_at_once() {
    let env = TestEnv::with_account();
    let form = env.form("--field Name");
    let server = Server::start(&env, "serve --plan-limits enterprise=1000000/100000");
    let sent = server.ask("POST", &format!("/f/{form}"), &[], r#"{"Name":"Ada"}"#).json();
    let submission_path = format!("/v1/submissions/{}", sent["data"]["id"].as_str().unwrap());
    let list = format!("/v1/forms/{form}/submissions");
    let body = format!("{{\"token\":\"{}\"}}", env.sign_in_token());
    let cookie = server.dashboard("POST", "/session", "", &body).cookie();
    for path in [&submission_path, &list] {
        let new =
            server.dashboard("POST", "/account/keys", &cookie, r#"{"name":"x","mode":"live"}"#);
        let new = new.json();
        let key = env.key("live");
        let account = format!("/account/keys/{}", new["data"]["id"].as_str().unwrap());
        check_revocation(&server.address, path, new["secret"].as_str().unwrap(), || {
            assert_eq!(server.dashboard("DELETE", &account, &cookie, "").status, 204);
        });
        let keys = env.json("key list --account a@example.com --json");
        let is_it =
            |submission_path: &&serde_json::Value| submission_path["last4"] == key[key.len() - 4..];
        let id = keys.as_array().unwrap().iter().find(is_it).unwrap()["id"].clone();
        check_revocation(&server.address, path, &key, || {
            env.run(&format!("key revoke {}", id.as_str().unwrap()));
        });
    }
}
