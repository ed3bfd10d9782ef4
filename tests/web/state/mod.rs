//! State that outlives a page.

mod commands;
mod session;
mod toasts;
mod triage;
