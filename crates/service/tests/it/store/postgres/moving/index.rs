//! The index over trigrams, which a move makes behind the rows: however it is cut, in the end the
//! index is there, as the schema has it, and searches go by it.

use super::super::open::name;
use super::super::sql;
use super::{Pace, SLOW, Setup, database, kill, run};
use crate::store::make::{self, submission};
use crate::store::sqlite::Place;
use contract::{Filter, Submission};
use service::store::moving::{self, Doing, Reached};
use service::store::postgres::PostgresStore;
use service::store::{Store, StoreError};

/// The partitions that have their part of the index.
const PARTS: &str = "SELECT i.indrelid::REGCLASS || ' ' || i.indexrelid FROM pg_index AS i
    JOIN pg_class AS c ON c.oid = i.indexrelid JOIN pg_am AS m ON m.oid = c.relam
    WHERE m.amname = 'gin' AND c.relkind = 'i' ORDER BY 1";
const IS_THERE: &str = "SELECT to_regclass('submissions_by_trigram') IS NOT NULL";

/// A file whose one form has so many rows that a search for a rare word is worth an index.
async fn filled() -> Place {
    let place = Place::new();
    let store = place.open();
    make::owner_and_form(&store).await;
    let rows = (0..2000).map(|n| submission(&format!("sub_{n}"), n, &"x".repeat(700)));
    let needle: Submission = submission("sub_needle", 7, "a needle");
    make::insert(&store, rows.chain([needle]).collect()).await;
    place
}

fn is_there(url: &str) -> bool {
    sql(name(url), IS_THERE).unwrap() == "t"
}

fn parts(url: &str) -> Vec<String> {
    sql(name(url), PARTS).unwrap().lines().map(str::to_owned).collect()
}

/// All indexes, as they are defined, and whether they are whole.
fn indexes(url: &str) -> String {
    let sql_of_all = "SELECT indexdef, indisvalid FROM pg_indexes
        JOIN pg_index ON indexrelid = indexname::REGCLASS WHERE schemaname = 'public' ORDER BY 1";
    sql(name(url), sql_of_all).unwrap()
}

/// Checks that a search goes by the index, and that a server's store finds by it.
async fn check_searches(url: &str) {
    let asked = "EXPLAIN SELECT id FROM submissions AS s WHERE s.form_id = 'frm_1'
        AND s.searched LIKE '%needle%'";
    let plan = sql(name(url), asked).unwrap();
    assert!(plan.contains("form_id_searched_idx"), "{plan}");
    let store = PostgresStore::open(&Setup::of(url)).await.unwrap();
    let filter: Filter = make::search("needle");
    let page = store.list_submissions(&make::form_id(), &filter, None, 9).await.unwrap();
    assert_eq!((page.total, page.rows.len()), (1, 1));
    assert_eq!(page.rows[0].position.id.as_str(), "sub_needle");
}

#[tokio::test]
async fn rows_come_without_the_index_and_it_is_as_the_schema_has_it() {
    let (place, url, fresh) = (filled().await, database(), database());
    let mut seen = Vec::new();
    let told = |it: Reached| {
        if seen.last().is_none_or(|(doing, _)| *doing != it.doing) {
            seen.push((it.doing, is_there(&url)));
        }
    };
    let setup = Setup::of(&url);
    let proof = moving::run(&place.file(), &setup, Pace::default(), told).await.unwrap();
    assert!(proof.agrees());
    let expect = [(Doing::Moving, false), (Doing::Indexing, false), (Doing::Comparing, true)];
    assert_eq!(seen, expect);
    PostgresStore::open(&Setup::of(&fresh)).await.unwrap();
    assert_eq!(indexes(&url), indexes(&fresh));
    check_searches(&url).await;
}

#[tokio::test]
async fn a_move_that_is_killed_ends_with_the_index() {
    let (place, url, fresh) = (filled().await, database(), database());
    let mut before = Vec::new();
    let kills = [(Doing::Moving, 2), (Doing::Moving, 9), (Doing::Indexing, 3)];
    for (doing, pieces) in kills.into_iter().chain([(Doing::Indexing, 9), (Doing::Indexing, 16)]) {
        assert!(kill(&place.file(), &url, doing, pieces).await.is_none(), "it ended");
        let refused = PostgresStore::open(&Setup::of(&url)).await.err().unwrap().to_string();
        assert!(refused.contains("has not ended"), "{refused}");
        let made = parts(&url);
        assert!(before.iter().all(|part| made.contains(part)), "{before:?} {made:?}");
        let count_min = if doing == Doing::Indexing { pieces } else { 0 };
        assert!(made.len() >= count_min, "{doing:?} {pieces}: {made:?}");
        before = made;
    }
    assert!(run(&place.file(), &url).await.unwrap().agrees());
    assert_eq!(parts(&url), before, "what was made was made again");
    PostgresStore::open(&Setup::of(&fresh)).await.unwrap();
    assert_eq!(indexes(&url), indexes(&fresh));
    check_searches(&url).await;
}

#[tokio::test]
async fn an_index_that_somebody_dropped_is_made_again() {
    let (place, url) = (filled().await, database());
    run(&place.file(), &url).await.unwrap();
    sql(name(&url), "DROP INDEX submissions_by_trigram").unwrap();
    assert!(run(&place.file(), &url).await.unwrap().agrees());
    assert!(is_there(&url));
    check_searches(&url).await;
}

#[tokio::test]
async fn a_role_that_may_not_make_the_index_does_not_take_it_away() {
    let (place, url) = (filled().await, database());
    let mover = |url: &str| {
        let grant = "GRANT ALL ON ALL TABLES IN SCHEMA public TO mover;
                     GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO mover";
        sql(name(url), grant).unwrap();
        url.replace("//sheaf@", "//mover@")
    };
    sql(name(&url), "CREATE ROLE mover LOGIN").unwrap();
    PostgresStore::open(&Setup::of(&url)).await.unwrap();
    let as_it_was = parts(&url);
    assert_eq!(as_it_was.len(), 16);
    assert!(run(&place.file(), &mover(&url)).await.unwrap().agrees());
    assert_eq!(parts(&url), as_it_was);
    check_searches(&url).await;
    // What the owner of the tables took away, the owner makes.
    let url = database();
    assert!(kill(&place.file(), &url, Doing::Moving, 9).await.is_none());
    match run(&place.file(), &mover(&url)).await {
        Err(StoreError::Unfit(why)) => assert!(why.contains("as the role that owns"), "{why}"),
        other => panic!("{other:?}"),
    }
    assert!(run(&place.file(), &url).await.unwrap().agrees());
    check_searches(&url).await;
}

#[tokio::test]
async fn the_index_is_told_by_submissions() {
    let (place, url) = (filled().await, database());
    let (mut reached, setup) = (Vec::new(), Setup::of(&url));
    let told = |it: Reached| reached.extend((it.doing == Doing::Indexing).then_some(it));
    moving::run(&place.file(), &setup, SLOW, told).await.unwrap();
    assert!(reached.iter().all(|it| it.total == 2001));
    assert!(reached.iter().map(|it| it.done).is_sorted());
    let ends = [reached.first(), reached.last()].map(|it| it.unwrap().done);
    assert_eq!(ends, [0, 2001], "all of the one form lies in one partition");
}
