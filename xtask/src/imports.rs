//! Gives what the module asks of its script, and what it offers to it, short names. wasm-bindgen
//! ends each in a hash, which weighs twice, in both files, since nothing compresses it. Changes
//! names alone.

use crate::{
    names,
    run::{Error, Result},
};

/// The sections of a module that say what it asks for, and what it offers.
const IMPORTS: u8 = 2;
const EXPORTS: u8 = 7;
/// An import that is a function: nothing else comes from the script of wasm-bindgen.
const FUNCTION: u8 = 0;

/// Returns module and script with short names for the functions that `from` provides.
pub(crate) fn shorten(module: &[u8], script: &str, from: &str) -> Result<(Vec<u8>, String)> {
    let (script, functions) = names::shorten(script);
    let mut names = Vec::new();
    let module = with_names(module, |asked, name| {
        let Some(asked) = asked else {
            return functions.get(name).map_or(name, String::as_str).to_owned();
        };
        if asked != from {
            return name.to_owned();
        }
        names.push(name.to_owned());
        short(names.len())
    })
    .ok_or_else(|| {
        Error::new("the module's imports are not as wasm-bindgen writes them: adapt `imports.rs`")
    })?;
    let mut lines: Vec<String> = script.lines().map(str::to_owned).collect();
    for (index, name) in names.iter().enumerate() {
        let own = |line: &&mut String| {
            line.trim_start().strip_prefix(name).is_some_and(|rest| rest.starts_with(": "))
        };
        let line = lines.iter_mut().find(own).ok_or_else(|| {
            Error::new(format!("the script provides no `{name}`, for which the module asks"))
        })?;
        *line = line.replacen(name, &short(index + 1), 1);
    }
    Ok((module, lines.join("\n") + "\n"))
}

/// A name that no hash makes long, and that is no word of JavaScript.
fn short(number: usize) -> String {
    format!("f{number}")
}

/// The module with its imports and exports renamed; nothing where it is not understood. Of imports
/// is told from where.
fn with_names(
    module: &[u8],
    mut rename: impl FnMut(Option<&str>, &str) -> String,
) -> Option<Vec<u8>> {
    let (header, mut rest) = module.split_at_checked(8)?;
    let mut out = header.to_vec();
    while let Some((&id, after)) = rest.split_first() {
        let (length, after) = number(after)?;
        let (mut body, next) = after.split_at_checked(length)?;
        rest = next;
        let mut section = Vec::new();
        if id == IMPORTS {
            let (count, after) = number(body)?;
            body = after;
            write_number(&mut section, count);
            for _ in 0..count {
                let (asked, after) = text(body)?;
                let (name, after) = text(after)?;
                let (&[FUNCTION], after) = after.split_first_chunk::<1>()? else { return None };
                let (kind, after) = number(after)?;
                body = after;
                write_text(&mut section, asked);
                write_text(&mut section, &rename(Some(asked), name));
                section.push(FUNCTION);
                write_number(&mut section, kind);
            }
        }
        if id == EXPORTS {
            let (count, after) = number(body)?;
            body = after;
            write_number(&mut section, count);
            for _ in 0..count {
                let (name, after) = text(body)?;
                let (&kind, after) = after.split_first()?;
                let (index, after) = number(after)?;
                body = after;
                write_text(&mut section, &rename(None, name));
                section.push(kind);
                write_number(&mut section, index);
            }
        }
        section.extend_from_slice(body);
        out.push(id);
        write_number(&mut out, section.len());
        out.extend(section);
    }
    Some(out)
}

/// A number of seven bits a byte, and what stands behind it.
fn number(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut value = 0;
    for (index, &byte) in bytes.iter().enumerate().take(5) {
        value |= usize::from(byte & 0x7f) << (7 * index);
        if byte < 0x80 {
            return Some((value, &bytes[index + 1..]));
        }
    }
    None
}

fn write_number(out: &mut Vec<u8>, mut value: usize) {
    while value > 0x7f {
        out.push(0x80 | u8::try_from(value & 0x7f).unwrap_or_default());
        value >>= 7;
    }
    out.push(u8::try_from(value).unwrap_or_default());
}

fn text(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let (length, after) = number(bytes)?;
    let (text, after) = after.split_at_checked(length)?;
    Some((std::str::from_utf8(text).ok()?, after))
}

fn write_text(out: &mut Vec<u8>, text: &str) {
    write_number(out, text.len());
    out.extend_from_slice(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two imports, from two places, and a section that is nobody's business.
    fn module(first: &str, offered: &str) -> Vec<u8> {
        let mut imports = vec![2];
        for (from, name, kind) in [("./a.js", first, 3), ("./b.js", "__other_0123", 200)] {
            write_text(&mut imports, from);
            write_text(&mut imports, name);
            imports.push(FUNCTION);
            write_number(&mut imports, kind);
        }
        let mut module = b"\0asm\x01\0\0\0".to_vec();
        let exports = [
            &[2, 4],
            &b"main"[..],
            &[0, 1, u8::try_from(offered.len()).unwrap()],
            offered.as_bytes(),
            &[0, 2],
        ]
        .concat();
        let sections = [(1, vec![9; 300]), (IMPORTS, imports), (EXPORTS, exports), (10, vec![7])];
        for (id, body) in sections {
            module.push(id);
            write_number(&mut module, body.len());
            module.extend(body);
        }
        module
    }

    #[test]
    fn names_are_short_in_both_and_all_else_stays() {
        let script = "x = {\n  __wbg_text_52: function() {},\n  __wbg_text_520: 1,\n};\n\
            function call_h01(a) {\n  wasm.call_h01(a);\n}\n";
        let whole = module("__wbg_text_52", "call_h01");
        let (short, script) = shorten(&whole, script, "./a.js").unwrap();
        assert_eq!(short, module("f1", "$0"));
        let wanted = "x = {\n  f1: function() {},\n  __wbg_text_520: 1,\n};\n\
            function $0(a) {\n  wasm.$0(a);\n}\n";
        assert_eq!(script, wanted);
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        let whole = module("a", "call");
        assert!(shorten(&whole, "a: 1", "./a.js").is_ok());
        assert!(shorten(&whole, "b: 1", "./a.js").is_err());
        for cut in [4, 20, whole.len() - 1] {
            assert!(shorten(&whole[..cut], "a: 1", "./a.js").is_err(), "{cut}");
        }
    }
}
