//! Insights end to end: the worker over a real database, and the owner's routes.

mod agreement;

use crate::app::{App, TestKey, submission};
use analysis::{AnalysisBatch, AnalysisError, Analyst, BuiltIn, StepResult, Worker};
use async_trait::async_trait;
use contract::insight::SetAnalysis;
use contract::{Environment, Form, Insight, Plan};
use http::Method;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use store::daily_limits::DailyLimits;

/// An account, its analysed form, and its key.
struct AnalysedForm {
    app: App,
    owner: contract::AccountId,
    form: Form,
    key: TestKey,
}

impl AnalysedForm {
    async fn start(plan: Plan) -> Self {
        let app = App::start().await;
        let owner = app.account(plan).await;
        let form = app.form(&owner, Environment::Live, &["comment"]).await;
        let key = app.key(&owner, Environment::Live).await;
        let fixture = Self { app, owner, form, key };
        let on = fixture.act(Method::PUT, "analysis", r#"{"analysis":true}"#).await;
        assert_eq!(on["data"]["analysis"], true);
        fixture
    }

    /// Sends a request to a path below the form.
    async fn act(&self, method: Method, part: &str, body: &str) -> Value {
        let path = format!("/account/forms/{}/{part}", self.form.id);
        self.app.act(&self.owner, method, &path, body).await.json()
    }

    async fn comment(&self, id: &str, text: &str) {
        let row = submission(&self.form, id, "2026-02-01", json!({ "comment": text }));
        self.app.submit(&self.form, vec![row]).await;
    }

    fn worker(&self, analyst: impl Analyst, limits: DailyLimits) -> Worker {
        let store = self.app.store.clone();
        let clock = self.app.clock.clone();
        Worker::new(store, clock, Arc::new(analyst), limits)
    }

    /// Runs the worker until it is idle, and returns the number of insights written.
    async fn run_worker(&self, limits: DailyLimits) -> u64 {
        run_until_idle(&mut self.worker(BuiltIn, limits)).await
    }

    async fn insight(&self, id: &str) -> Value {
        let answer = self.app.get(&self.key, &format!("/v1/submissions/sub_{id}")).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.json()["data"]["ai_insights"].clone()
    }

    async fn usage(&self) -> Value {
        let usage = self.app.act(&self.owner, Method::GET, "/account/insight", "").await;
        usage.json()["data"].clone()
    }
}

async fn run_until_idle(worker: &mut Worker) -> u64 {
    let mut written = 0;
    for _ in 0..1000 {
        match worker.step().await.unwrap() {
            StepResult::Worked(count) => written += count,
            StepResult::Idle => return written,
            StepResult::Wait(pause) => panic!("the worker waits {pause:?}"),
        }
    }
    panic!("the worker never becomes idle");
}

fn pro_limits(limit: u64) -> DailyLimits {
    let mut limits = DailyLimits::default();
    limits.set(Plan::Pro, limit);
    limits
}

#[tokio::test]
async fn pending_insight_is_null_until_analysed() {
    let fixture = AnalysedForm::start(Plan::Pro).await;
    fixture.comment("1", "The delivery was awful and nobody answered").await;
    fixture.comment("2", "Ada").await;
    assert_eq!(fixture.insight("1").await, Value::Null);
    assert_eq!(fixture.run_worker(DailyLimits::default()).await, 2);
    let found = fixture.insight("1").await;
    assert_eq!((&found["sentiment"], &found["language"]), (&json!("negative"), &json!("en")));
    assert_eq!(found["categories"], json!(["delivery"]));
    let nothing = json!({
        "sentiment": null, "sentiment_score": null, "categories": [], "language": null
    });
    assert_eq!(fixture.insight("2").await, nothing);
    // A submission without prose costs nothing.
    let usage = fixture.usage().await;
    assert_eq!(usage["live"], json!({"limit": 1000, "used": 1, "pending": 0}));
    assert_eq!(usage["test"], json!({"limit": 1000, "used": 0, "pending": 0}));
    assert_eq!(usage["resets_at"], "2026-03-02T00:00:00Z");
    assert_eq!(fixture.run_worker(DailyLimits::default()).await, 0);
}

#[tokio::test]
async fn submissions_above_daily_limit_wait() {
    let fixture = AnalysedForm::start(Plan::Pro).await;
    for n in 0..5 {
        fixture.comment(&n.to_string(), "I like it very much").await;
    }
    assert_eq!(fixture.run_worker(pro_limits(3)).await, 3);
    let done = |n: &str| {
        let n = n.to_owned();
        let fixture = &fixture;
        async move { fixture.insight(&n).await != Value::Null }
    };
    assert_eq!([done("4").await, done("2").await, done("1").await], [true, true, false]);
    assert_eq!(fixture.usage().await["live"]["used"], 3);
    // Neither a restart nor the last second of the day gives more.
    fixture.app.clock.advance_ms(12 * 3_600_000 - 1);
    assert_eq!(fixture.run_worker(pro_limits(3)).await, 0);
    fixture.app.clock.advance_ms(1);
    assert_eq!(fixture.usage().await["live"]["used"], 0);
    assert_eq!(fixture.run_worker(pro_limits(3)).await, 2);
    assert_eq!(fixture.usage().await["resets_at"], "2026-03-03T00:00:00Z");
}

/// Analyst with scripted results.
#[derive(Clone, Default)]
struct ScriptedAnalyst {
    answers: Arc<Mutex<Vec<Result<Insight, AnalysisError>>>>,
    texts: Arc<Mutex<Vec<String>>>,
}

#[async_trait]
impl Analyst for ScriptedAnalyst {
    fn batch_max(&self) -> usize {
        2
    }

    async fn analyse(&self, batch: AnalysisBatch) -> Vec<Result<Insight, AnalysisError>> {
        self.texts.lock().unwrap().extend(batch.texts.iter().map(analysis::prose::Prose::text));
        std::mem::take(&mut *self.answers.lock().unwrap())
    }
}

fn positive() -> Insight {
    Insight {
        sentiment: Some("positive".to_owned()),
        sentiment_score: Some(1.0),
        categories: vec![],
        language: Some("en".to_owned()),
    }
}

#[tokio::test]
async fn failed_analysis_leaves_submissions_pending() {
    let fixture = AnalysedForm::start(Plan::Pro).await;
    fixture.comment("1", "I like it very much").await;
    fixture.comment("2", "You are all very kind").await;
    let analyst = ScriptedAnalyst::default();
    let mut worker = fixture.worker(analyst.clone(), pro_limits(9));
    let away = |s: u64| AnalysisError::Unavailable {
        why: "away".to_owned(),
        retry_after: (s > 0).then(|| Duration::from_secs(s)),
    };
    // One result and one failure: the result is stored, the failure is retried after longer waits.
    *analyst.answers.lock().unwrap() = vec![Ok(positive()), Err(away(0))];
    assert_eq!(worker.step().await.unwrap(), StepResult::Wait(Duration::from_secs(2)));
    assert_eq!(fixture.insight("2").await["sentiment"], "positive");
    assert_eq!(fixture.insight("1").await, Value::Null);
    for (retry_after_s, expected_s) in [(0, 4), (60, 60), (10_000_000, 3600)] {
        *analyst.answers.lock().unwrap() = vec![Err(away(retry_after_s))];
        assert_eq!(worker.step().await.unwrap(), StepResult::Wait(Duration::from_secs(expected_s)));
    }
    // An analyst without any result: nothing is written or counted.
    assert_eq!(worker.step().await.unwrap(), StepResult::Worked(0));
    let live = fixture.usage().await["live"].clone();
    assert_eq!((&live["used"], &live["pending"]), (&json!(1), &json!(1)));
    // No result for this text: it is counted as the analyst reports, and retried a minute later.
    let text = AnalysisError::Text { reason: "garbage".to_owned(), actions: 1 };
    *analyst.answers.lock().unwrap() = vec![Err(text)];
    assert_eq!(worker.step().await.unwrap(), StepResult::Worked(0));
    assert_eq!(worker.step().await.unwrap(), StepResult::Idle);
    assert_eq!(fixture.usage().await["live"]["used"], 2);
    fixture.app.clock.advance_ms(60_000);
    *analyst.answers.lock().unwrap() = vec![Ok(positive())];
    assert_eq!(worker.step().await.unwrap(), StepResult::Worked(1));
    assert_eq!(fixture.insight("1").await["sentiment_score"], json!(1.0));
    let texts = analyst.texts.lock().unwrap();
    assert!(texts.iter().all(|text| text.contains("very")), "{texts:?}");
}

#[tokio::test]
async fn large_form_does_not_delay_small_one() {
    let fixture = AnalysedForm::start(Plan::Pro).await;
    for n in 0..6 {
        fixture.comment(&n.to_string(), "this is the large one").await;
    }
    let small = fixture.app.form(&fixture.owner, Environment::Live, &["comment"]).await;
    let settings = SetAnalysis { analysis: true, again: false };
    assert!(fixture.app.store.set_analysis(&small.id, settings).await.unwrap());
    let row = submission(&small, "s", "2026-02-01", json!({ "comment": "this is the small one" }));
    fixture.app.submit(&small, vec![row]).await;
    let analyst = ScriptedAnalyst::default();
    let mut worker = fixture.worker(analyst.clone(), pro_limits(9));
    for _ in 0..3 {
        *analyst.answers.lock().unwrap() = vec![Ok(positive()), Ok(positive())];
        worker.step().await.unwrap();
    }
    let texts = analyst.texts.lock().unwrap();
    let which: Vec<_> = texts.iter().map(|text| text.contains("small")).collect();
    assert_eq!(which, [false, false, true, false, false]);
}

#[tokio::test]
async fn owner_sets_categories_and_analysis() {
    let fixture = AnalysedForm::start(Plan::Pro).await;
    let usual = fixture.act(Method::GET, "categories", "").await;
    assert_eq!(
        (&usual["data"]["is_default"], &usual["data"]["categories"][0]["name"]),
        (&json!(true), &json!("delivery"))
    );
    let categories = r#"{"categories":[{"name":"cats","words":["cat","kitten*"]}]}"#;
    let set = fixture.act(Method::PUT, "categories", categories).await;
    assert_eq!(set["data"]["is_default"], false);
    fixture.comment("1", "My KITTENS like it a lot").await;
    fixture.run_worker(DailyLimits::default()).await;
    assert_eq!(fixture.insight("1").await["categories"], json!(["cats"]));

    let reset = fixture.act(Method::DELETE, "categories", "").await;
    assert_eq!(reset["data"]["is_default"], true);
    assert_eq!(
        fixture.insight("1").await["categories"],
        json!(["cats"]),
        "existing insights do not change"
    );
    let again = fixture.act(Method::PUT, "analysis", r#"{"analysis":true,"again":true}"#).await;
    assert_eq!(again["data"]["is_queueing"], true);
    fixture.run_worker(DailyLimits::default()).await;
    assert_eq!(fixture.insight("1").await["categories"], json!([]));
    let settings = fixture.act(Method::GET, "analysis", "").await;
    assert_eq!(settings["data"], json!({"analysis": true, "pending": 0, "is_queueing": false}));

    let off = fixture.act(Method::PUT, "analysis", r#"{"analysis":false}"#).await;
    assert_eq!(off["data"]["analysis"], false);
    fixture.comment("2", "I like it very much").await;
    assert_eq!(fixture.run_worker(DailyLimits::default()).await, 0);
    assert_eq!(fixture.insight("2").await, Value::Null);
}

#[tokio::test]
async fn invalid_analysis_requests_return_400() {
    let fixture = AnalysedForm::start(Plan::Pro).await;
    fixture.comment("1", "I like it").await;
    let form = format!("/account/forms/{}", fixture.form.id);
    let check = async |path: &str, body: &str, why: &str| {
        let answer = fixture.app.act(&fixture.owner, Method::PUT, path, body).await;
        let message = answer.json()["message"].as_str().unwrap().to_owned();
        assert_eq!(answer.error(), (400, "validation_error".to_owned()), "{body}: {message}");
        assert!(message.contains(why), "{message}");
    };
    let analysis = format!("{form}/analysis");
    check(&analysis, r#"{"analysis":1}"#, "`{\"analysis\": true or false").await;
    check(&analysis, "[true,false]", "is a list").await;
    check(&analysis, r#"{"analysis":false,"again":true}"#, "`again` requires").await;
    let categories = format!("{form}/categories");
    check(&categories, r#"{"categories":[{"name":""}]}"#, "1 to 40 characters").await;
    check(&categories, r#"{"categories":{}}"#, "expected a sequence").await;
    let insight = "/account/submissions/sub_1/insight";
    check(insight, "{}", "a correction must have").await;
    check(insight, r#"{"sentiment":"angry"}"#, "`positive`, `neutral`").await;
    check(insight, r#"{"sentiment_score":1}"#, "unknown field").await;
    let huge = format!(r#"{{"categories":[{{"name":"{}"}}]}}"#, "x".repeat(300_000));
    check(&categories, &huge, "at most 262144 bytes").await;
    assert_eq!(fixture.insight("1").await, Value::Null);
}

#[tokio::test]
async fn analysis_of_other_account_returns_404() {
    let fixture = AnalysedForm::start(Plan::Pro).await;
    fixture.comment("1", "I like it").await;
    let stranger = fixture.app.account(Plan::Pro).await;
    let form = format!("/account/forms/{}", fixture.form.id);
    let bodies = [
        (format!("{form}/analysis"), r#"{"analysis":false}"#),
        (format!("{form}/categories"), r#"{"categories":[]}"#),
        ("/account/submissions/sub_1/insight".to_owned(), r#"{"sentiment":"mixed"}"#),
        ("/account/submissions/sub_9/insight".to_owned(), r#"{"sentiment":"mixed"}"#),
        ("/account/forms/frm_9/analysis".to_owned(), r#"{"analysis":true}"#),
    ];
    for (path, body) in bodies {
        for method in [Method::GET, Method::PUT, Method::DELETE] {
            let answer = fixture.app.act(&stranger, method.clone(), &path, body).await;
            assert!([404, 405].contains(&answer.status), "{method} {path}: {}", answer.status);
        }
    }
    assert_eq!(fixture.act(Method::GET, "analysis", "").await["data"]["analysis"], true);
    assert_eq!(fixture.insight("1").await, Value::Null);
}

#[tokio::test]
async fn correction_replaces_insight_everywhere() {
    let fixture = AnalysedForm::start(Plan::Pro).await;
    fixture.comment("1", "I like it very much, thank you").await;
    fixture.run_worker(DailyLimits::default()).await;
    let path = "/account/submissions/sub_1/insight";
    let act = async |method: Method, body: &str| {
        fixture.app.act(&fixture.owner, method, path, body).await.json()["data"].clone()
    };
    let set = act(Method::PUT, r#"{"sentiment":"negative","categories":[" irony "]}"#).await;
    assert_eq!(set["analysis"]["sentiment"], "positive");
    assert_eq!(set["correction"], json!({"sentiment": "negative", "categories": ["irony"]}));
    assert_eq!(set["corrected_at"], "2026-03-01T12:00:00Z");
    let shown = fixture.insight("1").await;
    assert_eq!(shown, set["shown"]);
    assert_eq!(
        (&shown["sentiment"], &shown["sentiment_score"]),
        (&json!("negative"), &Value::Null)
    );
    fixture.act(Method::PUT, "analysis", r#"{"analysis":true,"again":true}"#).await;
    assert_eq!(fixture.run_worker(DailyLimits::default()).await, 1);
    assert_eq!(act(Method::GET, "").await, set);
    let back = act(Method::DELETE, "").await;
    assert_eq!((&back["correction"], &back["shown"]), (&Value::Null, &set["analysis"]));
    assert_eq!(fixture.insight("1").await, set["analysis"]);
}
