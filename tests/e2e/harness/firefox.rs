//! Parts of the harness that are specific to Firefox: start, viewport, network and console.

use super::{Viewport, WAIT_MAX};
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};
use thirtyfour::common::capabilities::firefox::FirefoxPreferences;
use thirtyfour::common::command::FormatRequestData;
use thirtyfour::prelude::*;
use thirtyfour::{FirefoxCapabilities, RequestData, SessionId};

/// Text before the port in the output of geckodriver.
pub(super) const PORT_AFTER: &str = "Listening on 127.0.0.1:";

/// Preference for the colour scheme of pages: 0 is dark, and 1 is light.
const COLOR_SCHEME: &str = "layout.css.prefers-color-scheme.content-override";

/// Returns the command for geckodriver on a free port, with access to the browser's own context.
pub(super) fn driver_command() -> Command {
    let named = std::env::var_os("GECKODRIVER");
    let mut process = Command::new(named.unwrap_or_else(|| "geckodriver".into()));
    process.args(["--port=0", "--websocket-port=0", "--allow-system-access"]);
    process.stderr(Stdio::null()).env("TZ", "UTC");
    process
}

pub(super) fn capabilities(viewport: Viewport, downloads: &Path) -> FirefoxCapabilities {
    let mut preferences = FirefoxPreferences::new();
    let mut set = |key: &str, value: Value| {
        preferences.set(key, value).expect("a plain preference");
    };
    set("browser.download.folderList", json!(2));
    set("browser.download.dir", json!(downloads));
    set("browser.download.alwaysOpenPanel", json!(false));
    // Numbers have the same format on every machine.
    set("intl.accept_languages", json!("en-US"));
    set("signon.rememberSignons", json!(false));
    // Tests change the URL more often than users do.
    set("dom.navigation.navigationRateLimit.count", json!(0));
    // Features that no test uses and that would slow down every start.
    set("dom.ipc.processPrelaunch.enabled", json!(false));
    set("browser.newtab.preload", json!(false));
    set("browser.newtabpage.enabled", json!(false));
    set("javascript.options.wasm_optimizingjit", json!(false));
    // Print the console of pages, but not the browser's own console.
    set("devtools.console.stdout.content", json!(true));
    set("devtools.console.stdout.chrome", json!(false));
    set(COLOR_SCHEME, json!(i32::from(!viewport.dark)));
    let mut capabilities = DesiredCapabilities::firefox();
    capabilities.set_headless().expect("a plain argument");
    capabilities.set_preferences(preferences).expect("plain preferences");
    capabilities
}

/// Sets the viewport size and the colour scheme. The size may be below Firefox's smallest window.
pub(super) async fn set_viewport(driver: &WebDriver, viewport: Viewport) {
    let scheme = i32::from(!viewport.dark);
    let free = format!(
        "document.documentElement.style.minWidth = '0';
        Services.prefs.setIntPref('{COLOR_SCHEME}', {scheme})"
    );
    run_in_browser_context(driver, &free).await;
    let width = i64::from(viewport.width);
    let height = i64::from(viewport.height);
    let bars = driver.execute("return outerHeight - innerHeight", vec![]).await;
    let bars = bars.expect("a script runs").json().as_i64().expect("a height");
    let whole = u32::try_from(height + bars).expect("a height");
    driver.set_window_rect(0, 0, viewport.width, whole).await.expect("the window has a size");
    let since = Instant::now();
    loop {
        let size = driver.execute("return [innerWidth, innerHeight]", vec![]).await;
        let size = size.expect("a script runs").json().clone();
        if size == json!([width, height]) {
            return;
        }
        assert!(since.elapsed() < WAIT_MAX, "the viewport is {size}");
        tokio::time::sleep(Duration::from_millis(40)).await;
    }
}

/// Disconnects the network, or connects it again.
pub(super) async fn set_offline(driver: &WebDriver, offline: bool) {
    run_in_browser_context(driver, &format!("Services.io.offline = {offline}")).await;
}

/// Runs a script in the browser's own context instead of the page.
async fn run_in_browser_context(driver: &WebDriver, script: &str) {
    let handle = driver.handle();
    handle.cmd(Context("chrome")).await.expect("Firefox allows scripts in its own context");
    let ran = driver.execute(script, vec![]).await;
    handle.cmd(Context("content")).await.expect("the page context exists");
    ran.expect("the script runs");
}

/// `WebDriver` command that selects the context of scripts.
#[derive(Debug)]
struct Context(&'static str);

impl FormatRequestData for Context {
    fn format_request(&self, session: &SessionId) -> RequestData {
        let path = format!("/session/{session}/moz/context");
        RequestData::new("POST".parse().expect("a method"), path)
            .add_body(json!({ "context": self.0 }))
    }
}

/// Returns the errors and warnings of the console since the last call. Refused requests are
/// missing: Firefox shows them only in its developer tools.
pub(super) fn take_console_errors(said: &Mutex<Vec<String>>) -> Vec<String> {
    let mut said = said.lock().expect("the lock is not poisoned");
    said.drain(..).filter(|line| is_of_a_page(line)).collect()
}

/// Errors to ignore: Firefox fails pending requests before it leaves a page.
const NAVIGATION_ERRORS: [&str; 2] =
    ["NetworkError when attempting to fetch resource", "AbortError: The operation was aborted"];

fn is_of_a_page(line: &str) -> bool {
    // The browser's own code also logs errors, with other URLs or with a name: `RSLoader` loads
    // Mozilla's studies.
    let thrown = line.strip_prefix("JavaScript error: ").is_some_and(|at| at.starts_with("http"));
    let written = ["console.error: ", "console.warn: "].iter().find_map(|it| line.strip_prefix(it));
    let is_known = |text: &&str| NAVIGATION_ERRORS.iter().any(|left| text.contains(left));
    thrown || written.is_some_and(|text| !text.starts_with("RSLoader:") && !is_known(&text))
}
