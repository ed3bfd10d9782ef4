//! Import files, line by line: NDJSON, and CSV of any tool.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    if let Some((kind, file)) = input.split_first() {
        sheaf::fuzzing::import_line(kind % 2 == 1, file);
    }
});
