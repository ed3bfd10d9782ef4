//! Starts, observes and stops programs. It stops only programs that it has started.

use crate::Result;
use std::fs;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use tokio::sync::watch;

/// Maximum time until a program listens.
const START_MAX: Duration = Duration::from_mins(1);
/// Maximum time until a program has ended.
const END_MAX: Duration = Duration::from_secs(40);

/// Unit of processor time in `/proc/…/stat`: hundredths of a second.
const TICK_US: u64 = 10_000;

/// A running program. Dropping it kills the program.
pub(crate) struct Program {
    child: Child,
    /// Listen address.
    pub(crate) address: SocketAddr,
    log: watch::Receiver<Vec<String>>,
}

/// Returns an address with a port that is currently free.
pub(crate) fn free_address() -> Result<SocketAddr> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?)
}

/// Returns the processor time of a process and its children, including ended ones, in
/// microseconds.
pub(crate) fn process_tree_time_us(parent: u32) -> u64 {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let stats = processes.filter_map(|it| fs::read_to_string(it.path().join("stat")).ok());
    stats.filter_map(|stat| spent_ticks(&stat, parent)).sum::<u64>() * TICK_US
}

/// Returns the processor time in a line of `/proc/…/stat`, if it is of `parent` or its child.
fn spent_ticks(stat: &str, parent: u32) -> Option<u64> {
    // The name in parentheses may contain spaces and parentheses.
    let (head, tail) = stat.rsplit_once(')')?;
    let numbers: Vec<&str> = tail.split_whitespace().collect();
    let number = |index: usize| numbers.get(index)?.parse::<u64>().ok();
    let own_ticks = number(11)? + number(12)?;
    if head.split(' ').next()?.parse() == Ok(parent) {
        // Fields 13 and 14 have the time of ended children.
        return Some(own_ticks + number(13)? + number(14)?);
    }
    (number(1)? == u64::from(parent)).then_some(own_ticks)
}

/// Returns the ids of all descendants of a process.
pub(crate) fn descendants(root: u32) -> Vec<u32> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let stats = processes.filter_map(|it| fs::read_to_string(it.path().join("stat")).ok());
    let all: Vec<(u32, u32)> = stats.filter_map(|stat| parse_pid_and_parent(&stat)).collect();
    let mut found = vec![root];
    let mut index = 0;
    while let Some(parent) = found.get(index).copied() {
        found.extend(all.iter().filter(|(_, its)| *its == parent).map(|(child, _)| *child));
        index += 1;
    }
    found.split_off(1)
}

/// Returns the ids of a process and its parent from its line of `/proc/…/stat`.
fn parse_pid_and_parent(stat: &str) -> Option<(u32, u32)> {
    let (head, tail) = stat.rsplit_once(')')?;
    let parent = tail.split_whitespace().nth(1)?.parse().ok()?;
    Some((head.split(' ').next()?.parse().ok()?, parent))
}

/// Returns the memory of a process without file backing, in bytes. Shared memory counts
/// proportionally.
pub(crate) fn anonymous_bytes_of(pid: u32) -> u64 {
    let rollup = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
    let kb = |line: &str| line.split_whitespace().nth(1)?.parse::<u64>().ok();
    let own_kb =
        rollup.lines().filter(|it| it.starts_with("Pss_Anon:") || it.starts_with("Pss_Shmem:"));
    own_kb.filter_map(kb).sum::<u64>() * 1024
}

impl Program {
    /// Starts a program that will listen at an address, and collects its log lines.
    pub(crate) fn start(command: &mut Command, address: SocketAddr) -> Result<Self> {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.kill_on_drop(true).spawn().map_err(|error| {
            format!("cannot start `{}`: {error}", command.as_std().get_program().display())
        })?;
        let (sender, log) = watch::channel(Vec::new());
        if let Some(errors) = child.stderr.take() {
            tokio::spawn(async move {
                let mut lines = BufReader::new(errors).lines();
                while let Ok(Some(line)) = lines.next_line().await {
                    sender.send_modify(|seen: &mut Vec<String>| seen.push(line));
                }
            });
        }
        Ok(Self { child, address, log })
    }

    /// Like [`Program::start`], and waits until the program listens.
    pub(crate) async fn start_and_wait(command: &mut Command, address: SocketAddr) -> Result<Self> {
        let mut program = Self::start(command, address)?;
        program.wait_until_it_listens().await?;
        Ok(program)
    }

    async fn wait_until_it_listens(&mut self) -> Result {
        let last = Instant::now() + START_MAX;
        while TcpStream::connect(self.address).await.is_err() {
            if let Some(status) = self.child.try_wait()? {
                let log_text = self.log.borrow().join("\n");
                return Err(format!("a program ended at once ({status}): {log_text}").into());
            }
            if Instant::now() > last {
                return Err("a program does not listen".into());
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        Ok(())
    }

    /// Waits for a log line that contains `text`, at most for a duration. Returns the line.
    pub(crate) async fn wait_for_line(&mut self, text: &str, at_most: Duration) -> Option<String> {
        let has_line = |lines: &Vec<String>| lines.iter().any(|line| line.contains(text));
        let seen = tokio::time::timeout(at_most, self.log.wait_for(has_line)).await;
        let lines = seen.ok()?.ok()?;
        lines.iter().find(|line| line.contains(text)).cloned()
    }

    /// Returns the anonymous memory of the process, in bytes.
    pub(crate) fn anonymous_bytes(&self) -> u64 {
        self.status_kb("RssAnon:") * 1024
    }

    /// Returns the resident memory, including mapped pages of files, in bytes.
    pub(crate) fn resident_bytes(&self) -> u64 {
        self.status_kb("VmRSS:") * 1024
    }

    fn status_kb(&self, name: &str) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.pid())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or_default()
    }

    /// Returns the processor time of the running threads, in nanoseconds.
    pub(crate) fn processor_ns(&self) -> u64 {
        let threads = fs::read_dir(format!("/proc/{}/task", self.pid()));
        let each = |path: &Path| -> Option<u64> {
            fs::read_to_string(path.join("schedstat")).ok()?.split(' ').next()?.parse().ok()
        };
        threads.into_iter().flatten().flatten().filter_map(|thread| each(&thread.path())).sum()
    }

    /// Returns the number of pages that were read from the disk so far (major page faults).
    pub(crate) fn pages_from_disk(&self) -> u64 {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.pid()));
        major_faults(&stat.unwrap_or_default()).unwrap_or_default()
    }

    fn pid(&self) -> u32 {
        self.child.id().unwrap_or_default()
    }

    /// Interrupts the program, as Ctrl-C would, and waits for its end.
    pub(crate) async fn stop(mut self) -> Result {
        let pid = self.pid().to_string();
        Command::new("kill").args(["-INT", &pid]).status().await?;
        if tokio::time::timeout(END_MAX, self.child.wait()).await.is_err() {
            self.child.kill().await?;
        }
        Ok(())
    }
}

/// Returns the tenth field after the program's name, which may contain spaces.
fn major_faults(stat: &str) -> Option<u64> {
    let (_, behind_name) = stat.rsplit_once(')')?;
    behind_name.split_whitespace().nth(9)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn family_time_includes_children() {
        let stat = |pid: u32, parent: u32| {
            format!("{pid} (a) b) S {parent} 1 1 0 -1 4 5 6 7 8 30 12 400 5000 20 0")
        };
        assert_eq!(spent_ticks(&stat(7, 1), 7), Some(5442));
        assert_eq!(spent_ticks(&stat(8, 7), 7), Some(42));
        assert_eq!(spent_ticks(&stat(9, 8), 7), None);
        assert_eq!(spent_ticks("", 7), None);
    }

    #[test]
    fn parent_is_found_after_any_name() {
        assert_eq!(parse_pid_and_parent("7 (a b) c) S 3 7 7 0"), Some((7, 3)));
        assert_eq!(parse_pid_and_parent("7 a"), None);
    }

    #[test]
    fn own_memory_includes_allocations() {
        let before = anonymous_bytes_of(std::process::id());
        let allocated = vec![1_u8; 8 << 20];
        assert!(anonymous_bytes_of(std::process::id()) >= before + allocated.len() as u64 / 2);
    }

    #[test]
    fn major_faults_are_found_after_any_name() {
        let stat = "7 (a b) c) S 1 7 7 0 -1 4194304 120 0 35 0 10 20 0 0 20 0 4 0 99 0 0";
        assert_eq!(major_faults(stat), Some(35));
        assert_eq!(major_faults(""), None);
    }
}
