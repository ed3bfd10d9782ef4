//! A command that runs beside the steps. Its output goes to a file, so that it does not mix with
//! theirs.

use std::{
    fs::{self, File},
    path::PathBuf,
    process::{Child, Command},
};

use crate::paths;
use crate::run::{Result, check_status, io_at, not_started};

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
        let file = File::create(&log).map_err(io_at("create", &log))?;
        let stderr = file.try_clone().map_err(io_at("open", &log))?;
        command.stdout(file).stderr(stderr);
        let child = command.spawn().map_err(|error| not_started(&command, &error))?;
        Ok(Self { child, command, log })
    }

    /// Waits for the command. Passes its output to `read`, also if it failed.
    pub(crate) fn wait(mut self, read: impl FnOnce(&str)) -> Result {
        let status = self.child.wait();
        let text = fs::read(&self.log).map_err(io_at("read", &self.log))?;
        read(&String::from_utf8_lossy(&text));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_of_failed_command_is_read() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo out; echo err >&2; exit 3"]);
        let background = Background::start("background-test", command).unwrap();
        let mut output = String::new();
        let result = background.wait(|text| text.clone_into(&mut output));
        assert!(result.unwrap_err().to_string().contains("exit status: 3"));
        assert_eq!(output, "out\nerr\n");
    }
}
