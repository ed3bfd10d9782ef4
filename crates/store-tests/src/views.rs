//! Saved views: scopes, names, limits, defaults, and deletions of their form or member.

use super::fixtures::{self, at, form_id};
use contract::view::{DatePreset, VIEWS_MAX, ViewChange};
use contract::{FormId, PersonId, View};
use store::views::ViewKey;
use store::{Store, StoreError};

const OWNER: &str = "psn_1";
const READER: &str = "psn_r";

/// Returns a view. Its id is made of its name.
fn view(name: &str, shared: bool) -> View {
    let id: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    View {
        id: format!("view_{id}{}", u8::from(shared)).parse().unwrap(),
        name: name.to_owned(),
        query: "search=a%20b".to_owned(),
        dates: None,
        columns: String::new(),
        shared,
        is_default: false,
        created_at: at(7),
    }
}

fn person(id: &str) -> PersonId {
    id.parse().unwrap()
}

fn key(person_id: &str, view: &View) -> ViewKey {
    ViewKey { form: form_id(), person: person(person_id), view: view.id.clone() }
}

fn change(json: &str) -> ViewChange {
    serde_json::from_str(json).unwrap()
}

async fn insert(store: &dyn Store, of: &str, view: &View) -> Result<bool, StoreError> {
    store.insert_view(&form_id(), &person(of), view.clone()).await
}

async fn list(store: &dyn Store, of: &str) -> Vec<View> {
    store.list_views(&form_id(), &person(of)).await.unwrap()
}

/// Returns the names of a member's views; those of default views have a star.
async fn names(store: &dyn Store, of: &str) -> Vec<String> {
    let name = |view: View| format!("{}{}", view.name, if view.is_default { "*" } else { "" });
    list(store, of).await.into_iter().map(name).collect()
}

/// Inserts a form and two members.
async fn insert_members(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    store.insert_member(fixtures::reader("acc_1", READER, "reader@example.com")).await.unwrap();
}

pub async fn views_are_listed_changed_and_deleted(store: &dyn Store) {
    insert_members(store).await;
    let full = View {
        dates: Some(DatePreset::LastMonth),
        columns: "at,-device \u{1f600}".to_owned(),
        ..view("b Straße e\u{301}", true)
    };
    let private = view("a", false);
    for (of, view) in [(OWNER, &full), (READER, &private), (OWNER, &view("A", true))] {
        assert!(insert(store, of, view).await.unwrap());
    }
    let shared = view("A", true);
    assert_eq!(list(store, READER).await, [shared.clone(), full.clone(), private.clone()]);
    assert_eq!(list(store, OWNER).await, [shared.clone(), full.clone()]);
    assert_eq!(store.find_view(&key(READER, &full)).await.unwrap().as_ref(), Some(&full));
    // Another member has no access to a private view, and the form must be the right one.
    let foreign = key(OWNER, &private);
    let unknown = ViewKey { form: "frm_other".parse().unwrap(), ..key(READER, &private) };
    for key in [&foreign, &unknown] {
        assert_eq!(store.find_view(key).await.unwrap(), None);
        assert_eq!(store.update_view(key, change(r#"{"name":"x"}"#)).await.unwrap(), None);
        assert!(!store.delete_view(key).await.unwrap());
    }
    let key = key(READER, &private);
    let changed = change(r#"{"name":"c","query":"","dates":"7d","columns":"at"}"#);
    let changed = store.update_view(&key, changed).await.unwrap().unwrap();
    let expected = View {
        name: "c".to_owned(),
        query: String::new(),
        dates: Some(DatePreset::Week),
        columns: "at".to_owned(),
        ..private
    };
    assert_eq!(changed, expected);
    assert_eq!(list(store, READER).await, [shared, full, changed]);
    assert!(store.delete_view(&key).await.unwrap());
    assert!(!store.delete_view(&key).await.unwrap());
    assert_eq!(names(store, READER).await, ["A", "b Straße e\u{301}"]);
}

pub async fn names_of_views_are_unique_in_their_scope(store: &dyn Store) {
    insert_members(store).await;
    let private = view("straße", false);
    assert!(insert(store, OWNER, &view("Straße", true)).await.unwrap());
    assert!(insert(store, OWNER, &private).await.unwrap());
    let other = View { id: "view_other".parse().unwrap(), ..private.clone() };
    assert!(insert(store, READER, &other).await.unwrap());
    let again = View { id: "view_again".parse().unwrap(), ..view("STRASSE", true) };
    for view in [again.clone(), View { shared: false, ..again }] {
        let error = insert(store, OWNER, &view).await.unwrap_err();
        assert!(matches!(error, StoreError::Exists(_)), "{error}");
        assert_eq!(error.to_string(), "a view `STRASSE` exists already");
    }
    assert!(insert(store, OWNER, &view("b", false)).await.unwrap());
    let rename = change(r#"{"name":"STRAßE"}"#);
    let error = store.update_view(&key(OWNER, &view("b", false)), rename.clone()).await;
    assert!(matches!(error, Err(StoreError::Exists(_))), "{error:?}");
    let share = store.update_view(&key(OWNER, &private), change(r#"{"shared":true}"#)).await;
    assert!(matches!(share, Err(StoreError::Exists(_))), "{share:?}");
    // A view may keep its name in other letters.
    let renamed = store.update_view(&key(OWNER, &private), rename).await.unwrap().unwrap();
    assert_eq!(renamed.name, "STRAßE");
    assert_eq!(names(store, OWNER).await, ["Straße", "b", "STRAßE"]);
}

pub async fn each_scope_has_one_default_view(store: &dyn Store) {
    insert_members(store).await;
    for name in ["a", "b"] {
        for (of, shared) in [(OWNER, true), (READER, false)] {
            let view = View { is_default: true, ..view(name, shared) };
            assert!(insert(store, of, &view).await.unwrap());
        }
    }
    assert_eq!(names(store, READER).await, ["a", "b*", "a", "b*"]);
    let make_default = change(r#"{"is_default":true}"#);
    store.update_view(&key(READER, &view("a", true)), make_default).await.unwrap().unwrap();
    assert_eq!(names(store, READER).await, ["a*", "b", "a", "b*"]);
    // A view that is not shared any more belongs to the member, and is their default.
    let hide = change(r#"{"shared":false,"name":"c"}"#);
    let hidden = store.update_view(&key(READER, &view("a", true)), hide).await.unwrap().unwrap();
    assert!(!hidden.shared);
    assert_eq!(names(store, READER).await, ["b", "a", "b", "c*"]);
    assert_eq!(names(store, OWNER).await, ["b"]);
    let unset = change(r#"{"is_default":false}"#);
    store.update_view(&key(READER, &hidden), unset).await.unwrap().unwrap();
    assert_eq!(names(store, READER).await, ["b", "a", "b", "c"]);
}

pub async fn number_of_views_is_limited(store: &dyn Store) {
    insert_members(store).await;
    for n in 0..VIEWS_MAX {
        for (of, shared) in [(OWNER, true), (READER, false)] {
            assert!(insert(store, of, &view(&n.to_string(), shared)).await.unwrap());
        }
    }
    for (of, shared) in [(OWNER, true), (READER, false)] {
        let error = insert(store, of, &view("more", shared)).await.unwrap_err();
        assert!(matches!(error, StoreError::TooManyViews), "{error}");
    }
    assert!(insert(store, OWNER, &view("more", false)).await.unwrap());
    let share = change(r#"{"shared":true}"#);
    let error = store.update_view(&key(OWNER, &view("more", false)), share).await.unwrap_err();
    assert!(matches!(error, StoreError::TooManyViews), "{error}");
    let rename = change(r#"{"name":"x"}"#);
    assert!(store.update_view(&key(OWNER, &view("0", true)), rename).await.unwrap().is_some());
    let unknown: FormId = "frm_other".parse().unwrap();
    assert!(!store.insert_view(&unknown, &person(OWNER), view("more", true)).await.unwrap());
    let nobody = person("psn_unknown");
    assert!(!store.insert_view(&form_id(), &nobody, view("more", false)).await.unwrap());
}

pub async fn views_of_deleted_forms_and_members_are_deleted(store: &dyn Store) {
    insert_members(store).await;
    let (shared, private) = (view("a", true), view("a", false));
    assert!(insert(store, READER, &shared).await.unwrap());
    assert!(insert(store, READER, &private).await.unwrap());
    assert!(store.delete_member(&"acc_1".parse().unwrap(), &person(READER)).await.unwrap());
    // The shared view stays.
    assert_eq!(list(store, READER).await, std::slice::from_ref(&shared));
    assert_eq!(list(store, OWNER).await, std::slice::from_ref(&shared));
    let source = fixtures::form("acc_1", "frm_2");
    assert!(store.duplicate_form(&form_id(), source).await.unwrap());
    assert!(store.delete_form(&form_id()).await.unwrap());
    assert_eq!(list(store, OWNER).await, []);
    assert_eq!(store.find_view(&key(OWNER, &shared)).await.unwrap(), None);
    assert_eq!(store.finish_deletions().await.unwrap(), 1);
    let copy: FormId = "frm_2".parse().unwrap();
    assert_eq!(store.list_views(&copy, &person(OWNER)).await.unwrap(), []);
    // The id is free again.
    assert!(store.insert_view(&copy, &person(OWNER), shared).await.unwrap());
    assert!(store.delete_account(&"acc_1".parse().unwrap()).await.unwrap());
    assert_eq!(store.list_views(&copy, &person(OWNER)).await.unwrap(), []);
}
