//! Hidden submissions: rows of unfinished imports, which are in the table but not visible yet.

use rusqlite::Connection;
use store::Result;
use store::columns::database_error;

/// Condition that restricts a statement over submissions `s` to visible ones. Only needed if
/// [`has_unfinished_import`] returns `true`.
pub(super) const VISIBLE_SQL: &str = " AND NOT EXISTS (SELECT 1 FROM hidden AS h \
     CROSS JOIN imports AS i ON i.seq = h.import \
     WHERE h.form = s.form AND h.submitted_at = s.submitted_at AND h.id = s.id)";

/// Whether a form has an unfinished import.
pub(super) fn has_unfinished_import(conn: &Connection, form: i64) -> Result<bool> {
    conn.prepare_cached("SELECT EXISTS (SELECT 1 FROM imports WHERE form = ?)")
        .and_then(|mut any| any.query_row([form], |row| row.get(0)))
        .map_err(database_error)
}
