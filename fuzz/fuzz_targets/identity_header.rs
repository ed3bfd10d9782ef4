//! The header by which a proxy says who comes: lines as headers, from it and from strangers.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    if let Some((bits, lines)) = input.split_first() {
        gateway::fuzzing::identity_header(*bits, lines);
    }
});
