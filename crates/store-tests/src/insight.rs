//! Storage of the analysis: queue, daily limits and corrections.

use super::fixtures::{self, account, at, form, form_id, submission};
use contract::insight::{Categories, Category, InsightCorrection, SetAnalysis};
use contract::{
    AccountId, Environment, Filter, FormId, Insight, Plan, SpamReason, Submission, SubmissionId,
};
use store::Store;
use store::daily_limits::{DailyLimits, UtcDay};
use store::insight::{AnalysisOutcome, PendingBatch, PendingQuery, RoundRobin};
use store::new_submission::NewSubmission;
use store::unlisted::{UnlistedSelection, UnlistedState};

const NOON: i64 = 20_000 * DAY + DAY / 2;
const DAY: i64 = 86_400_000_000;

pub fn sample_insight(label: &str) -> Insight {
    Insight {
        sentiment: Some(label.to_owned()),
        sentiment_score: Some(0.25),
        categories: vec!["price".to_owned()],
        language: Some("en".to_owned()),
    }
}

fn limits(limit: u64) -> DailyLimits {
    let mut limits = DailyLimits::default();
    limits.set(Plan::Pro, limit);
    limits
}

/// Inserts the account `acc_1` (plan Pro) and its form `frm_1` with analysis.
pub(crate) async fn insert_analysed_form(store: &dyn Store) {
    store.insert_account(account("acc_1", "owner@example.com")).await.unwrap();
    let mut form = form("acc_1", "frm_1");
    form.form.analysis = true;
    store.insert_form(form).await.unwrap();
}

async fn list_pending(
    store: &dyn Store,
    limit: u64,
    micros: i64,
    rows_max: usize,
) -> Option<PendingBatch> {
    let limits = limits(limit);
    let now = at(micros);
    let wanted = PendingQuery { after: RoundRobin::default(), limits, now, rows_max };
    store.list_pending(wanted).await.unwrap()
}

async fn pending_ids(store: &dyn Store, limit: u64, micros: i64, rows_max: usize) -> Vec<String> {
    let pending = list_pending(store, limit, micros, rows_max).await;
    let rows = pending.map_or_else(Vec::new, |pending| pending.submissions);
    rows.into_iter().map(|row| row.position.id.into()).collect()
}

pub(crate) fn outcome(id: &str, insight: Option<Insight>, actions: u64) -> AnalysisOutcome {
    AnalysisOutcome { id: id.parse().unwrap(), insight, actions }
}

pub(crate) async fn write_outcomes(
    store: &dyn Store,
    outcomes: Vec<AnalysisOutcome>,
    limit: u64,
    micros: i64,
) -> u64 {
    store.insert_insights(outcomes, limits(limit), at(micros)).await.unwrap()
}

async fn find_usage(store: &dyn Store, micros: i64) -> (u64, u64) {
    let owner: AccountId = "acc_1".parse().unwrap();
    let day = UtcDay::of(at(micros));
    let spent = store.find_usage(&owner, Environment::Live, 9, day).await.unwrap();
    assert_eq!(spent.limit, 9);
    (spent.used, spent.pending)
}

async fn set_analysis(store: &dyn Store, analysis: bool, again: bool) {
    assert!(store.set_analysis(&form_id(), SetAnalysis { analysis, again }).await.unwrap());
}

async fn queue_all(store: &dyn Store, rows_max: usize) -> usize {
    let mut steps = 1;
    while store.queue_insights(rows_max).await.unwrap() {
        steps += 1;
        assert!(steps < 1000, "queueing does not end");
    }
    steps
}

async fn find_json(store: &dyn Store, id: &str) -> String {
    let found = store.find_submission(&id.parse().unwrap()).await.unwrap();
    found.unwrap().submission.json
}

pub async fn new_submissions_are_pending_newest_first(store: &dyn Store) {
    insert_analysed_form(store).await;
    let done =
        Submission { ai_insights: Some(sample_insight("mixed")), ..submission("sub_d", 9, "x") };
    fixtures::insert_submissions(
        store,
        vec![submission("sub_a", 1, "x"), done, submission("sub_c", 3, "x")],
    )
    .await;
    let many = (0..200).map(|n| submission(&format!("sub_m{n:03}"), 2, "x")).collect();
    fixtures::insert_submissions(store, many).await;
    queue_all(store, 50).await;
    assert_eq!(pending_ids(store, 9, NOON, 3).await, ["sub_c", "sub_m199", "sub_m198"]);
    assert_eq!(find_usage(store, NOON).await, (0, 202));
    store.delete_submission(&"sub_c".parse().unwrap()).await.unwrap();
    assert_eq!(pending_ids(store, 9, NOON, 1).await, ["sub_m199"]);
    assert_eq!(find_usage(store, NOON).await, (0, 201));
}

pub async fn spam_is_pending_after_restore(store: &dyn Store) {
    insert_analysed_form(store).await;
    let version = store.find_intake(&form_id()).await.unwrap().unwrap().version;
    for (id, spam) in [("sub_1", None), ("sub_2", Some(SpamReason::TooFast))] {
        let form = form_id();
        let submission = submission(id, 5, "x");
        let fields = Vec::new();
        let repeat = None;
        let arrival = NewSubmission {
            form,
            version,
            submission,
            fields,
            spam,
            idempotency: repeat,
            rows_max: None,
        };
        store.insert_submission(arrival).await.unwrap();
    }
    assert_eq!(pending_ids(store, 9, NOON, 9).await, ["sub_1"]);
    let chosen = UnlistedSelection::Ids(vec!["sub_2".parse().unwrap()]);
    assert_eq!(
        store.restore_submissions(&form_id(), UnlistedState::Spam, chosen).await.unwrap(),
        1
    );
    assert_eq!(pending_ids(store, 9, NOON, 9).await, ["sub_2", "sub_1"]);
}

pub async fn insight_preserves_other_bytes(store: &dyn Store) {
    insert_analysed_form(store).await;
    let answer = r#"a "ai_insights":null} b"#;
    fixtures::insert_submissions(
        store,
        vec![submission("sub_1", 5, answer), submission("sub_2", 5, "x")],
    )
    .await;
    let before = find_json(store, "sub_1").await;
    let search = fixtures::search_filter("ai_insights");
    let found = sample_insight("negative");
    let outcomes = vec![outcome("sub_1", Some(found.clone()), 1)];
    assert_eq!(write_outcomes(store, outcomes.clone(), 9, NOON).await, 1);
    let after = find_json(store, "sub_1").await;
    let wire = serde_json::to_string(&found).unwrap();
    assert_eq!(after, format!("{}{wire}}}", before.strip_suffix("null}").unwrap()));
    let page = fixtures::list_page(store, &search, None, 10).await.unwrap();
    assert_eq!((page.total, &page.rows[0].json), (1, &after));
    let rows = fixtures::export_all(store, &Filter::default(), None, 100_000).await;
    assert_eq!(rows[1], after);
    assert!(rows[0].contains("sub_2"), "{rows:?}");
    // A second worker may write the same outcome: it is neither written nor counted twice.
    assert_eq!(write_outcomes(store, outcomes, 9, NOON).await, 0);
    assert_eq!(find_usage(store, NOON).await, (1, 1));
    let unknown = vec![outcome("sub_9", Some(found), 1)];
    assert_eq!(write_outcomes(store, unknown, 9, NOON).await, 0);
    assert_eq!(find_usage(store, NOON).await, (1, 1));
}

pub async fn daily_limit_resets_at_midnight(store: &dyn Store) {
    insert_analysed_form(store).await;
    fixtures::insert_submissions(
        store,
        (0..5).map(|n| submission(&format!("sub_{n}"), n, "x")).collect(),
    )
    .await;
    assert_eq!(pending_ids(store, 2, NOON, 9).await, ["sub_4", "sub_3"]);
    let found = |id: &str, actions| outcome(id, Some(sample_insight("mixed")), actions);
    // One insight beyond the limit is not written.
    let three = vec![found("sub_4", 1), found("sub_3", 1), found("sub_2", 1)];
    assert_eq!(write_outcomes(store, three, 2, NOON).await, 2);
    assert!(find_json(store, "sub_2").await.ends_with("\"ai_insights\":null}"));
    assert_eq!(find_usage(store, NOON).await, (2, 3));
    assert!(list_pending(store, 2, NOON, 9).await.is_none(), "the limit is used up");
    // Insights without cost are written even then.
    assert_eq!(write_outcomes(store, vec![found("sub_2", 0)], 2, NOON).await, 1);
    let midnight = UtcDay::of(at(NOON)).end();
    assert_eq!(midnight, at(20_001 * DAY));
    assert!(list_pending(store, 2, midnight.micros() - 1, 9).await.is_none());
    assert_eq!(pending_ids(store, 2, midnight.micros(), 9).await, ["sub_1", "sub_0"]);
    assert_eq!(find_usage(store, midnight.micros()).await, (0, 2));
    assert_eq!(write_outcomes(store, vec![found("sub_1", 1)], 2, midnight.micros()).await, 1);
    assert_eq!(
        (find_usage(store, midnight.micros()).await, find_usage(store, NOON).await),
        ((1, 1), (2, 1))
    );
}

pub async fn test_forms_have_separate_limit(store: &dyn Store) {
    insert_analysed_form(store).await;
    let mut sandbox = form("acc_1", "frm_t");
    (sandbox.form.analysis, sandbox.form.environment) = (true, Environment::Test);
    let id = sandbox.form.id.clone();
    store.insert_form(sandbox).await.unwrap();
    let row = Submission { form_id: id.clone(), ..submission("sub_t", 1, "x") };
    store
        .insert_submissions(&id, Vec::new(), fixtures::submission_source(vec![row]))
        .await
        .unwrap();
    fixtures::insert_submissions(store, vec![submission("sub_1", 1, "x")]).await;
    let both = vec![
        outcome("sub_t", Some(sample_insight("mixed")), 1),
        outcome("sub_1", Some(sample_insight("mixed")), 1),
    ];
    assert_eq!(write_outcomes(store, both, 1, NOON).await, 2);
    assert_eq!(find_usage(store, NOON).await, (1, 0));
}

pub async fn forms_take_turns(store: &dyn Store) {
    insert_analysed_form(store).await;
    let forms: Vec<FormId> = ["frm_1", "frm_2", "frm_3"].map(|id| id.parse().unwrap()).into();
    for id in &forms {
        if id.as_str() != "frm_1" {
            let mut record = form("acc_1", id.as_str());
            record.form.analysis = true;
            store.insert_form(record).await.unwrap();
        }
        let row = |n: i64| Submission {
            form_id: id.clone(),
            ..submission(&format!("sub_{id}{n}"), n, "x")
        };
        let rows = fixtures::submission_source((0..3).map(row).collect());
        store.insert_submissions(id, Vec::new(), rows).await.unwrap();
    }
    let mut after = RoundRobin::default();
    let mut seen = Vec::new();
    for _ in 0..4 {
        let wanted = PendingQuery { after, limits: limits(9), now: at(NOON), rows_max: 1 };
        let pending = store.list_pending(wanted).await.unwrap().unwrap();
        after = pending.turn;
        seen.push(pending.submissions[0].position.id.to_string());
    }
    assert_eq!(seen, ["sub_frm_12", "sub_frm_22", "sub_frm_32", "sub_frm_12"]);
}

pub async fn existing_submissions_are_queued_when_enabled(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    let done =
        Submission { ai_insights: Some(sample_insight("mixed")), ..submission("sub_x", 4, "x") };
    fixtures::insert_submissions(
        store,
        (0..8).map(|n| submission(&format!("sub_{n}"), 4, "x")).collect(),
    )
    .await;
    fixtures::insert_submissions(store, vec![done]).await;
    assert!(!store.queue_insights(3).await.unwrap());
    let unknown: FormId = "frm_9".parse().unwrap();
    let on = SetAnalysis { analysis: true, again: false };
    assert!(!store.set_analysis(&unknown, on).await.unwrap());
    set_analysis(store, true, false).await;
    let stand = store.find_analysis(&form_id()).await.unwrap().unwrap();
    assert_eq!((stand.analysis, stand.pending, stand.is_queueing), (true, 0, true));
    // The newest submissions are pending before the scan ends.
    assert!(store.queue_insights(3).await.unwrap());
    assert_eq!(pending_ids(store, 9, NOON, 9).await, ["sub_7", "sub_6"]);
    fixtures::insert_submissions(store, vec![submission("sub_new", 5, "x")]).await;
    assert_eq!(queue_all(store, 3).await, 3);
    assert_eq!(pending_ids(store, 99, NOON, 2).await, ["sub_new", "sub_7"]);
    let stand = store.find_analysis(&form_id()).await.unwrap().unwrap();
    assert_eq!((stand.analysis, stand.pending, stand.is_queueing), (true, 9, false));

    set_analysis(store, false, false).await;
    assert!(list_pending(store, 9, NOON, 9).await.is_none());
    assert_eq!(
        write_outcomes(store, vec![outcome("sub_7", Some(sample_insight("x")), 1)], 9, NOON).await,
        0
    );
    fixtures::insert_submissions(store, vec![submission("sub_off", 6, "x")]).await;
    set_analysis(store, true, false).await;
    queue_all(store, 100).await;
    assert_eq!(find_usage(store, NOON).await, (0, 10));
    set_analysis(store, true, true).await;
    queue_all(store, 4).await;
    assert_eq!(find_usage(store, NOON).await, (0, 11), "including the submission with an insight");
}

pub async fn failed_analysis_is_retried_with_backoff(store: &dyn Store) {
    insert_analysed_form(store).await;
    fixtures::insert_submissions(
        store,
        vec![submission("sub_1", 1, "x"), submission("sub_2", 2, "x")],
    )
    .await;
    let failed = || vec![outcome("sub_2", None, 1)];
    assert_eq!(write_outcomes(store, failed(), 9, NOON).await, 0);
    assert_eq!(find_usage(store, NOON).await, (1, 2));
    assert_eq!(pending_ids(store, 9, NOON, 9).await, ["sub_1"]);
    let minute = 60_000_000;
    assert_eq!(pending_ids(store, 9, NOON + minute, 9).await, ["sub_1", "sub_2"]);
    write_outcomes(store, failed(), 9, NOON + minute).await;
    assert_eq!(pending_ids(store, 9, NOON + 4 * minute, 9).await, ["sub_1"]);
    assert_eq!(pending_ids(store, 9, NOON + 5 * minute, 9).await, ["sub_1", "sub_2"]);
    write_outcomes(store, failed(), 9, NOON).await;
    assert_eq!(pending_ids(store, 9, NOON + 16 * minute - 1, 9).await, ["sub_1"]);
    assert_eq!(pending_ids(store, 9, NOON + 16 * minute, 9).await, ["sub_1", "sub_2"]);
    for _ in 0..40 {
        write_outcomes(store, failed(), 99, NOON).await;
    }
    assert_eq!(pending_ids(store, 99, NOON + DAY, 9).await, ["sub_1", "sub_2"]);
    set_analysis(store, true, true).await;
    queue_all(store, 9).await;
    assert_eq!(find_usage(store, NOON).await.1, 2, "queued twice");
    write_outcomes(store, vec![outcome("sub_2", Some(sample_insight("mixed")), 1)], 99, NOON).await;
    assert_eq!(find_usage(store, NOON).await.1, 1);
}

pub async fn due_retries_take_turns_by_form(store: &dyn Store) {
    insert_analysed_form(store).await;
    let mut record = form("acc_1", "frm_2");
    record.form.analysis = true;
    let another = record.form.id.clone();
    store.insert_form(record).await.unwrap();
    let row = Submission { form_id: another.clone(), ..submission("sub_2", 2, "x") };
    store
        .insert_submissions(&another, Vec::new(), fixtures::submission_source(vec![row]))
        .await
        .unwrap();
    fixtures::insert_submissions(store, vec![submission("sub_1", 1, "x")]).await;
    let both = vec![outcome("sub_1", None, 1), outcome("sub_2", None, 1)];
    assert_eq!(write_outcomes(store, both, 9, NOON).await, 0);
    let minute = 60_000_000;
    assert!(list_pending(store, 9, NOON + minute - 1, 9).await.is_none());
    let first = list_pending(store, 9, NOON + minute, 9).await.unwrap();
    assert_eq!(first.submissions[0].position.id.as_str(), "sub_1");
    let limits = limits(9);
    let now = at(NOON + minute);
    let wanted = PendingQuery { after: first.turn, limits, now, rows_max: 9 };
    let second = store.list_pending(wanted).await.unwrap().unwrap();
    assert_eq!(second.submissions[0].position.id.as_str(), "sub_2");
}

pub async fn correction_survives_analysis(store: &dyn Store) {
    insert_analysed_form(store).await;
    fixtures::insert_submissions(store, vec![submission("sub_1", 1, "x")]).await;
    let id: SubmissionId = "sub_1".parse().unwrap();
    let bare = find_json(store, "sub_1").await;
    let said = InsightCorrection {
        sentiment: Some("negative".to_owned()),
        ..InsightCorrection::default()
    };
    let correct = async |correction: Option<InsightCorrection>, micros: i64| {
        assert!(store.correct_insight(&id, correction, at(micros)).await.unwrap());
        store.find_insight(&id).await.unwrap().unwrap()
    };
    // There is no correction to remove.
    assert_eq!(correct(None, 1).await.shown, None);
    assert_eq!(find_json(store, "sub_1").await, bare);
    // A correction before the analysis.
    let detail = correct(Some(said.clone()), 7).await;
    assert_eq!((detail.analysis, detail.corrected_at), (None, Some(at(7))));
    assert_eq!(detail.shown.unwrap().sentiment.as_deref(), Some("negative"));
    write_outcomes(store, vec![outcome("sub_1", Some(sample_insight("positive")), 1)], 9, NOON)
        .await;
    let detail = store.find_insight(&id).await.unwrap().unwrap();
    assert_eq!(detail.analysis, Some(sample_insight("positive")));
    let shown = Insight { sentiment_score: None, ..sample_insight("negative") };
    assert_eq!(detail.shown.as_ref(), Some(&shown));
    let wire: Submission = serde_json::from_str(&find_json(store, "sub_1").await).unwrap();
    assert_eq!(wire.ai_insights, Some(shown));
    // Another correction, and its removal.
    let other =
        InsightCorrection { language: Some("de".to_owned()), ..InsightCorrection::default() };
    let detail = correct(Some(other.clone()), 8).await;
    assert_eq!((detail.correction, detail.corrected_at), (Some(other), Some(at(8))));
    assert_eq!(detail.shown.unwrap().sentiment.as_deref(), Some("positive"));
    let detail = correct(None, 9).await;
    assert_eq!((&detail.shown, &detail.correction), (&Some(sample_insight("positive")), &None));
    // A correction while the analysis is off: the submission is queued once the analysis is on.
    set_analysis(store, false, false).await;
    fixtures::insert_submissions(store, vec![submission("sub_2", 2, "x")]).await;
    let other = "sub_2".parse().unwrap();
    assert!(store.correct_insight(&other, Some(said.clone()), at(9)).await.unwrap());
    set_analysis(store, true, false).await;
    queue_all(store, 9).await;
    assert_eq!(pending_ids(store, 9, NOON, 9).await, ["sub_2"]);
    // The correction is deleted with the submission.
    correct(Some(said.clone()), 10).await;
    store.delete_submission(&id).await.unwrap();
    assert_eq!(store.find_insight(&id).await.unwrap(), None);
    assert!(!store.correct_insight(&id, Some(said), at(11)).await.unwrap());
    fixtures::insert_submissions(store, vec![submission("sub_1", 1, "x")]).await;
    assert_eq!(store.find_insight(&id).await.unwrap().unwrap().correction, None);
}

pub async fn form_categories_are_set_and_reset(store: &dyn Store) {
    insert_analysed_form(store).await;
    fixtures::insert_submissions(store, vec![submission("sub_1", 1, "x")]).await;
    assert_eq!(store.find_categories(&form_id()).await.unwrap(), None);
    let own = vec![Category { name: "it".to_owned(), words: vec!["x".to_owned()] }];
    let own = Categories::try_from(own).unwrap();
    store.set_categories(&form_id(), Some(own.clone())).await.unwrap();
    store.set_categories(&"frm_9".parse().unwrap(), Some(own.clone())).await.unwrap();
    assert_eq!(store.find_categories(&form_id()).await.unwrap(), Some(own.clone()));
    assert_eq!(list_pending(store, 9, NOON, 1).await.unwrap().categories, Some(own));
    store.set_categories(&form_id(), Some(Categories::default())).await.unwrap();
    assert_eq!(store.find_categories(&form_id()).await.unwrap(), Some(Categories::default()));
    store.set_categories(&form_id(), None).await.unwrap();
    assert_eq!(store.find_categories(&form_id()).await.unwrap(), None);
}
