//! Steps of `cargo xtask test`, in their order.

use std::{env, path::PathBuf, process::Command};

use anyhow::Result;
use fs_err as fs;

use crate::build::dashboard;
use crate::run::{cargo, print_line, run, run_silently, run_without_warnings};
use crate::test::test_run::TestRun;
use crate::test::{fuzz, nextest, observatory, postgres, schemathesis};
use crate::tools::{self, WASM};
use crate::{apt, browser, paths, python, serve, servers, tidy};

/// A step: its name, a description, and its function.
pub(crate) type Step = (&'static str, &'static str, fn(&mut TestRun) -> Result<()>);

/// Steps that only full runs include.
pub(crate) const ONLY_FULL: [&str; 2] = ["docs", "fuzz"];

/// All steps. The steps before `dashboard` do not need the dashboard. It is built at the same time.
pub(crate) const STEPS: [Step; 21] = [
    ("format", "the code is formatted", |_| run(&mut cargo("fmt --all --check"))),
    ("tidy", "the sources follow the style rules", |_| tidy::check_style()),
    ("docs", "the documentation builds without warnings", docs),
    ("compile", "all tests compile", compile),
    ("clippy", "no lints on the host and for the browser", |_| {
        lint_host().and_then(|()| lint_wasm())
    }),
    ("crates", "tests of the crates without the dashboard", |run| run_host_part(run, CRATES)),
    ("durability", "acknowledged data survives crashes", durability),
    ("postgres", "specification, routes and commands over PostgreSQL", postgres::run_suites),
    ("schemathesis", "the OpenAPI document against the real binary", schemathesis::check_api),
    ("deny", "the dependencies and their licences are allowed", deny),
    ("doctest", "examples in the documentation", doctest),
    ("dashboard", "the tools and the dashboard are ready", build_dashboard),
    ("size", "the download sizes are within budget", |_| dashboard::check_size()),
    ("host", "tests of the gateway and the binary, specification", |run| run_host_part(run, APPS)),
    ("deploy", "the deployments of docs/deploy, with real proxies", deploy),
    ("many", "three instances over PostgreSQL, behind nginx", many),
    ("observatory", "headers of the binary, graded by Mozilla", observatory::check_headers),
    ("web", "component tests of the dashboard, in headless Chromium", run_web_tests),
    ("e2e", "journeys in Chromium on the real binary", e2e),
    ("e2e-firefox", "journeys in Firefox", e2e_firefox),
    ("fuzz", "fuzz targets, for some seconds each", fuzz::run_briefly),
];

/// Compiles the tests of the host, and fails if there are lints. Nothing is compiled twice: see
/// [`cargo_program`](crate::run::cargo_program).
pub(crate) fn lint_host() -> Result<()> {
    run_without_warnings(&mut compile_host())
}

/// Compiles the code of the browser with its tests, and fails if there are lints.
pub(crate) fn lint_wasm() -> Result<()> {
    tools::ensure_wasm_target()?;
    run_without_warnings(web_tests().arg("--no-run"))
}

fn compile_host() -> Command {
    // By cargo, because the preparation may still be installing nextest.
    cargo(&format!("test --locked --no-run {} --examples", nextest::TARGETS))
}

fn docs(_: &mut TestRun) -> Result<()> {
    let browser = format!("--package=dashboard --target={WASM}");
    for selection in ["--workspace --exclude=dashboard", &browser] {
        let mut doc = cargo(&format!("doc --locked --no-deps {selection}"));
        run(doc.env("RUSTDOCFLAGS", "-D warnings"))?;
    }
    Ok(())
}

/// Compiles the tests, while the dashboard may still be built. Lints do not fail this step, so that
/// the tests run nevertheless.
fn compile(_: &mut TestRun) -> Result<()> {
    tools::ensure_wasm_target()?;
    run(web_tests().arg("--no-run"))?;
    run(&mut compile_host())
}

fn build_dashboard(test_run: &mut TestRun) -> Result<()> {
    test_run.wait("dashboard")?;
    dashboard::build_dashboard(true)?;
    if test_run.is_full {
        serve::build_release()?;
    }
    nextest::compile_tests()?;
    // The web tests run at the same time as the next steps, which use little of the processor.
    test_run.start("web", web_test_command(test_run)?)
}

/// Tests of the steps `crates` and `host`, as a filter expression of nextest: all that no other
/// step runs.
pub(crate) const HOST: &str =
    "all() - binary(=durability) - binary(=deploy) - binary(=many) - binary(=e2e)";
/// The tests of the step `crates`.
const CRATES: &str = "all() - package(gateway) - package(sheaf) - package(acceptance)";
/// The tests of the step `host`.
const APPS: &str = "package(gateway) + package(sheaf) + package(acceptance)";

fn run_host_part(test_run: &mut TestRun, part: &str) -> Result<()> {
    test_run.wait("packages")?;
    host_tests(test_run, &format!("({HOST}) & ({part})"))
}

/// Runs some tests of the steps `crates` and `host`.
pub(crate) fn host_tests(test_run: &mut TestRun, filter: &str) -> Result<()> {
    apt::need_programs(&["curl", "jq", "node", "openssl"])?;
    let python = python::for_server_tests()?;
    let path = servers::search_path()?;
    test_run.start_postgres(&path)?;
    nextest::run_selected(test_run, filter, |tests| {
        // Many tests wait for a disk, a process or a clock, so more threads run than there are
        // cores.
        tests.args(["--test-threads", "6"]).env("PATH", path);
        tests.env("TEST_PYTHON", python);
    })
}

fn durability(test_run: &mut TestRun) -> Result<()> {
    apt::need_programs(&["strace"])?;
    let python = python::for_server_tests()?;
    nextest::run_selected(test_run, "binary(durability)", |tests| {
        tests.args(["--test-threads", "4"]).env("TEST_PYTHON", python);
        // On disk, not in memory.
        tests.env("TMPDIR", env::temp_dir());
    })
}

/// Runs the deployment tests with proxies of the distribution, which only the tests start.
fn deploy(test_run: &mut TestRun) -> Result<()> {
    apt::need_programs(&["curl", "openssl", "systemd-analyze"])?;
    let nginx = servers::ensure_nginx()?;
    let caddy = servers::ensure_caddy()?;
    let is_root = apt::is_root();
    if is_root {
        apt::need_programs(&["systemd-nspawn"])?;
    } else {
        print_line("LEFT OUT: `manager::`: only root can start systemd in a namespace.");
    }
    nextest::run_selected(test_run, "binary(deploy)", |tests| {
        tests.env("NGINX", nginx).env("CADDY", caddy);
        if is_root {
            tests.env("SYSTEMD_NSPAWN", "systemd-nspawn");
        }
    })
}

/// Runs the tests of several instances with the distribution's servers and load balancer. They run
/// in one process, because all tests share one site.
fn many(test_run: &mut TestRun) -> Result<()> {
    let mut test = cargo("test --locked --workspace --test=many -- --test-threads=1");
    test.env("PATH", servers::search_path()?).env("NGINX", servers::ensure_nginx()?);
    test.env("TEST_PYTHON", python::for_server_tests()?);
    test.envs(test_run.variables()).env("SHEAF_BIN", paths::binary(test_run.is_full));
    test_run.run_counted(&mut test)
}

/// Writes the database file of the present schema, for upgrade tests.
pub(crate) fn write_fixtures() -> Result<()> {
    let mut test = cargo("test --locked --package=store-sqlite --test=it -- schemas");
    run(test.env("SHEAF_WRITE_FIXTURES", "1"))
}

/// Runs cargo-deny; each kind of check counts as a test. Advisories are skipped if their database
/// cannot be reached.
fn deny(test_run: &mut TestRun) -> Result<()> {
    let program = python::cargo_tool("cargo-deny")?;
    let deny = |words: &str| {
        let mut command = Command::new(&program);
        command.args(["--locked", "--log-level", "error"]).args(words.split(' '));
        command.current_dir(paths::root());
        command
    };
    run(&mut deny("check --hide-inclusion-graph bans licenses sources"))?;
    test_run.counts.passed += 3;
    if run_silently(&mut deny("fetch db")).is_none() {
        print_line("LEFT OUT: advisories, because their database cannot be reached.");
        return Ok(());
    }
    run(&mut deny("--offline check advisories"))?;
    test_run.counts.passed += 1;
    Ok(())
}

fn doctest(test_run: &mut TestRun) -> Result<()> {
    // All packages, so that dependencies have the features of the other tests.
    test_run.run_counted(&mut cargo("test --locked --workspace --doc"))
}

fn web_tests() -> Command {
    let options = format!("--locked --no-fail-fast --package=dashboard --target={WASM}");
    let mut test = cargo(&format!("test {options} --test=web"));
    // Debug symbols would triple the size of the module that the browser loads.
    test.env("CARGO_PROFILE_DEV_DEBUG", "0");
    test
}

pub(crate) fn run_web_tests(test_run: &mut TestRun) -> Result<()> {
    if test_run.wait("web")? {
        return Ok(());
    }
    test_run.run_counted(&mut web_test_command(test_run)?)
}

/// Returns the command that compiles and runs the web tests.
fn web_test_command(test_run: &TestRun) -> Result<Command> {
    let runner = tools::ensure_test_runner()?;
    let driver = browser::ensure_chromedriver()?;
    let mut test = web_tests();
    test.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", runner);
    test.env("WASM_BINDGEN_TEST_WEBDRIVER_JSON", browser_settings(test_run)?);
    // The runner's default is 20 s for all tests together, which a busy machine exceeds.
    test.env("WASM_BINDGEN_TEST_TIMEOUT", "600").env("CHROMEDRIVER", driver);
    // The runner would prefer this driver to that for Chromium.
    test.env_remove("GECKODRIVER");
    // The runner kills its driver, which leaves the browser's profile behind. `TMPDIR` is a folder
    // that this run removes.
    test.envs(test_run.variables());
    Ok(test)
}

/// Writes the browser's path into the settings of the web tests. Returns the path of the file.
fn browser_settings(test_run: &TestRun) -> Result<PathBuf> {
    let settings = fs::read_to_string(paths::root().join("tests/web/webdriver.json"))?;
    let mut settings: serde_json::Value = serde_json::from_str(&settings)?;
    let browser = browser::ensure_test_chromium(test_run.is_full)?;
    settings["goog:chromeOptions"]["binary"] = browser.to_string_lossy().into();
    let file = paths::target().join("webdriver.json");
    fs::write(&file, settings.to_string())?;
    Ok(file)
}

fn e2e(test_run: &mut TestRun) -> Result<()> {
    let driver = browser::ensure_chromedriver()?;
    let browser = browser::ensure_test_chromium(test_run.is_full)?;
    run_journeys(test_run, "binary(=e2e)", |tests| {
        tests.env("CHROMEDRIVER", driver).env("CHROMIUM", browser);
    })
}

/// Journeys that Firefox does not run: names, and why.
const CHROMIUM_ONLY: [(&str, &str); 4] = [
    ("accessibility::|canary::", "Firefox does not expose its accessibility tree or its traffic"),
    ("print::|preferences::", "Chromium's tools print pages and emulate preferences"),
    ("shortcuts::dashboard_is_installable", "Firefox installs no pages on a desktop"),
    (
        "live::|first_rows::first_rows_respect_stored_preferences",
        "Chromium's tools run scripts before those of a page",
    ),
];

/// Journeys that a merge run repeats in Firefox: the engines differ in storage, workers, scrolling
/// and downloads.
const FIREFOX_ALWAYS: &str = concat!(
    "sign_in::password_sign_in_reports_wrong_password|list::scrolling_shows_every_submission_once",
    "|filters::filters_are_in_url_and_match_api|card::card_has_url_and_neighbours",
    "|first_rows::first_rows_on_desktop",
    "|export::(exported_bytes_equal_api|export_resumes_after_pause_and_reload)",
    "|export::(failed_worker_load_is_reported_and_retried|ndjson_and_excel_equal_api)",
    "|offline::list_recovers_from_lost_connection",
    "|export_selection::cancelled_export_leaves_no_file",
);

fn e2e_firefox(test_run: &mut TestRun) -> Result<()> {
    let driver = browser::ensure_firefox_driver()?;
    for (tests, why) in CHROMIUM_ONLY {
        print_line(&format!("LEFT OUT in Firefox: `{tests}`: {why}."));
    }
    let unable = CHROMIUM_ONLY.map(|(tests, _)| tests).join("|");
    let able = format!("binary(=e2e) - test(/^({unable})/)");
    let firefox = |tests: &mut Command| {
        tests.env("E2E_BROWSER", "firefox").env("GECKODRIVER", &driver);
    };
    if test_run.is_full {
        return run_journeys(test_run, &able, firefox);
    }
    print_line(
        "LEFT OUT in Firefox: journeys that do not depend on the engine; full runs have them.",
    );
    run_journeys(test_run, &format!("binary(=e2e) & test(/^({FIREFOX_ALWAYS})/)"), firefox)
}

/// Runs journeys, with the tools that they need besides a browser.
fn run_journeys(
    test_run: &mut TestRun,
    filter: &str,
    configure: impl FnOnce(&mut Command),
) -> Result<()> {
    // If only this step runs, the dashboard could be outdated.
    dashboard::build_dashboard(true)?;
    let axe = tools::axe_path()?;
    // The exported workbooks are read by two other programs.
    let python = python::ensure_environment(&python::OPENPYXL)?;
    apt::need_programs(&["soffice"])?;
    let nginx = servers::ensure_nginx()?;
    let binary = paths::binary(test_run.is_full);
    if !test_run.is_full {
        print_line("LEFT OUT: views other than light desktop and dark phone; two hostile texts.");
    }
    nextest::run_selected(test_run, filter, |tests| {
        tests.args(["--test-threads", "3"]).env("SHEAF_BIN", binary).env("AXE_JS", axe);
        tests.env("OPENPYXL_PYTHON", python.join("python")).env("NGINX", nginx);
        configure(tests);
    })
}
