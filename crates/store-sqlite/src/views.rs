//! [`ViewStore`] for SQLite.

use super::{SqliteStore, erase_traces, forms, insertion_error, people, query};
use async_trait::async_trait;
use contract::notification::check_notified_view;
use contract::view::{DatePreset, VIEWS_MAX, ViewChange};
use contract::{FormId, PersonId, View, ViewId, fold::fold};
use rusqlite::{Connection, Row};
use store::columns::parse_count;
use store::views::{ViewColumns, ViewError, ViewKey, ViewStore};
use store::{Result, StoreError};

/// Selects the columns of [`ViewColumns`] of a form's views, in order.
const SELECT: &str = "SELECT v.id, v.name, v.query, v.dates, v.columns, v.person IS NULL,
    v.is_default, v.created_at FROM forms AS f JOIN saved_views AS v ON v.form = f.seq";
/// Condition for the views of the form `?1` that the member `?2` has.
const IS_VISIBLE: &str = "f.id = ?1 AND (v.person IS NULL OR v.person = ?2)";

#[async_trait]
impl ViewStore for SqliteStore {
    async fn list_views(&self, form: &FormId, person: &PersonId) -> Result<Vec<View>> {
        self.readers.read_statement(|conn| list(conn, form, person)).await
    }

    async fn find_view(&self, key: &ViewKey) -> Result<Option<View>> {
        self.readers.read_statement(|conn| find(conn, key)).await
    }

    async fn insert_view(&self, form: &FormId, person: &PersonId, view: View) -> Result<bool> {
        let (form, person) = (form.clone(), person.clone());
        self.writer.write(move |conn| insert(conn, &form, &person, &view)).await
    }

    async fn update_view(&self, key: &ViewKey, change: ViewChange) -> Result<Option<View>> {
        let key = key.clone();
        self.writer.write(move |conn| update(conn, &key, change)).await
    }

    async fn delete_view(&self, key: &ViewKey) -> Result<bool> {
        let key = key.clone();
        self.writer.write_when_full(move |conn| delete(conn, &key)).await
    }
}

fn list(conn: &Connection, form: &FormId, person: &PersonId) -> Result<Vec<View>> {
    let sql =
        format!("{SELECT} WHERE {IS_VISIBLE} ORDER BY v.person IS NOT NULL, v.name_folded, v.id");
    let rows: Vec<ViewColumns> =
        query::list(conn, &sql, (form.as_str(), person.as_str()), read_columns)?;
    rows.into_iter().map(View::try_from).collect()
}

fn find(conn: &Connection, key: &ViewKey) -> Result<Option<View>> {
    let params = (key.form.as_str(), key.person.as_str(), key.view.as_str());
    let sql = format!("{SELECT} WHERE {IS_VISIBLE} AND v.id = ?3");
    let row = query::find(conn, &sql, params, read_columns)?;
    row.map(View::try_from).transpose()
}

/// Finds a shared view of a form.
pub(super) fn find_shared(conn: &Connection, form: &FormId, id: &ViewId) -> Result<Option<View>> {
    let sql = format!("{SELECT} WHERE f.id = ? AND v.person IS NULL AND v.id = ?");
    let row = query::find(conn, &sql, (form.as_str(), id.as_str()), read_columns)?;
    row.map(View::try_from).transpose()
}

/// Checks that a notification of a form can use a view.
pub(super) fn check_notified(conn: &Connection, form: &FormId, id: &ViewId) -> Result<()> {
    check_notified_view(id, find_shared(conn, form, id)?.as_ref())
        .map_err(|problem| StoreError::View(ViewError::Unusable(problem)))
}

/// Checks that no notification uses a view.
fn check_unused(conn: &Connection, id: &ViewId) -> Result<()> {
    let sql = "SELECT COUNT(*) FROM notifications
               WHERE form = (SELECT form FROM saved_views WHERE id = ?1) AND view = ?1";
    let count = query::one(conn, sql, [id.as_str()], |row| row.get(0))?;
    match parse_count(count)? {
        0 => Ok(()),
        count => Err(StoreError::View(ViewError::InUse(count))),
    }
}

fn read_columns(row: &Row<'_>) -> rusqlite::Result<ViewColumns> {
    Ok(ViewColumns {
        id: row.get(0)?,
        name: row.get(1)?,
        query: row.get(2)?,
        dates: row.get(3)?,
        columns: row.get(4)?,
        shared: row.get(5)?,
        is_default: row.get(6)?,
        created_at: row.get(7)?,
    })
}

fn insert(conn: &Connection, form: &FormId, person: &PersonId, view: &View) -> Result<bool> {
    let Some(form) = forms::find_seq(conn, form)? else { return Ok(false) };
    if people::find(conn, person)?.is_none() {
        return Ok(false);
    }
    let owner = (!view.shared).then_some(person.as_str());
    check_count(conn, form, owner)?;
    unset_other_defaults(conn, form, owner, view)?;
    let columns = (
        view.id.as_str(),
        form,
        owner,
        &view.name,
        fold(&view.name),
        &view.query,
        view.dates.map(DatePreset::name),
        &view.columns,
        view.is_default,
        view.created_at.micros(),
    );
    conn.execute(
        "INSERT INTO saved_views (id, form, person, name, name_folded, query, dates, columns,
           is_default, created_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        columns,
    )
    .map(|_| true)
    .map_err(|error| insertion_error(error, || format!("a view `{}`", view.name)))
}

fn update(conn: &Connection, key: &ViewKey, change: ViewChange) -> Result<Option<View>> {
    let Some(mut view) = find(conn, key)? else { return Ok(None) };
    let Some(form) = forms::find_seq(conn, &key.form)? else { return Ok(None) };
    let was_shared = view.shared;
    change.apply(&mut view);
    if check_notified_view(&view.id, Some(&view)).is_err() {
        check_unused(conn, &view.id)?;
    }
    let owner = (!view.shared).then_some(key.person.as_str());
    if view.shared != was_shared {
        check_count(conn, form, owner)?;
    }
    unset_other_defaults(conn, form, owner, &view)?;
    let columns = (
        view.id.as_str(),
        owner,
        &view.name,
        fold(&view.name),
        &view.query,
        view.dates.map(DatePreset::name),
        &view.columns,
        view.is_default,
    );
    conn.execute(
        "UPDATE saved_views SET person = ?2, name = ?3, name_folded = ?4, query = ?5, dates = ?6,
           columns = ?7, is_default = ?8 WHERE id = ?1",
        columns,
    )
    .map_err(|error| insertion_error(error, || format!("a view `{}`", view.name)))?;
    erase_traces::request_erasure(conn)?;
    Ok(Some(view))
}

fn delete(conn: &Connection, key: &ViewKey) -> Result<bool> {
    if find(conn, key)?.is_none() {
        return Ok(false);
    }
    check_unused(conn, &key.view)?;
    let sql = "DELETE FROM saved_views WHERE id = ?3 AND (person IS NULL OR person = ?2)
                 AND form = (SELECT seq FROM forms WHERE id = ?1)";
    let params = (key.form.as_str(), key.person.as_str(), key.view.as_str());
    let deleted = query::execute(conn, sql, params)?;
    erase_traces::request_erasure(conn)?;
    Ok(deleted > 0)
}

/// Checks that a form can have one more view of a member, or one more shared one.
fn check_count(conn: &Connection, form: i64, owner: Option<&str>) -> Result<()> {
    let sql = "SELECT COUNT(*) FROM saved_views WHERE form = ? AND person IS ?";
    let count: u32 = query::one(conn, sql, (form, owner), |row| row.get(0))?;
    if (count as usize) < VIEWS_MAX { Ok(()) } else { Err(StoreError::TooManyViews) }
}

/// If a view is the default, makes it the only one in its scope.
fn unset_other_defaults(
    conn: &Connection,
    form: i64,
    owner: Option<&str>,
    view: &View,
) -> Result<()> {
    let sql = "UPDATE saved_views SET is_default = 0
               WHERE form = ? AND person IS ? AND id <> ? AND ?";
    query::execute(conn, sql, (form, owner, view.id.as_str(), view.is_default)).map(drop)
}
