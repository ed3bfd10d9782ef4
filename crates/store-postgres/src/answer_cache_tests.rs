use super::*;
use crate::test_database::prepared_database;
use crate::{PostgresStore, Setup};
use contract::{Field, FieldType, Filter, ListQuery};
use std::time::Duration;
use store::{Position, Store as _};
use store_tests::fixtures::{self, at, export_all, field, submission};
use tokio::time::sleep;

const DAY_US: i64 = crate::days::DAY_US;

/// Opens two stores on one database with the form `frm_1`, like two processes.
async fn open_two() -> [PostgresStore; 2] {
    let setup = Setup::with_defaults(&prepared_database());
    let stores =
        [PostgresStore::open(&setup).await.unwrap(), PostgresStore::open(&setup).await.unwrap()];
    fixtures::owner_and_form(&stores[0]).await;
    stores
}

/// Returns a filter by the answer of [`submission`]: as a number with `fld_1`, as a text with
/// `fld_2`.
fn answer_filter(query: &str) -> Filter {
    let mut filter = ListQuery::parse(query).unwrap().filter;
    let text = Field { kind: FieldType::Text, ..field("fld_2", "answer") };
    filter.fields.resolve(&[field("fld_1", "answer"), text]).unwrap();
    filter
}

/// Lists the ids of the matches after a position, at most three, and counts all matches.
async fn list(
    store: &PostgresStore,
    filter: &Filter,
    after: Option<&Position>,
) -> (Vec<String>, u64) {
    let page = fixtures::list_page(store, filter, after, 3).await.unwrap();
    (page.rows.iter().map(|row| row.position.id.to_string()).collect(), page.total)
}

fn cached_days(store: &PostgresStore) -> Vec<(i64, usize)> {
    let forms = store.answers.lock();
    let days = forms.forms.values().flat_map(|cached| cached.days.iter());
    days.map(|(day, answers)| (*day, answers.keys().len())).collect()
}

fn position(micros: i64, id: &str) -> Position {
    Position { submitted_at: at(micros), id: id.parse().unwrap() }
}

#[tokio::test]
async fn lists_follow_changes_of_other_processes() {
    let [store, other] = open_two().await;
    let filter = answer_filter("fld_1=gte:4");
    let rows = [("sub_a", 5, "4"), ("sub_b", 5, "5"), ("sub_c", DAY_US, "5"), ("sub_d", 7, "3")];
    let rows = rows.map(|(id, at, answer)| submission(id, at, answer));
    fixtures::insert_submissions(&other, rows.into()).await;
    let ids = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
    assert_eq!(list(&store, &filter, None).await, (ids(&["sub_c", "sub_b", "sub_a"]), 3));
    assert_eq!(cached_days(&store), [(0, 3), (1, 1)]);
    let after_b = position(5, "sub_b");
    assert_eq!(list(&store, &filter, Some(&after_b)).await, (ids(&["sub_a"]), 3));
    let first_day = answer_filter("fld_1=gte:4&date_to=1970-01-01T23:00:00Z");
    assert_eq!(list(&store, &first_day, None).await, (ids(&["sub_b", "sub_a"]), 2));

    // The same id with another answer, at the same instant: the count of the day stays the same.
    assert!(other.delete_submission(&"sub_a".parse().unwrap()).await.unwrap());
    fixtures::insert_submissions(&other, vec![submission("sub_a", 5, "1")]).await;
    assert_eq!(list(&store, &filter, None).await, (ids(&["sub_c", "sub_b"]), 2));

    fixtures::insert_submissions(&other, vec![submission("sub_e", 6, "9")]).await;
    assert_eq!(list(&store, &filter, None).await, (ids(&["sub_c", "sub_e", "sub_b"]), 3));
    assert_eq!(cached_days(&store), [(0, 4), (1, 1)]);
    assert!(other.delete_submission(&"sub_c".parse().unwrap()).await.unwrap());
    assert_eq!(list(&store, &filter, None).await, (ids(&["sub_e", "sub_b"]), 2));
    assert_eq!(cached_days(&store), [(0, 4)]);

    // Another column is read for all days. Both stay cached.
    let contains = answer_filter("fld_2=contains:9");
    assert_eq!(list(&store, &contains, None).await, (ids(&["sub_e"]), 1));
    let both = answer_filter("fld_1=gte:4&fld_2=contains:5&country=none");
    assert_eq!(list(&store, &both, None).await, (ids(&["sub_b"]), 1));
}

#[tokio::test]
async fn large_forms_are_read_in_the_background() {
    let [mut store, _] = open_two().await;
    store.answers = Arc::new(AnswerCache::with_limits(1 << 20, 3));
    let rows = (0..6).map(|n| submission(&format!("sub_{n}"), n * DAY_US, &n.to_string()));
    fixtures::insert_submissions(&store, rows.collect()).await;
    let filter = answer_filter("fld_1=gte:2");
    let expected = (vec!["sub_5".to_owned(), "sub_4".to_owned(), "sub_3".to_owned()], 4);
    assert_eq!(list(&store, &filter, None).await, expected);
    while cached_days(&store).len() < 6 {
        sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(list(&store, &filter, None).await, expected);
    // A new day is few rows, so the list itself reads it.
    fixtures::insert_submissions(&store, vec![submission("sub_6", 6 * DAY_US, "7")]).await;
    assert_eq!(list(&store, &filter, None).await.1, 5);
    assert_eq!(cached_days(&store).len(), 7);
    // A changed day has too many new rows for the list.
    let rows = (0..4).map(|n| submission(&format!("sub_n{n}"), n + 1, "9"));
    fixtures::insert_submissions(&store, rows.collect()).await;
    assert_eq!(list(&store, &filter, None).await.1, 9);
    while !cached_days(&store).contains(&(0, 5)) {
        sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(list(&store, &filter, None).await.1, 9);
}

#[tokio::test]
async fn forms_over_the_memory_limit_are_not_cached() {
    let [mut store, _] = open_two().await;
    store.answers = Arc::new(AnswerCache::with_limits(100, 1000));
    let rows: Vec<_> = (0..6).map(|n| submission(&format!("sub_{n}"), n, "1")).collect();
    fixtures::insert_submissions(&store, rows).await;
    let filter = answer_filter("fld_1=eq:1");
    assert_eq!(list(&store, &filter, None).await.1, 6);
    assert_eq!(export_all(&store, &filter, None, 1 << 20).await.len(), 6);
    assert!(cached_days(&store).is_empty());
    let forms = store.answers.lock();
    let limits = forms.forms.values().map(|it| it.limit.as_ref().map(|(_, rows)| *rows));
    assert_eq!(limits.collect::<Vec<_>>(), [Some(6)]);
}

#[test]
fn one_task_reads_in_the_background() {
    let cache = AnswerCache::new(1 << 20);
    let permit = cache.begin_loading();
    assert!(permit.is_some());
    assert!(cache.begin_loading().is_none());
    drop(permit);
    assert!(cache.begin_loading().is_some());
}

fn column(key: &str) -> ColumnKey {
    ColumnKey { key: key.to_owned(), is_folded: false }
}

fn day(day: i64, keys: &[RowKey]) -> Arc<DayAnswers> {
    let version = DayVersion { day, rows: keys.len() as u64, hash: String::new() };
    let row =
        |key: &RowKey| day_answers::ReadRow { key: *key, version: 7, texts: vec![Vec::new()] };
    let columns = [column("a")].into();
    Arc::new(DayAnswers::new(version, columns, keys.iter().map(row).collect()))
}

fn form_days(form: &str, rows: u64, days: &[i64]) -> FormDays {
    let version = |day: &i64| DayVersion { day: *day, rows: 1, hash: String::new() };
    let key = CacheKey { form: form.parse().unwrap(), server: "1".to_owned() };
    FormDays { key, rows, versions: days.iter().map(version).collect() }
}

#[test]
fn least_recently_read_form_makes_room() {
    let forms = ["frm_1", "frm_2", "frm_3"].map(|id| form_days(id, 1, &[0]));
    let cache = AnswerCache::with_limits(2 * day(0, &[(1, 1)]).bytes(), 1);
    let cached = |form: &FormDays| cache.find_days(form, &[]).map(|days| days.len());
    assert!(cache.add_day(&forms[0], day(0, &[(1, 1)])));
    assert!(cache.add_day(&forms[1], day(0, &[(1, 1)])));
    assert_eq!(cached(&forms[0]), Some(1));
    assert!(cache.add_day(&forms[2], day(0, &[(1, 1)])));
    assert_eq!(forms.each_ref().map(cached), [Some(1), Some(0), Some(1)]);
}

#[test]
fn columns_over_the_limit_are_not_read_until_the_form_shrinks() {
    let cache = AnswerCache::with_limits(day(0, &[(1, 1)]).bytes(), 1);
    let cached = |rows: u64, columns: &[ColumnKey]| {
        cache.find_days(&form_days("frm_1", rows, &[]), columns).map(|days| days.len())
    };
    let (a, b) = (column("a"), column("b"));
    let days = form_days("frm_1", 9, &[0, 1]);
    assert!(cache.add_day(&days, day(0, &[(1, 1)])));
    assert_eq!(cached(9, std::slice::from_ref(&a)), Some(1));
    assert!(!cache.add_day(&days, day(1, &[(2, 1)])));
    assert_eq!(cached(9, std::slice::from_ref(&a)), None);
    assert_eq!(cached(9, &[a.clone(), b.clone()]), None);
    assert_eq!(cached(9, std::slice::from_ref(&b)), Some(0));
    assert_eq!(cached(8, &[a]), Some(0));
    assert!(!cache.has_room(&days, &[b.clone()].into(), 1 << 20));
    assert_eq!(cached(9, &[b]), None);
}

#[test]
fn days_without_submissions_are_removed() {
    let cache = AnswerCache::new(1 << 20);
    let days = form_days("frm_1", 2, &[0, 1]);
    for number in [0, 1] {
        assert!(cache.add_day(&days, day(number, &[(number * DAY_US, 1)])));
    }
    cache.remove_empty_days(&days);
    assert_eq!(cache.find_days(&days, &[]).unwrap().len(), 2);
    cache.remove_empty_days(&form_days("frm_1", 1, &[1]));
    assert_eq!(cache.find_days(&days, &[]).unwrap().keys().collect::<Vec<_>>(), [&1]);
    let other_server = CacheKey { server: "2".to_owned(), ..days.key.clone() };
    assert!(cache.find_days(&FormDays { key: other_server, ..days }, &[]).unwrap().is_empty());
}

#[test]
fn rows_are_known_by_key_and_version() {
    let day = day(0, &[(2, 9), (1, 5), (1, 3)]);
    assert_eq!(day.keys(), [(1, 3), (1, 5), (2, 9)]);
    assert_eq!(day.find_version((1, 5), 7), Some(1));
    assert_eq!(day.find_version((1, 5), 8), None);
    assert_eq!(day.find_version((1, 4), 7), None);
    assert_eq!(day.row(1).key, (1, 5));
}

#[test]
fn page_has_all_keys_at_the_instants_of_its_rows() {
    let keys = [(9, 1), (8, 4), (8, 2), (8, 1), (7, 5), (7, 3), (6, 1)];
    let page = |after: Option<i64>, rows_max: usize| {
        let mut page = KeyPage::new(after, rows_max);
        for key in keys {
            page.add(key);
        }
        let found = page.finish();
        assert_eq!(found.total, 7);
        (found.instants, found.keys.len())
    };
    assert_eq!(page(None, 1), (vec![9], 1));
    assert_eq!(page(None, 2), (vec![9, 8], 4));
    // The cursor may be the last of three at its instant, so one more row is needed.
    assert_eq!(page(Some(8), 1), (vec![8, 7], 5));
    assert_eq!(page(Some(7), 9), (vec![7, 6], 3));
    assert_eq!(page(Some(1), 9), (vec![], 0));
}
