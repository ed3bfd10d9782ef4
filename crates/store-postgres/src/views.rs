//! [`ViewStore`] for PostgreSQL.
//!
//! A write locks the member, because a row of theirs refers to them, and then the form.

use super::query::{insert_error, read_column};
use super::text_encoding::{decode, encode};
use super::{PostgresStore, forms, query};
use async_trait::async_trait;
use contract::notification::check_notified_view;
use contract::view::{DatePreset, VIEWS_MAX, ViewChange};
use contract::{FormId, PersonId, View, ViewId, fold::fold};
use deadpool_postgres::{GenericClient, Transaction};
use store::columns::parse_count;
use store::views::{ViewColumns, ViewError, ViewKey, ViewStore};
use store::{Result, StoreError};
use tokio_postgres::Row;

/// Selects the columns that [`read_view`] reads, of the views of the form `$1` that the member `$2`
/// has.
macro_rules! select_views {
    ($rest:literal) => {
        concat!(
            "SELECT id, name, query, dates, columns, person IS NULL, is_default, created_at
             FROM saved_views WHERE form_id = $1 AND (person IS NULL OR person = $2) ",
            $rest
        )
    };
}

#[async_trait]
impl ViewStore for PostgresStore {
    async fn list_views(&self, form: &FormId, person: &PersonId) -> Result<Vec<View>> {
        let conn = self.connections.get().await?;
        let sql = select_views!("ORDER BY person IS NOT NULL, name_folded, id");
        let rows = query::fetch_rows(&conn, sql, &[&form.as_str(), &person.as_str()]).await?;
        rows.iter().map(read_view).collect()
    }

    async fn find_view(&self, key: &ViewKey) -> Result<Option<View>> {
        find(&self.connections.get().await?, key).await
    }

    async fn insert_view(&self, form: &FormId, person: &PersonId, view: View) -> Result<bool> {
        let mut conn = self.connections.get().await?;
        let tx = self.begin_write(&mut conn).await?;
        let done = insert(&tx, form, person, &view).await?;
        tx.commit_audited(done).await
    }

    async fn update_view(&self, key: &ViewKey, change: ViewChange) -> Result<Option<View>> {
        let mut conn = self.connections.get().await?;
        let tx = self.begin_write(&mut conn).await?;
        let done = update(&tx, key, change).await?;
        tx.commit_audited(done).await
    }

    async fn delete_view(&self, key: &ViewKey) -> Result<bool> {
        let mut conn = self.connections.get().await?;
        let tx = self.begin_write(&mut conn).await?;
        let done = delete(&tx, key).await?;
        tx.commit_audited(done).await
    }
}

async fn find(conn: &impl GenericClient, key: &ViewKey) -> Result<Option<View>> {
    let sql = select_views!("AND id = $3");
    let values: query::Parameters<'_> =
        &[&key.form.as_str(), &key.person.as_str(), &key.view.as_str()];
    query::fetch_row(conn, sql, values).await?.as_ref().map(read_view).transpose()
}

/// Finds a shared view of a form.
pub(super) async fn find_shared(
    conn: &impl GenericClient,
    form: &FormId,
    id: &ViewId,
) -> Result<Option<View>> {
    // No member has an empty identifier.
    let sql = select_views!("AND person IS NULL AND id = $3");
    let values: query::Parameters<'_> = &[&form.as_str(), &"", &id.as_str()];
    query::fetch_row(conn, sql, values).await?.as_ref().map(read_view).transpose()
}

/// Checks that a notification of a form can use a view. The form's row is locked.
pub(super) async fn check_notified(tx: &Transaction<'_>, form: &FormId, id: &ViewId) -> Result<()> {
    check_notified_view(id, find_shared(tx, form, id).await?.as_ref())
        .map_err(|problem| StoreError::View(ViewError::Unusable(problem)))
}

/// Checks that no notification uses a view. The form's row is locked.
async fn check_unused(tx: &Transaction<'_>, form: &FormId, id: &ViewId) -> Result<()> {
    let sql = "SELECT count(*) FROM notifications WHERE form_id = $1 AND view = $2";
    let count = query::fetch_one(tx, sql, &[&form.as_str(), &id.as_str()]).await?;
    match parse_count(read_column(&count, 0)?)? {
        0 => Ok(()),
        count => Err(StoreError::View(ViewError::InUse(count))),
    }
}

fn read_view(row: &Row) -> Result<View> {
    ViewColumns {
        id: read_column(row, 0)?,
        name: decode(read_column(row, 1)?),
        query: read_column(row, 2)?,
        dates: read_column(row, 3)?,
        columns: decode(read_column(row, 4)?),
        shared: read_column(row, 5)?,
        is_default: read_column(row, 6)?,
        created_at: read_column(row, 7)?,
    }
    .try_into()
}

/// Locks a member and a form; `false` if one of them does not exist.
async fn lock(tx: &Transaction<'_>, form: &FormId, person: &PersonId) -> Result<bool> {
    let sql = "SELECT 1 FROM people WHERE id = $1 FOR KEY SHARE";
    let person = query::fetch_row(tx, sql, &[&person.as_str()]).await?;
    Ok(person.is_some() && forms::lock(tx, form).await?)
}

async fn insert(
    tx: &Transaction<'_>,
    form: &FormId,
    person: &PersonId,
    view: &View,
) -> Result<bool> {
    if !lock(tx, form, person).await? {
        return Ok(false);
    }
    let owner = (!view.shared).then_some(person.as_str());
    let form = form.as_str();
    check_count(tx, form, owner).await?;
    unset_other_defaults(tx, form, owner, view).await?;
    let folded = fold(&view.name);
    let sql = "INSERT INTO saved_views (id, form_id, person, name, name_folded, query, dates,
                 columns, is_default, created_at)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
    let values: query::Parameters<'_> = &[
        &view.id.as_str(),
        &form,
        &owner,
        &encode(&view.name),
        &encode(&folded),
        &view.query,
        &view.dates.map(DatePreset::name),
        &encode(&view.columns),
        &view.is_default,
        &view.created_at.micros(),
    ];
    query::execute_raw(tx, sql, values)
        .await
        .map(|_| true)
        .map_err(|error| insert_error(error, || format!("a view `{}`", view.name)))
}

async fn update(tx: &Transaction<'_>, key: &ViewKey, change: ViewChange) -> Result<Option<View>> {
    if !lock(tx, &key.form, &key.person).await? {
        return Ok(None);
    }
    let Some(mut view) = find(tx, key).await? else { return Ok(None) };
    let was_shared = view.shared;
    change.apply(&mut view);
    if check_notified_view(&view.id, Some(&view)).is_err() {
        check_unused(tx, &key.form, &view.id).await?;
    }
    let owner = (!view.shared).then_some(key.person.as_str());
    let form = key.form.as_str();
    if view.shared != was_shared {
        check_count(tx, form, owner).await?;
    }
    unset_other_defaults(tx, form, owner, &view).await?;
    let folded = fold(&view.name);
    let sql = "UPDATE saved_views SET person = $2, name = $3, name_folded = $4, query = $5,
                 dates = $6, columns = $7, is_default = $8
               WHERE id = $1";
    let values: query::Parameters<'_> = &[
        &view.id.as_str(),
        &owner,
        &encode(&view.name),
        &encode(&folded),
        &view.query,
        &view.dates.map(DatePreset::name),
        &encode(&view.columns),
        &view.is_default,
    ];
    query::execute_raw(tx, sql, values)
        .await
        .map_err(|error| insert_error(error, || format!("a view `{}`", view.name)))?;
    Ok(Some(view))
}

async fn delete(tx: &Transaction<'_>, key: &ViewKey) -> Result<bool> {
    if !lock(tx, &key.form, &key.person).await? || find(tx, key).await?.is_none() {
        return Ok(false);
    }
    check_unused(tx, &key.form, &key.view).await?;
    let sql = "DELETE FROM saved_views WHERE id = $1";
    Ok(query::execute(tx, sql, &[&key.view.as_str()]).await? > 0)
}

/// Checks that a form can have one more view of a member, or one more shared one.
async fn check_count(tx: &Transaction<'_>, form: &str, owner: Option<&str>) -> Result<()> {
    let sql = "SELECT count(*) FROM saved_views
               WHERE form_id = $1 AND person IS NOT DISTINCT FROM $2";
    let count = query::fetch_one(tx, sql, &[&form, &owner]).await?;
    let count = parse_count(read_column(&count, 0)?)?;
    if count < VIEWS_MAX as u64 { Ok(()) } else { Err(StoreError::TooManyViews) }
}

/// If a view is the default, makes it the only one in its scope.
async fn unset_other_defaults(
    tx: &Transaction<'_>,
    form: &str,
    owner: Option<&str>,
    view: &View,
) -> Result<()> {
    let sql = "UPDATE saved_views SET is_default = FALSE
               WHERE form_id = $1 AND person IS NOT DISTINCT FROM $2 AND id <> $3 AND $4";
    let values: query::Parameters<'_> = &[&form, &owner, &view.id.as_str(), &view.is_default];
    query::execute(tx, sql, values).await.map(drop)
}
