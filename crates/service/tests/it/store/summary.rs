//! A summary says what the list's submissions say, whoever changes them, held in memory or not.

use super::make::{self, at, form_id, search, submission};
use super::sqlite::Place;
use chrono_tz::Tz;
use contract::insight::Correction;
use contract::summary::{Charted, Counts, Day, Summary};
use contract::{Filter, Insight, Submission};
use service::store::insight::InsightStore as _;
use service::store::sqlite::{Holding, SqliteStore};
use service::store::{Store, SummaryRequest};

const HOUR: i64 = 3_600_000_000;

/// Submissions of many kinds, two days of Berlin's for every 48 of them.
fn row(n: i64) -> Submission {
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
        sentiment_score: None,
        categories: vec![label.to_uppercase(), "all".to_owned()],
        language: Some("en".to_owned()),
    }
}

fn filters() -> Vec<Filter> {
    let utm = |source: &str| Filter { utm_source: Some(source.to_owned()), ..Filter::default() };
    vec![
        Filter::default(),
        search("APPLE"),
        search("nothing of the kind"),
        utm("google"),
        utm("Google"),
        utm("absent"),
        utm(""),
        Filter { utm_medium: Some("cpc".to_owned()), ..search("pie") },
        Filter {
            date_from: Some(at(30 * HOUR)),
            date_to: Some(at(90 * HOUR + 1)),
            ..Filter::default()
        },
        Filter { date_from: Some(at(50 * HOUR)), ..search("p") },
    ]
}

async fn summary(store: &dyn Store, filter: &Filter) -> Summary {
    let zone = Tz::Europe__Berlin;
    let request = SummaryRequest { form: form_id(), filter: filter.clone(), zone };
    store.summarize(request).await.unwrap().unwrap()
}

/// What the pages of the list say, added up.
async fn listed(store: &dyn Store, filter: &Filter) -> Summary {
    // Berlin had no summer time in 1970.
    let day = |at| Day::of(at, 3600);
    let form = store.find_form(&form_id()).await.unwrap().unwrap().form;
    let mut counts = Counts::new(Charted::of(&form.fields));
    let page = store.list_submissions(&form_id(), filter, None, usize::MAX).await.unwrap();
    for row in page.rows {
        let submission: Submission = serde_json::from_str(&row.json).unwrap();
        assert!(filter.matches(&submission));
        counts.add(&submission, day(submission.metadata.submitted_at));
    }
    assert_eq!(counts.total(), page.total);
    let last = filter.date_to.map(|to| day(at(to.micros() - 1)));
    counts.summary(filter.date_from.map(day), last)
}

async fn check(store: &dyn Store) {
    for filter in filters() {
        assert_eq!(summary(store, &filter).await, listed(store, &filter).await, "{filter:?}");
    }
}

/// A form with a rated field.
async fn filled(store: &dyn Store, rows: i64) {
    make::owner_and_form(store).await;
    let fields = vec![make::field("fld_1", "stars")];
    let rows = make::source((0..rows).map(row).collect());
    store.insert_submissions(&form_id(), fields, rows).await.unwrap();
}

pub(crate) async fn a_summary_is_what_the_list_adds_up_to(store: &dyn Store) {
    filled(store, 120).await;
    check(store).await;
    let whole = summary(store, &Filter::default()).await;
    assert_eq!((whole.total, whole.sentiments.missing, whole.times.buckets.len()), (120, 80, 6));
    assert_eq!(whole.fields[0].answers.values.len(), 5);
    let request =
        SummaryRequest { form: "frm_2".parse().unwrap(), filter: Filter::default(), zone: Tz::UTC };
    assert_eq!(store.summarize(request).await.unwrap(), None);
}

async fn hold_facts(store: &SqliteStore) {
    super::sqlite::hold(store).await;
    while store.holds().facts == 0 {
        summary(store, &Filter::default()).await;
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn what_is_held_follows_whatever_happens() {
    let place = Place::new();
    let store = place.open_holding(Holding { rows_min: 0, text_bytes_max: 64 << 20 });
    filled(&store, 120).await;
    hold_facts(&store).await;
    check(&store).await;

    make::insert(&store, (200..240).map(row).collect()).await;
    assert!(store.delete_submission(&"sub_7".parse().unwrap()).await.unwrap());
    check(&store).await;

    // An owner's word changes no count of the form, and is in the summary at once.
    let said = Correction { sentiment: Some("furious".to_owned()), ..Correction::default() };
    assert!(store.correct_insight(&"sub_3".parse().unwrap(), Some(said), at(9)).await.unwrap());
    assert_eq!(store.holds().facts, 1);
    check(&store).await;
    let labels = summary(&store, &Filter::default()).await.sentiments.values;
    assert!(labels.iter().any(|it| (it.value.as_str(), it.count) == ("furious", 1)));
    assert_eq!(store.holds().facts, 1);

    // Another process changes something: the file tells until all is read anew.
    let tool = place.open();
    let said = Correction { sentiment: Some("glad".to_owned()), ..Correction::default() };
    assert!(tool.correct_insight(&"sub_6".parse().unwrap(), Some(said), at(9)).await.unwrap());
    check(&store).await;
    hold_facts(&store).await;
    check(&store).await;

    // A new field is counted, which what is held does not know.
    let fields = vec![make::field("fld_2", "answer")];
    store.insert_submissions(&form_id(), fields, make::source(vec![row(300)])).await.unwrap();
    check(&store).await;
    assert_eq!(summary(&store, &Filter::default()).await.fields.len(), 2);
    hold_facts(&store).await;
    check(&store).await;
}
