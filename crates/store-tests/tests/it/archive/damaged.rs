//! Archives that are damaged, truncated or of another version are rejected, and nothing of them is
//! restored.

use super::{TestStore, dump, fill_store, restore};
use crate::location::Location;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use sha2::{Digest as _, Sha256};
use std::io::{Read as _, Write as _};
use store::StoreError;

pub(super) fn decompress(archive: &[u8]) -> String {
    let mut text = String::new();
    GzDecoder::new(archive).read_to_string(&mut text).unwrap();
    text
}

pub(super) fn compress(text: &str) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), Compression::fast());
    out.write_all(text.as_bytes()).unwrap();
    out.finish().unwrap()
}

async fn assert_rejected(archive: &[u8], expect: &str) {
    let to = TestStore::file();
    match restore(archive, &to).await {
        Err(StoreError::Unusable(sentence)) => {
            assert!(sentence.contains(expect), "{expect}: {sentence}");
            assert!(sentence.len() < 400, "{sentence}");
        }
        other => panic!("not rejected ({expect}): {other:?}"),
    }
    let Location::Sqlite(file) = to.location() else { unreachable!() };
    let left = std::fs::read_dir(file.parent().unwrap()).map(Iterator::count).unwrap_or_default();
    assert_eq!(left, 0, "{expect}");
}

pub(super) async fn filled_archive() -> Vec<u8> {
    let from = TestStore::file();
    fill_store(&*from.open().await).await;
    dump(&from).await.1
}

/// Returns how many positions of an archive are damaged.
fn count_positions() -> usize {
    if test_servers::is_full_run() { 40 } else { 8 }
}

#[tokio::test]
async fn truncated_archive_is_rejected() {
    let archive = filled_archive().await;
    for length in (0..archive.len()).step_by(archive.len() / count_positions()) {
        let expect = if length < 200 { "" } else { "damaged or cut off" };
        assert_rejected(&archive[..length], expect).await;
    }
    let text = decompress(&archive);
    for end in [text.len() - 1, text.rfind("{\"archive_end\"").unwrap()] {
        assert_rejected(&compress(&text[..end]), "damaged or cut off").await;
    }
}

#[tokio::test]
async fn changed_byte_is_detected() {
    let archive = filled_archive().await;
    let text = decompress(&archive);
    let mut rejected = 0;
    let positions = count_positions();
    for place in (20..archive.len()).step_by(archive.len() / positions) {
        let mut changed = archive.clone();
        changed[place] ^= 1;
        // A bit that fills a block up to the next byte has no meaning.
        let mut read = String::new();
        let is_same = GzDecoder::new(&*changed).read_to_string(&mut read).is_ok() && read == text;
        if !is_same {
            assert_rejected(&changed, "").await;
            rejected += 1;
        }
    }
    assert!(rejected * 4 > positions * 3, "{rejected} of {positions} changes");
}

#[tokio::test]
async fn changed_lines_are_detected() {
    let text = decompress(&filled_archive().await);
    let changes = [
        ("\"owner@example.com\"", "\"other@example.com\"", "do not match its checksum"),
        ("{\"archive_end\"", "[1]\n{\"archive_end\"", "damaged"),
        ("\"tables\":", "\"tables\":1", "its counts do not match its contents"),
        (
            "\"version\":1",
            "\"version\":2",
            "the archive has the format 2, and this version reads 1",
        ),
        ("{\"sheaf_archive\"", "{\"another\"", "this is not an archive of `sheaf dump`"),
        (
            "\"name\":\"keys\"",
            "\"name\":\"locks\"",
            "the table `locks`, which this version does not",
        ),
        ("\"last4\"", "\"last5\"", "the column `last5`, which this version does not know"),
        ("\"rows\":1,", "\"rows\":7,", "do not match its checksum"),
    ];
    for (from, to, expect) in changes {
        assert!(text.contains(from), "{from}");
        assert_rejected(&compress(&text.replacen(from, to, 1)), expect).await;
    }
    assert_rejected(&compress(&format!("{text}x\n")), "there is data after its end").await;
    let twice = [compress(&text), compress(&text)].concat();
    assert_rejected(&twice, "there is data after its end").await;
    assert_rejected(&compress(&format!("{}{}", "[".repeat(1 << 20), text)), "is not an archive")
        .await;
    let wide = format!("[{}1]", "1,".repeat(1 << 20));
    assert_rejected(
        &compress(&text.replacen("[\"acc_1\",1,", &format!("{wide}\n["), 1)),
        "damaged",
    )
    .await;
    let columns = format!("{{\"columns\":[{}", "\"\",".repeat(1 << 16));
    let wide = text.replacen("{\"name\":\"accounts\",", &format!("{columns}\"\"],"), 1);
    assert_rejected(&compress(&wide), "it is too long").await;
    assert_rejected(b"PGDMP", "this is not an archive of `sheaf dump`").await;
    assert_rejected(&vec![0; 100_000], "this is not an archive of `sheaf dump`").await;
}

/// Archives with right checksums may still have rows that no store can have.
#[tokio::test]
async fn invalid_rows_are_rejected() {
    let text = decompress(&filled_archive().await);
    let changes = [
        // An audit entry that does not continue its chain.
        ("audit", "[\"acc_1\",22,", "[\"acc_1\",25,", "the audit log is broken at entry 25"),
        ("forms", "\"acc_1\"", "\"acc_none\"", "cannot be restored"),
        ("submissions", "\"sub_01\"", "\"sub_xx\"", "its JSON is a different submission"),
        ("submissions", "{\\\"id\\\"", "{\\\"", "cannot be restored"),
        ("fields", "\"frm_1\"", "\"frm_x\"", "cannot be restored"),
        ("keys", "[\"key_1\",1,", "[\"key_1\",[1],", "damaged"),
        ("submissions", "\\\"status\\\":\\\"", "\\\"status\\\":\\\"X", "the triage of `sub_03`"),
        ("unlisted", "\\\"status\\\":\\\"", "\\\"status\\\":\\\"X", "the triage of `sub_"),
        ("notes", "\"frm_1\"", "\"frm_x\"", "cannot be restored"),
    ];
    for (table, from, to, expect) in changes {
        let change = |rows: &str| {
            assert!(rows.contains(from), "{table}: {rows}");
            rows.replacen(from, to, 1)
        };
        assert_rejected(&compress(&change_rows(&text, table, change)), expect).await;
    }
    // A chain with a wrong hash at its start.
    let other_hash = |rows: &str| {
        let place = rows.find("[\"acc_1\",20,\"").unwrap() + 13;
        let other = if rows[place..].starts_with('A') { "B" } else { "A" };
        [&rows[..place], other, &rows[place + 1..]].concat()
    };
    let archive = compress(&change_rows(&text, "audit_starts", other_hash));
    assert_rejected(&archive, "the audit log is broken at entry 21").await;
}

/// Changes the rows of a table, and its checksum accordingly.
pub(super) fn change_rows(text: &str, table: &str, change: impl Fn(&str) -> String) -> String {
    let start = text.find(&format!("{{\"table\":{{\"name\":\"{table}\"")).unwrap();
    let rows = start + text[start..].find('\n').unwrap() + 1;
    let end = rows + text[rows..].find("{\"table_end\"").unwrap();
    let changed = change(&text[rows..end]);
    let sha256 = format!("{:x}", Sha256::digest(&changed));
    let line = text[end..].split_once('\n').unwrap().0;
    let was = line.rsplit_once("\"sha256\":\"").unwrap().1.get(..64).unwrap();
    format!("{}{changed}{}", &text[..rows], text[end..].replacen(was, &sha256, 1))
}
