//! The analysis by several processes at once.

use super::{StoreGroup, open_several, sql};
use analysis::{AnalysisBatch, AnalysisError, Analyst, StepResult, Worker};
use contract::insight::{InsightCorrection, SetAnalysis};
use contract::{Environment, Plan};
use futures_util::future::join_all;
use std::sync::Arc;
use std::time::Duration;
use store::Store;
use store::clock::SystemClock;
use store::daily_limits::{DailyLimits, UtcDay};
use store::insight::{AnalysisOutcome, InsightStore, PendingQuery, RoundRobin};
use store_tests::fixtures::{self, account, at, form, form_id, submission};
use store_tests::insight::sample_insight;

const NOON: i64 = 20_000 * 86_400_000_000;

/// Opens two stores on one database, with an analysed form that has `rows` submissions.
async fn open_two_analysed(rows: usize) -> StoreGroup {
    let several = open_several(2).await;
    let store = &several.stores[0];
    store.insert_account(account("acc_1", "owner@example.com")).await.unwrap();
    let mut form = form("acc_1", "frm_1");
    form.form.analysis = true;
    store.insert_form(form).await.unwrap();
    let row = |n: usize| submission(&format!("sub_{n:03}"), i64::try_from(n).unwrap(), "x");
    fixtures::insert_submissions(store, (0..rows).map(row).collect()).await;
    while store.queue_insights(50).await.unwrap() {}
    several
}

fn limits(limit: u64) -> DailyLimits {
    let mut limits = DailyLimits::default();
    limits.set(Plan::Pro, limit);
    limits
}

fn outcome(n: usize) -> AnalysisOutcome {
    let insight = (!n.is_multiple_of(5)).then(|| sample_insight("mixed"));
    AnalysisOutcome { id: format!("sub_{n:03}").parse().unwrap(), insight, actions: 1 }
}

fn found_outcome(n: usize) -> AnalysisOutcome {
    AnalysisOutcome { insight: Some(sample_insight("mixed")), ..outcome(n) }
}

async fn find_usage(them: &StoreGroup) -> (u64, u64) {
    let account = "acc_1".parse().unwrap();
    let day = UtcDay::of(at(NOON));
    let spent = them.stores[1].find_usage(&account, Environment::Live, 9, day).await.unwrap();
    (spent.used, spent.pending)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_results_are_counted_once() {
    let them = open_two_analysed(100).await;
    let write = |n: usize| {
        // Both stores get each piece, in a different order.
        let mut outcomes: Vec<_> = (n / 2 * 10..n / 2 * 10 + 10).map(found_outcome).collect();
        if n % 2 == 1 {
            outcomes.reverse();
        }
        them.stores[n % 2].insert_insights(outcomes, limits(1000), at(NOON))
    };
    let written = join_all((0..20).map(write)).await;
    assert_eq!(written.into_iter().map(Result::unwrap).sum::<u64>(), 100);
    assert_eq!(find_usage(&them).await, (100, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_results_respect_daily_limit() {
    let them = open_two_analysed(100).await;
    let write =
        |n: usize| them.stores[n % 2].insert_insights(vec![outcome(n)], limits(33), at(NOON));
    for written in join_all((0..100).map(write)).await {
        written.unwrap();
    }
    assert_eq!(find_usage(&them).await.0, 33);
    assert_eq!(them.sql("SELECT COUNT(*) FROM insight_queue"), "67");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_sweeps_queue_rows_once() {
    let them = open_two_analysed(300).await;
    them.stores[0]
        .insert_insights((0..50).map(outcome).collect(), limits(99), at(NOON))
        .await
        .unwrap();
    let on = SetAnalysis { analysis: true, again: true };
    them.stores[1].set_analysis(&form_id(), on).await.unwrap();
    let look = async |store: usize| while them.stores[store].queue_insights(7).await.unwrap() {};
    tokio::join!(look(0), look(1));
    assert_eq!(them.sql("SELECT COUNT(*) FROM insight_queue"), "290");
    assert_eq!(them.sql("SELECT COUNT(*) FROM insight_retries"), "10");
    assert_eq!(them.sql("SELECT COUNT(*) FROM insight_sweeps"), "0");
}

/// Changes submissions in all ways at once. There must be no deadlock, and deleted submissions must
/// leave no rows.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_deletion_leaves_no_rows() {
    let them = open_two_analysed(120).await;
    let stores = &them.stores;
    let again = SetAnalysis { analysis: true, again: true };
    let delete = async {
        for n in (0..120).step_by(2) {
            let id = format!("sub_{n:03}").parse().unwrap();
            assert!(stores[0].delete_submission(&id).await.unwrap());
        }
    };
    let write = async {
        for n in (0..120).step_by(8) {
            let outcomes = (n..n + 8).rev().map(outcome).collect();
            stores[1].insert_insights(outcomes, limits(1000), at(NOON)).await.unwrap();
        }
    };
    let sweep = async {
        for _ in 0..10 {
            stores[1].set_analysis(&form_id(), again).await.unwrap();
            while stores[0].queue_insights(20).await.unwrap() {}
        }
    };
    let correct = async {
        for n in 0..120 {
            let said = InsightCorrection {
                language: Some("de".to_owned()),
                ..InsightCorrection::default()
            };
            let id = format!("sub_{n:03}").parse().unwrap();
            stores[0].correct_insight(&id, Some(said), at(9)).await.unwrap();
        }
    };
    tokio::join!(delete, write, sweep, correct);
    for table in ["insight_queue", "insight_retries", "insight_corrections"] {
        let sql = format!("SELECT COUNT(*) FROM {table} WHERE submitted_at % 2 = 0");
        assert_eq!(them.sql(&sql), "0", "{table}");
    }
    assert_eq!(them.sql("SELECT submission_count FROM forms"), "60");
    let lost = "SELECT COUNT(*) FROM insight_corrections AS c JOIN submissions AS s
                  USING (form_id, submitted_at, id) WHERE s.json NOT LIKE '%\"language\":\"de\"%'";
    assert_eq!(them.sql(lost), "0");
}

/// The three would deadlock if one of them did not lock the form first.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deletion_switch_and_sweep_do_not_deadlock() {
    let them = open_two_analysed(3).await;
    let again = SetAnalysis { analysis: true, again: true };
    them.stores[0].set_analysis(&form_id(), again).await.unwrap();
    let waiting = || -> usize {
        let sql = "SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'
                     AND datname = current_database()";
        them.sql(sql).parse().unwrap()
    };
    let until = async |is_so: &dyn Fn() -> bool| {
        while !is_so() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    // The lock of a transaction that writes an insight.
    let writer = them.connect().await;
    let lock = "BEGIN; SELECT 1 FROM submissions WHERE id = 'sub_001' FOR NO KEY UPDATE";
    writer.batch_execute(lock).await.unwrap();
    let store = them.stores[0].clone();
    let deletes = async move { store.delete_submission(&"sub_001".parse().unwrap()).await };
    let deletes = tokio::spawn(deletes);
    until(&|| waiting() == 1).await;
    let store = them.stores[1].clone();
    let looks = tokio::spawn(async move { store.queue_insights(9).await });
    until(&|| looks.is_finished() || waiting() == 2).await;
    let store = them.stores[1].clone();
    let switches = tokio::spawn(async move { store.set_analysis(&form_id(), again).await });
    until(&|| waiting() == if looks.is_finished() { 2 } else { 3 }).await;
    writer.batch_execute("COMMIT").await.unwrap();
    assert!(deletes.await.unwrap().unwrap());
    assert!(switches.await.unwrap().unwrap());
    looks.await.unwrap().unwrap();
    while them.stores[1].queue_insights(9).await.unwrap() {}
    assert_eq!(find_usage(&them).await, (0, 2));
}

async fn list_ids(them: &StoreGroup, store: usize, limit: u64) -> Vec<String> {
    let after = RoundRobin::default();
    let limits = limits(limit);
    let wanted = PendingQuery { after, limits, now: at(NOON), rows_max: 3 };
    let pending = them.stores[store].list_pending(wanted).await.unwrap();
    let rows = pending.map_or_else(Vec::new, |pending| pending.submissions);
    rows.into_iter().map(|row| row.position.id.into()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn analysis_lease_is_exclusive() {
    let them = open_two_analysed(9).await;
    let none: [&str; 0] = [];
    let (one, other) = tokio::join!(list_ids(&them, 0, 5), list_ids(&them, 1, 5));
    let [(first, it), (second, left)] =
        if other.is_empty() { [(0, one), (1, other)] } else { [(1, other), (0, one)] };
    assert_eq!((it, left), (vec!["sub_008".into(), "sub_007".into(), "sub_006".into()], vec![]));
    // The holder of the lease may list again, and another account is not blocked.
    assert_eq!(list_ids(&them, first, 5).await.len(), 3);
    let store = &them.stores[0];
    store.insert_account(account("acc_2", "other@example.com")).await.unwrap();
    let mut form = form("acc_2", "frm_2");
    (form.form.analysis, form.form.environment) = (true, Environment::Live);
    let id = form.form.id.clone();
    store.insert_form(form).await.unwrap();
    let row = contract::Submission { form_id: id.clone(), ..submission("sub_b", 1, "x") };
    store
        .insert_submissions(&id, Vec::new(), fixtures::submission_source(vec![row]))
        .await
        .unwrap();
    assert_eq!(list_ids(&them, second, 5).await, ["sub_b"]);
    them.stores[second].insert_insights(Vec::new(), limits(5), at(NOON)).await.unwrap();
    // After the results are written, the next process continues, within the daily limit.
    let done = [8, 7, 6].map(found_outcome).to_vec();
    assert_eq!(them.stores[first].insert_insights(done, limits(5), at(NOON)).await.unwrap(), 3);
    assert_eq!(list_ids(&them, second, 5).await, ["sub_005", "sub_004"]);
    assert_eq!(list_ids(&them, first, 5).await, ["sub_b"]);
    // A slow process renews its lease.
    them.sql("UPDATE insight_leases SET leased_until = now() + INTERVAL '1 second'");
    them.stores[second].renew_lease().await.unwrap();
    let leases = "SELECT COUNT(*) FROM insight_leases WHERE leased_until > now() + INTERVAL '25 s'";
    assert_eq!(them.sql(leases), "1");
    assert_eq!(list_ids(&them, first, 5).await, ["sub_b"]);
    // The lease of a dead process expires.
    them.sql("UPDATE insight_leases SET leased_until = now()");
    assert_eq!(list_ids(&them, first, 5).await, ["sub_005", "sub_004"]);
    assert_eq!(list_ids(&them, second, 0).await, none);
}

/// An analyst that finishes only after its lease was renewed.
struct SlowAnalyst {
    database: String,
}

#[async_trait::async_trait]
impl Analyst for SlowAnalyst {
    fn batch_max(&self) -> usize {
        9
    }

    async fn analyse(&self, batch: AnalysisBatch) -> Vec<Result<contract::Insight, AnalysisError>> {
        let until = || sql(&self.database, "SELECT leased_until FROM insight_leases").unwrap();
        let first = until();
        for _ in 0..300 {
            if until() != first {
                return batch.texts.iter().map(|_| Ok(sample_insight("mixed"))).collect();
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("the lease was not renewed after {first}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_analyst_renews_its_lease() {
    let mut them = open_two_analysed(3).await;
    let store = Arc::new(them.stores.remove(0));
    let analyst = Arc::new(SlowAnalyst { database: them.name.clone() });
    let mut worker = Worker::new(store, Arc::new(SystemClock), analyst, limits(9));
    assert_eq!(worker.step().await.unwrap(), StepResult::Worked(3));
}
