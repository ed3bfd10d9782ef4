//! The steps of `cargo xtask test`, in an order that fails early. Each names the one command that
//! one would type to have the same.

use std::{env, fs, path::PathBuf, process::Command};

use crate::{
    apt, browser, deny, fuzz, observatory, place, postgres, python,
    run::{Result, io_at, run, say},
    schemathesis, serve, servers, size,
    test::{Counts, counted},
    tidy, tools,
};

/// A step: what it is called, what it checks, and how.
pub(crate) struct Step {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) run: fn(&mut Counts) -> Result,
}

/// All steps. The binary is built once, in release, for the browser; all else in one dev profile.
pub(crate) const STEPS: [Step; 22] = [
    Step { name: "format", about: "rustfmt changes nothing", run: format },
    Step { name: "tidy", about: "the house style holds", run: |_| tidy::check() },
    Step { name: "clippy", about: "no lint on the host", run: clippy },
    Step { name: "clippy-wasm", about: "no lint for the browser", run: clippy_wasm },
    Step { name: "docs", about: "the documentation builds without warnings", run: docs },
    Step { name: "deny", about: "dependencies are what they may be", run: deny::check },
    Step { name: "build", about: "dashboard and binary, in release", run: |_| serve::build() },
    Step { name: "size", about: "what a browser downloads is small", run: |_| size::check() },
    Step { name: "unit", about: "tests beside the code", run: unit },
    Step { name: "integration", about: "tests of each crate from outside", run: integration },
    Step { name: "spec", about: "the specification, executable", run: spec },
    Step { name: "durability", about: "what was taken is kept, whatever dies", run: durability },
    Step { name: "deploy", about: "what docs/deploy shows, by real proxies", run: deploy },
    Step {
        name: "postgres",
        about: "specification, routes and command line over PostgreSQL",
        run: postgres::suites,
    },
    Step { name: "many", about: "three instances over PostgreSQL, behind nginx", run: many },
    Step { name: "doctest", about: "examples in the documentation", run: doctest },
    Step {
        name: "schemathesis",
        about: "the published contract, held to the real binary",
        run: schemathesis::check,
    },
    Step {
        name: "observatory",
        about: "the binary's headers, graded by Mozilla's analyser",
        run: observatory::check,
    },
    Step { name: "fuzz", about: "hostile input, for some seconds each", run: fuzz::short },
    Step { name: "web", about: "the dashboard's parts, in headless Chromium", run: web },
    Step { name: "e2e", about: "the whole, in Chromium on the real binary", run: e2e },
    Step { name: "e2e-firefox", about: "the same journeys, in Firefox", run: e2e_firefox },
];

/// Cargo, with the features of the whole workspace, so that no crate is compiled twice.
pub(crate) fn cargo(words: &[&str]) -> Command {
    // The gateway takes `dist` into itself: to compile it, the folder must be there, if empty.
    let _ = fs::create_dir_all(place::dist());
    let mut cargo = Command::new("cargo");
    cargo.args(words).current_dir(place::root());
    if env::var_os("CI").is_some() {
        // Nobody debugs there, and nothing is compiled a second time.
        cargo.env("CARGO_PROFILE_DEV_DEBUG", "0").env("CARGO_INCREMENTAL", "0");
    }
    cargo
}

fn cargo_test(words: &[&str]) -> Command {
    let mut test = cargo(&["test", "--locked", "--no-fail-fast", "--workspace"]);
    test.args(words);
    test
}

fn format(_: &mut Counts) -> Result {
    run(&mut cargo(&["fmt", "--all", "--check"]))
}

/// Twice: `--all-targets` leaves out the tests that only their own steps run.
fn clippy(_: &mut Counts) -> Result {
    let apart = ["e2e", "durability", "deploy", "many"].map(|test| ["--test", test]).concat();
    for targets in [vec!["--all-targets"], apart] {
        let mut clippy = cargo(&["clippy", "--locked", "--workspace"]);
        run(clippy.args(targets).args(["--", "-D", "warnings"]))?;
    }
    Ok(())
}

fn clippy_wasm(_: &mut Counts) -> Result {
    tools::wasm_target()?;
    // As on the host: `--all-targets` leaves out what only its own step runs, and wins over a name.
    for targets in [vec!["--all-targets"], vec!["--test", "web"]] {
        // With it, as what it depends on, comes `contract`, whose own tests cannot run there.
        let mut clippy = cargo(&["clippy", "--locked", "--package", "dashboard"]);
        clippy.args(targets).args(["--target", tools::WASM]);
        // The host's tests are empty here, their documentation with them.
        run(clippy.args(["--", "-D", "warnings", "-A", "missing_docs"]))?;
    }
    Ok(())
}

fn docs(_: &mut Counts) -> Result {
    let mut doc = cargo(&["doc", "--locked", "--workspace", "--no-deps"]);
    run(doc.env("RUSTDOCFLAGS", "-D warnings"))
}

fn unit(counts: &mut Counts) -> Result {
    let mut test = cargo_test(&["--lib", "--bins"]);
    counted(test.env("PATH", servers::path()?), counts)
}

fn integration(counts: &mut Counts) -> Result {
    for program in ["curl", "jq"] {
        apt::need_program(program, program, "to run the requests of docs/api.md")?;
    }
    let mut test = cargo_test(&["--test", "it"]);
    counted(test.env("PATH", servers::path()?), counts)
}

fn spec(counts: &mut Counts) -> Result {
    counted(&mut cargo_test(&["--test", "spec"]), counts)
}

fn durability(counts: &mut Counts) -> Result {
    apt::need_program("strace", "strace", "by which every write of a process is recorded")?;
    counted(&mut cargo_test(&["--test", "durability"]), counts)
}

/// Proxies of the distribution, which nobody starts but the tests.
fn deploy(counts: &mut Counts) -> Result {
    for program in ["curl", "openssl"] {
        apt::need_program(program, program, "to ask through proxies")?;
    }
    apt::need_program("systemd-analyze", "systemd", "which reads and rates the unit")?;
    let (nginx, caddy) = (nginx()?, apt::unpacked("caddy", "usr/bin/caddy")?);
    let mut test = cargo_test(&["--test", "deploy"]);
    if apt::is_root() {
        let why = "to start systemd in namespaces of its own";
        apt::need_program("systemd-nspawn", "systemd-container", why)?;
        test.env("SYSTEMD_NSPAWN", "systemd-nspawn");
    } else {
        say("Left out: `manager::`: only root can start a systemd of its own.");
    }
    counted(test.env("NGINX", nginx).env("CADDY", caddy), counts)
}

/// Servers and a balancer of the distribution, which nobody starts but the tests, and the binary
/// that is released. One test after the other: each has four servers at work.
fn many(counts: &mut Counts) -> Result {
    serve::build()?;
    let mut test = cargo_test(&["--test", "many", "--", "--test-threads", "1", "--nocapture"]);
    test.env("PATH", servers::path()?).env("NGINX", nginx()?);
    counted(test.env("SHEAF_BIN", place::binary()), counts)
}

/// The nginx that is installed, or one that is not: its package would start a service.
fn nginx() -> Result<PathBuf> {
    let installed = PathBuf::from("/usr/sbin/nginx");
    if installed.exists() { Ok(installed) } else { apt::unpacked("nginx", "usr/sbin/nginx") }
}

/// Writes the files that the tests of upgrades miss.
pub(crate) fn fixture() -> Result {
    let words = ["test", "--locked", "--package", "service", "--test", "it", "--", "schemas"];
    run(cargo(&words).env("SHEAF_WRITE_FIXTURES", "1"))
}

fn doctest(counts: &mut Counts) -> Result {
    counted(&mut cargo_test(&["--doc"]), counts)
}

fn web(counts: &mut Counts) -> Result {
    let runner = tools::for_browser_tests()?;
    let driver = browser::driver()?;
    let mut test = cargo(&["test", "--locked", "--no-fail-fast", "--package", "dashboard"]);
    test.args(["--target", tools::WASM, "--lib", "--test", "web"]);
    test.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", runner);
    test.env("WASM_BINDGEN_TEST_WEBDRIVER_JSON", place::root().join("tests/web/webdriver.json"));
    // The runner gives all tests together 20 s, which a busy machine exceeds.
    test.env("WASM_BINDGEN_TEST_TIMEOUT", "600");
    // Symbols would triple what the browser has to load.
    test.env("CARGO_PROFILE_DEV_DEBUG", "0").env("CHROMEDRIVER", driver);
    // It would be taken before the one of Chromium.
    test.env_remove("GECKODRIVER");
    // The runner ends its driver, which then leaves the browser's profile behind.
    let scratch = env::temp_dir().join(format!("sheaf-web-{}", std::process::id()));
    fs::create_dir_all(&scratch).map_err(io_at("create", &scratch))?;
    let tested = counted(test.env("TMPDIR", &scratch), counts);
    fs::remove_dir_all(&scratch).map_err(io_at("remove", &scratch))?;
    tested
}

fn e2e(counts: &mut Counts) -> Result {
    let driver = browser::driver()?;
    counted(journeys()?.env("CHROMEDRIVER", driver), counts)
}

/// Journeys that Firefox is spared, and why.
const CHROMIUM_ALONE: [(&str, &str); 4] = [
    (
        "told::",
        "outlines are read out of Chromium's accessibility tree, and Firefox shows its own to nobody",
    ),
    ("print::", "what comes on paper is asked of Chromium's tools"),
    ("preferences::", "what a device asks for is played by Chromium's tools"),
    ("habits::the_dashboard_can_be_installed", "Firefox installs no pages at a desk"),
];

fn e2e_firefox(counts: &mut Counts) -> Result {
    let driver = browser::firefox_driver()?;
    let mut test = journeys()?;
    test.arg("--");
    for (journeys, why) in CHROMIUM_ALONE {
        say(&format!("Left out: `{journeys}`: {why}."));
        test.args(["--skip", journeys]);
    }
    counted(test.env("E2E_BROWSER", "firefox").env("GECKODRIVER", driver), counts)
}

/// All journeys, and what they need besides a browser.
fn journeys() -> Result<Command> {
    let axe = tools::axe()?;
    // Two programs of others read the workbooks that exports make.
    let python = python::environment("openpyxl", "tests/e2e/requirements.txt")?;
    apt::need_program("soffice", "libreoffice-calc-nogui", "to open exported workbooks")?;
    serve::build()?;
    let mut test = cargo_test(&["--test", "e2e"]);
    test.env("SHEAF_BIN", place::binary()).env("AXE_JS", axe);
    test.env("OPENPYXL_PYTHON", python.join("python")).env("NGINX", nginx()?);
    Ok(test)
}
