//! Prepares the embedding of the dashboard: creates its folder, and rebuilds a release build when a
//! file in it changes. Debug builds read the files when the program starts.

/// Folder of the built dashboard, relative to this crate. `src/assets.rs` contains the same path.
const DIST: &str = "../../dist";

fn main() {
    // A clean clone has no dashboard yet, and Cargo would run this script on every build if the
    // folder were missing. In a read-only checkout that is the only consequence, so the error is
    // ignored.
    let _ = std::fs::create_dir_all(DIST);
    if !cfg!(debug_assertions) {
        println!("cargo::rerun-if-changed={DIST}");
    }
    println!("cargo::rerun-if-changed=build.rs");
}
