//! From nothing to a running Sheaf: builds what is not built, then becomes the server. Invents no
//! data itself: the binary fills an empty data folder.

use std::{
    env, fs,
    os::unix::process::CommandExt as _,
    process::{Child, Command, Stdio},
};

use crate::{
    dashboard, place,
    run::{Error, Result, io_at, run, say, shown},
};

/// Where the server listens unless told otherwise.
const LISTEN: &str = "127.0.0.1:8080";

/// What the user asked of `serve`.
#[derive(Debug, PartialEq, Eq)]
struct Options {
    listen: String,
    /// Words for `sheaf serve` itself.
    passed_on: Vec<String>,
}

/// Builds, then turns this process into the server, so that signals and status are its own.
pub(crate) fn serve(words: &[&str]) -> Result {
    let options = options(words)?;
    if !place::binary().is_file() {
        say("The first start sets everything up: usually 8 to 15 minutes, later a second.");
    }
    build()?;
    let data = place::root().join("data");
    fs::create_dir_all(&data).map_err(io_at("create", &data))?;
    let mut sheaf = Command::new(place::binary());
    sheaf.current_dir(place::root()).args(["serve", "--listen", &options.listen]);
    sheaf.args(["--data", "./data", "--sample"]).args(&options.passed_on);
    say(&format!("$ {}", shown(&sheaf)));
    let error = sheaf.exec();
    Err(Error::new(format!("cannot start `{}`: {error}", place::binary().display())))
}

/// Builds the dashboard and the release binary that carries it.
pub(crate) fn build() -> Result {
    let ahead = begun_ahead();
    let dashboard = dashboard::build(dashboard::Build::Release);
    if let Some(mut ahead) = ahead {
        if dashboard.is_err() {
            let _ = ahead.kill();
        }
        let _ = ahead.wait();
    }
    dashboard?;
    if !place::binary().is_file() {
        say("Building the binary: usually 3 to 5 minutes, after a change half a minute.");
    }
    run(&mut binary())
}

fn binary() -> Command {
    let mut cargo = Command::new("cargo");
    cargo.args(["build", "--release", "--locked", "--package", "sheaf"]);
    if env::var_os("CI").is_some() {
        // Optimising all crates as one takes minutes, and no test asks for it.
        cargo.env("CARGO_PROFILE_RELEASE_LTO", "off");
    }
    cargo
}

/// On the build server, what of the binary needs no dashboard is compiled while the dashboard is
/// linked and made small, each of which keeps one core busy. What comes of it is compiled again
/// where it took in too little, so that neither its words nor its failure matter.
fn begun_ahead() -> Option<Child> {
    let is_wanted = env::var_os("CI").is_some() && !place::binary().is_file();
    let begin = || binary().stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok();
    is_wanted.then(begin).flatten()
}

fn options(words: &[&str]) -> Result<Options> {
    let mut listen = LISTEN;
    let mut words = words.iter();
    while let Some(&word) = words.next() {
        listen = match word {
            "--" => break,
            "--listen" => words.next().ok_or_else(|| {
                Error::new(format!("`--listen` lacks its address: write `--listen {LISTEN}`"))
            })?,
            _ => word.strip_prefix("--listen=").ok_or_else(|| unknown(word))?,
        };
    }
    let passed_on = words.map(|&word| word.to_owned()).collect();
    Ok(Options { listen: listen.to_owned(), passed_on })
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
