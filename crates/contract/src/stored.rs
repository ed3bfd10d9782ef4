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
/// A place in a text has so many bits in a [`Part`]; longer texts are read whole.
const PLACE_BITS: u32 = 29;
const PLACE_MAX: u64 = (1 << PLACE_BITS) - 1;

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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Not there.
    Absent,
    /// `null`.
    Null,
    /// A text.
    Text,
    /// A number, a boolean or an instant: its characters are its text.
    Bare,
    /// A fraction that may read differently once it was a number.
    Fraction,
    /// A flat list.
    List,
}

/// A part: what it is, what is known of its characters, and where it stands. The quotes around a
/// text are not in the range. One word, so that it is handed on in a register.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Part(u64);

impl Part {
    /// There are escapes, in a text or in texts of a list.
    const ESCAPED: u64 = 1 << 3;
    /// Some of the escapes are code units, as `\u0000`.
    const CODED: u64 = 1 << 4;
    /// A comma, a quote or the end of a line is meant, as far as no code unit says so.
    const QUOTED: u64 = 1 << 5;
    const TRAITS: u64 = Self::ESCAPED | Self::CODED | Self::QUOTED;
    const START_SHIFT: u32 = 6;
    const END_SHIFT: u32 = Self::START_SHIFT + PLACE_BITS;

    fn new(kind: Kind, traits: u64, range: Range<usize>) -> Self {
        let (start, end) = (range.start as u64, range.end as u64);
        Self(kind as u64 | traits | start << Self::START_SHIFT | end << Self::END_SHIFT)
    }

    pub(crate) fn kind(self) -> Kind {
        match self.0 & 7 {
            0 => Kind::Absent,
            1 => Kind::Null,
            2 => Kind::Text,
            3 => Kind::Bare,
            4 => Kind::Fraction,
            _ => Kind::List,
        }
    }

    fn with_kind(self, kind: Kind) -> Self {
        Self(self.0 & !7 | kind as u64)
    }

    fn traits(self) -> u64 {
        self.0 & Self::TRAITS
    }

    pub(crate) fn is_escaped(self) -> bool {
        self.0 & Self::ESCAPED != 0
    }

    pub(crate) fn is_coded(self) -> bool {
        self.0 & Self::CODED != 0
    }

    pub(crate) fn needs_quotes(self) -> bool {
        self.0 & Self::QUOTED != 0
    }

    /// Returns where the part stands, the quotes around a text left out.
    pub(crate) fn inner(self) -> Range<usize> {
        let place = |shift: u32| ((self.0 >> shift) & PLACE_MAX) as usize;
        place(Self::START_SHIFT)..place(Self::END_SHIFT)
    }

    /// Returns where the part stands as JSON.
    pub(crate) fn whole(self) -> Range<usize> {
        let Range { start, end } = self.inner();
        if self.kind() == Kind::Text { start - 1..end + 1 } else { start..end }
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
    /// The form of the submission before, which the next one has, too.
    form_id: String,
}

impl Parts {
    /// Reads a submission; `None` where the text is not as serialising one would write it.
    pub(crate) fn read(&mut self, text: &str, keys: &Keys) -> Option<()> {
        if text.len() as u64 > PLACE_MAX {
            return None;
        }
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
                // It may be one of the keys, escaped in another way.
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

/// Calls `visit` with each item of a list that was read, in order.
pub(crate) fn each_item(text: &str, list: Part, mut visit: impl FnMut(Part)) {
    let mut scan = Scan::of(text, list.inner());
    let mut next = scan.take("[").and_then(|()| scan.value());
    while let Some(item) = next {
        visit(item);
        next = scan.take(",").and_then(|()| scan.value());
    }
}

/// Appends what a text means, without code units among its escapes, and each quote twice where
/// `doubles_quotes`.
pub(crate) fn unescape(escaped: &[u8], doubles_quotes: bool, out: &mut Vec<u8>) {
    let mut rest = escaped;
    while let Some((before, escape, behind)) = scan::split_at_escape(rest) {
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

/// Appends what a text means, whatever its escapes.
pub(crate) fn append_text(text: &str, part: Part, out: &mut Vec<u8>) {
    if part.is_coded() {
        out.extend_from_slice(scan::decode(&text[part.whole()]).unwrap_or_default().as_bytes());
    } else {
        unescape(&text.as_bytes()[part.inner()], false, out);
    }
}
