//! Tests of the counts against hand-computed figures and naive loops.

use super::*;
use crate::{Insight, Metadata, Timestamp};
use proptest::prelude::*;
use serde_json::json;

fn field(key: &str, kind: FieldType) -> Field {
    Field {
        id: format!("fld_{key}").parse().unwrap(),
        key: key.to_owned(),
        name: key.to_owned(),
        kind,
        hidden: false,
    }
}

fn fields() -> Vec<Field> {
    vec![
        field("name", FieldType::Text),
        field("stars", FieldType::Rating),
        field("likes", FieldType::Choices),
    ]
}

fn submission(at: &str, sentiment: Option<&str>, answers: serde_json::Value) -> Submission {
    let insight = |label: &str| Insight {
        sentiment: Some(label.to_owned()),
        sentiment_score: Some(0.5),
        categories: vec!["Price".to_owned(), "Price".to_owned(), "Delivery".to_owned()],
        language: Some("en".to_owned()),
    };
    Submission {
        id: "sub_1".parse().unwrap(),
        form_id: "frm_1".parse().unwrap(),
        answers: serde_json::from_value(answers).unwrap(),
        metadata: Metadata::at(Timestamp::parse(at).unwrap()),
        ai_insights: sentiment.map(insight),
    }
}

fn count_submissions(submissions: &[Submission]) -> Counts {
    let mut counts = Counts::new(CountedFields::for_fields(&fields()));
    for submission in submissions {
        counts.add(
            submission,
            &Triage::default(),
            Day::at_offset(submission.metadata.submitted_at, 0),
        );
    }
    counts
}

fn format_counts(values: &Values) -> String {
    let pair = |value: &ValueCount| format!("{}={}", value.value, value.count);
    let pairs: Vec<String> = values.values.iter().map(pair).collect();
    format!("{} others={} missing={}", pairs.join(" "), values.others, values.missing)
}

#[test]
fn every_property_is_counted() {
    let mut slow = submission("2026-03-02", None, json!({"stars": 4, "name": "x"}));
    slow.metadata.completion_time_seconds = Some(4000);
    slow.metadata.utm_source = Some("google".to_owned());
    slow.metadata.device = Some(String::new());
    let mut quick = submission(
        "2026-03-01T23:00:00Z",
        Some("mixed"),
        json!({"stars": 5, "likes": ["a", "b", "a", ""]}),
    );
    quick.metadata.completion_time_seconds = Some(10);
    let summary = count_submissions(&[slow, quick]).summary(None, None);
    assert_eq!(summary.total, 2);
    assert_eq!(format_counts(&summary.sentiments), "mixed=1 others=0 missing=1");
    assert_eq!(format_counts(&summary.categories), "Delivery=1 Price=1 others=0 missing=1");
    assert_eq!(format_counts(&summary.languages), "en=1 others=0 missing=1");
    assert_eq!(format_counts(&summary.utm_sources), "google=1 others=0 missing=1");
    assert_eq!(format_counts(&summary.devices), " others=0 missing=2");
    let bars: Vec<u64> = summary.durations.iter().map(|bar| bar.count).collect();
    assert_eq!(bars, [0, 1, 0, 0, 0, 0, 0, 0, 1]);
    assert_eq!(summary.durations[8].to_s, None);
    let of_fields: Vec<String> =
        summary.fields.iter().map(|it| format_counts(&it.answers)).collect();
    assert_eq!(of_fields, ["4=1 5=1 others=0 missing=0", "a=1 b=1 others=0 missing=1"]);
    let days: Vec<_> = summary.times.buckets.iter().map(|it| (it.total, &it.sentiments)).collect();
    assert_eq!(days, [(1, &vec![1]), (1, &vec![0])]);
}

#[test]
fn triage_is_counted() {
    let mut counts = Counts::new(CountedFields::default());
    let submission = submission("2026-03-02", None, json!({}));
    let json = r#"{"status":"done","starred":true,"tags":["a","b"],"assignee":"psn_1"}"#;
    for triage in [Triage::default(), serde_json::from_str(json).unwrap()] {
        counts.add(&submission, &triage, Day(0));
    }
    let summary = counts.summary(None, None);
    assert_eq!(format_counts(&summary.statuses), "done=1 open=1 others=0 missing=0");
    assert_eq!(format_counts(&summary.starred), "false=1 true=1 others=0 missing=0");
    assert_eq!(format_counts(&summary.tags), "a=1 b=1 others=0 missing=1");
    assert_eq!(format_counts(&summary.assignees), "psn_1=1 others=0 missing=1");
}

#[test]
fn properties_have_the_order_of_labels() {
    use crate::filter::LabelProperty;
    let mut submission = submission("2026-03-02", Some("sentiment"), json!({}));
    submission.metadata.ip_country = Some("country".to_owned());
    submission.metadata.device = Some("device".to_owned());
    submission.metadata.browser = Some("browser".to_owned());
    let json = r#"{"status":"status","starred":true,"tags":["tag"],"assignee":"psn_1"}"#;
    let triage: Triage = serde_json::from_str(json).unwrap();
    let mut values = Vec::new();
    for_each_value(&submission, &triage, &CountedFields::default(), &mut |property, value| {
        values.extend(value.map(|value| (property, value.to_owned())));
    });
    for (index, property) in LabelProperty::ALL.into_iter().enumerate() {
        let counted = values.iter().filter(|(it, _)| *it == index);
        let counted: Vec<&str> = counted.map(|(_, value)| value.as_str()).collect();
        let mut labels = property.labels_of(&submission, &triage);
        labels.dedup();
        assert_eq!(counted, labels, "{property:?}");
    }
}

#[test]
fn rare_values_are_added_to_others() {
    let mut counts = Counts::new(CountedFields::default());
    for n in 0..60 {
        counts.add_value(SOURCE, Some(&format!("s{n:02}")), 100 - n);
    }
    let values = counts.summary(None, None).utm_sources;
    assert_eq!((values.values.len(), values.values[0].count), (VALUES_MAX, 100));
    assert_eq!(values.others, (41..=50).sum::<u64>());
}

#[test]
fn long_answers_count_as_others_and_blank_ones_as_missing() {
    let name = fields()[0].id.clone();
    assert!(!CountedFields::for_fields(&fields()).contains(&name));
    let counted = CountedFields::for_field(&fields(), &name);
    assert!(counted.contains(&name));
    let mut counts = Counts::new(counted);
    for length in [VALUE_BYTES_MAX, VALUE_BYTES_MAX + 1] {
        let answers = json!({ "name": "x".repeat(length) });
        counts.add(&submission("2026-03-02", None, answers), &Triage::default(), Day(0));
    }
    for blank in [json!(" \n"), json!(["", " "]), json!([]), json!(null)] {
        let answers = json!({ "name": blank });
        counts.add(&submission("2026-03-02", None, answers), &Triage::default(), Day(0));
    }
    let values = &counts.summary(None, None).fields[0].answers;
    assert_eq!((values.values.len(), values.others, values.missing), (1, 1, 4));
}

#[test]
fn added_summaries_count_like_all_submissions() {
    let mut quick = submission("2026-03-02", Some("mixed"), json!({"stars": 4}));
    quick.metadata.completion_time_seconds = Some(10);
    quick.metadata.utm_source = Some("google".to_owned());
    let bare = submission("2026-03-01", None, json!({}));
    let forms = [vec![quick.clone(), bare.clone()], vec![], vec![bare, quick.clone(), quick]];
    let mut sum = Counts::new(CountedFields::default());
    for form in &forms {
        sum.add_summary(&count_submissions(form).summary(None, None));
    }
    let all = count_submissions(&forms.concat()).summary(None, None);
    let expected = Summary { times: Times::default(), fields: Vec::new(), ..all };
    assert_eq!(sum.summary(None, None), expected);
    assert_eq!(format_counts(&expected.sentiments), "mixed=3 others=0 missing=2");
}

#[test]
fn added_summaries_list_the_most_frequent_values() {
    let mut sum = Counts::new(CountedFields::default());
    for form in 0..3 {
        let mut counts = Counts::new(CountedFields::default());
        for n in 0..40 {
            // `s0` is in every form, all others in one.
            let name = if n == 0 { "s0".to_owned() } else { format!("s{form}-{n:02}") };
            counts.add_value(SOURCE, Some(&name), 100 * (3 - form) + n);
        }
        sum.add_summary(&counts.summary(None, None));
    }
    let values = sum.summary(None, None).utm_sources;
    let names: Vec<&str> = values.values.iter().map(|value| value.value.as_str()).collect();
    assert_eq!((names.len(), names[0], values.values[0].count), (VALUES_MAX, "s0", 600));
    // Then those of the first form, and ten of the second.
    assert_eq!((names[1], names[39], names[40]), ("s0-39", "s0-01", "s1-39"));
    let counted: u64 = values.values.iter().map(|value| value.count).sum();
    assert_eq!(counted + values.others, 3 * 780 + 40 * 600);
}

#[test]
fn filter_range_includes_empty_days() {
    let day = |text: &str| text.parse::<Day>().unwrap();
    let counts = count_submissions(&[submission("2026-03-02T08:00:00Z", None, json!({}))]);
    let times = counts.summary(Some(day("2026-03-01")), Some(day("2026-03-04"))).times;
    let totals: Vec<u64> = times.buckets.iter().map(|bucket| bucket.total).collect();
    assert_eq!((times.unit, totals), (TimeUnit::Day, vec![0, 1, 0, 0]));
    assert_eq!(Counts::default().properties.len(), 0);
    let empty = Counts::new(CountedFields::default()).summary(None, Some(day("2026-03-01")));
    assert_eq!(empty.times.buckets.len(), 1);
    assert_eq!(Counts::new(CountedFields::default()).summary(None, None).times, Times::default());
}

#[test]
fn long_range_keeps_newest_buckets() {
    let old = submission("0001-01-01", None, json!({}));
    let new = submission("2026-01-01", None, json!({}));
    let times = count_submissions(&[old, new]).summary(None, None).times;
    assert_eq!((times.unit, times.buckets.len(), times.earlier), (TimeUnit::Year, BUCKETS_MAX, 1));
    assert_eq!(times.buckets[BUCKETS_MAX - 1].total, 1);
}

proptest! {
    #[test]
    fn buckets_tile_range_and_count_everything(
        instants in prop::collection::vec(-3_000_000_000_000_i64..3_000_000_000_000, 1..60),
        span in 1_i64..4_000_000,
    ) {
        let at = |micros: i64| Timestamp::from_millis(micros / 1000 * span / 1000).unwrap();
        let mut counts = Counts::new(CountedFields::default());
        for instant in &instants {
            let mut submitted = submission("2026-01-01", None, json!({}));
            submitted.metadata.submitted_at = at(*instant);
            counts.add(&submitted, &Triage::default(), Day::at_offset(submitted.metadata.submitted_at, 3600));
        }
        let times = counts.summary(None, None).times;
        let shown: u64 = times.buckets.iter().map(|bucket| bucket.total).sum();
        prop_assert_eq!(shown + times.earlier, instants.len() as u64);
        prop_assert!(times.buckets.len() <= BUCKETS_MAX);
        for pair in times.buckets.windows(2) {
            prop_assert_eq!(pair[0].last_day.0 + 1, pair[1].first_day.0);
        }
        prop_assert!(times.buckets.iter().all(|bucket| bucket.first_day <= bucket.last_day));
    }
}

#[test]
fn median_is_the_lower_of_two() {
    let mut counts = Counts::new(CountedFields::default());
    let median = |counts: &Counts| counts.summary(None, None).median_seconds_to_done;
    assert_eq!(median(&counts), None);
    for (seconds, expected) in [(9, 9), (1, 1), (5, 5), (7, 5), (7, 7)] {
        counts.add_done_time(seconds);
        assert_eq!(median(&counts), Some(expected), "{seconds}");
    }
}
