//! Entry point of the worker, which executes the commands of its page.

#[cfg(target_arch = "wasm32")]
mod worker;

#[cfg(target_arch = "wasm32")]
fn main() {
    worker::start();
}

/// Does nothing on the host, which has no page.
#[cfg(not(target_arch = "wasm32"))]
fn main() {}
