//! Simulation of the contents of a disk after a loss of power.
//!
//! Changes of a file before its last sync are durable. Later changes may be lost in any
//! combination: all, a prefix, single writes, or single sectors of a write, in any order. Where a
//! file grew, unwritten bytes may have any value. A new or removed name is durable once its folder
//! is synced, and may or may not be durable before.

use super::trace::TraceEvent;
use crate::rng::Rng;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Unit that a disk writes atomically.
const SECTOR_BYTES: usize = 512;

/// Files after a loss of power.
pub(super) type DiskFiles = BTreeMap<PathBuf, Vec<u8>>;

#[derive(Default)]
pub(super) struct Disk {
    nodes: Vec<Node>,
    /// Names as the process sees them, and names that are durable.
    names: BTreeMap<PathBuf, usize>,
    durable_names: BTreeMap<PathBuf, usize>,
    pending: Vec<(usize, NameChange)>,
}

#[derive(Clone)]
enum NameChange {
    Add(PathBuf, usize),
    Remove(PathBuf),
    Rename(PathBuf, PathBuf),
}

#[derive(Default)]
struct Node {
    is_folder: bool,
    durable_bytes: Vec<u8>,
    pending: Vec<(usize, FileChange)>,
}

enum FileChange {
    Write(usize, Vec<u8>),
    Truncate(usize),
}

/// Unsynced changes that survive.
#[derive(Clone, Copy)]
enum Survival {
    All,
    Nothing,
    Beginning,
    Some { percent: usize },
    Sectors { percent: usize, garbage: u8 },
}

impl Disk {
    /// Returns a disk with these durable files.
    pub(super) fn with_files(files: &DiskFiles) -> Self {
        let mut disk = Self::default();
        for (path, bytes) in files {
            disk.durable_names.insert(path.clone(), disk.nodes.len());
            disk.nodes.push(Node { durable_bytes: bytes.clone(), ..Node::default() });
        }
        disk.names.clone_from(&disk.durable_names);
        disk
    }

    /// Applies the event with this number.
    pub(super) fn apply_event(&mut self, number: usize, event: &TraceEvent) {
        match event {
            TraceEvent::MakeFolder(path) => self.add_name(number, path, true),
            TraceEvent::Create(path) => self.add_name(number, path, false),
            TraceEvent::Remove(path) => {
                self.names.remove(path);
                self.pending.push((number, NameChange::Remove(path.clone())));
            }
            TraceEvent::Rename(from, to) => {
                let node = self.names.remove(from).unwrap();
                self.names.insert(to.clone(), node);
                self.pending.push((number, NameChange::Rename(from.clone(), to.clone())));
            }
            TraceEvent::Write { file, at, bytes } => {
                self.add_change(number, file, FileChange::Write(*at, bytes.clone()));
            }
            TraceEvent::Truncate { file, length } => {
                self.add_change(number, file, FileChange::Truncate(*length));
            }
            TraceEvent::Sync { path, began } => self.apply_sync(path, *began),
            TraceEvent::Said(_) => {}
        }
    }

    fn add_name(&mut self, number: usize, path: &Path, is_folder: bool) {
        self.nodes.push(Node { is_folder, ..Node::default() });
        self.names.insert(path.to_owned(), self.nodes.len() - 1);
        self.pending.push((number, NameChange::Add(path.to_owned(), self.nodes.len() - 1)));
    }

    fn add_change(&mut self, number: usize, file: &Path, change: FileChange) {
        let node = self.names[file];
        self.nodes[node].pending.push((number, change));
    }

    fn apply_sync(&mut self, path: &Path, start: usize) {
        let (now, later) = std::mem::take(&mut self.pending)
            .into_iter()
            .partition(|(number, naming)| *number < start && naming.folder() == Some(path));
        self.pending = later;
        apply_name_changes(&mut self.durable_names, now);
        let Some(node) = self.names.get(path) else { return };
        let node = &mut self.nodes[*node];
        let (now, later): (Vec<_>, Vec<_>) =
            std::mem::take(&mut node.pending).into_iter().partition(|(number, _)| *number < start);
        node.pending = later;
        for (_, change) in &now {
            apply_change(&mut node.durable_bytes, change, 0);
        }
    }

    /// Returns possible files after a loss of power at this moment.
    pub(super) fn cut_power(&self, dice: &mut Rng) -> DiskFiles {
        let mut names = self.durable_names.clone();
        let percent = [0, 50, 100][dice.below(3)];
        let chosen = self.pending.iter().filter(|_| dice.chance(percent)).cloned().collect();
        apply_name_changes(&mut names, chosen);
        let mut files = DiskFiles::new();
        for (path, node) in &names {
            let folders = path.ancestors().skip(1);
            let is_lost = folders.into_iter().any(|folder| self.is_lost_folder(folder, &names));
            let node = &self.nodes[*node];
            if !is_lost && !node.is_folder {
                files.insert(path.clone(), node.surviving_bytes(dice));
            }
        }
        files
    }

    /// Whether the process created the folder and it did not survive.
    fn is_lost_folder(&self, folder: &Path, files: &BTreeMap<PathBuf, usize>) -> bool {
        self.names.contains_key(folder) && !files.contains_key(folder)
    }
}

impl NameChange {
    fn folder(&self) -> Option<&Path> {
        let (Self::Add(path, _) | Self::Remove(path) | Self::Rename(_, path)) = self;
        path.parent()
    }
}

fn apply_name_changes(names: &mut BTreeMap<PathBuf, usize>, namings: Vec<(usize, NameChange)>) {
    for (_, naming) in namings {
        match naming {
            NameChange::Add(path, node) => {
                names.insert(path, node);
            }
            NameChange::Remove(path) => {
                names.remove(&path);
            }
            NameChange::Rename(from, to) => {
                if let Some(node) = names.remove(&from) {
                    names.insert(to, node);
                }
            }
        }
    }
}

impl Node {
    fn surviving_bytes(&self, dice: &mut Rng) -> Vec<u8> {
        let percent = [10, 50, 90][dice.below(3)];
        let luck = match dice.below(8) {
            0 => Survival::All,
            1 => Survival::Nothing,
            2 => Survival::Beginning,
            3 | 4 => Survival::Some { percent },
            5 | 6 => Survival::Sectors { percent, garbage: 0 },
            _ => Survival::Sectors { percent, garbage: 0xa5 },
        };
        let mut bytes = self.durable_bytes.clone();
        let count = match luck {
            Survival::Nothing => 0,
            Survival::Beginning => dice.below(self.pending.len() + 1),
            _ => self.pending.len(),
        };
        for (_, change) in &self.pending[..count] {
            match (luck, change) {
                (Survival::Some { percent }, _)
                | (Survival::Sectors { percent, .. }, FileChange::Truncate(_)) => {
                    if dice.chance(percent) {
                        apply_change(&mut bytes, change, 0);
                    }
                }
                (Survival::Sectors { percent, garbage }, FileChange::Write(at, new)) => {
                    for (at, new) in split_sectors(*at, new) {
                        if dice.chance(percent) {
                            write_bytes(&mut bytes, at, new, garbage);
                        }
                    }
                }
                _ => apply_change(&mut bytes, change, 0),
            }
        }
        bytes
    }
}

fn apply_change(bytes: &mut Vec<u8>, change: &FileChange, hole: u8) {
    match change {
        FileChange::Write(at, new) => write_bytes(bytes, *at, new, hole),
        FileChange::Truncate(length) => bytes.resize(*length, hole),
    }
}

fn write_bytes(bytes: &mut Vec<u8>, at: usize, new: &[u8], hole: u8) {
    let end = at + new.len();
    if bytes.len() < end {
        bytes.resize(end, hole);
    }
    bytes[at..end].copy_from_slice(new);
}

/// Splits a write at the boundaries of sectors.
fn split_sectors(at: usize, bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let first = (SECTOR_BYTES - at % SECTOR_BYTES).min(bytes.len());
    let (first, rest) = bytes.split_at(first);
    let next = at + first.len();
    std::iter::once((at, first)).chain(
        rest.chunks(SECTOR_BYTES).enumerate().map(move |(n, part)| (next + n * SECTOR_BYTES, part)),
    )
}
