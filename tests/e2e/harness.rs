//! What the journeys stand on: the real binary with a data folder of its own, a real browser, and
//! a page that is used as a person uses it, by what is written on it.

mod aria;
mod browser;
mod chromium;
mod firefox;
mod page;
mod proxy;
mod server;

pub(crate) use browser::{Browser, Look};
pub(crate) use page::Page;
pub(crate) use proxy::{Ending, Proxy, SIGN_OUT};
pub(crate) use server::{OWNER, PASSWORD, Server, curl, post, ran};

use futures_util::FutureExt;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, resume_unwind};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a page may take to show what is waited for.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// A server, a browser that looks at it, and its one page.
pub(crate) struct World {
    pub(crate) server: Server,
    pub(crate) page: Page,
}

/// Runs a journey in a browser of its own, and takes a picture where it fails.
///
/// At its end the console must hold no error and no warning, whatever the journey was, save those
/// that the journey has read by [`Page::console`] itself; and the browser must have reported nothing
/// that the policy of a page refused.
pub(crate) async fn journey(
    name: &str,
    look: Look,
    server: Server,
    steps: impl AsyncFnOnce(&World),
) {
    let browser = Browser::start(look).await;
    let world = World { page: Page::new(browser.driver(), server.url()), server };
    let ended = AssertUnwindSafe(async {
        steps(&world).await;
        assert_eq!(world.page.console().await, Vec::<String>::new(), "the console is not clean");
        assert_eq!(world.server.refused_by_policy(), Vec::<String>::new(), "refused by policy");
    })
    .catch_unwind()
    .await;
    if ended.is_err() {
        let (told, noted) = (world.page.told().await, world.page.console().await.join("\n"));
        std::fs::write(pictures().join(format!("{name}.txt")), format!("{told}\n\n{noted}\n"))
            .expect("a file can be written");
        world.page.picture(&pictures().join(format!("{name}.png"))).await;
    }
    browser.quit().await;
    if let Err(panic) = ended {
        resume_unwind(panic);
    }
}

/// Says what this run leaves out, and why.
pub(crate) fn leave_out(what: &str) {
    let _ = writeln!(std::io::stderr(), "LEFT OUT: {what}");
}

/// The folder that pictures of failures go to.
pub(crate) fn pictures() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("e2e");
    std::fs::create_dir_all(&folder).expect("the folder for pictures can be made");
    folder
}
