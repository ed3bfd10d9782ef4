//! Damage of the file is detected: on open, or by a full check.
//!
//! SQLite has no checksums of its pages. Damage to their structure is detected on open. Damage
//! within a text is detected only if the text is stored a second time.

use crate::TestFolder;
use crate::rng::Rng;
use contract::fold::fold;
use contract::{Filter, Submission};
use std::fmt::Write as _;
use std::path::Path;
use store::{Store, StoreError};
use store_sqlite::SqliteStore;
use store_tests::fixtures::{self, form_id, submission};

const PAGE_BYTES: usize = 16384;
const SECTOR_BYTES: usize = 512;
/// A quick run damages one page in this many.
const PAGES_PER_DAMAGE: usize = 4;

/// Returns a file with pages of many kinds, and the answers of its store.
async fn create_sound_file(place: &TestFolder) -> (Vec<u8>, String) {
    let store = place.open();
    fixtures::owner_and_form(&store).await;
    let rows = (0..400).map(|n| {
        let long = if n % 50 == 0 { 3000 } else { 20 + n * 13 % 60 };
        let answer = format!("answer {n} ").repeat(long);
        submission(&format!("sub_{n:03}"), i64::try_from(n).unwrap(), &answer)
    });
    fixtures::insert_submissions(&store, rows.collect()).await;
    for n in (0..400).step_by(7) {
        store.delete_submission(&format!("sub_{n:03}").parse().unwrap()).await.unwrap();
    }
    let answers = stored_answers(&store).await.unwrap();
    drop(store);
    (std::fs::read(place.file()).unwrap(), answers)
}

/// Returns the values that the store has twice for each submission: its position and form, its
/// case-folded answers, and its source.
async fn stored_answers(store: &SqliteStore) -> Result<String, StoreError> {
    let filter = Filter::default();
    let page = fixtures::list_page(store, &filter, None, 1000).await?;
    let count = store.find_form(&form_id()).await?.map(|form| form.form.submission_count);
    let mut description = format!("{count:?} {} {}", page.total, page.rows.len());
    for row in page.rows {
        let submission: Submission = serde_json::from_str(&row.json).unwrap();
        submission.answers.for_each_searched(|value| description += &fold(&value));
        let utm = submission.metadata.utm_source;
        writeln!(description, "{:?} {} {utm:?}", row.position, submission.form_id).unwrap();
    }
    Ok(description)
}

/// Result of the damage.
#[derive(Debug, PartialEq, Eq, Clone, Copy)]
enum Detection {
    OnOpen,
    ByCheck,
    /// The damaged bytes are unused, or are no value that the store has twice.
    Harmless,
}

async fn check_damage(file: &Path, bytes: &[u8], answer: &str, damage: &str) -> Detection {
    std::fs::write(file, bytes).unwrap();
    let by_check = store_sqlite::check(file).map_or(true, |report| !report.findings.is_empty());
    match SqliteStore::open(file) {
        Err(StoreError::Unusable(sentence)) => {
            assert!(sentence.contains(&file.display().to_string()), "{damage}: {sentence}");
            assert!(
                sentence.contains("damaged") || sentence.contains("not"),
                "{damage}: {sentence}"
            );
            assert!(by_check, "{damage}: the check finds nothing, but opening says: {sentence}");
            Detection::OnOpen
        }
        Err(other) => panic!("{damage}: refused without naming the file: {other}"),
        Ok(_) if by_check => Detection::ByCheck,
        Ok(store) => {
            let is_same = stored_answers(&store).await.is_ok_and(|now| now == answer);
            assert!(is_same, "{damage}: undetected, and the answers differ");
            Detection::Harmless
        }
    }
}

#[tokio::test]
async fn most_damaged_pages_are_detected_on_open() {
    let place = TestFolder::in_memory();
    let (bytes, answer) = create_sound_file(&place).await;
    let pages = bytes.len() / PAGE_BYTES;
    assert!(pages > 60);
    let mut missed = Vec::new();
    let mut damaged = 0;
    for page in (0..pages).filter(|page| test_servers::is_in_rotation(*page, PAGES_PER_DAMAGE)) {
        let at = page * PAGE_BYTES;
        let other = bytes[(page + pages / 2) % pages * PAGE_BYTES..][..PAGE_BYTES].to_vec();
        for (kind, new) in [
            ("zeros", vec![0; PAGE_BYTES]),
            ("noise", vec![0xa5; PAGE_BYTES]),
            ("another page", other),
        ] {
            let mut copy = bytes.clone();
            copy[at..at + PAGE_BYTES].copy_from_slice(&new);
            if copy == bytes {
                continue;
            }
            damaged += 1;
            let damage = format!("page {} is {kind}", page + 1);
            let detection = check_damage(&place.file(), &copy, &answer, &damage).await;
            if detection != Detection::OnOpen {
                missed.push((damage, detection));
            }
        }
    }
    // Free pages and the inside of texts longer than a page have no structure to verify.
    let by_check = missed.iter().filter(|(_, detection)| *detection == Detection::ByCheck).count();
    eprintln!("{} of {damaged} not at start, {by_check} of these by check", missed.len());
    assert!(missed.len() * 5 < damaged, "{missed:#?}");
}

#[tokio::test]
async fn damaged_bytes_are_detected_or_harmless() {
    let place = TestFolder::in_memory();
    let (bytes, answer) = create_sound_file(&place).await;
    let mut dice = Rng::new(1);
    let mut counts = [0; 3];
    let count = if test_servers::is_full_run() { 600 } else { 120 };
    for n in 0..count {
        let mut copy = bytes.clone();
        let damage = if n % 2 == 0 {
            let sector = dice.below(bytes.len() / SECTOR_BYTES);
            let noise: Vec<u8> =
                (0..SECTOR_BYTES).map(|_| dice.next_u64().to_le_bytes()[0]).collect();
            copy[sector * SECTOR_BYTES..][..SECTOR_BYTES].copy_from_slice(&noise);
            format!("sector {sector} is noise")
        } else {
            let at = dice.below(bytes.len());
            let bit = dice.below(8);
            copy[at] ^= 1 << bit;
            format!("bit {bit} of byte {at} is turned")
        };
        let detection = check_damage(&place.file(), &copy, &answer, &damage).await;
        counts[detection as usize] += 1;
    }
    eprintln!("at start {}, by check {}, harmless {}", counts[0], counts[1], counts[2]);
    assert!(counts.iter().all(|count| *count > 0), "{counts:?}");
}

#[tokio::test]
async fn truncated_file_is_detected_on_open() {
    let place = TestFolder::in_memory();
    let (bytes, answer) = create_sound_file(&place).await;
    for cut in 1..40 {
        let length = bytes.len() * cut / 40;
        let damage = format!("cut to {length} bytes");
        let detection = check_damage(&place.file(), &bytes[..length], &answer, &damage).await;
        assert_eq!(detection, Detection::OnOpen, "{damage}");
    }
}
