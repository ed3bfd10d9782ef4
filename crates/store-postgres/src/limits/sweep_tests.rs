//! Tests of sweeps: they work in steps, many anonymous clients do not affect other kinds, and
//! instances do not wait for each other.

use super::*;
use crate::PostgresStore;
use crate::test_database::prepared_database;
use store::window::WindowLimits;
use test_servers::Postgres;

const AT_US: i64 = 1_800_000_000_000_000;

fn cluster() -> &'static Postgres {
    Postgres::shared()
}

/// Returns a meter on its own database with a bound, and a function that runs statements there.
async fn open_bounded_meter(counts_max: i64) -> (PostgresMeter, impl Fn(&str) -> String) {
    let url = prepared_database();
    let setup = Setup::with_defaults(&url);
    PostgresStore::open(&setup).await.unwrap();
    let mut meter = PostgresMeter::new(&setup).unwrap();
    meter.bounds = Bounds { counts_max, step_max: 2, sweep_interval_us: 0, at_us: Some(AT_US) };
    let sql = move |sql: &str| cluster().run_sql(url.rsplit('/').next().unwrap(), sql).unwrap();
    (meter, sql)
}

async fn admit(meter: &PostgresMeter, kind: LimitKind, n: u8) -> bool {
    let limits = WindowLimits { window: 1, burst: 1 };
    let ask = WindowRequest { limits, is_counted: true, at_us: Some(AT_US) };
    meter.admit(&CounterName::of(kind, &[&[n]]), ask).await.unwrap().is_admitted
}

#[tokio::test]
async fn only_bounded_kinds_share_a_window() {
    let (mut meter, sql) = open_bounded_meter(3).await;
    for n in 0..3 {
        assert!(
            admit(&meter, LimitKind::Anonymous, n).await
                && admit(&meter, LimitKind::Caller, n).await
        );
    }
    assert_eq!(meter.sweep().await.unwrap(), [LimitKind::Anonymous]);
    assert!(admit(&meter, LimitKind::Anonymous, 3).await);
    assert!(!admit(&meter, LimitKind::Anonymous, 4).await, "a new client should share a window");
    assert!(!admit(&meter, LimitKind::Anonymous, 0).await, "an existing window should be used");
    for n in 3..9 {
        assert!(
            admit(&meter, LimitKind::Caller, n).await && admit(&meter, LimitKind::Form, n).await,
            "{n}"
        );
        assert!(admit(&meter, LimitKind::Sender, n).await, "{n}");
    }
    meter.bounds.at_us = Some(AT_US + 900_999_999);
    assert_eq!(
        meter.sweep().await.unwrap(),
        [LimitKind::Anonymous, LimitKind::Sender],
        "they still count"
    );
    meter.bounds.at_us = Some(AT_US + 901_000_000);
    assert_eq!(meter.sweep().await.unwrap(), []);
    assert_eq!(sql("SELECT count(*) FROM limit_windows"), "0");
    assert!(
        admit(&meter, LimitKind::Anonymous, 3).await
            && admit(&meter, LimitKind::Anonymous, 4).await
    );
}

#[tokio::test]
async fn excess_senders_share_window_per_form() {
    let (meter, _) = open_bounded_meter(2).await;
    let admit = async |form: &str, n: u8| {
        let limits = WindowLimits { window: 1, burst: 1 };
        let ask = WindowRequest { limits, is_counted: true, at_us: Some(AT_US) };
        let name = CounterName::of_sender(form.as_bytes(), &[&[n]]);
        meter.admit(&name, ask).await.unwrap().is_admitted
    };
    assert!(admit("frm_1", 0).await && admit("frm_1", 1).await);
    assert_eq!(meter.sweep().await.unwrap(), [LimitKind::Sender]);
    assert!(admit("frm_1", 2).await && !admit("frm_1", 3).await, "senders should share a window");
    assert!(admit("frm_2", 2).await && !admit("frm_2", 3).await, "windows are per form");
    assert!(!admit("frm_1", 0).await, "an existing window should be used");
}

#[tokio::test]
async fn long_sweep_finishes_in_steps() {
    let (meter, sql) = open_bounded_meter(100).await;
    sql("CREATE TABLE gone (tx BIGINT);
         CREATE FUNCTION slowly() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
           INSERT INTO gone VALUES (txid_current()); PERFORM pg_sleep(0.3); RETURN OLD;
         END $$;
         CREATE TRIGGER slowly BEFORE DELETE ON limit_windows FOR EACH ROW EXECUTE FUNCTION slowly();
         INSERT INTO limit_windows (name)
         SELECT decode('01' || lpad(n::TEXT, 4, '0'), 'hex') FROM generate_series(1, 5) n;
         INSERT INTO limit_windows (name) VALUES ('\\x04');
         INSERT INTO limit_tries
         SELECT decode(lpad(n::TEXT, 4, '0'), 'hex'), n, 0, 0 FROM generate_series(1, 5) n");
    meter.sweep().await.unwrap();
    assert_eq!(sql("SELECT count(*) FROM limit_windows"), "0");
    assert_eq!(sql("SELECT count(*) FROM limit_tries"), "0");
    let steps = "SELECT string_agg(n::TEXT, ' ') FROM \
                 (SELECT count(*) AS n FROM gone GROUP BY tx ORDER BY tx) AS it";
    assert_eq!(sql(steps), "2 2 1 1");
}

#[tokio::test]
async fn sweep_keeps_most_tried_counts() {
    let (mut meter, sql) = open_bounded_meter(2).await;
    let fill = "INSERT INTO limit_tries \
                SELECT decode(lpad(n::TEXT, 4, '0'), 'hex'), n, 0, 9e15 FROM generate_series(1, 9) n";
    sql(fill);
    meter.bounds.sweep_interval_us = 3_600_000_000;
    sql("INSERT INTO limit_sweeps (began) VALUES (limit_now())");
    meter.sweep().await.unwrap();
    assert_eq!(sql("SELECT count(*) FROM limit_tries"), "9", "another sweep has just begun");
    sql("UPDATE limit_sweeps SET began = limit_now() - 3600000000");
    meter.sweep().await.unwrap();
    assert_eq!(sql("SELECT tried FROM limit_tries ORDER BY tried"), "8\n9");
    // A clock that was ahead must not prevent sweeps.
    sql(&format!("TRUNCATE limit_tries; {fill}"));
    sql("UPDATE limit_sweeps SET began = limit_now() + 3600000000");
    meter.sweep().await.unwrap();
    assert_eq!(sql("SELECT tried FROM limit_tries ORDER BY tried"), "8\n9");
    let day = "SELECT DISTINCT idle_at FROM limit_tries";
    assert_eq!(sql(day), (AT_US + 86_400_000_000).to_string(), "counts expire after a day at most");
}

#[tokio::test]
async fn sweep_skips_locked_and_caps_far_windows() {
    let (meter, sql) = open_bounded_meter(9).await;
    sql("INSERT INTO limit_windows (name) VALUES ('\\x01'), ('\\x02');
         INSERT INTO limit_windows (name, idle_at) VALUES ('\\x03', 9e15)");
    let mut user = pool::get(&meter.connections).await.unwrap();
    let user = user.transaction().await.unwrap();
    user.execute("SELECT FROM limit_windows WHERE name = '\\x01' FOR UPDATE", &[]).await.unwrap();
    let within = Duration::from_secs(5);
    tokio::time::timeout(within, meter.sweep()).await.expect("it waits for a lock").unwrap();
    let windows_sql = "SELECT name, idle_at FROM limit_windows ORDER BY name";
    let far_future = AT_US + 86_400_000_000;
    assert_eq!(sql(windows_sql), format!("\\x01|0\n\\x03|{far_future}"));
    user.commit().await.unwrap();
    meter.sweep().await.unwrap();
    assert_eq!(sql(windows_sql), format!("\\x03|{far_future}"));
}

/// Runs `request` while another transaction has changed all counts but not committed. Returns the
/// answer, and when the other transaction ended.
async fn run_during_change<T>(
    meter: &PostgresMeter,
    sql: &impl Fn(&str) -> String,
    change: &str,
    request: impl Future<Output = Result<T>>,
) -> (T, i64) {
    let mut other = pool::get(&meter.sweeps).await.unwrap();
    let other = other.transaction().await.unwrap();
    other.batch_execute(change).await.unwrap();
    let commit = async {
        let blocked_sql = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' \
                     AND datname = current_database()";
        while sql(blocked_sql) == "0" {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let now = other.query_one("SELECT limit_now()", &[]).await.unwrap();
        other.commit().await.unwrap();
        now.get(0)
    };
    let (answer, ended_us) = tokio::join!(request, commit);
    (answer.unwrap(), ended_us)
}

#[tokio::test]
async fn waiting_call_sees_concurrent_count() {
    let (meter, sql) = open_bounded_meter(9).await;
    let name = CounterName::of(LimitKind::Caller, &[]);
    let ask = WindowRequest {
        limits: WindowLimits { window: 2, burst: 2 },
        is_counted: true,
        at_us: None,
    };
    assert!(meter.admit(&name, ask).await.unwrap().is_admitted);
    let change = "UPDATE limit_windows SET counted = 2, counts = '{2}'";
    let (reading, ended_us) =
        run_during_change(&meter, &sql, change, meter.admit(&name, ask)).await;
    assert_eq!((reading.is_admitted, reading.count), (false, 2));
    assert!(reading.now_us >= ended_us, "the second call has an earlier instant than the first");
    let rules = contract::LoginAttemptLimits {
        address_attempts: 2,
        address_window: Duration::from_mins(1),
        free_attempts: 2,
        wait_max: Duration::from_mins(1),
        forget_after: Duration::from_mins(1),
    };
    let attempt = SignInAttempt { rules: &rules, address: &name, account: None, at_us: None };
    assert_eq!(meter.count_attempt(&attempt).await.unwrap(), 0);
    let change = "UPDATE limit_tries SET tried = 2";
    let (wait_us, _) = run_during_change(&meter, &sql, change, meter.count_attempt(&attempt)).await;
    assert!(wait_us > 0, "the call did not see the concurrent change");
}

#[tokio::test]
async fn heartbeats_do_not_wait_for_locks() {
    let (meter, sql) = open_bounded_meter(1).await;
    sql("INSERT INTO limit_instances VALUES ('stale', 1), ('slow', 1)");
    // A late instance reports now, but has not committed yet.
    let mut blocker = pool::get(&meter.connections).await.unwrap();
    let blocker = blocker.transaction().await.unwrap();
    blocker
        .execute("UPDATE limit_instances SET seen = limit_now() WHERE id = 'slow'", &[])
        .await
        .unwrap();
    assert_eq!(meter.heartbeat(b"me", 20_000_000).await.unwrap(), 1);
    blocker.commit().await.unwrap();
    assert_eq!(meter.heartbeat(b"me", 20_000_000).await.unwrap(), 2);
    assert_eq!(sql("SELECT count(*) FROM limit_instances"), "2");
}
