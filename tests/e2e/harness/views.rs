//! Changes of the viewport and of the theme while a page is open.

use super::browser::Engine;
use super::{Page, Viewport, chromium, firefox};

impl Page {
    /// Sets the viewport size and the colour scheme of the open page and of later pages.
    pub(crate) async fn set_viewport(&self, viewport: Viewport) {
        match self.browser.engine {
            Engine::Chromium => chromium::set_viewport(&self.browser.web, viewport).await,
            Engine::Firefox => firefox::set_viewport(&self.browser.web, viewport).await,
        }
    }

    /// Checks the appearance of the open page in each view of the run: see
    /// [`Page::check_appearance`] and [`Viewport::views_of_run`]. A light desktop remains.
    pub(crate) async fn check_each_view(&self, name: &str) {
        for viewport in Viewport::views_of_run() {
            self.set_viewport(viewport).await;
            self.check_appearance(&format!("{name}-{}", viewport.screenshot_suffix())).await;
        }
        self.set_viewport(Viewport::DESKTOP).await;
    }
}
