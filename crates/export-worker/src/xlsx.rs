//! Streaming writer for XLSX workbooks. Memory use does not grow with the number of rows.
//!
//! Text stays text: no cell is ever a formula. Numbers that a sheet would round, and instants
//! before the calendar of sheets, are written as text. The limits of a sheet never drop data
//! silently: rows continue on another sheet, cut cells are counted, and too many columns are an
//! error.

mod cell;
mod zip;

use serde::{Deserialize, Serialize};

use crate::task::Unwritable;

use cell::CellWriter;
pub use cell::XlsxCell;
use zip::{Archive, ArchiveState};

/// Maximum number of rows of a sheet, including the header.
pub const ROWS_MAX: u64 = 1_048_576;
/// Maximum number of columns of a sheet.
pub const COLUMNS_MAX: usize = 16_384;
/// Maximum length of the text in a cell, in UTF-16 units.
pub const CELL_UNITS_MAX: usize = 32_767;
/// Size in bytes after which a new sheet starts, before the size exceeds 32 bits.
const WORKSHEET_BYTES_MAX: u64 = 4_000_000_000;

/// Workbook that is being written.
pub struct XlsxWriter {
    headers: Vec<String>,
    cells: CellWriter,
    archive: Archive,
    worksheets: u32,
    /// Number of rows of the current sheet, including the header.
    rows: u64,
    rows_max: u64,
}

/// State that is needed to resume a workbook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct XlsxState {
    archive: ArchiveState,
    #[serde(rename = "sheets")]
    worksheets: u32,
    rows: u64,
    cut: u64,
}

impl XlsxWriter {
    /// Returns a workbook whose first sheet has a header row.
    ///
    /// # Errors
    /// If there are more columns than a sheet supports.
    pub fn new(heads: Vec<String>) -> Result<Self, Unwritable> {
        let mut book = Self::with_archive(heads, Archive::default())?;
        book.begin_worksheet();
        Ok(book)
    }

    /// Resumes the workbook that was saved as `state`.
    ///
    /// # Errors
    /// Same as [`Self::new`].
    pub fn resume(heads: Vec<String>, state: XlsxState) -> Result<Self, Unwritable> {
        let XlsxState { archive, worksheets, rows, cut } = state;
        let mut book = Self::with_archive(heads, Archive::resume(archive))?;
        (book.worksheets, book.rows, book.cells.cut) = (worksheets, rows, cut);
        Ok(book)
    }

    fn with_archive(heads: Vec<String>, archive: Archive) -> Result<Self, Unwritable> {
        if heads.len() > COLUMNS_MAX {
            return Err(Unwritable::Columns { max: COLUMNS_MAX as u64, all: heads.len() as u64 });
        }
        let cells = CellWriter::new(heads.len());
        Ok(Self { headers: heads, cells, archive, worksheets: 0, rows: 0, rows_max: ROWS_MAX })
    }

    /// Writes a row. It must have one cell per column.
    pub fn write_row<'a>(&mut self, row: impl IntoIterator<Item = XlsxCell<'a>>) {
        if self.rows == self.rows_max || self.archive.entry_bytes() > WORKSHEET_BYTES_MAX {
            self.end_worksheet();
            self.begin_worksheet();
        }
        self.rows += 1;
        self.cells.write_row(self.rows, row);
        self.archive.write(self.cells.xml.as_bytes());
        self.cells.xml.clear();
    }

    fn begin_worksheet(&mut self) {
        self.worksheets += 1;
        self.rows = 1;
        self.archive.begin_entry(&format!("xl/worksheets/sheet{}.xml", self.worksheets));
        self.cells.open_worksheet(&self.headers);
        self.archive.write(self.cells.xml.as_bytes());
        self.cells.xml.clear();
    }

    fn end_worksheet(&mut self) {
        self.archive.write(b"</sheetData></worksheet>");
        self.archive.end_entry();
    }

    /// Returns the finished bytes. Those of the last rows may still be buffered.
    pub fn take(&mut self) -> Vec<u8> {
        self.archive.take()
    }

    /// Flushes the bytes of every row, and returns the state after them.
    pub fn save_state(&mut self) -> XlsxState {
        let archive = self.archive.save_state();
        XlsxState { archive, worksheets: self.worksheets, rows: self.rows, cut: self.cells.cut }
    }

    /// Returns the number of cells that were cut so far.
    pub fn cells_cut(&self) -> u64 {
        self.cells.cut
    }

    /// Returns the number of sheets so far.
    pub fn worksheets(&self) -> u32 {
        self.worksheets
    }

    /// Finishes the workbook and returns its last bytes.
    ///
    /// # Errors
    /// If the file exceeds the size limit of its format.
    pub fn finish(mut self) -> Result<Vec<u8>, Unwritable> {
        self.end_worksheet();
        for (name, content) in package_parts(self.worksheets) {
            self.archive.begin_entry(&name);
            self.archive.write(content.as_bytes());
            self.archive.end_entry();
        }
        self.archive.finish().ok_or(Unwritable::TooLarge)
    }
}

const XML_DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";
const MAIN_NAMESPACE: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const RELATIONSHIPS_NAMESPACE: &str =
    "http://schemas.openxmlformats.org/package/2006/relationships";
const OFFICE_NAMESPACE: &str =
    "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const CONTENT_TYPES_NAMESPACE: &str =
    "http://schemas.openxmlformats.org/package/2006/content-types";
const MEDIA_TYPE_PREFIX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml";

/// Returns the names and contents of the files around the sheets.
fn package_parts(worksheets: u32) -> Vec<(String, String)> {
    use std::fmt::Write as _;

    let mut list = String::new();
    let mut links = String::new();
    let mut kinds = String::new();
    for n in 1..=worksheets {
        let name = if n == 1 { "Submissions".to_owned() } else { format!("Submissions {n}") };
        // Writing to a `String` does not fail.
        let _ = write!(list, "<sheet name=\"{name}\" sheetId=\"{n}\" r:id=\"rId{n}\"/>");
        let _ = write!(
            links,
            "<Relationship Id=\"rId{n}\" Type=\"{OFFICE_NAMESPACE}/worksheet\" \
             Target=\"worksheets/sheet{n}.xml\"/>"
        );
        let _ = write!(
            kinds,
            "<Override PartName=\"/xl/worksheets/sheet{n}.xml\" \
             ContentType=\"{MEDIA_TYPE_PREFIX}.worksheet+xml\"/>"
        );
    }
    let styles = worksheets + 1;
    let book = format!(
        "<workbook xmlns=\"{MAIN_NAMESPACE}\" xmlns:r=\"{OFFICE_NAMESPACE}\"><sheets>{list}</sheets></workbook>"
    );
    let book_links = format!(
        "<Relationships xmlns=\"{RELATIONSHIPS_NAMESPACE}\">{links}\
         <Relationship Id=\"rId{styles}\" \
         Type=\"{OFFICE_NAMESPACE}/styles\" Target=\"styles.xml\"/></Relationships>"
    );
    let root = format!(
        "<Relationships xmlns=\"{RELATIONSHIPS_NAMESPACE}\"><Relationship Id=\"rId1\" \
         Type=\"{OFFICE_NAMESPACE}/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>"
    );
    let kinds = format!(
        "<Types xmlns=\"{CONTENT_TYPES_NAMESPACE}\"><Default Extension=\"rels\" \
         ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\
         <Default Extension=\"xml\" ContentType=\"application/xml\"/>\
         <Override PartName=\"/xl/workbook.xml\" \
         ContentType=\"{MEDIA_TYPE_PREFIX}.sheet.main+xml\"/>\
         <Override PartName=\"/xl/styles.xml\" \
         ContentType=\"{MEDIA_TYPE_PREFIX}.styles+xml\"/>{kinds}</Types>"
    );
    let part = |name: &str, xml: String| (name.to_owned(), format!("{XML_DECLARATION}{xml}"));
    vec![
        part("[Content_Types].xml", kinds),
        part("_rels/.rels", root),
        part("xl/workbook.xml", book),
        part("xl/_rels/workbook.xml.rels", book_links),
        part("xl/styles.xml", styles_xml()),
    ]
}

/// Returns the cell formats, by index: plain, instant, day, header.
fn styles_xml() -> String {
    format!(
        "<styleSheet xmlns=\"{MAIN_NAMESPACE}\"><numFmts count=\"2\">\
         <numFmt numFmtId=\"164\" formatCode=\"yyyy\\-mm\\-dd\\ hh:mm:ss\"/>\
         <numFmt numFmtId=\"165\" formatCode=\"yyyy\\-mm\\-dd\"/></numFmts>\
         <fonts count=\"2\"><font><sz val=\"11\"/><name val=\"Calibri\"/></font>\
         <font><b/><sz val=\"11\"/><name val=\"Calibri\"/></font></fonts>\
         <fills count=\"2\"><fill><patternFill patternType=\"none\"/></fill>\
         <fill><patternFill patternType=\"gray125\"/></fill></fills>\
         <borders count=\"1\"><border><left/><right/><top/><bottom/><diagonal/></border></borders>\
         <cellStyleXfs count=\"1\"><xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\"/>\
         </cellStyleXfs><cellXfs count=\"4\">\
         <xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\"/>\
         <xf numFmtId=\"164\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\" \
         applyNumberFormat=\"1\"/>\
         <xf numFmtId=\"165\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\" \
         applyNumberFormat=\"1\"/>\
         <xf numFmtId=\"0\" fontId=\"1\" fillId=\"0\" borderId=\"0\" xfId=\"0\" applyFont=\"1\"/>\
         </cellXfs><cellStyles count=\"1\"><cellStyle name=\"Normal\" xfId=\"0\" \
         builtinId=\"0\"/></cellStyles></styleSheet>"
    )
}

#[cfg(test)]
#[path = "xlsx_tests.rs"]
pub(crate) mod tests;
