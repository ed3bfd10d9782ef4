//! Header of a multipart part: name, file name and encoding.
//!
//! Headers are parsed as bytes, since pages in other encodings write names in these.

use encoding_rs::Encoding;
use http::{HeaderMap, header};
use percent_encoding::percent_decode;

/// Parsed header of a part.
#[derive(Debug, Default, PartialEq)]
pub(super) struct PartHeader {
    /// Name of the input, in the encoding of the page.
    pub(super) name: Option<Vec<u8>>,
    /// File name, in the encoding of the page; empty if the part is a file without a name.
    pub(super) file_name: Option<Vec<u8>>,
    /// Encoding of the text, if the part names one.
    pub(super) charset: Option<&'static Encoding>,
}

impl PartHeader {
    /// Parses `Content-Disposition` (RFC 7578, section 4.2) and `Content-Type`.
    pub(super) fn parse(headers: &HeaderMap) -> Self {
        let mut head = Self::default();
        let header = |name| headers.get(name).map_or(&b""[..], http::HeaderValue::as_bytes);
        for (name, value) in parse_parameters(header(header::CONTENT_DISPOSITION)) {
            match name.as_slice() {
                b"name" => head.name = Some(unescape_name(&value)),
                b"filename" if head.file_name.is_none() => {
                    head.file_name = Some(unescape_name(&value));
                }
                b"filename*" => head.file_name = parse_extended(&value).or(head.file_name),
                _ => {}
            }
        }
        let kind = header(header::CONTENT_TYPE);
        if kind.to_ascii_lowercase().starts_with(b"application/octet-stream") {
            head.file_name.get_or_insert_default();
        }
        let charset = parse_parameters(kind).into_iter().find(|(name, _)| name == b"charset");
        head.charset = charset.and_then(|(_, label)| Encoding::for_label(&label));
        head
    }
}

/// Returns the parameters after the first `;` of a header, with names in lower case. A quoted value
/// ends at the next quote without a backslash before it.
pub(crate) fn parse_parameters(header: &[u8]) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut parameters = Vec::new();
    let Some(at) = header.iter().position(|byte| *byte == b';') else { return parameters };
    let mut rest = &header[at..];
    while let Some(after) = rest.strip_prefix(b";") {
        let end = after.iter().position(|byte| matches!(byte, b'=' | b';')).unwrap_or(after.len());
        let name = after[..end].trim_ascii().to_ascii_lowercase();
        let (value, remainder) = match after[end..].strip_prefix(b"=") {
            Some(value) => self::split_value(value.trim_ascii_start()),
            None => (Vec::new(), &after[end..]),
        };
        parameters.push((name, value));
        let next = remainder.iter().position(|byte| *byte == b';').unwrap_or(remainder.len());
        rest = &remainder[next..];
    }
    parameters
}

/// Splits a parameter value from the rest of the header.
fn split_value(text: &[u8]) -> (Vec<u8>, &[u8]) {
    let Some(quoted) = text.strip_prefix(b"\"") else {
        let end = text.iter().position(|byte| *byte == b';').unwrap_or(text.len());
        return (text[..end].trim_ascii_end().to_vec(), &text[end..]);
    };
    let mut value = Vec::new();
    let mut at = 0;
    while let Some(byte) = quoted.get(at) {
        match (byte, quoted.get(at + 1)) {
            (b'"', _) => return (value, &quoted[at + 1..]),
            // Old browsers send Windows paths. Their backslashes are not escapes.
            (b'\\', Some(b'"')) => {
                value.push(b'"');
                at += 2;
            }
            _ => {
                value.push(*byte);
                at += 1;
            }
        }
    }
    (value, &[])
}

/// Decodes the escapes that browsers use for quotes and line breaks in names, and no other ones.
fn unescape_name(value: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(value.len());
    let mut rest = value;
    while let Some((first, after)) = rest.split_first() {
        let escaped = [(&b"%22"[..], b'"'), (b"%0D", b'\r'), (b"%0A", b'\n')];
        if let Some((code, byte)) = escaped.iter().find(|(code, _)| rest.starts_with(code)) {
            out.push(*byte);
            rest = &rest[code.len()..];
        } else {
            out.push(*first);
            rest = after;
        }
    }
    out
}

/// Parses `UTF-8''%e2%82%ac` (RFC 8187); `None` for another syntax.
fn parse_extended(value: &[u8]) -> Option<Vec<u8>> {
    let mut parts = value.splitn(3, |byte| *byte == b'\'');
    let charset = Encoding::for_label(parts.next()?)?;
    let bytes: Vec<u8> = percent_decode(parts.nth(1)?).collect();
    Some(charset.decode_without_bom_handling(&bytes).0.into_owned().into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(disposition: &[u8], kind: &str) -> PartHeader {
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_DISPOSITION, disposition.try_into().unwrap());
        headers.insert(header::CONTENT_TYPE, kind.parse().unwrap());
        PartHeader::parse(&headers)
    }

    #[test]
    fn names_are_parsed_as_clients_write_them() {
        let check = |text: &[u8], name: Option<&[u8]>, file: Option<&[u8]>| {
            let read = head(text, "text/plain");
            let wrong = String::from_utf8_lossy(text).into_owned();
            assert_eq!((read.name.as_deref(), read.file_name.as_deref()), (name, file), "{wrong}");
        };
        check(b"form-data; name=\"a\"", Some(b"a"), None);
        check(b"form-data ;NAME = a ; x", Some(b"a"), None);
        check(b"form-data; name=\"Gr\xf6\xdfe\"", Some(b"Gr\xf6\xdfe"), None);
        check(b"form-data; name=\"Say %22hi%22%0D%0A%41\"", Some(b"Say \"hi\"\r\n%41"), None);
        check(b"form-data; name=\"a\\\"b\"; filename=\"C:\\x\"", Some(b"a\"b"), Some(b"C:\\x"));
        check(b"form-data; name=\"a; filename=b\"", Some(b"a; filename=b"), None);
        check(b"form-data; name=a; filename=\"\"", Some(b"a"), Some(b""));
        let extended = b"form-data; name=a; filename*=UTF-8''%e2%82%ac.pdf; filename=\"x\"";
        check(extended, Some(b"a"), Some("\u{20ac}.pdf".as_bytes()));
        check(b"form-data; name=a; filename*=what", Some(b"a"), None);
        check(b"form-data", None, None);
        check(b"form-data; name=\"open", Some(b"open"), None);
    }

    #[test]
    fn binary_parts_are_files() {
        let binary = head(b"form-data; name=a", "application/octet-stream");
        assert_eq!(binary.file_name.as_deref(), Some(&b""[..]));
        let text = head(b"form-data; name=a", "text/plain; charset=\"windows-1251\"");
        assert_eq!(text.charset, Some(encoding_rs::WINDOWS_1251));
        assert_eq!(text.file_name, None);
    }
}
