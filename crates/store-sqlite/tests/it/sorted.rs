//! Sorted lists, with rows from the file and from the index in memory.

use crate::TestFolder;
use crate::summary::build_facts_index;
use contract::{Filter, Sort};
use proptest::prelude::*;
use std::collections::HashSet;
use store::sorted::{SortedRequest, SortedStore as _};
use store_sqlite::{IndexLimits, SqliteStore};
use store_tests::feed::{arb_filter, arb_submission, with_unique_ids};
use store_tests::fixtures;
use store_tests::sorted::{arb_sort, arb_steps, check_sorted};

/// Lists until the answers that a filter and an order compare are in memory.
async fn build_columns(store: &SqliteStore, filter: &Filter, sort: &Sort) {
    let matchers = filter.fields.matchers().unwrap_or_default();
    let mut columns: HashSet<_> =
        matchers.iter().map(|it| (it.key(), it.compares_folded())).collect();
    columns.extend(sort.answer_key().map(|key| (key, sort.compares_folded())));
    while store.index_stats().answers < columns.len() {
        let request = SortedRequest {
            owner: fixtures::owner(),
            form: fixtures::form_id(),
            filter: Filter { fields: filter.fields.clone(), ..Filter::default() },
            sort: sort.clone(),
            after: None,
            limit: 1,
        };
        store.list_sorted(request).await.unwrap();
        tokio::task::yield_now().await;
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if test_servers::is_full_run() { 32 } else { 8 },
        ..ProptestConfig::default()
    })]

    #[test]
    fn sorted_pages_agree_with_the_contract(
        first in prop::collection::vec(arb_submission(), 0..40),
        filter in prop_oneof![Just(Filter::default()), arb_filter()],
        sort in arb_sort(),
        steps in arb_steps(),
    ) {
        let first = with_unique_ids(first);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let place = TestFolder::new();
        let store = place.open();
        runtime.block_on(check_sorted(
            &store, first.clone(), filter.clone(), sort.clone(), steps.clone(), async || {},
        ));
        // The same with the index in memory from the start.
        let place = TestFolder::new();
        let store = place.open_holding(IndexLimits { rows_min: 0, ..IndexLimits::default() });
        let get_ready = async || {
            build_facts_index(&store).await;
            build_columns(&store, &filter, &sort).await;
        };
        runtime.block_on(check_sorted(&store, first, filter.clone(), sort.clone(), steps, get_ready));
    }
}
