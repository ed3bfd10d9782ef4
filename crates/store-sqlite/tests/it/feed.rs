//! List, export and matcher agree, with rows from the file and from the index in memory.

use crate::TestFolder;
use crate::summary::{build_answers_index, build_facts_index};
use proptest::prelude::*;
use store_sqlite::IndexLimits;
use store_tests::feed::{arb_filter, arb_step, arb_submission, check_lists, with_unique_ids};

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if test_servers::is_full_run() { 64 } else { 12 },
        ..ProptestConfig::default()
    })]

    #[test]
    fn list_export_and_matcher_agree(
        first in prop::collection::vec(arb_submission(), 0..40),
        filter in arb_filter(),
        steps in prop::collection::vec(arb_step(), 1..6),
    ) {
        let first = with_unique_ids(first);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let place = TestFolder::new();
        let store = place.open();
        runtime.block_on(check_lists(&store, first.clone(), filter.clone(), steps.clone(), async || {}));
        // The same with the index in memory from the start.
        let place = TestFolder::new();
        let store = place.open_holding(IndexLimits { rows_min: 0, ..IndexLimits::default() });
        let get_ready = async || {
            build_facts_index(&store).await;
            build_answers_index(&store, &filter).await;
        };
        runtime.block_on(check_lists(&store, first, filter.clone(), steps, get_ready));
    }
}
