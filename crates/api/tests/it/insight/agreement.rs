//! List, get and both exports contain the same insights: a property test.

use super::AnalysedForm;
use analysis::BuiltIn;
use contract::Plan;
use http::Method;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use store::daily_limits::DailyLimits;

/// Largest number of events of a case.
const EVENTS_MAX: usize = 23;

/// For any order of insertion, analysis, correction and deletion: list, get and both exports
/// contain the same insight, and order and ids do not change. All cases use one form.
#[test]
fn list_get_and_export_have_same_insight() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let fixture = runtime.block_on(AnalysedForm::start(Plan::Enterprise));
    let cases = if test_servers::is_full_run() { 12 } else { 4 };
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    let events = prop::collection::vec((0..6_u8, 0..6_u8), 1..=EVENTS_MAX);
    let test = |events| {
        runtime.block_on(apply_events(&fixture, events));
        Ok(())
    };
    TestRunner::new(config).run(&events, test).unwrap();
}

/// Empties the form, and checks the insights after each event.
async fn apply_events(fixture: &AnalysedForm, events: Vec<(u8, u8)>) {
    for n in 0..EVENTS_MAX {
        let id = format!("sub_{n}").parse().unwrap();
        fixture.app.store.delete_submission(&id).await.unwrap();
    }
    // The requests of earlier cases do not count against the limits.
    fixture.app.clock.advance_ms(1_000_000);
    let texts = [
        "I love it so much",
        "Das ist ein schöner Tag",
        "so \"ai_insights\":null} bad",
        "ok",
        "terrible, awful, bad, sad",
        "配達が遅れて困りました",
    ];
    let correction = r#"{"sentiment":"mixed","categories":["a, b","\"c\""]}"#;
    let mut next = 0;
    for (act, which) in events {
        let path = format!("/account/submissions/sub_{which}/insight");
        match act {
            0 | 1 => {
                fixture.comment(&next.to_string(), texts[usize::from(which)]).await;
                next += 1;
            }
            2 => {
                fixture.worker(BuiltIn, DailyLimits::default()).step().await.unwrap();
            }
            3 => {
                fixture.app.act(&fixture.owner, Method::PUT, &path, correction).await;
            }
            4 => {
                fixture.app.act(&fixture.owner, Method::DELETE, &path, "").await;
            }
            _ => {
                let path = format!("/v1/submissions/sub_{which}");
                fixture.app.call(Method::DELETE, &fixture.key, &path).await;
            }
        }
        check_all_views_agree(fixture).await;
    }
}

async fn check_all_views_agree(fixture: &AnalysedForm) {
    let path = format!("/v1/forms/{}/submissions", fixture.form.id);
    let listed =
        fixture.app.get(&fixture.key, &format!("{path}?limit=100")).await.json()["data"].clone();
    let exported =
        fixture.app.get(&fixture.key, &format!("{path}/export?format=json")).await.json();
    assert_eq!(listed, exported["data"]);
    let csv = fixture.app.get(&fixture.key, &format!("{path}/export")).await.body;
    let rows: Vec<_> = csv.lines().skip(1).collect();
    let listed = listed.as_array().unwrap();
    assert_eq!(rows.len(), listed.len());
    for (row, expected) in rows.iter().zip(listed) {
        let id = expected["id"].as_str().unwrap();
        let answer = fixture.app.get(&fixture.key, &format!("/v1/submissions/{id}")).await.json();
        assert_eq!(&answer["data"], expected);
        let insight = &expected["ai_insights"];
        let label = insight["sentiment"].as_str().unwrap_or_default();
        let language = insight["language"].as_str().unwrap_or_default();
        assert!(row.starts_with(id) && row.ends_with(&format!(",{language}")), "{row}: {insight}");
        assert!(row.contains(&format!(",{label},")), "{row}: {insight}");
    }
    let ids: Vec<_> = listed.iter().map(|expected| expected["id"].as_str().unwrap()).collect();
    assert!(ids.is_sorted_by(|expected, other| expected > other), "{ids:?}");
}
