//! Folders of installed tools, created completely or not at all, and downloads of published
//! programs.

use std::{
    env::{self, consts},
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::Result;
use fs_err as fs;

use crate::{
    paths,
    run::{print_line, run_silently},
};

/// Ensures that a folder exists. If it is missing, `install` fills a temporary folder, which is
/// renamed when it is complete. An interrupted installation leaves no folder, and two concurrent
/// installations do not conflict. Returns the folder.
pub(crate) fn ensure_installed(
    folder: PathBuf,
    install: impl FnOnce(&Path) -> Result<()>,
) -> Result<PathBuf> {
    if folder.is_dir() {
        return Ok(folder);
    }
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let new = folder.with_file_name(format!(".{name}.{}", std::process::id()));
    paths::empty_folder(&new)?;
    let filled = install(&new);
    if filled.is_err() || folder.is_dir() {
        paths::remove_folder(&new)?;
        return filled.map(|()| folder);
    }
    fs::rename(&new, &folder)?;
    Ok(folder)
}

/// Downloads a published archive, and moves `programs` to the folder `bin` of `new`. In its URL,
/// `{arch}` stands for the processor. Returns whether this succeeded. Otherwise the caller uses the
/// registries, as always on the build server.
pub(crate) fn download_release(url: &str, programs: &[&str], new: &Path) -> bool {
    let is_published = consts::OS == "linux" && matches!(consts::ARCH, "x86_64" | "aarch64");
    if url.is_empty() || !is_published || env::var_os("CI").is_some() {
        return false;
    }
    let url = url.replace("{arch}", consts::ARCH);
    print_line(&format!("Downloading {url}: usually some seconds."));
    let done = unpack_release(&url, programs, new).is_some();
    if !done {
        print_line("The download failed; using the registries instead.");
    }
    done
}

fn unpack_release(url: &str, programs: &[&str], new: &Path) -> Option<()> {
    let [unpacked, bin] = ["unpacked", "bin"].map(|name| new.join(name));
    fs::create_dir_all(&unpacked).ok()?;
    fs::create_dir_all(&bin).ok()?;
    let script = r#"curl -fsSL --connect-timeout 4 --max-time 180 "$0" | tar -xz -C "$1""#;
    run_silently(Command::new("sh").args(["-c", script, url]).arg(&unpacked))?;
    let files = paths::files_below(&unpacked).ok()?;
    for program in programs {
        let found = files.iter().find(|file| file.ends_with(program))?;
        fs::rename(found, bin.join(program)).ok()?;
    }
    fs::remove_dir_all(unpacked).ok()?;
    run_silently(Command::new(bin.join(programs.first()?)).arg("--version")).map(drop)
}
