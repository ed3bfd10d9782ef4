//! Notes about submissions; moves and deletions of submissions with triage.

use super::fixtures::{self, at, form_id, submission};
use super::triage::{detail, filter, list_triage, parse_ids, update_ids};
use contract::notification::MailLanguage;
use contract::triage::{NOTES_MAX, Note, TriageColumn, TriageDetail, TriageSettings};
use contract::{AccountId, BatchId, FormId, SubmissionId};
use store::mail::{AccountEvent, AccountMail};
use store::triage::{NoteKey, NoteOutcome, UpdateOutcome};
use store::unlisted::{
    MoveOutcome, SPAM_AGE_MAX, Selection, UnlistRequest, UnlistedSelection, UnlistedState,
};
use store::{Chunk, Store, StoreError};

const TRIAGED: &str = r#"{"status":"done","starred":true,"add_tags":["VIP"]}"#;

pub(crate) fn note(id: &str, author: &str, text: &str, micros: i64) -> Note {
    Note {
        id: id.parse().unwrap(),
        author: Some(author.parse().unwrap()),
        text: text.to_owned(),
        created_at: at(micros),
        edited_at: None,
    }
}

pub(crate) fn note_key(submission: &str, note: &str, person: &str) -> NoteKey {
    NoteKey {
        form: form_id(),
        submission: submission.parse().unwrap(),
        note: note.parse().unwrap(),
        person: person.parse().unwrap(),
    }
}

pub(crate) async fn insert_note(store: &dyn Store, id: &str, note: Note) -> NoteOutcome {
    let submission: SubmissionId = id.parse().unwrap();
    store.insert_note(&form_id(), &submission, note, Vec::new()).await.unwrap()
}

/// Inserts a form, two members, and submissions with triage, a note and a history.
async fn insert_triaged(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    store.insert_member(fixtures::reader("acc_1", "psn_r", "reader@example.com")).await.unwrap();
    let rows = (1..=3).map(|n| submission(&format!("sub_{n}"), n, "x")).collect();
    fixtures::insert_submissions(store, rows).await;
    let ids = ["sub_1", "sub_2", "sub_3"];
    assert_eq!(update_ids(store, &ids, TRIAGED, 10).await, UpdateOutcome::changed(3));
    for id in ids {
        let note = note(&format!("nte_{id}"), "psn_r", "Call back", 20);
        assert_eq!(insert_note(store, id, note).await, NoteOutcome::Done);
    }
}

pub async fn export_has_triage_of_each_row(store: &dyn Store) {
    insert_triaged(store).await;
    fixtures::insert_submissions(store, vec![submission("sub_4", 4, "y")]).await;
    update_ids(store, &["sub_1"], r#"{"assignee":"psn_r","status":"open"}"#, 30).await;
    let second = note("nte_second", "psn_1", "Again", 40);
    assert_eq!(insert_note(store, "sub_2", second).await, NoteOutcome::Done);
    let triage = |status, tags, assignee, starred, notes| {
        format!(
            r#"{{"status":"{status}","tags":[{tags}],"assignee":{assignee},{}"#,
            format_args!(r#""starred":{starred},"notes_count":{notes}}}"#)
        )
    };
    let vip = r#""VIP""#;
    let expected = [
        ("sub_4", triage("open", "", "null", false, 0)),
        ("sub_3", triage("done", vip, "null", true, 1)),
        ("sub_2", triage("done", vip, "null", true, 2)),
        ("sub_1", triage("open", vip, r#""psn_r""#, true, 1)),
    ];
    let expected = expected.map(|(id, triage)| (id.to_owned(), triage));
    let all = TriageColumn::ALL.into_iter().collect();
    // The first size gives one row per chunk, the second one chunk.
    for room_bytes in [1, 100_000] {
        for (query, rows) in [("", 0..4), ("status=done", 1..3), ("search=x", 1..4)] {
            let filter = filter(query);
            let exported = fixtures::export_triage(store, &filter, all, room_bytes).await;
            assert_eq!(exported, expected[rows], "{query} {room_bytes}");
        }
    }
    let starred = [TriageColumn::Starred].into_iter().collect();
    let exported =
        fixtures::export_triage(store, &filter("search=x&status=open"), starred, 1).await;
    assert_eq!(exported, [("sub_1".to_owned(), r#"{"starred":true}"#.to_owned())]);
    let chunk = Chunk::default().with_size_limit(100_000);
    let plain = store.export_submissions(&form_id(), &filter(""), None, chunk).await.unwrap();
    assert!(plain.triage().is_empty() && plain.iter().count() == 4);
}

/// Moves a submission of `frm_1`. Its id and the state name the move.
pub async fn move_to(store: &dyn Store, state: UnlistedState, id: &str) {
    let request = UnlistRequest {
        form: form_id(),
        selection: Selection::Ids(parse_ids(&[id])),
        state,
        batch: batch(state, id),
        at: at(100),
        is_permanent: true,
    };
    let outcome = store.move_submissions(request).await.unwrap();
    assert!(matches!(outcome, Some(MoveOutcome::Moved { count: 1, .. })), "{outcome:?}");
}

pub fn batch(state: UnlistedState, id: &str) -> BatchId {
    format!("bat_{}_{id}", state.as_str()).parse().unwrap()
}

/// Deletes all spam or trash of `frm_1`.
pub async fn delete_all(store: &dyn Store, state: UnlistedState) {
    let deleted = store.delete_unlisted(&form_id(), state, UnlistedSelection::All).await;
    assert_eq!(deleted.unwrap(), 1);
}

fn texts(detail: &TriageDetail) -> Vec<&str> {
    detail.notes.iter().map(|note| note.text.as_str()).collect()
}

pub async fn notes_are_changed_by_their_author(store: &dyn Store) {
    insert_triaged(store).await;
    let hostile = "Straße\0 \u{1}\"x\"\r\n%_ e\u{301} \u{10ffff}";
    let late = note("nte_b", "psn_1", hostile, 30);
    assert_eq!(insert_note(store, "sub_1", late.clone()).await, NoteOutcome::Done);
    assert_eq!(
        insert_note(store, "sub_1", note("nte_a", "psn_1", "same time", 30)).await,
        NoteOutcome::Done
    );
    assert_eq!(
        insert_note(store, "sub_1", note("nte_z", "psn_1", "early", 5)).await,
        NoteOutcome::Done
    );
    let again =
        store.insert_note(&form_id(), &"sub_1".parse().unwrap(), late.clone(), Vec::new()).await;
    assert!(matches!(again, Err(StoreError::Exists(_))), "{again:?}");
    let found = detail(store, "sub_1").await.unwrap();
    assert_eq!(texts(&found), ["early", "Call back", "same time", hostile]);
    assert_eq!((&found.notes[3], found.updated_at), (&late, Some(at(30))));
    let listed = list_triage(store, &["sub_1"]).await;
    assert!(listed[0].ends_with(r#""notes_count":4}"#), "{listed:?}");

    let edit = async |key: NoteKey, text: &str, micros| {
        store.edit_note(&key, text.to_owned(), at(micros), Vec::new()).await.unwrap()
    };
    let own = note_key("sub_1", "nte_b", "psn_1");
    let other = note_key("sub_1", "nte_b", "psn_r");
    assert_eq!(edit(other.clone(), "no", 40).await, NoteOutcome::OtherAuthor);
    assert_eq!(store.delete_note(&other).await.unwrap(), NoteOutcome::OtherAuthor);
    assert_eq!(edit(own.clone(), "edited", 41).await, NoteOutcome::Done);
    let found = detail(store, "sub_1").await.unwrap();
    let expected = Note { text: "edited".to_owned(), edited_at: Some(at(41)), ..late };
    assert_eq!((&found.notes[3], found.updated_at), (&expected, Some(at(41))));
    for missing in [
        note_key("sub_2", "nte_b", "psn_1"),
        note_key("sub_1", "nte_none", "psn_1"),
        note_key("sub_none", "nte_b", "psn_1"),
        NoteKey { form: "frm_none".parse().unwrap(), ..own.clone() },
    ] {
        assert_eq!(edit(missing.clone(), "no", 42).await, NoteOutcome::NotFound);
        assert_eq!(store.delete_note(&missing).await.unwrap(), NoteOutcome::NotFound);
    }
    assert_eq!(store.delete_note(&own).await.unwrap(), NoteOutcome::Done);
    assert_eq!(store.delete_note(&own).await.unwrap(), NoteOutcome::NotFound);
    let found = detail(store, "sub_1").await.unwrap();
    assert_eq!(texts(&found), ["early", "Call back", "same time"]);
    assert_eq!(texts(&detail(store, "sub_2").await.unwrap()), ["Call back"]);
}

pub async fn number_of_notes_is_limited(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    fixtures::insert_submissions(store, vec![submission("sub_1", 1, "x")]).await;
    let new = |n: usize| note(&format!("nte_{n:03}"), "psn_1", "x", 10);
    for n in 0..NOTES_MAX {
        assert_eq!(insert_note(store, "sub_1", new(n)).await, NoteOutcome::Done);
    }
    let outcome = insert_note(store, "sub_1", new(NOTES_MAX)).await;
    assert_eq!(outcome, NoteOutcome::TooManyNotes);
    let expected = [r#"{"id":"sub_1","status":"open","notes_count":200}"#];
    assert_eq!(list_triage(store, &["sub_1"]).await, expected);
    let key = note_key("sub_1", "nte_007", "psn_1");
    assert_eq!(store.delete_note(&key).await.unwrap(), NoteOutcome::Done);
    assert_eq!(insert_note(store, "sub_1", new(NOTES_MAX)).await, NoteOutcome::Done);
    for (form, id) in [("frm_none", "sub_1"), ("frm_1", "sub_none")] {
        let form: FormId = form.parse().unwrap();
        let outcome =
            store.insert_note(&form, &id.parse().unwrap(), new(500), Vec::new()).await.unwrap();
        assert_eq!(outcome, NoteOutcome::NotFound);
    }
}

pub async fn mails_are_inserted_with_the_note(store: &dyn Store) {
    insert_triaged(store).await;
    let mail = |note: &str| AccountMail {
        recipient: "reader@example.com".to_owned(),
        language: MailLanguage::German,
        event: AccountEvent::Mentioned {
            form: form_id(),
            submission: "sub_1".parse().unwrap(),
            note: note.parse().unwrap(),
        },
    };
    let new = || note("nte_1", "psn_1", "@reader@example.com", 30);
    let submission = "sub_1".parse().unwrap();
    let mails = vec![mail("nte_1"); 2];
    let inserted = store.insert_note(&form_id(), &submission, new(), mails.clone()).await;
    assert_eq!(inserted.unwrap(), NoteOutcome::Done);
    let repeated = store.insert_note(&form_id(), &submission, new(), mails.clone()).await;
    assert!(matches!(repeated, Err(StoreError::Exists(_))), "{repeated:?}");
    let unknown = "sub_none".parse().unwrap();
    let outcome = store.insert_note(&form_id(), &unknown, new(), mails.clone()).await;
    assert_eq!(outcome.unwrap(), NoteOutcome::NotFound);
    let edit = async |key: NoteKey, mails| {
        store.edit_note(&key, "edited".to_owned(), at(31), mails).await.unwrap()
    };
    let own = note_key("sub_1", "nte_1", "psn_1");
    assert_eq!(edit(own, vec![mail("nte_2")]).await, NoteOutcome::Done);
    let other = note_key("sub_1", "nte_1", "psn_r");
    assert_eq!(edit(other, mails).await, NoteOutcome::OtherAuthor);
    let leased = store.lease_account_mail(at(40), 9).await.unwrap();
    let leased: Vec<_> = leased.into_iter().map(|one| (one.mail, one.created_at)).collect();
    let expected = ["nte_1", "nte_1", "nte_2"].map(mail).into_iter().zip([30, 30, 31].map(at));
    assert_eq!(leased, expected.collect::<Vec<_>>());
}

pub async fn moves_keep_triage_notes_and_history(store: &dyn Store) {
    insert_triaged(store).await;
    let before = detail(store, "sub_1").await.unwrap();
    assert_eq!((before.notes.len(), before.history.len()), (1, 1));
    for state in [UnlistedState::Trash, UnlistedState::Spam] {
        move_to(store, state, "sub_1").await;
        assert_eq!(detail(store, "sub_1").await, None);
        assert!(list_triage(store, &["sub_1"]).await.is_empty());
        let outcome = update_ids(store, &["sub_1"], r#"{"status":"open"}"#, 200).await;
        assert_eq!(outcome, UpdateOutcome::changed(0));
        let refused = note("nte_x", "psn_1", "x", 200);
        assert_eq!(insert_note(store, "sub_1", refused).await, NoteOutcome::NotFound);
        let key = note_key("sub_1", "nte_sub_1", "psn_r");
        assert_eq!(store.delete_note(&key).await.unwrap(), NoteOutcome::NotFound);
        let chosen = UnlistedSelection::Batch(batch(state, "sub_1"));
        let restored = store.restore_submissions(&form_id(), state, chosen).await;
        assert_eq!(restored.unwrap(), 1);
        assert_eq!(detail(store, "sub_1").await.unwrap(), before);
    }
    let done = super::triage::filter("status=done&starred=true&tag=VIP");
    assert_eq!(fixtures::list_page(store, &done, None, 9).await.unwrap().total, 3);
}

/// Inserts the three submissions again, and checks that they have no triage.
async fn check_forgotten(store: &dyn Store, ids: &[&str]) {
    for id in ids {
        let micros = id[4..].parse().unwrap();
        fixtures::insert_submissions(store, vec![submission(id, micros, "again")]).await;
        let found = detail(store, id).await.unwrap();
        let is_new = found.triage.is_default() && found.updated_at.is_none();
        assert!(is_new && found.notes.is_empty() && found.history.is_empty(), "{found:?}");
    }
    assert!(list_triage(store, ids).await.is_empty());
}

pub async fn permanent_deletion_deletes_notes_and_history(store: &dyn Store) {
    insert_triaged(store).await;
    assert!(store.delete_submission(&"sub_1".parse().unwrap()).await.unwrap());
    move_to(store, UnlistedState::Trash, "sub_2").await;
    delete_all(store, UnlistedState::Trash).await;
    move_to(store, UnlistedState::Spam, "sub_3").await;
    let expired = at(101 + i64::try_from(SPAM_AGE_MAX.as_micros()).unwrap());
    assert_eq!(store.purge_expired(expired).await.unwrap(), 1);
    check_forgotten(store, &["sub_1", "sub_2", "sub_3"]).await;

    // A form without trash deletes at once.
    update_ids(store, &["sub_1"], TRIAGED, 300).await;
    insert_note(store, "sub_1", note("nte_1", "psn_1", "x", 301)).await;
    assert!(store.set_trash_days(&form_id(), 0).await.unwrap());
    move_to(store, UnlistedState::Trash, "sub_1").await;
    check_forgotten(store, &["sub_1"]).await;
}

pub async fn deleted_form_and_account_have_no_triage(store: &dyn Store) {
    insert_triaged(store).await;
    move_to(store, UnlistedState::Trash, "sub_2").await;
    assert!(store.delete_form(&form_id()).await.unwrap());
    assert_eq!(detail(store, "sub_1").await, None);
    assert_eq!(store.finish_deletions().await.unwrap(), 1);
    store.insert_form(fixtures::form("acc_1", "frm_1")).await.unwrap();
    check_forgotten(store, &["sub_1", "sub_2", "sub_3"]).await;

    let account: AccountId = "acc_1".parse().unwrap();
    let settings = store.find_triage_settings(&account).await.unwrap();
    assert_eq!(settings.tags.len(), 1, "the settings belong to the account");
    assert!(store.delete_account(&account).await.unwrap());
    assert_eq!(store.finish_deletions().await.unwrap(), 1);
    let gone = store.find_triage_settings(&account).await.unwrap();
    assert_eq!(gone, TriageSettings::default());
    fixtures::owner_and_form(store).await;
    let again = store.find_triage_settings(&account).await.unwrap();
    assert_eq!(again, TriageSettings::default());
}

pub async fn removed_member_is_not_named(store: &dyn Store) {
    insert_triaged(store).await;
    let found = detail(store, "sub_1").await.unwrap();
    assert_eq!(found.notes[0].author.as_ref().unwrap().as_str(), "psn_r");
    assert!(
        store.delete_member(&"acc_1".parse().unwrap(), &"psn_r".parse().unwrap()).await.unwrap()
    );
    let found = detail(store, "sub_1").await.unwrap();
    assert_eq!((texts(&found), &found.notes[0].author), (vec!["Call back"], &None));
    assert_eq!(found.history[0].person.as_ref().unwrap().as_str(), "psn_1");
    // The note still has an author, who cannot change it any more.
    let outcome = store.delete_note(&note_key("sub_1", "nte_sub_1", "psn_1")).await.unwrap();
    assert_eq!(outcome, NoteOutcome::OtherAuthor);
}
