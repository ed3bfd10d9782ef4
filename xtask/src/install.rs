//! Folders of installed tools, created completely or not at all, and downloads of published
//! programs.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    paths,
    run::{Result, has_program, io_at, print_line, run_silently},
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
    if new.exists() {
        fs::remove_dir_all(&new).map_err(io_at("remove", &new))?;
    }
    fs::create_dir_all(&new).map_err(io_at("create", &new))?;
    let filled = install(&new);
    if filled.is_err() || folder.is_dir() {
        fs::remove_dir_all(&new).map_err(io_at("remove", &new))?;
        return filled.map(|()| folder);
    }
    fs::rename(&new, &folder).map_err(io_at("create", &folder))?;
    Ok(folder)
}

/// Returns the URL of a published program for this system, if there is one.
pub(crate) fn release_url(name: &str, version: &str) -> Option<String> {
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

/// Downloads and unpacks an archive into a folder. Returns whether this succeeded. After a failed
/// download the caller uses the registries.
pub(crate) fn download_archive(name: &str, url: &str, folder: &Path) -> bool {
    if env::var_os("CI").is_some() || !has_program("curl") || !has_program("tar") {
        return false;
    }
    print_line(&format!("Downloading {name} from {url}: usually some seconds."));
    if fs::create_dir_all(folder).is_err() {
        return false;
    }
    let archive = folder.join("archive.tar.gz");
    let mut curl = Command::new("curl");
    curl.args(["-fsSL", "--connect-timeout", "4", "--max-time", "180", "-o"]);
    let mut tar = Command::new("tar");
    tar.arg("-xzf").arg(&archive).arg("-C").arg(folder);
    let got = run_silently(curl.arg(&archive).arg(url)).and_then(|_| run_silently(&mut tar));
    if got.is_none() {
        let _ = fs::remove_dir_all(folder);
        print_line("The download failed; using the registries instead.");
    }
    got.is_some()
}

/// Finds a file by its name, below a folder.
pub(crate) fn find_file(folder: &Path, name: &str) -> Option<PathBuf> {
    let entries = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    files
        .into_iter()
        .find(|file| file.file_name().is_some_and(|it| it == name))
        .or_else(|| folders.iter().find_map(|folder| find_file(folder, name)))
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
