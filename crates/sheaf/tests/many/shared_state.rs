//! State that instances share: cursors, keys, sessions and limits.

use crate::site::{INSTANCES, Site};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Quota of the plan `pro` in a window. Its burst limit is larger than the number of all requests.
const QUOTA: usize = 200;
/// Number of requests.
const REQUESTS: usize = 420;
/// Number of threads that send them.
const CLIENTS: usize = 12;
/// Number of wrong passwords that an account allows before it is throttled.
const FREE_ATTEMPTS: usize = 5;

#[test]
fn changes_are_visible_on_all_instances() {
    let site = Site::start(&format!("--plan-limits pro={QUOTA}/5000"));
    pagination_across_instances_returns_each_row_once(&site);
    revocation_takes_effect_on_all_instances(&site);
    idempotency_key_is_shared_by_instances(&site);
    let admitted = count_admitted(&site, "p@example.com");
    assert_eq!(admitted, QUOTA);
    failed_sign_ins_are_counted_across_instances(&site);
}

fn pagination_across_instances_returns_each_row_once(site: &Site) {
    let form = site.create_form();
    let key = site.create_key();
    site.run_command(&format!(
        "sample --form {form} --count 500 --seed 1 --until 2026-03-01T00:00:00Z"
    ));
    let list = format!("/v1/forms/{form}/submissions");
    let mut seen = BTreeSet::new();
    let mut cursor = None::<String>;
    let mut pages = 0;
    loop {
        let more = cursor.map_or(String::new(), |cursor| format!("&cursor={cursor}"));
        let page =
            site.instances[pages % INSTANCES].get_with_key(&format!("{list}?limit=7{more}"), &key);
        assert_eq!(page.status, 200, "{}", page.text());
        let page = page.json();
        for row in page["data"].as_array().unwrap() {
            assert!(seen.insert(row["id"].to_string()), "row {} was returned twice", row["id"]);
        }
        // A submission through another instance must not shift the pages.
        let other = &site.instances[(pages + 1) % INSTANCES];
        assert_eq!(
            other.request("POST", &format!("/f/{form}"), &[], "{\"what\":\"x\"}").status,
            201
        );
        pages += 1;
        cursor = page["pagination"]["next_cursor"].as_str().map(str::to_owned);
        if cursor.is_none() {
            break;
        }
    }
    // 500 rows in pages of 7 make 72 pages; each page was followed by a new submission.
    assert_eq!((seen.len(), pages), (500, 72));
    let total = site.instances[0].get_with_key(&list, &key).json()["pagination"]["total"].as_u64();
    assert_eq!(total, Some(572));
    eprintln!(
        "pagination: {pages} pages from alternating instances, {} rows, each once",
        seen.len()
    );
}

fn revocation_takes_effect_on_all_instances(site: &Site) {
    let form = site.create_form();
    let list = format!("/v1/forms/{form}/submissions");
    let mut checked = 0;
    for n in 0..4 * INSTANCES {
        let on = |step: usize| &site.instances[(n + step) % INSTANCES];
        let cookie = sign_in(site, n);
        let new_key = r#"{"name":"x","mode":"live"}"#;
        let new = on(1).dashboard_request("POST", "/account/keys", &cookie, new_key).json();
        let key = new["secret"].as_str().unwrap();
        let id = new["data"]["id"].as_str().unwrap();
        // All instances have cached both before they end.
        for instance in &site.instances {
            assert_eq!(instance.get_with_key(&list, key).status, 200);
            assert_eq!(instance.dashboard_request("GET", "/account/keys", &cookie, "").status, 200);
        }
        let revoked =
            on(2).dashboard_request("DELETE", &format!("/account/keys/{id}"), &cookie, "");
        assert_eq!(revoked.status, 204, "{}", revoked.text());
        for instance in &site.instances {
            assert_eq!(instance.get_with_key(&list, key).status, 403);
        }
        assert_eq!(on(0).dashboard_request("DELETE", "/session", &cookie, "").status, 204);
        for instance in &site.instances {
            assert_eq!(instance.dashboard_request("GET", "/account/keys", &cookie, "").status, 401);
            checked += 1;
        }
    }
    eprintln!(
        "a key and a session revoked on another instance were refused at once, {checked} times"
    );
}

/// Signs in on one instance by a link, and returns the cookie.
pub(crate) fn sign_in(site: &Site, n: usize) -> String {
    let link =
        site.run_command("account sign-in-link --account a@example.com --url https://x.example");
    let token = link.split_once("#token=").unwrap().1;
    let body = format!("{{\"token\":\"{token}\"}}");
    let session = site.instances[n % INSTANCES].dashboard_request("POST", "/session", "", &body);
    assert_eq!(session.status, 200, "{}", session.text());
    session.cookie()
}

fn idempotency_key_is_shared_by_instances(site: &Site) {
    let form = site.create_form();
    for n in 0..30 {
        let key = format!("Idempotency-Key: again-{n}");
        let body = format!("{{\"what\":\"{n}\"}}");
        // All instances at the same time, so that two of them can find no earlier submission.
        let ids: BTreeSet<_> = std::thread::scope(|scope| {
            let send = |instance| {
                let form = &form;
                let key = &key;
                let body = &body;
                let instance: &crate::instance::Instance = instance;
                scope.spawn(move || {
                    let path = format!("/f/{form}");
                    let answer = instance.request("POST", &path, &[key.as_str()], body);
                    assert_eq!(answer.status, 201, "{}", answer.text());
                    answer.json()["data"]["id"].to_string()
                })
            };
            let all: Vec<_> = site.instances.iter().map(send).collect();
            all.into_iter().map(|sent| sent.join().unwrap()).collect()
        });
        assert_eq!(ids.len(), 1, "{ids:?}");
    }
}

/// Sends more requests than the quota of a new account, and returns how many are admitted.
fn count_admitted(site: &Site, email: &str) -> usize {
    site.run_command(&format!("account create --email {email} --plan pro"));
    let key = site.run_command(&format!("key create --account {email} --name Key --mode live"));
    let next = AtomicUsize::new(0);
    let admitted = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..CLIENTS {
            scope.spawn(|| {
                loop {
                    let n = next.fetch_add(1, Ordering::Relaxed);
                    if n >= REQUESTS {
                        return;
                    }
                    match site.instances[n % INSTANCES]
                        .get_with_key("/v1/submissions/sub_x", &key)
                        .status
                    {
                        404 => drop(admitted.fetch_add(1, Ordering::Relaxed)),
                        429 => {}
                        status => panic!("{status}"),
                    }
                }
            });
        }
    });
    let admitted = admitted.into_inner();
    eprintln!(
        "{REQUESTS} requests over {INSTANCES} instances: {admitted} admitted of a quota of {QUOTA}"
    );
    admitted
}

fn failed_sign_ins_are_counted_across_instances(site: &Site) {
    let wrong = r#"{"email":"p@example.com","password":"wrong wrong wrong"}"#;
    let tries = (0..=FREE_ATTEMPTS).map(|n| {
        site.instances[n % INSTANCES].dashboard_request("POST", "/session", "", wrong).status
    });
    let mut expected = vec![401; FREE_ATTEMPTS];
    expected.push(429);
    assert_eq!(tries.collect::<Vec<_>>(), expected);
}
