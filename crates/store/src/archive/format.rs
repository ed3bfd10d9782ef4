//! Reader, writer and checksums of the lines of an archive.
//!
//! An archive is JSON lines compressed by gzip: a header, then each table with its rows and their
//! checksum, then an end line. `docs/archive.md` describes it.

use super::tables::Section;
use super::truncate_quote;
use super::value::{self, Value};
use crate::audit::chain::to_hex;
use crate::columns::database_error;
use crate::{Result, StoreError};
use contract::Timestamp;
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};

/// Version of the format.
const VERSION: u32 = 1;
/// Maximum length of a line in bytes. An imported row has at most 4 MiB, and at most seven times as
/// much as archive JSON: a control character has seven bytes there.
const LINE_BYTES_MAX: u64 = 40 << 20;
/// Maximum length of a line that is not a row, in bytes.
const OTHER_LINE_BYTES_MAX: usize = 1 << 16;

/// Errors for a file that is not compressed by gzip.
const NO_GZIP: [ErrorKind; 2] = [ErrorKind::InvalidInput, ErrorKind::UnexpectedEof];

/// The first line of an archive.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Header {
    /// Version of the format.
    version: u32,
    /// Start of the dump.
    created_at: Timestamp,
    /// Version of the program that wrote the archive.
    program: String,
    /// Number of submissions by the counts of the forms, for the progress.
    pub(super) submissions: u64,
}

/// The version alone, because newer headers may have other members.
#[derive(Deserialize)]
struct VersionedHeader {
    sheaf_archive: Version,
}

#[derive(Deserialize)]
struct Version {
    version: u32,
}

/// Row count and checksum of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableSum {
    /// The name of the table.
    pub table: String,
    /// Number of rows.
    pub rows: u64,
    /// SHA-256 of the lines of the rows with their line breaks, in hexadecimal.
    pub sha256: String,
}

/// A line that is not a row.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ArchiveLine {
    SheafArchive(Header),
    Table { name: String, columns: Vec<String> },
    TableEnd(TableSum),
    ArchiveEnd { tables: u64, rows: u64 },
}

/// Computes the checksum of a table.
#[derive(Default)]
pub(super) struct TableHasher {
    rows: u64,
    hash: Sha256,
    line: Vec<u8>,
}

impl TableHasher {
    /// Adds a row and returns its line.
    pub(super) fn add(&mut self, row: &[Value]) -> Result<&[u8]> {
        self.line.clear();
        serde_json::to_writer(&mut self.line, row).map_err(database_error)?;
        self.line.push(b'\n');
        self.rows += 1;
        self.hash.update(&self.line);
        Ok(&self.line)
    }

    /// Returns the checksum.
    pub(super) fn finish(self, section: &Section) -> TableSum {
        TableSum {
            table: section.table.name.to_owned(),
            rows: self.rows,
            sha256: to_hex(self.hash.finalize().into()),
        }
    }
}

/// Writes an archive.
pub(super) struct ArchiveWriter<W: Write> {
    out: GzEncoder<W>,
    sums: Vec<TableSum>,
}

impl<W: Write> ArchiveWriter<W> {
    /// Writes the header.
    pub(super) fn begin(out: W, now: Timestamp, submissions: u64) -> Result<Self> {
        let header = Header {
            version: VERSION,
            created_at: now,
            program: format!("sheaf {}", env!("CARGO_PKG_VERSION")),
            submissions,
        };
        let mut writer =
            Self { out: GzEncoder::new(out, Compression::default()), sums: Vec::new() };
        writer.write_line(&ArchiveLine::SheafArchive(header))?;
        Ok(writer)
    }

    /// Writes the line before the rows of a table.
    pub(super) fn write_table_start(&mut self, section: &Section) -> Result<()> {
        let columns = section.columns.iter().map(|column| column.name.to_owned()).collect();
        self.write_line(&ArchiveLine::Table { name: section.table.name.to_owned(), columns })
    }

    /// Writes the line of a row from [`TableHasher::add`].
    ///
    /// # Errors
    /// If it is so long that no restore would accept it.
    pub(super) fn write_row(&mut self, line: &[u8]) -> Result<()> {
        if line.len() as u64 >= LINE_BYTES_MAX {
            let start = String::from_utf8_lossy(&line[..100]);
            return Err(database_error(format!(
                "a row has {} bytes in the archive, at most {LINE_BYTES_MAX} are allowed: {start}",
                line.len()
            )));
        }
        self.out.write_all(line).map_err(|error| write_error(&error))
    }

    /// Writes the line after the rows of a table.
    pub(super) fn write_table_end(&mut self, sum: TableSum) -> Result<()> {
        self.write_line(&ArchiveLine::TableEnd(sum.clone()))?;
        self.sums.push(sum);
        Ok(())
    }

    /// Writes the last line; returns the checksums and the underlying writer.
    pub(super) fn finish(mut self) -> Result<(Vec<TableSum>, W)> {
        let rows = self.sums.iter().map(|sum| sum.rows).sum();
        self.write_line(&ArchiveLine::ArchiveEnd { tables: self.sums.len() as u64, rows })?;
        let mut out = self.out.finish().map_err(|error| write_error(&error))?;
        out.flush().map_err(|error| write_error(&error))?;
        Ok((self.sums, out))
    }

    fn write_line(&mut self, line: &ArchiveLine) -> Result<()> {
        let mut text = serde_json::to_vec(line).map_err(database_error)?;
        text.push(b'\n');
        self.write_row(&text)
    }
}

/// Reads an archive.
pub(super) struct ArchiveReader<R: Read> {
    lines: BufReader<MultiGzDecoder<R>>,
    line: Vec<u8>,
    /// Number of the last line read.
    number: u64,
    /// Checksums of the previous tables.
    sums: Vec<TableSum>,
}

impl<R: Read> ArchiveReader<R> {
    /// Reads the header.
    ///
    /// # Errors
    /// [`StoreError::Unusable`] if the file is not an archive or has a newer format. All other
    /// methods return the same error for damaged lines.
    pub(super) fn begin(from: R) -> Result<(Self, Header)> {
        let mut reader = Self {
            lines: BufReader::with_capacity(1 << 17, MultiGzDecoder::new(from)),
            line: Vec::new(),
            number: 0,
            sums: Vec::new(),
        };
        reader.read_line()?;
        let VersionedHeader { sheaf_archive: Version { version } } =
            serde_json::from_slice(&reader.line).map_err(|_| not_an_archive())?;
        if version != VERSION {
            return Err(invalid_archive(format!(
                "the archive has the format {version}, and this version reads {VERSION}; use the \
                 version of sheaf that wrote it, or a newer one"
            )));
        }
        match reader.parse_line()? {
            ArchiveLine::SheafArchive(header) => Ok((reader, header)),
            _ => Err(not_an_archive()),
        }
    }

    /// Reads the line before the rows of the next table; `None` at the end of the archive.
    pub(super) fn read_table(&mut self) -> Result<Option<Section>> {
        self.read_line()?;
        match self.parse_line()? {
            ArchiveLine::Table { name, columns } => {
                Section::find(&name, &columns).map(Some).map_err(invalid_archive)
            }
            ArchiveLine::ArchiveEnd { tables, rows } => {
                let read = self.sums.iter().map(|sum| sum.rows).sum::<u64>();
                if (tables, rows) != (self.sums.len() as u64, read) {
                    return Err(self.damaged_line("its counts do not match its contents"));
                }
                match self.lines.fill_buf() {
                    Ok([]) => Ok(None),
                    _ => Err(self.damaged_line("there is data after its end")),
                }
            }
            _ => Err(self.damaged_line("a table should begin here")),
        }
    }

    /// Reads the next row of a table and adds it to a checksum; `None` after the last row, if the
    /// checksum is right.
    pub(super) fn read_row(
        &mut self,
        section: &Section,
        sum: &mut TableHasher,
    ) -> Result<Option<Vec<Value>>> {
        self.read_line()?;
        if self.line.first() != Some(&b'[') {
            return self.check_table_end(section, std::mem::take(sum)).map(|()| None);
        }
        sum.rows += 1;
        sum.hash.update(&self.line);
        let row = value::parse_row(&self.line, &section.columns);
        row.map(Some).map_err(|why| self.damaged_line(&why))
    }

    fn check_table_end(&mut self, section: &Section, sum: TableHasher) -> Result<()> {
        let sum = sum.finish(section);
        match self.parse_line()? {
            ArchiveLine::TableEnd(end) if end == sum => {
                self.sums.push(sum);
                Ok(())
            }
            ArchiveLine::TableEnd(_) => Err(self.damaged_line(&format!(
                "the rows of the table `{}` do not match its checksum",
                section.table.name
            ))),
            _ => Err(self.damaged_line("a table should end here")),
        }
    }

    /// Returns the checksums of all tables read.
    pub(super) fn sums(&self) -> &[TableSum] {
        &self.sums
    }

    /// Reads a line with its line break into `self.line`.
    fn read_line(&mut self) -> Result<()> {
        self.line.clear();
        self.number += 1;
        let read = (&mut self.lines).take(LINE_BYTES_MAX).read_until(b'\n', &mut self.line);
        match read {
            Ok(_) if self.line.ends_with(b"\n") => Ok(()),
            Ok(length) if length as u64 == LINE_BYTES_MAX => {
                Err(self.damaged_line("it is too long"))
            }
            Ok(_) => Err(self.damaged_line("the archive is truncated")),
            // The first read fails if the file is not compressed by gzip.
            Err(error) if self.number == 1 && NO_GZIP.contains(&error.kind()) => {
                Err(not_an_archive())
            }
            Err(error) => Err(self.damaged_line(&error.to_string())),
        }
    }

    fn parse_line(&self) -> Result<ArchiveLine> {
        if self.line.len() > OTHER_LINE_BYTES_MAX {
            return Err(self.damaged_line("it is too long"));
        }
        serde_json::from_slice(&self.line).map_err(|error| self.damaged_line(&error.to_string()))
    }

    fn damaged_line(&self, why: &str) -> StoreError {
        invalid_archive(format!(
            "line {} of the archive is damaged or cut off ({}); use another copy",
            self.number,
            truncate_quote(why)
        ))
    }
}

fn not_an_archive() -> StoreError {
    invalid_archive("this is not an archive of `sheaf dump`; name another file")
}

fn write_error(error: &std::io::Error) -> StoreError {
    invalid_archive(format!("the archive cannot be written: {error}"))
}

fn invalid_archive(why: impl Into<String>) -> StoreError {
    StoreError::Unusable(why.into())
}
