//! Three servers on one database share a quota exactly.

use crate::database::{cluster, command_on};
use crate::server::Server;
use crate::test_env::expect_success;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

const SERVERS: usize = 3;
/// Requests per window of the plan. Its burst limit is never reached.
const QUOTA: usize = 900;
const REQUESTS: usize = 1200;
const CLIENTS: usize = 24;

#[test]
fn servers_share_quota_exactly() {
    let url = cluster().create_database().unwrap();
    let run = |arguments: &str| expect_success(&command_on(&url, arguments).output().unwrap());
    run("account create --email a@example.com --plan enterprise");
    let form = run("form create --account a@example.com --name Form");
    let key = run("key create --account a@example.com --name Key --mode live");
    let serve = format!(
        "serve --listen 127.0.0.1:0 --instances {SERVERS} --plan-limits enterprise={QUOTA}/9000"
    );
    let servers: Vec<_> = (0..SERVERS).map(|_| Server::spawn(command_on(&url, &serve))).collect();

    let addresses: Vec<_> = servers.iter().map(|server| server.address.as_str()).collect();
    let header = format!("X-API-Key: {key}");
    let list = format!("/v1/forms/{form}/submissions?limit=1");
    let next = AtomicUsize::new(0);
    let answers = Mutex::new(Vec::new());
    let request = || {
        loop {
            let n = next.fetch_add(1, Ordering::Relaxed);
            if n >= REQUESTS {
                return;
            }
            let answer = Server::ask_at(addresses[n % SERVERS], "GET", &list, &[&header], "");
            answers.lock().unwrap().push(answer);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..CLIENTS {
            scope.spawn(request);
        }
    });

    let answers = answers.into_inner().unwrap();
    let count = |status: u16| answers.iter().filter(|answer| answer.status == status).count();
    assert_eq!((count(200), count(429)), (QUOTA, REQUESTS - QUOTA));
    let left = |rest: &str| answers.iter().any(|answer| answer.head.contains(rest));
    assert!(left("x-ratelimit-remaining: 0") && !left("x-ratelimit-remaining: 900"));
}
