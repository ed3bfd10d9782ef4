//! Parser of the table of hostile requests.

/// Returns the expected outcome of each request, and its bytes.
pub(crate) fn requests(table: &str) -> Vec<(&str, Vec<u8>)> {
    let lines = table.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let halves = lines.map(|line| line.split_at("refused ".len()));
    halves.map(|(outcome, request)| (outcome.trim_end(), bytes(request))).collect()
}

/// Decodes the escapes `\r`, `\x00` and `%{bytes*count}`.
fn bytes(text: &str) -> Vec<u8> {
    if let Some((before, rest)) = text.split_once("%{") {
        let (repeated, after) = rest.split_once('}').unwrap();
        let (piece, count) = repeated.rsplit_once('*').unwrap();
        let repeated = bytes(piece).repeat(count.parse().unwrap());
        return [bytes(before), repeated, bytes(after)].concat();
    }
    let (mut bytes, mut rest) = (Vec::new(), text.bytes());
    while let Some(byte) = rest.next() {
        let escaped = if byte == b'\\' { rest.next() } else { None };
        bytes.push(match escaped {
            None => byte,
            Some(b'r') => b'\r',
            Some(b'n') => b'\n',
            Some(b't') => b'\t',
            Some(b'0') => 0,
            Some(_) => {
                let digits: String = rest.by_ref().take(2).map(char::from).collect();
                u8::from_str_radix(&digits, 16).unwrap()
            }
        });
    }
    bytes
}
