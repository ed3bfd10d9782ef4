//! Long imports: atomic visibility, and continuation after a kill.

use super::audit::list_entries;
use super::fixtures::{self, at, form_id, submission};
use contract::audit::{Action, Actor, AuditEvent};
use contract::insight::SetAnalysis;
use contract::{Field, Filter, ListQuery, Submission};
use std::collections::HashSet;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use store::daily_limits::DailyLimits;
use store::insight::{PendingQuery, RoundRobin};
use store::{Import, ImportSource, Store, StoreError};

/// More than two chunks of an import.
pub const ROWS: usize = 2200;

pub fn new_import(fingerprint: u8, began_micros: i64, field: &str) -> Import {
    Import {
        fingerprint: [fingerprint; 32],
        fields: vec![fixtures::field(field, "answer")],
        began_at: at(began_micros),
        inserted: 0,
    }
}

/// A submission with NUL characters, which a PostgreSQL text column cannot store.
pub fn row(n: usize, began_micros: i64) -> Submission {
    let micros = began_micros + i64::try_from(n).unwrap();
    let mut submission = submission(&format!("sub_{n}"), micros, "nee\0dle");
    submission.metadata.utm_source = Some("ma\0il".to_owned());
    submission
}

/// The calls of an import source: number of inserted rows, start time and fields.
pub type SourceCalls = Arc<Mutex<Vec<(u64, i64, Vec<Field>)>>>;

/// Returns a source of the rows after the ones on disk. If `is_killed`, its thread panics at the
/// end, as if the process died: no cleanup runs.
pub fn import_source(calls: &SourceCalls, is_killed: bool, error: Option<&str>) -> ImportSource {
    let recorded_calls = Arc::clone(calls);
    let error = error.map(str::to_owned);
    Box::new(move |import| {
        let began = import.began_at.micros();
        recorded_calls.lock().unwrap().push((import.inserted, began, import.fields.clone()));
        let skipped = usize::try_from(import.inserted).unwrap();
        let end = std::iter::once_with(move || {
            assert!(!is_killed, "killed by the test");
            error.map(Err)
        });
        let rows = (skipped..ROWS).map(move |n| Ok(row(n, began)));
        Ok(Box::new(rows.chain(end.flatten())))
    })
}

/// Returns a source that blocks after its rows until the test sends its end or an error.
pub fn blocking_source(from: usize) -> (ImportSource, Receiver<()>, Sender<Option<String>>) {
    let (reached, is_reached) = channel();
    let (go, goes) = channel::<Option<String>>();
    let source: ImportSource = Box::new(move |import| {
        let began = import.began_at.micros();
        let last = std::iter::from_fn(move || {
            reached.send(()).unwrap();
            goes.recv().unwrap().map(Err)
        });
        Ok(Box::new((from..from + ROWS).map(move |n| Ok(row(n, began))).chain(last.fuse())))
    });
    (source, is_reached, go)
}

/// Starts an import and kills it when two chunks are on disk.
pub async fn kill_import(store: &dyn Store, import: Import) {
    let ended = store
        .import_submissions(&form_id(), import, import_source(&SourceCalls::default(), true, None))
        .await;
    assert!(matches!(ended, Err(StoreError::Database(_))), "{ended:?}");
}

async fn start_killed_import(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    kill_import(store, new_import(1, 1000, "fld_1")).await;
}

pub async fn count_visible(store: &dyn Store) -> usize {
    let rows = fixtures::export_all(store, &Filter::default(), None, 100_000).await;
    for query in ["", "search=nee%00dle", "utm_source=ma%00il"] {
        let filter = ListQuery::parse(query).unwrap().filter;
        let page = fixtures::list_page(store, &filter, None, 5000).await.unwrap();
        assert_eq!(page.total, page.rows.len() as u64, "{query}");
        if query.is_empty() {
            assert_eq!(page.total, rows.len() as u64);
        }
    }
    let form = store.find_form(&form_id()).await.unwrap().unwrap().form;
    assert_eq!(form.submission_count, rows.len() as u64);
    rows.iter().collect::<HashSet<_>>().len()
}

pub async fn killed_import_is_resumed(store: &dyn Store) {
    start_killed_import(store).await;
    assert_eq!(count_visible(store).await, 0);
    let calls = SourceCalls::default();
    let again = new_import(1, 777_000, "fld_other");
    let source = import_source(&calls, false, None);
    assert_eq!(store.import_submissions(&form_id(), again, source).await.unwrap(), 2200);
    let first = vec![fixtures::field("fld_1", "answer")];
    assert_eq!(*calls.lock().unwrap(), [(2000, 1000, first.clone())]);
    assert_eq!(count_visible(store).await, ROWS);
    let form = store.find_form(&form_id()).await.unwrap().unwrap().form;
    assert_eq!(form.fields, first);
    for query in ["search=nee%00dle", "utm_source=ma%00il"] {
        let filter = ListQuery::parse(query).unwrap().filter;
        let page = fixtures::list_page(store, &filter, None, 1).await.unwrap();
        assert_eq!(page.total, 2200, "{query}");
    }
}

pub async fn import_ignores_other_killed_import(store: &dyn Store) {
    start_killed_import(store).await;
    let rows = (0..70).map(|n| Ok(submission(&format!("sub_other_{n}"), 500_000, "x")));
    let other: ImportSource = Box::new(move |import| {
        assert_eq!(import.inserted, 0);
        Ok(Box::new(rows))
    });
    let done = store.import_submissions(&form_id(), new_import(2, 5000, "fld_2"), other).await;
    assert_eq!(done.unwrap(), 70);
    assert_eq!(count_visible(store).await, 70);
    store.delete_imports(&form_id()).await.unwrap();
    let calls = SourceCalls::default();
    let failed = import_source(&calls, false, Some("no more"));
    assert!(store.import_submissions(&form_id(), new_import(1, 1, "fld_1"), failed).await.is_err());
    assert_eq!(calls.lock().unwrap()[0].0, 0, "the killed import was removed");
    assert_eq!(count_visible(store).await, 70);
}

pub async fn failed_import_leaves_no_rows(store: &dyn Store) {
    start_killed_import(store).await;
    let calls = SourceCalls::default();
    let wrong = import_source(&calls, false, Some("line 9 is wrong"));
    let failed = store.import_submissions(&form_id(), new_import(1, 1, "fld_1"), wrong).await;
    assert!(matches!(&failed, Err(StoreError::Source(why)) if why == "line 9 is wrong"));
    assert_eq!(calls.lock().unwrap()[0].0, 2000);
    let refused: ImportSource = Box::new(|_| Err("the file is gone".to_owned()));
    let failed = store.import_submissions(&form_id(), new_import(1, 1, "fld_1"), refused).await;
    assert!(matches!(failed, Err(StoreError::Source(_))));
    let unknown = "frm_unknown".parse().unwrap();
    let lost = store.import_submissions(
        &unknown,
        new_import(1, 1, "fld_1"),
        import_source(&calls, false, None),
    );
    assert!(matches!(lost.await, Err(StoreError::Source(_))));
    // An id that is taken, and an id that occurs twice in the source.
    fixtures::insert_submissions(store, vec![submission("sub_2100", 1, "x")]).await;
    let taken = import_source(&calls, false, None);
    let failed = store.import_submissions(&form_id(), new_import(1, 1, "fld_1"), taken).await;
    assert!(matches!(failed, Err(StoreError::Exists(_))), "{failed:?}");
    let twice: ImportSource =
        Box::new(|_| Ok(Box::new([5, 5].map(|n| Ok(submission("sub_x", n, "x"))).into_iter())));
    let failed = store.import_submissions(&form_id(), new_import(3, 1, "fld_1"), twice).await;
    assert!(matches!(failed, Err(StoreError::Exists(_))), "{failed:?}");
    assert_eq!(count_visible(store).await, 1);
    let form = store.find_form(&form_id()).await.unwrap().unwrap().form;
    assert!(form.fields.is_empty());
}

/// Returns the store, with an audit event for its next write.
fn with_audit(store: &dyn Store) -> Arc<dyn Store> {
    let event = AuditEvent::new(at(0), &Actor::system(), Action::SubmissionsImported);
    store.with_audit(event.with_account(&fixtures::owner().account_id))
}

async fn list_details(store: &dyn Store) -> Vec<String> {
    let entries = list_entries(store, "acc_1").await;
    entries.iter().map(|entry| serde_json::to_string(&entry.detail).unwrap()).collect()
}

/// Imports [`ROWS`] rows with an audit event.
async fn import_audited(store: &dyn Store) -> Result<u64, StoreError> {
    let source = import_source(&SourceCalls::default(), false, None);
    let import = new_import(1, 1000, "fld_1");
    with_audit(store).import_submissions(&form_id(), import, source).await
}

pub async fn visible_import_has_one_audit_entry(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    kill_import(with_audit(store).as_ref(), new_import(1, 1000, "fld_1")).await;
    // An import that fails because an id is taken.
    fixtures::insert_submissions(store, vec![submission("sub_2100", 1, "x")]).await;
    let failed = import_audited(store).await;
    assert!(matches!(failed, Err(StoreError::Exists(_))), "{failed:?}");
    assert_eq!((count_visible(store).await, list_details(store).await.len()), (1, 0));
    assert!(store.delete_submission(&"sub_2100".parse().unwrap()).await.unwrap());
    // The entry of a resumed import counts the rows of all runs.
    kill_import(with_audit(store).as_ref(), new_import(1, 1000, "fld_1")).await;
    assert_eq!(import_audited(store).await.unwrap(), 2200);
    let repeated = import_audited(store).await;
    assert!(matches!(repeated, Err(StoreError::Exists(_))), "{repeated:?}");
    assert_eq!(count_visible(store).await, ROWS);
    assert_eq!(list_details(store).await, [r#"{"count":2200}"#]);
    // Without rows, only new fields are an effect.
    let added = vec![fixtures::field("fld_2", "score")];
    for (fingerprint, fields, entries) in [(2, Vec::new(), 1), (3, added, 2)] {
        let import = Import { fields, ..new_import(fingerprint, 1000, "fld_1") };
        let empty: ImportSource = Box::new(|_| Ok(Box::new(std::iter::empty())));
        let done = with_audit(store).import_submissions(&form_id(), import, empty).await;
        assert_eq!(done.unwrap(), 0);
        assert_eq!(list_details(store).await.len(), entries);
    }
}

/// An import stays hidden while its audit entry cannot be written. `forbid_entries` makes each
/// insertion of an entry fail, or allows it again.
pub async fn failed_audit_entry_hides_import(store: &dyn Store, forbid_entries: impl Fn(bool)) {
    fixtures::owner_and_form(store).await;
    for (is_forbidden, visible, entries) in [(true, 0, 0), (false, ROWS, 1)] {
        forbid_entries(is_forbidden);
        let done = import_audited(store).await;
        assert_eq!(done.is_err(), is_forbidden, "{done:?}");
        assert_eq!(count_visible(store).await, visible);
        assert_eq!(list_details(store).await.len(), entries);
    }
}

/// A field that the form got while the rows were read is not added again.
pub async fn field_added_during_import_is_kept(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    let (source, is_reached, go) = blocking_source(0);
    let form = form_id();
    let importing = store.import_submissions(&form, new_import(1, 1000, "fld_1"), source);
    let meanwhile = async {
        tokio::task::spawn_blocking(move || is_reached.recv().unwrap()).await.unwrap();
        let field = new_import(1, 1000, "fld_2").fields;
        store.insert_submissions(&form, field, Box::new(std::iter::empty())).await.unwrap();
        go.send(None).unwrap();
    };
    let (done, ()) = tokio::join!(importing, meanwhile);
    done.unwrap();
    let form = store.find_form(&form_id()).await.unwrap().unwrap().form;
    assert_eq!(form.fields, new_import(1, 1000, "fld_2").fields);
}

/// No part of an import is visible or analysed before its end; other writes continue meanwhile.
pub async fn import_becomes_visible_atomically(store: &dyn Store) {
    for failure in [None, Some("no".to_owned())] {
        let is_first = failure.is_none();
        if is_first {
            fixtures::owner_and_form(store).await;
            let on = SetAnalysis { analysis: true, again: true };
            store.set_analysis(&form_id(), on).await.unwrap();
        }
        let before = count_visible(store).await;
        let (source, is_reached, go) = blocking_source(if is_first { 0 } else { ROWS });
        let form = form_id();
        let fingerprint = u8::from(is_first);
        let importing =
            store.import_submissions(&form, new_import(fingerprint, 1000, "fld_1"), source);
        let meanwhile = async {
            tokio::task::spawn_blocking(move || is_reached.recv().unwrap()).await.unwrap();
            let id = format!("sub_meanwhile_{is_first}");
            fixtures::insert_submissions(store, vec![submission(&id, 5, "x")]).await;
            assert_eq!(count_visible(store).await, before + 1);
            assert_eq!(count_pending(store).await, before + 1);
            let deleted = store.delete_submission(&"sub_7".parse().unwrap()).await.unwrap();
            assert_eq!(deleted, !is_first);
            go.send(failure).unwrap();
        };
        let (done, ()) = tokio::join!(importing, meanwhile);
        assert_eq!(done.is_ok(), is_first, "{done:?}");
    }
    // One row was deleted, and one was inserted during the failed import.
    assert_eq!(count_visible(store).await, ROWS + 1);
    assert_eq!(count_pending(store).await, ROWS + 1);
}

async fn count_pending(store: &dyn Store) -> usize {
    while store.queue_insights(300).await.unwrap() {}
    let after = RoundRobin::default();
    let limits = DailyLimits::default();
    let wanted = PendingQuery { after, limits, now: at(5000), rows_max: 9 };
    let listed = store.list_pending(wanted).await.unwrap().unwrap().submissions.len();
    let pending = store.find_analysis(&form_id()).await.unwrap().unwrap().pending;
    let pending = usize::try_from(pending).unwrap();
    assert_eq!(listed, pending.min(9));
    pending
}
