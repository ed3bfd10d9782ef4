//! Makes a panic of the release build a bare trap: no message, no place, and none of the code that
//! would write them. What a program does until it panics stays as it is, every check included.
//!
//! Works on what cargo linked, before the split: there relocations tell what refers to what, so
//! that texts and formatters which only panics name are left out by `wasm-split-cli`. So go places
//! in the source (`places.rs`), what tells types apart (`kinds.rs`) and escapes (`quotes.rs`).

use std::{collections::BTreeSet, ops::Range};

use wasm_encoder::{CustomSection, Encode as _, Module, RawSection};
use wasmparser::{
    BinaryReaderError, FunctionBody, KnownCustom, Operator, Parser, Payload, RelocSectionReader,
    TypeRef,
};

use crate::{
    kinds, places, quotes,
    run::{Error, Result},
};

/// The instructions that are written over those that prepare a panic.
const UNREACHABLE: u8 = 0x00;
const NOP: u8 = 0x01;

/// What tells where code refers to code and data.
pub(crate) const RELOCATIONS: &str = "reloc.CODE";

/// Returns the module with a trap in place of each call that would panic.
pub(crate) fn silence(module: &[u8]) -> Result<Vec<u8>> {
    silenced(module).map_err(|error| {
        let message = format!("the linked module cannot be read: {error}");
        Error::new(message + ": is `wasmparser` older than rustc?")
    })
}

fn silenced(module: &[u8]) -> std::result::Result<Vec<u8>, BinaryReaderError> {
    let (mut imported, mut bodies) = (0, Vec::new());
    let mut code = 0;
    for payload in Parser::new(0).parse_all(module) {
        match payload? {
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    imported += u32::from(matches!(import?.ty, TypeRef::Func(_)));
                }
            }
            Payload::CodeSectionStart { range, .. } => code = range.start,
            Payload::CodeSectionEntry(body) => bodies.push(body),
            _ => {}
        }
    }
    let mut panicking = BTreeSet::new();
    for (index, body) in (imported..).zip(&bodies) {
        if never_returns(body)? {
            panicking.insert(index);
        }
    }
    let mut gone = Vec::new();
    for body in &bodies {
        doomed(body, &panicking, &mut gone)?;
    }
    let mut silent = module.to_vec();
    for stretch in &gone {
        let (start, end) = (at(stretch.start), at(stretch.end));
        silent[start..end].fill(NOP);
        silent[start] = UNREACHABLE;
    }
    let mut named = places::named(module, code)?;
    // What led to a panic is a trap already.
    named.retain(|place| {
        let stretch = gone.partition_point(|stretch| stretch.end <= place.start);
        gone.get(stretch).is_none_or(|stretch| stretch.start > place.start)
    });
    for place in &named {
        silent[at(place.start)..at(place.end)].copy_from_slice(&places::NULL);
    }
    gone.append(&mut named);
    let mut silent = kinds::numbered(&silent)?;
    if let Some(body) = quotes::plain(&mut silent)? {
        gone.retain(|stretch| stretch.end <= body.start || body.end <= stretch.start);
        gone.push(body);
    }
    gone.sort_by_key(|stretch| stretch.start);
    without_relocations(&silent, code, &gone)
}

/// Whether a function ends in a trap, and nowhere else. Of compiled Rust these are those that
/// panic, abort or throw.
fn never_returns(body: &FunctionBody<'_>) -> std::result::Result<bool, BinaryReaderError> {
    let (mut depth, mut last_two) = (0_u32, (false, false));
    let mut reader = body.get_operators_reader()?;
    while !reader.eof() {
        let operator = reader.read()?;
        match &operator {
            Operator::Block { .. } | Operator::Loop { .. } | Operator::If { .. } => depth += 1,
            Operator::End => depth = depth.saturating_sub(1),
            Operator::Return | Operator::ReturnCall { .. } => return Ok(false),
            Operator::Br { relative_depth } | Operator::BrIf { relative_depth }
                if *relative_depth == depth =>
            {
                return Ok(false);
            }
            Operator::BrTable { targets } => {
                for target in targets.targets() {
                    if target? == depth {
                        return Ok(false);
                    }
                }
                if targets.default() == depth {
                    return Ok(false);
                }
            }
            _ => {}
        }
        last_two = (last_two.1, matches!(operator, Operator::Unreachable));
    }
    Ok(last_two.0)
}

/// Adds the stretches that lead to a panic and to nothing else: from the last instruction that has
/// an effect outside of the function, or from which one may go elsewhere, to the call that panics.
fn doomed(
    body: &FunctionBody<'_>,
    panicking: &BTreeSet<u32>,
    gone: &mut Vec<Range<u64>>,
) -> std::result::Result<(), BinaryReaderError> {
    let mut reader = body.get_operators_reader()?;
    let mut start = reader.original_position();
    while !reader.eof() {
        let operator = reader.read()?;
        let end = reader.original_position();
        match operator {
            Operator::Call { function_index } if panicking.contains(&function_index) => {
                gone.push(start..end);
                start = end;
            }
            Operator::Call { .. }
            | Operator::CallIndirect { .. }
            | Operator::Block { .. }
            | Operator::Loop { .. }
            | Operator::If { .. }
            | Operator::Else
            | Operator::End
            | Operator::Br { .. }
            | Operator::BrIf { .. }
            | Operator::BrTable { .. }
            | Operator::Return
            | Operator::Unreachable => start = end,
            _ => {}
        }
    }
    Ok(())
}

/// The module without the relocations of its code that lie in what is gone.
fn without_relocations(
    module: &[u8],
    code: u64,
    gone: &[Range<u64>],
) -> std::result::Result<Vec<u8>, BinaryReaderError> {
    let mut out = Module::new();
    for payload in Parser::new(0).parse_all(module) {
        let payload = payload?;
        let Some((id, range)) = payload.as_section() else { continue };
        let relocations = match &payload {
            Payload::CustomSection(section) if section.name() == RELOCATIONS => section.as_known(),
            _ => KnownCustom::Unknown,
        };
        if let KnownCustom::Reloc(relocations) = relocations {
            let data = kept(module, &relocations, code, gone)?;
            out.section(&CustomSection { name: RELOCATIONS.into(), data: data.into() });
        } else {
            out.section(&RawSection { id, data: &module[at(range.start)..at(range.end)] });
        }
    }
    Ok(out.finish())
}

/// What a section of relocations holds, without those that lie in what is gone.
fn kept(
    module: &[u8],
    relocations: &RelocSectionReader<'_>,
    code: u64,
    gone: &[Range<u64>],
) -> std::result::Result<Vec<u8>, BinaryReaderError> {
    let (mut entries, mut count) = (Vec::new(), 0_u32);
    let mut found = Vec::new();
    for entry in relocations.entries().into_iter_with_offsets() {
        found.push(entry?);
    }
    for (index, (start, entry)) in found.iter().enumerate() {
        let place = code + u64::from(entry.offset);
        let stretch = gone.partition_point(|stretch| stretch.end <= place);
        if gone.get(stretch).is_some_and(|stretch| stretch.start <= place) {
            continue;
        }
        let end = found.get(index + 1).map_or(relocations.range().end, |(next, _)| *next);
        entries.extend_from_slice(&module[at(*start)..at(end)]);
        count += 1;
    }
    let mut data = Vec::new();
    relocations.section_index().encode(&mut data);
    count.encode(&mut data);
    data.extend(entries);
    Ok(data)
}

pub(crate) fn at(offset: u64) -> usize {
    usize::try_from(offset).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use wasm_encoder::{
        BlockType, CodeSection, Function, FunctionSection, Instruction, TypeSection, ValType,
    };

    use super::*;

    /// Writes what linkers pad, so that it can be written over.
    fn padded(out: &mut Vec<u8>, value: u8) {
        out.extend([value | 0x80, 0x80, 0x80, 0x80, 0x00]);
    }

    /// Three functions: one that only traps, one that may return, and one that calls both.
    fn module() -> Vec<u8> {
        let mut types = TypeSection::new();
        types.ty().function([ValType::I32], []);
        let mut functions = FunctionSection::new();
        functions.function(0).function(0).function(0);
        let mut code = CodeSection::new();
        let mut panics = Function::new([]);
        panics.instructions().i32_const(1).drop().unreachable().end();
        let mut returns = Function::new([]);
        let early = [
            Instruction::LocalGet(0),
            Instruction::If(BlockType::Empty),
            Instruction::Return,
            Instruction::End,
            Instruction::Unreachable,
            Instruction::End,
        ];
        for instruction in &early {
            returns.instruction(instruction);
        }
        code.function(&panics).function(&returns);
        code.raw(&caller());
        let mut module = Module::new();
        module.section(&types).section(&functions).section(&code);
        let mut relocations = Vec::new();
        2_u32.encode(&mut relocations);
        let at = module.as_slice().len() - caller().len();
        let start = sections_start(module.as_slice());
        // A text and a call that panics; a text and a call that does not.
        let places: [(u8, usize); 4] = [(4, 2), (0, 8), (4, 14), (0, 20)];
        u32::try_from(places.len()).unwrap().encode(&mut relocations);
        for (kind, place) in places {
            relocations.push(kind);
            u32::try_from(at - start + place + 1).unwrap().encode(&mut relocations);
            0_u32.encode(&mut relocations);
            if kind == 4 {
                0_i32.encode(&mut relocations);
            }
        }
        let relocations = CustomSection { name: RELOCATIONS.into(), data: relocations.into() };
        module.section(&relocations);
        module.finish()
    }

    /// The body of the function that calls the others, without its length.
    fn caller() -> Vec<u8> {
        let mut body = vec![0];
        for function in [0, 1] {
            body.push(0x41);
            padded(&mut body, 7);
            body.push(0x10);
            padded(&mut body, function);
        }
        body.push(0x0b);
        body
    }

    fn sections_start(module: &[u8]) -> usize {
        let code = |payload: Payload<'_>| match payload.as_section() {
            Some((10, range)) => Some(at(range.start)),
            _ => None,
        };
        Parser::new(0).parse_all(module).find_map(|payload| code(payload.unwrap())).unwrap()
    }

    #[test]
    fn a_call_that_panics_becomes_a_trap_and_names_nothing_any_more() {
        let before = module();
        let after = silence(&before).unwrap();
        let text = |module: &[u8]| {
            let mut bodies = Vec::new();
            let mut kept = Vec::new();
            for payload in Parser::new(0).parse_all(module) {
                match payload.unwrap() {
                    Payload::CodeSectionEntry(body) => {
                        let operators = body.get_operators_reader().unwrap().into_iter();
                        let operators = operators.map(|it| it.unwrap());
                        let told = operators.filter(|it| !matches!(it, Operator::Nop));
                        bodies.push(told.map(|it| format!("{it:?}")).collect::<Vec<_>>().join(" "));
                    }
                    Payload::CustomSection(section) => {
                        if let KnownCustom::Reloc(section) = section.as_known() {
                            kept = section.entries().into_iter().map(|it| it.unwrap()).collect();
                        }
                    }
                    _ => {}
                }
            }
            (bodies, kept)
        };
        let (was, now) = (text(&before), text(&after));
        assert_eq!(was.0[..2], now.0[..2], "what is called stays");
        let call =
            |function| format!("I32Const {{ value: 7 }} Call {{ function_index: {function} }}");
        assert_eq!(was.0[2], format!("{} {} End", call(0), call(1)));
        assert_eq!(now.0[2], format!("Unreachable {} End", call(1)));
        assert_eq!(now.1, was.1[2..], "of the relocations the later two stay");
    }

    #[test]
    fn what_is_no_module_is_told() {
        assert!(silence(b"\0asm\x01\0\0\0\x03\xff").is_err());
    }
}
