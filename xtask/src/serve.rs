//! Sets up and starts a Sheaf server: builds missing parts, then replaces this process by the
//! server, which fills an empty data folder with samples.

use std::{
    os::unix::process::CommandExt as _,
    path::Path,
    process::{Command, Stdio},
};

use anyhow::{Context as _, Result, bail};
use fs_err as fs;

use crate::build::dashboard;
use crate::cargo::cargo;
use crate::paths;
use crate::run::{command_text, print_line, run};

/// Default listen address.
const LISTEN: &str = "127.0.0.1:8080";

/// Options of `serve`.
#[derive(Debug, PartialEq, Eq)]
struct Options<'a> {
    listen: &'a str,
    /// Whether to start the release binary.
    is_release: bool,
    /// Arguments for `sheaf serve`.
    server_arguments: &'a [&'a str],
}

/// Builds, then replaces this process by the server, so that it receives signals and sets the exit
/// status.
pub(crate) fn serve(words: &[&str]) -> Result<()> {
    let options = parse_options(words)?;
    let binary = if options.is_release { paths::binary() } else { paths::dev_binary() };
    if !binary.is_file() {
        print_line(
            "The first start installs and builds everything: about 10 minutes, later seconds.",
        );
    }
    let cargo = if options.is_release { release_build_command } else { debug_build_command };
    build_with(cargo, &binary)?;
    fs::create_dir_all(paths::root().join("data"))?;
    let mut sheaf = Command::new(&binary);
    sheaf.current_dir(paths::root()).args(["serve", "--listen", options.listen]);
    sheaf.args(["--data", "./data", "--sample"]).args(options.server_arguments);
    print_line(&format!("$ {}", command_text(&sheaf)));
    Err(sheaf.exec()).with_context(|| format!("cannot start `{}`", binary.display()))
}

/// Builds the dashboard and the release binary, which embeds it.
pub(crate) fn build_release() -> Result<()> {
    build_with(release_build_command, &paths::binary())
}

fn build_with(cargo: fn() -> Command, binary: &Path) -> Result<()> {
    // Building the dashboard uses one core for most of its time. Meanwhile cargo compiles the
    // dependencies of the binary. Its failures are ignored here and appear in the build below.
    let ahead = || cargo().stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok();
    let ahead = if binary.is_file() { None } else { ahead() };
    let dashboard = dashboard::build_dashboard(dashboard::Profile::Release);
    if let Some(mut ahead) = ahead {
        if dashboard.is_err() {
            let _ = ahead.kill();
        }
        let _ = ahead.wait();
    }
    dashboard?;
    run(&mut cargo())
}

fn release_build_command() -> Command {
    cargo(&["build", "--release", "--locked", "--package", "sheaf"])
}

/// Returns the build command of the debug binary, with the features of the tests, so that nothing
/// is compiled twice.
fn debug_build_command() -> Command {
    cargo(&["build", "--locked", "--workspace", "--bin", "sheaf"])
}

fn parse_options<'a>(mut words: &'a [&'a str]) -> Result<Options<'a>> {
    let mut options = Options { listen: LISTEN, is_release: false, server_arguments: &[] };
    loop {
        words = match words {
            [] => return Ok(options),
            ["--", rest @ ..] => return Ok(Options { server_arguments: rest, ..options }),
            ["--release", rest @ ..] => {
                options.is_release = true;
                rest
            }
            ["--listen", address, rest @ ..] => {
                options.listen = address;
                rest
            }
            [word, ..] => bail!(
                "unknown option `{word}` of `serve`: use `--listen {LISTEN}` or `--release`, \
                 or put it after `--` to pass it to sheaf"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_parsed_and_rest_passed_on() {
        assert!(parse_options(&["--release"]).unwrap().is_release);
        let all = ["--listen", "[::1]:9", "--", "--origin", "x"];
        let found = parse_options(&all).unwrap();
        assert_eq!((found.listen, found.server_arguments), ("[::1]:9", &["--origin", "x"][..]));
        let error = parse_options(&["--origin", "x"]).unwrap_err().to_string();
        assert!(error.contains("`--origin`") && error.contains("`--`"), "{error}");
        assert!(parse_options(&["--listen"]).is_err());
    }
}
