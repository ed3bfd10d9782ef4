//! Deletions: which rows remain, and the effect on other processes.

use super::open_several;
use store::lifecycle::LifecycleStore as _;
use store::new_submission::{InsertOutcome, NewSubmission};
use store::{Store, StoreError};
use store_tests::fixtures::{self, form_id, submission};
use store_tests::lifecycle::insert_full_account;

/// Lists the tables that have rows with a given value in a given column.
const ROWS_WITH: &str = "
    CREATE FUNCTION pg_temp.rows_with(wanted TEXT, value TEXT) RETURNS TEXT LANGUAGE plpgsql AS $$
    DECLARE name TEXT; n BIGINT; said TEXT := '';
    BEGIN
      FOR name IN SELECT c.table_name FROM information_schema.columns AS c
        JOIN information_schema.tables AS t USING (table_schema, table_name)
        WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE'
          AND c.column_name = wanted ORDER BY 1 LOOP
        EXECUTE format('SELECT count(*) FROM %I WHERE %I = $1', name, wanted) INTO n USING value;
        IF n > 0 THEN said := said || name || ' '; END IF;
      END LOOP;
      RETURN said;
    END $$;
    SELECT pg_temp.rows_with";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_process_finishes_deletion() {
    let group = open_several(2).await;
    insert_full_account(&group.stores[0]).await;
    assert!(group.stores[0].delete_account(&"acc_1".parse().unwrap()).await.unwrap());
    let remaining = |column: &str, value: &str| {
        let output = group.sql(&format!("{ROWS_WITH}('{column}', '{value}')"));
        output.trim().lines().last().unwrap_or_default().trim().to_owned()
    };
    assert!(remaining("form_id", "frm_1").contains("deleted_forms"));
    assert_eq!(remaining("account", "acc_1"), "");
    assert_eq!(group.stores[1].finish_deletions().await.unwrap(), 1);
    for (column, value) in
        [("form_id", "frm_1"), ("account", "acc_1"), ("person", "psn_1"), ("person", "psn_b")]
    {
        assert_eq!(remaining(column, value), "", "{column}");
    }
    assert!(!remaining("form_id", "frm_2").is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn insert_during_deletion_leaves_no_row() {
    let group = open_several(2).await;
    let [first, second] = &group.stores[..] else { panic!("expected two stores") };
    for round in 0..5 {
        let account = format!("acc_{round}");
        let form = format!("frm_{round}");
        let email = format!("{round}@example.com");
        first.insert_account(fixtures::account(&account, &email)).await.unwrap();
        first.insert_form(fixtures::form(&account, &form)).await.unwrap();
        let id = form.parse().unwrap();
        let version = first.find_intake(&id).await.unwrap().unwrap().version;
        let insert = async |n: usize| {
            let mut submission = submission(&format!("sub_{round}_{n}"), 5, "x");
            submission.form_id = id.clone();
            let arrival = NewSubmission {
                form: id.clone(),
                version,
                submission,
                fields: Vec::new(),
                spam: None,
                idempotency: None,
                rows_max: None,
            };
            second.insert_submission(arrival).await.unwrap()
        };
        let inserts = futures_util::future::join_all((0..40).map(insert));
        let (deleted, outcomes) = tokio::join!(first.delete_form(&id), inserts);
        assert!(deleted.unwrap());
        let is_either = |outcome: &InsertOutcome| {
            matches!(outcome, InsertOutcome::Inserted(_) | InsertOutcome::Stale)
        };
        assert!(outcomes.iter().all(is_either), "{outcomes:?}");
        first.finish_deletions().await.unwrap();
        assert_eq!(group.sql("SELECT count(*) FROM submissions").trim(), "0");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn import_into_deleted_form_leaves_nothing() {
    use store_tests::imports::{blocking_source, new_import};
    let group = open_several(2).await;
    fixtures::owner_and_form(&group.stores[0]).await;
    let (source, is_reached, go) = blocking_source(0);
    let importing = group.stores[0].clone();
    let importing = tokio::spawn(async move {
        importing.import_submissions(&form_id(), new_import(1, 1000, "fld_1"), source).await
    });
    tokio::task::spawn_blocking(move || is_reached.recv().unwrap()).await.unwrap();
    assert!(group.stores[1].delete_form(&form_id()).await.unwrap());
    go.send(None).unwrap();
    let result = importing.await.unwrap();
    assert!(matches!(result, Err(StoreError::Source(_))), "{result:?}");
    group.stores[1].finish_deletions().await.unwrap();
    let remaining_sql =
        "SELECT (SELECT count(*) FROM submissions) + (SELECT count(*) FROM import_rows)";
    assert_eq!(group.sql(remaining_sql).trim(), "0");
}
