//! How far an export is, so that it can go on after the page was loaded again. Plain data.

use std::collections::{HashSet, VecDeque};

use contract::{Field, FieldType, Submission, SubmissionId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{
    file::FileState,
    task::{Task, Unwritable},
};

/// Most keys of answers that are gathered from a server that tells no fields.
pub const KEYS_MAX: usize = 16_000;

/// An export that was put down.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Saved {
    /// Which it is.
    pub id: String,
    /// What is exported.
    pub task: Task,
    /// When it began.
    pub began: Timestamp,
    /// Where in the source it is.
    pub place: Place,
    /// Rows in all, once known.
    pub total: Option<u64>,
    /// Requests made.
    pub requests: u64,
    /// The file at that place; `None` while it has not begun.
    pub file: Option<FileState>,
    /// Bytes that belong to that state.
    pub bytes: u64,
    /// The keys of the answers, as they came; where no server tells the fields.
    pub keys: Vec<String>,
    /// Whether the person chose where the file stands.
    pub chosen: bool,
}

/// A place in the source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Place {
    /// Before everything.
    Start,
    /// Before the page of a cursor.
    Cursor(String),
    /// Behind a submission.
    After(Timestamp, SubmissionId),
    /// Before the submission of a number.
    Nth(usize),
    /// Behind everything.
    End,
}

/// What belongs to the bytes that were made sure of last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    place: Place,
    /// So many of the keys; they only become more.
    keys: usize,
}

impl Saved {
    /// Returns an export that has not begun.
    pub fn new(id: String, task: Task, began: Timestamp, chosen: bool) -> Self {
        let total = task.only.as_ref().map(|only| only.len() as u64).or(task.expected);
        Self {
            id,
            task,
            began,
            place: Place::Start,
            total,
            requests: 0,
            file: None,
            bytes: 0,
            keys: Vec::new(),
            chosen,
        }
    }

    /// Returns what belongs to the bytes that are made sure of at this moment.
    pub fn mark(&self) -> Mark {
        Mark { place: self.place.clone(), keys: self.keys.len() }
    }

    /// Goes back to where the bytes that were made sure of last end. Without any it begins anew.
    pub fn go_back(&mut self, mark: &Mark) {
        if self.file.is_none() {
            (self.place, self.bytes) = (Place::Start, 0);
            self.keys.clear();
        } else {
            self.place = mark.place.clone();
            self.keys.truncate(mark.keys);
        }
    }

    /// Takes in how many there are to write; what the page knew counts beside it.
    pub fn learn_total(&mut self, total: u64) {
        self.total = Some(self.total.unwrap_or_default().max(total));
    }

    /// Takes in how many the server lists.
    pub fn learn_listed(&mut self, listed: u64) {
        if self.task.only.is_none() {
            self.learn_total(listed);
        }
    }

    /// Whether the rows are gathered first, because no one else tells the columns.
    pub fn gathers(&self) -> bool {
        !self.task.managed && self.task.fields.is_empty() && self.task.format.is_table()
    }

    /// Notes the keys of a submission's answers.
    ///
    /// # Errors
    /// More keys than a table has columns for.
    pub fn note_keys(&mut self, row: &Submission) -> Result<(), Unwritable> {
        for key in row.answers.0.keys() {
            if !self.keys.contains(key) {
                if self.keys.len() == KEYS_MAX {
                    return Err(Unwritable::Keys(KEYS_MAX as u64));
                }
                self.keys.push(key.clone());
            }
        }
        Ok(())
    }

    /// Returns the fields of the form: the server's, or those that the answers told of.
    pub fn fields(&self) -> Vec<Field> {
        let field = |(n, key): (usize, &String)| {
            let (key, name) = (key.clone(), key.clone());
            let id = format!("fld_{}", n + 1).parse().ok()?;
            Some(Field { id, key, name, kind: FieldType::Text, hidden: false })
        };
        if self.gathers() {
            return self.keys.iter().enumerate().filter_map(field).collect();
        }
        self.task.fields.clone()
    }
}

/// Which rows of the source are written.
#[derive(Debug)]
pub struct Wanted {
    only: Option<HashSet<SubmissionId>>,
}

impl Wanted {
    /// Returns those of a task.
    pub fn of(task: &Task) -> Self {
        let only = task.only.clone().map(|only| only.into_iter().collect());
        Self { only }
    }

    /// Whether a row is one of them.
    pub fn has(&self, id: &SubmissionId) -> bool {
        self.only.as_ref().is_none_or(|only| only.contains(id))
    }

    /// Whether so many are all of them, so that no more need be looked for.
    pub fn are_all(&self, written: u64) -> bool {
        self.only.as_ref().is_some_and(|only| written >= only.len() as u64)
    }
}

/// Whether a row stands behind a place, where rows come newest first and ids break ties.
pub fn is_behind(place: &Place, row: &Submission) -> bool {
    match place {
        Place::After(at, id) => (row.metadata.submitted_at, row.id.as_str()) < (*at, id.as_str()),
        _ => true,
    }
}

/// What was written lately, by which a row that comes twice is known. Bounded, so that memory
/// stays flat: a server that lets arrivals shift its pages repeats rows of the page before.
#[derive(Debug, Default)]
pub struct Recent {
    ids: HashSet<SubmissionId>,
    order: VecDeque<SubmissionId>,
}

impl Recent {
    /// Most ids that are kept.
    const IDS_MAX: usize = 2000;

    /// Notes an id; false where it was noted lately.
    pub fn is_new(&mut self, id: &SubmissionId) -> bool {
        if !self.ids.insert(id.clone()) {
            return false;
        }
        self.order.push_back(id.clone());
        if self.order.len() > Self::IDS_MAX
            && let Some(oldest) = self.order.pop_front()
        {
            self.ids.remove(&oldest);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(id: &str, at: &str) -> Submission {
        serde_json::from_value(serde_json::json!({
            "id": id, "form_id": "frm_1", "metadata": { "submitted_at": at },
        }))
        .unwrap()
    }

    fn saved(task: &serde_json::Value) -> Saved {
        let mut whole = serde_json::json!({
            "account": "acc_1", "environment": "live", "form": "frm_1", "fields": [],
            "managed": false, "query": "", "only": null, "format": "csv",
            "safe": true, "left_out": [], "zone": "utc", "plan": "free", "expected": null,
            "name": "a.csv",
        });
        let members = task.as_object().unwrap().clone();
        whole.as_object_mut().unwrap().extend(members);
        let task = serde_json::from_value(whole).unwrap();
        let began = Timestamp::parse("2026-03-01").unwrap();
        Saved::new("own".to_owned(), task, began, false)
    }

    #[test]
    fn what_was_not_made_sure_of_is_gone_back_behind() {
        let mut saved = saved(&serde_json::json!({}));
        let (began, mark) = (saved.clone(), saved.mark());
        let later = |saved: &mut Saved, cursor: &str| {
            saved.place = Place::Cursor(cursor.to_owned());
            saved.keys.push(cursor.to_owned());
        };
        later(&mut saved, "a");
        saved.go_back(&mark);
        assert_eq!(saved, began);
        later(&mut saved, "a");
        saved.file = serde_json::from_value(serde_json::json!({ "rows": 100, "xlsx": null })).ok();
        saved.bytes = 5000;
        let (sure, mark) = (saved.clone(), saved.mark());
        assert!(sure.file.is_some());
        later(&mut saved, "b");
        saved.go_back(&mark);
        assert_eq!(saved, sure);
    }

    #[test]
    fn of_a_selection_its_ids_are_wanted_and_counted() {
        let only = serde_json::json!({ "only": ["sub_1", "sub_2"] });
        let mut saved = saved(&only);
        let wanted = Wanted::of(&saved.task);
        let has = |id: &str| wanted.has(&id.parse().unwrap());
        assert!(has("sub_1") && has("sub_2") && !has("sub_3"));
        assert!(!wanted.are_all(1) && wanted.are_all(2));
        saved.learn_listed(400);
        assert_eq!(saved.total, Some(2), "how many the list has says nothing of it");
    }

    #[test]
    fn the_server_may_tell_of_more_than_the_page_knew() {
        let mut saved = saved(&serde_json::json!({ "expected": 10 }));
        saved.learn_listed(8);
        assert_eq!(saved.total, Some(10));
        saved.learn_listed(12);
        assert_eq!(saved.total, Some(12));
    }

    /// It named the columns that were kept, of which some were forgotten.
    #[test]
    fn a_note_of_before_is_not_gone_on_with() {
        let mut note = serde_json::to_value(saved(&serde_json::json!({}))).unwrap();
        assert!(serde_json::from_value::<Saved>(note.clone()).is_ok());
        let task = note["task"].as_object_mut().unwrap();
        task.remove("left_out");
        task.insert("columns".to_owned(), serde_json::json!(["submission_id"]));
        assert!(serde_json::from_value::<Saved>(note).is_err());
    }

    #[test]
    fn what_comes_behind_a_place_is_older_or_has_a_lesser_id() {
        let at = Timestamp::parse("2026-03-01").unwrap();
        let place = Place::After(at, "sub_5".parse().unwrap());
        let check = |id: &str, time: &str, behind: bool| {
            assert_eq!(is_behind(&place, &row(id, time)), behind, "{id} {time}");
        };
        check("sub_5", "2026-03-01", false);
        check("sub_6", "2026-03-01", false);
        check("sub_4", "2026-03-01", true);
        check("sub_9", "2026-02-28", true);
        check("sub_1", "2026-03-01T00:00:00.000001Z", false);
        assert!(is_behind(&Place::Start, &row("sub_1", "2026-03-01")));
    }

    #[test]
    fn a_row_that_comes_again_is_known_for_a_while() {
        let mut recent = Recent::default();
        let id = |n: usize| -> SubmissionId { format!("sub_{n}").parse().unwrap() };
        for n in 0..Recent::IDS_MAX {
            assert!(recent.is_new(&id(n)));
        }
        assert!(!recent.is_new(&id(0)));
        assert!(recent.is_new(&id(Recent::IDS_MAX)));
        assert!(recent.is_new(&id(0)), "the oldest is let go");
        assert_eq!(recent.order.len(), recent.ids.len());
    }
}
