//! Submissions of intake that are inserted in one transaction.

use super::TestFolder;
use contract::{FormId, Submission};
use rusqlite::Connection;
use store::Store;
use store::new_submission::{InsertOutcome, NewSubmission};
use store_sqlite::SqliteStore;
use store_tests::fixtures::{self, submission};

async fn new_submission(store: &SqliteStore, form: &FormId, sent: &Submission) -> NewSubmission {
    let version = store.find_intake(form).await.unwrap().unwrap().version;
    NewSubmission {
        form: form.clone(),
        version,
        submission: Submission { form_id: form.clone(), ..sent.clone() },
        fields: Vec::new(),
        spam: None,
        idempotency: None,
        rows_max: None,
    }
}

#[tokio::test]
async fn failure_of_one_form_keeps_submissions_of_others() {
    let place = TestFolder::new();
    let store = place.open();
    fixtures::owner_and_form(&store).await;
    store.insert_form(fixtures::form("acc_1", "frm_2")).await.unwrap();
    let lock = Connection::open(place.file()).unwrap();
    lock.execute_batch(
        "CREATE TRIGGER refuse BEFORE UPDATE OF submission_count ON forms WHEN new.id = 'frm_2'
           BEGIN SELECT RAISE(ABORT, 'refused'); END;
         BEGIN IMMEDIATE;",
    )
    .unwrap();
    let [first, second] = ["sub_1", "sub_2"].map(|id| submission(id, 7, "an answer"));
    let first_insert = new_submission(&store, &first.form_id, &first).await;
    let second_insert = new_submission(&store, &"frm_2".parse().unwrap(), &second).await;
    // The writer waits for the lock, so its next transaction has both submissions.
    let (outcome, failure, ()) = tokio::join!(
        biased;
        store.insert_submission(first_insert),
        store.insert_submission(second_insert),
        async { lock.execute_batch("COMMIT").unwrap() }
    );
    assert!(matches!(outcome, Ok(InsertOutcome::Inserted(_))), "{outcome:?}");
    assert!(failure.unwrap_err().to_string().contains("refused"));
    let found = store.find_submission(&first.id).await.unwrap().unwrap().submission;
    let found: Submission = serde_json::from_str(&found.json).unwrap();
    assert_eq!(found, first);
    assert!(store.find_submission(&second.id).await.unwrap().is_none());
}
