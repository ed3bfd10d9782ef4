//! Descriptions of the inbox (additive).

use super::describe::{Describe, Op};
use super::{samples, submissions};
use contract::page::LIMIT_DEFAULT;
use contract::summary::{CountedFields, Counts, Summary};

/// `GET /account/inbox`.
pub(crate) fn list_inbox(op: Op<'_>) -> Op<'_> {
    let op = op
        .title("listInbox", "List the inbox")
        .description(
            "The submissions of all forms of an environment that the signed-in member has access \
             to, newest first, and by descending id for the same time. Submissions must match all \
             filters. `total` is the exact number of matches in all these forms; each form is \
             read at an instant of its own. Filters by field and `sort` are rejected.\n\nFor the \
             next page, pass `next_cursor` as `cursor`, with the same environment and filters, \
             until it is `null`. A page of large submissions ends early, at about 2 MiB.",
        )
        .add_environment()
        .add_pagination("Maximum submissions per page.", LIMIT_DEFAULT);
    submissions::add_filters_of_inbox(op)
        .add_json_response(200, "A page of submissions.", &samples::page())
        .add_busy_reading()
}

/// `GET /account/inbox/summary`.
pub(crate) fn summarize_inbox(op: Op<'_>) -> Op<'_> {
    let op = op
        .title("getInboxSummary", "Get a summary of the inbox")
        .description(
            "The frequency of values in the submissions of the inbox that match the filters. \
             Values beyond the 50 most frequent of one form count as others. `times.buckets` and \
             `fields` are empty, and `median_seconds_to_done` is `null`.",
        )
        .add_environment();
    submissions::add_filters_of_inbox(op).add_data(200, "The summary.", summary())
}

/// Example: the summary of one form.
fn summary() -> Summary {
    let mut counts = Counts::new(CountedFields::default());
    counts.add_summary(&samples::summary());
    counts.summary(None, None)
}
