//! Parts of the harness that are specific to Chromium: start, viewport, network and console.

use super::Viewport;
use std::path::Path;
use std::process::{Command, Stdio};
use thirtyfour::common::capabilities::chromium::ChromiumLikeCapabilities;
use thirtyfour::prelude::*;
use thirtyfour::{ChromeCapabilities, LoggingPrefsLogLevel};

/// Text before the port in the output of chromedriver.
pub(super) const PORT_AFTER: &str = "started successfully on port ";

/// Returns the command for chromedriver on a free port.
pub(super) fn driver_command() -> Command {
    let named = std::env::var_os("CHROMEDRIVER");
    let mut process = Command::new(named.unwrap_or_else(|| "chromedriver".into()));
    process.arg("--port=0").stderr(Stdio::null());
    // Times and numbers have the same format on every machine.
    process.env("TZ", "UTC").env("LANGUAGE", "en-US").env("LANG", "en_US.UTF-8");
    process
}

pub(super) fn capabilities(viewport: Viewport) -> ChromeCapabilities {
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
        // Pages without focus, or behind another window, run at full speed.
        "--disable-background-timer-throttling",
        "--disable-backgrounding-occluded-windows",
        "--disable-renderer-backgrounding",
        // Tests change the URL more often than users do.
        "--disable-ipc-flooding-protection",
        &format!("--window-size={},{}", viewport.width.max(500), viewport.height),
    ] {
        capabilities.add_arg(argument).expect("a plain argument");
    }
    if let Ok(browser) = std::env::var("CHROMIUM") {
        capabilities.set_binary(&browser).expect("a path");
    }
    let preferences = serde_json::json!({ "credentials_enable_service": false });
    capabilities.add_experimental_option("prefs", preferences).expect("plain preferences");
    let all = LoggingPrefsLogLevel::All;
    capabilities.set_logging_prefs("browser", all).expect("a log of the console");
    capabilities.set_logging_prefs("performance", all).expect("a log of the network");
    capabilities
}

/// Sets the viewport size and the colour scheme. The size may be below Chromium's smallest window.
pub(super) async fn set_viewport(driver: &WebDriver, viewport: Viewport) {
    let metrics = serde_json::json!({
        "width": viewport.width, "height": viewport.height, "deviceScaleFactor": 1,
        "mobile": viewport.width < 600,
    });
    let scheme = if viewport.dark { "dark" } else { "light" };
    let media = serde_json::json!({
        "features": [{ "name": "prefers-color-scheme", "value": scheme }]
    });
    for (command, parameters) in
        [("Emulation.setDeviceMetricsOverride", metrics), ("Emulation.setEmulatedMedia", media)]
    {
        driver.cdp().send_raw(command, parameters).await.expect("Chromium accepts the command");
    }
}

/// Sets the folder of downloads. Chromium's build without windows ignores the preference for it.
pub(super) async fn set_downloads(driver: &WebDriver, folder: &Path) {
    let behavior = serde_json::json!({ "behavior": "allow", "downloadPath": folder });
    let command = "Browser.setDownloadBehavior";
    driver.cdp().send_raw(command, behavior).await.expect("Chromium accepts the command");
}

/// Runs a script in every later page, before the page's own scripts.
pub(super) async fn before_pages(driver: &WebDriver, script: &str) {
    let command = "Page.addScriptToEvaluateOnNewDocument";
    let source = serde_json::json!({ "source": script });
    driver.cdp().send_raw(command, source).await.expect("Chromium accepts the command");
}

/// Disconnects the network, or connects it again.
pub(super) async fn set_offline(driver: &WebDriver, offline: bool) {
    let conditions = serde_json::json!({
        "offline": offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1,
    });
    let command = "Network.emulateNetworkConditions";
    driver.cdp().send_raw(command, conditions).await.expect("Chromium accepts the command");
}

/// Warning to ignore: on a busy machine, Chromium reports that the page has not used a preloaded
/// module within some seconds.
const PRELOAD_UNUSED: &str = "was preloaded using link preload but not used within a few seconds";

/// Returns the errors and warnings of the console since the last call, including refused requests.
pub(super) async fn take_console_errors(driver: &WebDriver) -> Vec<String> {
    let log = driver.handle().browser_log().await.expect("the console can be read");
    log.into_iter()
        .filter(|entry| entry.level == "SEVERE" || entry.level == "WARNING")
        .filter(|entry| !entry.message.contains(PRELOAD_UNUSED))
        .map(|entry| entry.message)
        .collect()
}
