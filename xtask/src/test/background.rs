//! A command that runs beside the steps. Its output goes to a file, so that it does not mix with
//! theirs.

use std::{
    path::PathBuf,
    process::{Child, Command},
};

use anyhow::{Context as _, Result};
use fs_err as fs;

use crate::paths;
use crate::run::{check_status, command_text};

/// A command in the background. It is killed when this value is dropped.
pub(crate) struct Background {
    child: Child,
    command: Command,
    log: PathBuf,
}

impl Background {
    /// Starts a command, with the log file `target/NAME.log`.
    pub(crate) fn start(name: &str, mut command: Command) -> Result<Self> {
        let log = paths::target().join(format!("{name}.log"));
        let file = fs::File::create(&log)?.into_parts().0;
        command.stdout(file.try_clone()?).stderr(file);
        let child = command.spawn().with_context(|| command_text(&command))?;
        Ok(Self { child, command, log })
    }

    /// Waits for the command. Passes its output to `read`, also if it failed.
    pub(crate) fn wait(mut self, read: impl FnOnce(&str)) -> Result<()> {
        let status = self.child.wait();
        read(&String::from_utf8_lossy(&fs::read(&self.log)?));
        check_status(&self.command, status)
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        // Both have no effect after `wait`.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
