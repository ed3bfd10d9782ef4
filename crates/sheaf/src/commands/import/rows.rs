//! CSV: header rows, then one submission per row.
//!
//! An export reproduces the cells of fields byte by byte: cells are not trimmed, and become numbers
//! only if JSON writes the number in the same way. An empty cell is no answer.

use contract::{Field, Insight, Metadata, Timestamp};
use csv::ByteRecord;
use serde_json::{Map, Value};
use std::io::Read;
use std::sync::Arc;

use super::cell_type::to_answer;
use super::column::{FieldTarget, MappedColumn};
use super::layout::Layout;
use super::metadata_cells::{
    parse_country, parse_id, parse_label, parse_score, parse_seconds, split_categories,
};
use super::notes::RowNotes;
use super::parsed_submission::{ParsedSubmission, shorten};
use super::scan::is_empty;
use super::table::Table;
use super::target::MetadataPart;
use super::time::moment::{InstantError, ParsedTime, is_hidden, parse_numeric_instant};
use super::time::zone::ZoneError;
use super::tool::Tool;
use crate::error::{Error, Result};

/// Maximum completion time, in seconds. Respondents who return after days did not work on the form
/// all the time.
const COMPLETION_S_MAX: i64 = 24 * 60 * 60;

/// Submission time that `LimeSurvey` writes if a survey records no times.
const LIMESURVEY_NO_TIME: &str = "1980-01-01 00:00:00";

/// Submissions of a file, row by row.
pub(super) struct CsvRows<R> {
    table: Table<R>,
    layout: Arc<Layout>,
    /// Number of header rows still to be skipped.
    skipped: usize,
    ended: bool,
    pub(super) notes: RowNotes,
}

impl<R: Read> CsvRows<R> {
    /// Returns the rows after `skipped` header rows.
    pub(super) fn new(table: Table<R>, skipped: usize, layout: Arc<Layout>) -> Self {
        Self { table, layout, skipped, ended: false, notes: RowNotes::default() }
    }

    fn read_row(&mut self) -> Result<Option<ParsedSubmission>> {
        while self.skipped > 0 {
            self.skipped -= 1;
            self.table.next_row()?;
        }
        loop {
            let start = self.table.bytes_read();
            let next = self.table.next_row().inspect_err(|_| self.ended = true)?;
            let Some(line) = next else { return Ok(None) };
            if is_empty(&self.table.row) {
                self.notes.empty.add(line);
                continue;
            }
            let layout = Arc::clone(&self.layout);
            let bytes = start..self.table.bytes_read();
            let draft =
                self.parse_row(line, &layout).map_err(|wrong| Error::at_line(line, wrong))?;
            return Ok(Some(ParsedSubmission { bytes, ..draft }));
        }
    }

    fn parse_row(&mut self, line: u64, layout: &Layout) -> Result<ParsedSubmission, String> {
        let row = &self.table.row;
        let columns = &layout.columns;
        check_width(row, layout)?;
        if row.len() < columns.len() {
            self.notes.short.add(line);
        }
        let mut filled = RowValues::new();
        for (cell, column) in row.iter().zip(columns) {
            let at = |wrong: String| format!("column `{}` {wrong}", shorten(&column.header.name));
            let text = std::str::from_utf8(cell).map_err(|_| at("is not UTF-8".to_owned()))?;
            if text.is_empty() {
                continue;
            }
            let max = layout.cell_bytes_max();
            if text.len() > max {
                let count = text.len();
                return Err(at(format!("must have at most {max} bytes, but has {count}")));
            }
            if let Some(part) = column.part {
                filled.set_part(part, text, layout).map_err(at)?;
            }
            if is_hidden(text) && !column.part.is_some_and(MetadataPart::is_instant) {
                self.notes.hidden.add(line);
            }
            if let Some(target) = &column.field {
                filled.set_answer(text, column, target, &layout.new_fields);
            }
        }
        let needs = columns.iter().find(|column| column.part == Some(MetadataPart::SubmittedAt));
        if let Some(column) = needs.filter(|_| filled.submitted_at.or(filled.started_at).is_none())
        {
            let head = shorten(&column.header.name);
            return Err(format!(
                "column `{head}` is empty; add the time, or use the time of the import for all \
                 submissions with `--time now`"
            ));
        }
        Ok(filled.into_submission(line, &mut self.notes))
    }
}

impl<R: Read> Iterator for CsvRows<R> {
    type Item = Result<ParsedSubmission>;

    fn next(&mut self) -> Option<Result<ParsedSubmission>> {
        if self.ended { None } else { self.read_row().transpose() }
    }
}

/// Checks that a row has a cell for each column, and no further cells.
fn check_width(row: &ByteRecord, layout: &Layout) -> Result<(), String> {
    let has = row.len();
    let wants = layout.columns.len();
    if has < wants && !layout.allows_short_rows {
        return Err(format!(
            "has {has} of the {wants} cells of the header and of all other rows, so its end may be \
             missing; add the delimiters of the missing cells"
        ));
    }
    let extra_cell = row.iter().skip(wants).find(|cell| !cell.iter().all(u8::is_ascii_whitespace));
    match extra_cell {
        None => Ok(()),
        Some(cell) => Err(format!(
            "has {has} cells, but the header has {wants}, so the meaning of `{}` is unknown; put \
             cells that contain a delimiter in quotes",
            shorten(&String::from_utf8_lossy(cell))
        )),
    }
}

/// Values from the cells of a row so far.
struct RowValues {
    id: Option<contract::SubmissionId>,
    submitted_at: Option<Timestamp>,
    started_at: Option<Timestamp>,
    answers: Map<String, Value>,
    metadata: Metadata,
    insight: Insight,
}

impl RowValues {
    fn new() -> Self {
        Self {
            id: None,
            submitted_at: None,
            started_at: None,
            answers: Map::new(),
            metadata: Metadata::at(Timestamp::MIN),
            insight: Insight::default(),
        }
    }

    fn set_part(&mut self, part: MetadataPart, text: &str, layout: &Layout) -> Result<(), String> {
        let metadata = &mut self.metadata;
        let insight = &mut self.insight;
        match part {
            MetadataPart::Skip => {}
            MetadataPart::Id if !layout.keeps_ids => {}
            MetadataPart::Id => self.id = Some(parse_id(text)?),
            MetadataPart::SubmittedAt => self.submitted_at = Some(parse_instant(text, layout)?),
            MetadataPart::StartedAt => self.started_at = Some(parse_instant(text, layout)?),
            MetadataPart::CompletionTime => {
                metadata.completion_time_seconds = Some(parse_seconds(text)?);
            }
            MetadataPart::IpCountry => metadata.ip_country = Some(parse_country(text)?),
            MetadataPart::Device => metadata.device = Some(parse_label(text)?),
            MetadataPart::Browser => metadata.browser = Some(parse_label(text)?),
            MetadataPart::UtmSource => metadata.utm_source = Some(parse_label(text)?),
            MetadataPart::UtmMedium => metadata.utm_medium = Some(parse_label(text)?),
            MetadataPart::UtmCampaign => metadata.utm_campaign = Some(parse_label(text)?),
            MetadataPart::Sentiment => insight.sentiment = Some(parse_label(text)?),
            MetadataPart::SentimentScore => insight.sentiment_score = Some(parse_score(text)?),
            MetadataPart::Categories => insight.categories = split_categories(text),
            MetadataPart::Language => insight.language = Some(parse_label(text)?),
        }
        Ok(())
    }

    fn set_answer(
        &mut self,
        text: &str,
        column: &MappedColumn,
        target: &FieldTarget,
        new: &[Field],
    ) {
        let (key, kind) = match target {
            FieldTarget::Known { key, kind } => (key, *kind),
            FieldTarget::New(at) => (&new[*at].key, new[*at].kind),
        };
        let Some(option) = &column.option else {
            self.answers.insert(key.clone(), to_answer(text, kind));
            return;
        };
        let chosen = self.answers.entry(key.clone()).or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(items) = chosen {
            items.push(Value::String(option.clone()));
        }
    }

    fn into_submission(self, line: u64, notes: &mut RowNotes) -> ParsedSubmission {
        let submitted_at = self.submitted_at.or(self.started_at);
        let mut metadata = self.metadata;
        if let (Some(start), Some(end), None) =
            (self.started_at, self.submitted_at, metadata.completion_time_seconds)
        {
            metadata.completion_time_seconds = completion_s(start, end, line, notes);
        }
        let insight = Some(self.insight).filter(|insight| *insight != Insight::default());
        let id = self.id;
        let answers = self.answers;
        let bytes = 0..0;
        ParsedSubmission { line, bytes, id, submitted_at, answers, metadata, insight }
    }
}

/// Returns the completion time in seconds, at most a day; `None` if it is negative.
fn completion_s(start: Timestamp, end: Timestamp, line: u64, notes: &mut RowNotes) -> Option<u64> {
    let took_s = (end.micros() - start.micros()).div_euclid(1_000_000);
    if took_s < 0 {
        notes.negative_duration.add(line);
    } else if took_s > COMPLETION_S_MAX {
        notes.long_duration.add(line);
    }
    u64::try_from(took_s.min(COMPLETION_S_MAX)).ok()
}

fn parse_instant(text: &str, layout: &Layout) -> Result<Timestamp, String> {
    let at = instant_at_any_time(text, layout)?;
    // An export must be importable completely, and its times are not ambiguous.
    let is_exported = layout.tool == Tool::Sheaf && text.ends_with('Z');
    if at > layout.end && !is_exported {
        return Err(format!(
            "is in the future: `{}`; correct it, or check `--dates` and `--time`",
            shorten(text)
        ));
    }
    Ok(at)
}

fn instant_at_any_time(text: &str, layout: &Layout) -> Result<Timestamp, String> {
    // Fast path for the format of exports, which is by far the most frequent.
    let written = text.ends_with('Z').then(|| Timestamp::parse(text).ok()).flatten();
    if let Some(at) = written {
        return Ok(at);
    }
    let shown = shorten(text);
    if layout.tool == Tool::Lime && text == LIMESURVEY_NO_TIME {
        return Err(format!(
            "is `{shown}`, which LimeSurvey writes if it records no times; use the time of the \
             import with `--time now`, or name another column with `--time`"
        ));
    }
    if is_hidden(text) {
        return Err(format!(
            "is `{shown}`: the column was too narrow in the spreadsheet; widen it and save the \
             file again"
        ));
    }
    let Some(time) = ParsedTime::parse(text) else {
        return parse_numeric_instant(text, layout.zone).ok_or_else(|| {
            format!(
                "must be a time such as `2026-03-01T09:30:00Z`, `2026-03-01 09:30` or \
                 `3/1/26 9:30 PM`, but is `{shown}`"
            )
        });
    };
    time.instant(layout.order, layout.zone).map_err(|error| match error {
        InstantError::Date => format!(
            "must be a date in the order of the other dates, but is `{shown}`; check `--dates`"
        ),
        InstantError::Month => format!(
            "has a month that differs between languages, in `{shown}`; write it as a number, for \
             example `2026-11-30 09:30`"
        ),
        InstantError::Zone(ZoneError::SkippedHour) => format!(
            "must be an hour that exists in the time zone, but is `{shown}`; check `--time-zone`"
        ),
        InstantError::Zone(ZoneError::Ambiguous(name)) => format!(
            "has `{name}`, a name of several time zones, in `{shown}`; set yours with \
             `--time-zone`, for example `--time-zone Asia/Kolkata`"
        ),
    })
}

#[cfg(test)]
#[path = "rows_tests.rs"]
mod tests;
