//! Pagination of a list as a stream.

use crate::{Client, Error};
use contract::page::{LIMIT_DEFAULT, LIMIT_MAX};
use contract::{FormId, ListQuery, Page, Submission};
use futures_util::{Stream, TryStreamExt as _, stream};

/// Streams pages until the last one, as detected by `Pagination::next`.
pub(crate) fn stream_pages(
    client: Client,
    form: FormId,
    query: ListQuery,
) -> impl Stream<Item = Result<Page<Submission>, Error>> + Send {
    stream::try_unfold(Some(query), move |query| {
        let client = client.clone();
        let form = form.clone();
        async move {
            let Some(query) = query else { return Ok(None) };
            let page = client.list(&form, &query).await?;
            let next = next_query(query, &page)?;
            Ok(Some((page, next)))
        }
    })
}

/// Streams submissions, page by page.
pub(crate) fn stream_submissions(
    client: Client,
    form: FormId,
    query: ListQuery,
) -> impl Stream<Item = Result<Submission, Error>> + Send {
    let limit = if query.limit == LIMIT_DEFAULT { LIMIT_MAX } else { query.limit };
    let pages = stream_pages(client, form, ListQuery { limit, ..query });
    pages.map_ok(|page| stream::iter(page.data.into_iter().map(Ok))).try_flatten()
}

/// Returns the query of the next page. A cursor that leads to the same page is an error, because
/// the stream would never end.
fn next_query(query: ListQuery, page: &Page<Submission>) -> Result<Option<ListQuery>, Error> {
    let Some(cursor) = page.pagination.next() else { return Ok(None) };
    if query.cursor.as_deref() == Some(cursor) {
        return Err(Error::invalid_response("`next_cursor` leads to the same page"));
    }
    Ok(Some(ListQuery { cursor: Some(cursor.to_owned()), ..query }))
}
