//! Dates and instants: one that is taken is written as text that means the same.

#![no_main]

use contract::Timestamp;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for read in [Timestamp::parse, Timestamp::parse_bound] {
        if let Ok(at) = read(text) {
            assert_eq!(Timestamp::parse(&at.to_string()), Ok(at));
            assert_eq!(Timestamp::from_micros(at.micros()), Some(at));
        }
    }
});
