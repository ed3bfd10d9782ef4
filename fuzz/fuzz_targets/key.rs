//! API keys: the format check of the header value, before any lookup.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| api::fuzzing::key(text));
