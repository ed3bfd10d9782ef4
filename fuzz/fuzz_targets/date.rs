//! Parsing of dates and timestamps.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| contract::fuzzing::check_date(text));
