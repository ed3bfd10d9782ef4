//! Zero-copy reader of a submission's JSON: it finds the byte ranges of the parts.
//!
//! The reader accepts only the output of serialising a [`crate::Submission`]: every member, in
//! order, without white space, with answers that are scalars or flat lists. For any other text it
//! returns `None`, and the caller deserialises instead. It never guesses and never panics.

use crate::columns::{METADATA_COLUMNS, MetadataColumn};
use crate::{FormId, SubmissionId, id, time};
use std::ops::Range;

mod keys;
mod part;
#[cfg(test)]
pub(crate) mod samples;
mod scanner;
mod swar;

pub(crate) use keys::KeyLookup;
pub(crate) use part::{Part, PartKind};

use part::OFFSET_MAX;
use scanner::Scanner;

/// Parts of one submission. The value is reused for the next submission.
#[derive(Default)]
pub(crate) struct FieldOffsets {
    /// Parts that do not depend on the form, indexed by [`MetadataColumn`].
    pub(crate) fixed: [Part; METADATA_COLUMNS],
    /// Answers, by the index of their key.
    pub(crate) answers: Vec<Part>,
    /// Range between the braces of `answers`.
    pub(crate) answers_range: Range<usize>,
    /// Form of the previous submission. The next one usually has the same, which saves a check.
    form_id: String,
}

impl FieldOffsets {
    /// Reads a submission; `None` if the text differs from our own serialisation.
    pub(crate) fn read_submission(&mut self, text: &str, keys: &KeyLookup) -> Option<()> {
        if text.len() as u64 > OFFSET_MAX {
            return None;
        }
        self.fixed = [Part::default(); METADATA_COLUMNS];
        self.answers.clear();
        self.answers.resize(keys.key_count(), Part::default());
        let mut scan = Scanner::new(text);
        self.read_ids(&mut scan)?;
        self.read_answers(&mut scan, keys)?;
        self.read_metadata(&mut scan)?;
        self.read_insight(&mut scan)?;
        scan.skip_text("}")?;
        scan.is_at_end().then_some(())
    }

    fn read_ids(&mut self, scan: &mut Scanner<'_>) -> Option<()> {
        scan.skip_text("{\"id\":\"")?;
        let submission = scan.read_text()?;
        scan.skip_text(",\"form_id\":\"")?;
        let form = scan.read_text()?;
        id::check_id(scan.str(submission.text_range())?, SubmissionId::PREFIX).ok()?;
        let form = scan.str(form.text_range())?;
        if form != self.form_id {
            id::check_id(form, FormId::PREFIX).ok()?;
            form.clone_into(&mut self.form_id);
        }
        self.set_fixed(MetadataColumn::SubmissionId, submission);
        Some(())
    }

    fn read_answers(&mut self, scan: &mut Scanner<'_>, keys: &KeyLookup) -> Option<()> {
        scan.skip_text(",\"answers\":{")?;
        let start = scan.position();
        let mut expected = 0;
        let mut is_first = true;
        while scan.skip_text("}").is_none() {
            scan.skip_text(if is_first { "\"" } else { ",\"" })?;
            is_first = false;
            let key = scan.read_text()?;
            let index = keys.find_json_key(scan.str(key.text_range())?, expected);
            scan.skip_text(":")?;
            let value = scan.read_value()?;
            match index {
                Some(index) => {
                    self.answers[index] = value;
                    expected = index + 1;
                }
                // An escaped key may be one of the form's keys in another spelling.
                None if key.is_escaped() => return None,
                None => {}
            }
        }
        self.answers_range = start..scan.position() - 1;
        Some(())
    }

    fn read_metadata(&mut self, scan: &mut Scanner<'_>) -> Option<()> {
        scan.skip_text(",\"metadata\":{\"submitted_at\":\"")?;
        let instant = scan.read_text()?;
        if !time::is_written(scan.str(instant.text_range())?) {
            return None;
        }
        self.set_fixed(MetadataColumn::SubmittedAt, instant.with_kind(PartKind::Bare));
        self.read_text(scan, ",\"ip_country\":", MetadataColumn::IpCountry)?;
        self.read_text(scan, ",\"device\":", MetadataColumn::Device)?;
        self.read_text(scan, ",\"browser\":", MetadataColumn::Browser)?;
        scan.skip_text(",\"completion_time_seconds\":")?;
        let seconds = scan.read_count()?;
        self.set_fixed(MetadataColumn::CompletionTime, seconds);
        self.read_text(scan, ",\"utm_source\":", MetadataColumn::UtmSource)?;
        self.read_text(scan, ",\"utm_medium\":", MetadataColumn::UtmMedium)?;
        self.read_text(scan, ",\"utm_campaign\":", MetadataColumn::UtmCampaign)?;
        scan.skip_text("}")
    }

    fn read_insight(&mut self, scan: &mut Scanner<'_>) -> Option<()> {
        scan.skip_text(",\"ai_insights\":")?;
        if scan.skip_text("null").is_some() {
            return Some(());
        }
        self.read_text(scan, "{\"sentiment\":", MetadataColumn::Sentiment)?;
        scan.skip_text(",\"sentiment_score\":")?;
        let score = scan.read_fraction()?;
        self.set_fixed(MetadataColumn::SentimentScore, score);
        scan.skip_text(",\"categories\":")?;
        let categories = scan.read_texts()?;
        self.set_fixed(MetadataColumn::Categories, categories);
        self.read_text(scan, ",\"language\":", MetadataColumn::Language)?;
        scan.skip_text("}")
    }

    /// Reads a member that is a text or `null`.
    #[inline]
    fn read_text(
        &mut self,
        scan: &mut Scanner<'_>,
        name: &str,
        fixed: MetadataColumn,
    ) -> Option<()> {
        scan.skip_text(name)?;
        let part = scan.read_text_or_null()?;
        self.set_fixed(fixed, part);
        Some(())
    }

    fn set_fixed(&mut self, fixed: MetadataColumn, part: Part) {
        self.fixed[fixed as usize] = part;
    }
}

/// Calls `visit` with each item of a list, in order.
pub(crate) fn each_item(text: &str, list: Part, mut visit: impl FnMut(Part)) {
    let mut scan = Scanner::with_range(text, list.text_range());
    let mut next = scan.skip_text("[").and_then(|()| scan.read_value());
    while let Some(item) = next {
        visit(item);
        next = scan.skip_text(",").and_then(|()| scan.read_value());
    }
}

/// Appends the unescaped text, which must not contain `\u` escapes. `doubles_quotes` doubles each
/// quote, as CSV requires.
pub(crate) fn unescape(escaped: &[u8], doubles_quotes: bool, out: &mut Vec<u8>) {
    let mut rest = escaped;
    while let Some((before, escape, after)) = swar::split_at_escape(rest) {
        out.extend_from_slice(before);
        match escape {
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'b' => out.push(0x08),
            b'f' => out.push(0x0c),
            b'"' if doubles_quotes => out.extend_from_slice(b"\"\""),
            // A quote, a slash or a backslash.
            itself => out.push(itself),
        }
        rest = after;
    }
    out.extend_from_slice(rest);
}

/// Appends the unescaped text, with any escapes.
pub(crate) fn append_text(text: &str, part: Part, out: &mut Vec<u8>) {
    if part.has_unicode_escapes() {
        out.extend_from_slice(
            scanner::decode_json_text(&text[part.json_range()]).unwrap_or_default().as_bytes(),
        );
    } else {
        unescape(&text.as_bytes()[part.text_range()], false, out);
    }
}
