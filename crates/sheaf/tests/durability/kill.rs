//! Repeated `kill -9` under 64 senders: no acknowledged submission is lost or stored twice.

use crate::sender::{FormUnderTest, SubmittingClient};
use crate::server::Server;
use crate::test_env::TestEnv;
use contract::Filter;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use store::{Owner, Position, Store};
use store_sqlite::SqliteStore;

/// Number of kills in a full run, and in other runs.
const KILLS: [u64; 2] = [1000, 100];
const SENDERS: usize = 64;
/// Number of times that all submissions are compared with the acknowledged ones.
const COMPARISONS: u64 = 4;
/// Maximum lifetime of a server if acknowledgements are slow.
const LIFE_MAX: Duration = Duration::from_secs(5);

#[test]
fn kills_lose_or_duplicate_no_submission() {
    let kills = if test_servers::is_full_run() { KILLS[0] } else { KILLS[1] };
    let env = TestEnv::with_account();
    let form = env.form("--field what --field more");
    env.run(&format!("form intake {form} --address-limit none --form-limit none"));
    let key = env.key("live");
    let mut senders: Vec<_> =
        (0..SENDERS).map(|n| SubmittingClient::new(format!("s{n}"))).collect();
    for kill in 1..=kills {
        let mut server = Server::start(&env, "service");
        let address = server.address.clone();
        let target = FormUnderTest { address: &address, form: &form, key: &key };
        let acknowledged = AtomicU64::new(0);
        let began = Instant::now();
        std::thread::scope(|scope| {
            for sender in &mut senders {
                let target = &target;
                let acknowledged = &acknowledged;
                scope.spawn(move || {
                    while sender.send_next(target).is_some() {
                        acknowledged.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
            // Kill at varying moments: after 0 to 79 acknowledgements, plus up to 3 ms.
            let enough = kill * 37 % 80;
            while acknowledged.load(Ordering::Relaxed) < enough && began.elapsed() < LIFE_MAX {
                std::thread::sleep(Duration::from_micros(200));
            }
            std::thread::sleep(Duration::from_micros(kill * 131 % 3000));
            server.child.kill().unwrap();
            server.child.wait().unwrap();
        });
        if kill.is_multiple_of(kills / COMPARISONS) {
            compare_with_acknowledged(&env, &form, &senders);
        }
    }
    let sum = |of: &dyn Fn(&SubmittingClient) -> usize| senders.iter().map(of).sum::<usize>();
    let taken = sum(&|sender| sender.acknowledged.len());
    let gone = sum(&|sender| sender.deleted.len());
    let repeated = sum(&|sender| sender.retries);
    eprintln!("{kills} kills: {taken} acknowledged, {gone} deleted, {repeated} repeated");
    let kills = usize::try_from(kills).unwrap();
    assert!(taken > 10 * kills && gone > kills && repeated > kills);
}

/// Compares the rows of the file with the submissions that were acknowledged.
fn compare_with_acknowledged(env: &TestEnv, form: &str, senders: &[SubmittingClient]) {
    let file = env.data().join("sheaf.db");
    let report = store_sqlite::check(&file).unwrap();
    assert_eq!(report.findings, [""; 0]);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let id = form.parse().unwrap();
    let all = Filter::default();
    let mut rows = Vec::new();
    runtime.block_on(async {
        let store = SqliteStore::open(&file).unwrap();
        let form = store.find_form(&id).await.unwrap().unwrap();
        let (account_id, environment) = (form.account_id, form.form.environment);
        let owner = Owner { account_id, environment };
        let mut after: Option<Position> = None;
        loop {
            let page = store.list_page(&owner, &id, &all, after.as_ref(), 5000).await.unwrap();
            let page = page.unwrap();
            after = page.rows.last().map(|row| row.position.clone());
            rows.extend(page.rows);
            if after.is_none() {
                break;
            }
        }
    });
    let mut stored = BTreeMap::new();
    for row in rows {
        let json: serde_json::Value = serde_json::from_str(&row.json).unwrap();
        let what = json["answers"]["what"].as_str().unwrap().to_owned();
        let twice = stored.insert(what.clone(), row.position.id.to_string());
        assert_eq!(twice, None, "`{what}` is stored twice");
    }
    for sender in senders {
        for (what, id) in &sender.acknowledged {
            match stored.get(what) {
                Some(_) if sender.deleted.contains(id) => {
                    panic!("`{what}` was deleted and is back")
                }
                Some(found) => assert_eq!(found, id, "`{what}` was acknowledged with another id"),
                None => {
                    assert!(
                        sender.delete_requested.contains(id),
                        "`{what}` was acknowledged and is lost"
                    );
                }
            }
        }
    }
}
