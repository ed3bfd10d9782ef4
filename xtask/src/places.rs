//! Finds where code names places in the source: what Rust hands down to whatever might panic. They
//! become null where panics are traps (`panics.rs`): all callers then say the same, so that
//! `wasm-opt` takes the argument away.

use std::{collections::BTreeSet, ops::Range};

use wasmparser::{
    BinaryReaderError, Data, DataKind, DefinedDataSymbol, KnownCustom, Linking, Operator, Parser,
    Payload, RelocationType, SymbolInfo,
};

use crate::panics::{RELOCATIONS, at};

/// Null, as wide as linkers write an address.
pub(crate) const NULL: [u8; 5] = [0x80, 0x80, 0x80, 0x80, 0x00];
/// How many bytes a place takes: address and length of a file's name, line and column.
const PLACE_BYTES: u32 = 16;

/// Returns where code names a place in the source.
pub(crate) fn named(
    module: &[u8],
    code: u64,
) -> std::result::Result<Vec<Range<u64>>, BinaryReaderError> {
    let places = places(module)?;
    let mut named = Vec::new();
    for payload in Parser::new(0).parse_all(module) {
        if let Payload::CustomSection(section) = payload?
            && section.name() == RELOCATIONS
            && let KnownCustom::Reloc(relocations) = section.as_known()
        {
            for entry in relocations.entries() {
                let entry = entry?;
                if entry.ty == RelocationType::MemoryAddrSleb && places.contains(&entry.index) {
                    let start = code + u64::from(entry.offset);
                    named.push(start..start + NULL.len() as u64);
                }
            }
        }
    }
    Ok(named)
}

/// Returns the symbols that are places in the source: name of a file, line and column.
fn places(module: &[u8]) -> std::result::Result<BTreeSet<u32>, BinaryReaderError> {
    let (mut segments, mut places) = (Vec::new(), BTreeSet::new());
    for payload in Parser::new(0).parse_all(module) {
        match payload? {
            Payload::DataSection(section) => {
                for data in section {
                    segments.push(segment(&data?)?);
                }
            }
            Payload::CustomSection(section) => {
                let KnownCustom::Linking(linking) = section.as_known() else { continue };
                for subsection in linking.subsections() {
                    let Linking::SymbolTable(symbols) = subsection? else { continue };
                    for (index, symbol) in (0..).zip(symbols) {
                        if let SymbolInfo::Data { symbol: Some(symbol), .. } = symbol?
                            && is_place(&symbol, &segments)
                        {
                            places.insert(index);
                        }
                    }
                }
            }
            _ => {}
        }
    }
    Ok(places)
}

/// Where in the memory a segment lies, and what it holds.
fn segment<'a>(data: &Data<'a>) -> std::result::Result<(usize, &'a [u8]), BinaryReaderError> {
    let DataKind::Active { offset_expr, .. } = &data.kind else { return Ok((0, data.data)) };
    let address = match offset_expr.get_operators_reader().read()? {
        Operator::I32Const { value } => usize::try_from(value).unwrap_or_default(),
        _ => 0,
    };
    Ok((address, data.data))
}

fn is_place(symbol: &DefinedDataSymbol, segments: &[(usize, &[u8])]) -> bool {
    let within = || {
        let (_, data) = segments.get(at(symbol.index.into()))?;
        let start = at(symbol.offset.into());
        let (words, _) = data.get(start..start + at(PLACE_BYTES.into()))?.as_chunks::<4>();
        let word = |index: usize| words.get(index).map(|word| at(u32::from_le_bytes(*word).into()));
        let (address, length) = (word(0)?, word(1)?);
        let name = segments.iter().find_map(|(start, data)| {
            let from = address.checked_sub(*start)?;
            data.get(from..from.checked_add(length)?)
        })?;
        Some(name.ends_with(b".rs") && word(2)? > 0 && word(3)? > 0)
    };
    symbol.size == PLACE_BYTES && within() == Some(true)
}
