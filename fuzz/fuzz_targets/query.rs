//! Query strings of lists and exports.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| contract::fuzzing::check_query(text));
