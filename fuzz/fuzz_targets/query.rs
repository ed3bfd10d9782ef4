//! The query string of a list and of an export: what is taken comes back from what is written.

#![no_main]

use contract::{ExportQuery, ListQuery};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(query) = ListQuery::parse(text) {
        assert_eq!(ListQuery::parse(&query.write()).as_ref(), Ok(&query));
        assert!((1..=100).contains(&query.limit));
    }
    if let Ok(query) = ExportQuery::parse(text) {
        assert_eq!(ExportQuery::parse(&query.write()).as_ref(), Ok(&query));
    }
});
