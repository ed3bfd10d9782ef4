//! A page as a user operates it: elements are found by role and name, never by class or position.

use super::browser::{Driver, Engine};
use super::{WAIT_MAX, aria, chromium, firefox, screenshot_folder};
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};
use thirtyfour::error::WebDriverErrorInner;
use thirtyfour::prelude::*;
use thirtyfour::session::scriptret::ScriptRet;

/// Extensions of files that the dashboard saves.
const EXPORT_EXTENSIONS: [&str; 4] = ["csv", "json", "ndjson", "xlsx"];

/// Pause after the first check of an awaited state. Each further pause is twice as long, up to
/// [`POLL_PAUSE_MAX`]: checks use the processor that the page needs.
const POLL_PAUSE: Duration = Duration::from_millis(20);
const POLL_PAUSE_MAX: Duration = Duration::from_millis(160);

/// Whether a part of the page is still loading.
const IS_LOADING: &str = "const all = Array.from(document.querySelectorAll('.skeleton'));
    return all.some(one => one.getClientRects().length > 0)";

/// Time that [`Page::freeze_date`] sets: some hours after the newest sample of
/// [`super::Server::create_fixed_form`].
const FIXED_NOW: &str = "2026-03-10T14:20:30Z";

/// Script that stops `Date`.
const FREEZE_DATE: &str = "{
    const now = Date.parse(NOW);
    window.Date = class extends Date {
        constructor(...all) { super(...(all.length ? all : [now])); }
        static now() { return now; }
    };
}";

/// Whether nothing moves and nothing loads, checked after two frames. Endless animations are
/// ignored: they show that something loads.
const IS_STABLE: &str = "const { promise, resolve } = Promise.withResolvers();
    const isMoving = one => one.playState === 'running' && one.timeline === document.timeline
        && one.effect.getComputedTiming().endTime !== Infinity;
    const isLoading = one => one.getClientRects().length > 0;
    const look = () => resolve(!document.getAnimations().some(isMoving)
        && ![...document.querySelectorAll('.skeleton')].some(isLoading));
    requestAnimationFrame(() => requestAnimationFrame(look));
    return promise";

/// The page of a browser.
pub(crate) struct Page {
    pub(super) browser: Driver,
    driver: WebDriver,
    url: String,
}

/// An element found on a page.
pub(crate) struct FoundElement(pub WebElement);

/// Finds visible elements by role and accessible name. The role is the `role` attribute or the
/// tag's implicit role; the name is `aria-label`, the label's text, or the text content.
const FIND_ELEMENTS: &str = r"
const [role, name] = arguments;
const tags = {
  button: 'button, summary', link: 'a[href]', textbox: 'input:not([type=checkbox]):not([type=radio]), textarea',
  checkbox: 'input[type=checkbox]', radio: 'input[type=radio]', combobox: 'select',
  heading: 'h1, h2, h3', dialog: 'dialog[open]', navigation: 'nav', main: 'main', status: 'output',
};
const text = node => (node.innerText ?? node.textContent ?? '').replace(/\s+/g, ' ').trim();
const nameOf = node => {
  const by = node.getAttribute('aria-labelledby');
  const part = one => one.getAttribute('aria-label') || text(one);
  if (by) return by.split(/\s+/).map(id => document.getElementById(id)).filter(Boolean).map(part).join(' ');
  if (node.getAttribute('aria-label')) return node.getAttribute('aria-label');
  if (node.labels?.length) return Array.from(node.labels).map(text).join(' ');
  return text(node) || node.title || '';
};
const selector = [`[role=${role}]`, tags[role]].filter(Boolean).join(', ');
const seen = node => node.getClientRects().length > 0 && getComputedStyle(node).visibility !== 'hidden';
// A field that offers values is typed into like any other.
const own = node => [null, '', role, role === 'textbox' ? 'combobox' : role].includes(node.getAttribute('role'));
const all = Array.from(document.querySelectorAll(selector)).filter(own).filter(seen);
const exact = all.filter(node => nameOf(node) === name);
return exact.length ? exact : all.filter(node => nameOf(node).includes(name));
";

impl Page {
    /// Returns the page of a browser, for a server at `url`.
    pub(crate) fn new(browser: Driver, url: String) -> Self {
        let driver = browser.web.clone();
        Self { browser, driver, url }
    }

    /// Whether the browser is Firefox, which offers fewer diagnostics.
    pub(crate) fn is_firefox(&self) -> bool {
        self.browser.engine == Engine::Firefox
    }

    /// Loads a path of the server, or a complete URL.
    pub(crate) async fn open(&self, path: &str) {
        let whole =
            if path.starts_with("http") { path.into() } else { format!("{}{path}", self.url) };
        self.driver.goto(whole).await.expect("the page loads");
        self.wait_for_takeover().await;
    }

    /// Waits until the dashboard has replaced the first rows of the HTML.
    async fn wait_for_takeover(&self) {
        let body = "return document.querySelector('[data-drawn]') === null";
        self.wait_for("the dashboard to replace the first rows", body, vec![]).await;
    }

    /// Runs a script in every later page, before the page's own scripts. Chromium only.
    pub(crate) async fn before_pages(&self, script: &str) {
        chromium::before_pages(&self.driver, script).await;
    }

    /// Stops `Date` at [`FIXED_NOW`] in every later page. Chromium only.
    pub(crate) async fn freeze_date(&self) {
        self.before_pages(&FREEZE_DATE.replace("NOW", &format!("'{FIXED_NOW}'"))).await;
    }

    /// Goes back in the history.
    pub(crate) async fn back(&self) {
        self.driver.back().await.expect("there is a page before");
    }

    /// Goes forward in the history.
    pub(crate) async fn forward(&self) {
        self.driver.forward().await.expect("there is a page after");
    }

    /// Reloads the page.
    pub(crate) async fn reload(&self) {
        self.driver.refresh().await.expect("the page loads again");
        self.wait_for_takeover().await;
    }

    /// Runs a function body in the page and returns its result.
    pub(crate) async fn eval(&self, body: &str, arguments: Vec<Value>) -> Value {
        let ran = self.driver.execute(body, arguments).await;
        ran.unwrap_or_else(|error| panic!("{body}: {error}")).json().clone()
    }

    /// Runs an async function body in the page and returns its result. Panics with the message of
    /// the error that the function throws.
    pub(crate) async fn eval_async(&self, body: &str, arguments: Vec<Value>) -> Value {
        let whole = format!(
            "const done = arguments[arguments.length - 1];
             (async (...arguments) => {{ {body} }})(...arguments)
                 .then(value => done({{ value: value ?? null }}), error => done({{ error: `${{error}}` }}))"
        );
        let ran = self.driver.execute_async(whole, arguments).await;
        let mut result = ran.unwrap_or_else(|error| panic!("{body}: {error}")).json().clone();
        assert!(result["error"].is_null(), "{body}: {}", result["error"]);
        result["value"].take()
    }

    /// Waits until a function body returns a value other than `false` and `null`, and returns it.
    ///
    /// An element is returned as `true`. If it were returned itself and left the page before the
    /// driver has a reference to it, Firefox would refuse the whole call.
    pub(crate) async fn wait_for(&self, what: &str, body: &str, arguments: Vec<Value>) -> Value {
        self.wait_within(WAIT_MAX, what, body, arguments).await
    }

    async fn wait_within(
        &self,
        timeout: Duration,
        what: &str,
        body: &str,
        arguments: Vec<Value>,
    ) -> Value {
        let plain = format!(
            "const value = ((...arguments) => {{ {body} }})(...arguments);
             return value instanceof Node || value"
        );
        let since = Instant::now();
        let mut pause = POLL_PAUSE;
        loop {
            let value = self.eval(&plain, arguments.clone()).await;
            if !matches!(value, Value::Null | Value::Bool(false)) {
                return value;
            }
            assert!(since.elapsed() < timeout, "timed out waiting for {what}");
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(POLL_PAUSE_MAX);
        }
    }

    /// Waits for an element with this role and name.
    pub(crate) async fn find(&self, role: &str, name: &str) -> FoundElement {
        let since = Instant::now();
        let mut pause = POLL_PAUSE;
        loop {
            let ran = self.driver.execute(FIND_ELEMENTS, vec![json!(role), json!(name)]).await;
            let found = ran.and_then(ScriptRet::elements).unwrap_or_default();
            if let Some(first) = found.into_iter().next() {
                return FoundElement(first);
            }
            assert!(since.elapsed() < WAIT_MAX, "timed out waiting for the {role} {name:?}");
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(POLL_PAUSE_MAX);
        }
    }

    /// Clicks the element with this role and name.
    pub(crate) async fn click(&self, role: &str, name: &str) {
        let since = Instant::now();
        while let Err(error) = self.find(role, name).await.0.click().await {
            assert!(since.elapsed() < WAIT_MAX, "cannot click the {role} {name:?}: {error}");
            tokio::time::sleep(Duration::from_millis(40)).await;
        }
    }

    /// Clicks the first element that matches a selector, with the Alt key held.
    pub(crate) async fn click_with_alt(&self, selector: &str) {
        let found = self.driver.find(By::Css(selector)).await.expect("the page has the element");
        let chain = self.driver.action_chain().key_down(Key::Alt).click_element(&found);
        chain.key_up(Key::Alt).perform().await.expect("the element can be clicked");
    }

    /// Drags the element with a role and a name to another one, with the mouse.
    pub(crate) async fn drag(&self, from: (&str, &str), to: (&str, &str)) {
        let source = self.find(from.0, from.1).await.0;
        let target = self.find(to.0, to.1).await.0;
        // The first move starts the drag, and the others are over the target.
        let chain = self.driver.action_chain().click_and_hold_element(&source);
        let chain = chain.move_by_offset(8, 8).move_to_element_center(&target);
        let dragged = chain.move_by_offset(1, 1).release().perform().await;
        dragged.unwrap_or_else(|error| panic!("cannot drag {from:?} to {to:?}: {error}"));
    }

    /// Replaces the text of the text field with this name.
    pub(crate) async fn fill_text_field(&self, name: &str, text: &str) {
        let field = self.find("textbox", name).await.0;
        field.click().await.expect("the field takes the focus");
        let all = Key::Control + "a";
        field.send_keys(all).await.expect("its text is selected");
        let keys = if text.is_empty() { Key::Delete + "" } else { text.into() };
        field.send_keys(keys).await.expect("the field takes text");
    }

    /// Sends keys to the focused element. Waits while that element is hidden or removed, for
    /// example in a dialog that is closing: no key is pressed then.
    pub(crate) async fn press_keys(&self, keys: impl Into<TypingData>) {
        let keys = keys.into().to_string();
        let since = Instant::now();
        loop {
            let focused = self.driver.active_element().await.expect("something has the focus");
            let Err(error) = focused.send_keys(keys.as_str()).await else { return };
            let is_hidden = matches!(
                error.as_inner(),
                WebDriverErrorInner::ElementNotInteractable(_)
                    | WebDriverErrorInner::StaleElementReference(_)
            );
            assert!(is_hidden && since.elapsed() < WAIT_MAX, "the focus takes no keys: {error}");
            tokio::time::sleep(Duration::from_millis(40)).await;
        }
    }

    /// Waits until the page contains a text.
    pub(crate) async fn wait_for_text(&self, text: &str) {
        let body = "return document.body.innerText.includes(arguments[0])";
        self.wait_for(&format!("the text {text:?}"), body, vec![json!(text)]).await;
    }

    /// Waits until the page contains a text that it shows only after a time limit.
    pub(crate) async fn wait_for_text_after(&self, limit: Duration, text: &str) {
        let body = "return document.body.innerText.includes(arguments[0])";
        let what = format!("the text {text:?}");
        self.wait_within(limit + WAIT_MAX, &what, body, vec![json!(text)]).await;
    }

    /// Waits until the page no longer contains a text.
    pub(crate) async fn wait_until_text_is_gone(&self, text: &str) {
        let body = "return !document.body.innerText.includes(arguments[0])";
        self.wait_for(&format!("the text {text:?} to disappear"), body, vec![json!(text)]).await;
    }

    /// Waits until the URL has this path and query.
    pub(crate) async fn wait_for_path(&self, path: &str) {
        let body = "return location.pathname + location.search === arguments[0]";
        self.wait_for(&format!("the path {path}"), body, vec![json!(path)]).await;
    }

    /// Signs the owner in by a new link and waits for the dashboard.
    pub(crate) async fn sign_in(&self, link: &str) {
        self.open(link).await;
        self.accept_link().await;
        self.find("navigation", "").await;
    }

    /// Confirms the sign-in on the page of a link.
    pub(crate) async fn accept_link(&self) {
        self.find("heading", "Sign in as").await;
        self.click("button", "Sign in").await;
    }

    /// Waits for the next finished download, deletes the file, and returns its name and bytes.
    pub(crate) async fn download(&self) -> (String, Vec<u8>) {
        let since = Instant::now();
        loop {
            // Firefox renames a finished file, so the file that was read may be another one: check
            // again.
            if let Some(path) = self.finished_download()
                && let Ok(bytes) = std::fs::read(&path)
                && self.finished_download().as_ref() == Some(&path)
                && path.metadata().is_ok_and(|file| file.len() == bytes.len() as u64)
            {
                std::fs::remove_file(&path).expect("the file can be removed");
                let name = path.file_name().expect("a file").to_string_lossy().into_owned();
                return (name, bytes);
            }
            assert!(since.elapsed() < WAIT_MAX * 3, "no file was downloaded");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Returns the names of the files in the download folder, complete or not.
    pub(crate) fn downloads(&self) -> Vec<String> {
        let name =
            |path: &std::path::PathBuf| Some(path.file_name()?.to_string_lossy().into_owned());
        self.downloaded().iter().filter_map(name).collect()
    }

    fn downloaded(&self) -> Vec<std::path::PathBuf> {
        let folder = std::fs::read_dir(&self.browser.downloads).expect("the folder is there");
        folder.map(|entry| entry.expect("readable").path()).collect()
    }

    /// Returns a file that is completely downloaded.
    fn finished_download(&self) -> Option<std::path::PathBuf> {
        let there = self.downloaded();
        // Firefox reserves the name with an empty file, and writes to a `.part` file next to it.
        let is_written = |path: &Path| {
            there.contains(&path.with_added_extension("part"))
                || path.metadata().is_ok_and(|file| file.len() == 0)
        };
        let is_ours = |path: &Path| {
            path.extension().is_some_and(|end| EXPORT_EXTENSIONS.iter().any(|one| end == *one))
        };
        there.iter().find(|path| is_ours(path) && !is_written(path)).cloned()
    }

    /// Returns the errors and warnings of the console since the last call.
    pub(crate) async fn take_console_errors(&self) -> Vec<String> {
        match self.browser.engine {
            Engine::Chromium => chromium::take_console_errors(&self.driver).await,
            Engine::Firefox => firefox::take_console_errors(&self.browser.output),
        }
    }

    /// Disconnects the browser from the network, or connects it again.
    pub(crate) async fn set_offline(&self, offline: bool) {
        match self.browser.engine {
            Engine::Chromium => chromium::set_offline(&self.driver, offline).await,
            Engine::Firefox => firefox::set_offline(&self.driver, offline).await,
        }
    }

    /// Returns the network traffic with headers and URLs, as Chromium logs it. Empty in Firefox,
    /// which has no such log.
    pub(crate) async fn take_network_log(&self) -> Vec<String> {
        if self.is_firefox() {
            return Vec::new();
        }
        let log = self.driver.handle().get_log("performance").await.expect("a log of the network");
        log.into_iter().map(|entry| entry.message).collect()
    }

    /// Deletes all cookies, as if the session had ended elsewhere.
    pub(crate) async fn lose_session(&self) {
        self.driver.delete_all_cookies().await.expect("cookies can be deleted");
    }

    /// Runs axe on the page and panics if it reports a violation.
    pub(crate) async fn check_accessibility(&self, what: &str) {
        let file = std::env::var("AXE_JS")
            .expect("AXE_JS names axe-core's file: run `cargo xtask test e2e`");
        if self.eval("return typeof axe === 'undefined'", vec![]).await == json!(true) {
            let source = std::fs::read_to_string(file).expect("axe-core can be read");
            self.eval(&source, vec![]).await;
        }
        // The colours of a fading element have less contrast, so animations end first.
        let body = "const done = arguments[arguments.length - 1];
            const ending = document.getAnimations()
                .filter(animation => animation.effect.getComputedTiming().endTime < Infinity);
            Promise.allSettled(ending.map(animation => animation.finished))
                .then(() => axe.run({ resultTypes: ['violations'] })).then(found => done(
            found.violations.map(v => v.id + ': ' + v.help + ' — ' + v.nodes.map(n => n.html).join(' | '))))";
        let ran = self.driver.execute_async(body, vec![]).await.expect("axe runs");
        assert_eq!(*ran.json(), json!([]), "axe on {what}");
    }

    /// Panics if the page is wider than the window, or the list wider than its frame.
    pub(crate) async fn assert_fits_width(&self, what: &str) {
        let body = "return [document.documentElement, ...document.querySelectorAll('.grid')]
            .reduce((most, one) => Math.max(most, one.scrollWidth - one.clientWidth), 0)";
        assert_eq!(self.eval(body, vec![]).await, json!(0), "{what} scrolls sideways");
    }

    /// Waits until nothing on the page moves or loads.
    pub(crate) async fn wait_until_stable(&self) {
        self.wait_for("the page to become stable", IS_STABLE, vec![]).await;
    }

    /// Waits until the page is stable, saves a screenshot as `name`, and panics if the page scrolls
    /// sideways or axe reports a violation.
    pub(crate) async fn check_appearance(&self, name: &str) {
        self.wait_until_stable().await;
        self.save_screenshot(&screenshot_folder().join(format!("{name}.png"))).await;
        self.assert_fits_width(name).await;
        self.check_accessibility(name).await;
    }

    /// Panics if the accessibility outline of the region with this role and name differs from the
    /// snapshot `file` in `tests/e2e/aria`. Chromium only.
    pub(crate) async fn compare_outline(&self, file: &str, role: &str, name: &str) {
        let since = Instant::now();
        let mut outline = None;
        loop {
            let before = outline;
            let is_loading = self.eval(IS_LOADING, vec![]).await == json!(true);
            outline = aria::outline(&self.browser, role, name).await;
            // Wait until the outline is stable and nothing loads.
            if !is_loading && outline.is_some() && before == outline {
                break;
            }
            assert!(
                since.elapsed() < WAIT_MAX,
                "the {role} {name:?} is missing or never becomes stable"
            );
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        aria::compare_with_snapshot(&self.browser, file, &outline.unwrap_or_default()).await;
    }

    /// Saves a screenshot of the page.
    pub(crate) async fn save_screenshot(&self, file: &Path) {
        self.driver.screenshot(file).await.expect("a screenshot can be taken");
    }

    /// Sends a command of the `DevTools` protocol to Chromium.
    pub(crate) async fn send_devtools_command(&self, command: &str, parameters: Value) -> Value {
        self.driver.cdp().send_raw(command, parameters).await.expect("Chromium accepts the command")
    }

    /// Returns the URL and the text of the page, for the report of a failed test.
    pub(crate) async fn describe(&self) -> String {
        let body = "return location.href + '\\n' + document.body.innerText";
        let ran = self.driver.execute(body, vec![]).await;
        ran.map_or_else(|error| error.to_string(), |ran| ran.json().to_string())
    }
}
