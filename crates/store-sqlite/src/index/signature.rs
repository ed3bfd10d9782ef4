//! A signature that tells which blocks may contain a text: a Bloom filter with four bits per block
//! for each sequence of four bytes (gram).
//!
//! Grams have four bytes, because any three digits occur in nearly every block. They have four
//! bits, because two grams rarely share all of them. A set bit may come from another gram or from
//! deleted text. A clear bit is certain. So blocks without the bits are skipped, and the rest is
//! searched.

use super::END_OF_VALUE;

/// Length of a gram.
const GRAM_BYTES: usize = 4;
/// Number of bits per gram.
const BITS: usize = 4;
/// Number of slots that grams are hashed to. With blocks of sixteen answers of 300 bytes, one bit
/// in three is set.
const SLOTS: usize = 20 * 1024;
/// Number of blocks per page. The bits of one slot within a page are adjacent.
const PAGE_BLOCKS: usize = 1024;
const WORDS: usize = PAGE_BLOCKS / 64;
/// A gram that excludes less than this fraction of the remaining blocks costs more than it saves.
const GAIN_FRACTION_MIN: u32 = 8;

/// The slots of one gram.
type Slots = [usize; BITS];

/// Signature of all blocks of a form.
#[derive(Debug, Default)]
pub(super) struct Signature {
    /// Pages of [`SLOTS`] times [`WORDS`] words.
    pages: Vec<Vec<u64>>,
}

/// The blocks that may contain the needle.
pub(super) enum Candidates {
    /// All blocks: the needle is too short, its grams are everywhere, or the signature is empty.
    All,
    /// Blocks with a set bit. Each was added and not cleared since.
    Some(Vec<u64>),
}

impl Candidates {
    /// Whether a block is a candidate.
    pub(super) fn has(&self, block: usize) -> bool {
        match self {
            Self::All => true,
            Self::Some(bits) => {
                bits.get(block / 64).is_some_and(|word| word >> (block % 64) & 1 == 1)
            }
        }
    }
}

impl Signature {
    /// Adds the text of a block.
    pub(super) fn add(&mut self, block: usize, text: &[u8]) {
        let page = block / PAGE_BLOCKS;
        let bit = block % PAGE_BLOCKS;
        if self.pages.len() <= page {
            self.pages.resize_with(page + 1, || vec![0; SLOTS * WORDS]);
        }
        let page = &mut self.pages[page];
        // A needle never contains the end of a value, so such grams are not needed.
        let is_within = |gram: &&[u8]| !gram.contains(&END_OF_VALUE);
        for gram in text.windows(GRAM_BYTES).filter(is_within) {
            for slot in hash_gram(gram) {
                page[slot * WORDS + bit / 64] |= 1 << (bit % 64);
            }
        }
    }

    /// Clears all bits of a block.
    pub(super) fn clear(&mut self, block: usize) {
        let page = block / PAGE_BLOCKS;
        let bit = block % PAGE_BLOCKS;
        let Some(page) = self.pages.get_mut(page) else { return };
        for word in page.iter_mut().skip(bit / 64).step_by(WORDS) {
            *word &= !(1 << (bit % 64));
        }
    }

    /// Returns the blocks that may contain a needle.
    pub(super) fn candidates(&self, needle: &[u8]) -> Candidates {
        if needle.len() < GRAM_BYTES || self.pages.is_empty() {
            return Candidates::All;
        }
        let grams: Vec<Slots> = needle.windows(GRAM_BYTES).map(hash_gram).collect();
        // Grams are chosen by a page in the middle: the last page may have too few blocks.
        let selective = selective_grams(&self.pages[(self.pages.len() - 1) / 2], &grams);
        if selective.is_empty() {
            return Candidates::All;
        }
        let mut bits = vec![u64::MAX; self.pages.len() * WORDS];
        for (page, bits) in self.pages.iter().zip(bits.chunks_exact_mut(WORDS)) {
            for gram in &selective {
                intersect_gram(bits, page, gram);
                if bits.iter().all(|word| *word == 0) {
                    break;
                }
            }
        }
        Candidates::Some(bits)
    }

    /// Returns the size in memory, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.pages.len() * SLOTS * WORDS * size_of::<u64>()
    }
}

/// Returns the positions of the set bits, in ascending order.
pub(super) fn set_bits(bits: &[u64]) -> impl Iterator<Item = usize> {
    bits.iter().enumerate().flat_map(|(word, bits)| {
        let mut remaining = *bits;
        std::iter::from_fn(move || {
            let bit = (remaining != 0).then(|| remaining.trailing_zeros() as usize);
            remaining &= remaining.wrapping_sub(1);
            bit.map(|bit| word * 64 + bit)
        })
    })
}

/// Clears the bits of the blocks of a page that lack a bit of the gram.
fn intersect_gram(bits: &mut [u64], page: &[u64], gram: &Slots) {
    for slot in gram {
        let line = &page[slot * WORDS..(slot + 1) * WORDS];
        bits.iter_mut().zip(line).for_each(|(bits, line)| *bits &= line);
    }
}

/// Returns the most selective grams, best first, judging by one page. Each gram costs several cache
/// misses in every page, and a few grams of a long needle exclude nearly all blocks.
fn selective_grams(page: &[u64], grams: &[Slots]) -> Vec<Slots> {
    let of_gram = |gram| {
        let mut bits = [u64::MAX; WORDS];
        intersect_gram(&mut bits, page, gram);
        bits
    };
    let gram_pages: Vec<[u64; WORDS]> = grams.iter().map(of_gram).collect();
    let mut bits = [u64::MAX; WORDS];
    let mut candidates = bits.iter().map(|word| word.count_ones()).sum::<u32>();
    let mut selective = Vec::new();
    while candidates > 0 {
        let common_pages = |of: &[u64; WORDS]| {
            of.iter().zip(&bits).map(|(left, right)| (left & right).count_ones()).sum()
        };
        let leaves = gram_pages.iter().enumerate().map(|(gram, of)| (common_pages(of), gram));
        let Some((leaves, best)) = leaves.min() else { break };
        if leaves + candidates.div_ceil(GAIN_FRACTION_MIN) > candidates {
            break;
        }
        bits.iter_mut().zip(&gram_pages[best]).for_each(|(bits, of)| *bits &= of);
        candidates = leaves;
        selective.push(grams[best]);
    }
    selective
}

/// Hashes a gram to its slots.
fn hash_gram(gram: &[u8]) -> Slots {
    let joined = u64::from(u32::from_le_bytes([gram[0], gram[1], gram[2], gram[3]]));
    // Double hashing: slot `bit` is `first + bit * step`. A multiplication mixes the upper bits
    // best; the second one also mixes the lower bits.
    let once = joined.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (once ^ (once >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let [first, step] = [mixed >> 32, mixed | 1];
    std::array::from_fn(|bit| {
        let place = first.wrapping_add(step.wrapping_mul(bit as u64)) & u64::from(u32::MAX);
        ((place * SLOTS as u64) >> u32::BITS) as usize
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(signature: &Signature, needle: &[u8], blocks: usize) -> Vec<usize> {
        let candidates = signature.candidates(needle);
        (0..blocks).filter(|block| candidates.has(*block)).collect()
    }

    #[test]
    fn candidates_contain_all_matching_blocks() {
        let mut signature = Signature::default();
        for block in 0..2400 {
            signature.add(block, if block % 7 == 0 { b"a zebrafinch" } else { b"nothing of it" });
        }
        let sevenths: Vec<usize> = (0..2400).step_by(7).collect();
        assert_eq!(found(&signature, b"zebrafinch", 2400), sevenths);
        assert_eq!(found(&signature, b"xylophone", 2400), [0_usize; 0]);
        assert_eq!(found(&signature, b"fi", 2400).len(), 2400);
        signature.clear(700);
        assert!(!found(&signature, b"zebra", 2400).contains(&700));
        assert!(found(&signature, b"zebra", 2400).contains(&707));
        signature.add(700, b"zebra");
        assert!(found(&signature, b"zebra", 2400).contains(&700));
    }

    #[test]
    fn grams_across_values_are_not_added() {
        let mut signature = Signature::default();
        signature.add(0, b"one\xfftwo\xff");
        assert!(signature.pages[0].iter().all(|word| *word == 0));
        signature.add(0, b"four\xff");
        let bits = set_bits(&signature.pages[0]).count();
        assert!((1..=BITS).contains(&bits), "{bits} bits for one gram");
    }

    #[test]
    fn only_selective_grams_are_used() {
        let mut signature = Signature::default();
        for block in 0..PAGE_BLOCKS {
            signature.add(block, b"somebody@post.example");
        }
        signature.add(3, b"zora@post.example");
        let candidates = |needle: &[u8]| {
            let grams: Vec<Slots> = needle.windows(GRAM_BYTES).map(hash_gram).collect();
            selective_grams(&signature.pages[0], &grams)
        };
        assert_eq!(candidates(b"zora@post.example"), [hash_gram(b"zora")]);
        assert_eq!(candidates(b"@post.example"), [[0; BITS]; 0], "every block has these grams");
        assert_eq!(found(&signature, b"@post.example", PAGE_BLOCKS).len(), PAGE_BLOCKS);
        assert_eq!(found(&signature, b"zora@post.example", PAGE_BLOCKS), [3]);
    }

    #[test]
    fn nearly_empty_page_does_not_choose_grams() {
        let mut signature = Signature::default();
        for block in 0..PAGE_BLOCKS {
            signature.add(block, b"I know");
        }
        // The only block of its page: it has all grams of the needle.
        signature.add(PAGE_BLOCKS, b"I know zora");
        assert_eq!(found(&signature, b"I know zora", PAGE_BLOCKS + 1), [PAGE_BLOCKS]);
    }
}
