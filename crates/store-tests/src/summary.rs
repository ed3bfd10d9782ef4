//! A summary agrees with the submissions of the list, with and without an index in memory.

use super::fixtures::{self, at, form_id, search_filter, submission};
use chrono_tz::Tz;
use contract::summary::{CountedFields, Counts, Day, Summary};
use contract::triage::{HistoryEntry, Status};
use contract::{Field, FieldType, Filter, Insight, ListQuery, Submission, SubmissionId, Triage};
use std::collections::HashMap;
use store::triage::TriageUpdate;
use store::unlisted::Selection;
use store::{Store, SummaryRequest};

const HOUR: i64 = 3_600_000_000;
/// Filters by labels and numbers of [`row`], some with a search, and by its triage.
const LABEL_QUERIES: [&str; 14] = [
    "sentiment=positive,none",
    "category=MIXED&device=none",
    "category=none",
    "country=none&seconds_min=70&seconds_max=490",
    "score_min=0.25",
    "score_max=0.25&search=apple",
    "language=en&search=pie&utm_source=google",
    "device=absent",
    "status=open,waiting",
    "status=done&starred=true",
    "tag=VIP,none&country=none",
    "starred=false&search=pie",
    "assignee=psn_1",
    "assignee=none&tag=b&utm_source=google",
];
/// Changes of the triage. Change n applies to each row with a number that is a multiple of n + 2.
const TRIAGE_CHANGES: [&str; 6] = [
    r#"{"status":"done"}"#,
    r#"{"starred":true,"add_tags":["VIP"]}"#,
    r#"{"add_tags":["b","VIP, a"],"assignee":"psn_1"}"#,
    r#"{"status":"waiting","remove_tags":["b"]}"#,
    r#"{"status":"open","starred":false,"remove_tags":["VIP"],"assignee":null}"#,
    r#"{"assignee":"psn_r"}"#,
];

/// Returns a submission; 48 of them cover two days in Berlin, with varied values.
pub fn row(n: i64) -> Submission {
    let mut row = submission(&format!("sub_{n}"), n * HOUR, ["apple", "pear", "Apple pie"][at3(n)]);
    let word = |of: i64, words: [&str; 3]| {
        (n % of != 0).then(|| words[at3(n / of)].to_owned()).filter(|word| !word.is_empty())
    };
    row.answers.0.insert("stars".to_owned(), (n % 5).into());
    row.metadata.utm_source = word(4, ["google", "", "Google"]);
    row.metadata.utm_medium = word(3, ["cpc", "mail", "cpc"]);
    row.metadata.device = word(2, ["mobile", "desktop", "tablet"]);
    row.metadata.completion_time_seconds = u64::try_from(n * 7).ok();
    row.ai_insights = (n % 3 == 0).then(|| insight(["mixed", "positive", "neutral"][at3(n / 3)]));
    row
}

fn at3(n: i64) -> usize {
    usize::try_from(n.rem_euclid(3)).unwrap()
}

fn insight(label: &str) -> Insight {
    Insight {
        sentiment: Some(label.to_owned()),
        sentiment_score: (label != "mixed").then_some([0.25, 0.5][label.len() % 2]),
        categories: vec![label.to_uppercase(), "all".to_owned()],
        language: Some("en".to_owned()),
    }
}

fn sample_filters() -> Vec<Filter> {
    let utm = |source: &str| Filter { utm_source: Some(source.to_owned()), ..Filter::default() };
    let mut filters: Vec<Filter> =
        LABEL_QUERIES.iter().map(|query| ListQuery::parse(query).unwrap().filter).collect();
    filters.extend([
        Filter::default(),
        search_filter("APPLE"),
        search_filter("nothing of the kind"),
        utm("google"),
        utm("Google"),
        utm("absent"),
        utm(""),
        Filter { utm_medium: Some("cpc".to_owned()), ..search_filter("pie") },
        Filter {
            date_from: Some(at(30 * HOUR)),
            date_to: Some(at(90 * HOUR + 1)),
            ..Filter::default()
        },
        Filter { date_from: Some(at(50 * HOUR)), ..search_filter("p") },
        Filter { date_from: Some(at(50 * HOUR)), ..filters[0].clone() },
        Filter { utm_source: Some(String::new()), ..filters[0].clone() },
    ]);
    filters
}

pub async fn summary(store: &dyn Store, filter: &Filter) -> Summary {
    let zone = Tz::Europe__Berlin;
    let filter = filter.clone();
    let request = SummaryRequest { form: form_id(), filter, zone, field: None };
    store.summarize(request).await.unwrap().unwrap()
}

/// Computes a summary from the pages of the list.
async fn summarize_list(store: &dyn Store, filter: &Filter) -> Summary {
    // Berlin had no daylight saving time in 1970.
    let day = |at| Day::at_offset(at, 3600);
    let form = store.find_form(&form_id()).await.unwrap().unwrap().form;
    let mut counts = Counts::new(CountedFields::for_fields(&form.fields));
    let page = fixtures::list_page(store, filter, None, 1000).await.unwrap();
    let ids: Vec<SubmissionId> = page.rows.iter().map(|row| row.position.id.clone()).collect();
    let touched = store.list_triage(&form_id(), &ids).await.unwrap();
    let touched: HashMap<_, _> = touched.into_iter().map(|it| (it.id, it.triage)).collect();
    let read = store.list_read(&form_id(), &ids, &fixtures::owner_as_reader()).await.unwrap();
    for row in page.rows {
        let submission: Submission = serde_json::from_str(&row.json).unwrap();
        let triage = touched.get(&submission.id).cloned().unwrap_or_default();
        let triage = Triage { read: read.contains(&submission.id), ..triage };
        assert!(filter.matches(&submission, &triage));
        let submitted_at = submission.metadata.submitted_at;
        counts.add(&submission, &triage, day(submitted_at));
        if triage.status.as_str() == Status::DONE {
            let detail = store.find_triage(&form_id(), &submission.id).await.unwrap().unwrap();
            let to_done =
                |entry: &&HistoryEntry| entry.change.status.as_ref() == Some(&triage.status);
            let done_at = detail.history.iter().find(to_done).unwrap().at;
            let micros = done_at.micros() - submitted_at.micros();
            counts.add_done_time(u32::try_from(micros.max(0) / 1_000_000).unwrap());
        }
    }
    assert_eq!(counts.total(), page.total);
    let last = filter.date_to.map(|to| day(at(to.micros() - 1)));
    counts.summary(filter.date_from.map(day), last)
}

pub async fn check_summaries(store: &dyn Store) {
    for filter in sample_filters() {
        assert_eq!(
            summary(store, &filter).await,
            summarize_list(store, &filter).await,
            "{filter:?}"
        );
    }
}

/// Changes the triage of the submissions with numbers below `rows`.
pub async fn triage_rows(store: &dyn Store, rows: usize) {
    fixtures::define_status(store, "waiting").await;
    for (change, step) in TRIAGE_CHANGES.iter().zip(2..) {
        let ids = (0..rows).step_by(step).map(|n| format!("sub_{n}").parse().unwrap());
        let update = TriageUpdate {
            form: form_id(),
            selection: Selection::Ids(ids.collect()),
            change: serde_json::from_str(change).unwrap(),
            reader: fixtures::owner_as_reader(),
            at: at(100 * HOUR),
            with_undo: false,
        };
        store.update_triage(update).await.unwrap().unwrap();
    }
}

/// Inserts a form with a rating field and submissions.
pub async fn insert_form_with_rows(store: &dyn Store, rows: i64) {
    fixtures::owner_and_form(store).await;
    let fields = vec![fixtures::field("fld_1", "stars")];
    let rows = fixtures::submission_source((0..rows).map(row).collect());
    store.insert_submissions(&form_id(), fields, rows).await.unwrap();
}

/// Checks the counted answers to the text field. Each value occurs 40 times.
async fn check_counted_field(store: &dyn Store, filter: Filter, expected: &[&str]) {
    let field = Some("fld_2".parse().unwrap());
    let request = SummaryRequest { form: form_id(), filter, zone: Tz::UTC, field };
    let mut fields = store.summarize(request).await.unwrap().unwrap().fields;
    let counted = fields.pop().unwrap();
    assert_eq!((counted.id.as_str(), fields.len()), ("fld_2", 0));
    let expected = expected.iter().map(|value| (*value, 40));
    let found = counted.answers.values.iter().map(|it| (it.value.as_str(), it.count));
    assert_eq!(found.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
}

pub async fn summary_agrees_with_list(store: &dyn Store) {
    insert_form_with_rows(store, 120).await;
    check_summaries(store).await;
    let whole = summary(store, &Filter::default()).await;
    assert_eq!((whole.total, whole.sentiments.missing, whole.times.buckets.len()), (120, 80, 6));
    assert_eq!(whole.fields.len(), 1);
    assert_eq!(whole.fields[0].answers.values.len(), 5);
    let text = Field { kind: FieldType::Text, ..fixtures::field("fld_2", "answer") };
    let no_rows = fixtures::submission_source(Vec::new());
    store.insert_submissions(&form_id(), vec![text], no_rows).await.unwrap();
    check_counted_field(store, Filter::default(), &["Apple pie", "apple", "pear"]).await;
    check_counted_field(store, search_filter("pie"), &["Apple pie"]).await;
    let open = &whole.statuses.values[0];
    assert_eq!((open.value.as_str(), open.count, whole.tags.missing), ("open", 120, 120));
    triage_rows(store, 120).await;
    check_summaries(store).await;
    let touched = summary(store, &Filter::default()).await;
    let values = [&touched.statuses, &touched.starred, &touched.tags, &touched.assignees];
    assert_eq!(values.map(|it| it.values.len()), [3, 2, 3, 2]);
    // Submissions of the hours 82, 86, 88, 92, 94, 98 and five later ones are still done.
    for (first_hour, median) in [(80, 7200), (83, 0)] {
        let of_newer = Filter { date_from: Some(at(first_hour * HOUR)), ..Filter::default() };
        let newer = summary(store, &of_newer).await;
        assert_eq!(newer.median_seconds_to_done, Some(median), "{first_hour}");
    }
    assert!(touched.median_seconds_to_done > Some(30 * 3600), "{touched:?}");
    assert_eq!(whole.median_seconds_to_done, None);
    let form = "frm_2".parse().unwrap();
    let request = SummaryRequest { form, filter: Filter::default(), zone: Tz::UTC, field: None };
    assert_eq!(store.summarize(request).await.unwrap(), None);
}
