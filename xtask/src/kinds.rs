//! Numbers the kinds of values. Rust tells types apart at run time by 16 random bytes for each,
//! which no compressor makes smaller; here each becomes a small number, the same wherever the
//! bytes stood, in data as in code. They are compared and hashed alone, so that nothing else
//! changes. Kinds that code uses in any other way stay as they are.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use wasmparser::{
    BinaryReaderError, FunctionBody, KnownCustom, Linking, Name, Operator, Parser, Payload,
    RelocationEntry, SymbolInfo, TypeRef,
};

use crate::panics::at;

type Outcome<T> = std::result::Result<T, BinaryReaderError>;
/// What a type is told by: four words.
type Kind = [u8; 16];

/// What a function that tells the type of a value is called.
const TELLS: &str = "core..any..Any$GT$7type_id";
/// Words below may be numbers of another meaning.
const SURELY_RANDOM: u32 = 1 << 24;

/// What the module says of itself.
#[derive(Default)]
struct Found<'a> {
    imported: u32,
    code: u64,
    bodies: Vec<FunctionBody<'a>>,
    segments: Vec<Range<u64>>,
    symbols: Vec<Option<(u32, u32)>>,
    relocations: Vec<RelocationEntry>,
    telling: BTreeSet<u32>,
}

/// Returns the module with small numbers in place of kinds.
pub(crate) fn numbered(module: &[u8]) -> Outcome<Vec<u8>> {
    let found = find(module)?;
    let mut numbers = Numbers::of(kinds(module, &found));
    let mut uses = Vec::new();
    for body in &found.bodies {
        numbers.uses(body, &mut uses)?;
    }
    for segment in &found.segments {
        numbers.keep_torn(&module[at(segment.start)..at(segment.end)]);
    }
    let mut out = module.to_vec();
    for (place, value) in uses {
        if let Some(new) = numbers.value(value) {
            write_padded(&mut out[place], new);
        }
    }
    for segment in found.segments {
        let segment = &mut out[at(segment.start)..at(segment.end)];
        for place in 0..segment.len().saturating_sub(15) {
            if let Some(new) = numbers.kinds.get(&segment[place..place + 16]) {
                segment[place..place + 16].fill(0);
                segment[place..place + 4].copy_from_slice(&new.to_le_bytes());
            }
        }
    }
    Ok(out)
}

fn find(module: &[u8]) -> Outcome<Found<'_>> {
    let mut found = Found::default();
    for payload in Parser::new(0).parse_all(module) {
        match payload? {
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    found.imported += u32::from(matches!(import?.ty, TypeRef::Func(_)));
                }
            }
            Payload::CodeSectionStart { range, .. } => found.code = range.start,
            Payload::CodeSectionEntry(body) => found.bodies.push(body),
            Payload::DataSection(section) => {
                for data in section {
                    let data = data?;
                    let end = data.range.end;
                    found.segments.push(end - data.data.len() as u64..end);
                }
            }
            Payload::CustomSection(section) => match section.as_known() {
                KnownCustom::Linking(linking) => {
                    for subsection in linking.subsections() {
                        let Linking::SymbolTable(symbols) = subsection? else { continue };
                        for symbol in symbols {
                            found.symbols.push(match symbol? {
                                SymbolInfo::Data { symbol: Some(one), .. } if one.size == 16 => {
                                    Some((one.index, one.offset))
                                }
                                _ => None,
                            });
                        }
                    }
                }
                KnownCustom::Reloc(section_of) if section.name() == "reloc.CODE" => {
                    for entry in section_of.entries() {
                        found.relocations.push(entry?);
                    }
                }
                KnownCustom::Name(names) => {
                    for name in names {
                        let Name::Function(names) = name? else { continue };
                        for naming in names {
                            let naming = naming?;
                            if naming.name.contains(TELLS) {
                                found.telling.insert(naming.index);
                            }
                        }
                    }
                }
                _ => {}
            },
            _ => {}
        }
    }
    Ok(found)
}

/// The kinds that functions tell: what their bodies refer to.
fn kinds(module: &[u8], found: &Found<'_>) -> BTreeSet<Kind> {
    let mut kinds = BTreeSet::new();
    for (index, body) in (found.imported..).zip(&found.bodies) {
        if !found.telling.contains(&index) {
            continue;
        }
        let range = body.range();
        let (start, end) = (range.start - found.code, range.end - found.code);
        let first = found.relocations.partition_point(|one| u64::from(one.offset) < start);
        let of = found.relocations[first..].iter().take_while(|one| u64::from(one.offset) < end);
        for entry in of {
            let symbol = found.symbols.get(at(entry.index.into())).copied().flatten();
            let kind = symbol.and_then(|(segment, offset)| {
                let start = found.segments.get(at(segment.into()))?.start + u64::from(offset);
                module.get(at(start)..at(start) + 16)?.try_into().ok()
            });
            kinds.extend::<Option<Kind>>(kind);
        }
    }
    kinds
}

/// Which kind has which number.
struct Numbers {
    kinds: BTreeMap<Kind, u32>,
    /// Of each word and pair of words that stand in a kind, what they become; and in which.
    parts: BTreeMap<u64, (u32, Kind)>,
}

impl Numbers {
    fn of(kinds: BTreeSet<Kind>) -> Self {
        let mut numbers = Self { kinds: BTreeMap::new(), parts: BTreeMap::new() };
        for (number, kind) in (1..).zip(kinds) {
            let word =
                |n: usize| u32::from_le_bytes([kind[n], kind[n + 1], kind[n + 2], kind[n + 3]]);
            let words = [word(0), word(4), word(8), word(12)];
            let pair = |low: u32, high: u32| u64::from(low) | (u64::from(high) << 32);
            let pairs = [pair(words[0], words[1]), pair(words[2], words[3])];
            let parts = words.map(u64::from).into_iter().chain(pairs);
            let parts: Vec<_> = parts.zip([number, 0, 0, 0, number, 0]).collect();
            let random = words.iter().all(|&word| (SURELY_RANDOM..!SURELY_RANDOM).contains(&word));
            if random && parts.iter().all(|(part, _)| !numbers.parts.contains_key(part)) {
                numbers.kinds.insert(kind, number);
                numbers.parts.extend(parts.into_iter().map(|(part, new)| (part, (new, kind))));
            }
        }
        numbers
    }

    fn value(&self, value: u64) -> Option<u32> {
        let (new, kind) = self.parts.get(&value)?;
        self.kinds.contains_key(kind).then_some(*new)
    }

    /// Keeps the bytes of a kind of which a half stands in data without the other.
    fn keep_torn(&mut self, segment: &[u8]) {
        for (place, half) in segment.windows(8).enumerate() {
            let half = half.iter().rev().fold(0, |value, &byte| (value << 8) | u64::from(byte));
            let Some((_, kind)) = self.parts.get(&half) else { continue };
            let first = place.saturating_sub(8);
            let whole = [first, place].map(|start| segment.get(start..start + 16));
            if whole.iter().all(|whole| *whole != Some(&kind[..])) {
                self.kinds.remove(kind);
            }
        }
    }

    /// Collects where a body holds parts of kinds. A kind that is not only compared or stored
    /// keeps its bytes.
    fn uses(
        &mut self,
        body: &FunctionBody<'_>,
        uses: &mut Vec<(Range<usize>, u64)>,
    ) -> Outcome<()> {
        let mut reader = body.get_operators_reader()?;
        let mut last = None;
        while !reader.eof() {
            let start = reader.original_position() + 1;
            let operator = reader.read()?;
            let plain = matches!(
                operator,
                Operator::I64Eq
                    | Operator::I64Ne
                    | Operator::I64Xor
                    | Operator::I32Eq
                    | Operator::I32Ne
                    | Operator::I32Xor
                    | Operator::I64Store { .. }
                    | Operator::I32Store { .. }
            );
            if let Some(kind) = last.take().filter(|_| !plain) {
                self.kinds.remove(&kind);
            }
            let value = match operator {
                Operator::I64Const { value } => value.cast_unsigned(),
                Operator::I32Const { value } => u64::from(value.cast_unsigned()),
                _ => continue,
            };
            if let Some((_, kind)) = self.parts.get(&value) {
                last = Some(*kind);
                uses.push((at(start)..at(reader.original_position()), value));
            }
        }
        Ok(())
    }
}

/// Writes a number in as many bytes as there are, as LEB128.
fn write_padded(place: &mut [u8], number: u32) {
    let last = place.len().saturating_sub(1);
    let mut left = number;
    for (index, byte) in place.iter_mut().enumerate() {
        *byte = (left & 0x7f) as u8 | if index == last { 0 } else { 0x80 };
        left >>= 7;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(seed: u8) -> Kind {
        std::array::from_fn(|index| (seed * 16 + u8::try_from(index).unwrap()) | 0x40)
    }

    #[test]
    fn a_kind_has_one_number_as_a_whole_and_in_its_parts() {
        let numbers = Numbers::of(BTreeSet::from([kind(1), kind(3)]));
        let low = u64::from_le_bytes(kind(3)[..8].try_into().unwrap());
        let high = u64::from_le_bytes(kind(3)[8..].try_into().unwrap());
        assert_eq!(numbers.kinds.get(&kind(3)), Some(&2));
        assert_eq!((numbers.value(low), numbers.value(high)), (Some(2), Some(0)));
        assert_eq!(numbers.value(low & 0xffff_ffff), Some(2), "the first word");
        assert_eq!(numbers.value(low >> 32), Some(0), "the second");
        assert_eq!(numbers.value(77), None);
    }

    #[test]
    fn what_may_be_something_else_is_left_alone() {
        let mut small = kind(5);
        small[4..8].copy_from_slice(&9_u32.to_le_bytes());
        let mut shares = kind(1);
        shares[12] = 0x99;
        let numbers = Numbers::of(BTreeSet::from([small, kind(1), shares]));
        assert_eq!(numbers.kinds.len(), 1, "of two that share words one, and none that is small");
    }

    #[test]
    fn a_kind_that_is_torn_in_data_keeps_its_bytes() {
        let mut numbers = Numbers::of(BTreeSet::from([kind(1), kind(3)]));
        let whole = kind(1);
        numbers.keep_torn(&[&[7; 3], &whole[..], &kind(3)[8..]].concat());
        assert_eq!(numbers.kinds.keys().collect::<Vec<_>>(), [&kind(1)]);
    }

    #[test]
    fn numbers_take_the_room_that_was_there() {
        let mut place = [0xff; 5];
        write_padded(&mut place, 300);
        assert_eq!(place, [0xac, 0x82, 0x80, 0x80, 0x00]);
    }

    #[test]
    fn what_is_no_module_is_told() {
        assert!(numbered(b"\0asm\x01\0\0\0\x03\xff").is_err());
    }
}
