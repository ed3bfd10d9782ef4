//! Headless Chromium, controlled with the same library as the end-to-end tests.
//!
//! This module times nothing: the round trip to the browser takes longer than the measured actions.

use crate::Result;
use crate::process::free_address;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};
use thirtyfour::cdp::CdpSession;
use thirtyfour::common::capabilities::chromium::ChromiumLikeCapabilities as _;
use thirtyfour::common::capabilities::desiredcapabilities::{
    CapabilitiesHelper as _, PageLoadStrategy,
};
use thirtyfour::{DesiredCapabilities, WebDriver};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};

const PROBE: &str = include_str!("probe.js");
/// Expression with the state of a page for error messages: address, errors, and an open dialog or
/// the text of the body.
const PAGE_STATE: &str = "[location.href, ...(window.probe?.errors ?? []), \
    (document.querySelector('dialog[open], [role=alert]:not(:empty)') ?? document.body).innerText]\
    .join(' ')";
/// Maximum wait for a page.
const WAIT_MAX: Duration = Duration::from_mins(1);
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Size of the window, in px.
const SIZE: (u32, u32) = (1440, 900);

/// A running browser with one page. [`Browser::quit`] stops it.
pub(crate) struct Browser {
    driver: WebDriver,
    process: Child,
}

/// Processor time of the page's main thread by activity, in seconds, since it was loaded.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ThreadTime {
    pub(crate) script: f64,
    pub(crate) style: f64,
    pub(crate) layout: f64,
    pub(crate) task: f64,
}

impl std::ops::Sub for ThreadTime {
    type Output = Self;

    fn sub(self, before: Self) -> Self {
        Self {
            script: self.script - before.script,
            style: self.style - before.style,
            layout: self.layout - before.layout,
            task: self.task - before.task,
        }
    }
}

impl Browser {
    /// Starts the driver and a browser with an empty profile.
    pub(crate) async fn start(chromedriver: &Path) -> Result<Self> {
        let address = free_address()?;
        let process = Command::new(chromedriver)
            .arg(format!("--port={}", address.port()))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| format!("cannot start `{}`: {error}", chromedriver.display()))?;
        let since = Instant::now();
        while TcpStream::connect(address).await.is_err() {
            if since.elapsed() > WAIT_MAX {
                return Err(format!("`{}` does not listen", chromedriver.display()).into());
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        let mut capabilities = DesiredCapabilities::chrome();
        for word in [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            &format!("--window-size={},{}", SIZE.0, SIZE.1),
        ] {
            capabilities.add_arg(word)?;
        }
        capabilities.set_page_load_strategy(PageLoadStrategy::None)?;
        let driver = WebDriver::new(format!("http://{address}"), capabilities).await?;
        let browser = Self { driver, process };
        let (width, height) = SIZE;
        let screen =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        browser.send_cdp("Emulation.setDeviceMetricsOverride", screen).await?;
        // Thread time instead of wall time, so that other load of the machine is not counted.
        let of_processor = json!({ "timeDomain": "threadTicks" });
        browser.send_cdp("Performance.enable", of_processor).await?;
        browser.send_cdp("Network.enable", json!({})).await?;
        browser.send_cdp("Page.enable", json!({})).await?;
        let probe = json!({ "source": PROBE });
        browser.send_cdp("Page.addScriptToEvaluateOnNewDocument", probe).await?;
        Ok(browser)
    }

    /// Sends one command of the `DevTools` protocol.
    pub(crate) async fn send_cdp(&self, method: &str, parameters: Value) -> Result<Value> {
        let answer = self.driver.cdp().send_raw(method, parameters).await;
        answer.map_err(|error| format!("{method}: {error}").into())
    }

    /// Opens a separate `DevTools` connection that receives events.
    pub(crate) async fn connect_cdp(&self) -> Result<CdpSession> {
        let session = self.driver.cdp().connect().await;
        session.map_err(|error| format!("cannot connect to the browser's events: {error}").into())
    }

    /// Evaluates an expression in the page. A promise is awaited.
    pub(crate) async fn eval(&self, expression: &str) -> Result<Value> {
        let parameters =
            json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let answer = self.send_cdp("Runtime.evaluate", parameters).await?;
        if let Some(problem) = answer.get("exceptionDetails") {
            let text = problem["exception"]["description"].as_str().unwrap_or("it throws");
            return Err(format!("`{expression}`: {text}").into());
        }
        Ok(answer["result"]["value"].clone())
    }

    /// Opens an address in an empty page.
    pub(crate) async fn open(&self, url: &str) -> Result {
        self.send_cdp("Page.navigate", json!({ "url": "about:blank" })).await?;
        self.wait_for("an empty page", "location.href === 'about:blank'").await?;
        self.send_cdp("Page.navigate", json!({ "url": url })).await?;
        Ok(())
    }

    /// Waits until an expression has a value other than null and false, and returns it.
    pub(crate) async fn wait_for(&self, condition: &str, expression: &str) -> Result<Value> {
        let since = Instant::now();
        loop {
            // Evaluation fails while a page is being replaced.
            let value = self.eval(expression).await.unwrap_or_default();
            if !matches!(value, Value::Null | Value::Bool(false)) {
                return Ok(value);
            }
            if since.elapsed() > WAIT_MAX {
                let state = self.eval(PAGE_STATE).await?;
                let state: String = state.as_str().unwrap_or_default().chars().take(400).collect();
                return Err(format!("timed out waiting for {condition}: {state}").into());
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    /// Presses a key, given by its name, its code and its text.
    pub(crate) async fn press(&self, name: &str, code: u32, text: &str) -> Result {
        let down = if text.is_empty() { "rawKeyDown" } else { "keyDown" };
        let key = json!({
            "type": down, "key": name, "code": name, "windowsVirtualKeyCode": code, "text": text,
        });
        self.send_cdp("Input.dispatchKeyEvent", key).await?;
        let key =
            json!({ "type": "keyUp", "key": name, "code": name, "windowsVirtualKeyCode": code });
        self.send_cdp("Input.dispatchKeyEvent", key).await.map(drop)
    }

    /// Dispatches a mouse event at a position of the window, with the left button down.
    pub(crate) async fn dispatch_mouse(&self, kind: &str, x: f64, y: f64) -> Result {
        let parameters = json!({
            "type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1,
        });
        self.send_cdp("Input.dispatchMouseEvent", parameters).await.map(drop)
    }

    /// Turns the wheel by `down_px` at a position of the window.
    pub(crate) async fn wheel(&self, x: f64, y: f64, down_px: f64) -> Result {
        let parameters =
            json!({ "type": "mouseWheel", "x": x, "y": y, "deltaX": 0, "deltaY": down_px });
        self.send_cdp("Input.dispatchMouseEvent", parameters).await.map(drop)
    }

    /// Moves the mouse to a position and clicks.
    pub(crate) async fn click(&self, x: f64, y: f64) -> Result {
        let parameters = json!({ "type": "mouseMoved", "x": x, "y": y });
        self.send_cdp("Input.dispatchMouseEvent", parameters).await?;
        self.dispatch_mouse("mousePressed", x, y).await?;
        self.dispatch_mouse("mouseReleased", x, y).await
    }

    /// Returns the processor time of the page so far.
    pub(crate) async fn thread_time(&self) -> Result<ThreadTime> {
        let metrics = self.send_cdp("Performance.getMetrics", json!({})).await?;
        let metric = |name: &str| find_metric(&metrics, name);
        Ok(ThreadTime {
            script: metric("ScriptDuration"),
            style: metric("RecalcStyleDuration"),
            layout: metric("LayoutDuration"),
            task: metric("TaskDuration"),
        })
    }

    /// Returns the size of the page's heap after garbage collection, and of its `WebAssembly`
    /// memory, in bytes.
    pub(crate) async fn memory(&self) -> Result<(f64, f64)> {
        for _ in 0..2 {
            self.send_cdp("HeapProfiler.collectGarbage", json!({})).await?;
        }
        let metrics = self.send_cdp("Performance.getMetrics", json!({})).await?;
        let wasm = self.eval("probe.memory?.buffer.byteLength ?? 0").await?;
        Ok((find_metric(&metrics, "JSHeapUsedSize"), wasm.as_f64().unwrap_or_default()))
    }

    /// Returns the process id of the driver. The browser's processes are its descendants.
    pub(crate) fn pid(&self) -> u32 {
        self.process.id().unwrap_or_default()
    }

    /// Stops the browser and the driver.
    pub(crate) async fn quit(mut self) -> Result {
        // A crashed browser cannot quit, but its driver can still be killed.
        let _ = self.driver.quit().await;
        self.process.kill().await?;
        Ok(())
    }
}

fn find_metric(metrics: &Value, name: &str) -> f64 {
    let entries = metrics["metrics"].as_array().into_iter().flatten();
    let found = entries.into_iter().find(|one| one["name"] == name);
    found.and_then(|one| one["value"].as_f64()).unwrap_or_default()
}
