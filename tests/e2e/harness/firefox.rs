//! What is Firefox's own: how it starts, is looked through, is cut off, and tells what went wrong.

use super::Look;
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use thirtyfour::common::capabilities::firefox::FirefoxPreferences;
use thirtyfour::common::command::FormatRequestData;
use thirtyfour::prelude::*;
use thirtyfour::{FirefoxCapabilities, RequestData, SessionId};

/// What stands before the port in its driver's words.
pub(super) const PORT_AFTER: &str = "Listening on 127.0.0.1:";

/// Its driver, on a free port, with a way into the browser itself.
pub(super) fn process() -> Command {
    let named = std::env::var_os("GECKODRIVER");
    let mut process = Command::new(named.unwrap_or_else(|| "geckodriver".into()));
    process.args(["--port=0", "--websocket-port=0", "--allow-system-access"]);
    process.stderr(Stdio::null()).env("TZ", "UTC");
    process
}

pub(super) fn capabilities(look: Look, downloads: &Path) -> FirefoxCapabilities {
    let mut preferences = FirefoxPreferences::new();
    let mut set = |key: &str, value: Value| {
        preferences.set(key, value).expect("a plain preference");
    };
    set("browser.download.folderList", json!(2));
    set("browser.download.dir", json!(downloads));
    set("browser.download.alwaysOpenPanel", json!(false));
    // Numbers are written alike on every machine.
    set("intl.accept_languages", json!("en-US"));
    set("signon.rememberSignons", json!(false));
    // A journey changes the address more often than a person.
    set("dom.navigation.navigationRateLimit.count", json!(0));
    // What no journey sees, and every start of the browser would pay for.
    set("dom.ipc.processPrelaunch.enabled", json!(false));
    set("browser.newtab.preload", json!(false));
    set("browser.newtabpage.enabled", json!(false));
    set("javascript.options.wasm_optimizingjit", json!(false));
    // What a page writes to its console is printed, and not what the browser writes to its own.
    set("devtools.console.stdout.content", json!(true));
    set("devtools.console.stdout.chrome", json!(false));
    set("layout.css.prefers-color-scheme.content-override", json!(i32::from(!look.dark)));
    let mut capabilities = DesiredCapabilities::firefox();
    capabilities.set_headless().expect("a plain argument");
    capabilities.set_preferences(preferences).expect("plain preferences");
    capabilities
}

/// Sets the size of the page exactly, below the smallest window that Firefox makes.
pub(super) async fn look(driver: &WebDriver, look: Look) {
    let free = "document.documentElement.style.minWidth = '0'";
    inside(driver, free).await;
    let (width, height) = (i64::from(look.width), i64::from(look.height));
    let bars = driver.execute("return outerHeight - innerHeight", vec![]).await;
    let bars = bars.expect("a script runs").json().as_i64().expect("a height");
    let whole = u32::try_from(height + bars).expect("a height");
    driver.set_window_rect(0, 0, look.width, whole).await.expect("the window has a size");
    let size = driver.execute("return [innerWidth, innerHeight]", vec![]).await;
    assert_eq!(*size.expect("a script runs").json(), json!([width, height]));
}

/// Takes the network away, or gives it back.
pub(super) async fn set_offline(driver: &WebDriver, offline: bool) {
    inside(driver, &format!("Services.io.offline = {offline}")).await;
}

/// Runs a script in the browser itself, not in its page.
async fn inside(driver: &WebDriver, script: &str) {
    let handle = driver.handle();
    handle.cmd(Context("chrome")).await.expect("the browser lets us in");
    let ran = driver.execute(script, vec![]).await;
    handle.cmd(Context("content")).await.expect("the page is there");
    ran.expect("the script runs");
}

/// Chooses where scripts run.
#[derive(Debug)]
struct Context(&'static str);

impl FormatRequestData for Context {
    fn format_request(&self, session: &SessionId) -> RequestData {
        let path = format!("/session/{session}/moz/context");
        RequestData::new("POST".parse().expect("a method"), path)
            .add_body(json!({ "context": self.0 }))
    }
}

/// Returns the errors and warnings in the console since the last call. Refusals of the server's are
/// not among them: Firefox keeps these to its tools.
pub(super) fn console(said: &Mutex<Vec<String>>) -> Vec<String> {
    let mut said = said.lock().expect("nobody panics with it");
    said.drain(..).filter(|line| is_of_a_page(line)).collect()
}

/// Where a page is left while a part of it is on its way, Firefox lets its request fail first.
const LEFT: [&str; 2] =
    ["NetworkError when attempting to fetch resource", "AbortError: The operation was aborted"];

fn is_of_a_page(line: &str) -> bool {
    // The browser's own parts fail at times, at addresses of their own or under a name: this one
    // looks for studies of its maker's.
    let thrown = line.strip_prefix("JavaScript error: ").is_some_and(|at| at.starts_with("http"));
    let written = ["console.error: ", "console.warn: "].iter().find_map(|it| line.strip_prefix(it));
    let is_known = |text: &&str| LEFT.iter().any(|left| text.contains(left));
    thrown || written.is_some_and(|text| !text.starts_with("RSLoader:") && !is_known(&text))
}
