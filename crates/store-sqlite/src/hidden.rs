//! Submissions of imports that are under way: they are in the table, and nobody may see them yet.

use rusqlite::Connection;
use store::Result;
use store::columns::database;

/// What narrows a statement over submissions `s` to those that are to be seen. Only needed where
/// [`is_under_way`].
pub(super) const SEEN: &str = " AND NOT EXISTS (SELECT 1 FROM hidden AS h \
     CROSS JOIN imports AS i ON i.seq = h.import \
     WHERE h.form = s.form AND h.submitted_at = s.submitted_at AND h.id = s.id)";

/// Returns whether a form has submissions that nobody may see yet.
pub(super) fn is_under_way(conn: &Connection, form: i64) -> Result<bool> {
    conn.prepare_cached("SELECT EXISTS (SELECT 1 FROM imports WHERE form = ?)")
        .and_then(|mut any| any.query_row([form], |row| row.get(0)))
        .map_err(database)
}
