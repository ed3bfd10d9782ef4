//! The steps of `cargo xtask test`, in the order in which they run.

use std::{env, process::Command};

use crate::build::{dashboard, size};
use crate::cargo::cargo;
use crate::run::{Result, run, say};
use crate::test::test_run::{Level, TestRun, counted, rotation};
use crate::test::{deny, fuzz, nextest, observatory, postgres, schemathesis};
use crate::{apt, browser, place, python, serve, servers, tidy, tools};

/// A step: its name, what it checks, the runs that have it, and how it works.
pub(crate) struct Step {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) level: Level,
    pub(crate) run: fn(&mut TestRun) -> Result,
}

const fn step(name: &'static str, about: &'static str, run: fn(&mut TestRun) -> Result) -> Step {
    Step { name, about, level: Level::Merge, run }
}

/// All steps. Those before `dashboard` need nothing that is still being prepared.
pub(crate) const STEPS: [Step; 21] = [
    step("format", "rustfmt changes nothing", format),
    step("tidy", "the house style holds", |_| tidy::check()),
    step("clippy", "no lint on the host", clippy),
    step("clippy-wasm", "no lint for the browser", clippy_wasm),
    step("docs", "the documentation builds without warnings", docs),
    step("compile", "all tests compile", compile),
    step("dashboard", "tools, packages and the dashboard are there", build_dashboard),
    step("size", "what a browser downloads is small", |_| size::check()),
    step("host", "unit tests, tests of each crate from outside, the specification", host),
    step("postgres", "specification, routes and commands over PostgreSQL", postgres::suites),
    step("durability", "nothing acknowledged is lost, whatever dies", durability),
    step("deploy", "the deployments of docs/deploy, with real proxies", deploy),
    step("many", "three instances over PostgreSQL, behind nginx", many),
    step("deny", "the dependencies and their licences are allowed", deny::check),
    step("doctest", "examples in the documentation", doctest),
    step("schemathesis", "the published contract against the real binary", schemathesis::check),
    step("observatory", "the binary's headers, graded by Mozilla's analyser", observatory::check),
    step("web", "the dashboard's parts, in headless Chromium", web),
    step("e2e", "journeys in Chromium on the real binary", e2e),
    step("e2e-firefox", "journeys in Firefox", e2e_firefox),
    Step {
        name: "fuzz",
        about: "hostile input, for some seconds each",
        level: Level::Full,
        run: fuzz::short,
    },
];

fn format(_: &mut TestRun) -> Result {
    run(&mut cargo(&["fmt", "--all", "--check"]))
}

pub(crate) fn clippy(_: &mut TestRun) -> Result {
    let mut clippy = cargo(&["clippy", "--locked"]);
    clippy.args(nextest::TARGETS).args(["--exclude", "dashboard", "--examples"]);
    clippy.args(["--", "-D", "warnings"]);
    run(&mut clippy)
}

pub(crate) fn clippy_wasm(_: &mut TestRun) -> Result {
    tools::wasm_target()?;
    // `--all-targets` leaves out what only its own step runs, and wins over a name.
    for selection in [
        ["--package=export-worker", "--bin=exporter"],
        ["--package=dashboard", "--all-targets"],
        ["--package=dashboard", "--test=web"],
    ] {
        let mut clippy = cargo(&["clippy", "--locked", "--target", tools::WASM]);
        run(clippy.args(selection).args(["--", "-D", "warnings"]))?;
    }
    Ok(())
}

fn docs(_: &mut TestRun) -> Result {
    let flags = ("RUSTDOCFLAGS", "-D warnings");
    let mut host =
        cargo(&["doc", "--locked", "--workspace", "--exclude", "dashboard", "--no-deps"]);
    run(host.env(flags.0, flags.1))?;
    let words = ["doc", "--locked", "--package", "dashboard", "--no-deps", "--target", tools::WASM];
    run(cargo(&words).env(flags.0, flags.1))
}

/// The dashboard may still be built meanwhile, which keeps one core busy for most of its time.
fn compile(_: &mut TestRun) -> Result {
    run(web_tests().arg("--no-run"))?;
    nextest::compile()
}

fn build_dashboard(test_run: &mut TestRun) -> Result {
    test_run.wait_for_preparation()?;
    dashboard::build(dashboard::Build::Release)?;
    if test_run.is_full() {
        serve::build()?;
    }
    nextest::compile()
}

/// The tests of the step `host`, as a filter expression of nextest.
pub(crate) const HOST: &str = "kind(lib) + kind(bin) + binary(it) + binary(spec)";

fn host(test_run: &mut TestRun) -> Result {
    host_tests(test_run, HOST)
}

/// Runs some tests of the step `host`.
pub(crate) fn host_tests(test_run: &mut TestRun, filter: &str) -> Result {
    for program in ["curl", "jq"] {
        apt::need_program(program, program, "to run the requests of docs/api.md")?;
    }
    let path = servers::path()?;
    test_run.start_postgres(&path)?;
    nextest::select(test_run, filter, |tests| {
        // Many tests wait for a disk, a process or a clock, so more of them run than there are
        // cores.
        tests.args(["--test-threads", "4"]).env("PATH", path);
    })
}

fn durability(test_run: &mut TestRun) -> Result {
    apt::need_program("strace", "strace", "which records every write of a process")?;
    let on_disk = env::temp_dir();
    nextest::select(test_run, "binary(durability)", |tests| {
        tests.args(["--test-threads", "4"]);
        tests.env("TMPDIR", on_disk);
    })
}

/// Proxies of the distribution, which only the tests start.
fn deploy(test_run: &mut TestRun) -> Result {
    for program in ["curl", "openssl"] {
        apt::need_program(program, program, "to send requests through proxies")?;
    }
    apt::need_program("systemd-analyze", "systemd", "which reads and rates the unit")?;
    let (nginx, caddy) = (servers::nginx()?, apt::unpacked("caddy", "usr/bin/caddy")?);
    let is_root = apt::is_root();
    if is_root {
        let why = "to start systemd in namespaces of its own";
        apt::need_program("systemd-nspawn", "systemd-container", why)?;
    } else {
        say("LEFT OUT: `manager::`: only root can start a systemd of its own.");
    }
    nextest::select(test_run, "binary(deploy)", |tests| {
        tests.env("NGINX", nginx).env("CADDY", caddy);
        if is_root {
            tests.env("SYSTEMD_NSPAWN", "systemd-nspawn");
        }
    })
}

/// Servers and a balancer of the distribution, which only the tests start. In one process, since
/// all tests share one site.
fn many(test_run: &mut TestRun) -> Result {
    let mut test = Command::new(nextest::program("sheaf::many")?);
    test.args(["--test-threads", "1"]).current_dir(place::root().join("crates/sheaf"));
    test.env("PATH", servers::path()?).env("NGINX", servers::nginx()?);
    test.envs(test_run.variables()).env("SHEAF_BIN", test_run.binary());
    counted(&mut test, &mut test_run.counts)
}

/// Writes the files that the tests of upgrades miss.
pub(crate) fn fixture() -> Result {
    let words = ["test", "--locked", "--package", "store-sqlite", "--test", "it", "--", "schemas"];
    run(cargo(&words).env("SHEAF_WRITE_FIXTURES", "1"))
}

fn doctest(test_run: &mut TestRun) -> Result {
    // All packages, so that dependencies have the features of the other tests.
    let words = ["test", "--locked", "--workspace", "--doc"];
    counted(&mut cargo(&words), &mut test_run.counts)
}

fn web_tests() -> Command {
    let mut test = cargo(&["test", "--locked", "--no-fail-fast", "--package", "dashboard"]);
    test.args(["--target", tools::WASM, "--test", "web"]);
    // Symbols would triple what the browser has to load.
    test.env("CARGO_PROFILE_DEV_DEBUG", "0");
    test
}

pub(crate) fn web(test_run: &mut TestRun) -> Result {
    let runner = tools::for_browser_tests()?;
    let driver = browser::driver()?;
    let mut test = web_tests();
    test.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", runner);
    test.env("WASM_BINDGEN_TEST_WEBDRIVER_JSON", place::root().join("tests/web/webdriver.json"));
    // The runner gives all tests together 20 s, which a busy machine exceeds.
    test.env("WASM_BINDGEN_TEST_TIMEOUT", "600").env("CHROMEDRIVER", driver);
    // It would be taken before the one of Chromium.
    test.env_remove("GECKODRIVER");
    // The runner ends its driver, which then leaves the browser's profile behind: in a folder that
    // goes with this run.
    test.envs(test_run.variables());
    counted(&mut test, &mut test_run.counts)
}

fn e2e(test_run: &mut TestRun) -> Result {
    let driver = browser::driver()?;
    journeys(test_run, "binary(=e2e)", |tests| {
        tests.env("CHROMEDRIVER", driver);
    })
}

/// Journeys that Firefox does not run, and why.
const CHROMIUM_ONLY: [(&str, &str); 7] = [
    ("told::", "outlines are read from Chromium's accessibility tree, and Firefox offers none"),
    ("print::", "pages are printed by Chromium's tools"),
    ("preferences::", "the preferences of a device are emulated by Chromium's tools"),
    ("habits::the_dashboard_can_be_installed", "Firefox installs no pages on a desktop"),
    ("canary::", "Firefox does not tell what went over its network"),
    ("first::who_has_an_own_view", "Chromium's tools run scripts before those of a page"),
    ("first::the_module_waits", "Chromium's tools run scripts before those of a page"),
];

/// Journeys that every run repeats in Firefox: the engines differ in storage, workers, scrolling
/// and downloads.
const FIREFOX_ALWAYS: [&str; 12] = [
    "sign_in::a_password_signs_in_and_a_wrong_one_is_told",
    "list::scrolling_to_the_end_shows_every_submission_once",
    "filters::filters_live_in_the_address_and_agree_with_the_api",
    "filters::back_and_forward_restore_place_and_filter",
    "card::a_card_has_its_own_address_and_neighbours",
    "export::both_ways_to_export_give_the_bytes_of_the_api",
    "export::an_export_goes_on_after_a_pause_and_after_a_reload",
    "export::a_worker_that_does_not_come_is_told_and_tried_again",
    "export::lines_and_workbooks_say_what_the_api_says",
    "offline::the_list_says_so_and_goes_on_by_itself",
    "chosen::an_export_that_is_given_up_leaves_no_file",
    "first::first_rows_at_a_desk",
];
/// Of the other journeys, a run that is not full repeats one in so many. All have run after as many
/// commits.
const FIREFOX_ROTATION: usize = 5;

fn e2e_firefox(test_run: &mut TestRun) -> Result {
    let driver = browser::firefox_driver()?;
    for (tests, why) in CHROMIUM_ONLY {
        say(&format!("LEFT OUT in Firefox: `{tests}`: {why}."));
    }
    let names = |names: &[&str]| {
        names.iter().map(|name| format!("test(/^{name}/)")).collect::<Vec<_>>().join(" + ")
    };
    let able = format!("binary(=e2e) - ({})", names(&CHROMIUM_ONLY.map(|(tests, _)| tests)));
    let firefox = |tests: &mut Command| {
        tests.env("E2E_BROWSER", "firefox").env("GECKODRIVER", &driver);
    };
    if test_run.is_full() {
        return journeys(test_run, &able, firefox);
    }
    let always = names(&FIREFOX_ALWAYS);
    let part = rotation() % FIREFOX_ROTATION + 1;
    let partition = format!("hash:{part}/{FIREFOX_ROTATION}");
    say(&format!(
        "LEFT OUT in Firefox: the journeys outside of part {part} of {FIREFOX_ROTATION}."
    ));
    let chosen = journeys(test_run, &format!("binary(=e2e) & ({always})"), firefox);
    let rotated = journeys(test_run, &format!("({able}) - ({always})"), |tests| {
        firefox(tests);
        tests.args(["--partition", &partition]);
    });
    chosen.and(rotated)
}

/// Runs journeys, with what they need besides a browser.
fn journeys(test_run: &mut TestRun, filter: &str, configure: impl FnOnce(&mut Command)) -> Result {
    // A run of this step alone must not test an old dashboard.
    dashboard::build(dashboard::Build::Release)?;
    let axe = tools::axe()?;
    // Two other programs read the workbooks that exports make.
    let python = python::environment("openpyxl", python::OPENPYXL)?;
    apt::need_program("soffice", "libreoffice-calc-nogui", "to open exported workbooks")?;
    let (nginx, binary) = (servers::nginx()?, test_run.binary());
    if !test_run.is_full() {
        say(
            "LEFT OUT: looks other than a light desk and a dark phone; two of three hostile texts.",
        );
    }
    nextest::select(test_run, filter, |tests| {
        tests.args(["--test-threads", "3"]).env("SHEAF_BIN", binary).env("AXE_JS", axe);
        tests.env("OPENPYXL_PYTHON", python.join("python")).env("NGINX", nginx);
        configure(tests);
    })
}
