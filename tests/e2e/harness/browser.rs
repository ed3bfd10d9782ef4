//! A Chromium of its own for each journey, driven over `WebDriver`.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;
use thirtyfour::common::capabilities::chromium::ChromiumLikeCapabilities;
use thirtyfour::prelude::*;
use thirtyfour::{ChromeCapabilities, LoggingPrefsLogLevel};

/// What a person looks through: a size, and a preference for light or dark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Look {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) dark: bool,
}

impl Look {
    /// A desk screen in daylight.
    pub(crate) const DESK: Self = Self { width: 1440, height: 900, dark: false };
    /// A desk screen at night.
    pub(crate) const DESK_DARK: Self = Self { dark: true, ..Self::DESK };
    /// A phone in daylight.
    pub(crate) const PHONE: Self = Self { width: 390, height: 844, dark: false };
    /// A phone at night.
    pub(crate) const PHONE_DARK: Self = Self { dark: true, ..Self::PHONE };
}

/// A running browser and its driver. Ended by [`Browser::quit`].
pub(crate) struct Browser {
    driver: WebDriver,
    process: Child,
    downloads: TempDir,
}

impl Browser {
    /// Starts a browser with an empty profile.
    pub(crate) async fn start(look: Look) -> Self {
        let (process, port) = start_chromedriver();
        let downloads = tempfile::tempdir().expect("a temporary folder");
        let capabilities = capabilities(look, downloads.path());
        let driver = WebDriver::new(format!("http://127.0.0.1:{port}"), capabilities)
            .await
            .expect("Chromium starts");
        let browser = Self { driver, process, downloads };
        browser.look(look).await;
        browser
    }

    /// Returns the handle by which the page is driven, and the folder of its downloads.
    pub(crate) fn driver(&self) -> (WebDriver, PathBuf) {
        (self.driver.clone(), self.downloads.path().to_owned())
    }

    /// Sets size and colour preference exactly, below the smallest window that Chromium makes.
    async fn look(&self, look: Look) {
        let cdp = self.driver.cdp();
        let metrics = serde_json::json!({
            "width": look.width, "height": look.height, "deviceScaleFactor": 1,
            "mobile": look.width < 600,
        });
        let scheme = if look.dark { "dark" } else { "light" };
        let media = serde_json::json!({
            "features": [{ "name": "prefers-color-scheme", "value": scheme }]
        });
        for (command, parameters) in
            [("Emulation.setDeviceMetricsOverride", metrics), ("Emulation.setEmulatedMedia", media)]
        {
            cdp.send_raw(command, parameters).await.expect("Chromium takes the command");
        }
    }

    /// Ends browser and driver.
    pub(crate) async fn quit(mut self) {
        // A browser that has crashed cannot be asked to go; its driver can be ended all the same.
        let _ = self.driver.quit().await;
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn capabilities(look: Look, downloads: &Path) -> ChromeCapabilities {
    let mut capabilities = DesiredCapabilities::chrome();
    for argument in [
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-quic",
        &format!("--window-size={},{}", look.width.max(500), look.height),
    ] {
        capabilities.add_arg(argument).expect("a plain argument");
    }
    let preferences = serde_json::json!({
        "download.default_directory": downloads,
        "download.prompt_for_download": false,
        "credentials_enable_service": false,
    });
    capabilities.add_experimental_option("prefs", preferences).expect("plain preferences");
    let all = LoggingPrefsLogLevel::All;
    capabilities.set_logging_prefs("browser", all).expect("a log of the console");
    capabilities.set_logging_prefs("performance", all).expect("a log of the network");
    capabilities
}

fn start_chromedriver() -> (Child, u16) {
    let named = std::env::var_os("CHROMEDRIVER");
    let mut process = Command::new(named.unwrap_or_else(|| "chromedriver".into()))
        .arg("--port=0")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("chromedriver is there: `cargo xtask test e2e` installs it");
    let mut lines = BufReader::new(process.stdout.take().expect("piped")).lines();
    let port = loop {
        let line = lines.next().expect("it says its port").expect("in text");
        if let Some((_, port)) = line.split_once("started successfully on port ") {
            break port.trim_end_matches('.').parse().expect("a number");
        }
    };
    std::thread::spawn(move || lines.for_each(drop));
    (process, port)
}
