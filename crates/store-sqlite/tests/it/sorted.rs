//! Sorted lists, with rows from the file and from the index in memory.

use crate::TestFolder;
use crate::summary::{build_answers_index, build_facts_index};
use proptest::prelude::*;
use store_sqlite::IndexLimits;
use store_tests::feed::{arb_filter, arb_submission, with_unique_ids};
use store_tests::sorted::{arb_sort, arb_steps, check_sorted};

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn sorted_pages_agree_with_the_contract(
        first in prop::collection::vec(arb_submission(), 0..40),
        filter in prop_oneof![Just(contract::Filter::default()), arb_filter()],
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
            build_answers_index(&store, &filter).await;
        };
        runtime.block_on(check_sorted(&store, first, filter.clone(), sort, steps, get_ready));
    }
}
