//! Quotes texts as they are. Rust's own way of quoting escapes what cannot be printed, and brings
//! tables of that along, while here errors of reading JSON alone quote anything. What is quoted
//! stays between its quotation marks. Works before the split, as `panics.rs` does.

use std::ops::Range;

use wasm_encoder::{BlockType, Encode as _, Instruction, MemArg};
use wasmparser::{BinaryReaderError, FunctionBody, KnownCustom, Name, Operator, Parser, Payload};

use crate::panics::at;

/// How the name of the function that quotes a text ends.
const QUOTES: &str = "core3fmteNtB5_5Debug3fmt";
/// Where what is written to tells how to write a text, and a character.
const WRITE_TEXT: u64 = 12;
const WRITE_CHARACTER: u64 = 16;
/// A quotation mark.
const MARK: i32 = 0x22;

type Outcome<T> = std::result::Result<T, BinaryReaderError>;

/// Writes another body for the function that quotes texts; returns where it stands. A function of
/// another shape than is known stays as it is.
pub(crate) fn plain(module: &mut [u8]) -> Outcome<Option<Range<u64>>> {
    let (mut imported, mut types, mut of) = (0, Vec::new(), Vec::new());
    let (mut bodies, mut quoting) = (Vec::new(), None);
    for payload in Parser::new(0).parse_all(module) {
        match payload? {
            Payload::TypeSection(section) => {
                for kind in section.into_iter_err_on_gc_types() {
                    types.push(kind?);
                }
            }
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    imported += usize::from(matches!(import?.ty, wasmparser::TypeRef::Func(_)));
                }
            }
            Payload::FunctionSection(section) => {
                of = section.into_iter().collect::<Outcome<_>>()?;
            }
            Payload::CodeSectionEntry(body) => bodies.push(body),
            Payload::CustomSection(section) => {
                if let KnownCustom::Name(names) = section.as_known() {
                    quoting = quoting.or(named(names)?);
                }
            }
            _ => {}
        }
    }
    let own = quoting.and_then(|index| index.checked_sub(imported));
    let Some((body, kind)) = own.and_then(|own| Some((bodies.get(own)?, of.get(own)?))) else {
        return Ok(None);
    };
    let is = |kind: &wasmparser::FuncType, arguments: usize| {
        let all = [wasmparser::ValType::I32; 5];
        kind.params() == &all[..arguments] && kind.results() == &all[..1]
    };
    let place = |arguments| types.iter().position(|kind| is(kind, arguments));
    let fits = types.get(at(u64::from(*kind))).is_some_and(|kind| is(kind, 4));
    let (Some(text), Some(character)) = (place(3), place(2)) else { return Ok(None) };
    let range = body.range();
    let new = quoted(text, character);
    if !fits || !writes_a_mark(body)? || new.len() + 1 > at(range.end - range.start) {
        return Ok(None);
    }
    let place = &mut module[at(range.start)..at(range.end)];
    // Behind what is returned, nothing is reached.
    place.fill(0x01);
    place[..new.len()].copy_from_slice(&new);
    if let Some(end) = place.last_mut() {
        *end = 0x0b;
    }
    Ok(Some(range))
}

fn named(names: wasmparser::NameSectionReader<'_>) -> Outcome<Option<usize>> {
    for name in names {
        let Name::Function(names) = name? else { continue };
        for naming in names {
            let naming = naming?;
            if naming.name.ends_with(QUOTES) {
                return Ok(usize::try_from(naming.index).ok());
            }
        }
    }
    Ok(None)
}

/// Whether a function of a text, its length, what is written to and how begins with a quotation
/// mark, as the one that quotes does.
fn writes_a_mark(body: &FunctionBody<'_>) -> Outcome<bool> {
    let mut last = Vec::new();
    for operator in body.get_operators_reader()? {
        match operator? {
            Operator::LocalTee { .. } => {}
            Operator::CallIndirect { .. } => {
                let wanted = [(0, 2), (1, i64::from(MARK)), (0, 3), (2, 16)];
                return Ok(last.ends_with(&wanted));
            }
            Operator::LocalGet { local_index } => last.push((0, i64::from(local_index))),
            Operator::I32Const { value } => last.push((1, i64::from(value))),
            Operator::I32Load { memarg } => {
                last.push((2, i64::try_from(memarg.offset).unwrap_or(-1)));
            }
            _ => last.clear(),
        }
    }
    Ok(false)
}

/// The instructions that write a mark, the text and a mark again, without the end.
fn quoted(text: usize, character: usize) -> Vec<u8> {
    let call = |write: u64, kind: usize| {
        [
            Instruction::LocalGet(3),
            Instruction::I32Load(MemArg { offset: write, align: 2, memory_index: 0 }),
            Instruction::CallIndirect {
                type_index: u32::try_from(kind).unwrap_or(u32::MAX),
                table_index: 0,
            },
        ]
    };
    let mark = [Instruction::LocalGet(2), Instruction::I32Const(MARK)];
    let told = [Instruction::LocalGet(2), Instruction::LocalGet(0), Instruction::LocalGet(1)];
    let mut body = vec![0];
    let failed = [Instruction::If(BlockType::Empty), Instruction::I32Const(1), Instruction::Return];
    let failed = || failed.iter().chain(&[Instruction::End]).cloned().collect::<Vec<_>>();
    let all = mark
        .iter()
        .cloned()
        .chain(call(WRITE_CHARACTER, character))
        .chain(failed())
        .chain(told)
        .chain(call(WRITE_TEXT, text))
        .chain(failed())
        .chain(mark.iter().cloned())
        .chain(call(WRITE_CHARACTER, character))
        .chain([Instruction::Return]);
    for instruction in all {
        instruction.encode(&mut body);
    }
    body
}

#[cfg(test)]
mod tests {
    use wasm_encoder::{
        CodeSection, Function, FunctionSection, Module, NameMap, NameSection, TypeSection, ValType,
    };

    use super::*;

    /// A function of four arguments that begins with a character, by the name of the one that
    /// quotes.
    fn module(character: i32, name: &str) -> Vec<u8> {
        let (mut types, mut functions) = (TypeSection::new(), FunctionSection::new());
        for arguments in [2, 3, 4] {
            types.ty().function(vec![ValType::I32; arguments], [ValType::I32]);
        }
        functions.function(2);
        let mut body = Function::new([(1, ValType::I32)]);
        let memory = MemArg { offset: WRITE_CHARACTER, align: 2, memory_index: 0 };
        body.instructions().local_get(2).i32_const(character).local_get(3).i32_load(memory);
        body.instructions().local_tee(4).call_indirect(0, 0);
        for _ in 0..40 {
            body.instructions().drop().i32_const(7);
        }
        body.instructions().end();
        let mut code = CodeSection::new();
        code.function(&body);
        let mut names = NameMap::new();
        names.append(0, name);
        let mut section = NameSection::new();
        section.functions(&names);
        let mut module = Module::new();
        module.section(&types).section(&functions).section(&code).section(&section);
        module.finish()
    }

    fn told(module: &[u8]) -> Vec<String> {
        let mut told = Vec::new();
        for payload in Parser::new(0).parse_all(module) {
            if let Payload::CodeSectionEntry(body) = payload.unwrap() {
                let operators = body.get_operators_reader().unwrap().into_iter();
                told.extend(operators.map(|operator| format!("{:?}", operator.unwrap())));
            }
        }
        told
    }

    #[test]
    fn a_text_is_written_between_its_marks() {
        let before = module(MARK, "_RNvXsh_NtCsgX_4core3fmteNtB5_5Debug3fmt");
        let mut after = before.clone();
        assert!(plain(&mut after).unwrap().is_some());
        let told = told(&after);
        let calls = told.iter().filter(|one| one.starts_with("CallIndirect"));
        let kinds: Vec<_> = calls.map(|call| call.contains("type_index: 1")).collect();
        assert_eq!(kinds, [false, true, false], "a mark, the text, a mark");
        assert_eq!(told.iter().filter(|one| one.contains("value: 34")).count(), 2);
        assert!(told.iter().any(|one| one == "Return"));
        assert_eq!(told.last().map(String::as_str), Some("End"));
        assert_eq!(before.len(), after.len());
    }

    #[test]
    fn what_has_another_name_or_shape_stays() {
        let debug = "_RNvXsh_NtCsgX_4core3fmteNtB5_5Debug3fmt";
        for (character, name) in [(MARK, "_RNvXsh_NtCsgX_4core3fmteNtB5_7Display3fmt"), (39, debug)]
        {
            let before = module(character, name);
            let mut after = before.clone();
            assert_eq!(plain(&mut after).unwrap(), None);
            assert_eq!(before, after);
        }
    }

    #[test]
    fn what_is_no_module_is_told() {
        assert!(plain(&mut b"\0asm\x01\0\0\0\x03\xff".to_vec()).is_err());
    }
}
