//! A submission's JSON read in place: where in the text its parts stand.
//!
//! Only reads what serialising a [`crate::Submission`] writes: every member, in order, without
//! spaces, and answers that are scalars or flat lists. Of any other text it says that it cannot
//! read it, so that reading it whole decides; it never guesses, and never panics.

use crate::columns::{FIXED, Fixed};
use crate::{FormId, SubmissionId, id, time};
use std::collections::HashMap;
use std::ops::Range;

#[cfg(test)]
pub(crate) mod samples;
mod scan;

use scan::Scan;

/// How far behind the key that is expected next the others are looked at one by one.
const KEYS_TRIED: usize = 4;

/// Answer keys as they stand in JSON, in the order in which a form asks.
pub(crate) struct Keys {
    written: Vec<String>,
    places: HashMap<String, usize>,
}

impl Keys {
    /// Returns the keys of a form.
    pub(crate) fn new<'a>(keys: impl Iterator<Item = &'a str>) -> Self {
        let (mut written, mut places) = (Vec::new(), HashMap::new());
        for key in keys {
            let quoted = serde_json::Value::from(key).to_string();
            let inner = quoted[1..quoted.len() - 1].to_owned();
            if !places.contains_key(&inner) {
                places.insert(inner.clone(), written.len());
                written.push(inner);
            }
        }
        Self { written, places }
    }

    /// Returns the place of a key among the keys given, where it is one of them.
    pub(crate) fn place(&self, key: &str) -> Option<usize> {
        let quoted = serde_json::Value::from(key).to_string();
        self.places.get(&quoted[1..quoted.len() - 1]).copied()
    }

    /// Returns the key at a place, escaped, without its quotes.
    pub(crate) fn written(&self, place: usize) -> &str {
        &self.written[place]
    }

    /// Finds a key as it stands in JSON, quickest where it is the expected one or soon behind it.
    fn find(&self, key: &str, expected: usize) -> Option<usize> {
        let next = self.written.iter().enumerate().skip(expected).take(KEYS_TRIED);
        let near = next.filter(|(_, other)| *other == key).map(|(place, _)| place).next();
        near.or_else(|| self.places.get(key).copied())
    }
}

/// What a part of a submission is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Not there.
    #[default]
    Absent,
    /// `null`.
    Null,
    /// Text without an escape; `Comma` has commas besides.
    Text,
    /// As `Text`, with at least one comma.
    Comma,
    /// Text with escapes of one letter.
    Escaped,
    /// Text with escapes of which some are code units, as `\u0000`.
    Coded,
    /// A number, a boolean or an instant: its characters are its text.
    Bare,
    /// A fraction that may read differently once it was a number.
    Fraction,
    /// A flat list.
    List,
}

/// A part: what it is, and where it stands. The quotes around a text are not in the range.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) kind: Kind,
    start: usize,
    end: usize,
}

impl Part {
    /// Returns where the part stands, the quotes around a text left out.
    pub(crate) fn inner(self) -> Range<usize> {
        self.start..self.end
    }

    /// Returns where the part stands as JSON.
    pub(crate) fn whole(self) -> Range<usize> {
        match self.kind {
            Kind::Text | Kind::Comma | Kind::Escaped | Kind::Coded => self.start - 1..self.end + 1,
            _ => self.inner(),
        }
    }
}

/// The parts of one submission. Reused from one to the next.
#[derive(Default)]
pub(crate) struct Parts {
    /// What does not depend on the form, by [`Fixed`].
    pub(crate) fixed: [Part; FIXED],
    /// The answers, by the place of their key.
    pub(crate) answers: Vec<Part>,
    /// What stands between the braces of `answers`.
    pub(crate) members: Range<usize>,
}

impl Parts {
    /// Reads a submission; `None` where the text is not as serialising one would write it.
    pub(crate) fn read(&mut self, text: &str, keys: &Keys) -> Option<()> {
        self.fixed = [Part::default(); FIXED];
        self.answers.clear();
        self.answers.resize(keys.written.len(), Part::default());
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
        id::check(scan.str(form.inner())?, FormId::PREFIX).ok()?;
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
                // It may be one of the keys, escaped in another way.
                None if matches!(key.kind, Kind::Escaped | Kind::Coded) => return None,
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
        self.set(Fixed::SubmittedAt, Part { kind: Kind::Bare, ..instant });
        for (name, fixed) in [
            (",\"ip_country\":", Fixed::IpCountry),
            (",\"device\":", Fixed::Device),
            (",\"browser\":", Fixed::Browser),
        ] {
            self.read_text(scan, name, fixed)?;
        }
        scan.take(",\"completion_time_seconds\":")?;
        let seconds = scan.count()?;
        self.set(Fixed::CompletionTime, seconds);
        for (name, fixed) in [
            (",\"utm_source\":", Fixed::UtmSource),
            (",\"utm_medium\":", Fixed::UtmMedium),
            (",\"utm_campaign\":", Fixed::UtmCampaign),
        ] {
            self.read_text(scan, name, fixed)?;
        }
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

/// Calls `visit` with each item of a list that was read, in order.
pub(crate) fn each_item(text: &str, list: Part, mut visit: impl FnMut(Part)) {
    let mut scan = Scan::of(text, list.inner());
    let mut next = scan.take("[").and_then(|()| scan.value());
    while let Some(item) = next {
        visit(item);
        next = scan.take(",").and_then(|()| scan.value());
    }
}

/// Appends what an escaped text means.
pub(crate) fn unescape(text: &str, part: Part, out: &mut Vec<u8>) {
    if part.kind == Kind::Coded {
        out.extend_from_slice(scan::decode(&text[part.whole()]).unwrap_or_default().as_bytes());
        return;
    }
    let mut rest = &text.as_bytes()[part.inner()];
    while let Some(slash) = rest.iter().position(|byte| *byte == b'\\') {
        out.extend_from_slice(&rest[..slash]);
        let behind = &rest[slash + 1..];
        let Some((escape, behind)) = behind.split_first() else { break };
        out.push(match escape {
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'b' => 0x08,
            b'f' => 0x0c,
            // A quote, a slash or a backslash.
            itself => *itself,
        });
        rest = behind;
    }
    out.extend_from_slice(rest);
}
