//! CSV: header rows, then a submission a row.
//!
//! A cell that answers a field is kept so that an export writes it again byte by byte: nothing is
//! trimmed, and only what JSON writes the same becomes a number. An empty cell is no answer.

use contract::{Field, Insight, Metadata, Timestamp};
use csv::ByteRecord;
use serde_json::{Map, Value};
use std::io::Read;
use std::sync::Arc;

use super::draft::{Draft, shown};
use super::instant::Moment;
use super::kind::answer;
use super::layout::{Column, FieldPlace, Layout};
use super::parts;
use super::table::Table;
use super::target::Part;
use crate::error::{Error, Result};

/// Longest time that a submission may have taken, in seconds: who comes back after days did not
/// work on it meanwhile.
const COMPLETION_S_MAX: i64 = 24 * 60 * 60;

/// The submissions of a file, row by row.
pub(super) struct Rows<R> {
    table: Table<R>,
    layout: Arc<Layout>,
    heads: usize,
    ended: bool,
    pub(super) clamped: Clamped,
}

/// Times from begin to end that were not believed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Clamped {
    /// How many end before they begin, and the line of the first.
    pub(super) negative: (u64, u64),
    /// How many take longer than a day, and the line of the first.
    pub(super) long: (u64, u64),
}

impl<R: Read> Rows<R> {
    /// Returns the rows behind so many header rows.
    pub(super) fn new(table: Table<R>, heads: usize, layout: Arc<Layout>) -> Self {
        Self { table, layout, heads, ended: false, clamped: Clamped::default() }
    }

    fn read(&mut self) -> Result<Option<Draft>> {
        while self.heads > 0 {
            self.heads -= 1;
            self.table.next()?;
        }
        let begin = self.table.bytes();
        let next = self.table.next().inspect_err(|_| self.ended = true)?;
        let Some(line) = next else { return Ok(None) };
        let layout = Arc::clone(&self.layout);
        let bytes = begin..self.table.bytes();
        let draft = self.draft(line, &layout).map_err(|wrong| Error::at_line(line, wrong))?;
        Ok(Some(Draft { bytes, ..draft }))
    }

    fn draft(&mut self, line: u64, layout: &Layout) -> Result<Draft, String> {
        let (row, columns) = (&self.table.row, &layout.columns);
        check_width(row, columns.len())?;
        let mut filled = Filled::new();
        for (cell, column) in row.iter().zip(columns) {
            let at = |wrong: String| format!("column `{}` {wrong}", shown(&column.head.name));
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
                filled.part(part, text, layout).map_err(at)?;
            }
            if let Some(place) = &column.field {
                filled.answer(text, column, place, &layout.new_fields);
            }
        }
        let needs = columns.iter().find(|column| column.part == Some(Part::SubmittedAt));
        if let Some(column) = needs.filter(|_| filled.submitted_at.or(filled.started_at).is_none())
        {
            let head = shown(&column.head.name);
            return Err(format!(
                "column `{head}` is empty; write the instant there, or leave the column out with \
                 `--map \"{head}=skip\"`"
            ));
        }
        Ok(filled.draft(line, &mut self.clamped))
    }
}

impl<R: Read> Iterator for Rows<R> {
    type Item = Result<Draft>;

    fn next(&mut self) -> Option<Result<Draft>> {
        if self.ended { None } else { self.read().transpose() }
    }
}

/// Checks that a row has a cell for each column.
pub(super) fn check_width(row: &ByteRecord, wants: usize) -> Result<(), String> {
    let has = row.len();
    if has == wants {
        return Ok(());
    }
    Err(format!("must have {wants} cells like the header row, but has {has}"))
}

/// What the cells of a row have filled so far.
struct Filled {
    id: Option<contract::SubmissionId>,
    submitted_at: Option<Timestamp>,
    started_at: Option<Timestamp>,
    answers: Map<String, Value>,
    metadata: Metadata,
    insight: Insight,
    has_insight: bool,
}

impl Filled {
    fn new() -> Self {
        let insight = Insight {
            sentiment: None,
            sentiment_score: None,
            categories: Vec::new(),
            language: None,
        };
        Self {
            id: None,
            submitted_at: None,
            started_at: None,
            answers: Map::new(),
            metadata: Metadata::at(Timestamp::MIN),
            insight,
            has_insight: false,
        }
    }

    fn part(&mut self, part: Part, text: &str, layout: &Layout) -> Result<(), String> {
        let (metadata, insight) = (&mut self.metadata, &mut self.insight);
        match part {
            Part::Skip => {}
            Part::Id if !layout.keeps_ids => {}
            Part::Id => self.id = Some(parts::id(text)?),
            Part::SubmittedAt => self.submitted_at = Some(instant(text, layout)?),
            Part::StartedAt => self.started_at = Some(instant(text, layout)?),
            Part::CompletionTime => metadata.completion_time_seconds = Some(parts::seconds(text)?),
            Part::IpCountry => metadata.ip_country = Some(parts::country(text)?),
            Part::Device => metadata.device = Some(parts::label(text)?),
            Part::Browser => metadata.browser = Some(parts::label(text)?),
            Part::UtmSource => metadata.utm_source = Some(parts::label(text)?),
            Part::UtmMedium => metadata.utm_medium = Some(parts::label(text)?),
            Part::UtmCampaign => metadata.utm_campaign = Some(parts::label(text)?),
            Part::Sentiment => insight.sentiment = Some(parts::label(text)?),
            Part::SentimentScore => insight.sentiment_score = Some(parts::score(text)?),
            Part::Categories => insight.categories = parts::categories(text),
            Part::Language => insight.language = Some(parts::label(text)?),
        }
        let is_insight = matches!(
            part,
            Part::Sentiment | Part::SentimentScore | Part::Categories | Part::Language
        );
        self.has_insight |= is_insight;
        Ok(())
    }

    fn answer(&mut self, text: &str, column: &Column, place: &FieldPlace, new: &[Field]) {
        let (key, kind) = match place {
            FieldPlace::Known { key, kind } => (key, *kind),
            FieldPlace::New(at) => (&new[*at].key, new[*at].kind),
        };
        let Some(option) = &column.option else {
            self.answers.insert(key.clone(), answer(text, kind));
            return;
        };
        let chosen = self.answers.entry(key.clone()).or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(items) = chosen {
            items.push(Value::String(option.clone()));
        }
    }

    fn draft(self, line: u64, clamped: &mut Clamped) -> Draft {
        let submitted_at = self.submitted_at.or(self.started_at);
        let mut metadata = self.metadata;
        if let (Some(start), Some(end), None) =
            (self.started_at, self.submitted_at, metadata.completion_time_seconds)
        {
            metadata.completion_time_seconds = clamped.seconds(start, end, line);
        }
        let insight = self.has_insight.then_some(self.insight);
        let (id, answers, bytes) = (self.id, self.answers, 0..0);
        Draft { line, bytes, id, submitted_at, answers, metadata, insight }
    }
}

impl Clamped {
    /// The time from begin to end, unknown where it is negative, and a day at most.
    fn seconds(&mut self, start: Timestamp, end: Timestamp, line: u64) -> Option<u64> {
        let took_s = (end.micros() - start.micros()).div_euclid(1_000_000);
        let note = |(count, first): &mut (u64, u64)| {
            *first = if *count == 0 { line } else { *first };
            *count += 1;
        };
        if took_s < 0 {
            note(&mut self.negative);
        } else if took_s > COMPLETION_S_MAX {
            note(&mut self.long);
        }
        u64::try_from(took_s.min(COMPLETION_S_MAX)).ok()
    }
}

fn instant(text: &str, layout: &Layout) -> Result<Timestamp, String> {
    // What an export writes is by far the most frequent.
    let written = text.ends_with('Z').then(|| Timestamp::parse(text).ok()).flatten();
    let read = || Moment::read(text)?.instant(layout.order, layout.zone);
    written.or_else(read).ok_or_else(|| {
        let shown = shown(text);
        if Moment::read(text).is_some_and(|moment| moment.date(layout.order).is_some()) {
            return format!(
                "must be an hour that clocks there showed, but is `{shown}`; is `--time-zone` \
                 right?"
            );
        }
        format!(
            "must be an instant such as `2026-03-01T09:30:00Z`, `2026-03-01 09:30` or \
             `3/1/26 9:30`, but is `{shown}`"
        )
    })
}

#[cfg(test)]
#[path = "csv_tests.rs"]
mod tests;
