//! Cursors: none is taken that the service did not write.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| api::fuzzing::cursor(text));
