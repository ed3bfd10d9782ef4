//! Forms, their fields, and their submission counts.

use super::fixtures::{self, at, submission};
use contract::{Environment, FieldType};
use store::{FormPosition, Store, StoreError};

pub async fn inserted_form_round_trips(store: &dyn Store) {
    store.insert_account(fixtures::account("acc_1", "a@example.com")).await.unwrap();
    let mut record = fixtures::form("acc_1", "frm_1");
    record.form.name = String::from("Gäste, \"2026\"\nÜbersicht");
    record.form.environment = Environment::Test;
    record.form.analysis = true;
    for (place, kind) in FieldType::ALL.into_iter().enumerate() {
        let mut field = fixtures::field(&format!("fld_{}", 20 - place), &format!("key {place}"));
        field.kind = kind;
        record.form.fields.push(field);
    }
    let mut given = record.clone();
    given.form.submission_count = 99;
    given.form.last_submission_at = Some(at(99));
    store.insert_form(given).await.unwrap();

    assert_eq!(store.find_form(&record.form.id).await.unwrap(), Some(record));
    assert_eq!(store.find_form(&"frm_2".parse().unwrap()).await.unwrap(), None);
}

pub async fn forms_are_listed_oldest_first(store: &dyn Store) {
    for owner in ["acc_1", "acc_2"] {
        store.insert_account(fixtures::account(owner, owner)).await.unwrap();
    }
    store.insert_form(fixtures::form("acc_2", "frm_other")).await.unwrap();
    for (id, created_at, environment) in
        [("frm_b", 3, Environment::Live), ("frm_a", 1, Environment::Test)]
    {
        let mut record = fixtures::form("acc_1", id);
        record.form.created_at = at(created_at);
        record.form.environment = environment;
        record.form.fields.push(fixtures::field("fld_1", "same id in each form"));
        store.insert_form(record).await.unwrap();
    }
    let forms = store.list_forms(&"acc_1".parse().unwrap()).await.unwrap();
    let ids: Vec<&str> = forms.iter().map(|form| form.id.as_str()).collect();
    assert_eq!(ids, ["frm_a", "frm_b"]);
    assert!(forms.iter().all(|form| form.fields.len() == 1));
    assert!(store.list_forms(&"acc_3".parse().unwrap()).await.unwrap().is_empty());
}

pub async fn form_pages_continue_after_last_form(store: &dyn Store) {
    for owner in ["acc_1", "acc_2"] {
        store.insert_account(fixtures::account(owner, owner)).await.unwrap();
    }
    // Several forms have the same instant: these are ordered by id.
    for (id, created_at) in [("frm_e", 5), ("frm_a", 2), ("frm_d", 2), ("frm_c", 2), ("frm_b", 9)] {
        let mut record = fixtures::form("acc_1", id);
        record.form.created_at = at(created_at);
        if matches!(id, "frm_a" | "frm_b") {
            record.form.environment = Environment::Test;
        }
        store.insert_form(record).await.unwrap();
    }
    store.insert_form(fixtures::form("acc_2", "frm_other")).await.unwrap();
    let owner = "acc_1".parse().unwrap();
    let all = store.list_forms(&owner).await.unwrap();
    let all: Vec<String> = all.into_iter().map(|form| form.id.to_string()).collect();
    assert_eq!(all, ["frm_a", "frm_c", "frm_d", "frm_e", "frm_b"]);
    let (live, test) = (Some(Environment::Live), Some(Environment::Test));
    let expected: [(_, &[&str]); 3] = [
        (None, &["frm_a", "frm_c", "frm_d", "frm_e", "frm_b"]),
        (live, &["frm_c", "frm_d", "frm_e"]),
        (test, &["frm_a", "frm_b"]),
    ];
    for (environment, expected) in expected {
        for rows_max in 1..=6 {
            let mut after = None;
            let mut ids = Vec::new();
            loop {
                let page =
                    store.list_forms_page(&owner, environment, None, after.as_ref(), rows_max);
                let page = page.await.unwrap();
                assert_eq!(page.total, expected.len() as u64);
                assert!(page.forms.len() <= rows_max);
                ids.extend(page.forms.iter().map(|form| form.id.to_string()));
                let Some(last) = page.forms.last() else { break };
                after = Some(FormPosition { created_at: last.created_at, id: last.id.clone() });
            }
            assert_eq!(ids, expected, "by {rows_max}");
        }
    }
    // A position is valid after its form is deleted.
    let after = FormPosition { created_at: at(2), id: "frm_cc".parse().unwrap() };
    let page = store.list_forms_page(&owner, None, None, Some(&after), 1).await.unwrap();
    assert_eq!(page.forms[0].id.as_str(), "frm_d");
}

pub async fn form_pages_of_named_forms_are_exact(store: &dyn Store) {
    for owner in ["acc_1", "acc_2"] {
        store.insert_account(fixtures::account(owner, owner)).await.unwrap();
    }
    for (id, created_at) in [("frm_a", 4), ("frm_b", 2), ("frm_c", 3), ("frm_d", 1)] {
        let mut record = fixtures::form("acc_1", id);
        record.form.created_at = at(created_at);
        if id == "frm_d" {
            record.form.environment = Environment::Test;
        }
        store.insert_form(record).await.unwrap();
    }
    store.insert_form(fixtures::form("acc_2", "frm_other")).await.unwrap();
    let owner = "acc_1".parse().unwrap();
    let list_in = async |environment, only: &[&str], after: Option<&FormPosition>, rows_max| {
        let only: Vec<_> = only.iter().map(|id| id.parse().unwrap()).collect();
        let page = store.list_forms_page(&owner, environment, Some(&only), after, rows_max);
        let page = page.await.unwrap();
        let ids: Vec<String> = page.forms.iter().map(|form| form.id.to_string()).collect();
        (ids.join(" "), page.total)
    };
    let list = async |only: &[&str], after: Option<&FormPosition>, rows_max| {
        list_in(Some(Environment::Live), only, after, rows_max).await
    };
    let named = ["frm_a", "frm_b", "frm_d", "frm_other", "frm_none"];
    assert_eq!(list_in(None, &named, None, 10).await, ("frm_d frm_b frm_a".to_owned(), 3));
    assert_eq!(list(&named, None, 10).await, ("frm_b frm_a".to_owned(), 2));
    assert_eq!(list(&named, None, 1).await, ("frm_b".to_owned(), 2));
    let after = FormPosition { created_at: at(2), id: "frm_b".parse().unwrap() };
    assert_eq!(list(&named, Some(&after), 1).await, ("frm_a".to_owned(), 2));
    assert_eq!(list(&["frm_none"], None, 10).await, (String::new(), 0));
    assert_eq!(list(&[], None, 10).await, (String::new(), 0));
}

pub async fn duplicate_form_or_field_is_rejected(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    let again = store.insert_form(fixtures::form("acc_1", "frm_1")).await;
    assert!(matches!(again, Err(StoreError::Exists(what)) if what == "form `frm_1`"));

    let mut twice = fixtures::form("acc_1", "frm_2");
    twice.form.fields = vec![fixtures::field("fld_1", "same"), fixtures::field("fld_2", "same")];
    assert!(matches!(store.insert_form(twice).await, Err(StoreError::Exists(_))));
    assert_eq!(store.find_form(&"frm_2".parse().unwrap()).await.unwrap(), None, "a partial form");
}

pub async fn count_and_last_submission_are_exact(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    let check = async |count: u64, last: Option<i64>| {
        let form = store.find_form(&fixtures::form_id()).await.unwrap().unwrap().form;
        assert_eq!((form.submission_count, form.last_submission_at), (count, last.map(at)));
    };
    check(0, None).await;
    let both = vec![submission("sub_1", 30, "x"), submission("sub_2", 10, "y")];
    fixtures::insert_submissions(store, both).await;
    check(2, Some(30)).await;
    fixtures::insert_submissions(store, vec![submission("sub_3", 20, "z")]).await;
    check(3, Some(30)).await;
    assert!(store.delete_submission(&"sub_1".parse().unwrap()).await.unwrap());
    check(2, Some(20)).await;
    assert!(!store.delete_submission(&"sub_1".parse().unwrap()).await.unwrap());
    check(2, Some(20)).await;
}

pub async fn replace_fields_detects_concurrent_change(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    let id = fixtures::form_id();
    let none = "frm_none".parse().unwrap();
    assert!(store.rename_form(&id, "Neu".to_owned()).await.unwrap());
    assert!(!store.rename_form(&none, "Neu".to_owned()).await.unwrap());
    let found = async || store.find_form(&id).await.unwrap().unwrap().form;
    let was = found().await.fields;
    let version = async || store.find_intake(&id).await.unwrap().unwrap().version;
    let before = version().await;
    let fields = vec![fixtures::field("fld_8", "b"), fixtures::field("fld_9", "a")];
    let both = [was.clone(), fields.clone()].concat();
    assert!(store.replace_fields(&id, was.clone(), both.clone()).await.unwrap());
    assert!(version().await > before, "submissions built with the old fields must be stale");
    assert_eq!((found().await.name.as_str(), found().await.fields), ("Neu", both.clone()));
    // The fields have changed since `was`.
    assert!(!store.replace_fields(&id, was, fields.clone()).await.unwrap());
    assert!(!store.replace_fields(&none, Vec::new(), fields).await.unwrap());
    assert_eq!(found().await.fields, both);
    let turned: Vec<_> = both.iter().rev().cloned().collect();
    assert!(store.replace_fields(&id, both, turned.clone()).await.unwrap());
    assert_eq!(found().await.fields, turned);
    let twice = vec![fixtures::field("fld_8", "same"), fixtures::field("fld_9", "same")];
    let refused = store.replace_fields(&id, turned.clone(), twice).await;
    assert!(matches!(refused, Err(StoreError::Exists(_))));
    assert_eq!(found().await.fields, turned, "the fields were replaced partially");
}

pub async fn removed_keys_last_until_added_again(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    let id = fixtures::form_id();
    let removed = async || {
        let keys = store.find_intake(&id).await.unwrap().unwrap().removed_keys;
        let mut keys: Vec<_> = keys.into_iter().collect();
        keys.sort();
        keys
    };
    let set = async |fields: Vec<contract::Field>| {
        let was = store.find_form(&id).await.unwrap().unwrap().form.fields;
        assert!(store.replace_fields(&id, was, fields).await.unwrap());
    };
    let hidden = contract::Field { hidden: true, ..fixtures::field("fld_b", "b\0") };
    set(vec![fixtures::field("fld_a", "a"), hidden.clone()]).await;
    let found = store.find_form(&id).await.unwrap().unwrap().form.fields;
    assert_eq!(found, [fixtures::field("fld_a", "a"), hidden]);
    assert_eq!(store.find_intake(&id).await.unwrap().unwrap().fields, found);
    assert!(removed().await.is_empty());
    let version = store.find_intake(&id).await.unwrap().unwrap().version;
    set(Vec::new()).await;
    assert_eq!(removed().await, ["a", "b\0"]);
    assert!(store.find_intake(&id).await.unwrap().unwrap().version > version);
    // A key that is added again, in any way, can be learned again.
    set(vec![fixtures::field("fld_c", "a")]).await;
    assert_eq!(removed().await, ["b\0"]);
    let none = Box::new(std::iter::empty());
    store.insert_submissions(&id, vec![fixtures::field("fld_d", "b\0")], none).await.unwrap();
    assert!(removed().await.is_empty());
    // Only the newest keys are remembered.
    let many = |from: usize| {
        (from..from + 1500).map(|n| fixtures::field(&format!("fld_{n}"), &format!("{n:05}")))
    };
    set(many(0).collect()).await;
    set(many(5000).collect()).await;
    set(Vec::new()).await;
    let left = removed().await;
    assert_eq!((left.len(), left[0].as_str()), (2000, "01000"));
}

pub async fn number_of_forms_is_limited(store: &dyn Store) {
    for owner in ["acc_1", "acc_2"] {
        store.insert_account(fixtures::account(owner, owner)).await.unwrap();
    }
    let insert = async |owner: &str, n: usize| {
        store.insert_form(fixtures::form(owner, &format!("frm_{n}"))).await
    };
    for n in 0..contract::form::FORMS_MAX {
        insert("acc_1", n).await.unwrap();
    }
    let error = insert("acc_1", 1000).await.unwrap_err();
    assert!(matches!(error, StoreError::TooManyForms));
    assert!(error.to_string().starts_with("an account may hold at most 1000 forms"), "{error}");
    insert("acc_2", 1000).await.unwrap();
}
