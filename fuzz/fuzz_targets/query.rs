//! The query string of a list and of an export.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| contract::fuzzing::query(text));
