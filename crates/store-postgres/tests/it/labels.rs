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
    let plain = [
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
    let mut labels: Vec<String> = plain.map(str::to_owned).into();
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
    let mut all = Vec::new();
    let mut add = |change: &dyn Fn(&mut Submission)| {
        let n = all.len();
        let mut one = submission(&format!("sub_{n}"), i64::try_from(n).unwrap(), "x");
        change(&mut one);
        all.push(one);
    };
    let scores = [0.0, -0.0, 0.1, 5e-324, f64::MIN_POSITIVE, f64::MAX, f64::MIN, 1e-7, 1e16, 0.3];
    let seconds = [0, 1, 1 << 53, (1 << 53) + 1, i64::MAX as u64, u64::MAX];
    for (n, label) in labels.iter().enumerate() {
        add(&|one| {
            one.metadata.ip_country = Some(label.clone());
            one.metadata.device = Some(labels[(n + 1) % labels.len()].clone());
            one.metadata.browser = Some(labels[(n + 2) % labels.len()].clone());
            one.metadata.completion_time_seconds = seconds.get(n % 8).copied();
            one.ai_insights = Some(insight(Some(label), vec![label.clone()]));
            one.ai_insights.as_mut().unwrap().sentiment_score = scores.get(n % 12).copied();
        });
        // The answers look like labels, which the submission does not have.
        add(&|one| {
            for key in ["device", "sentiment", "metadata", "ai_insights", "\"device\":", label] {
                one.answers.0.insert(key.to_owned(), label.clone().into());
            }
            one.metadata.utm_campaign = Some(format!("\",\"device\":\"{label}"));
        });
        let both = [label.clone(), labels[(n + 7) % labels.len()].clone()];
        add(&|one| one.ai_insights = Some(insight(None, both.to_vec())));
        let repeated = vec![label.clone(); 100];
        add(&|one| one.ai_insights = Some(insight(None, repeated.clone())));
    }
    add(&|one| {
        one.answers.0.insert("n".to_owned(), serde_json::from_str("1e999999999").unwrap());
        let deep = format!("{}1{}", "[".repeat(100), "]".repeat(100));
        one.answers.0.insert("deep".to_owned(), serde_json::from_str(&deep).unwrap());
        let metadata = "{\"device\":\"mixed\",\"ai_insights\":{\"sentiment\":\"mixed\"}}";
        one.answers.0.insert("metadata".to_owned(), serde_json::from_str(metadata).unwrap());
    });
    add(&|one| one.ai_insights = Some(insight(None, Vec::new())));
    add(&|one| one.ai_insights = Some(insight(None, labels.clone())));
    // The longest row of the index: hashes of all labels, and the longest id.
    let long = |n: usize| format!("{n:0>1000}");
    add(&|one| {
        one.id = format!("sub_{}", "x".repeat(64)).parse().unwrap();
        one.metadata.ip_country = Some(long(1));
        one.metadata.device = Some(long(2));
        one.metadata.browser = Some(long(3));
        one.ai_insights = Some(insight(Some(&long(4)), (0..100).map(long).collect()));
    });
    all
}

/// Returns changes with hostile tags, with few and many tags, and with long values.
fn hostile_changes() -> Vec<TriageChange> {
    let tags: Vec<Tag> = hostile_labels().iter().filter_map(|label| label.parse().ok()).collect();
    let long = |n: usize| Tag::try_from(format!("{n:é>50}")).unwrap();
    let mut all: Vec<TriageChange> = Vec::new();
    for count in [1, 2, 7, TAGS_MAX] {
        all.extend(
            tags.windows(count)
                .map(|tags| TriageChange { add_tags: tags.to_vec(), ..TriageChange::default() }),
        );
        let add_tags = (0..count).map(long).collect();
        all.push(TriageChange { add_tags, ..TriageChange::default() });
    }
    for (n, change) in all.iter_mut().enumerate() {
        let status = [None, Some("open"), Some("done"), Some("null")][n % 4];
        change.status = status.map(|status| status.parse().unwrap());
        change.starred = [None, Some(true)][n % 2];
        let assignee = [None, Some("psn_1"), Some("psn_none")][n % 3];
        change.assignee = assignee.map(|id| Some(id.parse().unwrap()));
    }
    all
}

/// Changes the triage of submissions from the newest on, and returns that of each.
async fn triage_some(
    store: &PostgresStore,
    all: &BTreeMap<Timestamp, Submission>,
) -> BTreeMap<SubmissionId, Triage> {
    let mut changed = BTreeMap::new();
    for (one, change) in all.values().rev().zip(hostile_changes()) {
        let mut triage = Triage::default();
        change.apply(&mut triage).unwrap();
        changed.insert(one.id.clone(), triage);
        let selection = Selection::Ids(vec![one.id.clone()]);
        let person = "psn_1".parse().unwrap();
        let at = fixtures::at(1);
        let update = TriageUpdate { form: fixtures::form_id(), selection, change, person, at };
        store.update_triage(update).await.unwrap();
    }
    changed
}

/// Returns filters by each hostile label of each property, and by numbers.
fn filters() -> Vec<Filter> {
    let mut labels = hostile_labels();
    labels.extend(["open", "done", "true", "false", "psn_1", "psn_none"].map(str::to_owned));
    labels.extend((0..TAGS_MAX).map(|n| format!("{n:é>50}")));
    let mut all = Vec::new();
    for property in LabelProperty::ALL {
        let mut wanted: Vec<Vec<Option<String>>> =
            labels.iter().map(|label| vec![Some(label.clone())]).collect();
        wanted.push(vec![None]);
        wanted.push(vec![None, Some("mixed".to_owned()), Some("\"".to_owned())]);
        wanted.push(labels.iter().cloned().map(Some).collect());
        for wanted in wanted {
            let mut filter = Filter::default();
            filter.labels.set(property, Labels::new(wanted));
            all.push(filter);
        }
    }
    let numbers = ["0", "0.1", "0.3", "0.000001", "-999999999.999999", "999999999.999999"];
    for number in numbers.map(Number::parse) {
        for range in
            [NumberRange { min: number, max: None }, NumberRange { min: None, max: number }]
        {
            all.push(Filter { score: range, ..Filter::default() });
            all.push(Filter { seconds: range, ..Filter::default() });
        }
        let exact = NumberRange { min: number, max: number };
        all.push(Filter { score: exact, ..Filter::default() });
        all.push(Filter { seconds: exact, ..Filter::default() });
    }
    all
}

#[tokio::test]
async fn hostile_labels_are_found_exactly() {
    let store = super::open().await;
    fixtures::owner_and_form(&store).await;
    let all: BTreeMap<_, _> =
        hostile_submissions().into_iter().map(|one| (one.metadata.submitted_at, one)).collect();
    fixtures::insert_submissions(&store, all.values().cloned().collect()).await;
    let changed = triage_some(&store, &all).await;
    let new = Triage::default();
    for filter in filters() {
        let triage = |one: &Submission| changed.get(&one.id).unwrap_or(&new);
        let matching = all.values().rev().filter(|one| filter.matches(one, triage(one)));
        let expected: Vec<_> = matching.map(|one| one.id.to_string()).collect();
        let page = fixtures::list_page(&store, &filter, None, 1000).await.unwrap();
        let found: Vec<_> = page.rows.iter().map(|row| row.position.id.to_string()).collect();
        assert_eq!(found, expected, "{filter:?}");
        assert_eq!(page.total, expected.len() as u64, "{filter:?}");
    }
}
