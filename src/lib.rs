//! The dashboard of Sheaf, a client of the specification's API that runs in the browser.
//!
//! It holds no key: every request goes to the gateway, which adds one. State lives in the URL
//! first, then in local signals, then in the few `stores`.

pub mod api;
pub mod app;
pub mod calc;
pub mod model;
pub mod page;
pub mod pages;
pub mod paths;
pub mod scripts;
pub mod shared;
pub mod shell;
pub mod stores;
pub mod texts;
pub mod ui;
