//! Starts the worker: it listens to its page, and does what it asks.

#[cfg(target_arch = "wasm32")]
mod worker;

#[cfg(target_arch = "wasm32")]
fn main() {
    worker::start();
}

/// Does nothing on the host, where there is no page.
#[cfg(not(target_arch = "wasm32"))]
fn main() {}
