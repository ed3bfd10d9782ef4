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
    let (mut before, file) = (Vec::new(), place.file());
    let kept = |before: &[String]| {
        let made = parts(&url);
        assert!(before.iter().all(|part| made.contains(part)), "{before:?} {made:?}");
        made
    };
    let kills = [(Doing::Moving, 2), (Doing::Moving, 9), (Doing::Indexing, 3)];
    for at in kills.into_iter().chain([(Doing::Indexing, 9), (Doing::Indexing, 16)]) {
        assert!(kill(&file, &url, at, 0).await.is_none(), "it ended");
        let refused = PostgresStore::open(&Setup::of(&url)).await.err().unwrap().to_string();
        assert!(refused.contains("has not ended"), "{refused}");
        before = kept(&before);
    }
    assert!(!before.is_empty(), "nothing of it was made before the kills");
    assert!(run(&file, &url).await.unwrap().agrees());
    kept(&before);
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
    assert!(kill(&place.file(), &url, (Doing::Moving, 9), 0).await.is_none());
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

#[tokio::test]
async fn the_index_has_room_and_is_told_while_it_is_made() {
    let (place, url) = (Place::new(), database());
    let store = place.open();
    make::owner_and_form(&store).await;
    let rows = (0..600).map(|n| submission(&format!("sub_{n}"), n, &noise(n)));
    make::insert(&store, rows.collect()).await;
    drop(store);
    PostgresStore::open(&Setup::of(&url)).await.unwrap();
    let note = "CREATE TABLE noted (room TEXT, looked TEXT);
        CREATE FUNCTION note() RETURNS EVENT_TRIGGER LANGUAGE plpgsql AS $$ BEGIN
          INSERT INTO noted VALUES (current_setting('maintenance_work_mem'),
            current_setting('client_connection_check_interval'));
        END $$;
        CREATE EVENT TRIGGER note ON ddl_command_end WHEN TAG IN ('CREATE INDEX')
          EXECUTE FUNCTION note()";
    sql(name(&url), note).unwrap();
    let (mut between, setup) = (0, Setup::of(&url));
    let told = |it: Reached| {
        let is_between = it.doing == Doing::Indexing && it.done > 0 && it.done < it.total;
        between += usize::from(is_between);
    };
    moving::run(&place.file(), &setup, Pace::default(), told).await.unwrap();
    assert!(between > 0, "how far the one partition is was not told");
    assert_eq!(sql(name(&url), "SELECT DISTINCT * FROM noted").unwrap(), "256MB|500ms");
}

/// Words of which no two rows have many in common.
fn noise(seed: i64) -> String {
    let mut state = seed.unsigned_abs() + 1;
    let mut letter = |_| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b'a' + u8::try_from((state >> 40) % 26).unwrap())
    };
    (0..20_000).map(&mut letter).collect()
}
