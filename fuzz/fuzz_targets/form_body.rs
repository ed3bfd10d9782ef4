//! Bodies of submissions as JSON, URL-encoded or multipart: parsed, built and serialized.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    if let Some((kind, body)) = input.split_first() {
        api::fuzzing::form_body(*kind, body);
    }
});
