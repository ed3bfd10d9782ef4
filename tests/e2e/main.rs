#![cfg(not(target_arch = "wasm32"))]
//! The whole way, in a real Chromium against the real binary. Never looks behind the page.

#[test]
fn the_binary_is_there() {
    let binary = std::env::var_os("SHEAF_BIN").map(std::path::PathBuf::from);
    assert!(binary.is_some_and(|path| path.is_file()), "run `cargo xtask test e2e`");
}
