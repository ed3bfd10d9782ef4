//! Repeated `kill -9` between the commit of a submission and the request to its webhook: every
//! acknowledged submission is delivered.

use crate::ask::ask;
use crate::receiver::{NO_RESPONSE, Receiver};
use crate::server::Server;
use crate::test_env::TestEnv;
use std::collections::BTreeSet;
use store::outbox::LEASE;

const KILLS: usize = 50;
const SUBMISSIONS_PER_KILL: usize = 2;
/// Options that allow receivers on this machine without TLS.
const ALLOWED: &str = "--webhook-allow-http --webhook-allow-network 127.0.0.0/8";

/// Sends a submission, and returns its id.
pub(crate) fn submit(server: &Server, form: &str) -> String {
    let path = format!("/f/{form}");
    let (status, body) = ask(&server.address, "POST", &path, &[], r#"{"a":"b"}"#).unwrap();
    assert_eq!(status, 201, "{body}");
    let json: serde_json::Value = serde_json::from_str(&body).unwrap();
    json["data"]["id"].as_str().unwrap().to_owned()
}

#[test]
fn killed_server_loses_no_delivery() {
    let env = TestEnv::with_account();
    let receiver = Receiver::start();
    let form = env.form("--field a");
    let url = &receiver.url;
    let webhook =
        env.json(&format!("webhook create --form {form} --url {url} {ALLOWED}"))["id"].take();
    let log = format!("webhook deliveries {} --limit 200 --json", webhook.as_str().unwrap());
    let mut acknowledged = BTreeSet::new();
    let mut delivered = BTreeSet::new();
    let receive = |delivered: &mut BTreeSet<String>| {
        let event = receiver.next_request().json();
        delivered.insert(event["data"]["id"].as_str().unwrap().to_owned());
    };
    let mut interrupted = 0;
    for kill in 0..KILLS {
        let mut server = Server::start(&env, &format!("service {ALLOWED}"));
        for _ in 0..SUBMISSIONS_PER_KILL {
            acknowledged.insert(submit(&server, &form));
        }
        // Every second kill follows a request, so that other deliveries are under way.
        if kill % 2 == 1 {
            receive(&mut delivered);
        }
        server.child.kill().unwrap();
        server.child.wait().unwrap();
        let list = env.json(&log);
        let is_pending = |delivery: &&serde_json::Value| delivery["state"] == "pending";
        interrupted += list.as_array().unwrap().iter().filter(is_pending).count();
    }
    assert!(interrupted >= KILLS, "{interrupted} deliveries were pending at a kill");
    assert_eq!(acknowledged.len(), KILLS * SUBMISSIONS_PER_KILL);
    let _server = Server::start(&env, &format!("service {ALLOWED}"));
    while !acknowledged.is_subset(&delivered) {
        receive(&mut delivered);
    }
    assert_eq!(delivered, acknowledged);
}

#[test]
fn interrupted_request_is_repeated_at_start() {
    let env = TestEnv::with_account();
    let receiver = Receiver::start();
    let form = env.form("--field a");
    let url = &receiver.url;
    env.run(&format!("webhook create --form {form} --url {url} {ALLOWED}"));
    receiver.respond_with(NO_RESPONSE);
    let mut server = Server::start(&env, &format!("service {ALLOWED}"));
    submit(&server, &form);
    let first = receiver.next_request();
    server.child.kill().unwrap();
    server.child.wait().unwrap();
    receiver.respond_with(204);
    let _server = Server::start(&env, &format!("service {ALLOWED}"));
    // The lease of the killed server has not ended by then.
    let second = receiver.next_request_within(LEASE / 2);
    assert_eq!(second.header("webhook-id"), first.header("webhook-id"));
    assert_eq!(second.json(), first.json());
}
