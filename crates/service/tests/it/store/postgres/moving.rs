//! A move from a file into a database: everything comes, once, and both sides are proven the same.

mod index;
mod refused;
mod rich;

use super::open::name;
use super::{database, soon, sql};
use crate::store::make::{self, at, form_id, submission};
use crate::store::sqlite::Place;
use rich::{answers, fill};
use service::store::moving::{self, Doing, Inventory, Pace, Proof, Reached};
use service::store::postgres::{PostgresStore, Setup};
use service::store::{Import, ImportSource, Result, Store, StoreError};
use std::future::poll_fn;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;

/// Many pieces of few rows.
const SLOW: Pace = Pace { rows_max: 3, bytes_max: 1 << 20 };

async fn run(file: &Path, url: &str) -> Result<Proof> {
    moving::run(file, &Setup::of(url), Pace::default(), |_| ()).await
}

/// Begins a move and kills it: after so many pieces were moved, indexed or compared, at the next
/// moment at which it waits for something, or so many moments later.
async fn kill(
    file: &Path,
    url: &str,
    (doing, pieces): (Doing, usize),
    mut later: usize,
) -> Option<Proof> {
    let (is_due, setup) = (Arc::new(AtomicBool::new(false)), Setup::of(url));
    let (due, mut come) = (Arc::clone(&is_due), 0);
    let told = move |reached: Reached| {
        come += usize::from(reached.doing == doing);
        if come == pieces {
            due.store(true, Ordering::Relaxed);
        }
    };
    let mut moving = pin!(moving::run(file, &setup, SLOW, told));
    poll_fn(|context| match moving.as_mut().poll(context) {
        Poll::Ready(proof) => Poll::Ready(Some(proof.unwrap())),
        Poll::Pending if is_due.load(Ordering::Relaxed) && later == 0 => Poll::Ready(None),
        Poll::Pending => {
            later -= usize::from(is_due.load(Ordering::Relaxed));
            Poll::Pending
        }
    })
    .await
}

fn rows(proof: &Proof, table: &str) -> u64 {
    let found = proof.tables.iter().find(|it| it.table == table).unwrap();
    assert_eq!(found.source, found.target, "{table}");
    found.target.rows
}

#[tokio::test]
async fn a_store_that_was_moved_answers_as_it_did() {
    let (place, url) = (Place::new(), database());
    fill(&place.open()).await;
    let expected = answers(&place.open()).await;
    let proof = run(&place.file(), &url).await.unwrap();
    assert!(proof.agrees());
    for table in &proof.tables {
        assert!(table.target.rows > 0, "nothing was to move of `{}`", table.table);
    }
    let store = PostgresStore::open(&Setup::of(&url)).await.unwrap();
    assert_eq!(answers(&store).await, expected);
    assert_eq!(answers(&place.open()).await, expected, "the file was changed");
    rich::goes_on(&store).await;
    let report = store.verify(Vec::new()).await.unwrap();
    assert!(report.chains.len() >= 2);
    assert!(report.chains.iter().all(|chain| chain.finding.is_none()), "{report:?}");
}

#[tokio::test]
async fn a_move_that_is_killed_anywhere_goes_on() {
    let (place, url) = (Place::new(), database());
    fill(&place.open()).await;
    let expected = answers(&place.open()).await;
    // Each is killed a moment later: wherever a piece may be.
    let kills = (0..20).map(|later| ((Doing::Moving, 1), later));
    for (at, later) in kills.chain([((Doing::Comparing, 2), 0)]) {
        assert!(kill(&place.file(), &url, at, later).await.is_none(), "it ended at {later}");
        let opened = PostgresStore::open(&Setup::of(&url)).await.err();
        let said = opened.map(|error| error.to_string()).unwrap_or_default();
        assert!(said.contains("has not ended"), "{said}");
    }
    assert!(run(&place.file(), &url).await.unwrap().agrees());
    let store = PostgresStore::open(&Setup::of(&url)).await.unwrap();
    assert_eq!(answers(&store).await, expected);
}

#[tokio::test]
async fn a_move_is_told_and_proven_again() {
    let (place, url) = (Place::new(), database());
    fill(&place.open()).await;
    let (mut reached, setup) = (Vec::new(), Setup::of(&url));
    let told = |it| reached.push(it);
    let first = moving::run(&place.file(), &setup, SLOW, told).await.unwrap();
    let total = first.tables.iter().map(|it| it.target.rows).sum();
    let submissions = rows(&first, "submissions");
    for (doing, total) in
        [(Doing::Moving, total), (Doing::Indexing, submissions), (Doing::Comparing, total)]
    {
        let its: Vec<_> = reached.iter().filter(|it| it.doing == doing).collect();
        assert!(its.iter().all(|it| it.total == total), "{doing:?}");
        assert!(its.iter().map(|it| it.done).is_sorted());
        assert_eq!(its.last().map(|it| it.done), Some(total), "{doing:?}");
    }
    let order: Vec<_> = reached.iter().map(|it| it.doing).collect();
    assert!(order.is_sorted_by_key(|doing| *doing as u8), "{order:?}");
    assert_eq!(run(&place.file(), &url).await.unwrap(), first);
}

#[tokio::test]
async fn whatever_differs_is_noticed() {
    let (place, url) = (Place::new(), database());
    fill(&place.open()).await;
    run(&place.file(), &url).await.unwrap();
    let name = name(&url);
    let changes = [
        ("UPDATE submissions SET json = json || ' ' WHERE id = 'sub_03'", Some("frm_1")),
        ("UPDATE submissions SET searched = searched || ' ' WHERE id = 'sub_03'", Some("frm_1")),
        ("UPDATE submissions SET submitted_at = 77 WHERE id = 'sub_long'", Some("frm_2")),
        ("DELETE FROM submissions WHERE id = 'sub_far'", Some("frm_2")),
        ("UPDATE forms SET submission_count = submission_count + 1", Some("frm_0")),
        ("DELETE FROM submission_days WHERE form_id = 'frm_2'", Some("frm_2")),
        ("UPDATE keys SET revoked_at = NULL", None),
        ("UPDATE people SET password_hash = 'x'", None),
        ("DELETE FROM receipts", None),
        ("UPDATE secrets SET value = 'x'", None),
        ("UPDATE unlisted SET json = '{}'", None),
        ("UPDATE unlisted SET moved_at = moved_at + 1", None),
        ("UPDATE forms SET trash_days = 9", None),
        ("DELETE FROM insight_corrections", None),
        // Of a form that is not there.
        (
            "INSERT INTO submissions (form_id, submitted_at, id, json, searched)
             VALUES ('frm_none', 1, 'sub_none', '{}', '')",
            None,
        ),
    ];
    for (number, (change, form)) in changes.into_iter().enumerate() {
        let other = format!("{name}_{number}");
        let copy = format!("CREATE DATABASE {other} TEMPLATE {name}");
        // Whoever had it open may take a moment to leave.
        soon("it is copied", async || sql("postgres", &copy).is_ok()).await;
        sql(&other, change).unwrap();
        let proof = run(&place.file(), &url.replace(name, &other)).await.unwrap();
        assert!(!proof.agrees(), "{change}");
        let differs = proof.forms.iter().find(|it| !it.agrees());
        assert_eq!(differs.map(|it| it.form_id.as_str()), form, "{change}");
    }
}

#[tokio::test]
async fn an_end_of_the_audit_log_that_differs_is_named() {
    let (place, url) = (Place::new(), database());
    fill(&place.open()).await;
    run(&place.file(), &url).await.unwrap();
    let change = "ALTER TABLE audit_heads DISABLE TRIGGER USER;
                  UPDATE audit_heads SET place = place + 1 WHERE account = 'acc_1'";
    sql(name(&url), change).unwrap();
    let proof = run(&place.file(), &url).await.unwrap();
    let differs = proof.chains.iter().filter(|it| !it.agrees()).map(|it| it.account.as_str());
    assert_eq!(differs.collect::<Vec<_>>(), ["acc_1"]);
    assert!(!proof.agrees());
}

#[tokio::test]
async fn no_server_begins_on_what_differs() {
    let (place, url) = (Place::new(), database());
    fill(&place.open()).await;
    PostgresStore::open(&Setup::of(&url)).await.unwrap();
    let change = "CREATE FUNCTION lose() RETURNS TRIGGER LANGUAGE plpgsql AS
                    $$ BEGIN NEW.name := 'lost'; RETURN NEW; END $$;
                  CREATE TRIGGER lose BEFORE INSERT ON keys FOR EACH ROW EXECUTE FUNCTION lose()";
    sql(name(&url), change).unwrap();
    for _ in 0..2 {
        assert!(!run(&place.file(), &url).await.unwrap().agrees());
        let refused = PostgresStore::open(&Setup::of(&url)).await.err().unwrap().to_string();
        assert!(refused.contains("has not ended"), "{refused}");
    }
}

#[tokio::test]
async fn a_move_that_goes_on_tells_what_was_there_before() {
    let (place, url) = (Place::new(), database());
    fill(&place.open()).await;
    assert!(kill(&place.file(), &url, (Doing::Moving, 9), 0).await.is_none());
    let sum = "SELECT sum(row_count) FROM move_marks";
    let before: u64 = sql(name(&url), sum).unwrap().parse().unwrap();
    let (mut first, setup) = (None, Setup::of(&url));
    let one = Pace { rows_max: 5000, bytes_max: 1 };
    let told = |it: Reached| first = first.or(Some(it));
    moving::run(&place.file(), &setup, one, told).await.unwrap();
    assert_eq!(first.map(|it| it.done), Some(before + 1), "a piece is one row by its bytes");
}

#[tokio::test]
async fn many_forms_and_a_large_one_come_whole() {
    let (place, url) = (Place::new(), database());
    let store = place.open();
    make::owner_and_form(&store).await;
    let large = (0..4000).map(|n| submission(&format!("sub_{n}"), n / 3, &"x".repeat(700)));
    make::insert(&store, large.collect()).await;
    for n in 0..150 {
        store.insert_form(make::form("acc_1", &format!("frm_s{n}"))).await.unwrap();
        let form = format!("frm_s{n}").parse().unwrap();
        let one =
            contract::Submission { form_id: form, ..submission(&format!("sub_s{n}"), n, "y") };
        let source = make::source(vec![one.clone()]);
        store.insert_submissions(&one.form_id, Vec::new(), source).await.unwrap();
    }
    drop(store);
    let proof = run(&place.file(), &url).await.unwrap();
    assert!(proof.agrees());
    assert_eq!((rows(&proof, "submissions"), proof.forms.len()), (4150, 151));
}

#[tokio::test]
async fn an_empty_store_is_moved_too() {
    let (place, url) = (Place::new(), database());
    drop(place.open());
    assert!(run(&place.file(), &url).await.unwrap().agrees());
    let store = PostgresStore::open(&Setup::of(&url)).await.unwrap();
    make::owner_and_form(&store).await;
}

/// An import whose process dies after some pieces.
fn dies() -> ImportSource {
    Box::new(|_| {
        let end = std::iter::once_with(|| panic!("killed, as the test wants it"));
        let rows = (0..2200).map(|n| Ok(submission(&format!("sub_i{n}"), n, "z")));
        Ok(Box::new(rows.chain(end)))
    })
}

#[tokio::test]
async fn of_an_import_under_way_nothing_comes() {
    let (place, url) = (Place::new(), database());
    let store = place.open();
    make::owner_and_form(&store).await;
    make::insert(&store, vec![submission("sub_1", 1, "x")]).await;
    let import = Import { fingerprint: [1; 32], fields: Vec::new(), began_at: at(1), inserted: 0 };
    let died = store.import_submissions(&form_id(), import, dies()).await;
    assert!(matches!(died, Err(StoreError::Database(_))));
    let Inventory { tables, forms, unfinished } = moving::inventory(&place.file()).await.unwrap();
    assert_eq!(forms, [("frm_1".to_owned(), 1)]);
    assert_eq!(unfinished, [("frm_1".to_owned(), 2000)]);
    assert!(tables.contains(&("submissions", 1)) && tables.contains(&("forms", 1)));
    drop(store);
    let proof = run(&place.file(), &url).await.unwrap();
    assert!(proof.agrees());
    assert_eq!(rows(&proof, "submissions"), 1);
}
