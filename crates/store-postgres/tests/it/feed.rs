//! Checks that list, export and matcher agree.

use proptest::prelude::*;
use store_tests::feed::{filter, of_one_form, step, submission, walk};

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn list_export_and_matcher_agree(
        first in prop::collection::vec(submission(), 0..40),
        filter in filter(),
        steps in prop::collection::vec(step(), 1..6),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let store = crate::open().await;
            walk(&store, of_one_form(first), filter, steps, async || {}).await;
        });
    }
}
