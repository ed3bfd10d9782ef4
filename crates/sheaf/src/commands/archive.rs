//! `sheaf dump` and `sheaf restore`: archives of all data, between stores of any kind.

mod encryption;

use serde::Serialize;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, IsTerminal as _, Read, Write};
use std::path::Path;
use store::StoreError;
use store::archive::{self, Stage, TableSum};
use store::clock::{Clock as _, SystemClock};
use store::part_file::PartFile;

use crate::args;
use crate::commands::import::ProgressLine;
use crate::config::{DATABASE_FILE, Data, DataLocation};
use crate::error::{Error, Result};
use crate::output;
use encryption::ArchiveOutput;

/// File name of standard input and output.
const STANDARD_STREAM: &str = "-";
/// Characters of a checksum in a table.
const SHOWN_CHARS: usize = 16;

/// Writes an archive and prints its contents.
///
/// # Errors
/// Data that do not exist, or an archive that cannot be written.
pub(crate) async fn dump(data: &Data, args: args::Dump) -> Result<()> {
    let recipients = encryption::parse_recipients(&args.recipient)?;
    let location = data.location()?;
    let (to, file): (Box<dyn Write + Send>, _) = if args.file == Path::new(STANDARD_STREAM) {
        if io::stdout().is_terminal() {
            return Err(Error::invalid(
                "an archive cannot be written to a terminal; name a file, or redirect standard \
                 output",
            ));
        }
        (Box::new(BufWriter::new(io::stdout())), None)
    } else {
        let file = PartFile::create(&args.file).map_err(|error| match error {
            StoreError::Exists(file) => {
                Error::invalid(format!("the file {file} exists already; choose another name"))
            }
            other => other.into(),
        })?;
        let out = file.file().try_clone().map_err(Error::file(&args.file))?;
        (Box::new(BufWriter::new(out)), Some(file))
    };
    let to = ArchiveOutput::start(to, &recipients)?;
    let mut progress = None;
    let mut report_progress = |reached| draw_progress(&mut progress, reached);
    let now = SystemClock.now();
    let (sums, to) = match &location {
        DataLocation::Directory(directory) => {
            store_sqlite::dump(&directory.join(DATABASE_FILE), to, now, &mut report_progress).await
        }
        DataLocation::Database(setup) => {
            store_postgres::dump(setup, to, now, &mut report_progress).await
        }
    }?;
    drop(progress);
    to.finish().map_err(Error::io("cannot write the archive"))?;
    // The file gets its name only now, when it is complete.
    match file {
        Some(file) => {
            file.commit()?;
            print_contents(&sums, args.json)
        }
        None => Ok(()),
    }
}

/// Restores an archive into an empty store and prints its contents.
///
/// # Errors
/// An archive that cannot be read or is damaged, or a store that is not empty.
pub(crate) async fn restore(data: &Data, args: args::Restore) -> Result<()> {
    let location = data.location()?;
    let from: Box<dyn Read + Send> = if args.file == Path::new(STANDARD_STREAM) {
        Box::new(io::stdin())
    } else {
        Box::new(File::open(&args.file).map_err(Error::file(&args.file))?)
    };
    let from = encryption::open_archive(BufReader::new(from), args.identity.as_deref())?;
    let mut progress = None;
    let mut report_progress = |reached| draw_progress(&mut progress, reached);
    let sums = match &location {
        DataLocation::Directory(directory) => {
            store_sqlite::restore(from, &directory.join(DATABASE_FILE), &mut report_progress).await
        }
        DataLocation::Database(setup) => {
            store_postgres::restore(from, setup, &mut report_progress).await
        }
    }?;
    drop(progress);
    print_contents(&sums, args.json)
}

fn draw_progress(progress: &mut Option<(Stage, ProgressLine)>, reached: archive::Progress) {
    let archive::Progress { stage, done, total } = reached;
    let new = || {
        let step = match stage {
            Stage::Dumping => "dumping",
            Stage::Restoring => "restoring",
            Stage::Verifying => "verifying",
        };
        (stage, ProgressLine::new(step, "submissions", total, 0))
    };
    let (drawn, bar) = progress.get_or_insert_with(new);
    if *drawn != stage {
        (*drawn, *bar) = new();
    }
    bar.set_done(done);
}

/// Contents of an archive, as JSON.
#[derive(Serialize)]
struct Contents<'a> {
    tables: &'a [TableSum],
}

fn print_contents(sums: &[TableSum], is_json: bool) -> Result<()> {
    if is_json {
        return output::print_json(&Contents { tables: sums });
    }
    let row = |sum: &TableSum| {
        let shown = sum.sha256.get(..SHOWN_CHARS).unwrap_or(&sum.sha256);
        [sum.table.clone(), sum.rows.to_string(), shown.to_owned()]
    };
    output::print_table(["TABLE", "ROWS", "SHA-256"], &sums.iter().map(row).collect::<Vec<_>>())
}
