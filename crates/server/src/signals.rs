//! Ctrl-C and SIGTERM: the first asks for an orderly end, the second for an immediate one.
//!
//! SIGXFSZ ends nothing: a file that comes to a limit of size is an error of one write, as a full
//! disk is, and no reason to end a server.

use rustix::process::Signal;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

use crate::error::{Error, Result};

/// Begins to listen for signals, so that none is lost between the start and the end. Each is one
/// message.
///
/// # Errors
/// A system without signals.
pub fn listen() -> Result<mpsc::Receiver<()>> {
    let on = |kind| signal(kind).map_err(Error::io("cannot listen for signals"));
    let (mut interrupt, mut terminate) =
        (on(SignalKind::interrupt())?, on(SignalKind::terminate())?);
    // The write itself says what happened; listening once takes the deadly effect away for good.
    drop(on(SignalKind::from_raw(Signal::XFSZ.as_raw()))?);
    let (tell, told) = mpsc::channel(2);
    tokio::spawn(async move {
        loop {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
            if tell.send(()).await.is_err() {
                return;
            }
        }
    });
    Ok(told)
}
