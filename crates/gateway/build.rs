//! Lets the dashboard be embedded: makes its folder, and builds anew when a file there changes.

/// Where the built dashboard lies, from this crate. The same path stands in `src/assets.rs`.
const DIST: &str = "../../dist";

fn main() {
    // A clean clone has no dashboard yet. Were the folder missing, Cargo would run this each time;
    // in a read-only checkout that is all that happens, so the error does not matter.
    let _ = std::fs::create_dir_all(DIST);
    println!("cargo::rerun-if-changed={DIST}");
    println!("cargo::rerun-if-changed=build.rs");
}
