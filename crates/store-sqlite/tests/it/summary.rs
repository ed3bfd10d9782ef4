//! Summaries from the index in memory.

use crate::{Place, hold};
use contract::Filter;
use contract::insight::Correction;
use store::Store as _;
use store::insight::InsightStore as _;
use store_sqlite::{Holding, SqliteStore};
use store_tests::make::{self, at, form_id};
use store_tests::summary::{check, filled, row, summary};

async fn hold_facts(store: &SqliteStore) {
    hold(store).await;
    while store.holds().facts == 0 {
        summary(store, &Filter::default()).await;
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn index_in_memory_follows_changes() {
    let place = Place::new();
    let store = place.open_holding(Holding { rows_min: 0, text_bytes_max: 64 << 20 });
    filled(&store, 120).await;
    hold_facts(&store).await;
    check(&store).await;

    make::insert(&store, (200..240).map(row).collect()).await;
    assert!(store.delete_submission(&"sub_7".parse().unwrap()).await.unwrap());
    check(&store).await;

    // A correction changes no count of the form, and is in the summary at once.
    let said = Correction { sentiment: Some("furious".to_owned()), ..Correction::default() };
    assert!(store.correct_insight(&"sub_3".parse().unwrap(), Some(said), at(9)).await.unwrap());
    assert_eq!(store.holds().facts, 1);
    check(&store).await;
    let labels = summary(&store, &Filter::default()).await.sentiments.values;
    assert!(labels.iter().any(|it| (it.value.as_str(), it.count) == ("furious", 1)));
    assert_eq!(store.holds().facts, 1);

    // After a change by another process, the file is read until the index is rebuilt.
    let tool = place.open();
    let said = Correction { sentiment: Some("glad".to_owned()), ..Correction::default() };
    assert!(tool.correct_insight(&"sub_6".parse().unwrap(), Some(said), at(9)).await.unwrap());
    check(&store).await;
    hold_facts(&store).await;
    check(&store).await;

    // The summary counts a new field, which the index does not have yet.
    let fields = vec![make::field("fld_2", "answer")];
    store.insert_submissions(&form_id(), fields, make::source(vec![row(300)])).await.unwrap();
    check(&store).await;
    assert_eq!(summary(&store, &Filter::default()).await.fields.len(), 2);
    hold_facts(&store).await;
    check(&store).await;
}
