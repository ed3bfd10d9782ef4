//! Detects files that are neither CSV nor NDJSON by their first bytes, and says what to do with
//! them.

use crate::error::{Error, Result};

/// A file format that cannot be imported, with advice.
struct FileKind {
    begins: &'static [u8],
    is: &'static str,
    advice: &'static str,
}

const SAVE: &str = "open it in a spreadsheet and save it as CSV";
const UNPACK: &str = "unpack it, and import the file in it";
const SIGN_IN: &str = "sign in to the tool that it comes from, and download the CSV file again";
const DOWNLOAD_CSV: &str = "download the submissions as CSV";

const fn kind(begins: &'static [u8], is: &'static str, advice: &'static str) -> FileKind {
    FileKind { begins, is, advice }
}

const BINARY: [FileKind; 6] = [
    kind(b"\x1f\x8b", "compressed (gzip)", UNPACK),
    kind(b"\xfd7zXZ\0", "compressed (xz)", UNPACK),
    kind(b"\x28\xb5\x2f\xfd", "compressed (zstd)", UNPACK),
    kind(b"7z\xbc\xaf\x27\x1c", "compressed (7z)", UNPACK),
    kind(b"\xd0\xcf\x11\xe0", "an old Excel workbook (.xls)", SAVE),
    kind(b"%PDF-", "a PDF", DOWNLOAD_CSV),
];
/// In lower case.
const MARKUP: [FileKind; 4] = [
    kind(b"<!doctype html", "a web page (HTML)", SIGN_IN),
    kind(b"<html", "a web page (HTML)", SIGN_IN),
    kind(b"<table", "an HTML table", SAVE),
    kind(b"<?xml", "XML", SAVE),
];
const ZIP: &[u8] = b"PK\x03\x04";
/// Contents of the first entries of an Excel workbook. The file names differ between workbooks.
const EXCEL_PARTS: [&[u8]; 3] = [b"[Content_Types].xml", b"_rels/", b"xl/"];
const OPEN_DOCUMENT: &[u8] = b"application/vnd.oasis.opendocument.spreadsheet";

/// Rejects a file of another format by its first bytes.
///
/// # Errors
/// A workbook, an archive, a web page or a PDF; JSON if the file should be CSV.
pub(super) fn reject_other_formats(start: &[u8], is_csv: bool) -> Result<()> {
    let refused =
        |is: &str, advice: &str| Err(Error::invalid(format!("the file is {is}; {advice}")));
    let has = |part: &[u8]| memchr::memmem::find(start, part).is_some();
    if start.starts_with(ZIP) {
        return match () {
            () if EXCEL_PARTS.into_iter().any(has) => refused("an Excel workbook (.xlsx)", SAVE),
            () if has(OPEN_DOCUMENT) => refused("an OpenDocument spreadsheet (.ods)", SAVE),
            () => refused("a ZIP archive", UNPACK),
        };
    }
    if let Some(kind) = BINARY.iter().find(|kind| start.starts_with(kind.begins)) {
        return refused(kind.is, kind.advice);
    }
    let text = start.strip_prefix("\u{feff}".as_bytes()).unwrap_or(start).trim_ascii_start();
    let begins = |kind: &&FileKind| {
        text.get(..kind.begins.len()).is_some_and(|text| text.eq_ignore_ascii_case(kind.begins))
    };
    if let Some(kind) = MARKUP.iter().find(begins) {
        return refused(kind.is, kind.advice);
    }
    match json_start(text) {
        Some(b'{') if is_csv => {
            refused("JSON, not CSV", "if it has one submission per line, import it without `--csv`")
        }
        Some(b'[') => refused(
            "a JSON array",
            "write each submission on its own line (NDJSON), and import the file without `--csv`",
        ),
        _ => Ok(()),
    }
}

/// Returns the first character of a text that is JSON. A CSV header can also start with a bracket,
/// but not with both of these characters.
fn json_start(text: &[u8]) -> Option<u8> {
    let (first, rest) = text.split_first()?;
    let second = rest.trim_ascii_start().first();
    let is_json = match first {
        b'{' => matches!(second, Some(b'"' | b'}') | None),
        b'[' => matches!(second, Some(b'{')),
        _ => false,
    };
    is_json.then_some(*first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_rejected(start: &[u8], expected: &str) {
        let error = reject_other_formats(start, true).unwrap_err().to_string();
        assert!(error.starts_with("the file is ") && error.contains(expected), "{error}");
    }

    #[test]
    fn other_file_formats_are_rejected_by_name() {
        assert_rejected(
            b"PK\x03\x04\x14\0[Content_Types].xml",
            "an Excel workbook (.xlsx); open it",
        );
        assert_rejected(
            b"PK\x03\x04\x14\0mimetypeapplication/vnd.oasis.opendocument.spreadsheet",
            "OpenDocument",
        );
        assert_rejected(b"PK\x03\x04\x14\0answers.csv", "a ZIP archive; unpack it");
        assert_rejected(b"\x1f\x8b\x08", "compressed (gzip); unpack it");
        assert_rejected(b"\xd0\xcf\x11\xe0\xa1", "an old Excel workbook (.xls); open it");
        assert_rejected(b"%PDF-1.7\n", "a PDF; download");
        assert_rejected(b"\n<!DOCTYPE html>\n<html>", "a web page (HTML); sign in");
        assert_rejected("\u{feff}<html lang=\"en\">".as_bytes(), "a web page (HTML); sign in");
        assert_rejected(b"<table><tr><td>Name", "an HTML table; open it");
        assert_rejected(b"<?xml version=\"1.0\"?>", "XML; open it");
        assert_rejected(b"[ {\"answers\": {}}]", "a JSON array; write each");
        assert_rejected(b"{\n  \"answers\": {}}", "JSON, not CSV; if it has one");
    }

    #[test]
    fn csv_and_ndjson_are_accepted() {
        for csv in [
            "",
            "a,b\n",
            "[a],[b]\n",
            "{name},b\n",
            "<Name>,b\n",
            "\"{\",b\n",
            "PK,b\n",
            "[\"a\",b\n",
        ] {
            assert!(reject_other_formats(csv.as_bytes(), true).is_ok(), "{csv}");
        }
        assert!(reject_other_formats(b"{\"answers\":{}}\n", false).is_ok());
        assert!(reject_other_formats(b"[{\"answers\":{}}]\n", false).is_err());
    }
}
