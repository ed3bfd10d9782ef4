//! Webhooks of several instances: each delivery is sent once, by whichever instance leases it.

use crate::receiver::Receiver;
use crate::site::{INSTANCES, Site};
use serde_json::Value;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// Number of submissions, and of threads that send them to each instance.
const SUBMISSIONS: usize = 600;
const SENDERS: usize = 2;
/// Maximum time until all deliveries are recorded as delivered.
const WAIT_MAX: Duration = Duration::from_mins(2);

#[test]
fn instances_share_deliveries_without_double_sends() {
    let local = "--webhook-allow-http --webhook-allow-network 127.0.0.0/8";
    let site = Site::start(local);
    let receiver = Receiver::start();
    let form = site.create_form();
    let url = &receiver.url;
    let created = site.run_command(&format!("webhook create --form {form} --url {url} {local}"));
    let created: Value = serde_json::from_str(&created).unwrap();
    let id = created["id"].as_str().unwrap();
    send_submissions(&site, &form);
    let begin = Instant::now();
    while count_delivered(&site, id) < SUBMISSIONS {
        assert!(begin.elapsed() < WAIT_MAX, "not all deliveries were delivered");
        std::thread::sleep(Duration::from_millis(200));
    }
    // Every request was received before its delivery was recorded.
    let ids: Vec<String> = std::iter::from_fn(|| receiver.request_within(Duration::ZERO))
        .map(|request| request.header("webhook-id").to_owned())
        .collect();
    let distinct: BTreeSet<&String> = ids.iter().collect();
    assert_eq!((ids.len(), distinct.len()), (SUBMISSIONS, SUBMISSIONS));
}

fn send_submissions(site: &Site, form: &str) {
    let path = format!("/f/{form}");
    std::thread::scope(|scope| {
        for sender in 0..SENDERS * INSTANCES {
            let instance = &site.instances[sender % INSTANCES];
            let path = &path;
            scope.spawn(move || {
                for number in 0..SUBMISSIONS / SENDERS / INSTANCES {
                    let body = format!("{{\"what\":\"{sender} {number}\"}}");
                    let answer = instance.request("POST", path, &[], &body);
                    assert_eq!(answer.status, 201, "{}", answer.text());
                }
            });
        }
    });
}

fn count_delivered(site: &Site, webhook: &str) -> usize {
    let limit = 2 * SUBMISSIONS;
    let log = site.run_command(&format!("webhook deliveries {webhook} --json --limit {limit}"));
    let log: Vec<Value> = serde_json::from_str(&log).unwrap();
    log.iter().filter(|delivery| delivery["state"] == "delivered").count()
}
