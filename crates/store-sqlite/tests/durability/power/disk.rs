//! Simulation of the contents of a disk after a loss of power.
//!
//! Changes of a file before its last sync are durable. Later changes may be lost in any
//! combination: all, a prefix, single writes, or single sectors of a write, in any order. Where a
//! file grew, unwritten bytes may have any value. A new or removed name is durable once its folder
//! is synced, and may or may not be durable before.

use super::trace::Event;
use crate::dice::Dice;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Unit that a disk writes atomically.
const SECTOR_BYTES: usize = 512;

/// Files after a loss of power.
pub(super) type Left = BTreeMap<PathBuf, Vec<u8>>;

#[derive(Default)]
pub(super) struct Disk {
    nodes: Vec<Node>,
    /// Names as the process sees them, and names that are durable.
    names: BTreeMap<PathBuf, usize>,
    sure: BTreeMap<PathBuf, usize>,
    pending: Vec<(usize, Naming)>,
}

#[derive(Clone)]
enum Naming {
    Give(PathBuf, usize),
    Take(PathBuf),
    Move(PathBuf, PathBuf),
}

#[derive(Default)]
struct Node {
    is_folder: bool,
    sure: Vec<u8>,
    pending: Vec<(usize, Change)>,
}

enum Change {
    Write(usize, Vec<u8>),
    Truncate(usize),
}

/// Unsynced changes that survive.
#[derive(Clone, Copy)]
enum Luck {
    All,
    Nothing,
    Beginning,
    Some { percent: usize },
    Sectors { percent: usize, garbage: u8 },
}

impl Disk {
    /// Returns a disk with these durable files.
    pub(super) fn holding(files: &Left) -> Self {
        let mut disk = Self::default();
        for (path, bytes) in files {
            disk.sure.insert(path.clone(), disk.nodes.len());
            disk.nodes.push(Node { sure: bytes.clone(), ..Node::default() });
        }
        disk.names.clone_from(&disk.sure);
        disk
    }

    /// Applies the event with this number.
    pub(super) fn happen(&mut self, number: usize, event: &Event) {
        match event {
            Event::MakeFolder(path) => self.give(number, path, true),
            Event::Create(path) => self.give(number, path, false),
            Event::Remove(path) => {
                self.names.remove(path);
                self.pending.push((number, Naming::Take(path.clone())));
            }
            Event::Rename(from, to) => {
                let node = self.names.remove(from).unwrap();
                self.names.insert(to.clone(), node);
                self.pending.push((number, Naming::Move(from.clone(), to.clone())));
            }
            Event::Write { file, at, bytes } => {
                self.change(number, file, Change::Write(*at, bytes.clone()));
            }
            Event::Truncate { file, length } => {
                self.change(number, file, Change::Truncate(*length));
            }
            Event::Sync { path, began } => self.sync(path, *began),
            Event::Said(_) => {}
        }
    }

    fn give(&mut self, number: usize, path: &Path, is_folder: bool) {
        self.nodes.push(Node { is_folder, ..Node::default() });
        self.names.insert(path.to_owned(), self.nodes.len() - 1);
        self.pending.push((number, Naming::Give(path.to_owned(), self.nodes.len() - 1)));
    }

    fn change(&mut self, number: usize, file: &Path, change: Change) {
        let node = self.names[file];
        self.nodes[node].pending.push((number, change));
    }

    fn sync(&mut self, path: &Path, began: usize) {
        let (now, later) = std::mem::take(&mut self.pending)
            .into_iter()
            .partition(|(number, naming)| *number < began && naming.folder() == Some(path));
        self.pending = later;
        now_sure(&mut self.sure, now);
        let Some(node) = self.names.get(path) else { return };
        let node = &mut self.nodes[*node];
        let (now, later): (Vec<_>, Vec<_>) =
            std::mem::take(&mut node.pending).into_iter().partition(|(number, _)| *number < began);
        node.pending = later;
        for (_, change) in &now {
            apply(&mut node.sure, change, 0);
        }
    }

    /// Returns possible files after a loss of power at this moment.
    pub(super) fn cut(&self, dice: &mut Dice) -> Left {
        let mut names = self.sure.clone();
        let percent = [0, 50, 100][dice.below(3)];
        let chosen = self.pending.iter().filter(|_| dice.percent(percent)).cloned().collect();
        now_sure(&mut names, chosen);
        let mut left = Left::new();
        for (path, node) in &names {
            let folders = path.ancestors().skip(1);
            let is_lost = folders.into_iter().any(|folder| self.is_ours(folder, &names));
            let node = &self.nodes[*node];
            if !is_lost && !node.is_folder {
                left.insert(path.clone(), node.cut(dice));
            }
        }
        left
    }

    /// Whether the process created the folder and it did not survive.
    fn is_ours(&self, folder: &Path, left: &BTreeMap<PathBuf, usize>) -> bool {
        self.names.contains_key(folder) && !left.contains_key(folder)
    }
}

impl Naming {
    fn folder(&self) -> Option<&Path> {
        let (Self::Give(path, _) | Self::Take(path) | Self::Move(_, path)) = self;
        path.parent()
    }
}

fn now_sure(names: &mut BTreeMap<PathBuf, usize>, namings: Vec<(usize, Naming)>) {
    for (_, naming) in namings {
        match naming {
            Naming::Give(path, node) => {
                names.insert(path, node);
            }
            Naming::Take(path) => {
                names.remove(&path);
            }
            Naming::Move(from, to) => {
                if let Some(node) = names.remove(&from) {
                    names.insert(to, node);
                }
            }
        }
    }
}

impl Node {
    fn cut(&self, dice: &mut Dice) -> Vec<u8> {
        let percent = [10, 50, 90][dice.below(3)];
        let luck = match dice.below(8) {
            0 => Luck::All,
            1 => Luck::Nothing,
            2 => Luck::Beginning,
            3 | 4 => Luck::Some { percent },
            5 | 6 => Luck::Sectors { percent, garbage: 0 },
            _ => Luck::Sectors { percent, garbage: 0xa5 },
        };
        let mut bytes = self.sure.clone();
        let count = match luck {
            Luck::Nothing => 0,
            Luck::Beginning => dice.below(self.pending.len() + 1),
            _ => self.pending.len(),
        };
        for (_, change) in &self.pending[..count] {
            match (luck, change) {
                (Luck::Some { percent }, _)
                | (Luck::Sectors { percent, .. }, Change::Truncate(_)) => {
                    if dice.percent(percent) {
                        apply(&mut bytes, change, 0);
                    }
                }
                (Luck::Sectors { percent, garbage }, Change::Write(at, new)) => {
                    for (at, new) in sectors(*at, new) {
                        if dice.percent(percent) {
                            write(&mut bytes, at, new, garbage);
                        }
                    }
                }
                _ => apply(&mut bytes, change, 0),
            }
        }
        bytes
    }
}

fn apply(bytes: &mut Vec<u8>, change: &Change, hole: u8) {
    match change {
        Change::Write(at, new) => write(bytes, *at, new, hole),
        Change::Truncate(length) => bytes.resize(*length, hole),
    }
}

fn write(bytes: &mut Vec<u8>, at: usize, new: &[u8], hole: u8) {
    let end = at + new.len();
    if bytes.len() < end {
        bytes.resize(end, hole);
    }
    bytes[at..end].copy_from_slice(new);
}

/// Splits a write at the boundaries of sectors.
fn sectors(at: usize, bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let first = (SECTOR_BYTES - at % SECTOR_BYTES).min(bytes.len());
    let (first, rest) = bytes.split_at(first);
    let next = at + first.len();
    std::iter::once((at, first)).chain(
        rest.chunks(SECTOR_BYTES).enumerate().map(move |(n, part)| (next + n * SECTOR_BYTES, part)),
    )
}
