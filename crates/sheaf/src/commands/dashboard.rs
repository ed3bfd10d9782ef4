//! `sheaf dashboard`: the dashboard for a server of plain files, and what that must be told.

use gateway::Assets;
use gateway::static_export::{HASHED, PAGES, StillFile};
use hyper::HeaderMap;
use hyper::header::CONTENT_TYPE;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::args;
use crate::error::{Error, Result};
use crate::output;

/// Files of one ending that get the same headers.
struct Group {
    ending: String,
    /// Names without a hash; none where all of the names have one.
    names: Vec<String>,
    headers: HeaderMap,
}

/// Does what was asked for.
///
/// # Errors
/// A binary without a dashboard, or a folder that cannot be written.
pub(crate) fn run(args: args::Dashboard) -> Result<()> {
    let assets = Assets::embedded();
    let files = assets.still(true);
    if !files.iter().any(|file| file.name == "index.html") {
        return Err(Error::refused("this binary was built without the dashboard; take another"));
    }
    match args {
        args::Dashboard::Export { folder } => {
            let count = export(&assets, &folder)?;
            output::line(format!("{count} files are in `{}`", folder.display()))
        }
        args::Dashboard::Nginx { root, without_tls } => {
            output::line(nginx(&assets.still(!without_tls), &root)?.trim_end())
        }
    }
}

/// Writes all files; those of other versions stay, for pages that are still open.
fn export(assets: &Assets, folder: &Path) -> Result<usize> {
    let stored = assets.stored();
    for (name, bytes) in &stored {
        let (path, new) = (folder.join(name), folder.join(format!("{name}.new")));
        let failed = || Error::io(format!("cannot write `{}`", path.display()));
        fs::create_dir_all(path.parent().unwrap_or(folder)).map_err(failed())?;
        // Under its name it is there whole, or as it was before.
        fs::write(&new, bytes).and_then(|()| fs::rename(&new, &path)).map_err(failed())?;
    }
    Ok(stored.len())
}

/// Returns what nginx is to include within `server`.
fn nginx(files: &[StillFile], root: &Path) -> Result<String> {
    let root = root.to_str().filter(|root| !root.contains(['"', '\\', '\n', '$']));
    let Some(root) = root else {
        return Err(Error::refused(
            "the folder's name has a character that nginx reads otherwise; choose another",
        ));
    };
    let mut text = format!(
        "# Made by `sheaf dashboard nginx`, version {}. Make it anew with each version: names and\n\
         # headers are those of its files.\n",
        env!("CARGO_PKG_VERSION")
    );
    if let Some(page) = files.iter().find(|file| file.name == "index.html") {
        location(&mut text, PAGES, root, Some("/index.html"), &page.headers);
    }
    for group in groups(files) {
        let Group { ending, names, headers } = &group;
        let pattern = if names.is_empty() {
            format!("{HASHED}\\.{ending}$")
        } else {
            let names: Vec<_> = names.iter().map(|name| name.replace('.', "\\.")).collect();
            format!("^/(?:{})$", names.join("|"))
        };
        location(&mut text, &pattern, root, None, headers);
    }
    Ok(text)
}

fn groups(files: &[StillFile]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for file in files {
        let ending = file.name.rsplit('.').next().unwrap_or_default();
        let same = |group: &&mut Group| {
            group.ending == ending
                && group.names.is_empty() == file.is_hashed
                && group.headers == file.headers
        };
        let name = (!file.is_hashed).then(|| file.name.clone());
        match groups.iter_mut().find(same) {
            Some(group) => group.names.extend(name),
            None => groups.push(Group {
                ending: ending.to_owned(),
                names: name.into_iter().collect(),
                headers: file.headers.clone(),
            }),
        }
    }
    groups
}

fn location(text: &mut String, pattern: &str, root: &str, file: Option<&str>, headers: &HeaderMap) {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let file = file.unwrap_or("$uri");
    let mut line = |line: &str| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{line}");
    };
    line(&format!("\nlocation ~ \"{pattern}\" {{"));
    line(&format!("    root \"{root}\";"));
    line(&format!("    try_files {file} =404;"));
    line("    gzip_static on;\n    gzip_vary on;");
    line(&format!("    types {{ }}\n    default_type \"{kind}\";"));
    for (name, value) in headers.iter().filter(|(name, _)| **name != CONTENT_TYPE) {
        let value = value.to_str().unwrap_or_default();
        line(&format!("    add_header {name} \"{value}\" always;"));
    }
    line("}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;

    fn assets() -> Assets {
        let files = ["index.html", "a-01234567.js", "b-01234567.js", "b-01234567.js.gz", "c.js"];
        Assets::new(files.map(|name| (name.to_owned(), Bytes::from_static(b"x"))))
    }

    #[test]
    fn files_of_one_kind_share_a_location() {
        let text = nginx(&assets().still(true), Path::new("/srv/sheaf")).unwrap();
        assert_eq!(text.matches("\nlocation ").count(), 4, "{text}");
        for line in [
            "location ~ \"^/[^/]+-[0-9a-f]{8,}(?:_[^/]*)?\\.js$\" {",
            "location ~ \"^/(?:c\\.js)$\" {",
            "    root \"/srv/sheaf\";",
            "    default_type \"text/html; charset=utf-8\";",
            "    add_header cache-control \"public, max-age=31536000, immutable\" always;",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
        assert!(nginx(&assets().still(true), Path::new("/srv/$x")).is_err());
    }

    #[test]
    fn what_is_written_is_whole_and_written_again() {
        let folder = tempfile::tempdir().unwrap();
        for _ in 0..2 {
            assert_eq!(export(&assets(), folder.path()).unwrap(), 5);
        }
        let mut names: Vec<_> = fs::read_dir(folder.path())
            .unwrap()
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        let expected = ["a-01234567.js", "b-01234567.js", "b-01234567.js.gz", "c.js", "index.html"];
        assert_eq!(names, expected);
    }
}
