//! A new browser for each test, driven over `WebDriver`: Chromium, or Firefox if `E2E_BROWSER` is
//! `firefox`. The modules `chromium` and `firefox` contain the differences.

use super::{WAIT_MAX, chromium, firefox};
use std::io::{BufRead, BufReader, Lines};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use thirtyfour::prelude::*;

/// Viewport size and colour scheme.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Viewport {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) dark: bool,
}

impl Viewport {
    /// A desktop with the light theme.
    pub(crate) const DESKTOP: Self = Self { width: 1440, height: 900, dark: false };
    /// A desktop with the dark theme.
    pub(crate) const DESKTOP_DARK: Self = Self { dark: true, ..Self::DESKTOP };
    /// A phone with the light theme.
    pub(crate) const PHONE: Self = Self { width: 390, height: 844, dark: false };
    /// A phone with the dark theme.
    pub(crate) const PHONE_DARK: Self = Self { dark: true, ..Self::PHONE };

    /// Views that every run tests: they cover each size and each theme once.
    const USUAL: [Self; 2] = [Self::DESKTOP, Self::PHONE_DARK];

    /// Returns the views of this run: all four in a full run, and otherwise the light desktop and
    /// the dark phone.
    pub(crate) fn views_of_run() -> Vec<Self> {
        let all = [Self::DESKTOP, Self::DESKTOP_DARK, Self::PHONE, Self::PHONE_DARK];
        let is_tested = |view: &Self| test_servers::is_full_run() || Self::USUAL.contains(view);
        all.into_iter().filter(is_tested).collect()
    }

    /// Whether this run skips a test in this viewport. Only full runs test every viewport.
    pub(crate) fn is_skipped(self, what: &str) -> bool {
        if test_servers::is_full_run() || Self::USUAL.contains(&self) {
            return false;
        }
        let theme = if self.dark { "dark" } else { "light" };
        super::report_skipped(&format!(
            "{what} in {theme} at {} by {} pixels: only in full runs",
            self.width, self.height
        ));
        true
    }

    /// Returns the end of the names of screenshots.
    pub(crate) fn screenshot_suffix(self) -> String {
        let size = if self.width < 600 { "phone" } else { "desk" };
        format!("{size}{}", if self.dark { "-dark" } else { "" })
    }
}

/// Browser engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Engine {
    Chromium,
    Firefox,
}

impl Engine {
    fn from_env() -> Self {
        match std::env::var("E2E_BROWSER").as_deref() {
            Ok("firefox") => Self::Firefox,
            Ok("chromium") | Err(_) => Self::Chromium,
            Ok(other) => panic!("`E2E_BROWSER` must be `chromium` or `firefox`, but is `{other}`"),
        }
    }
}

/// Handle of a browser for [`super::Page`]. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Driver {
    pub(crate) web: WebDriver,
    pub(crate) engine: Engine,
    pub(crate) downloads: PathBuf,
    /// Lines that the driver's process has printed. Only Firefox uses them.
    pub(crate) output: Arc<Mutex<Vec<String>>>,
}

/// A running browser and its driver. [`Browser::quit`] ends both.
pub(crate) struct Browser {
    driver: Driver,
    process: Child,
    /// Contains all files of browser and driver.
    folder: TempDir,
}

impl Browser {
    /// Starts a browser with an empty profile.
    pub(crate) async fn start(viewport: Viewport) -> Self {
        let engine = Engine::from_env();
        let (mut process, port_after) = match engine {
            Engine::Chromium => (chromium::driver_command(), chromium::PORT_AFTER),
            Engine::Firefox => (firefox::driver_command(), firefox::PORT_AFTER),
        };
        let folder = tempfile::tempdir().expect("a temporary folder");
        let [downloads, scratch] = ["downloads", "scratch"].map(|name| {
            let path = folder.path().join(name);
            std::fs::create_dir(&path).expect("a folder");
            path
        });
        // A killed driver leaves the profiles of its browsers, so they go into this folder.
        process.env("TMPDIR", &scratch);
        let (process, port, said) = spawn_driver(&mut process, port_after);
        let capabilities: thirtyfour::Capabilities = match engine {
            Engine::Chromium => chromium::capabilities(viewport).into(),
            Engine::Firefox => firefox::capabilities(viewport, &downloads).into(),
        };
        let web = WebDriver::new(format!("http://127.0.0.1:{port}"), capabilities).await;
        let web = web.expect("the browser starts");
        match engine {
            Engine::Chromium => {
                chromium::set_viewport(&web, viewport).await;
                chromium::set_downloads(&web, &downloads).await;
            }
            Engine::Firefox => firefox::set_viewport(&web, viewport).await,
        }
        let driver = Driver { web, engine, downloads, output: said };
        Self { driver, process, folder }
    }

    /// Returns the handle of the browser.
    pub(crate) fn driver(&self) -> Driver {
        self.driver.clone()
    }

    /// Ends browser and driver, and deletes their files.
    pub(crate) async fn quit(mut self) {
        // A crashed browser cannot be closed, but its driver can still be killed.
        let _ = self.driver.web.quit().await;
        let _ = self.process.kill();
        let _ = self.process.wait();
        // The browser's last processes may still write for a moment.
        let folder = self.folder.keep();
        let since = Instant::now();
        while let Err(error) = std::fs::remove_dir_all(&folder) {
            assert!(since.elapsed() < WAIT_MAX, "{}: {error}", folder.display());
            tokio::time::sleep(Duration::from_millis(40)).await;
        }
    }
}

/// Maximum number of attempts to start a driver. chromedriver picks a port that is free over IPv6,
/// and exits if another process uses it over IPv4.
const STARTS_MAX: usize = 5;

/// Starts a driver, reads its port, and records its later output.
fn spawn_driver(command: &mut Command, port_after: &str) -> (Child, u16, Arc<Mutex<Vec<String>>>) {
    command.stdout(Stdio::piped());
    let mut words = Vec::new();
    for _ in 0..STARTS_MAX {
        let mut process = command.spawn().unwrap_or_else(|error| {
            panic!("{command:?} does not start ({error}): `cargo xtask test e2e` installs it")
        });
        let mut lines = BufReader::new(process.stdout.take().expect("piped")).lines();
        for line in lines.by_ref() {
            let line = line.expect("text");
            if let Some((_, port)) = line.split_once(port_after) {
                let port = port.trim_end_matches('.').parse().expect("a number");
                return (process, port, record_lines(lines));
            }
            words.push(line);
        }
        process.wait().expect("the driver ends after it has closed its output");
    }
    panic!("{command:?} ended {STARTS_MAX} times before it printed its port: {words:#?}")
}

fn record_lines(lines: Lines<BufReader<ChildStdout>>) -> Arc<Mutex<Vec<String>>> {
    let output = Arc::new(Mutex::new(Vec::new()));
    let into = Arc::clone(&output);
    // Read the pipe until its end, so that the driver never blocks on a full pipe.
    std::thread::spawn(move || {
        for line in lines.map_while(Result::ok) {
            into.lock().expect("the lock is not poisoned").push(line);
        }
    });
    output
}
