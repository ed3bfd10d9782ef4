//! Submissions: insertion, order, pages, chunks and deletion.

use super::fixtures::{self, at, form_id, submission};
use contract::filter::Search;
use contract::{Environment, Filter, Submission, SubmissionId};
use store::{Chunk, OwnedSubmission, Owner, Position, Store, StoreError, SubmissionSource};

async fn list_ids(store: &dyn Store, after: Option<&Position>, rows_max: usize) -> Vec<String> {
    let page = fixtures::list_page(store, &Filter::default(), after, rows_max).await;
    page.unwrap().rows.into_iter().map(|row| row.position.id.into()).collect()
}

fn search_filter(text: &str) -> Filter {
    Filter { search: Search::new(text).unwrap(), ..Filter::default() }
}

fn position(submitted_at: i64, id: &str) -> Position {
    Position { submitted_at: at(submitted_at), id: id.parse().unwrap() }
}

pub async fn submission_json_round_trips(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    let json = r#"{"id":"sub_1","form_id":"frm_1","answers":{"z":"é\u0000\n","a":1.50,"n":12345678901234567890.10,"l":["x",true]},"metadata":{"submitted_at":"2026-03-01T09:30:00.000001Z","ip_country":null,"device":"mobile","browser":null,"completion_time_seconds":42,"utm_source":"a\u0000b","utm_medium":null,"utm_campaign":""},"ai_insights":{"sentiment":"mixed","sentiment_score":0.5,"categories":["a"],"language":"en"}}"#;
    let given: Submission = serde_json::from_str(json).unwrap();
    fixtures::insert_submissions(store, vec![given.clone()]).await;

    let found = store.find_submission(&given.id).await.unwrap().unwrap();
    let OwnedSubmission { account_id, environment, form_id, submission: stored } = found;
    assert_eq!((account_id.as_str(), environment), ("acc_1", Environment::Live));
    assert_eq!(form_id, given.form_id);
    assert_eq!(stored.json, json);
    let place = Position { submitted_at: given.metadata.submitted_at, id: given.id.clone() };
    assert_eq!(stored.position, place);
    for (source, campaign) in [(Some("a\0b"), None), (None, Some(""))] {
        let filter = Filter {
            utm_source: source.map(str::to_owned),
            utm_campaign: campaign.map(str::to_owned),
            ..Filter::default()
        };
        let page = fixtures::list_page(store, &filter, None, 10).await.unwrap();
        assert_eq!(page.rows, std::slice::from_ref(&stored));
    }
    let other = Filter { utm_source: Some("a".to_owned()), ..Filter::default() };
    assert_eq!(fixtures::list_page(store, &other, None, 10).await.unwrap().total, 0);
    assert_eq!(store.find_submission(&"sub_2".parse().unwrap()).await.unwrap(), None);
}

pub async fn order_is_by_instant_then_id_bytes(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    let given = ["sub_a", "sub_B", "sub_10", "sub_9", "sub_-", "sub__"];
    let mut all: Vec<_> = given.iter().map(|id| submission(id, 5, "x")).collect();
    all.push(submission("sub_old", -5, "x"));
    all.push(submission("sub_new", 6, "x"));
    fixtures::insert_submissions(store, all).await;
    let order = ["sub_new", "sub_a", "sub__", "sub_B", "sub_9", "sub_10", "sub_-", "sub_old"];
    assert_eq!(list_ids(store, None, 100).await, order);
    assert_eq!(list_ids(store, Some(&position(5, "sub_B")), 2).await, ["sub_9", "sub_10"]);
    assert!(list_ids(store, None, 0).await.is_empty());
}

pub async fn position_of_deleted_submission_is_valid(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    fixtures::insert_submissions(
        store,
        (0..6).map(|n| submission(&format!("sub_{n}"), 5, "x")).collect(),
    )
    .await;
    store.delete_submission(&"sub_3".parse().unwrap()).await.unwrap();
    assert_eq!(list_ids(store, Some(&position(5, "sub_3")), 10).await, ["sub_2", "sub_1", "sub_0"]);
}

pub async fn deleted_submission_is_not_found(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    let both = vec![submission("sub_1", 1, "apple"), submission("sub_2", 2, "apple pie")];
    fixtures::insert_submissions(store, both).await;
    let gone: SubmissionId = "sub_2".parse().unwrap();
    assert!(store.delete_submission(&gone).await.unwrap());
    assert!(!store.delete_submission(&gone).await.unwrap());
    assert_eq!(store.find_submission(&gone).await.unwrap(), None);
    assert_eq!(list_ids(store, None, 10).await, ["sub_1"]);
    let found = fixtures::list_page(store, &search_filter("APPLE"), None, 10).await.unwrap();
    assert_eq!((found.total, found.rows.len()), (1, 1));
    fixtures::insert_submissions(store, vec![submission("sub_2", 2, "again")]).await;
    assert_eq!(list_ids(store, None, 10).await, ["sub_2", "sub_1"]);
}

async fn check_atomic_insertion(store: &dyn Store, count: usize) {
    fixtures::owner_and_form(store).await;
    fixtures::insert_submissions(store, vec![submission("sub_taken", 1, "x")]).await;
    let check = async |last: Result<Submission, String>, is: fn(&StoreError) -> bool| {
        let rows = (0..count).map(|n| Ok(submission(&format!("sub_{n}"), 5, "x")));
        let source: SubmissionSource = Box::new(rows.collect::<Vec<_>>().into_iter().chain([last]));
        let fields = vec![fixtures::field("fld_1", "new")];
        let error = store.insert_submissions(&form_id(), fields, source).await.unwrap_err();
        assert!(is(&error), "{error:?}");
        let form = store.find_form(&form_id()).await.unwrap().unwrap().form;
        assert_eq!((form.submission_count, form.fields.len()), (1, 0));
        assert_eq!(list_ids(store, None, 10).await, ["sub_taken"]);
    };
    check(Err("line 7: no".to_owned()), |e| e.to_string() == "line 7: no").await;
    check(
        Ok(submission("sub_taken", 2, "x")),
        |e| matches!(e, StoreError::Exists(what) if what == "submission `sub_taken`"),
    )
    .await;
    let stray = Submission { form_id: "frm_2".parse().unwrap(), ..submission("sub_s", 2, "x") };
    check(Ok(stray), |e| matches!(e, StoreError::Source(why) if why.contains("`frm_2`"))).await;
}

pub async fn short_insertion_is_atomic(store: &dyn Store) {
    check_atomic_insertion(store, 3).await;
}

pub async fn long_insertion_is_atomic(store: &dyn Store) {
    check_atomic_insertion(store, 300).await;
}

pub async fn insertion_appends_fields(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    let add = async |id: &str, key: &str, count: usize| {
        let rows = (0..count).map(|n| submission(&format!("sub_{id}{n}"), 5, "x")).collect();
        let fields = vec![fixtures::field(id, key)];
        store.insert_submissions(&form_id(), fields, fixtures::submission_source(rows)).await
    };
    assert_eq!(add("fld_2", "b", 0).await.unwrap(), 0);
    assert_eq!(add("fld_1", "a", 1).await.unwrap(), 1);
    assert_eq!(add("fld_3", "c", 200).await.unwrap(), 200);
    // The form has a field with this key.
    assert_eq!(add("fld_4", "a", 1).await.unwrap(), 1);
    let form = store.find_form(&form_id()).await.unwrap().unwrap().form;
    let keys: Vec<&str> = form.fields.iter().map(|field| field.key.as_str()).collect();
    assert_eq!((keys, form.submission_count), (vec!["b", "a", "c"], 202));
}

pub async fn unknown_form_has_no_submissions(store: &dyn Store) {
    for filter in [Filter::default(), search_filter("x")] {
        let page = fixtures::list_page(store, &filter, None, 10).await.unwrap();
        assert_eq!((page.total, page.rows.len()), (0, 0));
        assert!(fixtures::export_all(store, &filter, None, 10).await.is_empty());
    }
    let rows = fixtures::submission_source(vec![submission("sub_1", 1, "x")]);
    let error = store.insert_submissions(&form_id(), Vec::new(), rows).await.unwrap_err();
    assert_eq!(error.to_string(), "form `frm_1` does not exist");
}

pub async fn chunk_is_limited_and_sets_next_position(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    let rows: Vec<_> = (0..9).map(|n| submission(&format!("sub_{n}"), n / 2, "x")).collect();
    let mut expected: Vec<_> = rows.iter().map(|row| serde_json::to_string(row).unwrap()).collect();
    expected.reverse();
    let bytes = expected[0].len();
    fixtures::insert_submissions(store, rows).await;
    for filter in [Filter::default(), search_filter("x")] {
        let read = async |after: Option<&Position>, chunk: Chunk| {
            store.export_submissions(&form_id(), &filter, after, chunk).await.unwrap()
        };
        let one = read(None, Chunk::default()).await;
        assert_eq!(one.iter().collect::<Vec<_>>(), expected[..1], "exactly one submission");
        assert_eq!(one.next_position(), Some(&position(4, "sub_8")));
        let three =
            read(one.next_position().cloned().as_ref(), one.with_size_limit(2 * bytes + 1)).await;
        assert_eq!(three.iter().collect::<Vec<_>>(), expected[1..4], "the content is replaced");
        assert_eq!(three.next_position(), Some(&position(2, "sub_5")));
        let rest =
            read(three.next_position().cloned().as_ref(), three.with_size_limit(100 * bytes)).await;
        assert_eq!(rest.iter().collect::<Vec<_>>(), expected[4..]);
        assert_eq!(rest.next_position(), None);
    }
}

pub async fn special_characters_match_literally(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    let texts = ["100%_", "'); DROP TABLE submissions; --", "\"quoted\" OR 1", "*", "a\0b", "ÿ"];
    let rows = texts.iter().enumerate();
    fixtures::insert_submissions(
        store,
        rows.map(|(n, t)| submission(&format!("sub_{n}"), 5, t)).collect(),
    )
    .await;
    for (n, text) in texts.iter().enumerate() {
        let page = fixtures::list_page(store, &search_filter(text), None, 10).await.unwrap();
        let found: Vec<&str> = page.rows.iter().map(|row| row.position.id.as_str()).collect();
        assert_eq!((page.total, found), (1, vec![format!("sub_{n}").as_str()]), "{text:?}");
        let utm = Filter { utm_source: Some((*text).to_owned()), ..Filter::default() };
        assert_eq!(fixtures::list_page(store, &utm, None, 10).await.unwrap().total, 0);
    }
    assert_eq!(fixtures::list_page(store, &search_filter("%"), None, 10).await.unwrap().total, 1);
}

pub async fn page_of_other_owner_is_not_found(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    fixtures::insert_submissions(store, vec![submission("sub_1", 1, "x")]).await;
    let owner = fixtures::owner();
    let others = [
        Owner { account_id: "acc_2".parse().unwrap(), ..owner.clone() },
        Owner { environment: Environment::Test, ..owner.clone() },
    ];
    for search in ["", "x"] {
        let search = Search::new(search).unwrap();
        let filter = Filter { search, ..Filter::default() };
        for other in &others {
            let page = store.list_page(other, &form_id(), &filter, None, 5).await.unwrap();
            assert_eq!(page, None, "{other:?}");
        }
        let page = store.list_page(&owner, &form_id(), &filter, None, 5).await.unwrap();
        assert_eq!(page.unwrap().total, 1);
        let unknown = "frm_9".parse().unwrap();
        let page = store.list_page(&owner, &unknown, &filter, None, 5).await.unwrap();
        assert_eq!(page, None);
    }
}

const MIB: usize = 1 << 20;

/// Reads all pages of a filter; returns the ids of each page.
async fn read_all_pages(store: &dyn Store, filter: &Filter, limit: usize) -> Vec<Vec<String>> {
    let owner = fixtures::owner();
    let form = form_id();
    let mut pages = Vec::new();
    let mut after = None;
    loop {
        let page = store.list_page(&owner, &form, filter, after.as_ref(), limit).await;
        let page = page.unwrap().unwrap();
        assert_eq!(page.total, 12);
        let bytes: usize = page.rows.iter().map(|row| row.json.len()).sum();
        assert!(page.rows.len() == 1 || bytes <= 2 * MIB, "{bytes}");
        pages.push(page.rows.iter().map(|row| row.position.id.to_string()).collect());
        if !page.has_more {
            return pages;
        }
        after = page.rows.last().map(|last| last.position.clone());
    }
}

pub async fn page_is_limited_to_2_mib(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    let text = |n: usize| match n {
        // Number 3 is longer than a page. Numbers 4 and 5 fill a page but for a few bytes.
        3 => "word ".repeat(3 * MIB / 5),
        4 | 5 => "word ".repeat((MIB - 400) / 5),
        _ => "word ".repeat(300_000 / 5),
    };
    let utm = |n: usize| {
        let mut one = submission(&format!("sub_{n}"), 100 - i64::try_from(n).unwrap(), &text(n));
        one.metadata.utm_source = Some("mail".to_owned());
        one
    };
    fixtures::insert_submissions(store, (0..12).map(utm).collect()).await;
    let ids = |of: std::ops::Range<usize>| of.map(|n| format!("sub_{n}")).collect::<Vec<_>>();
    let mail = Filter { utm_source: Some("mail".to_owned()), ..Filter::default() };
    for filter in [Filter::default(), mail, fixtures::search_filter("WORD")] {
        let pages = read_all_pages(store, &filter, 100).await;
        assert_eq!(pages, [ids(0..3), ids(3..4), ids(4..6), ids(6..12)], "{filter:?}");
        let pages = read_all_pages(store, &filter, 2).await;
        assert_eq!(pages.concat(), ids(0..12), "{filter:?}");
        assert!(pages.iter().all(|page| page.len() <= 2));
    }
}
