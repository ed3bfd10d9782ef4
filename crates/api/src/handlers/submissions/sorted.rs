//! Lists of submissions in an order other than newest first.

use super::{check_owner, page_response};
use crate::Service;
use crate::cursor::CursorScope;
use crate::error::{Error, Result};
use crate::middleware::auth::Caller;
use axum::response::Response;
use contract::{FormId, ListQuery, Pagination, Sort};
use store::sorted::{SortedPage, SortedRequest};
use store::{Owner, Page};

/// Lists a page in this order. The fields of the query and of the order are resolved.
pub(super) async fn list_sorted(
    service: &Service,
    caller: &Caller,
    id: &FormId,
    query: ListQuery,
    sort: Sort,
) -> Result<Response> {
    let environment = caller.environment;
    let scope = CursorScope { form: Some(id), environment, filter: &query.filter };
    let cursors = service.cursors().for_sort(scope, &sort);
    let after = match &query.cursor {
        None => None,
        Some(cursor) => {
            let key = cursors.decode_sorted(&sort, cursor);
            if key.is_none() {
                // Without access to the form, the response must not depend on the cursor.
                check_owner(service, caller, id).await?;
            }
            Some(key.ok_or_else(Error::cursor)?)
        }
    };
    let request = SortedRequest {
        owner: Owner { account_id: caller.account.id.clone(), environment },
        form: id.clone(),
        filter: query.filter,
        sort,
        after,
        limit: usize::from(query.limit),
    };
    let Some(SortedPage { page, last }) = service.store().list_sorted(request).await? else {
        check_owner(service, caller, id).await?;
        return Err(Error::not_found("form"));
    };
    let Page { rows, has_more, total } = page;
    let next_cursor = last.filter(|_| has_more).map(|last| cursors.encode_sorted(&last));
    page_response(&rows, &Pagination { total, limit: query.limit, has_more, next_cursor })
}
