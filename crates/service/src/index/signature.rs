//! Which blocks may hold a text: for each four bytes in a row, two bits for each block.
//!
//! Four, since any three digits stand in nearly every block; two, since other bytes rarely share
//! both. A bit that is set may mean such bytes, or text that has gone since; one that is not set is
//! certain. So what is left out holds nothing, and the rest is looked through.

/// So many bytes tell the bits.
const GRAM_BYTES: usize = 4;
/// All of them fall into so many slots.
const SLOTS: usize = 1 << SLOT_BITS;
const SLOT_BITS: u32 = 15;
/// The blocks of one page of bits: one slot's bits of a page are one line of the processor's cache.
const PAGE_BLOCKS: usize = 512;
const WORDS: usize = PAGE_BLOCKS / 64;

/// The signature of numbered blocks.
#[derive(Debug, Default)]
pub(super) struct Signature {
    /// Each page has [`WORDS`] words for each slot.
    pages: Vec<Vec<u64>>,
}

/// The blocks that may hold what is looked for.
pub(super) enum Candidates {
    /// Too short a text to tell, or nothing is noted.
    All,
    /// Those whose bit is set.
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
        for gram in text.windows(GRAM_BYTES) {
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
        let mut slots: Vec<usize> = needle.windows(GRAM_BYTES).flat_map(slots).collect();
        slots.sort_unstable();
        slots.dedup();
        let mut bits = vec![u64::MAX; self.pages.len() * WORDS];
        for (page, bits) in self.pages.iter().zip(bits.chunks_exact_mut(WORDS)) {
            for slot in &slots {
                let line = &page[slot * WORDS..(slot + 1) * WORDS];
                bits.iter_mut().zip(line).for_each(|(bits, line)| *bits &= line);
            }
        }
        Candidates::Some(bits)
    }

    /// Returns how many bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        self.pages.len() * SLOTS * WORDS * size_of::<u64>()
    }
}

/// Spreads bytes over the slots by a multiplication, which mixes best in its upper bits.
fn slots(gram: &[u8]) -> [usize; 2] {
    const MASK: u64 = SLOTS as u64 - 1;
    let joined = u64::from(u32::from_le_bytes([gram[0], gram[1], gram[2], gram[3]]));
    let mixed = joined.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - 2 * SLOT_BITS);
    [(mixed >> SLOT_BITS) as usize, (mixed & MASK) as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_out_only_what_does_not_hold_the_text() {
        let mut signature = Signature::default();
        for block in 0..1200 {
            signature.add(block, if block % 7 == 0 { b"a zebrafinch" } else { b"nothing of it" });
        }
        let found = |signature: &Signature, needle: &[u8]| -> Vec<usize> {
            let candidates = signature.candidates(needle);
            (0..1200).filter(|block| candidates.has(*block)).collect()
        };
        let sevenths: Vec<usize> = (0..1200).step_by(7).collect();
        assert_eq!(found(&signature, b"zebrafinch"), sevenths);
        assert_eq!(found(&signature, b"xylophone"), [0_usize; 0]);
        assert_eq!(found(&signature, b"fi").len(), 1200);
        signature.clear(700);
        assert!(!found(&signature, b"zebra").contains(&700));
        assert!(found(&signature, b"zebra").contains(&707));
        signature.add(700, b"zebra");
        assert!(found(&signature, b"zebra").contains(&700));
    }
}
