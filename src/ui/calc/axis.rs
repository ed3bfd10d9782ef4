//! Scale of an axis of counts.

/// Returns a round upper end for an axis with counts up to `max`. Its half is a whole number.
pub fn round_axis_end(max: u64) -> u64 {
    let mut unit = 1_u64;
    loop {
        for step in [2, 4, 6, 10] {
            let end = unit.saturating_mul(step);
            if end >= max {
                return end;
            }
        }
        unit = unit.saturating_mul(10);
    }
}

/// Returns the ratio of `part` to `total` in hundredths of a percent.
pub fn share_in_basis_points(part: u64, total: u64) -> u64 {
    let exact = u128::from(part) * 10_000 / u128::from(total.max(1));
    u64::try_from(exact).unwrap_or(u64::MAX)
}

#[cfg(not(target_arch = "wasm32"))]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axis_end_is_a_round_number() {
        for (max, end) in [
            (0, 2),
            (1, 2),
            (3, 4),
            (5, 6),
            (7, 10),
            (10, 10),
            (11, 20),
            (41, 60),
            (61, 100),
            (99_999, 100_000),
        ] {
            assert_eq!(round_axis_end(max), end, "{max}");
        }
        assert_eq!(round_axis_end(u64::MAX), u64::MAX);
    }

    #[test]
    fn share_is_in_hundredths_of_a_percent() {
        assert_eq!(
            [share_in_basis_points(1, 3), share_in_basis_points(0, 0), share_in_basis_points(5, 5)],
            [3333, 0, 10_000]
        );
        assert_eq!(share_in_basis_points(u64::MAX, u64::MAX), 10_000);
    }
}
