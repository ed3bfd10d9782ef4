//! Pseudorandom numbers that are the same for a seed on every machine and in every version. Not for
//! secrets.

/// A pseudorandom generator (`SplitMix64`).
pub(super) struct Random(u64);

impl Random {
    /// Returns the generator of a seed and an index. Different pairs give independent sequences.
    pub(super) fn new(seed: u64, index: u64) -> Self {
        let mut rng = Self(seed);
        let mixed = rng.next();
        let mut rng = Self(mixed ^ index.wrapping_mul(0xD6E8_FEB8_6659_FD93));
        rng.next();
        rng
    }

    /// Returns the next 64 bits.
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number from 0 to `end`, exclusive.
    pub(super) fn next_below(&mut self, end: u32) -> u32 {
        let scaled = ((self.next() >> 32) * u64::from(end)) >> 32;
        u32::try_from(scaled).unwrap_or_default()
    }

    /// Returns a number from `min` to `max`, inclusive.
    pub(super) fn next_in(&mut self, min: u32, max: u32) -> u32 {
        min + self.next_below(max - min + 1)
    }

    /// Returns true with a probability of `times` in a thousand.
    pub(super) fn chance_permille(&mut self, times: u32) -> bool {
        self.next_below(1000) < times
    }

    /// Returns an element of a list, which must not be empty.
    pub(super) fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        let count = u32::try_from(list.len()).unwrap_or(u32::MAX);
        &list[usize::try_from(self.next_below(count)).unwrap_or_default()]
    }

    /// Returns an element of a list, with the probability that `weight` weights.
    pub(super) fn weighted<'a, T>(&mut self, list: &'a [T], weight: impl Fn(&T) -> u32) -> &'a T {
        let mut remaining = self.next_below(list.iter().map(&weight).sum());
        let hit = list.iter().find(|item| match remaining.checked_sub(weight(item)) {
            Some(rest) => {
                remaining = rest;
                false
            }
            None => true,
        });
        hit.unwrap_or(&list[0])
    }
}

/// Returns a hash of a text (FNV-1a), which is the same in every version.
pub(super) fn hash_text(text: &str) -> u64 {
    text.bytes().fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_stable_for_a_seed() {
        let draws = |seed, index| {
            let mut rng = Random::new(seed, index);
            [rng.next_below(1000), rng.next_below(1000), rng.next_below(1000)]
        };
        assert_eq!(draws(7, 0), draws(7, 0));
        assert_ne!(draws(7, 0), draws(7, 1));
        assert_ne!(draws(7, 0), draws(8, 0));
        insta::assert_debug_snapshot!(draws(7, 3).as_slice(), @r"
        [
            802,
            618,
            352,
        ]
        ");
        assert_eq!(hash_text("frm_1"), hash_text("frm_1"));
    }

    #[test]
    fn weighted_choice_respects_shares() {
        let list = [("a", 70), ("b", 30), ("never", 0)];
        let mut rng = Random::new(1, 1);
        let count = |name: &str, rng: &mut Random| {
            (0..10_000).filter(|_| rng.weighted(&list, |item| item.1).0 == name).count()
        };
        assert!((6_700..7_300).contains(&count("a", &mut rng)));
        assert_eq!(count("never", &mut rng), 0);
        assert!((450..550).contains(&(0..10_000).filter(|_| rng.chance_permille(50)).count()));
    }
}
