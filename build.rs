//! Prepares the dashboard for being split, where `cargo xtask dashboard` asks for it: parts get an
//! edge by which they can be cut off, and the linker keeps what tells where code and data refer to
//! each other. Does nothing else.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=SHEAF_SPLIT");
    println!("cargo::rustc-check-cfg=cfg(split)");
    if std::env::var_os("SHEAF_SPLIT").is_some() {
        println!("cargo::rustc-cfg=split");
        println!("cargo::rustc-link-arg-bins=--emit-relocs");
    }
}
