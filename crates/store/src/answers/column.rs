//! The answers to one field of many submissions, as a column in memory, for filters by field.

use super::{answer_texts, for_each_answer};
use crate::Result;
use crate::columns::END_OF_VALUE;
use contract::filter::{AnswerMatcher, FieldCriteria};
use contract::{Answers, Sort};
use memchr::memmem::Finder;

/// Stands for an answer that has not been read yet. Texts never contain this byte.
const UNREAD: &[u8] = &[0xfe];

/// Content of a column: the answers with a key, case-folded or as they are.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ColumnKey {
    /// The key of the answers.
    pub key: String,
    /// Whether the texts are case-folded.
    pub is_folded: bool,
}

impl ColumnKey {
    /// Returns the columns that criteria need; `None` if they are not resolved.
    pub fn of(criteria: &FieldCriteria) -> Option<Vec<Self>> {
        let mut keys: Vec<Self> = criteria.matchers()?.iter().map(Self::of_matcher).collect();
        keys.dedup();
        Some(keys)
    }

    /// Returns the column of an order; `None` if it is not by a field, or not resolved.
    pub fn of_sort(sort: &Sort) -> Option<Self> {
        Some(Self { key: sort.answer_key()?.to_owned(), is_folded: sort.compares_folded() })
    }

    /// Returns the texts of the column's answer among answers.
    pub fn texts_of(&self, answers: &Answers) -> Vec<u8> {
        let answer = answers.0.get(&self.key);
        answer.map(|answer| answer_texts(answer, self.is_folded)).unwrap_or_default()
    }

    fn of_matcher(matcher: &AnswerMatcher<'_>) -> Self {
        Self { key: matcher.key().to_owned(), is_folded: matcher.compares_folded() }
    }
}

/// Returns the texts of each column's answer in the JSON of a submission.
///
/// # Errors
/// If the JSON is not a submission.
pub fn read_texts(json: &str, columns: &[ColumnKey]) -> Result<Vec<Vec<u8>>> {
    let mut all_texts = vec![Vec::new(); columns.len()];
    let is_wanted = |key: &str| columns.iter().any(|column| column.key == key);
    for_each_answer(json, is_wanted, |key, answer| {
        for (column, texts) in columns.iter().zip(&mut all_texts) {
            if column.key == key {
                *texts = answer_texts(answer, column.is_folded);
            }
        }
    })?;
    Ok(all_texts)
}

/// The texts of the answers of consecutive rows, each text with [`END_OF_VALUE`].
#[derive(Debug, Default)]
pub struct AnswerColumn {
    /// End offset of each row in `texts`.
    ends: Vec<u32>,
    texts: Vec<u8>,
}

impl AnswerColumn {
    /// Returns a column of unread answers.
    pub fn unread(rows: usize) -> Self {
        let ends = (1..=rows).map(|end| u32::try_from(end).unwrap_or_default()).collect();
        Self { ends, texts: UNREAD.repeat(rows) }
    }

    /// Returns the size in memory, in bytes.
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + self.ends.capacity() * size_of::<u32>() + self.texts.capacity()
    }

    /// Returns the texts of a row.
    pub fn texts(&self, row: usize) -> impl Iterator<Item = &str> {
        let texts = self.row(row).split_inclusive(|byte| *byte == END_OF_VALUE);
        // They were texts when they were added.
        texts.map(|it| std::str::from_utf8(&it[..it.len() - 1]).unwrap_or_default())
    }

    /// Returns the texts of a row as they were inserted.
    pub fn row(&self, row: usize) -> &[u8] {
        &self.texts[self.range(row)]
    }

    /// Inserts a row at an index.
    pub fn insert(&mut self, row: usize, texts: &[u8]) {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.ends.insert(row, start);
        self.set(row, texts);
    }

    /// Replaces the texts of a row.
    pub fn set(&mut self, row: usize, texts: &[u8]) {
        let range = self.range(row);
        let before = self.ends[row];
        let end = u32::try_from(range.start + texts.len()).unwrap_or_default();
        self.texts.splice(range, texts.iter().copied());
        self.ends[row..].iter_mut().for_each(|it| *it = *it - before + end);
    }

    /// Removes a row.
    pub fn remove(&mut self, row: usize) {
        self.set(row, &[]);
        self.ends.remove(row);
    }

    /// Splits off the rows from an index on.
    #[must_use]
    pub fn split_off(&mut self, row: usize) -> Self {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        let ends = self.ends.split_off(row).into_iter().map(|end| end - start).collect();
        Self { ends, texts: self.texts.split_off(start as usize) }
    }

    /// Ends the reading. Frees unused memory, and returns whether all answers are read.
    pub fn finish(&mut self) -> bool {
        self.texts.shrink_to_fit();
        self.ends.shrink_to_fit();
        (0..self.ends.len()).all(|row| self.row(row) != UNREAD)
    }

    fn range(&self, row: usize) -> std::ops::Range<usize> {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        start as usize..self.ends[row] as usize
    }
}

/// The criteria of a filter, with the index of their columns.
#[derive(Debug)]
pub struct ColumnMatchers<'a> {
    /// `None` if a column is missing. Then no row matches.
    matchers: Option<Vec<ColumnMatcher<'a>>>,
}

#[derive(Debug)]
struct ColumnMatcher<'a> {
    column: usize,
    matcher: AnswerMatcher<'a>,
    /// Finds the text that a row contains if, and only if, it matches. Long texts are searched
    /// several times as fast as by the matcher.
    finder: Option<Finder<'static>>,
}

impl<'a> ColumnMatchers<'a> {
    /// Finds the columns of criteria. `find` returns the index of a column.
    pub fn new(criteria: &'a FieldCriteria, find: impl Fn(&ColumnKey) -> Option<usize>) -> Self {
        let with_column = |matcher: AnswerMatcher<'a>| {
            let column = find(&ColumnKey::of_matcher(&matcher))?;
            let text = matcher.contained_text().filter(|text| !text.is_empty());
            let finder = text.map(|text| Finder::new(text).into_owned());
            Some(ColumnMatcher { column, matcher, finder })
        };
        let matchers = criteria.matchers();
        Self { matchers: matchers.and_then(|all| all.into_iter().map(with_column).collect()) }
    }

    /// Returns whether the answers of a row match, given all columns.
    pub fn matches(&self, columns: &[AnswerColumn], row: usize) -> bool {
        self.matchers.as_ref().is_some_and(|all| {
            all.iter().all(|ColumnMatcher { column, matcher, finder }| match finder {
                // A text has no `END_OF_VALUE`, so it is not found across two texts of a row.
                Some(finder) => finder.find(columns[*column].row(row)).is_some(),
                None => matcher.matches_texts(columns[*column].texts(row)),
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::{Field, FieldType, ListQuery};
    use serde_json::json;

    #[test]
    fn columns_match_as_answers_do() {
        let field = |id: &str, kind: FieldType| -> Field {
            let field = json!({"id": id, "key": "a", "name": "A", "type": kind});
            serde_json::from_value(field).unwrap()
        };
        let fields = [field("fld_t", FieldType::Text), field("fld_n", FieldType::Number)];
        let answers = [json!(null), json!("Straße 12"), json!(["ab", "cd"]), json!(12), json!(" ")];
        for query in [
            "fld_t=contains:STRASSE",
            "fld_t=contains:bc",
            "fld_t=contains:cd",
            "fld_t=contains:12",
            "fld_t=eq:ab",
            "fld_t=ne:ab",
            "fld_t=empty",
            "fld_n=contains:1",
            "fld_n=gte:12",
            "fld_t=contains:1&fld_n=lte:12",
        ] {
            let mut criteria = ListQuery::parse(query).unwrap().filter.fields;
            criteria.resolve(&fields).unwrap();
            let keys = ColumnKey::of(&criteria).unwrap();
            let find = |key: &ColumnKey| keys.iter().position(|it| it == key);
            let matchers = ColumnMatchers::new(&criteria, find);
            for answer in &answers {
                let json = json!({ "answers": { "a": answer } });
                let mut columns: Vec<_> = keys.iter().map(|_| AnswerColumn::default()).collect();
                let texts = read_texts(&json.to_string(), &keys).unwrap();
                for (column, texts) in columns.iter_mut().zip(&texts) {
                    column.insert(0, texts);
                }
                let answers: Answers = serde_json::from_value(json["answers"].clone()).unwrap();
                let expected = criteria.matches(&answers);
                assert_eq!(matchers.matches(&columns, 0), expected, "{query} {answer}");
            }
        }
    }
}
