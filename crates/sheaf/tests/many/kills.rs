//! `kill -9` of instances at varying moments and two restarts of the database, under load: the
//! database then contains each acknowledged submission once, and no other.

use crate::sender::{FormUnderTest, Sender, StopOnPanic};
use crate::site::{INSTANCES, Site};
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

const KILLS: u64 = 50;
/// Number of the kill after which the database is stopped in an orderly way.
const RESTART_AT: u64 = 17;
/// Number of the kill after which the database crashes.
const CRASH_AT: u64 = 34;
/// At each multiple of this number of kills, a second instance may be down as well.
const BOTH_EVERY: u64 = 6;
const SENDERS: u32 = 50;
/// More than the 500 a second that an idle machine acknowledges, because clients pause before they
/// send again. The test prints the measured rate at its end.
const WRITES_PER_S: u32 = 1000;
/// Maximum number of acknowledgements between two kills. The number varies from kill to kill.
const ENOUGH_MAX: u64 = 600;
/// Maximum duration of a round if acknowledgements are slow.
const ROUND_MAX: Duration = Duration::from_secs(3);

#[test]
fn kills_and_restarts_lose_or_duplicate_no_submission() {
    let mut site = Site::start("");
    let form = site.create_form();
    let key = site.create_key();
    let address = site.balancer.clone();
    let target = FormUnderTest::new([&address, &form, &key], SENDERS, WRITES_PER_S, false);
    let mut senders: Vec<_> = (0..SENDERS).map(|n| Sender::new(format!("s{n}"))).collect();
    let all_began = Instant::now();
    std::thread::scope(|scope| {
        for sender in &mut senders {
            scope.spawn(|| sender.send_until_over(&target));
        }
        let _fails = StopOnPanic(&target.is_over);
        for kill in 1..=KILLS {
            assert!(!target.is_over.load(Ordering::Relaxed), "a sender failed");
            // The moment and the instance vary without a simple pattern.
            let enough = kill * 131 % ENOUGH_MAX;
            let began = Instant::now();
            let before = target.acknowledged.load(Ordering::Relaxed);
            while target.acknowledged.load(Ordering::Relaxed) < before + enough
                && began.elapsed() < ROUND_MAX
            {
                std::thread::sleep(Duration::from_micros(200));
            }
            let one = usize::try_from(kill * kill * 7 / 5).unwrap() % INSTANCES;
            for (n, instance) in site.instances.iter_mut().enumerate() {
                // At these multiples, the other instances may still be starting.
                if n == one || kill % BOTH_EVERY != 0 {
                    instance.restart_until_ready();
                }
            }
            std::thread::sleep(Duration::from_micros(kill * 131 % 3000));
            let instance = &mut site.instances[one];
            instance.kill();
            match kill {
                RESTART_AT => site.cluster.stop().unwrap(),
                CRASH_AT => site.cluster.crash().unwrap(),
                _ => {}
            }
            if [RESTART_AT, CRASH_AT].contains(&kill) {
                std::thread::sleep(Duration::from_millis(500));
                site.cluster.restart().unwrap();
            }
            instance.spawn();
        }
        for instance in &mut site.instances {
            instance.restart_until_ready();
        }
        target.is_over.store(true, Ordering::Relaxed);
    });
    let took = all_began.elapsed();
    let per_s = u128::from(target.acknowledged.load(Ordering::Relaxed)) * 1000 / took.as_millis();
    let sum = |of: &dyn Fn(&Sender) -> usize| senders.iter().map(of).sum::<usize>();
    let taken = sum(&|sender| sender.acknowledged.len());
    let gone = sum(&|sender| sender.deleted.len());
    eprintln!(
        "{KILLS} kills and 2 restarts of the database in {} s: {taken} submissions, \
         {gone} deleted, {per_s} acknowledged a second, \
         {} retries without an answer, {} after a 5xx or 429",
        took.as_secs(),
        sum(&|sender| sender.unanswered),
        sum(&|sender| sender.refused),
    );
    assert!(taken > 2000 && gone > 200);
    compare_with_acknowledged(&site, &form, &key, &senders);
}

/// Compares the rows of the database with the submissions that were acknowledged.
fn compare_with_acknowledged(site: &Site, form: &str, key: &str, senders: &[Sender]) {
    let mut there = BTreeMap::new();
    for row in site.run_sql(&format!(
        "SELECT json::json -> 'answers' ->> 'what', id FROM submissions WHERE form_id = '{form}'"
    )) {
        let (what, id) = row.split_once('|').unwrap();
        let twice = there.insert(what.to_owned(), id.to_owned());
        assert_eq!(twice, None, "`{what}` is stored twice");
    }
    let mut expected = BTreeMap::new();
    for sender in senders {
        let live = sender.acknowledged.iter().filter(|(_, id)| !sender.deleted.contains(*id));
        expected.extend(live.map(|(what, id)| (what.clone(), id.clone())));
    }
    let missing: Vec<_> = expected.iter().filter(|(what, _)| !there.contains_key(*what)).collect();
    assert!(missing.is_empty(), "acknowledged and lost: {missing:?}");
    assert_eq!(there, expected, "a submission is stored that was deleted or never acknowledged");

    let count = there.len().to_string();
    for query in [
        format!("SELECT submission_count FROM forms WHERE form_id = '{form}'"),
        format!("SELECT sum(submission_count) FROM submission_days WHERE form_id = '{form}'"),
    ] {
        assert_eq!(site.run_sql(&query), [count.as_str()], "{query}");
    }
    for instance in &site.instances {
        let list = instance.get_with_key(&format!("/v1/forms/{form}/submissions"), key).json();
        assert_eq!(list["pagination"]["total"].to_string(), count);
    }
}
