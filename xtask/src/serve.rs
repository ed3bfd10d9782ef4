//! From nothing to a running Sheaf: builds what is not built, then becomes the server. Invents no
//! data itself: the binary fills an empty data folder.

use std::{
    fs,
    os::unix::process::CommandExt as _,
    path::Path,
    process::{Command, Stdio},
};

use crate::build::dashboard;
use crate::cargo::cargo;
use crate::place;
use crate::run::{Error, Result, io_at, run, say, shown};

/// Where the server listens unless told otherwise.
const LISTEN: &str = "127.0.0.1:8080";

/// What the user asked of `serve`.
#[derive(Debug, PartialEq, Eq)]
struct Options {
    listen: String,
    /// Whether to start the released binary.
    is_release: bool,
    /// Words for `sheaf serve` itself.
    passed_on: Vec<String>,
}

/// Builds, then turns this process into the server, so that signals and status are its own.
pub(crate) fn serve(words: &[&str]) -> Result {
    let options = options(words)?;
    let binary = if options.is_release { place::binary() } else { place::dev_binary() };
    if !binary.is_file() {
        say("The first start sets everything up: about 10 minutes, later seconds.");
    }
    build_with(if options.is_release { released } else { unoptimised }, &binary)?;
    let data = place::root().join("data");
    fs::create_dir_all(&data).map_err(io_at("create", &data))?;
    let mut sheaf = Command::new(&binary);
    sheaf.current_dir(place::root()).args(["serve", "--listen", &options.listen]);
    sheaf.args(["--data", "./data", "--sample"]).args(&options.passed_on);
    say(&format!("$ {}", shown(&sheaf)));
    let error = sheaf.exec();
    Err(Error::new(format!("cannot start `{}`: {error}", binary.display())))
}

/// Builds the dashboard and the released binary, which embeds it.
pub(crate) fn build() -> Result {
    build_with(released, &place::binary())
}

fn build_with(cargo: fn() -> Command, binary: &Path) -> Result {
    // Building the dashboard keeps one core busy for most of its time. What is compiled for the
    // binary meanwhile need not be compiled later; a failure shows then.
    let ahead = || cargo().stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok();
    let ahead = if binary.is_file() { None } else { ahead() };
    let dashboard = dashboard::build(dashboard::Build::Release);
    if let Some(mut ahead) = ahead {
        if dashboard.is_err() {
            let _ = ahead.kill();
        }
        let _ = ahead.wait();
    }
    dashboard?;
    run(&mut cargo())
}

fn released() -> Command {
    cargo(&["build", "--release", "--locked", "--package", "sheaf"])
}

/// The binary of the tests' profile, with the features of the tests, so that nothing is compiled
/// twice.
fn unoptimised() -> Command {
    cargo(&["build", "--locked", "--workspace", "--bin", "sheaf"])
}

fn options(words: &[&str]) -> Result<Options> {
    let (mut listen, mut is_release) = (LISTEN, false);
    let mut words = words.iter();
    while let Some(&word) = words.next() {
        listen = match word {
            "--" => break,
            "--release" => {
                is_release = true;
                continue;
            }
            "--listen" => words.next().ok_or_else(|| {
                Error::new(format!("`--listen` lacks its address: write `--listen {LISTEN}`"))
            })?,
            _ => word.strip_prefix("--listen=").ok_or_else(|| unknown(word))?,
        };
    }
    let passed_on = words.map(|&word| word.to_owned()).collect();
    Ok(Options { listen: listen.to_owned(), is_release, passed_on })
}

fn unknown(word: &str) -> Error {
    Error::new(format!("`{word}` is no option of `serve`: put it behind `--` to pass it to sheaf"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_and_the_rest_is_passed_on() {
        let check = |words: &[&str], listen: &str, passed_on: &[&str]| {
            let found = options(words).unwrap();
            assert_eq!(found.listen, listen);
            assert_eq!(found.passed_on, passed_on);
        };
        assert!(options(&["--release"]).unwrap().is_release);
        check(&[], LISTEN, &[]);
        check(&["--listen", "[::1]:9"], "[::1]:9", &[]);
        check(&["--listen=0.0.0.0:9", "--", "--origin", "x"], "0.0.0.0:9", &["--origin", "x"]);
    }

    #[test]
    fn unknown_options_are_refused_with_the_way_to_pass_them() {
        let error = options(&["--origin", "x"]).unwrap_err().to_string();
        assert!(error.contains("`--origin`") && error.contains("`--`"), "{error}");
        assert!(options(&["--listen"]).is_err());
    }
}
