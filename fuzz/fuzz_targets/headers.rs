//! Headers that come to the gateway: what of them is believed, where nothing should be.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| gateway::fuzzing::headers(text));
