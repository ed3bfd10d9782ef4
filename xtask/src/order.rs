//! Puts functions of a module that resemble each other side by side: brotli tells where a repeated
//! stretch stood before in fewer bits the nearer it stood. Changes places and numbers, no code.

use std::collections::{BinaryHeap, HashMap};

use wasm_encoder::{
    CodeSection, ElementSection, ExportSection, FunctionSection, GlobalSection, Module, RawSection,
    StartSection,
    reencode::{Error as Failure, Reencode},
};
use wasmparser::{FunctionBody, Parser, Payload, TypeRef};

use crate::run::{Error, Result};

type Outcome<T> = std::result::Result<T, Failure>;

/// How many bytes two functions must have in common for it to count.
const SHINGLE: usize = 6;
/// What stands in more functions than this tells none apart.
const COMMON_MAX: usize = 600;
/// How much the last functions count for what comes next, the last one first.
const RECENT: [f64; 6] = [1.0, 0.8, 0.6, 0.5, 0.4, 0.3];

/// Returns the module with its functions in another order.
pub(crate) fn order(module: &[u8]) -> Result<Vec<u8>> {
    ordered(module).map_err(|error| {
        Error::new(format!("cannot put the functions of a module in order: {error}"))
    })
}

fn ordered(module: &[u8]) -> Outcome<Vec<u8>> {
    let (mut imported, mut bodies) = (0, Vec::new());
    for payload in Parser::new(0).parse_all(module) {
        match payload? {
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    imported += u32::from(matches!(import?.ty, TypeRef::Func(_)));
                }
            }
            Payload::CodeSectionEntry(body) => bodies.push(body),
            _ => {}
        }
    }
    let order = side_by_side(&bodies.iter().map(FunctionBody::as_bytes).collect::<Vec<_>>());
    let mut places = vec![0; order.len()];
    for (place, &function) in (0..).zip(&order) {
        places[function] = place;
    }
    written(module, &mut Renumber { imported, places }, &order, &bodies)
}

/// Gives functions their new numbers.
struct Renumber {
    imported: u32,
    places: Vec<u32>,
}

impl Reencode for Renumber {
    type Error = std::convert::Infallible;

    fn function_index(&mut self, function: u32) -> Outcome<u32> {
        let own = function.checked_sub(self.imported).and_then(|own| usize::try_from(own).ok());
        let place = own.and_then(|own| self.places.get(own));
        Ok(place.map_or(function, |place| self.imported + place))
    }
}

fn written(
    module: &[u8],
    renumber: &mut Renumber,
    order: &[usize],
    bodies: &[FunctionBody<'_>],
) -> Outcome<Vec<u8>> {
    let mut out = Module::new();
    for payload in Parser::new(0).parse_all(module) {
        let payload = payload?;
        match &payload {
            Payload::FunctionSection(section) => {
                let types =
                    section.clone().into_iter().collect::<std::result::Result<Vec<_>, _>>()?;
                let mut functions = FunctionSection::new();
                for &function in order {
                    functions.function(types[function]);
                }
                out.section(&functions);
            }
            Payload::CodeSectionStart { .. } => {
                let mut code = CodeSection::new();
                for &function in order {
                    renumber.parse_function_body(&mut code, bodies[function].clone())?;
                }
                out.section(&code);
            }
            Payload::GlobalSection(section) => {
                let mut globals = GlobalSection::new();
                renumber.parse_global_section(&mut globals, section.clone())?;
                out.section(&globals);
            }
            Payload::ExportSection(section) => {
                let mut exports = ExportSection::new();
                renumber.parse_export_section(&mut exports, section.clone())?;
                out.section(&exports);
            }
            Payload::ElementSection(section) => {
                let mut elements = ElementSection::new();
                renumber.parse_element_section(&mut elements, section.clone())?;
                out.section(&elements);
            }
            Payload::StartSection { func, .. } => {
                out.section(&StartSection { function_index: renumber.function_index(*func)? });
            }
            _ => {
                if let Some((id, range)) = payload.as_section() {
                    let (start, end) = (at(range.start), at(range.end));
                    out.section(&RawSection { id, data: &module[start..end] });
                }
            }
        }
    }
    Ok(out.finish())
}

fn at(offset: u64) -> usize {
    usize::try_from(offset).unwrap_or(usize::MAX)
}

/// An order in which each function follows one that it has much in common with.
fn side_by_side(bodies: &[&[u8]]) -> Vec<usize> {
    let found: Vec<Vec<u32>> = bodies.iter().map(|body| shingles(body)).collect();
    let mut holders: HashMap<u32, Vec<usize>> = HashMap::new();
    for (function, shingles) in found.iter().enumerate() {
        for &shingle in shingles {
            holders.entry(shingle).or_default().push(function);
        }
    }
    holders.retain(|_, holders| (2..=COMMON_MAX).contains(&holders.len()));
    // Where nothing resembles the last ones, the largest that is left comes next.
    let mut largest: BinaryHeap<_> =
        bodies.iter().enumerate().map(|(function, body)| (body.len(), function)).collect();
    let (mut order, mut placed) = (Vec::with_capacity(bodies.len()), vec![false; bodies.len()]);
    let mut scores = vec![0.0_f64; bodies.len()];
    loop {
        let next = nearest(&order, &found, &holders, &placed, &mut scores).or_else(|| {
            std::iter::from_fn(|| largest.pop()).map(|(_, function)| function).find(|&f| !placed[f])
        });
        let Some(next) = next else { return order };
        placed[next] = true;
        order.push(next);
    }
}

/// The function that has most in common with the last ones, for its length.
fn nearest(
    order: &[usize],
    found: &[Vec<u32>],
    holders: &HashMap<u32, Vec<usize>>,
    placed: &[bool],
    scores: &mut [f64],
) -> Option<usize> {
    let mut touched = Vec::new();
    for (&last, weight) in order.iter().rev().zip(RECENT) {
        for holders in found[last].iter().filter_map(|shingle| holders.get(shingle)) {
            #[expect(clippy::cast_precision_loss, reason = "at most `COMMON_MAX`")]
            let worth = weight / (holders.len() as f64).sqrt();
            for &holder in holders.iter().filter(|&&holder| !placed[holder]) {
                if scores[holder] == 0.0 {
                    touched.push(holder);
                }
                scores[holder] += worth;
            }
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "no function has 2^52 bytes")]
    let fit = |function: usize| scores[function] / (found[function].len() as f64 + 30.0).sqrt();
    touched.sort_unstable();
    let best = touched.iter().copied().max_by(|&one, &other| fit(one).total_cmp(&fit(other)));
    for function in touched {
        scores[function] = 0.0;
    }
    best
}

/// The stretches of some bytes that a function holds, by a hash, each once.
fn shingles(body: &[u8]) -> Vec<u32> {
    // FNV-1a: the same on every machine, as builds are to be.
    let hash = |bytes: &[u8]| {
        bytes
            .iter()
            .fold(0x811c_9dc5_u32, |hash, &byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
    };
    let mut found: Vec<u32> = body.windows(SHINGLE).map(hash).collect();
    found.sort_unstable();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use wasm_encoder::{
        ConstExpr, ElementSection, Elements, EntityType, ExportKind, Function, ImportSection,
        TypeSection, ValType,
    };

    use super::*;

    /// A module of functions that each return a number; the first is imported, the second calls
    /// the last, and all are in the table.
    fn module(numbers: &[i32]) -> Vec<u8> {
        let (mut types, mut imports) = (TypeSection::new(), ImportSection::new());
        types.ty().function([], [ValType::I32]);
        imports.import("a", "b", EntityType::Function(0));
        let (mut functions, mut code) = (FunctionSection::new(), CodeSection::new());
        let last = u32::try_from(numbers.len()).unwrap();
        for (index, &number) in numbers.iter().enumerate() {
            let mut body = Function::new([]);
            body.instructions().i32_const(number);
            if index == 0 {
                body.instructions().call(last).i32_add();
            }
            body.instructions().i32_const(number).i32_add().end();
            functions.function(0);
            code.function(&body);
        }
        let mut exports = ExportSection::new();
        exports.export("first", ExportKind::Func, 1);
        let mut elements = ElementSection::new();
        let all: Vec<u32> = (0..=last).collect();
        elements.active(None, &ConstExpr::i32_const(0), Elements::Functions(all.into()));
        let mut module = Module::new();
        module.section(&types).section(&imports).section(&functions).section(&exports);
        module.section(&elements).section(&code);
        module.finish()
    }

    /// Each function of the table as it reads, calls followed; the export comes first.
    fn read(module: &[u8]) -> Vec<String> {
        let (mut bodies, mut table, mut first) = (Vec::new(), Vec::new(), 0);
        for payload in Parser::new(0).parse_all(module) {
            match payload.unwrap() {
                Payload::CodeSectionEntry(body) => bodies.push(body),
                Payload::ExportSection(exports) => {
                    first = exports.into_iter().next().unwrap().unwrap().index;
                }
                Payload::ElementSection(elements) => {
                    let items = elements.into_iter().next().unwrap().unwrap().items;
                    let wasmparser::ElementItems::Functions(items) = items else { panic!() };
                    table = items.into_iter().map(|item| item.unwrap()).collect();
                }
                _ => {}
            }
        }
        let text = |function: u32| {
            let Some(own) = function.checked_sub(1) else { return "imported".to_owned() };
            let body = &bodies[usize::try_from(own).unwrap()];
            let told = |operator| match operator {
                wasmparser::Operator::Call { function_index } => {
                    let called = &bodies[usize::try_from(function_index - 1).unwrap()];
                    format!("({:?})", called.as_bytes())
                }
                other => format!("{other:?} "),
            };
            let operators = body.get_operators_reader().unwrap().into_iter();
            operators.map(|operator| told(operator.unwrap())).collect()
        };
        std::iter::once(first).chain(table).map(text).collect()
    }

    #[test]
    fn every_function_is_still_what_others_take_it_for() {
        let numbers = [70_000, 1, 5_000_000, 70_001, 2, 5_000_001, 70_000, 5_000_000];
        let before = module(&numbers);
        let after = order(&before).unwrap();
        assert_eq!(read(&before), read(&after));
        assert_ne!(before, after, "nothing was put elsewhere");
        assert_eq!(after, order(&before).unwrap(), "builds are repeatable");
    }

    #[test]
    fn those_that_resemble_each_other_come_together() {
        let (one, other) = ([7; 40].as_slice(), [[1, 2, 3, 4].as_slice(); 20].concat());
        let order = side_by_side(&[one, &other, one, &other, one]);
        assert_eq!(order.len(), 5);
        let changes = order.windows(2).filter(|pair| pair[0] % 2 != pair[1] % 2).count();
        assert_eq!(changes, 1, "{order:?}");
    }

    #[test]
    fn what_is_no_module_is_told() {
        assert!(order(b"\0asm\x01\0\0\0\x03\xff").is_err());
    }
}
