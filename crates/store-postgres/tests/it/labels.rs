//! Filters by labels, tags and numbers that are hard to store: quotes, control characters, long
//! texts.

use contract::filter::{LabelProperty, Labels, Number, NumberRange};
use contract::triage::{TAGS_MAX, Tag, TriageChange};
use contract::{Filter, Insight, Submission, SubmissionId, Timestamp, Triage};
use std::collections::BTreeMap;
use store::triage::{TriageStore as _, TriageUpdate};
use store::unlisted::Selection;
use store_postgres::PostgresStore;
use store_tests::fixtures::{self, submission};

/// Returns labels that JSON escapes, that look like parts of a submission, or that are long.
fn hostile_labels() -> Vec<String> {
    let texts = [
        "",
        " ",
        "mixed",
        "Mixed",
        "none",
        "null",
        "é",
        "\0",
        "\u{1}",
        "\u{2}",
        "\u{6}",
        "\u{7}",
        "\\",
        "\\\\",
        "\"",
        "\\\"",
        ",",
        "\",\"",
        "a\",",
        ",\"b",
        "]",
        "\"]",
        "}",
        "}}",
        "{",
        "\\u0000",
        "\\u0001",
        "%",
        "_",
        "a,b",
        "'",
        "\n",
        "\u{2028}",
        "😀",
        "\u{7f}",
        "],\"language\":\"en",
        ",\"device\":\"x",
        "\"ai_insights\":null}",
        "\"metadata\":{",
        ",\"browser\":null",
        ",\"sentiment_score\":",
    ];
    let mut labels: Vec<String> = texts.map(str::to_owned).into();
    for length in [63, 64, 65, 999, 1000] {
        labels.push("x".repeat(length));
        labels.push(format!("{}y", "x".repeat(length - 1)));
    }
    labels.extend(["é".repeat(32), "é".repeat(33), "é".repeat(500), "\0".repeat(1000)]);
    labels
}

fn insight(label: Option<&str>, categories: Vec<String>) -> Insight {
    let label = label.map(str::to_owned);
    Insight { sentiment: label.clone(), sentiment_score: None, categories, language: label }
}

/// Returns submissions with each hostile label, in each property.
fn hostile_submissions() -> Vec<Submission> {
    let labels = hostile_labels();
    let mut submissions = Vec::new();
    let mut add = |change: &dyn Fn(&mut Submission)| {
        let n = submissions.len();
        let mut row = submission(&format!("sub_{n}"), i64::try_from(n).unwrap(), "x");
        change(&mut row);
        submissions.push(row);
    };
    let scores = [0.0, -0.0, 0.1, 5e-324, f64::MIN_POSITIVE, f64::MAX, f64::MIN, 1e-7, 1e16, 0.3];
    let seconds = [0, 1, 1 << 53, (1 << 53) + 1, i64::MAX as u64, u64::MAX];
    for (n, label) in labels.iter().enumerate() {
        add(&|submission| {
            submission.metadata.ip_country = Some(label.clone());
            submission.metadata.device = Some(labels[(n + 1) % labels.len()].clone());
            submission.metadata.browser = Some(labels[(n + 2) % labels.len()].clone());
            submission.metadata.completion_time_seconds = seconds.get(n % 8).copied();
            submission.ai_insights = Some(insight(Some(label), vec![label.clone()]));
            submission.ai_insights.as_mut().unwrap().sentiment_score = scores.get(n % 12).copied();
        });
        // The answers look like labels, which the submission does not have.
        add(&|submission| {
            for key in ["device", "sentiment", "metadata", "ai_insights", "\"device\":", label] {
                submission.answers.0.insert(key.to_owned(), label.clone().into());
            }
            submission.metadata.utm_campaign = Some(format!("\",\"device\":\"{label}"));
        });
        let two_labels = [label.clone(), labels[(n + 7) % labels.len()].clone()];
        add(&|submission| submission.ai_insights = Some(insight(None, two_labels.to_vec())));
        let repeated = vec![label.clone(); 100];
        add(&|submission| submission.ai_insights = Some(insight(None, repeated.clone())));
    }
    add(&|submission| {
        submission.answers.0.insert("n".to_owned(), serde_json::from_str("1e999999999").unwrap());
        let deep = format!("{}1{}", "[".repeat(100), "]".repeat(100));
        submission.answers.0.insert("deep".to_owned(), serde_json::from_str(&deep).unwrap());
        let metadata = "{\"device\":\"mixed\",\"ai_insights\":{\"sentiment\":\"mixed\"}}";
        submission.answers.0.insert("metadata".to_owned(), serde_json::from_str(metadata).unwrap());
    });
    add(&|submission| submission.ai_insights = Some(insight(None, Vec::new())));
    add(&|submission| submission.ai_insights = Some(insight(None, labels.clone())));
    // The longest row of the index: hashes of all labels, and the longest id.
    let long = |n: usize| format!("{n:0>1000}");
    add(&|submission| {
        submission.id = format!("sub_{}", "x".repeat(64)).parse().unwrap();
        submission.metadata.ip_country = Some(long(1));
        submission.metadata.device = Some(long(2));
        submission.metadata.browser = Some(long(3));
        submission.ai_insights = Some(insight(Some(&long(4)), (0..100).map(long).collect()));
    });
    submissions
}

/// Returns changes with hostile tags, with few and many tags, and with long values.
fn hostile_changes() -> Vec<TriageChange> {
    let tags: Vec<Tag> = hostile_labels().iter().filter_map(|label| label.parse().ok()).collect();
    let long = |n: usize| Tag::try_from(format!("{n:é>50}")).unwrap();
    let mut changes: Vec<TriageChange> = Vec::new();
    for count in [1, 2, 7, TAGS_MAX] {
        changes.extend(
            tags.windows(count)
                .map(|tags| TriageChange { add_tags: tags.to_vec(), ..TriageChange::default() }),
        );
        let add_tags = (0..count).map(long).collect();
        changes.push(TriageChange { add_tags, ..TriageChange::default() });
    }
    for (n, change) in changes.iter_mut().enumerate() {
        let status = [None, Some("open"), Some("done"), Some("null")][n % 4];
        change.status = status.map(|status| status.parse().unwrap());
        change.starred = [None, Some(true)][n % 2];
        let assignee = [None, Some("psn_1"), Some("psn_none")][n % 3];
        change.assignee = assignee.map(|id| Some(id.parse().unwrap()));
    }
    changes
}

/// Changes the triage of submissions, newest first, and returns each new triage.
async fn triage_some(
    store: &PostgresStore,
    submissions: &BTreeMap<Timestamp, Submission>,
) -> BTreeMap<SubmissionId, Triage> {
    let mut changed = BTreeMap::new();
    for (submission, change) in submissions.values().rev().zip(hostile_changes()) {
        let mut triage = Triage::default();
        change.apply(&mut triage).unwrap();
        changed.insert(submission.id.clone(), triage);
        let selection = Selection::Ids(vec![submission.id.clone()]);
        let reader = fixtures::owner_as_reader();
        let at = fixtures::at(1);
        let update = TriageUpdate {
            form: fixtures::form_id(),
            selection,
            change,
            reader,
            at,
            with_undo: false,
        };
        store.update_triage(update).await.unwrap();
    }
    changed
}

/// Returns filters by each hostile label of each property, and by numbers.
fn filters() -> Vec<Filter> {
    let mut labels = hostile_labels();
    labels.extend(["open", "done", "true", "false", "psn_1", "psn_none"].map(str::to_owned));
    let long_tags: Vec<_> = (0..TAGS_MAX).map(|n| format!("{n:é>50}")).collect();
    let mut filters = Vec::new();
    for property in LabelProperty::ALL {
        // Only tags have these long values.
        let more: &[String] = if property == LabelProperty::Tag { &long_tags } else { &[] };
        let mut label_lists: Vec<Vec<Option<String>>> =
            labels.iter().chain(more).map(|label| vec![Some(label.clone())]).collect();
        label_lists.push(vec![None]);
        label_lists.push(vec![None, Some("mixed".to_owned()), Some("\"".to_owned())]);
        label_lists.push(labels.iter().chain(more).cloned().map(Some).collect());
        for label_lists in label_lists {
            let mut filter = Filter::default();
            filter.labels.set(property, Labels::new(label_lists));
            filters.push(filter);
        }
    }
    let numbers = ["0", "0.1", "0.3", "0.000001", "-999999999.999999", "999999999.999999"];
    for number in numbers.map(Number::parse) {
        for range in
            [NumberRange { min: number, max: None }, NumberRange { min: None, max: number }]
        {
            filters.push(Filter { score: range, ..Filter::default() });
            filters.push(Filter { seconds: range, ..Filter::default() });
        }
        let exact = NumberRange { min: number, max: number };
        filters.push(Filter { score: exact, ..Filter::default() });
        filters.push(Filter { seconds: exact, ..Filter::default() });
    }
    filters
}

#[tokio::test]
async fn hostile_labels_are_found_exactly() {
    let store = super::open().await;
    fixtures::owner_and_form(&store).await;
    let submissions: BTreeMap<_, _> = hostile_submissions()
        .into_iter()
        .map(|submission| (submission.metadata.submitted_at, submission))
        .collect();
    fixtures::insert_submissions(&store, submissions.values().cloned().collect()).await;
    fixtures::define_status(&store, "null").await;
    let changed = triage_some(&store, &submissions).await;
    let new = Triage::default();
    for filter in filters() {
        let triage = |submission: &Submission| changed.get(&submission.id).unwrap_or(&new);
        let matching = submissions
            .values()
            .rev()
            .filter(|submission| filter.matches(submission, triage(submission)));
        let expected: Vec<_> = matching.map(|submission| submission.id.to_string()).collect();
        let page = fixtures::list_page(&store, &filter, None, 1000).await.unwrap();
        let found: Vec<_> = page.rows.iter().map(|row| row.position.id.to_string()).collect();
        assert_eq!(found, expected, "{filter:?}");
        assert_eq!(page.total, expected.len() as u64, "{filter:?}");
    }
}
