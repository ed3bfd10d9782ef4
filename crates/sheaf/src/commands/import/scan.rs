//! First pass over all rows of a file: collects the statistics of the columns.

use csv::ByteRecord;
use std::io::Read;

use super::column::MappedColumn;
use super::column_stats::ColumnStats;
use super::notes::Tally;
use super::table::Table;
use super::time::column_times::LocalTimes;
use crate::error::Result;

/// Result of a scan.
pub(super) struct Scan {
    pub(super) profiles: Vec<ColumnStats>,
    /// Number of rows after the header.
    pub(super) rows: u64,
    /// Number of rows that are not empty.
    pub(super) filled_rows: u64,
    /// Rows with fewer cells than the header.
    pub(super) short_rows: Tally,
}

/// Reads all rows after the header. Calls `each` with the number of bytes read so far.
///
/// # Errors
/// A row that does not end, or a file that cannot be read.
pub(super) fn scan_rows<R: Read>(
    mut table: Table<R>,
    header_rows: usize,
    columns: &[MappedColumn],
    mut each: impl FnMut(u64),
) -> Result<Scan> {
    for _ in 0..header_rows {
        table.next_row()?;
    }
    let profiles = columns.iter().map(|_| ColumnStats::new()).collect();
    let mut scan = Scan { profiles, rows: 0, filled_rows: 0, short_rows: Tally::default() };
    while let Some(line) = table.next_row()? {
        scan.rows += 1;
        each(table.bytes_read());
        if !is_empty(&table.row) {
            scan.add_row(&table.row, columns, line);
        }
    }
    Ok(scan)
}

impl Scan {
    fn add_row(&mut self, row: &ByteRecord, columns: &[MappedColumn], line: u64) {
        self.filled_rows += 1;
        if row.len() < columns.len() {
            self.short_rows.add(line);
        }
        let mut before = LocalTimes::default();
        for (at, (cell, column)) in row.iter().zip(columns).enumerate() {
            let text = std::str::from_utf8(cell).unwrap_or_default();
            let option = column.header.option.as_ref().map(|(_, option)| option.as_str());
            let times = self.profiles[at].add_cell(text, option, line);
            if at > 0 && (before, times) != Default::default() {
                self.profiles[at - 1].times.add_pair(before, times);
            }
            before = times;
        }
    }
}

/// Whether a row contains only white space.
pub(super) fn is_empty(row: &ByteRecord) -> bool {
    row.as_slice().iter().all(u8::is_ascii_whitespace)
}
