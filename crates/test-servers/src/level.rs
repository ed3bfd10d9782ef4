//! Scope of a test run. `cargo xtask test` sets the environment variables read here.

/// Returns whether this is a full run (`cargo xtask test --full`), in which long suites run
/// completely. Reads `SHEAF_TEST_FULL`.
#[must_use]
pub fn is_full_run() -> bool {
    std::env::var_os("SHEAF_TEST_FULL").is_some_and(|value| value == "1")
}

/// Returns whether case `index` of a suite runs: every case in a full run, otherwise one case in
/// `every`.
///
/// The selected cases change with each commit: `SHEAF_TEST_ROTATION` holds the number of commits,
/// or is missing and counts as 0. All cases have run after `every` consecutive commits.
#[must_use]
pub fn is_in_rotation(index: usize, every: usize) -> bool {
    is_full_run() || index % every == rotation_number() % every
}

fn rotation_number() -> usize {
    std::env::var("SHEAF_TEST_ROTATION").ok().and_then(|text| text.parse().ok()).unwrap_or_default()
}
