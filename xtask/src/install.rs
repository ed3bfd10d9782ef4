//! Folders of installed tools, created completely or not at all, and downloads of published
//! programs.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    paths,
    run::{Result, io_at, print_line, run_silently},
};

/// Returns the folder `name` of the tools. If it is missing, `install` fills a temporary folder,
/// which is renamed when it is complete. An interrupted installation leaves no folder, and two
/// concurrent installations do not conflict.
pub(crate) fn ensure_installed(
    name: &str,
    install: impl FnOnce(&Path) -> Result,
) -> Result<PathBuf> {
    ensure_installed_in(&paths::tools(), name, install)
}

/// Like [`ensure_installed`], in another folder than the tools.
pub(crate) fn ensure_installed_in(
    parent: &Path,
    name: &str,
    install: impl FnOnce(&Path) -> Result,
) -> Result<PathBuf> {
    let folder = parent.join(name);
    if folder.is_dir() {
        return Ok(folder);
    }
    let new = parent.join(format!(".{name}.{}", std::process::id()));
    paths::empty_folder(&new)?;
    let filled = install(&new);
    if filled.is_err() || folder.is_dir() {
        paths::remove_folder(&new)?;
        return filled.map(|()| folder);
    }
    fs::rename(&new, &folder).map_err(io_at("create", &folder))?;
    Ok(folder)
}

/// Returns the URL of a published program for this system, if there is one.
fn release_url(name: &str, version: &str) -> Option<String> {
    let arch = env::consts::ARCH;
    if env::consts::OS != "linux" || !matches!(arch, "x86_64" | "aarch64") {
        return None;
    }
    let path = match name {
        "trunk" => {
            format!("trunk-rs/trunk/releases/download/v{version}/trunk-{arch}-unknown-linux-gnu")
        }
        "wasm-bindgen-cli" => format!(
            "wasm-bindgen/wasm-bindgen/releases/download/{version}/\
             wasm-bindgen-{version}-{arch}-unknown-linux-musl"
        ),
        "binaryen" => format!(
            "WebAssembly/binaryen/releases/download/version_{version}/\
             binaryen-version_{version}-{arch}-linux"
        ),
        _ => return None,
    };
    Some(format!("https://github.com/{path}.tar.gz"))
}

/// Downloads the published programs of a tool, and moves `programs` to the folder `bin` of `new`.
/// Returns whether this succeeded. Otherwise the caller uses the registries, as always on the build
/// server.
pub(crate) fn download_release(name: &str, version: &str, programs: &[&str], new: &Path) -> bool {
    let Some(url) = release_url(name, version).filter(|_| env::var_os("CI").is_none()) else {
        return false;
    };
    print_line(&format!("Downloading {name} from {url}: usually some seconds."));
    let unpacked = new.join("unpacked");
    let done = unpack_release(&url, programs, &unpacked, &new.join("bin"));
    let _ = fs::remove_dir_all(unpacked);
    if done.is_none() {
        print_line("The download failed; using the registries instead.");
    }
    done.is_some()
}

fn unpack_release(url: &str, programs: &[&str], unpacked: &Path, bin: &Path) -> Option<()> {
    fs::create_dir_all(unpacked).ok()?;
    fs::create_dir_all(bin).ok()?;
    let archive = unpacked.join("archive.tar.gz");
    let mut curl = Command::new("curl");
    curl.args(["-fsSL", "--connect-timeout", "4", "--max-time", "180", "-o"]);
    run_silently(curl.arg(&archive).arg(url))?;
    run_silently(Command::new("tar").arg("-xzf").arg(&archive).arg("-C").arg(unpacked))?;
    let files = paths::files_below(unpacked).ok()?;
    programs.iter().try_for_each(|program| {
        let found = files.iter().find(|file| file.ends_with(program))?;
        fs::rename(found, bin.join(program)).ok()
    })?;
    run_silently(Command::new(bin.join(programs.first()?)).arg("--version")).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Error;

    #[test]
    fn failed_installation_leaves_no_folder() {
        let name = format!("test-{}", std::process::id());
        let failed = ensure_installed(&name, |new| {
            fs::write(new.join("half"), "").map_err(io_at("write", new))?;
            Err(Error::new("interrupted"))
        });
        assert!(failed.is_err() && !paths::tools().join(&name).exists());
        let whole = |new: &Path| fs::write(new.join("whole"), "").map_err(io_at("write", new));
        let folder = ensure_installed(&name, whole).unwrap();
        assert!(folder.join("whole").exists() && !folder.join("half").exists());
        ensure_installed(&name, |_| panic!("the tool is installed already")).unwrap();
        fs::remove_dir_all(folder).unwrap();
    }
}
