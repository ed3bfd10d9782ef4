//! Tests of HTML form bodies. JSON is tested through the router.

use super::*;
use futures_util::StreamExt as _;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

async fn parse_as(content_type: &str, body: &[u8]) -> Result<ParsedBody> {
    let mut headers = HeaderMap::new();
    headers.insert(header::CONTENT_TYPE, content_type.parse().unwrap());
    parse_body(&body_format(&headers)?, &headers, Body::from(body.to_owned())).await
}

async fn parse_urlencoded(body: &[u8]) -> Result<ParsedBody> {
    parse_as("application/x-www-form-urlencoded", body).await
}

async fn parse_multipart(body: &str) -> Result<ParsedBody> {
    parse_as("multipart/form-data; boundary=XX", body.replace('\n', "\r\n").as_bytes()).await
}

fn error_message(read: Result<ParsedBody>) -> String {
    read.unwrap_err().into_body().message
}

#[tokio::test]
async fn urlencoded_form_is_parsed_like_browsers_write() {
    let check = async |body: &str, members: Value| {
        let parsed = parse_urlencoded(body.as_bytes()).await.unwrap();
        assert_eq!(Value::Object(parsed.members), members, "{body}");
        assert!(!parsed.is_typed);
    };
    check("a=1&b=x+y%2B%26&%C3%A9=%E2%9C%93", json!({"a":["1"],"b":["x y+&"],"é":["✓"]})).await;
    check("a=1&b=&a=2&a=", json!({"a":["1","2",""],"b":[""]})).await;
    check("&a=b=c&&d&", json!({"a":["b=c"],"d":[""]})).await;
    check("a=%zz%", json!({"a":["%zz%"]})).await;
    check("", json!({})).await;
}

#[tokio::test]
async fn form_with_4001_members_is_rejected() {
    let names: Vec<_> = (0..4001).map(|n| format!("k{n}")).collect();
    assert!(
        error_message(parse_urlencoded(names.join("&").as_bytes()).await)
            .contains("at most 4000 members, but has 4001")
    );
    let list = parse_urlencoded("a=1&".repeat(4000).as_bytes()).await.unwrap();
    assert_eq!(list.members["a"].as_array().unwrap().len(), 4000);
}

#[tokio::test]
async fn multipart_form_skips_empty_file_inputs() {
    let parsed = parse_multipart(
        "--XX\nContent-Disposition: form-data; name=\"a\"\n\nx\ny\n\
         --XX\nContent-Disposition: form-data; name=\"é\"\n\n\n\
         --XX\nContent-Disposition: form-data; name=\"a\"\n\nz\n\
         --XX\nContent-Disposition: form-data; name=\"cv\"; filename=\"\"\n\
         Content-Type: application/octet-stream\n\n\n--XX--\n",
    );
    let parsed = parsed.await.unwrap();
    assert_eq!(Value::Object(parsed.members), json!({"a":["x\r\ny","z"],"é":[""]}));
}

#[tokio::test]
async fn file_is_recorded_by_name_and_size() {
    let file = |name: &str, text: &str| {
        format!(
            "--XX\nContent-Disposition: form-data; name=\"cv\"; filename=\"{name}\"\n\n{text}\n"
        )
    };
    let text = "--XX\nContent-Disposition: form-data; name=\"a\"\n\nx\n";
    let part = file("me.pdf", "%PDF\u{0}");
    let other = file("\u{e9}.txt", "");
    let parsed = parse_multipart(&format!("{text}{part}{other}--XX--\n")).await.unwrap();
    let files = ["me.pdf (5 bytes)", "\u{e9}.txt (0 bytes)"];
    assert_eq!(Value::Object(parsed.members), json!({"a": ["x"], "cv": files}));
    let large = parse_multipart(&(file("a", &"x".repeat(11 * 1024 * 1024)) + "--XX--\n")).await;
    assert!(error_message(large).contains("at most 10485760 bytes"));
    let texts = text.replace('x', &"x".repeat(262_145)) + "--XX--\n";
    assert!(error_message(parse_multipart(&texts).await).contains("at most 262144 bytes"));
}

/// Parses a body in chunks. Returns the result and the number of chunks that were read.
async fn parse_chunks(chunks: Vec<Bytes>) -> (Result<ParsedBody>, usize) {
    let count = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&count);
    let chunks = futures_util::stream::iter(chunks).map(move |chunk| {
        seen.fetch_add(1, Ordering::Relaxed);
        Ok::<_, std::io::Error>(chunk)
    });
    let body = Body::from_stream(chunks);
    let parsed =
        parse_body(&BodyFormat::Multipart("XX".to_owned(), None), &HeaderMap::new(), body).await;
    (parsed, count.load(Ordering::Relaxed))
}

#[tokio::test]
async fn endless_part_header_is_rejected_early() {
    let head = "--XX\r\nContent-Disposition: form-data; name=\"a\"; filename=\"";
    for (name, first, next) in [
        ("head", head, "a"),
        ("preamble", "", "a"),
        ("padding", "--XX", " "),
        ("line", "\r\n", "\r"),
    ] {
        let chunks = std::iter::once(Bytes::from(first))
            .chain(std::iter::repeat_n(Bytes::from(next.repeat(1000)), 11_000));
        let (parsed, read) = parse_chunks(chunks.collect()).await;
        assert!(error_message(parsed).contains("incomplete or malformed"), "{name}");
        assert!(read < 100, "{name}: {read} chunks were read");
    }
}

#[tokio::test]
async fn multipart_form_parses_with_any_chunk_size() {
    let file = "y".repeat(300_000);
    let body = format!(
        "--XX\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n{}\r\n\
         --XX\r\nContent-Disposition: form-data; name=\"cv\"; filename=\"f\"\r\n\r\n{file}\r\n\
         --XX--\r\n",
        "x".repeat(30_000),
    );
    for size in [7, 1000, 16_384, 65_537, body.len()] {
        let chunks = body.as_bytes().chunks(size).map(Bytes::copy_from_slice).collect();
        let (parsed, _) = parse_chunks(chunks).await;
        let members = Value::Object(parsed.unwrap().members);
        let expected = json!({"a": ["x".repeat(30_000)], "cv": ["f (300000 bytes)"]});
        assert!(members == expected, "chunks of {size} bytes");
    }
}

#[tokio::test]
async fn form_is_decoded_in_page_encoding() {
    let check = async |kind: &str, body: &[u8], expected: &str| {
        let parsed = parse_as(kind, body).await.unwrap();
        assert_eq!(parsed.members["n"], json!([expected]), "{kind}");
    };
    let plain = "application/x-www-form-urlencoded";
    check(plain, b"n=J%C3%BCrg", "J\u{fc}rg").await;
    check(plain, b"n=J%FCrg+%80", "J\u{fc}rg \u{20ac}").await;
    check(plain, b"n=J%FCrg&x=\xff", "J\u{fc}rg").await;
    check(plain, b"_charset_=windows-1251&n=%C0%E4%E0", "\u{410}\u{434}\u{430}").await;
    let twice = b"_charset_=iso-8859-1&_charset_=windows-1251&n=%C0%E4%E0";
    check(plain, twice, "\u{410}\u{434}\u{430}").await;
    check(&format!("{plain}; charset=Shift_JIS"), b"n=%83A", "\u{30a2}").await;
    check(&format!("{plain}; charset=UTF-8"), b"n=J%FCrg", "J\u{fc}rg").await;
    check(&format!("{plain}; charset=ISO-8859-1"), b"n=J%C3%BCrg", "J\u{fc}rg").await;
    // An invalid byte does not change the decoding of its own text or of other texts.
    let mixed = b"n=%E6%97%A5%E6%9C%AC&m=abc%FFdef&o=%E6%97%FF";
    for kind in [plain, &format!("{plain}; charset=UTF-8")] {
        let parsed = parse_as(kind, mixed).await.unwrap();
        let texts = ["n", "m", "o"].map(|key| parsed.members[key][0].as_str().unwrap().to_owned());
        assert_eq!(texts, ["\u{65e5}\u{672c}", "abc\u{ff}def", "\u{e6}\u{2014}\u{ff}"]);
    }
    let half = parse_as(plain, b"n=%E6%97%A5%E6%9C").await.unwrap();
    assert_eq!(half.members["n"], json!(["\u{65e5}\u{fffd}"]));
    check(plain, b"\xef\xbb\xbfn=a", "a").await;
    check(plain, b"%EF%BB%BFn=a&x=1", "a").await;
    let part =
        |head: &str| format!("--XX\r\nContent-Disposition: form-data; name=\"n\"{head}\r\n\r\n");
    let end = b"\r\n--XX--\r\n";
    let multipart = "multipart/form-data; boundary=XX";
    let latin = [part("").as_bytes(), b"J\xfcrg", end].concat();
    check(multipart, &latin, "J\u{fc}rg").await;
    let cyrillic = [part("").as_bytes(), b"\xc0\xe4\xe0", end].concat();
    check(&format!("{multipart}; charset=windows-1251"), &cyrillic, "\u{410}\u{434}\u{430}").await;
    let kind = "\r\nContent-Type: text/plain; charset=windows-1251";
    let cyrillic = [part(kind).as_bytes(), b"\xc0\xe4\xe0", end].concat();
    check(multipart, &cyrillic, "\u{410}\u{434}\u{430}").await;
    let mut file = [part("; filename=\"r?\"").as_bytes(), b"\0", end].concat();
    let at = file.iter().position(|byte| *byte == b'?').unwrap();
    file[at] = 0xe9;
    check(multipart, &file, "r\u{e9} (1 bytes)").await;
    let binary =
        [part("\r\nContent-Type: application/octet-stream").as_bytes(), b"\0", end].concat();
    check(multipart, &binary, "(1 bytes)").await;
}

#[tokio::test]
async fn incomplete_multipart_form_is_rejected() {
    for body in [
        "",
        "--XX",
        "--YY\nContent-Disposition: form-data; name=\"a\"\n\nx\n--YY--\n",
        "--XX\nContent-Disposition: form-data; name=\"a\"\n\nx",
    ] {
        assert!(
            error_message(parse_multipart(body).await).contains("incomplete or malformed"),
            "{body:?}"
        );
    }
    let nameless = parse_multipart("--XX\nContent-Disposition: form-data\n\nx\n--XX--\n").await;
    assert!(error_message(nameless).contains("must have a name"));
    for kind in ["multipart/form-data", "multipart/form-data; boundary=\"\"; charset=utf-8"] {
        assert!(error_message(parse_as(kind, b"").await).contains("boundary"), "{kind}");
    }
}

#[tokio::test]
async fn boundary_is_parsed_as_clients_write_it() {
    for (kind, boundary) in [
        ("multipart/form-data ; boundary=XX", "XX"),
        ("Multipart/Form-Data;charset=utf-8;BOUNDARY = XX", "XX"),
        ("multipart/form-data; boundary=a=b/c?d:e(f),g", "a=b/c?d:e(f),g"),
        ("multipart/form-data; boundary=\"a b;c\"; charset=utf-8", "a b;c"),
    ] {
        let body = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"n\"\r\n\r\nx\r\n--{boundary}--\r\n"
        );
        let parsed = parse_as(kind, body.as_bytes()).await.unwrap();
        assert_eq!(Value::Object(parsed.members), json!({"n": ["x"]}), "{kind}");
    }
}
