//! Filters by a range of numbers (not in the specification).

use std::fmt;

/// Maximum number of digits before the decimal point.
const WHOLE_DIGITS_MAX: usize = 9;
/// Maximum number of digits after the decimal point.
const DECIMALS_MAX: usize = 6;
const MILLION: i64 = 1_000_000;
/// Pattern of the numbers in a query.
pub const NUMBER_PATTERN: &str = r"^-?[0-9]{1,9}(\.[0-9]{1,6})?$";

/// Decimal number with at most nine digits before the point and six after it.
///
/// The browser does not parse floating-point numbers for it, which would need 10 kB of code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Number {
    millionths: i64,
}

impl Number {
    /// Parses a number such as `0.5` or `-20`.
    pub fn parse(text: &str) -> Option<Self> {
        let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
        let (integer, decimals) = digits.split_once('.').unwrap_or((digits, "0"));
        let is_number = |text: &str, max| {
            (1..=max).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
        };
        if !is_number(integer, WHOLE_DIGITS_MAX) || !is_number(decimals, DECIMALS_MAX) {
            return None;
        }
        let fill = "000000".get(decimals.len()..)?;
        let number: i64 = [integer, decimals, fill].concat().parse().ok()?;
        Some(Self { millionths: sign * number })
    }

    /// Returns the nearest floating-point number.
    #[expect(clippy::cast_precision_loss, reason = "the value is below 2^53")]
    pub fn value(self) -> f64 {
        self.millionths as f64 / MILLION as f64
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.millionths < 0 { "-" } else { "" };
        write!(f, "{sign}{}", self.millionths.abs() / MILLION)?;
        match self.millionths.abs() % MILLION {
            0 => Ok(()),
            rest => f.write_str(format!(".{rest:06}").trim_end_matches('0')),
        }
    }
}

/// Range of numbers. Both bounds are inclusive.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct NumberRange {
    /// Smallest accepted number.
    pub min: Option<Number>,
    /// Largest accepted number.
    pub max: Option<Number>,
}

impl NumberRange {
    /// Returns the numbers that are in both ranges.
    #[must_use]
    pub fn intersect(self, other: Self) -> Self {
        let bounds = |left: Option<Number>, right: Option<Number>| left.into_iter().chain(right);
        Self {
            min: bounds(self.min, other.min).max_by_key(|it| it.millionths),
            max: bounds(self.max, other.max).min_by_key(|it| it.millionths),
        }
    }

    /// Returns whether the range has no bound.
    pub fn is_empty(self) -> bool {
        self.min.is_none() && self.max.is_none()
    }

    /// Returns whether a number is in the range. `None` is only in a range without a bound.
    pub fn contains(self, number: Option<f64>) -> bool {
        let Some(number) = number else { return self.is_empty() };
        self.min.is_none_or(|min| min.value() <= number)
            && self.max.is_none_or(|max| number <= max.value())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ranges_are_intersected() {
        let range =
            |min: &str, max: &str| NumberRange { min: Number::parse(min), max: Number::parse(max) };
        assert_eq!(range("10", "29").intersect(range("20", "")), range("20", "29"));
        assert_eq!(range("", "5").intersect(range("1", "3")), range("1", "3"));
        assert_eq!(range("", "").intersect(range("", "-1")), range("", "-1"));
    }

    #[test]
    fn numbers_are_decimals() {
        for (text, value) in [
            ("0.5", 0.5),
            ("-2000", -2000.0),
            ("007.10", 7.1),
            ("999999999.999999", 999_999_999.999_999),
        ] {
            assert_eq!(Number::parse(text).map(Number::value), Some(value), "{text}");
        }
        for text in [
            "",
            "-",
            "inf",
            "1e9",
            "0x1",
            "1,5",
            " 1",
            "+1",
            "--1",
            ".5",
            "1.",
            "1234567890",
            "0.1234567",
        ] {
            assert_eq!(Number::parse(text), None, "{text}");
        }
        for (text, written) in [("-0", "0"), ("007.10", "7.1"), ("-0.000001", "-0.000001")] {
            assert_eq!(Number::parse(text).unwrap().to_string(), written);
        }
    }

    proptest! {
        #[test]
        fn value_is_nearest_to_the_text(
            integer in 0..1_000_000_000_u32,
            decimals in 0..1_000_000_u32,
        ) {
            let text = format!("{integer}.{decimals:06}");
            let number = Number::parse(&text).unwrap();
            prop_assert_eq!(number.value().to_bits(), text.parse::<f64>().unwrap().to_bits());
            prop_assert_eq!(Number::parse(&number.to_string()), Some(number));
        }
    }

    #[test]
    fn bounds_are_inclusive() {
        let range = |min, max| NumberRange { min: Number::parse(min), max: Number::parse(max) };
        assert!(range("0.2", "0.4").contains(Some(0.2)));
        assert!(range("0.2", "0.4").contains(Some(0.4)));
        assert!(!range("0.2", "0.4").contains(Some(0.5)));
        assert!(range("", "0.4").contains(Some(-1.0)));
        assert!(!range("", "0.4").contains(None));
        assert!(range("", "").contains(None));
    }
}
