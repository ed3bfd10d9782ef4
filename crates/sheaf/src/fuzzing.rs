//! Entry point of the fuzz target. A unit test runs it on the corpus.

use crate::commands::import::fuzzing;

/// Parses `file` as NDJSON, or plans and parses it as CSV.
///
/// # Panics
/// If the first pass over a CSV file counts other rows than the second one reads.
pub fn import_line(is_csv: bool, file: &[u8]) {
    if is_csv { fuzzing::parse_csv(file) } else { fuzzing::parse_ndjson(file) }
}

#[cfg(test)]
mod tests {
    use test_servers::for_each_kind;

    const HERE: &str = env!("CARGO_MANIFEST_DIR");

    #[test]
    fn import_line_accepts_corpus_and_mutations() {
        for_each_kind(HERE, "import_line", 100, |kind, file| {
            super::import_line(kind % 2 == 1, file);
        });
    }
}
