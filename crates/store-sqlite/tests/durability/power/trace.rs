//! Parser of `strace -f -y`: the file operations of a process.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

/// System calls that change files, sync them, or write output.
pub(super) const CALLS: &str = "trace=openat,mkdir,write,pwrite64,writev,pwritev,ftruncate,\
    truncate,fallocate,fdatasync,fsync,sync_file_range,unlink,unlinkat,rename,renameat,renameat2,\
    link,linkat,rmdir,copy_file_range,sendfile";

/// A file operation, or output of the process.
#[derive(Debug)]
pub(super) enum TraceEvent {
    MakeFolder(PathBuf),
    Create(PathBuf),
    Remove(PathBuf),
    Rename(PathBuf, PathBuf),
    Write {
        file: PathBuf,
        at: usize,
        bytes: Vec<u8>,
    },
    Truncate {
        file: PathBuf,
        length: usize,
    },
    /// All earlier changes of the file or folder, before event `began`, are durable.
    Sync {
        path: PathBuf,
        began: usize,
    },
    /// Bytes on the standard output of the process.
    Said(Vec<u8>),
}

/// Parses a trace. Ignores files outside of `root`; `files` exist from the start.
pub(super) fn parse_trace<'a>(
    text: &str,
    root: &Path,
    files: impl Iterator<Item = &'a PathBuf>,
) -> Vec<TraceEvent> {
    let mut reader = TraceParser { root, events: Vec::new(), seen: files.cloned().collect() };
    let mut unfinished: HashMap<&str, (String, usize)> = HashMap::new();
    for line in text.lines() {
        let (pid, call) = line.split_once(char::is_whitespace).unwrap();
        let call = call.trim_start();
        if let Some(begin) = call.strip_suffix(" <unfinished ...>") {
            unfinished.insert(pid, (begin.to_owned(), reader.events.len()));
        } else if let Some(rest) = call.strip_prefix("<... ") {
            let (first, start) = unfinished.remove(pid).unwrap();
            let (_, end) = rest.split_once(" resumed>").unwrap();
            reader.parse_call(&format!("{first}{end}"), start);
        } else {
            let start = reader.events.len();
            reader.parse_call(call, start);
        }
    }
    reader.events
}

struct TraceParser<'a> {
    root: &'a Path,
    events: Vec<TraceEvent>,
    seen: BTreeSet<PathBuf>,
}

impl TraceParser<'_> {
    fn parse_call(&mut self, call: &str, start: usize) {
        let Some((name, rest)) = call.split_once('(') else { return };
        let Some((arguments, result)) = rest.rsplit_once(" = ") else { return };
        let Some(arguments) = arguments.trim_end().strip_suffix(')') else { return };
        if result.starts_with('-') {
            return;
        }
        let event = match name {
            "openat" => {
                let Some(path) = self.path_argument(arguments, 0) else { return };
                if !arguments.contains("O_CREAT") || !self.seen.insert(path.clone()) {
                    return;
                }
                TraceEvent::Create(path)
            }
            "mkdir" => {
                let Some(path) = self.path_argument(arguments, 0) else { return };
                TraceEvent::MakeFolder(path)
            }
            "unlink" | "unlinkat" => {
                let Some(path) = self.path_argument(arguments, 0) else { return };
                self.seen.remove(&path);
                TraceEvent::Remove(path)
            }
            "rename" | "renameat" | "renameat2" => {
                let Some(from) = self.path_argument(arguments, 0) else { return };
                let to = self.path_argument(arguments, 1).unwrap();
                self.seen.remove(&from);
                self.seen.insert(to.clone());
                TraceEvent::Rename(from, to)
            }
            "fsync" | "fdatasync" => {
                let Some(path) = self.file_argument(arguments) else { return };
                TraceEvent::Sync { path, began: start }
            }
            "ftruncate" => {
                let Some(file) = self.file_argument(arguments) else { return };
                TraceEvent::Truncate { file, length: last_number(arguments) }
            }
            "write" if arguments.starts_with("1<") => {
                TraceEvent::Said(unescape(nth_quoted(arguments, 0).unwrap()))
            }
            "pwrite64" => {
                let Some(file) = self.file_argument(arguments) else { return };
                let bytes = unescape(nth_quoted(arguments, 0).unwrap());
                assert_eq!(bytes.len().to_string(), result, "partial write: {}", file.display());
                TraceEvent::Write { file, at: last_number(arguments), bytes }
            }
            _ => {
                let touches = self.file_argument(arguments).is_some()
                    || self.path_argument(arguments, 0).is_some();
                assert!(!touches, "unknown system call: {call:.300}");
                return;
            }
        };
        self.events.push(event);
    }

    /// Returns the file of `7</its/path>`. Ignores the shared-memory index, which ends with the
    /// processes.
    fn file_argument(&self, arguments: &str) -> Option<PathBuf> {
        let (_, rest) = arguments.split_once('<')?;
        let (path, _) = rest.split_once('>')?;
        self.path_below_root(path)
    }

    /// Returns the nth quoted path.
    fn path_argument(&self, arguments: &str, n: usize) -> Option<PathBuf> {
        self.path_below_root(nth_quoted(arguments, n)?)
    }

    fn path_below_root(&self, path: &str) -> Option<PathBuf> {
        let path = Path::new(path);
        let is_own = path.starts_with(self.root) && !path.to_str().unwrap().ends_with("-shm");
        is_own.then(|| path.to_owned())
    }
}

fn last_number(arguments: &str) -> usize {
    arguments.rsplit_once(", ").unwrap().1.parse().unwrap()
}

/// Returns the nth quoted text, still escaped.
fn nth_quoted(arguments: &str, n: usize) -> Option<&str> {
    let mut rest = arguments;
    let mut nth = 0;
    loop {
        rest = rest.split_once('"')?.1;
        let mut escaped = false;
        let end = rest.bytes().position(|byte| {
            let is_end = byte == b'"' && !escaped;
            escaped = byte == b'\\' && !escaped;
            is_end
        })?;
        if nth == n {
            return Some(&rest[..end]);
        }
        (rest, nth) = (&rest[end + 1..], nth + 1);
    }
}

fn unescape(text: &str) -> Vec<u8> {
    let mut bytes = text.bytes().peekable();
    let mut unescaped = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            unescaped.push(byte);
            continue;
        }
        unescaped.push(match bytes.next().unwrap() {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'v' => 0x0b,
            b'f' => 0x0c,
            digit @ b'0'..=b'7' => {
                let mut value = u32::from(digit - b'0');
                for _ in 0..2 {
                    let Some(digit) = bytes.next_if(|byte| (b'0'..=b'7').contains(byte)) else {
                        break;
                    };
                    value = value * 8 + u32::from(digit - b'0');
                }
                u8::try_from(value).unwrap()
            }
            other => other,
        });
    }
    unescaped
}

#[test]
fn strace_output_is_parsed() {
    let trace = concat!(
        "7  mkdir(\"/r/d\", 0700) = 0\n",
        "7  openat(AT_FDCWD</x>, \"/r/d/f\", O_RDWR|O_CREAT, 0600) = 3</r/d/f>\n",
        "8  openat(AT_FDCWD</x>, \"/r/d/f\", O_RDWR|O_CREAT, 0600) = 4</r/d/f>\n",
        "7  openat(AT_FDCWD</x>, \"/r/no\", O_RDWR|O_CREAT, 0600) = -1 EACCES (No)\n",
        "7  pwrite64(3</r/d/f>, \"a\\\"\\0\\n\\3777\\\\\", 7, 5) = 7\n",
        "7  fdatasync(3</r/d/f> <unfinished ...>\n",
        "8  write(1<pipe:[5]>, \"\\n+x\\n\", 4) = 4\n",
        "7  <... fdatasync resumed>)          = 0\n",
        "7  pwrite64(9</r/d/f-shm>, \"a\", 1, 0) = 1\n",
        "7  write(2</dev/null>, \"a\", 1) = 1\n",
    );
    let events = parse_trace(trace, Path::new("/r"), [].iter());
    let lines: Vec<_> = events.iter().map(|event| format!("{event:?}")).collect();
    insta::assert_snapshot!(lines.join("\n"), @r#"
    MakeFolder("/r/d")
    Create("/r/d/f")
    Write { file: "/r/d/f", at: 5, bytes: [97, 34, 0, 10, 255, 55, 92] }
    Said([10, 43, 120, 10])
    Sync { path: "/r/d/f", began: 3 }
    "#);
}
