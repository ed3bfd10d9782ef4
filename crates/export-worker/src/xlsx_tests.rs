//! Tests that a workbook unpacks to its input, also if it was written in several parts.

use super::*;
use std::io::Read as _;

/// Returns the entries of an archive by its directory: names and contents, with verified checksums.
fn unpack(bytes: &[u8]) -> Vec<(String, String)> {
    let word = |at: usize| u16::from_le_bytes(bytes[at..at + 2].try_into().unwrap()) as usize;
    let long = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let end = bytes.len() - 22;
    assert_eq!(&bytes[end..end + 4], b"PK\x05\x06");
    let mut at = long(end + 16);
    let count = word(end + 10);
    let entry = |_| {
        assert_eq!(&bytes[at..at + 4], b"PK\x01\x02");
        let crc = long(at + 16);
        let packed = long(at + 20);
        let size = long(at + 24);
        let name = word(at + 28);
        let offset = long(at + 42);
        let name = String::from_utf8(bytes[at + 46..at + 46 + name].to_vec()).unwrap();
        at += 46 + name.len();
        assert_eq!(&bytes[offset..offset + 4], b"PK\x03\x04");
        let begin = offset + 30 + name.len();
        let mut text = String::new();
        let packed = &bytes[begin..begin + packed];
        flate2::read::DeflateDecoder::new(packed).read_to_string(&mut text).unwrap();
        assert_eq!(text.len(), size, "{name}");
        assert_eq!(crc32fast::hash(text.as_bytes()) as usize, crc, "{name}");
        (name, text)
    };
    (0..count).map(entry).collect()
}

fn heads() -> Vec<String> {
    vec!["id".to_owned(), "=text".to_owned()]
}

fn cells(n: usize) -> [XlsxCell<'static>; 2] {
    [XlsxCell::Number(n.to_string().into()), XlsxCell::Text(format!("=1+{n} <b>").into())]
}

pub(crate) fn read_worksheet(bytes: &[u8], name: &str) -> String {
    let name = format!("xl/worksheets/{name}.xml");
    unpack(bytes).into_iter().find(|(found, _)| *found == name).unwrap().1
}

#[test]
fn workbook_contains_parts_and_rows() {
    let mut writer = XlsxWriter::new(heads()).unwrap();
    writer.write_row(cells(7));
    writer.write_row([XlsxCell::Empty, XlsxCell::Bool(true)]);
    let bytes = writer.finish().unwrap();
    let names: Vec<_> = unpack(&bytes).into_iter().map(|(name, _)| name).collect();
    assert_eq!(
        names.join(" "),
        "xl/worksheets/sheet1.xml [Content_Types].xml _rels/.rels xl/workbook.xml \
         xl/_rels/workbook.xml.rels xl/styles.xml"
    );
    let worksheet = read_worksheet(&bytes, "sheet1");
    assert!(worksheet.contains("<c r=\"B1\" s=\"3\" t=\"inlineStr\">"), "{worksheet}");
    assert!(worksheet.contains(
        "<row r=\"2\"><c r=\"A2\"><v>7</v></c><c r=\"B2\" t=\"inlineStr\"><is>\
         <t xml:space=\"preserve\">=1+7 &lt;b&gt;</t></is></c></row>\
         <row r=\"3\"><c r=\"B3\" t=\"b\"><v>1</v></c></row></sheetData>"
    ));
    assert!(!worksheet.contains("<f>"), "no cell is a formula");
}

#[test]
fn resumed_workbook_has_same_content() {
    let expected = {
        let mut writer = XlsxWriter::new(heads()).unwrap();
        (0..500).for_each(|n| writer.write_row(cells(n)));
        read_worksheet(&writer.finish().unwrap(), "sheet1")
    };
    let mut writer = XlsxWriter::new(heads()).unwrap();
    let mut bytes = Vec::new();
    for n in 0..500 {
        if n % 50 == 3 {
            let state = serde_json::to_string(&writer.save_state()).unwrap();
            bytes.extend(writer.take());
            writer = XlsxWriter::resume(heads(), serde_json::from_str(&state).unwrap()).unwrap();
        }
        writer.write_row(cells(n));
        bytes.extend(writer.take());
    }
    bytes.extend(writer.finish().unwrap());
    assert_eq!(read_worksheet(&bytes, "sheet1"), expected);
}

#[test]
fn excess_rows_continue_on_next_worksheet() {
    let mut writer = XlsxWriter::new(heads()).unwrap();
    writer.rows_max = 3;
    (0..5).for_each(|n| writer.write_row(cells(n)));
    assert_eq!(writer.worksheets(), 3);
    let bytes = writer.finish().unwrap();
    let rows = |name: &str| read_worksheet(&bytes, name).matches("<row ").count();
    assert_eq!([rows("sheet1"), rows("sheet2"), rows("sheet3")], [3, 3, 2]);
    assert!(read_worksheet(&bytes, "sheet3").contains("<row r=\"2\"><c r=\"A2\"><v>4</v>"));
    let parts = unpack(&bytes);
    let writer = &parts.iter().find(|(name, _)| name == "xl/workbook.xml").unwrap().1;
    assert!(writer.contains("<sheet name=\"Submissions 3\" sheetId=\"3\" r:id=\"rId3\"/>"));
}

#[test]
fn worksheet_limits_are_reported() {
    let error = XlsxWriter::new(vec![String::new(); COLUMNS_MAX + 1]).err();
    assert_eq!(error, Some(Unwritable::Columns { max: 16_384, all: 16_385 }));
    let mut writer = XlsxWriter::new(heads()).unwrap();
    writer.write_row([XlsxCell::Empty, XlsxCell::Text("x".repeat(CELL_UNITS_MAX).into())]);
    assert_eq!(writer.cells_cut(), 0);
    writer.write_row([XlsxCell::Empty, XlsxCell::Text("x".repeat(CELL_UNITS_MAX + 1).into())]);
    assert_eq!(writer.cells_cut(), 1);
    let worksheet = read_worksheet(&writer.finish().unwrap(), "sheet1");
    assert!(!worksheet.contains(&"x".repeat(CELL_UNITS_MAX + 1)));
}
