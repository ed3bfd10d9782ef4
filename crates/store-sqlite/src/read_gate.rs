//! A gate that blocks new long reads while the write-ahead log is emptied.
//!
//! SQLite cannot empty the log while a read uses an older snapshot. Short reads end soon, but
//! overlapping long reads could block it forever.

use std::sync::{Mutex, PoisonError};

/// The gate, initially open.
#[derive(Default)]
pub(super) struct ReadGate(Mutex<()>);

impl ReadGate {
    /// Waits until the gate is open. A long read calls this before its transaction.
    pub(super) fn wait_until_open(&self) {
        drop(self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Runs `work` while the gate is closed.
    pub(super) fn run_closed<T>(&self, work: impl FnOnce() -> T) -> T {
        let _closed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        work()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    #[test]
    fn read_waits_for_closed_gate() {
        let gate = ReadGate::default();
        gate.wait_until_open();
        let is_done = AtomicBool::new(false);
        std::thread::scope(|threads| {
            let read = gate.run_closed(|| {
                let read = threads.spawn(|| {
                    gate.wait_until_open();
                    is_done.load(Ordering::SeqCst)
                });
                std::thread::sleep(Duration::from_millis(2));
                is_done.store(true, Ordering::SeqCst);
                read
            });
            assert!(read.join().unwrap(), "a read passed the closed gate");
        });
    }
}
