//! Ctrl-C and SIGTERM: the first asks for an orderly end, the second for an immediate one.

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

use crate::error::{Error, Result};

/// Begins to listen for signals, so that none is lost between the start and the end. Each is one
/// message.
///
/// # Errors
/// A system without signals.
pub(crate) fn listen() -> Result<mpsc::Receiver<()>> {
    let on = |kind| signal(kind).map_err(Error::io("cannot listen for signals"));
    let (mut interrupt, mut terminate) =
        (on(SignalKind::interrupt())?, on(SignalKind::terminate())?);
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
