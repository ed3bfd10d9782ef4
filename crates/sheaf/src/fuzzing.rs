//! The entry point of the fuzz target. An ordinary test runs it over the corpus.

use crate::commands::import::fuzzing;

/// Reads bytes as a file to import: of NDJSON, or of CSV with all that is found out about it.
///
/// # Panics
/// Where the first look at a file of CSV counts other rows than the second one reads.
pub fn import_line(is_csv: bool, file: &[u8]) {
    if is_csv { fuzzing::csv(file) } else { fuzzing::ndjson(file) }
}

#[cfg(test)]
mod tests {
    use test_servers::for_each_kind;

    const HERE: &str = env!("CARGO_MANIFEST_DIR");

    #[test]
    fn import_line_holds_for_the_corpus_and_changed_copies() {
        for_each_kind(HERE, "import_line", 100, |kind, file| {
            super::import_line(kind % 2 == 1, file);
        });
    }
}
