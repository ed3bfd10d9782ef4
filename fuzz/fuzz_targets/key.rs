//! Keys: what stands in the header, before anything is looked up.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| api::fuzzing::key(text));
