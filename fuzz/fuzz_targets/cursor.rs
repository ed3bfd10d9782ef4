//! Cursors: a cursor that the service did not write is rejected.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| api::fuzzing::cursor(text));
