//! Runs unit tests over the corpus of a fuzz target: each input unchanged, and with deterministic
//! changes.

use std::fs;
use std::path::{Path, PathBuf};

/// Bytes that parsers often treat specially.
const SPECIAL: [u8; 16] = *b"\0\t\n\r \"%&+,;=\\{\x7f\xff";

/// Calls `check` with each input of a corpus, and with `copies` changed copies of each. A run that
/// is not a full one makes a sixteenth of the copies.
fn for_each_input(crate_folder: &str, target: &str, copies: u32, check: impl Fn(&[u8])) {
    let corpus = Path::new(crate_folder).join("../../fuzz/corpus").join(target);
    let inputs = read_inputs(&corpus);
    assert!(!inputs.is_empty(), "{} is empty", corpus.display());
    let copies = if crate::is_full_run() { copies } else { copies / 16 };
    for (index, input) in inputs.iter().enumerate() {
        check(input);
        let mut random = Xorshift(0x9e37_79b9_7f4a_7c15 ^ index as u64);
        for _ in 0..copies {
            let other = &inputs[random.below(inputs.len())];
            let copy = mutate_input(input, other, &mut random);
            let _shown = PrintOnPanic(&copy);
            check(&copy);
        }
    }
}

/// Calls `check` with each UTF-8 input of a fuzz target's corpus, and with `copies` changed copies
/// of each.
///
/// `crate_folder` is the `CARGO_MANIFEST_DIR` of a crate below `crates`.
///
/// # Panics
/// If the corpus cannot be read or is empty, or if `check` panics. If it panics for a changed copy,
/// the copy is printed.
pub fn for_each_text(crate_folder: &str, target: &str, copies: u32, check: impl Fn(&str)) {
    for_each_input(crate_folder, target, copies, |input| {
        if let Ok(text) = std::str::from_utf8(input) {
            check(text);
        }
    });
}

/// Calls `check` like [`for_each_text`], with inputs of arbitrary bytes, for a fuzz target whose
/// first byte selects a variant. `check` gets that byte and the rest.
///
/// # Panics
/// Like [`for_each_text`].
pub fn for_each_kind(crate_folder: &str, target: &str, copies: u32, check: impl Fn(u8, &[u8])) {
    for_each_input(crate_folder, target, copies, |input| {
        if let Some((kind, rest)) = input.split_first() {
            check(*kind, rest);
        }
    });
}

/// Prints the input when dropped by a panic.
struct PrintOnPanic<'a>(&'a [u8]);

impl Drop for PrintOnPanic<'_> {
    #[expect(clippy::print_stderr, reason = "the output of a test")]
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the input was \"{}\"", self.0.escape_ascii());
        }
    }
}

fn read_inputs(corpus: &Path) -> Vec<Vec<u8>> {
    let files =
        fs::read_dir(corpus).unwrap_or_else(|error| panic!("{}: {error}", corpus.display()));
    let mut paths: Vec<PathBuf> = files.map(|file| file.expect("an entry").path()).collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).expect("a readable file")).collect()
}

/// Returns a copy of `input` with one to four random changes. Inserted bytes come from `SPECIAL`,
/// from `other`, or from `input` itself.
fn mutate_input(input: &[u8], other: &[u8], random: &mut Xorshift) -> Vec<u8> {
    let mut bytes = input.to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len() + 1);
        let end = (at + random.below(8)).min(bytes.len());
        match random.below(6) {
            0 => drop(bytes.drain(at..end)),
            1 => bytes.insert(at, SPECIAL[random.below(SPECIAL.len())]),
            2 => bytes.splice(at..at, other.iter().copied().take(random.below(32))).for_each(drop),
            3 => bytes.extend_from_within(at..end),
            4 => bytes.truncate(at),
            _ => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << random.below(8);
                }
            }
        }
    }
    bytes
}

/// Xorshift generator. Its seeds are fixed, so that every run gets the same numbers.
struct Xorshift(u64);

impl Xorshift {
    /// Returns a number less than `limit`; 0 if `limit` is 0.
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap_or_default() % limit.max(1)
    }
}
