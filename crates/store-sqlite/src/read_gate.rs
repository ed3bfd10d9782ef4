//! A gate for long reads, which is closed while the write-ahead log is emptied.
//!
//! SQLite cannot empty the log while a read needs an older state of the file. Short reads end soon;
//! of long ones, each could begin before the last has ended.

use std::sync::{Mutex, PoisonError};

/// The gate. It is open at first.
#[derive(Default)]
pub(super) struct Gate(Mutex<()>);

impl Gate {
    /// Waits until the gate is open. A long read calls this before it reads anything.
    pub(super) fn pass(&self) {
        drop(self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Works while the gate is closed.
    pub(super) fn close<T>(&self, work: impl FnOnce() -> T) -> T {
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
    fn a_read_waits_while_the_gate_is_closed() {
        let gate = Gate::default();
        gate.pass();
        let is_done = AtomicBool::new(false);
        std::thread::scope(|threads| {
            let read = gate.close(|| {
                let read = threads.spawn(|| {
                    gate.pass();
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
