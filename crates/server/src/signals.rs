//! Receives Ctrl-C (SIGINT) and SIGTERM. The receiver decides what they do: by default, the first
//! starts a graceful shutdown, and the second an immediate one.
//!
//! SIGXFSZ no longer ends the process: if a file reaches the size limit of the process, the write
//! fails, as on a full disk.

use rustix::process::Signal;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

use crate::error::{Error, Result};

/// Starts to listen for signals. Each signal becomes one message. Call it first at startup, so that
/// no signal is missed.
///
/// # Errors
/// If a signal handler cannot be installed.
pub fn listen_for_signals() -> Result<mpsc::Receiver<()>> {
    let on = |kind| signal(kind).map_err(Error::io_error("cannot listen for signals"));
    let mut interrupt = on(SignalKind::interrupt())?;
    let mut terminate = on(SignalKind::terminate())?;
    // tokio never uninstalls a handler, so the default action, which ends the process, does not
    // return when this one is dropped. The failed write reports the error.
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
