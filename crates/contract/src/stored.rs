//! Zero-copy reader of a submission's JSON: it finds the byte ranges of the parts.
//!
//! The reader accepts only the output of serialising a [`crate::Submission`]: every member, in
//! order, without white space, with answers that are scalars or flat lists. For any other text it
//! returns `None`, and the caller deserialises instead. It never guesses and never panics.

use crate::columns::{FIXED, Fixed};
use crate::{FormId, SubmissionId, id, time};
use std::ops::Range;

mod eight;
mod keys;
mod part;
#[cfg(test)]
pub(crate) mod samples;
mod scan;

pub(crate) use keys::Keys;
pub(crate) use part::{Kind, Part};

use part::PLACE_MAX;
use scan::Scan;

/// Parts of one submission. The value is reused for the next submission.
#[derive(Default)]
pub(crate) struct Parts {
    /// Parts that do not depend on the form, indexed by [`Fixed`].
    pub(crate) fixed: [Part; FIXED],
    /// Answers, by the index of their key.
    pub(crate) answers: Vec<Part>,
    /// Range between the braces of `answers`.
    pub(crate) members: Range<usize>,
    /// Form of the previous submission. The next one usually has the same, which saves a check.
    form_id: String,
}

impl Parts {
    /// Reads a submission; `None` if the text differs from our own serialisation.
    pub(crate) fn read(&mut self, text: &str, keys: &Keys) -> Option<()> {
        if text.len() as u64 > PLACE_MAX {
            return None;
        }
        self.fixed = [Part::default(); FIXED];
        self.answers.clear();
        self.answers.resize(keys.count(), Part::default());
        let mut scan = Scan::new(text);
        self.read_ids(&mut scan)?;
        self.read_answers(&mut scan, keys)?;
        self.read_metadata(&mut scan)?;
        self.read_insight(&mut scan)?;
        scan.take("}")?;
        scan.is_at_end().then_some(())
    }

    fn read_ids(&mut self, scan: &mut Scan<'_>) -> Option<()> {
        scan.take("{\"id\":\"")?;
        let submission = scan.text()?;
        scan.take(",\"form_id\":\"")?;
        let form = scan.text()?;
        id::check(scan.str(submission.inner())?, SubmissionId::PREFIX).ok()?;
        let form = scan.str(form.inner())?;
        if form != self.form_id {
            id::check(form, FormId::PREFIX).ok()?;
            form.clone_into(&mut self.form_id);
        }
        self.set(Fixed::SubmissionId, submission);
        Some(())
    }

    fn read_answers(&mut self, scan: &mut Scan<'_>, keys: &Keys) -> Option<()> {
        scan.take(",\"answers\":{")?;
        let start = scan.at();
        let mut expected = 0;
        let mut is_first = true;
        while scan.take("}").is_none() {
            scan.take(if is_first { "\"" } else { ",\"" })?;
            is_first = false;
            let key = scan.text()?;
            let place = keys.find(scan.str(key.inner())?, expected);
            scan.take(":")?;
            let value = scan.value()?;
            match place {
                Some(place) => {
                    self.answers[place] = value;
                    expected = place + 1;
                }
                // An escaped key may be one of the form's keys in another spelling.
                None if key.is_escaped() => return None,
                None => {}
            }
        }
        self.members = start..scan.at() - 1;
        Some(())
    }

    fn read_metadata(&mut self, scan: &mut Scan<'_>) -> Option<()> {
        scan.take(",\"metadata\":{\"submitted_at\":\"")?;
        let instant = scan.text()?;
        if !time::is_written(scan.str(instant.inner())?) {
            return None;
        }
        self.set(Fixed::SubmittedAt, instant.with_kind(Kind::Bare));
        self.read_text(scan, ",\"ip_country\":", Fixed::IpCountry)?;
        self.read_text(scan, ",\"device\":", Fixed::Device)?;
        self.read_text(scan, ",\"browser\":", Fixed::Browser)?;
        scan.take(",\"completion_time_seconds\":")?;
        let seconds = scan.count()?;
        self.set(Fixed::CompletionTime, seconds);
        self.read_text(scan, ",\"utm_source\":", Fixed::UtmSource)?;
        self.read_text(scan, ",\"utm_medium\":", Fixed::UtmMedium)?;
        self.read_text(scan, ",\"utm_campaign\":", Fixed::UtmCampaign)?;
        scan.take("}")
    }

    fn read_insight(&mut self, scan: &mut Scan<'_>) -> Option<()> {
        scan.take(",\"ai_insights\":")?;
        if scan.take("null").is_some() {
            return Some(());
        }
        self.read_text(scan, "{\"sentiment\":", Fixed::Sentiment)?;
        scan.take(",\"sentiment_score\":")?;
        let score = scan.fraction()?;
        self.set(Fixed::SentimentScore, score);
        scan.take(",\"categories\":")?;
        let categories = scan.texts()?;
        self.set(Fixed::Categories, categories);
        self.read_text(scan, ",\"language\":", Fixed::Language)?;
        scan.take("}")
    }

    /// Reads a member that is a text or `null`.
    #[inline]
    fn read_text(&mut self, scan: &mut Scan<'_>, name: &str, fixed: Fixed) -> Option<()> {
        scan.take(name)?;
        let part = scan.text_or_null()?;
        self.set(fixed, part);
        Some(())
    }

    fn set(&mut self, fixed: Fixed, part: Part) {
        self.fixed[fixed as usize] = part;
    }
}

/// Calls `visit` with each item of a list, in order.
pub(crate) fn each_item(text: &str, list: Part, mut visit: impl FnMut(Part)) {
    let mut scan = Scan::of(text, list.inner());
    let mut next = scan.take("[").and_then(|()| scan.value());
    while let Some(item) = next {
        visit(item);
        next = scan.take(",").and_then(|()| scan.value());
    }
}

/// Appends the unescaped text, which must not contain `\u` escapes. `doubles_quotes` doubles each
/// quote, as CSV requires.
pub(crate) fn unescape(escaped: &[u8], doubles_quotes: bool, out: &mut Vec<u8>) {
    let mut rest = escaped;
    while let Some((before, escape, behind)) = eight::split_at_escape(rest) {
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
        rest = behind;
    }
    out.extend_from_slice(rest);
}

/// Appends the unescaped text, with any escapes.
pub(crate) fn append_text(text: &str, part: Part, out: &mut Vec<u8>) {
    if part.is_coded() {
        out.extend_from_slice(scan::decode(&text[part.whole()]).unwrap_or_default().as_bytes());
    } else {
        unescape(&text.as_bytes()[part.inner()], false, out);
    }
}
