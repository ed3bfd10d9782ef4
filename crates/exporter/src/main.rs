//! Starts the worker: it listens to its page, and does what it asks.

mod worker;

fn main() {
    worker::start();
}
