//! Test harness: the real binary with its own data directory, a real browser, and a page that is
//! used by its visible texts, as a user would.

mod aria;
mod browser;
mod chromium;
mod firefox;
mod page;
mod proxy;
mod server;
mod views;

pub(crate) use browser::{Browser, Viewport};
pub(crate) use page::Page;
pub(crate) use proxy::{Ending, Proxy, SIGN_OUT};
pub(crate) use server::{
    OWNER, PASSWORD, Server, call_api, count_matches, run_shown_command, submit,
};

use futures_util::FutureExt;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, resume_unwind};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Maximum time until a page shows an awaited element.
pub(crate) const WAIT_MAX: Duration = Duration::from_secs(20);

/// A server, and a browser with one page.
pub(crate) struct TestContext {
    pub(crate) server: Server,
    pub(crate) page: Page,
}

impl TestContext {
    /// Signs the owner in, opens the list of a live form, and waits until it shows `total`.
    pub(crate) async fn sign_in_to_list(&self, form: &str, total: &str) {
        self.page.sign_in(&self.server.sign_in_link()).await;
        self.page.open(&format!("/live/forms/{form}")).await;
        self.page.wait_for_text(total).await;
    }
}

/// Runs a test in a new browser, and saves a screenshot if it fails.
///
/// At the end the console must contain no error and no warning, except those that the test has read
/// by [`Page::console`], and the browser must not have reported a violation of the content security
/// policy.
pub(crate) async fn run_test(
    name: &str,
    viewport: Viewport,
    server: Server,
    steps: impl AsyncFnOnce(&TestContext),
) {
    let browser = Browser::start(viewport).await;
    let context = TestContext { page: Page::new(browser.driver(), server.url()), server };
    let ended = AssertUnwindSafe(async {
        steps(&context).await;
        assert_eq!(
            context.page.take_console_errors().await,
            Vec::<String>::new(),
            "the console is not clean"
        );
        assert_eq!(context.server.policy_violations(), Vec::<String>::new(), "refused by policy");
    })
    .catch_unwind()
    .await;
    if ended.is_err() {
        let description = context.page.describe().await;
        let console_errors = context.page.take_console_errors().await.join("\n");
        std::fs::write(
            screenshot_folder().join(format!("{name}.txt")),
            format!("{description}\n\n{console_errors}\n"),
        )
        .expect("a file can be written");
        context.page.save_screenshot(&screenshot_folder().join(format!("{name}.png"))).await;
    }
    browser.quit().await;
    if let Err(panic) = ended {
        resume_unwind(panic);
    }
}

/// Prints a part that this run skips, and the reason.
pub(crate) fn report_skipped(part: &str) {
    let _ = writeln!(std::io::stderr(), "LEFT OUT: {part}");
}

/// Returns the folder for screenshots of failures.
pub(crate) fn screenshot_folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("e2e");
    std::fs::create_dir_all(&folder).expect("the screenshot folder can be created");
    folder
}
