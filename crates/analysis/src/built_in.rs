//! Built-in analyst: language detectors, a sentiment lexicon and keyword rules.
//!
//! No text leaves the machine. The analysis runs on blocking threads.

use super::categories::CategoryRules;
use super::{AnalysisBatch, AnalysisError, Analyst, language, sentiment};
use crate::prose::Prose;
use async_trait::async_trait;
use contract::Insight;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Maximum batch size, which is about 5 ms of work.
const BATCH_MAX: usize = 64;
/// Language of the sentiment lexicon.
const ENGLISH: &str = "en";

/// Built-in analyst.
#[derive(Debug, Clone, Copy, Default)]
pub struct BuiltIn;

#[async_trait]
impl Analyst for BuiltIn {
    fn batch_max(&self) -> usize {
        BATCH_MAX
    }

    async fn analyse(&self, batch: AnalysisBatch) -> Vec<Result<Insight, AnalysisError>> {
        let count = batch.texts.len();
        let work = move || {
            let rules = CategoryRules::new(&batch.categories);
            batch.texts.iter().map(|prose| analyse_catching_panics(prose, &rules)).collect()
        };
        tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| {
            let failure = AnalysisError::Unavailable { why: error.to_string(), retry_after: None };
            vec![Err(failure); count]
        })
    }
}

/// Analyses one text. A panic is caught, so that it does not affect the other texts.
fn analyse_catching_panics(prose: &Prose, rules: &CategoryRules) -> Result<Insight, AnalysisError> {
    let result = catch_unwind(AssertUnwindSafe(|| analyse_text(prose, rules)));
    let reason = "the analysis panicked";
    result.map_err(|_| AnalysisError::Text { reason: reason.to_owned(), actions: 0 })
}

fn analyse_text(prose: &Prose, rules: &CategoryRules) -> Insight {
    let text = prose.text();
    let language = language::detect_language(&text);
    let sentiment = (language == Some(ENGLISH)).then(|| sentiment::analyse_sentiment(&text));
    Insight {
        sentiment: sentiment.map(|sentiment| sentiment.label.to_owned()),
        sentiment_score: sentiment.map(|sentiment| sentiment.score),
        categories: rules.match_categories(&text),
        language: language.map(str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::Answers;
    use store::insight::default_categories;

    async fn insight(text: &str) -> Insight {
        let answers: Answers =
            serde_json::from_value(serde_json::json!({ "comment": text })).unwrap();
        let batch = AnalysisBatch {
            categories: default_categories(),
            texts: vec![Prose::from_answers(&answers, &[])],
        };
        BuiltIn.analyse(batch).await.pop().unwrap().unwrap()
    }

    #[tokio::test]
    async fn sentiment_is_only_detected_in_english() {
        let found = insight("The delivery was late and the staff were awful").await;
        assert_eq!(
            (found.sentiment.as_deref(), found.language.as_deref()),
            (Some("negative"), Some("en"))
        );
        assert_eq!(found.categories, ["delivery", "support"]);
        assert!(found.sentiment_score.is_some_and(|score| score < 0.5));
        let found = insight("Die Lieferung war furchtbar und kam zu spät").await;
        assert_eq!((found.sentiment, found.sentiment_score), (None, None));
        assert_eq!((found.language.as_deref(), &*found.categories[0]), (Some("de"), "delivery"));
    }
}
