//! Incremental parser of the server's JSON export: one submission per line, then the trailer
//! (Specification, section 4.4).
//!
//! It buffers one line, never the whole export. Without a trailer the export was cut off.

pub mod row_counter;

use contract::{Submission, json::ExportTrailer, triage::ExportedTriage};
use serde::Deserialize;

/// Maximum length of a line in bytes, far above the largest submission that the service accepts.
const LINE_BYTES_MAX: usize = 64 << 20;

/// Parsed line.
#[derive(Debug, Clone, PartialEq)]
pub enum ExportLine {
    /// Submission with its triage, which is empty unless it is read.
    Row(Box<Submission>, ExportedTriage),
    /// End of the export, with the number of submissions before it.
    End(u64),
}

/// Parser for lines that are still being received.
#[derive(Debug, Default)]
pub struct LineParser {
    buffer: Vec<u8>,
    begin: usize,
    /// Length of the part of the buffer that was searched for a line end.
    searched: usize,
    is_begun: bool,
    reads_triage: bool,
}

/// The only member of a row that a submission does not have.
#[derive(Deserialize)]
struct TriageMember {
    triage: ExportedTriage,
}

#[derive(Deserialize)]
struct TrailerLine {
    export: ExportTrailer,
}

impl LineParser {
    /// Returns a parser of an export with triage.
    pub fn with_triage() -> Self {
        Self { reads_triage: true, ..Self::default() }
    }

    /// Appends received bytes.
    ///
    /// # Errors
    /// If a line exceeds the maximum length.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), String> {
        self.buffer.drain(..self.begin);
        self.searched -= self.begin;
        self.begin = 0;
        if self.buffer.len() + bytes.len() > LINE_BYTES_MAX {
            return Err(format!("a line is longer than {LINE_BYTES_MAX} bytes"));
        }
        self.buffer.extend_from_slice(bytes);
        Ok(())
    }

    /// Returns the next line, if it is complete.
    ///
    /// # Errors
    /// If the line is neither a submission nor the trailer.
    pub fn parse_next(&mut self) -> Result<Option<ExportLine>, String> {
        loop {
            let end = self.buffer[self.searched..].iter().position(|byte| *byte == b'\n');
            let Some(end) = end.map(|at| self.searched + at) else {
                self.searched = self.buffer.len();
                return Ok(None);
            };
            let line = &self.buffer[self.begin..end];
            let is_first = !self.is_begun;
            let read = read_line(line, !self.is_begun, self.reads_triage);
            (self.is_begun, self.begin, self.searched) = (true, end + 1, end + 1);
            let read = read?;
            if !is_first || read.is_some() {
                return Ok(read);
            }
        }
    }
}

fn read_line(
    line: &[u8],
    is_first: bool,
    reads_triage: bool,
) -> Result<Option<ExportLine>, String> {
    let unreadable = |error: serde_json::Error| error.to_string();
    if is_first {
        let opening = line == br#"{"data":["#;
        return if opening { Ok(None) } else { Err("the response is not an export".to_owned()) };
    }
    if let Some(rest) = line.strip_prefix(b"],") {
        let trailer: TrailerLine =
            serde_json::from_slice(&[b"{", rest].concat()).map_err(unreadable)?;
        return Ok(Some(ExportLine::End(trailer.export.count)));
    }
    let row = line.strip_suffix(b",").unwrap_or(line);
    let submission = serde_json::from_slice(row).map_err(unreadable)?;
    let triage = if reads_triage {
        serde_json::from_slice::<TriageMember>(row).map_err(unreadable)?.triage
    } else {
        ExportedTriage::default()
    };
    Ok(Some(ExportLine::Row(submission, triage)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::{ExportQuery, Metadata, Timestamp, json::JsonWriter, json::StoredJsonWriter};
    use proptest::prelude::*;

    fn submission(id: usize, text: &str) -> Submission {
        Submission {
            id: format!("sub_{id}").parse().unwrap(),
            form_id: "frm_1".parse().unwrap(),
            answers: serde_json::from_value(serde_json::json!({ "a": text })).unwrap(),
            metadata: Metadata::at(Timestamp::parse("2026-03-01").unwrap()),
            ai_insights: None,
        }
    }

    fn export(rows: &[Submission]) -> Vec<u8> {
        let query = ExportQuery::parse("format=json").unwrap();
        let form = "frm_1".parse().unwrap();
        let mut writer = JsonWriter::new(form, &[], &query, Timestamp::MIN).unwrap();
        for row in rows {
            writer.write_row(row);
        }
        writer.finish()
    }

    fn read(bytes: &[u8], piece: usize) -> (Vec<Submission>, Option<u64>) {
        let mut lines = LineParser::default();
        let mut rows = Vec::new();
        let mut count = None;
        for bytes in bytes.chunks(piece) {
            lines.push(bytes).unwrap();
            while let Some(line) = lines.parse_next().unwrap() {
                match line {
                    ExportLine::Row(row, _) => rows.push(*row),
                    ExportLine::End(end) => count = Some(end),
                }
            }
        }
        (rows, count)
    }

    proptest! {
        #[test]
        fn export_parses_in_any_chunk_size(
            texts in proptest::collection::vec("[\\PC\r\n\t\"\\\\\\],{}]{0,20}", 0..6),
            piece in 1_usize..200,
        ) {
            let rows: Vec<_> =
                texts.iter().enumerate().map(|(n, text)| submission(n, text)).collect();
            let file = export(&rows);
            prop_assert_eq!(read(&file, piece), (rows.clone(), Some(rows.len() as u64)));
            // The trailer is missing wherever the export is cut.
            let cut = piece % file.len();
            prop_assert_eq!(read(&file[..cut], piece).1, None);
        }
    }

    #[test]
    fn stored_json_writer_output_parses() {
        let rows = [submission(2, "x"), submission(1, "y")];
        let query = ExportQuery::parse("format=json").unwrap();
        let form = "frm_1".parse().unwrap();
        let mut writer = StoredJsonWriter::new(form, &[], &query, Timestamp::MIN).unwrap();
        for row in &rows {
            writer.write_row(&serde_json::to_string(row).unwrap()).unwrap();
        }
        let mut bytes = writer.take_output();
        bytes.extend(writer.finish());
        assert_eq!(read(&bytes, 7), (rows.to_vec(), Some(2)));
    }

    #[test]
    fn triage_of_rows_is_read() {
        let triage: ExportedTriage =
            serde_json::from_str(r#"{"tags":["a"],"assignee":null}"#).unwrap();
        let query = ExportQuery::parse("format=json").unwrap();
        let form = "frm_1".parse().unwrap();
        let mut writer = JsonWriter::new(form, &[], &query, Timestamp::MIN).unwrap();
        writer.write_row_with_triage(&submission(1, "x"), &triage);
        let file = writer.finish();
        let mut lines = LineParser::with_triage();
        lines.push(&file).unwrap();
        let row = ExportLine::Row(Box::new(submission(1, "x")), triage);
        assert_eq!(lines.parse_next(), Ok(Some(row)));
        assert_eq!(lines.parse_next(), Ok(Some(ExportLine::End(1))));
        let mut lines = LineParser::with_triage();
        lines.push(&export(&[submission(1, "x")])).unwrap();
        assert!(lines.parse_next().unwrap_err().contains("missing field `triage`"));
    }

    #[test]
    fn invalid_export_is_rejected() {
        let first = |text: &str| {
            let mut lines = LineParser::default();
            lines.push(text.as_bytes()).unwrap();
            lines.parse_next()
        };
        assert!(first("<html>\n").is_err());
        assert!(first("{\"data\":[\nnonsense\n").is_err());
        assert!(first("{\"data\":[\n],nonsense\n").is_err());
        assert_eq!(first("{\"data\":["), Ok(None));
    }
}
