//! Sorted lists, by columns and by answers.

use proptest::prelude::*;
use store_tests::feed::{arb_filter, arb_submission, with_unique_ids};
use store_tests::sorted::{arb_sort, arb_steps, check_sorted};

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if test_servers::is_full_run() { 16 } else { 6 },
        ..ProptestConfig::default()
    })]

    #[test]
    fn sorted_pages_agree_with_the_contract(
        first in prop::collection::vec(arb_submission(), 0..40),
        filter in prop_oneof![Just(contract::Filter::default()), arb_filter()],
        sort in arb_sort(),
        steps in arb_steps(),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let store = crate::open().await;
            check_sorted(&store, with_unique_ids(first), filter, sort, steps, async || {}).await;
        });
    }
}
