//! Ratings on a scale. The scale is taken from the value ("4/5") or from the name of the field
//! ("How was it? (1-5)").

use std::ops::RangeInclusive;

/// Number of marks that a scale can have to be drawn.
const MARKS_RANGE: RangeInclusive<usize> = 2..=10;
/// Separators of a value and its scale.
const SCALE_SEPARATORS: [&str; 3] = ["/", " of ", " von "];
/// Separators of the ends of a scale.
const RANGE_SEPARATORS: [&str; 5] = ["-", "–", "—", "to", "bis"];

/// A rating.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rating {
    /// The value as submitted, trimmed.
    pub text: String,
    /// Position on the scale, if the scale is known.
    pub scale: Option<RatingScale>,
}

/// A position on a scale.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RatingScale {
    /// The value without the scale.
    pub value: String,
    /// Number of filled marks.
    pub filled: usize,
    /// Number of marks of the scale.
    pub marks: usize,
}

/// Parses a rating; `None` if the text is not a number.
pub fn parse_rating(text: &str, field_name: &str) -> Option<Rating> {
    let text = text.trim();
    let (value, of) = match SCALE_SEPARATORS.iter().find_map(|of| text.split_once(of)) {
        Some((value, of)) => (value.trim(), Some(of.trim().parse().ok()?)),
        None => (text, scale_in_name(field_name)),
    };
    let (nearest, max) = nearest_and_ceil(value)?;
    let of = of.filter(|of| MARKS_RANGE.contains(of) && max <= *of);
    let scale = of.map(|of| RatingScale { value: value.to_owned(), filled: nearest, marks: of });
    Some(Rating { text: text.to_owned(), scale })
}

/// Returns the nearest whole number, and the smallest one that is not below the value. Parsed by
/// hand, because the float parser of the standard library would add more bytes than the rest of
/// this module.
fn nearest_and_ceil(text: &str) -> Option<(usize, usize)> {
    let (integer, part) = text.split_once(['.', ',']).unwrap_or((text, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let integer: usize = (digits(integer) && digits(part)).then(|| integer.parse().ok())??;
    let half = part.starts_with(['5', '6', '7', '8', '9']);
    let above = part.contains(|c| c != '0');
    Some((integer.saturating_add(half.into()), integer.saturating_add(above.into())))
}

/// Returns the upper end of the scale in a field's name, such as "(1-5)".
fn scale_in_name(name: &str) -> Option<usize> {
    let is_digit = |c: char| c.is_ascii_digit();
    let mut before = "";
    let mut rest = name;
    while let Some(at) = rest.find(is_digit) {
        let end = rest[at..].find(|c| !is_digit(c)).map_or(rest.len(), |end| at + end);
        let low = &rest[at..end];
        let alone = !before.chars().chain(rest[..at].chars()).next_back().is_some_and(joins_number);
        let behind = rest[end..].trim_start();
        let high =
            RANGE_SEPARATORS.iter().find_map(|to| behind.strip_prefix(to)).map(str::trim_start);
        if alone
            && matches!(low, "0" | "1")
            && let Some(high) = high
        {
            let end = high.find(|c| !is_digit(c)).unwrap_or(high.len());
            if let Some(of) = high[..end].parse().ok().filter(|of| MARKS_RANGE.contains(of)) {
                return Some(of);
            }
        }
        (before, rest) = (low, &rest[end..]);
    }
    None
}

/// Whether a number after this character is part of something longer: a name, a date, a fraction.
fn joins_number(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '–' | '.' | ',' | '/' | ':')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes a rating as marks, or as the bare value.
    fn write_marks(text: &str, name: &str) -> Option<String> {
        let rating = parse_rating(text, name)?;
        Some(rating.scale.map_or(rating.text, |RatingScale { value, filled, marks: of }| {
            format!("{value} {}{}", "*".repeat(filled), ".".repeat(of - filled))
        }))
    }

    #[track_caller]
    fn check(text: &str, name: &str, expected: Option<&str>) {
        assert_eq!(write_marks(text, name).as_deref(), expected, "{text} of {name}");
    }

    #[test]
    fn scale_comes_from_value_or_name() {
        check("4/5", "Score", Some("4 ****."));
        check(" 3 of 4 ", "Score", Some("3 ***."));
        check("7 von 10", "Score (1-5)", Some("7 *******..."));
        check("4", "How was it? (1–5)", Some("4 ****."));
        check("0", "Would you tell others? 0 to 10", Some("0 .........."));
        check("4.5", "1 - 5", Some("4.5 *****"));
        check("2,4", "Note 1 bis 6", Some("2,4 **...."));
    }

    #[test]
    fn unknown_scale_is_not_guessed() {
        check("4", "Score", Some("4"));
        check("7", "Score (1-5)", Some("7"));
        check("5.1", "Score (1-5)", Some("5.1"));
        check("4/100", "Score", Some("4/100"));
        check("3", "Since 2021-10", Some("3"));
        check("3", "2026-1-5", Some("3"));
        check("3", "Q1-5", Some("3"));
        check("3", "1-50", Some("3"));
        for text in ["good", "", "-1", "4/x", "1e3", "99999999999999999999999"] {
            check(text, "Score (1-5)", None);
        }
    }
}
