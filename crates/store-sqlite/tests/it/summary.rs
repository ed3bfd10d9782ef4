//! Summaries from the index in memory.

use crate::{TestFolder, build_index};
use contract::Filter;
use contract::insight::InsightCorrection;
use store::Store as _;
use store::insight::InsightStore as _;
use store_sqlite::{IndexLimits, SqliteStore};
use store_tests::fixtures::{self, at, form_id};
use store_tests::summary::{check_summaries, insert_form_with_rows, row, summary, triage_rows};

/// Summarises `frm_1` until all its indexes are in memory.
pub(crate) async fn build_facts_index(store: &SqliteStore) {
    build_index(store).await;
    while store.index_stats().facts == 0 {
        summary(store, &Filter::default()).await;
        tokio::task::yield_now().await;
    }
}

/// Lists until the answers that a filter compares are in memory.
pub(crate) async fn build_answers_index(store: &SqliteStore, filter: &Filter) {
    while store.index_stats().answers == 0 && !filter.fields.is_empty() {
        fixtures::list_page(store, filter, None, 1).await.unwrap();
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn index_in_memory_follows_changes() {
    let place = TestFolder::new();
    let store = place.open_holding(IndexLimits { rows_min: 0, text_bytes_max: 64 << 20 });
    insert_form_with_rows(&store, 120).await;
    build_facts_index(&store).await;
    check_summaries(&store).await;

    fixtures::insert_submissions(&store, (200..240).map(row).collect()).await;
    assert!(store.delete_submission(&"sub_7".parse().unwrap()).await.unwrap());
    check_summaries(&store).await;

    // A correction changes no count of the form, and is in the summary at once.
    let correction =
        InsightCorrection { sentiment: Some("furious".to_owned()), ..InsightCorrection::default() };
    assert!(
        store.correct_insight(&"sub_3".parse().unwrap(), Some(correction), at(9)).await.unwrap()
    );
    assert_eq!(store.index_stats().facts, 1);
    check_summaries(&store).await;
    let labels = summary(&store, &Filter::default()).await.sentiments.values;
    assert!(labels.iter().any(|label| (label.value.as_str(), label.count) == ("furious", 1)));
    assert_eq!(store.index_stats().facts, 1);

    // Neither does a change of the triage. A correction keeps the triage.
    triage_rows(&store, 120).await;
    check_summaries(&store).await;
    let correction =
        InsightCorrection { sentiment: Some("calm".to_owned()), ..InsightCorrection::default() };
    assert!(
        store.correct_insight(&"sub_12".parse().unwrap(), Some(correction), at(9)).await.unwrap()
    );
    check_summaries(&store).await;
    assert_eq!(store.index_stats().facts, 1);

    // After a change by another process, the file is read until the index is rebuilt.
    let tool = place.open();
    let correction =
        InsightCorrection { sentiment: Some("glad".to_owned()), ..InsightCorrection::default() };
    assert!(
        tool.correct_insight(&"sub_6".parse().unwrap(), Some(correction), at(9)).await.unwrap()
    );
    triage_rows(&tool, 12).await;
    check_summaries(&store).await;
    build_facts_index(&store).await;
    check_summaries(&store).await;

    // The summary counts a new field, which the index does not have yet.
    let fields = vec![fixtures::field("fld_2", "answer")];
    store
        .insert_submissions(&form_id(), fields, fixtures::submission_source(vec![row(300)]))
        .await
        .unwrap();
    check_summaries(&store).await;
    assert_eq!(summary(&store, &Filter::default()).await.fields.len(), 2);
    build_facts_index(&store).await;
    check_summaries(&store).await;
}
