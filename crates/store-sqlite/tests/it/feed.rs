//! List, export and matcher agree, with rows from the file and from the index in memory.

use crate::{Place, hold};
use proptest::prelude::*;
use store_sqlite::Holding;
use store_tests::feed::{filter, of_one_form, step, submission, walk};

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn list_export_and_matcher_agree(
        first in prop::collection::vec(submission(), 0..40),
        filter in filter(),
        steps in prop::collection::vec(step(), 1..6),
    ) {
        let first = of_one_form(first);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let place = Place::new();
        let store = place.open();
        runtime.block_on(walk(&store, first.clone(), filter.clone(), steps.clone(), async || {}));
        // The same with the index in memory from the start.
        let place = Place::new();
        let store = place.open_holding(Holding { rows_min: 0, ..Holding::default() });
        let get_ready = || hold(&store);
        runtime.block_on(walk(&store, first, filter, steps, get_ready));
    }
}
