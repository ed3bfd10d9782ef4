//! The body of a submission: JSON, urlencoded or multipart, from the wire to what is kept.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    if let Some((kind, body)) = input.split_first() {
        api::fuzzing::form_body(*kind, body);
    }
});
