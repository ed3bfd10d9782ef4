//! The analysis by several processes at once.

use super::{StoreGroup, open_several, run_many, sql};
use analysis::{AnalysisBatch, AnalysisError, Analyst, StepResult, Worker};
use contract::insight::{InsightCorrection, SetAnalysis};
use contract::{Environment, Plan};
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
    let group = open_several(2).await;
    let store = &group.stores[0];
    store.insert_account(account("acc_1", "owner@example.com")).await.unwrap();
    let mut form = form("acc_1", "frm_1");
    form.form.analysis = true;
    store.insert_form(form).await.unwrap();
    let row = |n: usize| submission(&format!("sub_{n:03}"), i64::try_from(n).unwrap(), "x");
    fixtures::insert_submissions(store, (0..rows).map(row).collect()).await;
    while store.queue_insights(50).await.unwrap() {}
    group
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

async fn find_usage(group: &StoreGroup) -> (u64, u64) {
    let account = "acc_1".parse().unwrap();
    let day = UtcDay::of(at(NOON));
    let spent = group.stores[1].find_usage(&account, Environment::Live, 9, day).await.unwrap();
    (spent.used, spent.pending)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_results_are_counted_once() {
    let group = open_two_analysed(100).await;
    let write = |n: usize| {
        // Both stores get each piece, in a different order.
        let mut outcomes: Vec<_> = (n / 2 * 10..n / 2 * 10 + 10).map(found_outcome).collect();
        if n % 2 == 1 {
            outcomes.reverse();
        }
        group.stores[n % 2].insert_insights(outcomes, limits(1000), at(NOON))
    };
    let written = run_many((0..20).map(write)).await;
    assert_eq!(written.into_iter().map(Result::unwrap).sum::<u64>(), 100);
    assert_eq!(find_usage(&group).await, (100, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_results_respect_daily_limit() {
    let group = open_two_analysed(100).await;
    let write =
        |n: usize| group.stores[n % 2].insert_insights(vec![outcome(n)], limits(33), at(NOON));
    for written in run_many((0..100).map(write)).await {
        written.unwrap();
    }
    assert_eq!(find_usage(&group).await.0, 33);
    assert_eq!(group.sql("SELECT COUNT(*) FROM insight_queue"), "67");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_sweeps_queue_rows_once() {
    let group = open_two_analysed(300).await;
    group.stores[0]
        .insert_insights((0..50).map(outcome).collect(), limits(99), at(NOON))
        .await
        .unwrap();
    let settings = SetAnalysis { analysis: true, again: true };
    group.stores[1].set_analysis(&form_id(), settings).await.unwrap();
    let queue_all =
        async |store: usize| while group.stores[store].queue_insights(7).await.unwrap() {};
    tokio::join!(queue_all(0), queue_all(1));
    assert_eq!(group.sql("SELECT COUNT(*) FROM insight_queue"), "290");
    assert_eq!(group.sql("SELECT COUNT(*) FROM insight_retries"), "10");
    assert_eq!(group.sql("SELECT COUNT(*) FROM insight_sweeps"), "0");
}

/// Changes submissions in all ways at once. There must be no deadlock, and deleted submissions must
/// leave no rows.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_deletion_leaves_no_rows() {
    let group = open_two_analysed(120).await;
    let stores = &group.stores;
    let settings = SetAnalysis { analysis: true, again: true };
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
            stores[1].set_analysis(&form_id(), settings).await.unwrap();
            while stores[0].queue_insights(20).await.unwrap() {}
        }
    };
    let correct = async {
        for n in 0..120 {
            let correction = InsightCorrection {
                language: Some("de".to_owned()),
                ..InsightCorrection::default()
            };
            let id = format!("sub_{n:03}").parse().unwrap();
            stores[0].correct_insight(&id, Some(correction), at(9)).await.unwrap();
        }
    };
    tokio::join!(delete, write, sweep, correct);
    for table in ["insight_queue", "insight_retries", "insight_corrections"] {
        let sql = format!("SELECT COUNT(*) FROM {table} WHERE submitted_at % 2 = 0");
        assert_eq!(group.sql(&sql), "0", "{table}");
    }
    assert_eq!(group.sql("SELECT submission_count FROM forms"), "60");
    let missing_sql = "SELECT COUNT(*) FROM insight_corrections AS c JOIN submissions AS s
                  USING (form_id, submitted_at, id) WHERE s.json NOT LIKE '%\"language\":\"de\"%'";
    assert_eq!(group.sql(missing_sql), "0");
}

/// The three would deadlock if one of them did not lock the form first.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deletion_switch_and_sweep_do_not_deadlock() {
    let group = open_two_analysed(3).await;
    let settings = SetAnalysis { analysis: true, again: true };
    group.stores[0].set_analysis(&form_id(), settings).await.unwrap();
    let waiting = || -> usize {
        let sql = "SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'
                     AND datname = current_database()";
        group.sql(sql).parse().unwrap()
    };
    let until = async |is_so: &dyn Fn() -> bool| {
        while !is_so() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    // The lock of a transaction that writes an insight.
    let writer = group.connect().await;
    let lock = "BEGIN; SELECT 1 FROM submissions WHERE id = 'sub_001' FOR NO KEY UPDATE";
    writer.batch_execute(lock).await.unwrap();
    let store = group.stores[0].clone();
    let deletes = async move { store.delete_submission(&"sub_001".parse().unwrap()).await };
    let deletes = tokio::spawn(deletes);
    until(&|| waiting() == 1).await;
    let store = group.stores[1].clone();
    let looks = tokio::spawn(async move { store.queue_insights(9).await });
    until(&|| looks.is_finished() || waiting() == 2).await;
    let store = group.stores[1].clone();
    let switches = tokio::spawn(async move { store.set_analysis(&form_id(), settings).await });
    until(&|| waiting() == if looks.is_finished() { 2 } else { 3 }).await;
    writer.batch_execute("COMMIT").await.unwrap();
    assert!(deletes.await.unwrap().unwrap());
    assert!(switches.await.unwrap().unwrap());
    looks.await.unwrap().unwrap();
    while group.stores[1].queue_insights(9).await.unwrap() {}
    assert_eq!(find_usage(&group).await, (0, 2));
}

async fn list_ids(group: &StoreGroup, store: usize, limit: u64) -> Vec<String> {
    let after = RoundRobin::default();
    let limits = limits(limit);
    let query = PendingQuery { after, limits, now: at(NOON), rows_max: 3 };
    let pending = group.stores[store].list_pending(query).await.unwrap();
    let rows = pending.map_or_else(Vec::new, |pending| pending.submissions);
    rows.into_iter().map(|row| row.position.id.into()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn analysis_lease_is_exclusive() {
    let group = open_two_analysed(9).await;
    let no_ids: [&str; 0] = [];
    let (one, other) = tokio::join!(list_ids(&group, 0, 5), list_ids(&group, 1, 5));
    let [(first, it), (second, left)] =
        if other.is_empty() { [(0, one), (1, other)] } else { [(1, other), (0, one)] };
    assert_eq!((it, left), (vec!["sub_008".into(), "sub_007".into(), "sub_006".into()], vec![]));
    // The holder of the lease may list again, and another account is not blocked.
    assert_eq!(list_ids(&group, first, 5).await.len(), 3);
    let store = &group.stores[0];
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
    assert_eq!(list_ids(&group, second, 5).await, ["sub_b"]);
    group.stores[second].insert_insights(Vec::new(), limits(5), at(NOON)).await.unwrap();
    // After the results are written, the next process continues, within the daily limit.
    let done = [8, 7, 6].map(found_outcome).to_vec();
    assert_eq!(group.stores[first].insert_insights(done, limits(5), at(NOON)).await.unwrap(), 3);
    assert_eq!(list_ids(&group, second, 5).await, ["sub_005", "sub_004"]);
    assert_eq!(list_ids(&group, first, 5).await, ["sub_b"]);
    // A slow process renews its lease.
    group.sql("UPDATE insight_leases SET leased_until = now() + INTERVAL '1 second'");
    group.stores[second].renew_lease().await.unwrap();
    let leases = "SELECT COUNT(*) FROM insight_leases WHERE leased_until > now() + INTERVAL '25 s'";
    assert_eq!(group.sql(leases), "1");
    assert_eq!(list_ids(&group, first, 5).await, ["sub_b"]);
    // The lease of a dead process expires.
    group.sql("UPDATE insight_leases SET leased_until = now()");
    assert_eq!(list_ids(&group, first, 5).await, ["sub_005", "sub_004"]);
    assert_eq!(list_ids(&group, second, 0).await, no_ids);
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
        for _ in 0..60 {
            if until() != first {
                return batch.texts.iter().map(|_| Ok(sample_insight("mixed"))).collect();
            }
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
        panic!("the lease was not renewed after {first}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_analyst_renews_its_lease() {
    let mut group = open_two_analysed(3).await;
    let store = Arc::new(group.stores.remove(0));
    let analyst = Arc::new(SlowAnalyst { database: group.name.clone() });
    let mut worker = Worker::new(store, Arc::new(SystemClock), analyst, limits(9));
    assert_eq!(worker.step().await.unwrap(), StepResult::Worked(3));
}
