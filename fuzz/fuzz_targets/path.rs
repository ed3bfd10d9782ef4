//! Request paths at the gateway: rejected, or forwarded to a known route of the upstream host.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| gateway::fuzzing::path(text));
