//! Decimal numbers in texts, compared exactly.

use std::cmp::Ordering;

/// A decimal number of any size and precision.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Decimal<'a> {
    is_negative: bool,
    /// Digits before and after the point, without leading zeros. Both are empty for zero.
    digits: [&'a str; 2],
    /// Place of the point relative to the first digit; `i64::MIN` for zero.
    point: i64,
}

impl<'a> Decimal<'a> {
    /// Parses a number as HTML forms send it, such as `-0.5`, `.5` or `1e3`, with any leading
    /// zeros. Ignores spaces around it. The exponent must fit into 32 bits.
    pub(crate) fn parse(text: &'a str) -> Option<Self> {
        let text = text.trim();
        let (is_negative, text) = text.strip_prefix('-').map_or((false, text), |text| (true, text));
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
            None => (text, 0),
        };
        let (whole, decimals) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let has_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        // A point has digits after it.
        let is_number =
            if mantissa.contains('.') { !decimals.is_empty() } else { !whole.is_empty() };
        if !is_number || !has_digits(whole) || !has_digits(decimals) {
            return None;
        }
        let whole = whole.trim_start_matches('0');
        let digits = match whole {
            "" => ["", decimals.trim_start_matches('0')],
            _ => [whole, decimals],
        };
        if digits == ["", ""] {
            return Some(Self { is_negative: false, digits, point: i64::MIN });
        }
        let skipped = if whole.is_empty() { decimals.len() - digits[1].len() } else { 0 };
        let places = i64::try_from(whole.len()).ok()? - i64::try_from(skipped).ok()?;
        Some(Self { is_negative, digits, point: i64::from(exponent) + places })
    }

    fn cmp_magnitude(&self, other: &Self) -> Ordering {
        let digits = |it: &Self| it.digits[0].bytes().chain(it.digits[1].bytes());
        let length = |it: &Self| it.digits[0].len() + it.digits[1].len();
        // Zeros at the end have no effect.
        let padded = |it: &Self| digits(it).chain(std::iter::repeat(b'0'));
        let longest = length(self).max(length(other));
        let by_digits = || padded(self).take(longest).cmp(padded(other).take(longest));
        self.point.cmp(&other.point).then_with(by_digits)
    }
}

impl Ord for Decimal<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.is_negative, other.is_negative) {
            (false, false) => self.cmp_magnitude(other),
            (true, true) => other.cmp_magnitude(self),
            (left, right) => right.cmp(&left),
        }
    }
}

impl PartialOrd for Decimal<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Decimal<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Decimal<'_> {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn compare(left: &str, right: &str) -> Ordering {
        Decimal::parse(left).unwrap().cmp(&Decimal::parse(right).unwrap())
    }

    #[test]
    fn numbers_are_compared_exactly() {
        for (left, right) in [
            ("-2", "-1.5"),
            ("-1", "0"),
            ("-0.1", "1e-9"),
            ("9", "10"),
            ("0.09", "0.1"),
            ("12345678901234567890123", "12345678901234567890124"),
            ("9.99e2", "1000"),
            ("1e99", "1e100"),
        ] {
            assert_eq!(compare(left, right), Ordering::Less, "{left} {right}");
            assert_eq!(compare(right, left), Ordering::Greater, "{left} {right}");
        }
        for (left, right) in [
            ("1.50", " 1.5 "),
            ("-0", "0.000"),
            ("1e+5", "100000"),
            ("0.001e3", "1"),
            ("007", "7.0"),
            ("-.50", "-0.5"),
            ("0e9", "0"),
        ] {
            assert_eq!(compare(left, right), Ordering::Equal, "{left} {right}");
        }
    }

    #[test]
    fn other_texts_are_no_numbers() {
        for text in
            ["", "-", ".", ".e1", "1.", "1,5", "+1", "1e", "1e9999999999", "0x1", "inf", "1 2"]
        {
            assert!(Decimal::parse(text).is_none(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn order_is_that_of_whole_numbers(left: i32, right: i32, decimals in 0usize..4) {
            let text = |number: i32| format!("{number}.{}e-2", "0".repeat(decimals + 1));
            prop_assert_eq!(compare(&text(left), &text(right)), left.cmp(&right));
            let small = format!("{left}e-2");
            let product = f64::from(left) / 100.0;
            prop_assert_eq!(compare(&small, &product.to_string()), Ordering::Equal);
        }
    }
}
