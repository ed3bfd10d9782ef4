//! Deliveries in the file: those of earlier schemas, and the parts of the log.

use super::TestFolder;
use contract::webhook::{Attempt, DeliveryState};
use contract::{SubmissionId, WebhookId};
use rusqlite::Connection;
use std::path::Path;
use store::Store as _;
use store::lifecycle::LifecycleStore as _;
use store::outbox::{
    AttemptOutcome, AttemptRecord, DeliveryKey, DeliveryQuery, LeaseQuery, LeasedBatch,
    OutboxStore as _,
};
use store_sqlite::SqliteStore;
use store_tests::fixtures::{at, form_id};

const DAY: i64 = 86_400_000_000;
/// Present time: the events of the rows are a little earlier.
const NOW: i64 = 40 * DAY;

/// Creates a file of the schema before queues had numbers. `whk_gone` is a deleted webhook. The
/// first deliveries are pending, and those of `sub_04` and `sub_05` have a body with answers.
fn create_old_file(place: &TestFolder) {
    std::fs::create_dir(place.file().parent().unwrap()).unwrap();
    let fixture = "tests/fixtures/0017_key_access.sql";
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join(fixture);
    let old = connect(place);
    old.execute_batch(&std::fs::read_to_string(fixture).unwrap()).unwrap();
    old.execute_batch(&format!(
        "INSERT INTO webhooks (id, form, url, events, format, created_at, secret)
           SELECT id, 1, 'https://a.example/', 31, 'json', 5, zeroblob(32)
           FROM (SELECT 'whk_b' AS id UNION ALL SELECT 'whk_a');
         INSERT INTO deliveries (nonce, webhook, form, event, submitted_at, submission, created_at)
           SELECT '00000000000000a0', w.webhook, s.form, 'submission.created', s.submitted_at, s.id,
             {NOW} - 100 + s.submitted_at
           FROM (SELECT 'whk_a' AS webhook UNION ALL SELECT 'whk_b' UNION ALL SELECT 'whk_gone') AS w
             CROSS JOIN submissions AS s
           WHERE s.id BETWEEN 'sub_01' AND 'sub_05' ORDER BY w.webhook, s.id;
         UPDATE deliveries SET body = 'answers', body_format = 'json',
             attempts = '[{{\"at\":\"1970-01-01T00:00:01Z\",\"duration_ms\":1,\"status\":500}}]'
           WHERE submission IN ('sub_04', 'sub_05');
         UPDATE deliveries SET state = 'failed', due_at = NULL WHERE submission = 'sub_05';
         UPDATE deliveries SET is_leased = 1, due_at = {NOW} + 1 WHERE submission = 'sub_04';"
    ))
    .unwrap();
}

fn connect(place: &TestFolder) -> Connection {
    Connection::open(place.file()).unwrap()
}

fn webhook(id: &str) -> WebhookId {
    id.parse().unwrap()
}

/// Returns the numbers of a webhook's deliveries, read in pages of two.
async fn logged(store: &SqliteStore, id: &str) -> Vec<i64> {
    let mut seqs = Vec::new();
    let mut before: Option<DeliveryKey> = None;
    loop {
        let query = DeliveryQuery { webhook: webhook(id), state: None, before, rows_max: 2 };
        let page = store.list_deliveries(query).await.unwrap();
        let keys: Vec<_> = page.iter().map(|it| DeliveryKey::parse(&it.id).unwrap()).collect();
        seqs.extend(keys.iter().map(|key| key.seq));
        before = match keys.last() {
            Some(last) => Some(last.clone()),
            None => return seqs,
        };
    }
}

async fn lease(store: &SqliteStore, micros: i64, rows_max: usize) -> Vec<LeasedBatch> {
    let query = LeaseQuery {
        now: at(micros),
        busy: vec![webhook("whk_b")],
        webhooks_max: 9,
        rows_max,
        failing_max: 9,
    };
    store.lease_deliveries(query).await.unwrap()
}

fn leased_seqs(batches: &[LeasedBatch]) -> Vec<i64> {
    batches.iter().flat_map(|batch| &batch.deliveries).map(|it| it.key.seq).collect()
}

#[tokio::test]
async fn old_deliveries_are_listed_leased_and_purged() {
    let place = TestFolder::new();
    create_old_file(&place);
    let store = place.open();
    let ids = store.list_webhooks(&form_id()).await.unwrap().into_iter().map(|it| it.webhook.id);
    assert_eq!(ids.collect::<Vec<_>>(), [webhook("whk_a"), webhook("whk_b")]);
    assert_eq!(logged(&store, "whk_a").await, [5, 4, 3, 2, 1]);
    assert_eq!(logged(&store, "whk_b").await, [10, 9, 8, 7, 6]);
    assert_eq!(store.outbox_stats().await.unwrap().pending, 8);
    let leased = lease(&store, NOW, 2).await;
    assert_eq!(leased_seqs(&leased), [1, 2]);
    assert_eq!(logged(&store, "whk_a").await, [5, 4, 3, 2, 1], "now in both parts");
    assert_eq!(leased_seqs(&lease(&store, NOW + 1, 9).await), [3, 4]);
    assert_eq!(store.replay_failed(&webhook("whk_a"), at(0)).await.unwrap(), 1);
    assert_eq!(leased_seqs(&lease(&store, NOW + 1, 9).await), [5]);
    assert_eq!(store.purge_deliveries(at(NOW)).await.unwrap(), 5, "of the deleted webhook");
    assert_eq!(store.purge_deliveries(at(NOW)).await.unwrap(), 0);
}

#[tokio::test]
async fn old_deliveries_end_with_their_submission() {
    let place = TestFolder::new();
    create_old_file(&place);
    let store = place.open();
    for id in ["sub_01", "sub_04", "sub_05"] {
        let id: SubmissionId = id.parse().unwrap();
        assert!(store.delete_submission(&id).await.unwrap());
    }
    assert_eq!(logged(&store, "whk_a").await.len(), 2 + 3, "those of the deletions are new");
    let bodies = "SELECT COUNT(*) FROM deliveries WHERE body IS NOT NULL";
    let left: i64 = connect(&place).query_row(bodies, [], |row| row.get(0)).unwrap();
    assert_eq!(left, 0, "answers of deleted submissions");
    assert!(store.delete_form(&form_id()).await.unwrap());
    store.finish_deletions().await.unwrap();
    let sql = "SELECT COUNT(*) FROM deliveries";
    let left: i64 = connect(&place).query_row(sql, [], |row| row.get(0)).unwrap();
    assert_eq!(left, 0);
}

#[tokio::test]
async fn page_follows_a_deleted_delivery() {
    let place = TestFolder::new();
    create_old_file(&place);
    let store = place.open();
    let leased = lease(&store, NOW, 1).await.remove(0).deliveries.remove(0);
    let record = AttemptRecord {
        webhook: webhook("whk_a"),
        key: leased.key,
        lease_until: leased.lease_until,
        url: "https://a.example/".to_owned(),
        format: contract::webhook::WebhookFormat::Json,
        body: "{}".to_owned(),
        attempt: Attempt {
            at: at(NOW),
            duration_ms: 1,
            status: Some(200),
            error: None,
            response: None,
        },
        outcome: AttemptOutcome::Delivered,
        disable: None,
    };
    store.record_attempt(record).await.unwrap();
    let query =
        |before, state| DeliveryQuery { webhook: webhook("whk_a"), state, before, rows_max: 9 };
    let page = store.list_deliveries(query(None, Some(DeliveryState::Delivered))).await.unwrap();
    assert_eq!(page.len(), 1);
    let key = DeliveryKey { seq: 3, nonce: "00000000000000a0".to_owned() };
    assert!(store.delete_submission(&"sub_03".parse().unwrap()).await.unwrap());
    assert_eq!(store.find_delivery(&key).await.unwrap(), None);
    let page = store.list_deliveries(query(Some(key), None)).await.unwrap();
    let seqs: Vec<_> = page.iter().map(|it| DeliveryKey::parse(&it.id).unwrap().seq).collect();
    assert_eq!(seqs, [2, 1]);
}
