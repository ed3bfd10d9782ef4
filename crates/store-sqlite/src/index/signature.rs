//! Which blocks may hold a text: for each four bytes in a row, four bits for each block.
//!
//! Four bytes, since any three digits stand in nearly every block; four bits, since other bytes
//! rarely share them all. A bit that is set may mean such bytes, or text that has gone since; one
//! that is not set is certain. So what is left out holds nothing, and the rest is looked through.

use super::END_OF_VALUE;

/// So many bytes tell the bits.
const GRAM_BYTES: usize = 4;
/// The bits of one gram.
const BITS: usize = 4;
/// All of them fall into so many slots. With blocks of sixteen answers of 300 bytes, one bit in
/// three is set.
const SLOTS: usize = 20 * 1024;
/// The blocks of one page of bits: one slot's bits of a page lie side by side.
const PAGE_BLOCKS: usize = 1024;
const WORDS: usize = PAGE_BLOCKS / 64;
/// A gram that leaves out less than this part of what is left costs more than it saves.
const PART_MIN: u32 = 8;

/// The slots of one gram.
type Slots = [usize; BITS];

/// The signature of numbered blocks.
#[derive(Debug, Default)]
pub(super) struct Signature {
    /// Each page has [`WORDS`] words for each slot.
    pages: Vec<Vec<u64>>,
}

/// The blocks that may hold what is looked for.
pub(super) enum Candidates {
    /// Too short a text to tell, or one whose parts are everywhere, or nothing is noted.
    All,
    /// Those whose bit is set; each of them was noted and not cleared.
    Some(Vec<u64>),
}

impl Candidates {
    /// Whether a block is one of them.
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
    /// Notes that a block holds a text.
    pub(super) fn add(&mut self, block: usize, text: &[u8]) {
        let (page, bit) = (block / PAGE_BLOCKS, block % PAGE_BLOCKS);
        if self.pages.len() <= page {
            self.pages.resize_with(page + 1, || vec![0; SLOTS * WORDS]);
        }
        let page = &mut self.pages[page];
        // What crosses two values is never looked for.
        let is_within = |gram: &&[u8]| !gram.contains(&END_OF_VALUE);
        for gram in text.windows(GRAM_BYTES).filter(is_within) {
            for slot in slots(gram) {
                page[slot * WORDS + bit / 64] |= 1 << (bit % 64);
            }
        }
    }

    /// Forgets a block.
    pub(super) fn clear(&mut self, block: usize) {
        let (page, bit) = (block / PAGE_BLOCKS, block % PAGE_BLOCKS);
        let Some(page) = self.pages.get_mut(page) else { return };
        for word in page.iter_mut().skip(bit / 64).step_by(WORDS) {
            *word &= !(1 << (bit % 64));
        }
    }

    /// Returns the blocks that may hold a text.
    pub(super) fn candidates(&self, needle: &[u8]) -> Candidates {
        if needle.len() < GRAM_BYTES || self.pages.is_empty() {
            return Candidates::All;
        }
        let grams: Vec<Slots> = needle.windows(GRAM_BYTES).map(slots).collect();
        // The last page may have few blocks yet, which tell little.
        let telling = telling(&self.pages[(self.pages.len() - 1) / 2], &grams);
        if telling.is_empty() {
            return Candidates::All;
        }
        let mut bits = vec![u64::MAX; self.pages.len() * WORDS];
        for (page, bits) in self.pages.iter().zip(bits.chunks_exact_mut(WORDS)) {
            for gram in &telling {
                narrow(bits, page, gram);
                if bits.iter().all(|word| *word == 0) {
                    break;
                }
            }
        }
        Candidates::Some(bits)
    }

    /// Returns how many bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        self.pages.len() * SLOTS * WORDS * size_of::<u64>()
    }
}

/// Returns where bits are set, in ascending order.
pub(super) fn ones(bits: &[u64]) -> impl Iterator<Item = usize> {
    bits.iter().enumerate().flat_map(|(word, bits)| {
        let mut left = *bits;
        std::iter::from_fn(move || {
            let bit = (left != 0).then(|| left.trailing_zeros() as usize);
            left &= left.wrapping_sub(1);
            bit.map(|bit| word * 64 + bit)
        })
    })
}

/// Leaves those blocks of a page that have all bits of a gram.
fn narrow(bits: &mut [u64], page: &[u64], gram: &Slots) {
    for slot in gram {
        let line = &page[slot * WORDS..(slot + 1) * WORDS];
        bits.iter_mut().zip(line).for_each(|(bits, line)| *bits &= line);
    }
}

/// Returns the grams that leave out most, the best first, as one page tells of all: each that is
/// asked is some waits for memory in every page, and a few of a long text leave out nearly all.
fn telling(page: &[u64], grams: &[Slots]) -> Vec<Slots> {
    let of_gram = |gram| {
        let mut bits = [u64::MAX; WORDS];
        narrow(&mut bits, page, gram);
        bits
    };
    let all: Vec<[u64; WORDS]> = grams.iter().map(of_gram).collect();
    let mut bits = [u64::MAX; WORDS];
    let mut left = bits.iter().map(|word| word.count_ones()).sum::<u32>();
    let mut telling = Vec::new();
    while left > 0 {
        let both =
            |of: &[u64; WORDS]| of.iter().zip(&bits).map(|(a, b)| (a & b).count_ones()).sum();
        let leaves = all.iter().enumerate().map(|(gram, of)| (both(of), gram));
        let Some((leaves, best)) = leaves.min() else { break };
        if leaves + left.div_ceil(PART_MIN) > left {
            break;
        }
        bits.iter_mut().zip(&all[best]).for_each(|(bits, of)| *bits &= of);
        left = leaves;
        telling.push(grams[best]);
    }
    telling
}

/// Spreads bytes over the slots.
fn slots(gram: &[u8]) -> Slots {
    let joined = u64::from(u32::from_le_bytes([gram[0], gram[1], gram[2], gram[3]]));
    // A multiplication mixes best in its upper bits; the second one reaches the lower ones.
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
    fn leaves_out_only_what_does_not_hold_the_text() {
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
    fn what_crosses_two_values_is_not_noted() {
        let mut signature = Signature::default();
        signature.add(0, b"one\xfftwo\xff");
        assert!(signature.pages[0].iter().all(|word| *word == 0));
        signature.add(0, b"four\xff");
        let bits = ones(&signature.pages[0]).count();
        assert!((1..=BITS).contains(&bits), "{bits} bits for one gram");
    }

    #[test]
    fn of_a_long_text_only_what_leaves_something_out_is_asked() {
        let mut signature = Signature::default();
        for block in 0..PAGE_BLOCKS {
            signature.add(block, b"somebody@post.example");
        }
        signature.add(3, b"zora@post.example");
        let asked = |needle: &[u8]| {
            let grams: Vec<Slots> = needle.windows(GRAM_BYTES).map(slots).collect();
            telling(&signature.pages[0], &grams)
        };
        assert_eq!(asked(b"zora@post.example"), [slots(b"zora")]);
        assert_eq!(asked(b"@post.example"), [[0; BITS]; 0], "all have that");
        assert_eq!(found(&signature, b"@post.example", PAGE_BLOCKS).len(), PAGE_BLOCKS);
        assert_eq!(found(&signature, b"zora@post.example", PAGE_BLOCKS), [3]);
    }

    #[test]
    fn a_page_that_has_just_begun_does_not_tell_of_all() {
        let mut signature = Signature::default();
        for block in 0..PAGE_BLOCKS {
            signature.add(block, b"I know");
        }
        // Alone in its page, it has all parts of what is looked for.
        signature.add(PAGE_BLOCKS, b"I know zora");
        assert_eq!(found(&signature, b"I know zora", PAGE_BLOCKS + 1), [PAGE_BLOCKS]);
    }
}
