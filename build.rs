//! Prepares the build for splitting. With `SHEAF_SPLIT` set (`cargo xtask dashboard`), it sets
//! `cfg(split)`, which marks the lazy views as split points, and makes the linker emit relocations,
//! which the splitter needs.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=SHEAF_SPLIT");
    println!("cargo::rustc-check-cfg=cfg(split)");
    if std::env::var_os("SHEAF_SPLIT").is_some() {
        println!("cargo::rustc-cfg=split");
        println!("cargo::rustc-link-arg-bins=--emit-relocs");
    }
}
