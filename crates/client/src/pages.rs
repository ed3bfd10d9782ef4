//! The list, page after page, as a stream.

use crate::{Client, Error};
use contract::page::{LIMIT_DEFAULT, LIMIT_MAX};
use contract::{FormId, ListQuery, Page, Submission};
use futures_util::{Stream, TryStreamExt as _, stream};

/// Pages until the last, however the server says that it is (`Pagination::next`).
pub(crate) fn pages(
    client: Client,
    form: FormId,
    query: ListQuery,
) -> impl Stream<Item = Result<Page<Submission>, Error>> + Send {
    stream::try_unfold(Some(query), move |query| {
        let (client, form) = (client.clone(), form.clone());
        async move {
            let Some(query) = query else { return Ok(None) };
            let page = client.list(&form, &query).await?;
            let next = next(query, &page)?;
            Ok(Some((page, next)))
        }
    })
}

/// Submissions, page by page.
pub(crate) fn submissions(
    client: Client,
    form: FormId,
    query: ListQuery,
) -> impl Stream<Item = Result<Submission, Error>> + Send {
    let limit = if query.limit == LIMIT_DEFAULT { LIMIT_MAX } else { query.limit };
    let pages = pages(client, form, ListQuery { limit, ..query });
    pages.map_ok(|page| stream::iter(page.data.into_iter().map(Ok))).try_flatten()
}

/// Returns the query of the page behind this one. A server whose cursor leads back to the same page
/// would be read for ever.
fn next(query: ListQuery, page: &Page<Submission>) -> Result<Option<ListQuery>, Error> {
    let Some(cursor) = page.pagination.next() else { return Ok(None) };
    if query.cursor.as_deref() == Some(cursor) {
        return Err(Error::odd("`next_cursor` leads to the page that it came with"));
    }
    Ok(Some(ListQuery { cursor: Some(cursor.to_owned()), ..query }))
}
