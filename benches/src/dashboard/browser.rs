//! A headless Chromium, driven by the same library as the journeys of the tests.
//!
//! Nothing is timed from here: the way to the browser takes longer than what is measured.

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
/// What a page says of itself that does not show what is waited for.
const TOLD: &str = "[location.href, ...(window.probe?.errors ?? []), \
    (document.querySelector('dialog[open], [role=alert]:not(:empty)') ?? document.body).innerText]\
    .join(' ')";
/// How long a page may take to show what is waited for.
const PATIENCE: Duration = Duration::from_mins(1);
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// What the window shows, in px.
const SIZE: (u32, u32) = (1440, 900);

/// A running browser with one page; ended by [`Browser::quit`].
pub(crate) struct Browser {
    driver: WebDriver,
    process: Child,
}

/// What the browser counts of a page's own thread, so far, in seconds of the processor.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spent {
    pub(crate) script: f64,
    pub(crate) style: f64,
    pub(crate) layout: f64,
    pub(crate) task: f64,
}

impl std::ops::Sub for Spent {
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
    /// Starts driver and browser, with an empty profile.
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
            if since.elapsed() > PATIENCE {
                return Err(format!("`{}` does not listen", chromedriver.display()).into());
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
        let mut wanted = DesiredCapabilities::chrome();
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
            wanted.add_arg(word)?;
        }
        wanted.set_page_load_strategy(PageLoadStrategy::None)?;
        let driver = WebDriver::new(format!("http://{address}"), wanted).await?;
        let browser = Self { driver, process };
        let (width, height) = SIZE;
        let screen =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        browser.cdp("Emulation.setDeviceMetricsOverride", screen).await?;
        // Of the processor, not of the clock: what else the machine does is not counted.
        let of_processor = json!({ "timeDomain": "threadTicks" });
        browser.cdp("Performance.enable", of_processor).await?;
        browser.cdp("Network.enable", json!({})).await?;
        browser.cdp("Page.enable", json!({})).await?;
        let probe = json!({ "source": PROBE });
        browser.cdp("Page.addScriptToEvaluateOnNewDocument", probe).await?;
        Ok(browser)
    }

    /// Sends one command of the `DevTools` protocol.
    pub(crate) async fn cdp(&self, method: &str, words: Value) -> Result<Value> {
        let answer = self.driver.cdp().send_raw(method, words).await;
        answer.map_err(|error| format!("{method}: {error}").into())
    }

    /// A connection of one's own, by which the browser tells what happens.
    pub(crate) async fn session(&self) -> Result<CdpSession> {
        let session = self.driver.cdp().connect().await;
        session.map_err(|error| format!("cannot listen to the browser: {error}").into())
    }

    /// What an expression gives in the page; a promise is waited for.
    pub(crate) async fn eval(&self, expression: &str) -> Result<Value> {
        let words =
            json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let answer = self.cdp("Runtime.evaluate", words).await?;
        if let Some(problem) = answer.get("exceptionDetails") {
            let text = problem["exception"]["description"].as_str().unwrap_or("it throws");
            return Err(format!("`{expression}`: {text}").into());
        }
        Ok(answer["result"]["value"].clone())
    }

    /// Opens an address, and forgets the page before.
    pub(crate) async fn open(&self, url: &str) -> Result {
        self.cdp("Page.navigate", json!({ "url": "about:blank" })).await?;
        self.wait_for("an empty page", "location.href === 'about:blank'").await?;
        self.cdp("Page.navigate", json!({ "url": url })).await?;
        Ok(())
    }

    /// Waits until an expression gives something.
    pub(crate) async fn wait_for(&self, what: &str, expression: &str) -> Result<Value> {
        let since = Instant::now();
        loop {
            // A page that is being replaced cannot be asked.
            let value = self.eval(expression).await.unwrap_or_default();
            if !matches!(value, Value::Null | Value::Bool(false)) {
                return Ok(value);
            }
            if since.elapsed() > PATIENCE {
                let told = self.eval(TOLD).await?;
                let told: String = told.as_str().unwrap_or_default().chars().take(400).collect();
                return Err(format!("waited in vain for {what}: {told}").into());
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    /// Presses a key, by its name, its code and the text that it writes.
    pub(crate) async fn press(&self, name: &str, code: u32, text: &str) -> Result {
        let down = if text.is_empty() { "rawKeyDown" } else { "keyDown" };
        let key = json!({
            "type": down, "key": name, "code": name, "windowsVirtualKeyCode": code, "text": text,
        });
        self.cdp("Input.dispatchKeyEvent", key).await?;
        let key =
            json!({ "type": "keyUp", "key": name, "code": name, "windowsVirtualKeyCode": code });
        self.cdp("Input.dispatchKeyEvent", key).await.map(drop)
    }

    /// Tells of the mouse at a place of the window, with its left button down.
    pub(crate) async fn mouse(&self, kind: &str, x: f64, y: f64) -> Result {
        let words = json!({
            "type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1,
        });
        self.cdp("Input.dispatchMouseEvent", words).await.map(drop)
    }

    /// Turns the wheel by so many px at a place of the window.
    pub(crate) async fn wheel(&self, x: f64, y: f64, down_px: f64) -> Result {
        let words = json!({ "type": "mouseWheel", "x": x, "y": y, "deltaX": 0, "deltaY": down_px });
        self.cdp("Input.dispatchMouseEvent", words).await.map(drop)
    }

    /// Moves to a place and clicks there.
    pub(crate) async fn click(&self, x: f64, y: f64) -> Result {
        let words = json!({ "type": "mouseMoved", "x": x, "y": y });
        self.cdp("Input.dispatchMouseEvent", words).await?;
        self.mouse("mousePressed", x, y).await?;
        self.mouse("mouseReleased", x, y).await
    }

    /// What the page has spent.
    pub(crate) async fn spent(&self) -> Result<Spent> {
        let metrics = self.cdp("Performance.getMetrics", json!({})).await?;
        let of = |name: &str| metric(&metrics, name);
        Ok(Spent {
            script: of("ScriptDuration"),
            style: of("RecalcStyleDuration"),
            layout: of("LayoutDuration"),
            task: of("TaskDuration"),
        })
    }

    /// The page's memory in bytes, without what nobody needs any more: its heap, and that of
    /// `WebAssembly`.
    pub(crate) async fn memory(&self) -> Result<(f64, f64)> {
        for _ in 0..2 {
            self.cdp("HeapProfiler.collectGarbage", json!({})).await?;
        }
        let metrics = self.cdp("Performance.getMetrics", json!({})).await?;
        let wasm = self.eval("probe.memory?.buffer.byteLength ?? 0").await?;
        Ok((metric(&metrics, "JSHeapUsedSize"), wasm.as_f64().unwrap_or_default()))
    }

    /// The driver's process, whose descendants are the browser's.
    pub(crate) fn pid(&self) -> u32 {
        self.process.id().unwrap_or_default()
    }

    /// Ends browser and driver.
    pub(crate) async fn quit(mut self) -> Result {
        // One that has crashed cannot be asked to go; its driver can be ended all the same.
        let _ = self.driver.quit().await;
        self.process.kill().await?;
        Ok(())
    }
}

fn metric(metrics: &Value, name: &str) -> f64 {
    let all = metrics["metrics"].as_array().into_iter().flatten();
    let found = all.into_iter().find(|one| one["name"] == name);
    found.and_then(|one| one["value"].as_f64()).unwrap_or_default()
}
