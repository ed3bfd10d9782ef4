//! Programs that are started, looked at from outside, and ended: never more than was started here.

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

/// How long a program may take until it listens.
const START_MAX: Duration = Duration::from_mins(1);
/// How long it may take to end.
const END_MAX: Duration = Duration::from_secs(40);

/// Linux counts processor time in hundredths of a second.
const TICK_US: u64 = 10_000;

/// A running program; it is ended when this is dropped, at the latest.
pub(crate) struct Program {
    child: Child,
    /// Where it listens.
    pub(crate) address: SocketAddr,
    log: watch::Receiver<Vec<String>>,
}

/// A port that is free now.
pub(crate) fn free_address() -> Result<SocketAddr> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?)
}

/// Processor time of a process, of its children, and of those that have ended, in microseconds.
pub(crate) fn family_processor_us(parent: u32) -> u64 {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let stats = processes.filter_map(|it| fs::read_to_string(it.path().join("stat")).ok());
    stats.filter_map(|stat| spent_ticks(&stat, parent)).sum::<u64>() * TICK_US
}

/// What a line of `/proc/…/stat` tells of a family's processor time, if it is of one of them.
fn spent_ticks(stat: &str, parent: u32) -> Option<u64> {
    // The name in brackets may hold anything.
    let (head, tail) = stat.rsplit_once(')')?;
    let numbers: Vec<&str> = tail.split_whitespace().collect();
    let number = |place: usize| numbers.get(place)?.parse::<u64>().ok();
    let own = number(11)? + number(12)?;
    if head.split(' ').next()?.parse() == Ok(parent) {
        // Of its children that have ended.
        return Some(own + number(13)? + number(14)?);
    }
    (number(1)? == u64::from(parent)).then_some(own)
}

/// Returns a process's children, and theirs.
pub(crate) fn descendants(of: u32) -> Vec<u32> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let stats = processes.filter_map(|it| fs::read_to_string(it.path().join("stat")).ok());
    let all: Vec<(u32, u32)> = stats.filter_map(|stat| with_parent(&stat)).collect();
    let mut found = vec![of];
    let mut place = 0;
    while let Some(parent) = found.get(place).copied() {
        found.extend(all.iter().filter(|(_, its)| *its == parent).map(|(child, _)| *child));
        place += 1;
    }
    found.split_off(1)
}

/// The numbers of a process and of its parent, by its line of `/proc/…/stat`.
fn with_parent(stat: &str) -> Option<(u32, u32)> {
    let (head, tail) = stat.rsplit_once(')')?;
    let parent = tail.split_whitespace().nth(1)?.parse().ok()?;
    Some((head.split(' ').next()?.parse().ok()?, parent))
}

/// Memory of a process that no file of the disk stands behind, in bytes; what it shares with
/// others, its part of it.
pub(crate) fn own_bytes(pid: u32) -> u64 {
    let told = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
    let kb = |line: &str| line.split_whitespace().nth(1)?.parse::<u64>().ok();
    let own = told.lines().filter(|it| it.starts_with("Pss_Anon:") || it.starts_with("Pss_Shmem:"));
    own.filter_map(kb).sum::<u64>() * 1024
}

impl Program {
    /// Starts a program that will listen at an address, and keeps what it logs.
    pub(crate) fn start(command: &mut Command, address: SocketAddr) -> Result<Self> {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.kill_on_drop(true).spawn().map_err(|error| {
            format!("cannot start `{}`: {error}", command.as_std().get_program().display())
        })?;
        let (tell, log) = watch::channel(Vec::new());
        if let Some(errors) = child.stderr.take() {
            tokio::spawn(async move {
                let mut lines = BufReader::new(errors).lines();
                while let Ok(Some(line)) = lines.next_line().await {
                    tell.send_modify(|all: &mut Vec<String>| all.push(line));
                }
            });
        }
        Ok(Self { child, address, log })
    }

    /// As [`Program::start`]; waits until it listens.
    pub(crate) async fn start_and_wait(command: &mut Command, address: SocketAddr) -> Result<Self> {
        let mut program = Self::start(command, address)?;
        program.wait_until_it_listens().await?;
        Ok(program)
    }

    async fn wait_until_it_listens(&mut self) -> Result {
        let last = Instant::now() + START_MAX;
        while TcpStream::connect(self.address).await.is_err() {
            if let Some(status) = self.child.try_wait()? {
                let said = self.log.borrow().join("\n");
                return Err(format!("a program ended at once ({status}): {said}").into());
            }
            if Instant::now() > last {
                return Err("a program does not listen".into());
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        Ok(())
    }

    /// Waits a while for a line in its log that contains some words; returns it.
    pub(crate) async fn wait_for_line(&mut self, words: &str, at_most: Duration) -> Option<String> {
        let is_it = |all: &Vec<String>| all.iter().any(|line| line.contains(words));
        let seen = tokio::time::timeout(at_most, self.log.wait_for(is_it)).await;
        let all = seen.ok()?.ok()?;
        all.iter().find(|line| line.contains(words)).cloned()
    }

    /// Memory of its own, backed by no file, in bytes.
    pub(crate) fn anonymous_bytes(&self) -> u64 {
        self.status_kb("RssAnon:") * 1024
    }

    /// Memory in all, pages of files that it has mapped included, in bytes.
    pub(crate) fn resident_bytes(&self) -> u64 {
        self.status_kb("VmRSS:") * 1024
    }

    fn status_kb(&self, name: &str) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.pid())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or_default()
    }

    /// Processor time of its running threads, in nanoseconds.
    pub(crate) fn processor_ns(&self) -> u64 {
        let threads = fs::read_dir(format!("/proc/{}/task", self.pid()));
        let each = |path: &Path| -> Option<u64> {
            fs::read_to_string(path.join("schedstat")).ok()?.split(' ').next()?.parse().ok()
        };
        threads.into_iter().flatten().flatten().filter_map(|thread| each(&thread.path())).sum()
    }

    /// How often it waited until a page of a file was read from the disk, so far.
    pub(crate) fn pages_from_disk(&self) -> u64 {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.pid()));
        major_faults(&stat.unwrap_or_default()).unwrap_or_default()
    }

    fn pid(&self) -> u32 {
        self.child.id().unwrap_or_default()
    }

    /// Ends it, as Ctrl-C would, and waits.
    pub(crate) async fn end(mut self) -> Result {
        let pid = self.pid().to_string();
        Command::new("kill").args(["-INT", &pid]).status().await?;
        if tokio::time::timeout(END_MAX, self.child.wait()).await.is_err() {
            self.child.kill().await?;
        }
        Ok(())
    }
}

/// The tenth number behind the program's name, which may have spaces itself.
fn major_faults(stat: &str) -> Option<u64> {
    let (_, behind_name) = stat.rsplit_once(')')?;
    behind_name.split_whitespace().nth(9)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_family_is_the_process_and_its_children() {
        let stat = |pid: u32, parent: u32| {
            format!("{pid} (a) b) S {parent} 1 1 0 -1 4 5 6 7 8 30 12 400 5000 20 0")
        };
        assert_eq!(spent_ticks(&stat(7, 1), 7), Some(5442));
        assert_eq!(spent_ticks(&stat(8, 7), 7), Some(42));
        assert_eq!(spent_ticks(&stat(9, 8), 7), None);
        assert_eq!(spent_ticks("", 7), None);
    }

    #[test]
    fn parents_are_found_behind_any_name() {
        assert_eq!(with_parent("7 (a b) c) S 3 7 7 0"), Some((7, 3)));
        assert_eq!(with_parent("7 a"), None);
    }

    #[test]
    fn memory_of_ones_own_is_told() {
        let before = own_bytes(std::process::id());
        let held = vec![1_u8; 8 << 20];
        assert!(own_bytes(std::process::id()) >= before + held.len() as u64 / 2);
    }

    #[test]
    fn waits_for_the_disk_are_found_behind_any_name() {
        let stat = "7 (a b) c) S 1 7 7 0 -1 4194304 120 0 35 0 10 20 0 0 20 0 4 0 99 0 0";
        assert_eq!(major_faults(stat), Some(35));
        assert_eq!(major_faults(""), None);
    }
}
