//! A store with data of every kind, and a text of all its answers.

mod outgoing;
mod triage;

use contract::account::ClientInfo;
use contract::audit::{Action, Actor, AuditEvent, AuditFilter};
use contract::insight::{Categories, InsightCorrection, SetAnalysis};
use contract::people::{PersonChange, Preferences};
use contract::view::DatePreset;
use contract::{
    AccountId, Environment, Field, FieldType, Filter, FormId, Intake, Metadata, PersonId, Plan,
    Receipt, Role, SpamReason, Submission, View,
};
use std::fmt::Write as _;
use store::audit::AuditScope;
use store::daily_limits::{DailyLimits, UtcDay};
use store::identity::IdentityRecord;
use store::insight::{AnalysisOutcome, PendingQuery, RoundRobin};
use store::new_submission::{IdempotencyKey, InsertOutcome, NewSubmission};
use store::outbox::DeliveryQuery;
use store::unlisted::{
    MoveOutcome, Selection, TrashQuery, UnlistRequest, UnlistedSelection, UnlistedState,
};
use store::{Chunk, Owner, SessionProof, SessionRecord, Store, SummaryRequest};
use store_tests::fixtures::{self, at, form_id, submission};

/// Text with control characters, quotes, wildcards and combined characters.
const HOSTILE: &str = "Straße\0 \u{1}\u{7}\\N\t\"x\"\r\n%_ 👩‍👩‍👧 e\u{301} \u{feff}\u{10ffff}";
const NOON: i64 = 20_000 * 86_400_000_000 + 43_200_000_000;

fn owner() -> AccountId {
    "acc_1".parse().unwrap()
}

fn person() -> PersonId {
    "psn_1".parse().unwrap()
}

fn other_form_id() -> FormId {
    "frm_2".parse().unwrap()
}

/// Inserts data of every kind into a store.
pub(super) async fn fill_store(store: &dyn Store) {
    insert_users(store).await;
    insert_forms(store).await;
    outgoing::insert_webhooks(store).await;
    insert_views(store).await;
    outgoing::insert_notifications(store).await;
    insert_submissions(store).await;
    outgoing::send_deliveries(store).await;
    outgoing::send_mail(store).await;
    insert_insights(store).await;
    triage::insert_triage(store).await;
    move_submissions(store).await;
    store.cursor_secret().await.unwrap();
    let act = |n: i64| {
        AuditEvent::new(at(n), &Actor::system(), Action::KeyRevoked).with_user_text("name", HOSTILE)
    };
    for n in 0..20 {
        store
            .write_audit(act(n).with_account(&owner()).with_object("key", &"key_2"))
            .await
            .unwrap();
        store.write_audit(act(n)).await.unwrap();
    }
    write_late_entries(store).await;
}

async fn insert_views(store: &dyn Store) {
    for (id, shared) in [("view_1", true), ("view_2", false)] {
        let view = View {
            id: id.parse().unwrap(),
            name: "ÖPEN".to_owned(),
            query: "search=STRASSE".to_owned(),
            dates: Some(DatePreset::Week),
            columns: "name".to_owned(),
            shared,
            is_default: shared,
            created_at: at(12),
        };
        assert!(store.insert_view(&form_id(), &"psn_r".parse().unwrap(), view).await.unwrap());
    }
}

async fn insert_users(store: &dyn Store) {
    store.insert_account(fixtures::account("acc_1", "owner@example.com")).await.unwrap();
    store.insert_account(fixtures::account("acc_2", "\0ÖTHER@example.com")).await.unwrap();
    store.insert_member(fixtures::reader("acc_1", "psn_r", "reader@example.com")).await.unwrap();
    let (account, editor) = ("acc_1".parse().unwrap(), "psn_e".parse().unwrap());
    store.insert_member(fixtures::reader("acc_1", "psn_e", "editor@example.com")).await.unwrap();
    let forms = Some(Some(vec!["frm_1".parse().unwrap(), "frm_gone".parse().unwrap()]));
    let change = PersonChange { role: Some(Role::Editor), forms };
    assert!(store.change_member(&account, &editor, change).await.unwrap());
    let off = Preferences { mention_emails: false };
    assert!(store.set_preferences(&editor, off).await.unwrap());
    store.insert_link([1; 32], &person(), at(10)).await.unwrap();
    for token in [2, 3] {
        let session = SessionRecord {
            token_hash: [token; 32],
            person_id: person(),
            created_at: at(5),
            authenticated_at: at(5),
            last_used_at: at(6 + i64::from(token)),
        };
        let client = ClientInfo { device: Some(HOSTILE.to_owned()), browser: None };
        store.insert_session(session, client, SessionProof::Identity).await.unwrap();
    }
    let identity = IdentityRecord {
        digest: [9; 32],
        issuer: HOSTILE.to_owned(),
        subject: "Ada\0".to_owned(),
        person_id: person(),
        created_at: at(7),
    };
    store.insert_identity(identity).await.unwrap();
    store.set_session_identity([2; 32], [9; 32]).await.unwrap();
    let mut key = fixtures::key("key_1");
    (key.name, key.last_used_at) = (HOSTILE.to_owned(), Some(at(99)));
    store.insert_key(&owner(), key, [3; 32]).await.unwrap();
    store.insert_key(&owner(), fixtures::restricted_key("key_2"), [4; 32]).await.unwrap();
    store.revoke_key(&owner(), &"key_2".parse().unwrap(), at(7)).await.unwrap();
}

async fn insert_forms(store: &dyn Store) {
    let mut form = fixtures::form("acc_1", "frm_1");
    let field = |key: &str, kind| Field {
        id: format!("fld_{}", key.len()).parse().unwrap(),
        key: key.to_owned(),
        name: format!("The {key}"),
        kind,
        hidden: key == "age",
    };
    let retained = vec![field(HOSTILE, FieldType::LongText), field("age", FieldType::Number)];
    let all = [retained.clone(), vec![field("gone\0", FieldType::Text)]].concat();
    form.form.fields = all.clone();
    (form.form.analysis, form.form.name) = (true, HOSTILE.to_owned());
    store.insert_form(form).await.unwrap();
    assert!(store.replace_fields(&form_id(), all, retained).await.unwrap());
    let mut form = fixtures::form("acc_2", "frm_2");
    form.form.environment = Environment::Test;
    store.insert_form(form).await.unwrap();
    store.insert_form(fixtures::form("acc_1", "frm_0")).await.unwrap();
    let intake = Intake { redirects: vec!["https://a.example/".to_owned()], ..Intake::default() };
    store.update_intake(&form_id(), intake).await.unwrap();
    let json = r#"[{"name":"price","words":["deliver*"]}]"#;
    let categories: Categories = serde_json::from_str(json).unwrap();
    store.set_categories(&form_id(), Some(categories)).await.unwrap();
}

async fn insert_submissions(store: &dyn Store) {
    let row = |n: i64| {
        let mut row = submission(&format!("sub_{n:02}"), n / 2, &format!("{n} {HOSTILE}"));
        let utm_source = (n % 3 == 0).then(|| "google".to_owned());
        let utm_medium = (n % 5 == 0).then(|| HOSTILE.repeat(1 + usize::try_from(n).unwrap()));
        row.metadata = Metadata { utm_source, utm_medium, ..row.metadata };
        row
    };
    fixtures::insert_submissions(store, (0..30).map(row).collect()).await;
    store.delete_submission(&"sub_07".parse().unwrap()).await.unwrap();
    let old = Submission {
        form_id: other_form_id(),
        ..submission("sub_far", -5_000_000_000_000, "long ago")
    };
    let long =
        Submission { form_id: other_form_id(), ..submission("sub_long", 5, &HOSTILE.repeat(2000)) };
    let source = fixtures::submission_source(vec![old, long]);
    store.insert_submissions(&other_form_id(), Vec::new(), source).await.unwrap();
    for (id, key, spam) in [("sub_r1", Some(HOSTILE), None), ("sub_r2", None, Some(()))] {
        assert!(matches!(submit(store, id, key, spam).await, InsertOutcome::Inserted(_)));
    }
}

async fn submit(store: &dyn Store, id: &str, key: Option<&str>, spam: Option<()>) -> InsertOutcome {
    let version = store.find_intake(&form_id()).await.unwrap().unwrap().version;
    let repeat = key.map(|key| IdempotencyKey { key: key.to_owned(), request: [7; 32] });
    let arrival = NewSubmission {
        form: form_id(),
        version,
        submission: submission(id, NOON, HOSTILE),
        fields: vec![fixtures::field(&format!("fld_{id}"), id)],
        spam: spam.map(|()| SpamReason::TooFast),
        idempotency: repeat,
        rows_max: None,
    };
    store.insert_submission(arrival).await.unwrap()
}

fn limits() -> DailyLimits {
    let mut limits = DailyLimits::default();
    limits.set(Plan::Pro, 50);
    limits
}

async fn insert_insights(store: &dyn Store) {
    while store.queue_insights(100).await.unwrap() {}
    let insight = |id: &str, label: Option<&str>| AnalysisOutcome {
        id: id.parse().unwrap(),
        insight: label.map(store_tests::insight::sample_insight),
        actions: 1,
    };
    let outcomes = vec![insight("sub_20", Some("mixed")), insight("sub_21", None)];
    store.insert_insights(outcomes, limits(), at(NOON)).await.unwrap();
    let correction = InsightCorrection {
        sentiment: Some("negative".to_owned()),
        ..InsightCorrection::default()
    };
    let id = "sub_20".parse().unwrap();
    assert!(store.correct_insight(&id, Some(correction), at(NOON)).await.unwrap());
    let switch = SetAnalysis { analysis: true, again: true };
    assert!(store.set_analysis(&other_form_id(), switch).await.unwrap());
}

async fn move_submissions(store: &dyn Store) {
    let correction =
        InsightCorrection { sentiment: Some("mixed".to_owned()), ..InsightCorrection::default() };
    let id = "sub_18".parse().unwrap();
    assert!(store.correct_insight(&id, Some(correction), at(NOON)).await.unwrap());
    for (state, ids) in
        [(UnlistedState::Trash, &["sub_18", "sub_25"][..]), (UnlistedState::Spam, &["sub_12"])]
    {
        let request = UnlistRequest {
            is_permanent: false,
            form: form_id(),
            selection: Selection::Ids(ids.iter().map(|id| id.parse().unwrap()).collect()),
            state,
            batch: format!("bat_{}", ids.len()).parse().unwrap(),
            at: at(NOON),
        };
        let outcome = store.move_submissions(request).await.unwrap();
        assert!(matches!(outcome, Some(MoveOutcome::Moved { count, .. }) if count > 0));
    }
    assert!(store.set_trash_days(&form_id(), 7).await.unwrap());
}

/// Writes audit entries of years later, which drop the first entries of their chain.
async fn write_late_entries(store: &dyn Store) {
    let act = AuditEvent::new(at(NOON), &Actor::system(), Action::KeyRevoked);
    for _ in 0..3 {
        store.write_audit(act.clone().with_account(&owner())).await.unwrap();
    }
}

/// Returns all answers of a store about the data of [`fill_store`], as text.
pub(super) async fn all_answers(store: &dyn Store) -> String {
    let mut said = String::new();
    let accounts = store.list_accounts().await.unwrap();
    writeln!(said, "{accounts:#?}").unwrap();
    for record in &accounts {
        let id = &record.account.id;
        let people = store.list_people(id).await.unwrap();
        for member in &people {
            let preferences = store.find_preferences(&member.person.id).await.unwrap();
            writeln!(said, "{preferences:?}").unwrap();
        }
        writeln!(said, "{people:#?}").unwrap();
        writeln!(said, "{:#?}", store.list_keys(id).await.unwrap()).unwrap();
        writeln!(said, "{:#?}", store.list_identities(id).await.unwrap()).unwrap();
        writeln!(said, "{:#?}", store.find_triage_settings(id).await.unwrap()).unwrap();
        let every = AuditFilter::default();
        let notes =
            store.list_audit_entries(AuditScope::Account(id), &every, None, 100).await.unwrap();
        writeln!(said, "{notes:#?}").unwrap();
        for form in store.list_forms(id).await.unwrap() {
            let owner = Owner { account_id: id.clone(), environment: form.environment };
            writeln!(said, "{form:#?}\n{}", form_answers(store, &owner, &form.id).await).unwrap();
        }
    }
    let notes = store
        .list_audit_entries(AuditScope::System, &AuditFilter::default(), None, 100)
        .await
        .unwrap();
    let keys = (store.find_key([3; 32]).await.unwrap(), store.find_key([4; 32]).await.unwrap());
    let sessions = (store.find_session([2; 32]).await, store.list_sessions(&person()).await);
    let marked = store.find_session_identity([9; 32], [2; 32]).await.unwrap();
    let wanted =
        PendingQuery { after: RoundRobin::default(), limits: limits(), now: at(NOON), rows_max: 9 };
    let pending = store.list_pending(wanted).await.unwrap();
    let spent = store.find_usage(&owner(), Environment::Live, 50, UtcDay::of(at(NOON))).await;
    let secret = store.cursor_secret().await.unwrap();
    writeln!(said, "{notes:#?}\n{keys:#?}\n{sessions:#?}\n{marked:#?}\n{pending:#?}").unwrap();
    writeln!(said, "{spent:#?}\n{secret:?}").unwrap();
    said
}

async fn form_answers(store: &dyn Store, of: &Owner, form: &FormId) -> String {
    let intake = store.find_intake(form).await.unwrap().unwrap();
    let mut said = format!("{:#?}\n{:#?}\n", intake.intake, intake.fields);
    let search = |text: &str| fixtures::search_filter(text);
    let medium = Filter { utm_medium: Some(HOSTILE.repeat(11)), ..Filter::default() };
    let source = Filter { utm_source: Some("google".to_owned()), ..Filter::default() };
    let filters = [Filter::default(), medium, source, search("STRASSE%00"), search("1 strasse")];
    for filter in filters.into_iter().chain(triage::filters()) {
        let page = store.list_page(of, form, &filter, None, 100).await.unwrap().unwrap();
        let after = page.rows.get(3).map(|row| row.position.clone());
        let next = store.list_page(of, form, &filter, after.as_ref(), 5).await.unwrap();
        let chunk = Chunk::default().with_size_limit(1 << 20);
        let chunk = store.export_submissions(form, &filter, None, chunk).await.unwrap();
        let exported: Vec<_> = chunk.iter().collect();
        let zone = chrono_tz::Europe::Berlin;
        let request = SummaryRequest { form: form.clone(), filter, zone, field: None };
        let summary = store.summarize(request).await.unwrap();
        writeln!(said, "{page:#?}\n{next:#?}\n{exported:#?}\n{summary:#?}").unwrap();
        for row in &page.rows {
            let detail = store.find_insight(&row.position.id).await.unwrap();
            let triage = store.find_triage(form, &row.position.id).await.unwrap();
            writeln!(said, "{detail:#?}\n{triage:#?}").unwrap();
        }
    }
    let spam = store.list_spam(form, at(0), None, 100).await.unwrap();
    let analysis = store.find_analysis(form).await.unwrap();
    let categories = store.find_categories(form).await.unwrap();
    writeln!(said, "{spam:#?}\n{analysis:#?}\n{categories:#?}").unwrap();
    let webhooks = store.list_webhooks(form).await.unwrap();
    writeln!(said, "{webhooks:#?}").unwrap();
    for record in webhooks {
        let webhook = record.webhook.id;
        let query = DeliveryQuery { webhook, state: None, before: None, rows_max: 100 };
        // The stores order them by time and by number, which differ in these data.
        let mut deliveries = store.list_deliveries(query).await.unwrap();
        deliveries.sort_by(|a, b| a.id.as_str().cmp(b.id.as_str()));
        writeln!(said, "{deliveries:#?}").unwrap();
    }
    let views = store.list_views(form, &"psn_r".parse().unwrap()).await.unwrap();
    writeln!(said, "{views:#?}").unwrap();
    let notifications = store.list_notifications(form).await.unwrap();
    let auto_reply = store.find_auto_reply(form).await.unwrap();
    for environment in [Environment::Live, Environment::Test] {
        let owner = Owner { account_id: owner(), environment };
        let usage = store.mail_usage(&owner, UtcDay::of(at(NOON))).await.unwrap();
        writeln!(said, "{usage:#?}").unwrap();
    }
    let stats = store.mail_stats().await.unwrap();
    writeln!(said, "{notifications:#?}\n{auto_reply:#?}\n{stats:#?}").unwrap();
    for text in ["", "STRASSE%00"] {
        let form = form.clone();
        let search = search(text).search;
        let query = TrashQuery { form, search, now: at(NOON), after: None, rows_max: 9 };
        writeln!(said, "{:#?}", store.list_trash(query).await.unwrap()).unwrap();
    }
    said
}

/// Checks that a restored store continues: idempotency, spam, trash and sequence numbers.
pub(super) async fn check_continuation(store: &dyn Store) {
    let taken = Receipt { id: "sub_r1".parse().unwrap(), submitted_at: at(NOON) };
    let again = submit(store, "sub_other", Some(HOSTILE), None).await;
    assert_eq!(again, InsertOutcome::Inserted(taken));
    let released = UnlistedSelection::Ids(vec!["sub_r2".parse().unwrap()]);
    assert_eq!(
        store.restore_submissions(&form_id(), UnlistedState::Spam, released).await.unwrap(),
        1
    );
    for (state, count) in [(UnlistedState::Trash, 2), (UnlistedState::Spam, 1)] {
        assert_eq!(
            store.restore_submissions(&form_id(), state, UnlistedSelection::All).await.unwrap(),
            count
        );
    }
    triage::check_continuation(store).await;
    let found = fixtures::list_page(store, &fixtures::search_filter("18 strasse"), None, 9).await;
    assert_eq!(found.unwrap().total, 1);
    let detail = store.find_insight(&"sub_18".parse().unwrap()).await.unwrap().unwrap();
    assert_eq!(detail.corrected_at, Some(at(NOON)));
    assert_eq!(store.find_link([1; 32], at(9)).await.unwrap(), Some(person()));
    let moved = store.list_forms(&owner()).await.unwrap();
    store.insert_form(fixtures::form("acc_1", "frm_new")).await.unwrap();
    store.insert_account(fixtures::account("acc_3", "new@example.com")).await.unwrap();
    store.insert_member(fixtures::reader("acc_1", "psn_n", "n@example.com")).await.unwrap();
    store.insert_key(&owner(), fixtures::key("key_n"), [5; 32]).await.unwrap();
    store
        .write_audit(AuditEvent::new(at(NOON), &Actor::system(), Action::KeyRevoked))
        .await
        .unwrap();
    let now = store.list_forms(&owner()).await.unwrap();
    let ids: Vec<_> = now.iter().map(|form| form.id.as_str()).collect();
    assert_eq!((moved.len() + 1, ids.last()), (now.len(), Some(&"frm_new")));
    store.delete_submission(&"sub_00".parse().unwrap()).await.unwrap();
    fixtures::insert_submissions(store, vec![submission("sub_zz", NOON + 1, "new")]).await;
    while store.queue_insights(100).await.unwrap() {}
}
