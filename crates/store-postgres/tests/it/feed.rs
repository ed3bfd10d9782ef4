//! Checks that list, export and matcher agree.

use proptest::prelude::*;
use store_tests::feed::{arb_filter, arb_step, arb_submission, check_lists, with_unique_ids};

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if test_servers::is_full_run() { 32 } else { 10 },
        ..ProptestConfig::default()
    })]

    #[test]
    fn list_export_and_matcher_agree(
        first in prop::collection::vec(arb_submission(), 0..40),
        filter in arb_filter(),
        steps in prop::collection::vec(arb_step(), 1..6),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let store = crate::open().await;
            check_lists(&store, with_unique_ids(first), filter, steps, async || {}).await;
        });
    }
}
