//! Paths that come to the gateway: refused, or an upstream's by the table, at the one host.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| gateway::fuzzing::path(text));
