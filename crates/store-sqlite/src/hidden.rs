//! Hidden submissions: rows of unfinished imports, which are in the table but not visible yet.

use crate::query;
use rusqlite::Connection;
use store::Result;

/// Condition that restricts a statement over submissions `s` to visible ones. Only needed if
/// [`has_unfinished_import`] returns `true`.
pub(super) const VISIBLE_SQL: &str = " AND NOT EXISTS (SELECT 1 FROM hidden AS h \
     CROSS JOIN imports AS i ON i.seq = h.import \
     WHERE h.form = s.form AND h.submitted_at = s.submitted_at AND h.id = s.id)";

/// Whether a form has an unfinished import.
pub(super) fn has_unfinished_import(conn: &Connection, form: i64) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM imports WHERE form = ?)";
    query::one(conn, sql, [form], |row| row.get(0))
}
