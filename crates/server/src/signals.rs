//! Ctrl-C and SIGTERM: the first signal starts a graceful shutdown, the second an immediate one.
//!
//! SIGXFSZ does not end the process: a file that reaches its size limit is a failed write, like a
//! full disk.

use rustix::process::Signal;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

use crate::error::{Error, Result};

/// Starts to listen for signals, so that no signal after startup is lost. Each signal is one
/// message.
///
/// # Errors
/// If the system does not support signals.
pub fn listen_for_signals() -> Result<mpsc::Receiver<()>> {
    let on = |kind| signal(kind).map_err(Error::io_error("cannot listen for signals"));
    let mut interrupt = on(SignalKind::interrupt())?;
    let mut terminate = on(SignalKind::terminate())?;
    // Registering a handler once permanently removes the default action, which ends the process.
    // The failed write reports the error.
    drop(on(SignalKind::from_raw(Signal::XFSZ.as_raw()))?);
    let (sender, receiver) = mpsc::channel(2);
    tokio::spawn(async move {
        loop {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
            if sender.send(()).await.is_err() {
                return;
            }
        }
    });
    Ok(receiver)
}
