//! Triage of submissions: updates, history, settings, and filters by it.

use super::fixtures::{self, at, form_id, submission};
use contract::triage::{
    InvalidTriageSettings, TooManyTags, TriageDetail, TriageSettings, UndoStep,
};
use contract::{AccountId, Filter, FormId, ListQuery, Submission, SubmissionId, Triage};
use store::Store;
use store::triage::{HISTORY_MAX, SettingsOutcome, TriageUpdate, UpdateOutcome};
use store::unlisted::Selection;

pub fn parse_ids(ids: &[&str]) -> Vec<SubmissionId> {
    ids.iter().map(|id| id.parse().unwrap()).collect()
}

fn account() -> AccountId {
    "acc_1".parse().unwrap()
}

pub fn filter(query: &str) -> Filter {
    ListQuery::parse(query).unwrap().filter
}

/// Returns an update of `frm_1` by `psn_1`. `change` is JSON.
pub fn triage_update(selection: Selection, change: &str, micros: i64) -> TriageUpdate {
    TriageUpdate {
        form: form_id(),
        selection,
        change: serde_json::from_str(change).unwrap(),
        reader: fixtures::owner_as_reader(),
        at: at(micros),
        with_undo: false,
    }
}

/// Updates submissions of `frm_1` with these ids.
pub async fn update_ids(
    store: &dyn Store,
    ids: &[&str],
    change: &str,
    micros: i64,
) -> UpdateOutcome {
    let update = triage_update(Selection::Ids(parse_ids(ids)), change, micros);
    store.update_triage(update).await.unwrap().unwrap()
}

async fn update_matching(
    store: &dyn Store,
    query: &str,
    count: u64,
    change: &str,
) -> UpdateOutcome {
    let selection = Selection::matching(filter(query), count);
    store.update_triage(triage_update(selection, change, 50)).await.unwrap().unwrap()
}

/// Returns triage, notes and history of a submission of `frm_1`.
pub async fn detail(store: &dyn Store, id: &str) -> Option<TriageDetail> {
    store.find_triage(&form_id(), &id.parse().unwrap()).await.unwrap()
}

/// Returns the listed triage of submissions of `frm_1` as JSON, sorted.
pub async fn list_triage(store: &dyn Store, ids: &[&str]) -> Vec<String> {
    let found = store.list_triage(&form_id(), &parse_ids(ids)).await.unwrap();
    let mut found: Vec<_> = found.iter().map(|it| serde_json::to_string(it).unwrap()).collect();
    found.sort_unstable();
    found
}

/// Returns the changes in a submission's history as JSON, newest first.
fn changes(detail: &TriageDetail) -> Vec<String> {
    detail.history.iter().map(|entry| serde_json::to_string(&entry.change).unwrap()).collect()
}

async fn insert_rows(store: &dyn Store, rows: i64) {
    fixtures::owner_and_form(store).await;
    let row = |n| submission(&format!("sub_{n}"), n, ["apple", "pear"][usize::from(n % 2 > 0)]);
    fixtures::insert_submissions(store, (1..=rows).map(row).collect()).await;
}

pub async fn update_by_ids_returns_number_of_changes(store: &dyn Store) {
    insert_rows(store, 3).await;
    let before = fixtures::export_all(store, &Filter::default(), None, 100_000).await;
    let ids = ["sub_1", "sub_none", "sub_2", "sub_1"];
    assert_eq!(detail(store, "sub_1").await.unwrap().updated_at, None);
    assert!(list_triage(store, &ids).await.is_empty());

    let all = r#"{"status":"done","starred":true,"assignee":"psn_1","add_tags":["b","a"]}"#;
    assert_eq!(update_ids(store, &ids, all, 10).await, UpdateOutcome::changed(2));
    assert_eq!(update_ids(store, &ids, all, 11).await, UpdateOutcome::changed(0));
    let first = r#"{"starred":false,"status":"done"}"#;
    assert_eq!(update_ids(store, &["sub_1"], first, 12).await, UpdateOutcome::changed(1));
    let rest = r#""tags":["a","b"],"assignee":"psn_1","notes_count":0}"#;
    let json =
        |id: &str, starred: &str| format!(r#"{{"id":"{id}","status":"done",{starred}{rest}"#);
    let expected = [json("sub_1", ""), json("sub_2", r#""starred":true,"#)];
    assert_eq!(list_triage(store, &["sub_1", "sub_2", "sub_3", "sub_none"]).await, expected);

    let found = detail(store, "sub_1").await.unwrap();
    assert_eq!((found.updated_at, found.triage.tags.len()), (Some(at(12)), 2));
    let was = r#"{"status":"done","starred":true,"assignee":"psn_1","add_tags":["a","b"]}"#;
    assert_eq!(changes(&found), [r#"{"starred":false}"#, was]);
    let entry = &found.history[1];
    assert_eq!((entry.at, entry.person.as_ref().unwrap().as_str()), (at(10), "psn_1"));

    let back = r#"{"status":"open","starred":false,"assignee":null,"remove_tags":["a","b"]}"#;
    assert_eq!(update_ids(store, &["sub_1", "sub_2"], back, 13).await, UpdateOutcome::changed(2));
    assert!(list_triage(store, &ids).await.is_empty());
    assert_eq!(detail(store, "sub_2").await.unwrap().history.len(), 2);
    assert!(detail(store, "sub_3").await.unwrap().history.is_empty());
    assert_eq!(fixtures::export_all(store, &Filter::default(), None, 100_000).await, before);
}

/// The last of concurrent changes of one property wins. A change of another property is not lost.
pub async fn last_of_concurrent_changes_wins(store: &dyn Store) {
    insert_rows(store, 1).await;
    for micros in 10..30 {
        let star = format!(r#"{{"starred":{}}}"#, micros % 2 == 0);
        tokio::join!(
            update_ids(store, &["sub_1"], r#"{"status":"done"}"#, micros),
            update_ids(store, &["sub_1"], &star, micros),
            update_ids(store, &["sub_1"], r#"{"status":"in_progress"}"#, micros),
        );
        let TriageDetail { triage, history, .. } = detail(store, "sub_1").await.unwrap();
        assert_eq!(triage.starred, micros % 2 == 0);
        let last = history.iter().find_map(|entry| entry.change.status.as_ref());
        assert_eq!(last, Some(&triage.status));
    }
}

pub async fn other_forms_have_no_triage(store: &dyn Store) {
    insert_rows(store, 1).await;
    store.insert_form(fixtures::form("acc_1", "frm_2")).await.unwrap();
    update_ids(store, &["sub_1"], r#"{"starred":true}"#, 10).await;
    let id: SubmissionId = "sub_1".parse().unwrap();
    for (form, outcome) in [("frm_2", Some(UpdateOutcome::changed(0))), ("frm_none", None)] {
        let form: FormId = form.parse().unwrap();
        let update = triage_update(Selection::Ids(vec![id.clone()]), r#"{"starred":false}"#, 11);
        let update = TriageUpdate { form: form.clone(), ..update };
        assert_eq!(store.update_triage(update).await.unwrap(), outcome);
        assert_eq!(store.find_triage(&form, &id).await.unwrap(), None);
        assert!(store.list_triage(&form, std::slice::from_ref(&id)).await.unwrap().is_empty());
    }
    assert_eq!(detail(store, "sub_none").await, None);
    assert!(detail(store, "sub_1").await.unwrap().triage.starred);
}

/// Updates all matches of a filter and returns the changes that undo it as JSON.
async fn undo_of(store: &dyn Store, (filter, count): (&str, u64), change: &str) -> Vec<UndoStep> {
    let selection = Selection::matching(Filter::parse(filter).unwrap(), count);
    let update = TriageUpdate { with_undo: true, ..triage_update(selection, change, 60) };
    match store.update_triage(update).await.unwrap() {
        Some(UpdateOutcome::Changed(_, undo)) => undo,
        other => panic!("{other:?}"),
    }
}

pub async fn undo_sets_former_values_back(store: &dyn Store) {
    insert_rows(store, 5).await;
    let all = ["sub_1", "sub_2", "sub_3", "sub_4", "sub_5"];
    let owner = fixtures::owner_as_reader();
    update_ids(store, &["sub_2"], r#"{"status":"in_progress","add_tags":["b"]}"#, 51).await;
    update_ids(store, &["sub_3"], r#"{"read":true,"assignee":"psn_1"}"#, 52).await;
    update_ids(store, &["sub_4"], r#"{"status":"done","add_tags":["a"],"read":true}"#, 53).await;
    let before = list_triage(store, &all).await;
    let list_read = async || {
        let mut read = store.list_read(&form_id(), &parse_ids(&all), &owner).await.unwrap();
        read.sort_unstable();
        read
    };
    let read = list_read().await;

    let set = r#"{"status":"done","read":true,"add_tags":["a"],"remove_tags":["b"]}"#;
    let steps = undo_of(store, ("date_from=1970-01-01T00:00:00.000002Z", 4), set).await;
    let expected = [
        r#"{"ids":["sub_2"],"set":{"status":"in_progress","add_tags":["b"],"remove_tags":["a"]}}"#,
        r#"{"ids":["sub_3","sub_5"],"set":{"status":"open","remove_tags":["a"]}}"#,
        r#"{"ids":["sub_2","sub_5"],"set":{"read":false}}"#,
    ];
    let json: Vec<_> = steps.iter().map(|step| serde_json::to_string(step).unwrap()).collect();
    assert_eq!(json, expected);
    assert_ne!(list_triage(store, &all).await, before);
    for UndoStep { ids, set } in &steps {
        let update = triage_update(Selection::Ids(ids.clone()), "{}", 61);
        store.update_triage(TriageUpdate { change: set.clone(), ..update }).await.unwrap();
    }
    assert_eq!(list_triage(store, &all).await, before);
    assert_eq!(list_read().await, read);

    let nothing = r#"{"status":"open"}"#;
    assert_eq!(undo_of(store, ("tag=none&status=open", 3), nothing).await, []);
}

pub async fn update_by_filter_checks_count(store: &dyn Store) {
    insert_rows(store, 30).await;
    let done = r#"{"status":"done","add_tags":["x"]}"#;
    let outcome = update_matching(store, "search=PEAR", 14, done).await;
    assert_eq!(outcome, UpdateOutcome::CountDiffers(15));
    assert!(detail(store, "sub_1").await.unwrap().triage.is_default());
    let settings = store.find_triage_settings(&account()).await.unwrap();
    assert_eq!(settings, TriageSettings::default());

    let outcome = update_matching(store, "search=PEAR", 15, done).await;
    assert_eq!(outcome, UpdateOutcome::changed(15));
    let star = r#"{"starred":true}"#;
    let dates = "date_from=1970-01-01T00:00:00.00001Z&date_to=1970-01-01T00:00:00.00002Z";
    let outcome = update_matching(store, &format!("{dates}&status=done"), 5, star).await;
    assert_eq!(outcome, UpdateOutcome::changed(5));
    let outcome = update_matching(store, "tag=x", 15, star).await;
    assert_eq!(outcome, UpdateOutcome::changed(10));
    let outcome = update_matching(store, "status=in_progress", 0, star).await;
    assert_eq!(outcome, UpdateOutcome::changed(0));
    let outcome = update_matching(store, "", 30, r#"{"status":"done"}"#).await;
    assert_eq!(outcome, UpdateOutcome::changed(15));
    let found = detail(store, "sub_11").await.unwrap();
    assert_eq!(changes(&found), [star, done]);
}

pub async fn filters_select_by_triage(store: &dyn Store) {
    insert_rows(store, 40).await;
    for (change, step) in [
        (r#"{"status":"done"}"#, 2),
        (r#"{"starred":true,"add_tags":["VIP","none"]}"#, 3),
        (r#"{"assignee":"psn_1","remove_tags":["VIP"]}"#, 6),
    ] {
        let ids: Vec<_> = (1..=40).step_by(step).map(|n| format!("sub_{n}")).collect();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        update_ids(store, &ids, change, 10).await;
    }
    let mut rows = Vec::new();
    for json in fixtures::export_all(store, &Filter::default(), None, 100_000).await {
        let submission: Submission = serde_json::from_str(&json).unwrap();
        let triage = detail(store, submission.id.as_str()).await.unwrap().triage;
        rows.push((submission, triage, json));
    }
    for query in [
        "status=open",
        "status=done,waiting",
        "starred=true",
        "starred=false&status=open",
        "tag=VIP",
        "tag=\\none",
        "tag=none,VIP&search=apple",
        "assignee=psn_1",
        "assignee=none&search=pear&starred=true",
        "assignee=psn_2",
        "status=done&device=none&date_to=1970-01-01T00:00:00.00002Z",
    ] {
        let filter = filter(query);
        let matching = |(submission, triage, _): &&(Submission, Triage, String)| {
            filter.matches(submission, triage)
        };
        let expected: Vec<_> = rows.iter().filter(matching).map(|(.., json)| json).collect();
        let page = fixtures::list_page(store, &filter, None, 100).await.unwrap();
        assert_eq!(page.rows.iter().map(|row| &row.json).collect::<Vec<_>>(), expected, "{query}");
        assert_eq!(page.total, expected.len() as u64, "{query}");
        let exported = fixtures::export_all(store, &filter, None, 500).await;
        assert_eq!(exported.iter().collect::<Vec<_>>(), expected, "{query}");
        let summary = super::summary::summary(store, &filter).await;
        assert_eq!(summary.total, page.total, "{query}");
    }
}

pub async fn new_tags_are_added_to_settings(store: &dyn Store) {
    insert_rows(store, 2).await;
    let names = async || -> Vec<String> {
        let settings = store.find_triage_settings(&account()).await.unwrap();
        settings.tags.into_iter().map(|tag| tag.name.into()).collect()
    };
    update_ids(store, &["sub_none"], r#"{"add_tags":["unused"]}"#, 10).await;
    assert!(names().await.is_empty());
    update_ids(store, &["sub_1", "sub_2"], r#"{"add_tags":["b","a","b"]}"#, 10).await;
    update_ids(store, &["sub_1"], r#"{"add_tags":["c","a"]}"#, 11).await;
    assert_eq!(names().await, ["a", "b", "c"]);
    // A tag that is removed from the settings stays on its submissions.
    let settings = TriageSettings::default();
    let outcome = store.set_triage_settings(&account(), None, settings).await.unwrap();
    assert_eq!(outcome, SettingsOutcome::Set);
    assert_eq!(detail(store, "sub_1").await.unwrap().triage.tags.len(), 3);
    update_ids(store, &["sub_1"], r#"{"remove_tags":["a"],"starred":true}"#, 12).await;
    assert!(names().await.is_empty());
}

pub async fn too_many_tags_change_nothing(store: &dyn Store) {
    insert_rows(store, 2).await;
    let tags = |prefix: &str, count: usize| -> String {
        let tags: Vec<_> = (0..count).map(|n| format!("\"{prefix}{n:02}\"")).collect();
        format!(r#"{{"status":"done","add_tags":[{}]}}"#, tags.join(","))
    };
    update_ids(store, &["sub_2"], &tags("a", 20), 10).await;
    let outcome = update_ids(store, &["sub_1", "sub_2"], &tags("b", 1), 11).await;
    assert_eq!(outcome, UpdateOutcome::TooManyTags(TooManyTags { count: 21 }));
    assert_eq!(update_matching(store, "", 2, &tags("b", 1)).await, outcome);
    assert!(detail(store, "sub_1").await.unwrap().triage.is_default());
    let settings = store.find_triage_settings(&account()).await.unwrap();
    assert_eq!(settings.tags.len(), 20);

    for prefix in ["c", "d", "e", "f", "g", "h", "i", "j", "k"] {
        update_ids(store, &["sub_1"], &tags(prefix, 20), 12).await;
        let triage = detail(store, "sub_1").await.unwrap().triage;
        let back = serde_json::json!({ "remove_tags": triage.tags, "status": "open" });
        update_ids(store, &["sub_1"], &back.to_string(), 13).await;
    }
    let outcome = update_ids(store, &["sub_1"], &tags("l", 2), 14).await;
    assert_eq!(outcome, UpdateOutcome::Account(InvalidTriageSettings::TagCount(202)));
    let found = detail(store, "sub_1").await.unwrap();
    assert!(found.triage.is_default());
    assert_eq!((found.history.len(), found.updated_at), (18, Some(at(13))));
    let outcome = update_ids(store, &["sub_1"], &tags("c", 20), 15).await;
    assert_eq!(outcome, UpdateOutcome::changed(1));
}

pub async fn history_has_latest_changes(store: &dyn Store) {
    insert_rows(store, 2).await;
    let last = i64::try_from(HISTORY_MAX).unwrap() + 5;
    for n in 1..=last {
        let change = format!(r#"{{"starred":{}}}"#, n % 2 > 0);
        assert_eq!(update_ids(store, &["sub_1"], &change, n).await, UpdateOutcome::changed(1));
    }
    let found = detail(store, "sub_1").await.unwrap();
    let times: Vec<_> = found.history.iter().map(|entry| entry.at).collect();
    assert_eq!(times, (6..=last).rev().map(at).collect::<Vec<_>>());
    assert_eq!(found.updated_at, Some(at(last)));
}

pub async fn settings_keep_used_statuses(store: &dyn Store) {
    insert_rows(store, 3).await;
    let settings = |json: &str| -> TriageSettings { serde_json::from_str(json).unwrap() };
    let full = settings(
        r#"{"statuses":[{"id":"waiting","name":"Waiting"},{"id":"other","name":"Other \u00e9"}],
            "tags":[{"name":"VIP","color":"red"}]}"#,
    );
    let set = async |settings: &TriageSettings| {
        store.set_triage_settings(&account(), None, settings.clone()).await.unwrap()
    };
    assert_eq!(set(&full).await, SettingsOutcome::Set);
    assert_eq!(store.find_triage_settings(&account()).await.unwrap(), full);
    let unknown: AccountId = "acc_none".parse().unwrap();
    let outcome = store.set_triage_settings(&unknown, None, full.clone()).await.unwrap();
    assert_eq!(outcome, SettingsOutcome::Set);
    let found = store.find_triage_settings(&unknown).await.unwrap();
    assert_eq!(found, TriageSettings::default());

    // The status is in use until the last of three submissions is gone: listed, trash and spam.
    let ids = ["sub_1", "sub_2", "sub_3"];
    update_ids(store, &ids, r#"{"status":"waiting","starred":true}"#, 10).await;
    super::notes::move_to(store, store::unlisted::UnlistedState::Trash, "sub_2").await;
    super::notes::move_to(store, store::unlisted::UnlistedState::Spam, "sub_3").await;
    let less = settings(r#"{"statuses":[{"id":"other","name":"Another"}]}"#);
    let used = SettingsOutcome::StatusUsed("waiting".parse().unwrap());
    assert_eq!(set(&less).await, used);
    update_ids(store, &["sub_1"], r#"{"status":"open"}"#, 11).await;
    assert_eq!(set(&less).await, used);
    super::notes::delete_all(store, store::unlisted::UnlistedState::Trash).await;
    assert_eq!(set(&less).await, used);
    assert_eq!(store.find_triage_settings(&account()).await.unwrap(), full);
    super::notes::delete_all(store, store::unlisted::UnlistedState::Spam).await;
    assert_eq!(set(&less).await, SettingsOutcome::Set);
    assert_eq!(store.find_triage_settings(&account()).await.unwrap(), less);
    // Another member changed the settings meanwhile.
    let outcome = store.set_triage_settings(&account(), Some(full.clone()), full.clone()).await;
    assert_eq!(outcome.unwrap(), SettingsOutcome::Changed);
    assert_eq!(store.find_triage_settings(&account()).await.unwrap(), less);
    let outcome = store.set_triage_settings(&account(), Some(less.clone()), less).await;
    assert_eq!(outcome.unwrap(), SettingsOutcome::Set);
    // A member may not know yet that it was removed.
    let outcome = update_ids(store, &["sub_1"], r#"{"status":"waiting"}"#, 12).await;
    assert_eq!(outcome, UpdateOutcome::UnknownStatus("waiting".parse().unwrap()));
}
