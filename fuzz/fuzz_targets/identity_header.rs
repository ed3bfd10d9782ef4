//! Identity header of a proxy: header lines from trusted and untrusted clients.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    if let Some((bits, lines)) = input.split_first() {
        gateway::fuzzing::identity_header(*bits, lines);
    }
});
