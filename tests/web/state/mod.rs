//! What outlives a page.

mod acts;
mod session;
mod toasts;
