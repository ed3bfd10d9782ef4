//! Builds statements over a range of submissions: a time range of a form with UTM values, or one
//! row.
//!
//! For each combination of values, one index finds, orders and counts the rows. The statements name
//! this index, so that the query planner cannot choose a slower one.

use super::hidden;
use contract::{Filter, Timestamp};
use rusqlite::{Connection, Row, ToSql, params_from_iter};
use store::columns::{database_error, stored_submission};
use store::pages::PageBuilder;
use store::{Position, Result};

/// Selects columns of one row by its key: form, instant and id. `NOT INDEXED` prevents SQLite from
/// searching the index of ids first.
macro_rules! row_sql {
    ($columns:literal) => {
        concat!(
            "SELECT ",
            $columns,
            " FROM submissions NOT INDEXED WHERE form = ? AND submitted_at = ? AND id = ?"
        )
    };
}
pub(super) use row_sql;

/// Condition for the read state of a member: the opposite of the default if there is a mark. The
/// parameters are the instant from which the default is unread, the member, and the state.
const READ_SQL: &str = " AND ((s.submitted_at < ?) <> EXISTS (SELECT 1 FROM read_marks AS r
    WHERE r.form = s.form AND r.submitted_at = s.submitted_at AND r.submission = s.id
      AND r.person = ?)) = ?";

/// Number of notes about a submission.
macro_rules! notes_sql {
    ($submissions:literal) => {
        concat!(
            "(SELECT COUNT(*) FROM notes AS n WHERE n.form = ",
            $submissions,
            ".form AND n.submitted_at = ",
            $submissions,
            ".submitted_at AND n.submission = ",
            $submissions,
            ".id)"
        )
    };
}
pub(super) use notes_sql;

/// The rows of a form from an instant up to a key, with these UTM values.
pub(super) struct SubmissionRange<'a> {
    form: i64,
    from: i64,
    before: (i64, &'a str),
    utm: Vec<(UtmColumn, &'a str)>,
    read: Option<RequiredReadState<'a>>,
    some_are_hidden: bool,
}

/// A required read state.
struct RequiredReadState<'a> {
    is_read: bool,
    person: &'a str,
    /// Microseconds since the epoch, UTC.
    unread_from: i64,
}

/// A UTM column. The order is from the most selective to the least.
#[derive(Clone, Copy)]
enum UtmColumn {
    Campaign,
    Source,
    Medium,
}

impl UtmColumn {
    fn index(self) -> &'static str {
        match self {
            Self::Campaign => "submissions_by_campaign",
            Self::Source => "submissions_by_source",
            Self::Medium => "submissions_by_medium",
        }
    }

    fn condition(self) -> &'static str {
        match self {
            Self::Campaign => " AND s.utm_campaign = ?",
            Self::Source => " AND s.utm_source = ?",
            Self::Medium => " AND s.utm_medium = ?",
        }
    }
}

impl<'a> SubmissionRange<'a> {
    /// Returns the rows that match the dates and UTM values of a filter, after `after`. With
    /// `some_are_hidden`, excludes rows of unfinished imports.
    pub(super) fn new(
        form: i64,
        filter: &'a Filter,
        after: Option<&'a Position>,
        some_are_hidden: bool,
    ) -> Self {
        // No id sorts before the empty string, so (instant, "") is before all rows of the instant.
        let date_to = (filter.date_to.map_or(i64::MAX, Timestamp::micros), "");
        let after = after.map(|place| (place.submitted_at.micros(), place.id.as_str()));
        let utm = [
            (UtmColumn::Campaign, &filter.utm_campaign),
            (UtmColumn::Source, &filter.utm_source),
            (UtmColumn::Medium, &filter.utm_medium),
        ];
        Self {
            form,
            from: filter.date_from.map_or(i64::MIN, Timestamp::micros),
            before: after.map_or(date_to, |after| after.min(date_to)),
            utm: utm
                .into_iter()
                .filter_map(|(utm, value)| value.as_deref().map(|value| (utm, value)))
                .collect(),
            read: filter.required_read_state().map(|(is_read, reader)| RequiredReadState {
                is_read,
                person: reader.person.as_str(),
                unread_from: reader.unread_from.micros(),
            }),
            some_are_hidden,
        }
    }

    /// Returns the statement that reads the rows, newest first: instant, id, JSON and triage.
    pub(super) fn page_sql(&self) -> String {
        self.select_sql("")
    }

    /// As [`SubmissionRange::page_sql`], with the number of notes as the last column.
    pub(super) fn page_with_notes_sql(&self) -> String {
        self.select_sql(concat!(", ", notes_sql!("s")))
    }

    fn select_sql(&self, more_columns: &str) -> String {
        let index = self.index().map(|index| format!(" INDEXED BY {index}")).unwrap_or_default();
        let rows = self.where_sql();
        format!(
            "SELECT s.submitted_at, s.id, s.json, s.triage{more_columns} \
             FROM submissions AS s{index}{rows} \
             ORDER BY s.submitted_at DESC, s.id DESC LIMIT ?"
        )
    }

    /// Returns the statement that reads the keys of the rows, newest first.
    pub(super) fn keys_sql(&self) -> String {
        let index = self.index().unwrap_or("submissions_by_time");
        let rows = self.where_sql();
        format!(
            "SELECT s.submitted_at, s.id FROM submissions AS s INDEXED BY {index}{rows} \
             ORDER BY s.submitted_at DESC, s.id DESC LIMIT ?"
        )
    }

    /// Returns the statement that counts the rows.
    pub(super) fn count_sql(&self) -> String {
        let index = self.index().unwrap_or("submissions_by_time");
        format!("SELECT COUNT(*) FROM submissions AS s INDEXED BY {index}{}", self.where_sql())
    }

    /// Returns the statement that reads the searched texts of the rows, newest first.
    pub(super) fn text_sql(&self) -> String {
        let rows = self.where_sql();
        let from = match self.index() {
            None => format!("SELECT s.submitted_at, s.id, s.text FROM submission_texts AS s{rows}"),
            // In SQLite, `CROSS JOIN` fixes the order of the join.
            Some(index) => format!(
                "SELECT s.submitted_at, s.id, t.text FROM submissions AS s INDEXED BY {index} \
                 CROSS JOIN submission_texts AS t \
                 ON t.form = s.form AND t.submitted_at = s.submitted_at AND t.id = s.id{rows}"
            ),
        };
        format!("{from} ORDER BY s.submitted_at DESC, s.id DESC")
    }

    /// Returns the parameters of the statements, in order.
    pub(super) fn params(&self) -> Vec<&dyn ToSql> {
        let mut params: Vec<&dyn ToSql> = vec![&self.form, &self.from, &self.before.0];
        if self.is_after_key() {
            params.push(&self.before.1);
        }
        params.extend(self.utm.iter().map(|(_, value)| value as &dyn ToSql));
        if let Some(RequiredReadState { is_read, person, unread_from }) = &self.read {
            params.extend([unread_from as &dyn ToSql, person, is_read]);
        }
        params
    }

    fn index(&self) -> Option<&'static str> {
        self.utm.first().map(|(utm, _)| utm.index())
    }

    fn is_after_key(&self) -> bool {
        !self.before.1.is_empty()
    }

    fn where_sql(&self) -> String {
        let mut sql = String::from(" WHERE s.form = ? AND s.submitted_at >= ?");
        sql.push_str(if self.is_after_key() {
            " AND (s.submitted_at, s.id) < (?, ?)"
        } else {
            // Equivalent without an id, and counts twice as fast.
            " AND s.submitted_at < ?"
        });
        self.utm.iter().for_each(|(utm, _)| sql.push_str(utm.condition()));
        if self.read.is_some() {
            sql.push_str(READ_SQL);
        }
        if self.some_are_hidden {
            sql.push_str(hidden::VISIBLE_SQL);
        }
        sql
    }
}

/// Returns the visible rows of a form that match a filter without its search, after `after`.
pub(super) fn visible_range<'a>(
    conn: &Connection,
    form: i64,
    filter: &'a Filter,
    after: Option<&'a Position>,
) -> Result<SubmissionRange<'a>> {
    Ok(SubmissionRange::new(form, filter, after, hidden::has_unfinished_import(conn, form)?))
}

/// Key of a submission: instant and id.
pub(super) type ListKey = (i64, String);

/// Returns the key in the first two columns of a row.
pub(super) fn row_key(row: &Row<'_>) -> Result<ListKey> {
    let key = row.get(0).and_then(|at| Ok((at, row.get(1)?)));
    key.map_err(database_error)
}

/// Reads the first rows of a range until the page is full.
pub(super) fn read_page(
    conn: &Connection,
    range: &SubmissionRange<'_>,
    found: &mut PageBuilder,
) -> Result<()> {
    let mut page = conn.prepare_cached(&range.page_sql()).map_err(database_error)?;
    let limit = i64::try_from(found.remaining_rows()).unwrap_or(i64::MAX);
    let mut params = range.params();
    params.push(&limit);
    let mut rows = page.query(params_from_iter(params)).map_err(database_error)?;
    while !found.is_full()
        && let Some(row) = rows.next().map_err(database_error)?
    {
        let (submitted_at, id) = row_key(row)?;
        let json = row.get(2).map_err(database_error)?;
        found.push(stored_submission(submitted_at, id, json)?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::migrate::{MIGRATIONS, migrate};
    use rusqlite::{Connection, params_from_iter};
    use std::path::Path;

    fn plan(conn: &Connection, sql: &str, range: &SubmissionRange<'_>) -> String {
        let mut params = range.params();
        if sql.ends_with("LIMIT ?") {
            params.push(&20);
        }
        let mut plan = conn.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let steps = plan.query_map(params_from_iter(params), |row| row.get::<_, String>(3));
        steps.unwrap().map(Result::unwrap).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn statements_search_an_ordered_index() {
        let mut conn = Connection::open_in_memory().unwrap();
        migrate(Path::new("memory"), &mut conn, MIGRATIONS).unwrap();
        for bits in 0..8 {
            let utm = |bit: u8| (bits & bit != 0).then(|| "x".to_owned());
            let filter = Filter {
                utm_source: utm(1),
                utm_medium: utm(2),
                utm_campaign: utm(4),
                ..Filter::default()
            };
            let at = Timestamp::from_micros(5).unwrap();
            let place = Position { submitted_at: at, id: "sub_1".parse().unwrap() };
            for (after, hidden) in [(None, false), (Some(&place), false), (Some(&place), true)] {
                let range = SubmissionRange::new(1, &filter, after, hidden);
                for sql in [
                    range.page_sql(),
                    range.page_with_notes_sql(),
                    range.keys_sql(),
                    range.count_sql(),
                    range.text_sql(),
                ] {
                    let plan = plan(&conn, &sql, &range);
                    let is_slow = plan.contains("TEMP B-TREE") || plan.contains("SCAN");
                    assert!(!is_slow, "{sql}: {plan}");
                    assert!(plan.contains("submitted_at>? AND "), "{sql}: {plan}");
                }
                let count = plan(&conn, &range.count_sql(), &range);
                assert!(count.contains("COVERING INDEX"), "{count}");
            }
        }
    }

    #[test]
    fn row_is_found_by_primary_key() {
        let mut conn = Connection::open_in_memory().unwrap();
        migrate(Path::new("memory"), &mut conn, MIGRATIONS).unwrap();
        let sql = format!("EXPLAIN QUERY PLAN {}", row_sql!("json"));
        let plan: String = conn.query_row(&sql, (1, 1, "x"), |row| row.get(3)).unwrap();
        let key = "PRIMARY KEY (form=? AND submitted_at=? AND id=?)";
        assert_eq!(plan, format!("SEARCH submissions USING {key}"));
    }

    #[test]
    fn position_never_widens_the_dates() {
        let at = |micros| Timestamp::from_micros(micros).unwrap();
        let filter = Filter { date_to: Some(at(5)), ..Filter::default() };
        let place = |micros| Position { submitted_at: at(micros), id: "sub_1".parse().unwrap() };
        let later = place(5);
        let earlier = place(4);
        assert_eq!(SubmissionRange::new(1, &filter, Some(&later), false).before, (5, ""));
        assert_eq!(SubmissionRange::new(1, &filter, Some(&earlier), false).before, (4, "sub_1"));
    }
}
