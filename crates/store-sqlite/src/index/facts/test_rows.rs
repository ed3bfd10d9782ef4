//! Rows for the tests of [`SummaryIndex`](super::SummaryIndex).

use super::SummaryIndex;
use crate::index::{Change, IndexedRow};
use contract::summary::CountedFields;
use contract::triage::Reader;
use contract::{Field, FieldType, Filter, Insight, Metadata, Submission, Timestamp, Triage};
use store::answers::ColumnKey;
use store::answers::answer_texts;
use store::triage::StoredTriage;

pub(super) fn fields() -> [Field; 2] {
    let field = |key: &str, kind: FieldType| Field {
        id: format!("fld_{key}").parse().unwrap(),
        key: key.to_owned(),
        name: key.to_owned(),
        kind,
        hidden: false,
    };
    [field("stars", FieldType::Rating), field("likes", FieldType::Choices)]
}

pub(super) fn charted() -> CountedFields {
    CountedFields::for_fields(&fields())
}

/// Reads the answers that the filters compare, with `change` before the last of them.
pub(super) fn read_answers(
    facts: &mut SummaryIndex,
    rows: &[Row],
    change: impl FnOnce(&mut SummaryIndex),
) -> bool {
    let keys = ["stars", "likes"].map(|key| ColumnKey { key: key.to_owned(), is_folded: false });
    facts.begin_columns(&keys);
    let (first, last) = rows.split_at(rows.len() / 2);
    let set = |facts: &mut SummaryIndex, rows: &[Row]| {
        let texts = |row: &Row, key| answer_texts(&row.submission.answers.0[key], false);
        let answers = |row: &Row| {
            let (at, id) = row.key();
            (at, id, vec![texts(row, "stars"), texts(row, "likes")])
        };
        facts.set_answers(&keys, &rows.iter().map(answers).collect::<Vec<_>>());
    };
    set(facts, first);
    change(facts);
    set(facts, last);
    facts.finish_columns(&keys, 1)
}

/// A submission with its triage, which has the read state of [`reader`].
pub(super) struct Row {
    pub(super) submission: Submission,
    pub(super) triage: Triage,
}

/// Returns a member. The first half of the days is read by default.
pub(super) fn reader() -> Reader {
    let unread_from = Timestamp::from_micros(20 * HALF_A_DAY).unwrap();
    Reader { person: "psn_1".parse().unwrap(), unread_from }
}

impl Row {
    /// A submission with a triage that depends on the same bits.
    pub(super) fn new(at: i64, id: u32, bits: u8) -> Self {
        let submission = submission(at, id, bits);
        let read = reader().has_read(submission.metadata.submitted_at, false);
        Self { submission, triage: Triage { read, ..triage(bits.rotate_left(3)) } }
    }

    /// Changes the read state; returns the change of the index.
    pub(super) fn toggle_read(&mut self) -> Change {
        self.triage.read = !self.triage.read;
        let (at, id) = self.key();
        let default = reader().has_read(self.submission.metadata.submitted_at, false);
        let is_marked = self.triage.read != default;
        Change::Read { at, id, person: "psn_1".into(), is_marked }
    }

    pub(super) fn key(&self) -> (i64, String) {
        (self.submission.metadata.submitted_at.micros(), self.submission.id.to_string())
    }

    pub(super) fn matches(&self, filter: &Filter) -> bool {
        filter.matches(&self.submission, &self.triage)
    }

    pub(super) fn indexed(&self) -> IndexedRow {
        let json = serde_json::to_string(&self.submission).unwrap();
        let triage = self.stored().to_column().unwrap().map(Into::into);
        IndexedRow { json, triage, ..self.deleted() }
    }

    /// Returns the stored triage. All changes to `done` are at the same time.
    pub(super) fn stored(&self) -> StoredTriage {
        let mut json = serde_json::to_value(&self.triage).unwrap();
        json["read"] = false.into();
        json["done_at"] = (20 * HALF_A_DAY).into();
        serde_json::from_value(json).unwrap()
    }

    pub(super) fn deleted(&self) -> IndexedRow {
        let (at, id) = self.key();
        IndexedRow { at, id, ..IndexedRow::default() }
    }
}

/// Returns a triage; half of them are the default.
pub(super) fn triage(bits: u8) -> Triage {
    if bits & 1 == 0 {
        return Triage::default();
    }
    let status = ["open", "done", "waiting"][usize::from(bits >> 6) % 3];
    let tags = ["x", "y"];
    Triage {
        status: status.parse().unwrap(),
        starred: bits & 2 != 0,
        tags: tags[..usize::from(bits >> 2) % 3].iter().map(|it| it.parse().unwrap()).collect(),
        assignee: (bits & 16 != 0).then(|| "psn_1".parse().unwrap()),
        read: false,
    }
}

pub(super) fn submission(at: i64, id: u32, bits: u8) -> Submission {
    let word = |bit: u8, word: &str| (bits & bit != 0).then(|| word.to_owned());
    let mut metadata = Metadata::at(Timestamp::from_micros(at * HALF_A_DAY).unwrap());
    metadata.utm_source = word(1, "s");
    metadata.utm_medium = word(2, "m");
    metadata.ip_country = word(4, "DE");
    metadata.completion_time_seconds = word(2, "").map(|_| u64::from(bits) * 7);
    let answers = serde_json::json!({"stars": bits % 6, "likes": ["a", bits % 2]});
    Submission {
        id: format!("sub_{id}").parse().unwrap(),
        form_id: "frm_1".parse().unwrap(),
        answers: serde_json::from_value(answers).unwrap(),
        metadata,
        ai_insights: insight(bits),
    }
}

pub(super) fn insight(bits: u8) -> Option<Insight> {
    (bits & 8 != 0).then(|| Insight {
        sentiment: Some(["positive", "mixed"][usize::from(bits & 1)].to_owned()),
        sentiment_score: (bits & 16 != 0).then(|| f64::from(bits) / 256.0),
        categories: ["x", "y", "x"][..usize::from(bits & 3)].iter().map(|&it| it.into()).collect(),
        language: (bits & 32 != 0).then(|| ["de", ""][usize::from(bits >> 7)].to_owned()),
    })
}

pub(super) const HALF_A_DAY: i64 = 43_200_000_000;
