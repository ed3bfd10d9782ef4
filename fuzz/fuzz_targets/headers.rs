//! Request headers at the gateway: the CSRF check and the session cookie.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| gateway::fuzzing::headers(text));
