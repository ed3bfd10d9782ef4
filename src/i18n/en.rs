//! The English texts. They also define the catalogue: its sections and the names of the texts.

use contract::summary::TimeUnit;
use row_view::labels::ENGLISH as WORDS;

use super::{catalog::catalogue, number};

/// Formats a number of submissions as text.
fn submissions(count: u64) -> String {
    match count {
        1 => format!("1 {}", WORDS.submission),
        _ => format!("{} {}", number(count), WORDS.submissions),
    }
}

catalogue! {
    /// Calendar of the date picker.
    calendar: Calendar {
        calendar: "Calendar",
        choose_last(day: &str): format!("From {day}. Choose the last day."),
        next_month: "Next month",
        previous_month: "Previous month",
    }

    /// Details of a submission.
    card: Card {
        answers: "Answers",
        as_curl: "As curl",
        as_json: "As JSON",
        as_text: "As text",
        browser: "Browser",
        categories: "Categories",
        completed_in: "Completion time",
        copy: "Copy",
        copy_id: "Copy ID",
        country: "Country",
        device: "Device",
        id: "ID",
        insight: "Insight",
        language: "Language",
        loading: "Loading submission",
        maybe_deleted: "It may have been deleted, or the link is wrong.",
        metadata: "Metadata",
        missing: "Submission not found",
        newest: "This is the newest submission",
        next: "Next submission",
        not_on_list: "This submission does not match the filters",
        oldest: "This is the oldest submission",
        previous: "Previous submission",
        rating(value: &str, of: usize): format!("{value} of {of}"),
        sentiment: "Sentiment",
        submission: "Submission",
        submitted: "Submitted",
        the_submission: "The submission",
        utm_campaign: "UTM campaign",
        utm_medium: "UTM medium",
        utm_source: "UTM source",
    }

    /// Column headers of the list of submissions.
    column_names: ColumnNames {
        browser: WORDS.titles.browser,
        campaign: WORDS.titles.campaign,
        columns: WORDS.columns,
        country: WORDS.titles.country,
        device: WORDS.titles.device,
        medium: WORDS.titles.medium,
        sentiment: WORDS.titles.sentiment,
        source: WORDS.titles.source,
        submitted: WORDS.titles.submitted,
        time_taken: WORDS.titles.time_taken,
    }

    /// The choice between all forms and selected ones.
    form_access: FormAccess {
        forms: "Forms",
        all_forms: "All forms",
        all_forms_hint: "Includes forms created later",
        selected_forms: "Selected forms",
        no_forms: "There are no forms to select.",
        needs_form: "Select at least one form",
    }

    /// Panel to choose columns.
    columns: Columns {
        ascending(column: &str): format!("{column}, ascending"),
        descending(column: &str): format!("{column}, descending"),
        in_order: "Column order",
        last_changed_first: "Last changed first",
        last_changed_last: "Last changed last",
        newest_first: "Newest first",
        oldest_first: "Oldest first",
        reset: "Reset columns",
        sort_by: "Sort by",
        whole_times: "Full dates and times",
    }

    /// Texts used on many pages.
    common: Common {
        cancel: "Cancel",
        clear_filters: "Clear filters",
        close: "Close",
        days(count: u64): format!("{count} d"),
        hours(count: u64): format!("{count} h"),
        minutes(count: u64): format!("{count} min"),
        seconds(count: u64): format!("{count} s"),
        copy_command: "Copy command",
        delete: "Delete",
        done: "Done",
        enter_a_name: "Enter a name",
        environment: "Environment",
        export: WORDS.export,
        resume: "Resume",
        insights: WORDS.insights,
        is_first: "Already first",
        is_last: "Already last",
        live: WORDS.live,
        loading: "Loading",
        move_up(column: &str): format!("Move {column} up"),
        move_down(column: &str): format!("Move {column} down"),
        name: "Name",
        no: "No",
        no_submissions_match: "No matching submissions",
        no_submissions_yet: "No submissions yet",
        not_analysed: "Not analysed",
        others: "Other",
        retry: "Retry",
        settings: WORDS.settings,
        submissions: "Submissions",
        submission_count(count: u64): submissions(count),
        test: WORDS.test,
        undo: "Undo",
        yes: "Yes",
    }

    /// Results of a copy button.
    copying: Copying {
        copied: "Copied",
        refused: "Could not copy. Select the text and press Ctrl+C.",
    }

    /// Panel to choose a date range.
    dates: Dates {
        first_day: "First day",
        last_day: "Last day",
        last_month: "Last month",
        ranges: "Date presets",
        seven_days: "7 days",
        thirty_days: "30 days",
        this_month: "This month",
        this_year: "This year",
        time_zone(zone: &str): format!("Time zone: {zone}"),
        today: "Today",
        yesterday: "Yesterday",
    }

    /// Deleting submissions and marking them as spam.
    deletion: Deletion {
        busy: "Another deletion is running. Wait until it finishes, or stop it.",
        count_changed(reason: &str): format!("The number of submissions changed. {reason}"),
        deleted(count: u64): match count {
            0 => "Already deleted".to_owned(),
            1 => "Submission deleted".to_owned(),
            _ => format!("{} submissions deleted", number(count)),
        },
        deleting: "Deleting submissions",
        done(done: u64, total: u64): format!("Deleted {} of {}", number(done), number(total)),
        failed(reason: &str): format!("Could not delete. {reason}"),
        keep_open: "Keep this page open until it finishes.",
        label: "Deletion",
        list_failed(reason: &str): format!("Could not list the submissions to delete. {reason}"),
        listing: "Listing the submissions to delete",
        many(count: u64): format!("Delete {} permanently?", submissions(count)),
        mark_failed(reason: &str): format!("Could not mark as spam. {reason}"),
        mark_spam: "Mark as spam",
        marked(count: u64): match count {
            1 => "Marked as spam".to_owned(),
            _ => format!("{} marked as spam", submissions(count)),
        },
        more_failures(count: u64): format!("{} more", number(count)),
        moved(count: u64): match count {
            1 => "Moved to trash".to_owned(),
            _ => format!("{} moved to trash", submissions(count)),
        },
        not_deleted(count: u64): format!("Not deleted: {}", number(count)),
        not_restored(reason: &str): format!("Could not restore. {reason}"),
        nothing_restored: "Could not restore. The submissions no longer exist.",
        one(title: &str): format!("Delete “{title}” permanently?"),
        permanent_text: "This cannot be undone.",
        progress(next: u64, total: u64): format!("Deleting {} of {}", number(next), number(total)),
        restored(count: u64): format!("{} restored", submissions(count)),
        retry_one(name: &str): format!("Retry {name}"),
        stop: "Stop",
        stopped(done: u64, total: u64): format!(
            "Stopped: {} of {} deleted",
            number(done), number(total)
        ),
        takes(span: &str): format!(
            "At your plan’s rate limit this takes about {span}. Keep this page open until it \
             finishes."
        ),
        to_trash: "Move to trash",
        verb: "Delete permanently",
    }

    /// Device types.
    devices: Devices {
        desktop: WORDS.desktop,
        mobile: WORDS.mobile,
        tablet: WORDS.tablet,
    }

    /// Export dialog.
    export: Export {
        title: "Export submissions",
        label: "Export",
        download: "Download",
        cancel: "Cancel export",
        pause: "Pause",
        hide: "Hide",
        show: "Show",
        of_file(name: &str, text: &str): format!("{name}: {text}"),
        try_again: "Try again",
        may_hide: "You can hide this dialog. After a reload, you can resume the export.",
        far(written: u64, total: u64): format!("{} of {}", number(written), number(total)),
        paused(progress: &str): format!("Paused at {progress}"),
        silent(progress: &str): format!(
            "{progress}. No response for 15 s. If your session has ended, reload to sign in again."
        ),
        waits(progress: &str, wait: &str):
            format!("{progress}. Rate limit reached. Resuming in {wait}"),
        goes(progress: &str, remaining: &str): format!("{progress}, about {remaining} left"),
        straight: "Save directly to a file",
        straight_hint: "Recommended for large exports",
        in_memory: "Over HTTP, the file is built in memory and lost on reload. Use HTTPS to avoid \
                    this.",
        cost(requests: u64, span: Option<&str>): {
            let requests = match requests {
                1 => "1 API request".to_owned(),
                _ => format!("{requests} API requests"),
            };
            match span {
                None => format!("Uses {requests}"),
                Some(span) => {
                    format!("Uses {requests}, about {span} at your plan’s rate limit")
                }
            }
        },
        cost_unknown: "Uses 1 API request per 100 submissions",
        worksheets_needed(rows: u64, worksheets: u64): format!(
            "A sheet holds {} submissions, so the workbook will have {worksheets} sheets.",
            number(rows)
        ),
        in_list_order: "In the order of the list.",
        newest_first(max: u64): format!(
            "Newest first, because only up to {} submissions can be sorted.",
            number(max)
        ),
        whole_form_alone: "All submissions. To export fewer, filter the list first.",
        whole_form: "All submissions",
        dates: "Date range",
        selected(count: u64): format!("Selected ({})", number(count)),
        filtered: "Filtered list",
        filtered_count(count: u64): format!("Filtered list ({})", number(count)),
        from_to(from: &str, to: &str): format!("{from} to {to}"),
        since(from: &str): format!("Since {from}"),
        until(to: &str): format!("Until {to}"),
        format: "Format",
        csv: "CSV",
        csv_hint: "One row per submission",
        xlsx: "Excel",
        xlsx_hint: "Excel workbook with typed numbers and dates",
        json: "JSON",
        json_hint: "Complete data, as returned by the API",
        ndjson: "NDJSON",
        ndjson_hint: "One JSON object per line",
        safe: "Escape spreadsheet formulas",
        safe_hint: "Adds ' before text that a spreadsheet would run as a formula.",
        my_zone: "Use my time zone",
        my_zone_hint: "Otherwise UTC",
        all_columns(all: usize): format!("All {all} columns"),
        some_columns(some: usize, all: usize): format!("{some} of {all} columns"),
        later_columns: "Fields found in other submissions are added as extra columns.",
        notes_count: "Number of notes",
        broken_off(name: &str, progress: &str):
            format!("The export {name} was interrupted at {progress}. "),
        discard: "Discard",
        saved(count: u64): format!("File saved with {}.", submissions(count)),
        short(total: u64, missing: u64): format!(
            "Missing: {1} of {0}, possibly deleted during the export. Export again to check.",
            number(total),
            number(missing)
        ),
        cells_cut(count: u64): format!(
            "{} cut to 32,767 characters, the limit of a cell. CSV and JSON contain the full text.",
            match count {
                1 => "1 answer was".to_owned(),
                _ => format!("{} answers were", number(count)),
            }
        ),
        worksheet_count(count: u32): format!("The workbook has {count} sheets."),
        exported(name: &str): format!("Exported to {name}"),
        exported_count(count: u64, name: &str):
            format!("Exported {} to {name}", submissions(count)),
        gone: "The form no longer exists",
        lost: "The unfinished file no longer exists. Export again.",
        rows_lost: "The collected rows can no longer be read. Export again.",
        refused(reason: &str):
            format!(
                "The browser could not write the file ({reason}). Free disk space and try again."
            ),
        keys_max(max: u64):
            format!("The answers have more than {} different keys. Export as JSON.", number(max)),
        columns_max(max: u64, all: u64): format!(
            "A sheet holds at most {} columns, but this export has {}. Choose fewer or export as \
             CSV.",
            number(max),
            number(all)
        ),
        too_large: "The workbook exceeds 4 GiB, the limit of its format. Export as CSV.",
        not_saved: "The browser did not save the file. Resume to try again.",
        ended: "The export stopped unexpectedly. Resume to continue.",
        truncated: "The server ended the export early. Resume to continue.",
        not_started: "Could not start the export. Try again or reload the page.",
    }

    /// Error messages that do not come from the server. `what` is a subject, singular in German.
    failures: Failures {
        given_up: "Request cancelled",
        goes_on_in: "Retrying in {}",
        key_refused: "API key rejected",
        key_revoked(message: &str):
            format!("The API key of this dashboard was revoked or lacks permission: {message}"),
        missing(object: &str): format!("{object} could not be found"),
        needs_password: "Enter your password to continue",
        needs_sign_in: "This needs a recent sign-in. Sign out, sign in with a new link, and try \
                        again within 5 minutes.",
        not_loaded(object: &str): format!("{object} could not be loaded"),
        session_ended: "Your session has ended. Reload to sign in again.",
        session_ended_title: "Your session has ended",
        signed_out: "You are signed out",
        status(status: u16): format!("The server returned status {status}. Try again later."),
        too_many: "Too many requests",
        unreachable: "Could not reach Sheaf. Check your connection. If your session has ended, \
                      reload to sign in again.",
        unreadable(problem: &str): format!("Could not read the response: {problem}"),
    }

    /// Validation errors of a form's fields.
    field_problems: FieldProblems {
        too_many(max: usize): format!("A form can have at most {max} fields"),
    }

    /// Filter bar above the list.
    filter_bar: FilterBar {
        assignee: "Assignee",
        at_least(value: &str): format!("At least {value}"),
        at_most(value: &str): format!("At most {value}"),
        browser: WORDS.titles.browser,
        campaign: "UTM campaign",
        category: "Category",
        clear_all: "Clear all",
        country: WORDS.titles.country,
        date: WORDS.date,
        default_view: "Default view",
        device: WORDS.titles.device,
        filter: WORDS.filter,
        filter_by(name: &str, value: &str): format!("Filter by {name}: {value}"),
        from: "From",
        language: "Language",
        left_out(problem: &str): format!("Ignored part of this link: {problem}"),
        medium: "UTM medium",
        no_tag: "No tag",
        no_value: "No value",
        not_starred: "Not starred",
        or(values: &str, last: &str): format!("{values} or {last}"),
        read: "Read",
        read_status: "Read status",
        score: "Sentiment score",
        search: "Search",
        search_answers: WORDS.search_answers,
        seconds: "Completion time",
        seconds_text(number: &str): format!("{number} s"),
        sentiment: WORDS.titles.sentiment,
        source: "UTM source",
        starred: "Star",
        status: "Status",
        tag: "Tag",
        to: "To",
        unread: "Unread",
        not_in_inbox(name: &str): format!("The inbox has no filter or order `{name}`"),
        unsupported(name: &str): format!("This server does not support the filter `{name}`"),
        view: "View",
    }

    /// Panel of the filter by properties.
    filter_panel: FilterPanel {
        add: "Add condition",
        at_least: "is at least",
        at_most: "is at most",
        back: "Back to all properties",
        clear: "Clear",
        condition: "Condition",
        contains: "contains",
        differs: "is not",
        equals: "is",
        in_seconds: "In seconds, such as 90.",
        is_empty: "is empty",
        is_filled: "is not empty",
        maximum: "Maximum",
        minimum: "Minimum",
        no_date: "Choose a date",
        no_text: "Enter a value",
        not_a_number: "Enter a number, such as 90 or 0.5",
        not_in_order: "The maximum must not be less than the minimum",
        others(count: u64): match count {
            1 => "1 submission has a value that is not listed. Type to enter it.".to_owned(),
            _ => format!(
                "{} submissions have values that are not listed. Type to enter one.",
                number(count)
            ),
        },
        properties: "Properties",
        score_hint: "From 0 to 1. 0 is negative, 1 is positive.",
        search: "Search values",
        too_long: "Too many values. Clear another value first.",
        too_many(max: usize): format!("A filter has at most {max} conditions. Remove one first."),
        unknown_field: "The form no longer has this field.",
        value: "Value",
    }

    /// Analysis settings of a form.
    form_analysis: FormAnalysis {
        title: "Analysis",
        about: "Detects language, sentiment and categories after a submission is received. Answers \
                are not changed.",
        loading: "Loading analysis",
        what: "The analysis",
        is_on: "Analysis is on",
        is_off: "Analysis is off. Existing results remain.",
        off: "Analysis is off.",
        queueing(pending: u64): format!("{} queued. Checking older submissions.", number(pending)),
        pending(pending: u64): match pending {
            0 => "No submissions queued.".to_owned(),
            1 => "1 submission queued.".to_owned(),
            _ => format!("{} submissions queued.", number(pending)),
        },
        switch: "Analyse submissions",
        switch_hint: "Includes existing submissions",
        switch_first: "Turn analysis on first",
        again: "Analyse all again",
        again_title: "Analyse all submissions again?",
        again_text: "Each submission counts toward the daily limit. Manual corrections remain.",
        again_verb: "Analyse again",
    }

    /// Category settings of a form.
    form_categories: FormCategories {
        title: "Categories",
        about: "A submission gets each category with a matching keyword. Changes apply to future \
                analysis.",
        loading: "Loading categories",
        what: "Categories",
        saved: "Categories saved",
        full(max: usize): format!("A form can have at most {max} categories"),
        usual_title: "Restore the default categories?",
        usual_text: "The custom categories and their keywords are deleted.",
        usual: "Restore defaults",
        are_usual: "These are the default categories.",
        add: "Add category",
        save: "Save categories",
        new: "new category",
        category(name: &str): format!("Category {name}"),
        words: "Keywords",
        words_hint: "One per line or separated by commas. deliver* matches any ending.",
        leave_out: "Remove",
        leave_out_of(name: &str): format!(" {name}"),
    }

    /// Fields of a form.
    form_fields: FormFields {
        title: "Fields",
        about: "Names and order apply to lists and exports. Forms submit answers by key; keys \
                cannot be changed. Hidden fields accept answers and are exported, but have no \
                column, filter or chart.",
        none: "No fields yet. The first submission adds its fields, or you can add them here.",
        unchanged: "No changes to save",
        add: "Add field",
        discard: "Discard changes",
        save: "Save fields",
        saved: "Fields saved",
        changed_meanwhile: "The form has other fields now. New ones are at the end. Save again.",
        kind: "Type",
        key: "Key",
        new: "New",
        unnamed(position: usize): format!("field {position}"),
        name_of(field: &str): format!("Name of {field}"),
        kind_of(field: &str): format!("Type of {field}"),
        leave_out(field: &str): format!("Remove {field}"),
        hide: "Hide",
        show: "Show",
        hide_of(field: &str): format!(" {field}"),
        is_hidden: "Hidden",
        delete(field: &str): format!("Delete {field}"),
        will_go(field: &str): format!("{field} will be deleted when you save"),
        delete_title(count: usize): match count {
            1 => "Delete this field?".to_owned(),
            _ => format!("Delete {count} fields?"),
        },
        delete_text(names: &str): format!(
            "{names}: existing answers remain, but have no column in lists and CSV exports. New \
             submissions do not add deleted fields again."
        ),
        delete_verb(count: usize): match count {
            1 => "Delete field".to_owned(),
            _ => "Delete fields".to_owned(),
        },
        now_at(field: &str, position: usize, count: usize):
            format!("{field} is now {position} of {count}"),
        text: "Text",
        long_text: "Long text",
        number: "Number",
        boolean: "Yes/No",
        choice: "Single choice",
        choices: "Multiple choice",
        rating: "Rating",
        email: "Email",
        phone: "Phone",
        url: "URL",
        date: "Date",
    }

    /// Intake settings of a form.
    form_intake: FormIntake {
        loading: "Loading intake settings",
        what: "Intake settings",
        not_whole(name: &str, text: &str):
            format!("`{name}` must be a whole number, but is `{text}`"),
        // `rest` is the message of the dashboard or the server without its subject.
        wrong(_name: &str, rest: &str): format!("This {rest}"),
        not_an_instant(name: &str, text: &str):
            format!("`{name}` must be a date and time, but is `{text}`"),
        closing: "Availability",
        is_closed: "This form is closed.",
        closed: "Closed",
        closed_hint: "The form rejects new submissions",
        closes_at: "Closes at",
        closes_at_hint(zone: &str):
            format!("Time zone: {zone}. Leave empty to keep the form open."),
        closes_after: "Submission limit",
        closes_after_hint: "Spam is not counted. Leave empty for no limit.",
        message: "Message when closed",
        message_hint: "Leave empty for the default message in the visitor’s language.",
        save: "Save intake",
        saved: "Intake settings saved",
        pages: "Origins and redirects",
        origins: "Allowed origins",
        origins_hint: "One per line. Leave empty to allow any origin.",
        redirects: "Allowed redirect URLs",
        redirects_hint: "URLs or origins, one per line. Other redirects show the default thank-you \
                         page.",
        spam: "Spam",
        honeypot: "Mark filled honeypots as spam",
        honeypot_hint: "Checks the hidden field _gotcha",
        seconds_min: "Minimum completion time (seconds)",
        seconds_min_hint: "Faster submissions are marked as spam. 0 disables this check.",
        fields_and_limits: "Fields and limits",
        unknown_keys: "Unknown fields",
        learns: "Add automatically",
        learns_not: "Store without adding",
        learns_at_first: "Add automatically until the form has fields",
        strict: "Reject the submission",
        address_limit: "Limit per IP address (15 min)",
        form_limit: "Limit per form (15 min)",
        limit_hint: "Leave empty for no limit.",
    }

    /// Layout of a form's settings.
    form_settings: FormSettings {
        title(form: &str): format!("{form} settings"),
        label: "Form settings",
        loading: "Loading form",
        what: "The form",
        rename: "Rename",
        duplicate: "Duplicate",
        duplicated(copy: &str): format!("Created “{copy}”"),
        delete: "Delete",
        not_found: "Form not found",
        not_found_text: "The link is wrong, or the form belongs to another account.",
        share: "Share",
        fields: "Fields",
        intake: "Intake",
        spam: "Spam",
        trash: "Trash",
        analysis: "Analysis",
        notifications: "Notifications",
        webhooks: "Webhooks",
    }

    /// Confirmation before a form is deleted.
    form_deletion: FormDeletion {
        title: "Delete form",
        text(count: u64, form: &str): format!(
            "This permanently deletes “{form}” with {}, its spam and its settings. Pages that \
             submit to it get an error.",
            submissions(count)
        ),
        name: "Type the form name to confirm",
        other_name: "The name does not match",
        verb: "Delete form",
        done(form: &str): format!("Deleted “{form}”"),
    }

    /// Instructions to send submissions to a form.
    form_share: FormShare {
        first_steps: "No submissions yet. Paste the HTML into a page and submit it, or run the \
                      command. This page shows when the first submission arrives.",
        first_is_here: "First submission received. {}.",
        look_at_it: "View submission",
        html: "HTML form",
        html_about: "Paste into any page and style it as you like. The field _gotcha is hidden \
                     from visitors; bots that fill it in are detected.",
        redirect: "Redirect URL (optional)",
        redirect_hint: "Shown after submission. Must be allowed under Intake.",
        copy_html: "Copy HTML",
        script: "Metadata script",
        script_about: "Add to any page to record completion time and UTM campaign with each \
                       submission.",
        copy_script: "Copy script",
        program: "API request",
        program_about: "Send answers as JSON, by field key.",
        address: "Endpoint URL",
        address_about: "Does not change when you rename the form or its fields.",
        copy_address: "Copy URL",
    }

    /// Spam of a form.
    form_spam: FormSpam {
        title: "Spam",
        about: "Suspected spam is deleted after 30 days. It is not listed, counted or exported. \
                Release a submission to move it back to the list.",
        label: "Spam",
        loading: "Loading spam",
        what: "Spam",
        what_rest: "More spam",
        none: "No spam",
        none_text: "Suspected spam is deleted after 30 days.",
        count(count: u64): format!("{} in spam", number(count)),
        more: "Show more",
        answers: "Answers",
        why: "Reason",
        came: "Received",
        honeypot: "Honeypot",
        too_fast: "Too fast",
        marked: "Marked as spam",
        release: "Release",
        released: "Submission released",
        act_on(answers: &str): format!(" {answers}"),
        deleted: "Submission deleted",
        failed(reason: &str): format!("Action failed: {reason}"),
        delete_all: "Delete all",
        delete_title(count: u64): match count {
            1 => "Delete the submission in spam?".to_owned(),
            _ => format!("Delete all {} submissions in spam?", number(count)),
        },
        delete_text: "This cannot be undone. Other submissions are not affected.",
        delete_verb: "Delete spam",
        nothing_deleted(reason: &str): format!("Could not delete spam. {reason}"),
        all_deleted: "Spam deleted",
    }

    /// Trash of a form.
    form_trash: FormTrash {
        title: WORDS.trash,
        about(days: u8): match days {
            0 => "Trash is off. Deletion is immediate and permanent.".to_owned(),
            1 => "Submissions in trash are deleted permanently after 1 day.".to_owned(),
            _ => format!("Submissions in trash are deleted permanently after {days} days."),
        },
        label: "Trash",
        loading: "Loading trash",
        what: "The trash",
        what_rest: "More submissions",
        none: "Trash is empty",
        none_text: "Deleted submissions appear here.",
        none_match: "No matching submissions",
        none_match_text: "Search matches the exact text in all answers.",
        search: "Search trash",
        count(count: u64): format!("{} in trash", submissions(count)),
        more: "Show more",
        answers: "Answers",
        submitted: "Submitted",
        deleted_at: "Deleted",
        restore: "Restore",
        delete: "Delete permanently",
        act_on(answers: &str): format!(" {answers}"),
        restored: "Restored",
        deleted: "Deleted permanently",
        failed(reason: &str): format!("Action failed. {reason}"),
        empty: "Empty trash",
        empty_title: "Empty trash?",
        empty_text(count: u64):
            format!("This permanently deletes {}. This cannot be undone.", submissions(count)),
        not_emptied(reason: &str): format!("Could not empty trash. {reason}"),
        emptied: "Trash emptied",
        settings: "Retention",
        days: "Days in trash",
        days_hint: "0 to 90; 0 turns the trash off. Also applies to submissions already in trash.",
        days_wrong(max: u8): format!("Enter a whole number from 0 to {max}"),
        save: "Save",
        saved: "Trash settings saved",
    }

    /// Usage of the daily analysis limit.
    form_usage: FormUsage {
        title: "Account usage today",
        about: "Your plan limits how many submissions are analysed per day. The rest are analysed \
                the next day.",
        label: "Usage today",
        loading: "Loading usage",
        what: "The usage",
        used_today: "Analysed today",
        used: "Used",
        limit_today: "Daily limit",
        limit: "Limit",
        waiting: "Waiting",
        next_day: "Resets {} (midnight UTC).",
    }

    /// Emails about a form's submissions: notified addresses, and the auto-reply.
    form_notifications: FormNotifications {
        title: "Notifications",
        about: "Sends an email about new submissions to each of these addresses.",
        loading: "Loading notifications",
        what: "Notifications",
        mail_disabled: "This server cannot send email. The operator can set it up with \
                        `--smtp-url`; see docs/email.md.",
        needs_mail: "This server cannot send email",
        usage(sent: u64, max: u64):
            format!("{} of {} emails sent today.", number(sent), number(max)),
        limit_reached(max: u64): format!(
            "The daily limit of {} emails is reached. No more emails are sent until midnight UTC.",
            number(max)
        ),
        none: "No addresses yet",
        none_text: "Add an address to receive an email about each submission.",
        full(max: usize): format!("A form can have at most {max} addresses. Delete one first."),
        addresses: "Addresses",
        add: "Add address",
        add_mine: "Add my address",
        add_verb: "Add",
        edit: "Edit",
        edit_title(email: &str): format!("Edit notification to {email}"),
        save: "Save notification",
        saved: "Notification saved",
        added(email: &str): format!("Added {email}"),
        link_sent(email: &str):
            format!("We sent a link to {email}. Emails start when it is confirmed."),
        link_failed(email: &str, reason: &str): format!("{email}: {reason}"),
        of(email: &str): format!(" {email}"),
        email: "Email address",
        email_hint: "Someone who is not a member must confirm the address first.",
        view: "Submissions",
        view_hint: "Emails about a shared view are always digests.",
        all_submissions: "All",
        in_view(name: &str): format!("View: {name}"),
        views: "Saved views",
        every: "Frequency",
        each: "Each submission",
        hourly: "Hourly digest",
        daily: "Daily digest at 08:00",
        daily_in(zone: &str): format!("Daily digest at 08:00 {zone}"),
        content: "Content",
        full_content: "All answers",
        link_content: "Only a link",
        time_zone: "Time zone",
        time_zone_hint: "For daily digests and times in emails. Example: Europe/Berlin.",
        needs_time_zone: "Enter a time zone such as Europe/Berlin",
        language: "Language",
        active: "Active",
        waiting: "Waiting for confirmation",
        disabled: "Disabled",
        unsubscribed: "Unsubscribed by the recipient",
        refused: "Refused by the mail server",
        last_error(reason: &str): format!("Last error: {reason}"),
        test: "Send test",
        test_sent(email: &str): format!("Test email sent to {email}"),
        send_link: "Send link again",
        enable_first: "Enable the address first",
        enable: "Enable",
        disable: "Disable",
        was_enabled(email: &str): format!("Enabled {email}"),
        was_disabled(email: &str): format!("Disabled {email}"),
        delete: "Delete",
        delete_title(email: &str): format!("Delete the notification to {email}?"),
        delete_text: "Pending emails to this address are not sent. This cannot be undone.",
        delete_verb: "Delete notification",
        was_deleted(email: &str): format!("Deleted {email}"),
        action_failed(reason: &str): format!("Action failed. {reason}"),
        reply: "Auto-reply",
        reply_about: "An email to the sender of a submission, at most once per address and day.",
        reply_needs: "It requires spam protection: the honeypot or a minimum completion time.",
        open_intake: "Open intake settings",
        reply_on: "Send auto-reply",
        reply_on_hint: "Goes to the email address in the submission",
        subject: "Subject",
        subject_wrong(max: usize): format!("Enter 1 to {max} characters on one line"),
        text: "Text",
        text_hint: "Placeholders: {form} is the name of the form, {time} the time and {id} the ID \
                    of the submission.",
        text_wrong(max: usize):
            format!("Enter 1 to {} characters", number(u64::try_from(max).unwrap_or(u64::MAX))),
        reply_language_hint: "For the lines that the server adds",
        preview: "Preview",
        save_reply: "Save auto-reply",
        reply_saved: "Auto-reply saved",
        default_subject: "We received your submission: {form}",
        default_text: "Thank you. We received your submission on {time}.",
    }

    /// Webhooks of a form.
    form_webhooks: FormWebhooks {
        title: "Webhooks",
        about: "A webhook sends an HTTP request to another program when a submission arrives or \
                changes.",
        loading: "Loading webhooks",
        what: "Webhooks",
        none: "No webhooks yet",
        none_text: "Create a webhook to notify another program of each submission.",
        full(max: usize): format!("A form can have at most {max} webhooks. Delete one first."),
        all: "All webhooks",
        missing: "Webhook not found",
        missing_text: "It was deleted, or the link is wrong.",
        url: "URL",
        url_hint: "Receives a POST request for each event",
        needs_url: "Enter a URL such as https://example.com/hook",
        events: "Events",
        needs_event: "Select at least one event",
        event_created: "Created",
        created_hint: "Received, released from spam or restored from trash",
        event_analyzed: "Analysed",
        analyzed_hint: "Analysis completed",
        event_updated: "Updated",
        updated_hint: "Changed by you",
        event_deleted: "Deleted",
        deleted_hint: "Deleted, moved to trash or marked as spam",
        event_test: "Test",
        format: "Format",
        json: "JSON",
        slack: "Slack",
        discord: "Discord",
        teams: "Microsoft Teams",
        ntfy: "ntfy",
        status: "Status",
        enabled: "Enabled",
        failing_since(time: &str): format!("Failing since {time}"),
        disabled_by_owner: "Disabled by you",
        disabled_gone: "Disabled: receiver responded with 410",
        disabled_failing: "Disabled: failed for 5 days",
        created: "Created",
        manage: "Manage",
        manage_of(url: &str): format!(" {url}"),
        create: "Create webhook",
        create_verb: "Create",
        edit: "Edit webhook",
        save: "Save webhook",
        saved: "Webhook saved",
        secret_title(url: &str): format!("Copy the secret of {url}"),
        secret_text: "The secret appears only once. Copy it now and store it safely.",
        verify: "Verify the header webhook-signature of each request with this secret. The rules \
                 are those of Standard Webhooks (standardwebhooks.com).",
        secret_unneeded: "This service does not need the secret.",
        secret_lost(url: &str):
            format!("The new secret of {url} was not shown. Delete the webhook, then add another."),
        copy_secret: "Copy secret",
        rotate: "Rotate secret",
        rotate_title(url: &str): format!("Rotate the secret of {url}?"),
        rotate_text(hours: u32): format!(
            "You get a new secret. The old secret stays valid for {hours} hours: until then, \
             requests are signed with both."
        ),
        enable: "Enable webhook",
        disable: "Disable webhook",
        was_enabled: "Webhook enabled",
        was_disabled: "Webhook disabled",
        enable_first: "Enable the webhook first",
        test: "Send test event",
        test_queued: "Test event queued",
        delete: "Delete webhook",
        delete_title(url: &str): format!("Delete the webhook {url}?"),
        delete_text: "Pending deliveries are not sent, and the log is deleted. This cannot be \
                      undone.",
        was_deleted: "Webhook deleted",
        action_failed(reason: &str): format!("Action failed. {reason}"),
        log: "Deliveries",
        log_about(days: u32): format!("Deliveries are listed for {days} days."),
        log_loading: "Loading deliveries",
        log_what: "Deliveries",
        log_rest: "More deliveries",
        log_none: "No deliveries yet",
        log_none_text: "Send a test event to check the receiver.",
        log_none_match: "No matching deliveries",
        log_none_match_text: "Choose another state.",
        log_more: "Show more",
        refresh: "Refresh",
        time: "Time",
        event: "Event",
        state: "State",
        any_state: "All",
        pending: "Pending",
        delivered: "Delivered",
        not_delivered(reason: &str): format!("Not delivered: {reason}"),
        failed: "Failed",
        last_response: "Last response",
        no_response: "No response",
        details: "Details",
        details_of(id: &str): format!(" of {id}"),
        delivery(event: &str): format!("Delivery: {event}"),
        id: "ID",
        submission: "Submission",
        view_submission: "View submission",
        next_attempt: "Next attempt",
        attempts: "Attempts",
        no_attempt: "No attempt yet",
        attempt(duration_ms: u32): format!("{} ms", number(duration_ms.into())),
        response: "Response",
        body: "Request body",
        copy_body: "Copy body",
        replay: "Replay delivery",
        replay_queued(count: u64): match count {
            0 => "No failed deliveries since then".to_owned(),
            1 => "Delivery queued".to_owned(),
            _ => format!("{} deliveries queued", number(count)),
        },
        replay_failed: "Replay failed deliveries",
        replay_title: "Replay failed deliveries",
        replay_verb: "Replay deliveries",
        since: "Since",
        since_hint(zone: &str): format!(
            "Time zone: {zone}. Failed deliveries of events since this time are sent again, at \
             most 10,000."
        ),
        since_wrong: "Enter a date and a time",
        one_gone(host: &str):
            format!("The webhook {host} is disabled: its receiver responded with 410."),
        one_failing(host: &str): format!("The webhook {host} is disabled: it failed for 5 days."),
        many_disabled(count: usize): format!("{count} webhooks are disabled after failures."),
        view_webhooks: "View webhooks",
    }

    /// List of forms.
    forms: Forms {
        none: "No forms yet",
        none_test: "No test forms yet",
        first_steps: "Create a form, paste its HTML into your page and submit it once. The \
                      submission appears here immediately.",
        elsewhere: "Forms are managed on another server",
        elsewhere_text: "Create and edit forms on the connected server.",
        count(count: usize): match count {
            1 => "1 form".to_owned(),
            _ => format!("{} forms", number(count as u64)),
        },
        full(max: usize): format!("Limit of {max} forms reached, live and test combined"),
        create: "Create form",
        create_first: "Create your first form",
        last_submission: "Last submission",
        last: "Last",
        analysis: "Analysis",
        on: "On",
        off: "Off",
        rename: "Rename",
        rename_of(form: &str): format!(" {form}"),
        settings_of(form: &str): format!(" of {form}"),
        create_title: "Create form",
        create_verb: "Create",
        needs_name(max: usize): format!("Enter a name of 1 to {max} characters"),
        live_hint: "For real submissions",
        test_hint: "For test submissions",
        name_hint: "For example: Contact",
        fields: "Fields",
        fields_hint: "One per line. Leave empty to add fields from the first submission.",
        analyse: "Analyse submissions",
        analyse_hint: "Detects language, sentiment and categories",
        rename_title: "Rename form",
        rename_hint: "Pages that submit to the form keep working.",
        renamed(form: &str): format!("Renamed to “{form}”"),
        open_by_id: "Open a form by ID",
        open_by_id_text: "This server does not list its forms. Forms you open are remembered in \
                          this browser.",
        id: "Form ID",
        not_an_id(typed: &str, reason: &str): format!("`{typed}` is not a valid form ID: {reason}"),
        open: "Open form",
    }

    /// Links of the sidebar.
    frame: Frame {
        all_forms: WORDS.all_forms,
        api_keys: WORDS.api_keys,
        account: WORDS.account,
        activity: WORDS.activity,
    }

    /// The inbox: the submissions of all forms.
    inbox: Inbox {
        title: WORDS.inbox,
        unread: "Unread",
        mine: "Assigned to me",
        all: "All",
        submission: "Submission",
        text: "Text",
        form: "Form",
        none: "No submissions yet",
        none_text: "New submissions of all forms appear here.",
        none_unread: "No unread submissions",
        none_mine: "No submissions assigned to you",
        none_mine_text: "Submissions appear here when a member assigns them to you.",
    }

    /// The board: a column of submissions for each status.
    board: Board {
        title: WORDS.board,
        list: "List",
        more: "Load more",
        the_column: "The column",
        none: "No submissions",
        none_unread: "No unread submissions among the loaded cards",
        no_status: "No status of the account matches the filter.",
    }

    /// Charts of the matching submissions.
    insights: Insights {
        title(form: &str): format!("{form} insights"),
        loading: "Loading insights",
        what: "Insights",
        rest: "Some charts",
        over(counted: u64, all: u64): format!("{} of {} counted", number(counted), number(all)),
        none_text: "Charts appear after the first submission.",
        no_match_text: "Change or clear the filters.",
        sentiment: "Sentiment",
        sentiment_over_time: "Sentiment over time",
        median_to_done(duration: &str): format!("Median time to done: {duration}"),
        categories: "Categories",
        utm_sources: "UTM sources",
        utm_mediums: "UTM mediums",
        utm_campaigns: "UTM campaigns",
        countries: "Countries",
        devices: "Devices",
        browsers: "Browsers",
        languages: "Languages",
        none: "None",
        no_sentiment: "none",
        not_known: "Unknown",
        not_answered: "Not answered",
        quartiles(values: &[String; 5]): format!(
            "Minimum {}, lower quartile {}, median {}, upper quartile {}, maximum {}.",
            values[0], values[1], values[2], values[3], values[4],
        ),
        words_of(field: &str): format!("Frequent words: {field}"),
        word_count(answers: u64): format!(
            "In {} {}. Common words such as “the” are left out.",
            number(answers),
            if answers == 1 { "answer" } else { "answers" },
        ),
        newest(count: u64): format!("Only the newest {} submissions count.", number(count)),
        filter_by(value: &str): format!("Filter by {value}"),
        by_unit(title: &str, unit: TimeUnit): format!("{title} by {}", match unit {
            TimeUnit::Day => "day",
            TimeUnit::Week => "week",
            TimeUnit::Month => "month",
            TimeUnit::Year => "year",
        }),
        day: "Day",
        week: "Week",
        month: "Month",
        year: "Year",
        earlier(count: u64): format!("{} earlier not shown", number(count)),
        completion_time: "Completion time",
        under(span: &str): format!("Under {span}"),
        and_more(span: &str): format!("{span} or more"),
    }

    /// Account page: sessions and password.
    account: Account {
        title: "Account",
        loading: "Loading sessions",
        what: "Your sessions",
        reading: "Reading",
        mark_read: "Mark as read when opened",
        mark_read_hint: "Applies only in this browser.",
        mentions: "Mentions",
        mention_emails: "Email me when someone mentions me in a note",
        preferences: "Your preferences",
        preferences_loading: "Loading preferences",
        preferences_not_saved(reason: &str): format!("Could not save your preferences. {reason}"),
        sessions: "Sessions",
        sessions_text: "Sign out sessions you do not recognise, then change your password. \
                        Sessions expire after 12 hours without use, and after 14 days.",
        sessions_text_proxied: "Sign out sessions you do not recognise, and tell your \
                                administrator. Sessions expire after 12 hours without use, and \
                                after 14 days.",
        device: "Device",
        since: "Since",
        unknown: "Unknown browser",
        this_one: "This device",
        end: "Sign out",
        of(device: &str): format!(" {device}"),
        ended(device: &str): format!("Signed out {device}"),
        end_others: "Sign out other sessions",
        others_ended: "Signed out other sessions",
        not_ended(reason: &str): format!("Could not sign out. {reason}"),
        password: "Password",
        current: "Current password",
        new: "New password",
        new_hint: "At least 12 characters. Signs out other sessions.",
        first_hint: "At least 12 characters. Lets you sign in without a link.",
        reset_ended: "More than 5 minutes have passed since you signed in by link. Enter your \
                      current password, or sign in with a new link.",
        too_short(max: usize): format!("Use at least {max} characters"),
        change: "Change password",
        set: "Set password",
        was_set: "Password saved. Other sessions were signed out.",
        email: "Email address",
        new_email: "New email address",
        email_text(email: &str): format!("You sign in as {email}."),
        email_hint: "Signs out other sessions and cancels links sent to the old address.",
        same_email: "This is already your address",
        change_email: "Change email",
        email_code: "Code from the email",
        code_sent(email: &str):
            format!("We sent a code to {email}. It is valid for 15 minutes."),
        needs_code: "Enter the code from the email",
        email_was_set: "Email changed. Other sessions were signed out.",
    }

    /// Activity page: the audit log.
    activity: Activity {
        title: "Activity",
        about: "Actions in this account. Entries expire after 400 days, cannot be changed and \
                contain no answers. Users are listed by their email address at the time.",
        loading: "Loading activity",
        what: "Activity",
        what_rest: "Older activity",
        count(count: u64, text: String): match count {
            1 => "1 entry".to_owned(),
            _ => format!("{text} entries"),
        },
        filters: "Filters",
        kind: "Type",
        all: "All",
        sign_ins: "Sign-ins",
        keys: "API keys",
        forms: "Forms",
        submissions: "Submissions",
        spam: "Spam",
        insights: "Insights",
        refused: "Denied",
        none: "No activity yet",
        none_text: "Actions in this account appear here.",
        no_match: "No matching activity",
        no_match_text: "Change the type or the dates.",
        clear: "Clear filters",
        elsewhere: "Activity is logged on another server",
        elsewhere_text: "See the activity log of the connected server.",
        export_csv: "Export CSV",
        export_ndjson: "Export NDJSON",
        exported(name: &str): format!("Saved as {name}"),
        not_exported(reason: &str): format!("Could not export. {reason}"),
        more: "Show more",
        what_head: "Action",
        who: "User",
        from: "Device",
        outcome: "Result",
        when: "Time",
        ok: "Success",
        denied: "Denied",
        failed: "Failed",
        by_nobody: "Unknown",
        by_session: "Signed-in user",
        by_key: "API key",
        by_system: "System",
        account_created: "Account created",
        plan_set(before: &str, plan: &str): format!("Plan changed from {before} to {plan}"),
        account_deleted(id: &str): format!("Account {id} deleted"),
        signed_in: "Signed in",
        sign_in_refused: "Sign-in failed",
        signed_out: "Signed out",
        others_signed_out: "Signed out other sessions",
        proven: "Re-authenticated",
        reauthentication_failed: "Re-authentication failed",
        person_added: "Member added",
        person_changed: "Access of a member changed",
        person_removed: "Member removed",
        person_linked: "Proxy sign-in linked",
        person_unlinked: "Proxy sign-in unlinked",
        email_set(before: &str, email: &str): format!("Email changed from {before} to {email}"),
        link_made: "Sign-in link created",
        password_set: "Password changed",
        password_refused: "Password change failed",
        key_created(name: &str): format!("Key “{name}” created"),
        key_revoked(name: &str): format!("Key “{name}” revoked"),
        form_created(name: &str): format!("Form “{name}” created"),
        form_renamed(before: &str, name: &str): format!("Form “{before}” renamed to “{name}”"),
        form_duplicated(source: &str, name: &str):
            format!("Form “{name}” duplicated from “{source}”"),
        form_deleted(name: &str): format!("Form “{name}” deleted"),
        fields_set(name: &str): format!("Fields of “{name}” changed"),
        analysis_on(name: &str): format!("Analysis of “{name}” turned on"),
        analysis_off(name: &str): format!("Analysis of “{name}” turned off"),
        categories_set(name: &str): format!("Categories of “{name}” changed"),
        intake_set(name: &str): format!("Intake of “{name}” changed"),
        submission_deleted(name: &str): format!("Submission {name} deleted"),
        export_begun(name: &str): format!("Export of “{name}” started"),
        export_ended(rows: u64): format!("Export completed with {}", submissions(rows)),
        export_broken(rows: u64): format!("Export interrupted after {}", submissions(rows)),
        imported(count: u64): format!("{} imported", submissions(count)),
        insight_corrected(name: &str): format!("Insight of {name} corrected"),
        insight_reset(name: &str): format!("Correction of {name} removed"),
        notification_created(email: &str, form: &str):
            format!("Notification to {email} about “{form}” created"),
        notification_set(email: &str, form: &str):
            format!("Notification to {email} about “{form}” changed"),
        notification_deleted(email: &str, form: &str):
            format!("Notification to {email} about “{form}” deleted"),
        notification_confirmed(email: &str, form: &str):
            format!("{email} confirmed for “{form}”"),
        notification_unsubscribed(email: &str, form: &str):
            format!("{email} unsubscribed from “{form}”"),
        confirmation_sent(email: &str, form: &str):
            format!("Confirmation link for “{form}” sent to {email}"),
        notification_tested(email: &str, form: &str):
            format!("Test email about “{form}” sent to {email}"),
        auto_reply_set(form: &str, is_on: bool):
            format!("Auto-reply of “{form}” changed: {}", if is_on { "on" } else { "off" }),
        webhook_created(host: &str, form: &str): format!("Webhook {host} of “{form}” created"),
        webhook_set(host: &str, form: &str): format!("Webhook {host} of “{form}” changed"),
        webhook_rotated(host: &str, form: &str):
            format!("Secret of webhook {host} of “{form}” rotated"),
        webhook_deleted(host: &str, form: &str): format!("Webhook {host} of “{form}” deleted"),
        webhook_tested(host: &str, form: &str):
            format!("Test event sent to webhook {host} of “{form}”"),
        webhook_replayed(count: u64, host: &str, form: &str): match count {
            1 => format!("1 delivery of webhook {host} of “{form}” replayed"),
            _ => format!("{} deliveries of webhook {host} of “{form}” replayed", number(count)),
        },
        submissions_trashed(count: u64): format!("{} moved to trash", submissions(count)),
        submissions_restored(count: u64): format!("{} restored from trash", submissions(count)),
        submissions_updated(count: u64): format!("{} updated", submissions(count)),
        view_created(view: &str, form: &str): format!("View “{view}” of “{form}” shared"),
        view_set(view: &str, form: &str): format!("Shared view “{view}” of “{form}” changed"),
        view_deleted(view: &str, form: &str): format!("Shared view “{view}” of “{form}” deleted"),
        note_created(submission: &str): format!("Note on submission {submission} created"),
        note_edited(submission: &str): format!("Note on submission {submission} edited"),
        note_deleted(submission: &str): format!("Note on submission {submission} deleted"),
        preferences_set: "Preferences of a member changed",
        triage_set: "Statuses and tags changed",
        trash_deleted(count: u64):
            format!("{} deleted permanently from trash", submissions(count)),
        trash_set(name: &str, days: u64): format!("Days in trash of {name} set to {days}"),
        spam_marked(count: u64): format!("{} marked as spam", submissions(count)),
        spam_released(count: u64): format!("{} released from spam", submissions(count)),
        spam_deleted(count: u64): format!("{} deleted from spam", submissions(count)),
        request_refused: "Request denied",
        request_limited: "Rate limit exceeded",
        refusals_omitted(count: u64): format!("More requests denied ({count})"),
        request_forged: "Cross-site request blocked",
        audit_exported: "Activity exported",
        audit_dropped(count: u64): format!("Activity older than 400 days deleted ({count})"),
    }

    /// Members of the account.
    people: People {
        title: "Members",
        text: "Readers view, search and export submissions. Editors also change status, tags, \
               assignee and notes, and use trash and spam. Only the owner changes settings.",
        loading: "Loading members",
        what: "Members",
        email: "Email",
        role: "Role",
        owner: "Owner",
        editor: "Editor",
        reader: "Reader",
        limited_role(role: &str, forms: usize): if forms == 1 {
            format!("{role}, 1 form")
        } else {
            format!("{role}, {forms} forms")
        },
        editor_hint: "Can change status, tags and notes, and move submissions to trash or spam.",
        reader_hint: "Can view, search and export submissions.",
        add: "Add member",
        add_title: "Add member",
        add_verb: "Add",
        add_hint: "No email is sent. You get a link to share.",
        add_hint_mailed: "We send a sign-in link to this address.",
        add_hint_proxied: "No email is sent. You get instructions.",
        needs_email: "Enter an email address such as you@example.com",
        proxied: "Your organisation manages sign-in. Your administrator must link the sign-in of \
                  each member.",
        way_in: "Show instructions",
        way_in_title(email: &str): format!("Access for {email}"),
        way_in_text: "Your organisation manages sign-in. Ask your administrator to run this \
                      command, which links a sign-in to this address:",
        way_in_name: "SIGN-IN-NAME",
        way_in_name_text(name: &str): format!(
            "Replace {name} with their sign-in name. Members see it when access is denied."
        ),
        copy_command: "Copy command",
        link_title(email: &str): format!("Sign-in link for {email}"),
        link_text(until: &str): format!(
            "Works once, until {until}, and is shown only now. Anyone with this link can sign in: \
             share it securely."
        ),
        link_mailed(email: &str, until: &str): format!(
            "We sent the link to {email}. It works once, until {until}. You can also copy it now \
             and share it securely: anyone with this link can sign in."
        ),
        copy_link: "Copy link",
        link: "Create link",
        link_of(email: &str): format!(" for {email}"),
        not_linked(reason: &str): format!("Could not create a link. {reason}"),
        link_not_shown: "The link was not shown, because another dialog was open. Create it again.",
        change: "Change access",
        change_of(email: &str): format!(" of {email}"),
        change_title(email: &str): format!("Access of {email}"),
        changed(email: &str): format!("Changed the access of {email}"),
        not_changed(reason: &str): format!("Could not change the access. {reason}"),
        remove: "Remove",
        remove_of(email: &str): format!(" {email}"),
        remove_title(email: &str): format!("Remove {email}?"),
        remove_text: "All their sessions and links end immediately.",
        remove_verb: "Remove member",
        removed(email: &str): format!("Removed {email}"),
        not_removed(reason: &str): format!("Could not remove the member. {reason}"),
        for_owner: "Owner only",
        for_owner_text: "Ask the owner of the account to make this change.",
    }

    /// Re-authentication dialog.
    reauthentication: ReauthenticationTexts {
        title: "Confirm your password",
        text: "The confirmation is valid for 5 minutes.",
        password: "Password",
        verb: "Continue",
        wrong: "Incorrect password",
    }

    /// API keys.
    keys: Keys {
        title: "API keys",
        rule: "API keys let your applications read, delete and export submissions. An account can \
               have 10 active keys, live and test combined.",
        elsewhere: "API keys are managed on another server",
        elsewhere_text: "Create and revoke API keys on the connected server.",
        active(active: usize, max: usize): format!("{active} of {max} active"),
        full(max: usize): format!("Limit of {max} active keys reached. Revoke a key first."),
        loading: "Loading API keys",
        what: "API keys",
        none: "No API keys yet",
        none_text: "Create one key per application, so that you can revoke each separately.",
        create: "Create key",
        key: "Key",
        created: "Created",
        last_used: "Last used",
        state: "Status",
        is_active: "Active",
        revoked: "Revoked {}",
        expires: "Expires {}",
        expired: "Expired {}",
        form_count(count: usize):
            if count == 1 { "1 form".to_owned() } else { format!("{count} forms") },
        examples: "Examples",
        examples_for(key: &str): format!(" for {key}"),
        revoke: "Revoke",
        revoke_of(key: &str): format!(" {key}"),
        revoke_title(key: &str): format!("Revoke “{key}”?"),
        revoke_text: "Applications using this key stop working immediately. This cannot be undone.",
        revoke_verb: "Revoke key",
        not_revoked(reason: &str): format!("Could not revoke the key. {reason}"),
        was_revoked(key: &str): format!("Revoked “{key}”"),
        create_title: "Create API key",
        create_verb: "Create",
        needs_name: "Enter a name",
        live_hint: "Access to live submissions",
        test_hint: "Access to test submissions only",
        name_hint: "For example: Website",
        access: "Access",
        full_access: "Full",
        full_access_hint: "Read, export and delete submissions",
        read_only: "Read-only",
        read_only_hint: "Read and export submissions",
        expiry: "Expiration",
        never: "Never",
        in_days(days: u16): format!("{days} days"),
        in_a_year: "1 year",
        on_day: "On a date",
        end_day: "Expiration date",
        end_day_hint: "The key stops working at the start of this day.",
        needs_day: "Choose a day in the future",
        secret_title(key: &str): format!("Copy the secret of “{key}”"),
        secret_text: "The secret appears only once. Copy it now and store it safely.",
        copy_secret: "Copy secret",
        use_title(key: &str): format!("Use “{key}”"),
        form: "Form",
        in_terminal: "Terminal",
        in_rust: "Rust, with the Sheaf client",
        copy_code: "Copy code",
        use_text: "Replace the dots with the secret, and use it only on a server: it gives access \
                   to your submissions. If you lose it, create another key.",
    }

    /// List of submissions.
    list: List {
        all_selected(count: u64): format!("All {} that match are selected", number(count)),
        form_maybe_deleted: "It may have been deleted, or the link is wrong.",
        form_missing: "Form not found",
        loading: "Loading submissions",
        months: "Months",
        more_failed(reason: &str): format!("Could not load more. {reason}"),
        news(count: u64): format!("{} new", number(count)),
        no_form: "The link has no valid form ID.",
        none_match: "Search and UTM filters match the exact text.",
        nothing_selected: "Nothing selected",
        page_not_found: "Page not found",
        selected(count: u64): format!("{} selected", number(count)),
        stale(reason: &str):
            format!("Could not apply the filter. Showing the previous results. {reason}"),
        the_list: "The list",
        too_many: "Too many requests",
        views: WORDS.views,
    }

    /// Small tables.
    listing: Listing {
        acts: "Actions",
    }

    /// Empty list of submissions.
    none_yet: NoneYet {
        text: "New submissions appear here. To import existing answers, run this command on the \
               server:",
    }

    /// Page for unknown paths.
    not_found: NotFound {
        not_found: "Not found",
        page_not_found: "Page not found",
        text: "The link may be wrong, or the page was deleted.",
        to_forms: "Go to forms",
    }

    /// Comboboxes that suggest existing values.
    picks: Picks {
        loading: "Loading values",
        none_fits: "No listed value matches",
        none_yet: "No values yet",
    }

    /// Texts of all charts.
    plots: Plots {
        show_plot: "Show chart",
        show_table: "Show table",
    }

    /// Panel of saved views.
    saved_views: SavedViews {
        about: "Save this filter as a view. Views are stored in this browser; their links work \
                anywhere.",
        about_server: "Save this filter as a view. Other members see only shared views.",
        change(name: &str): format!("Edit {name}"),
        days_move(days: &str): format!("Relative dates: {days}"),
        default: "Default",
        delete: "Delete view",
        deleted(name: &str): format!("View “{name}” deleted"),
        example: "Complaints this week",
        forgetful: "Your browser blocks storage, so saved views are lost on reload.",
        full(max: u64):
            format!("A form can have at most {} views. Delete one first.", number(max)),
        move_down: "Move down",
        move_stored(count: u64): match count {
            1 => "Move 1 view from this browser".to_owned(),
            _ => format!("Move {} views from this browser", number(count)),
        },
        move_up: "Move up",
        opens_with_form: "Use as default view",
        private: "Private",
        replace(name: &str): format!("Replace “{name}”"),
        save: "Save view",
        save_as: "View name",
        saved_views: "Saved views",
        share: "Share with members",
        shared: "Shared",
        taken(name: &str): format!("A view named “{name}” already exists"),
        use_filter: "Use current filter",
        with_columns: "Include columns",
    }

    /// Actions on selected submissions.
    selection: Selection {
        campaign_is(text: &str): format!("Campaign is “{text}”"),
        clear: "Clear",
        contains(text: &str): format!("Answers contain “{text}”"),
        delete_all: "Delete all matching submissions permanently?",
        export_all: "Export all",
        export_selection: "Export selection",
        medium_is(text: &str): format!("Medium is “{text}”"),
        no_filter: "No filter is set: this affects all submissions of the form.",
        is_in(name: &str, values: &str): format!("{name}: {values}"),
        of_form(count: u64, form: &str): format!("{} of {form}.", submissions(count)),
        releasable: "You can release them from Spam for 30 days.",
        restorable(days: u8): match days {
            1 => "You can restore them from the trash for 1 day.".to_owned(),
            _ => format!("You can restore them from the trash for {days} days."),
        },
        rows_failed(reason: &str): format!("Could not select the rows. {reason}"),
        select_all(count: u64): format!("Select all {} that match", number(count)),
        selecting: "Selecting…",
        selection: "Selection",
        since(time: &str): format!("Since {time}"),
        source_is(text: &str): format!("Source is “{text}”"),
        spam_all: "Mark all matching submissions as spam?",
        the_filter: "Filter:",
        type_to_confirm(count: u64): format!("Type {} to confirm", number(count)),
        type_to_delete(count: u64): format!("Type {} to continue", number(count)),
        trash_all: "Move all matching submissions to trash?",
        until(time: &str): format!("Until {time}"),
    }

    /// Sentiments.
    sentiments: Sentiments {
        mixed: WORDS.mixed,
        negative: WORDS.negative,
        neutral: WORDS.neutral,
        positive: WORDS.positive,
    }

    /// Layout of every page.
    shell: Shell {
        skip_to_content: "Skip to content",
        navigation: "Navigation",
        main_navigation: "Main",
        environment: "Environment",
        live: "Live",
        test: "Test",
        test_environment: "Test environment",
        test_band: "TEST",
        test_data: "Test mode",
        account(email: &str): format!("Account {email}"),
        sign_out: "Sign out",
        commands: "Commands",
        appearance: "Appearance",
        theme: "Theme",
        theme_system: "System",
        theme_light: "Light",
        theme_dark: "Dark",
        density: "Density",
        comfortable: "Comfortable",
        compact: "Compact",
        language: "Language",
        language_browser: "Browser default",
        forms: WORDS.forms,
        settings: "Settings",
        loading_forms: "Loading forms",
        no_forms: "No forms yet",
    }

    /// Command palette.
    palette: Palette {
        title: "Commands",
        placeholder: "Search forms and commands",
        found(count: usize): match count {
            0 => "No results".to_owned(),
            1 => "1 command".to_owned(),
            count => format!("{count} commands"),
        },
        go: "Go to",
        here: "This page",
        view: "View",
        form(environment: &str): format!("{environment} form"),
        insights_of(form: &str): format!("{form}: insights"),
        settings_of(form: &str): format!("{form}: settings"),
        environment(name: &str): format!("{name} forms"),
        all_forms: "All forms",
        api_keys: "API keys",
        theme(name: &str): format!("Theme: {name}"),
        density(name: &str): format!("Density: {name}"),
        create_form: "Create form",
        create_key: "Create API key",
    }

    /// Printing.
    print: Print {
        print: "Print",
    }

    /// Help on keyboard shortcuts.
    keys_help: KeysHelp {
        title: "Keyboard shortcuts",
        alt: "Alt",
        alt_mac: "⌥",
        click: "click",
        ctrl: "Ctrl",
        cmd: "⌘",
        enter: "Enter",
        escape: "Esc",
        shift: "Shift",
        palette: "Open commands",
        help: "Show shortcuts",
        single: "Single-key shortcuts",
        single_hint: "When off, open this help from Commands.",
        close: "Close",
        search: "Search",
        find: "Search (press again for browser find)",
        next: "Next submission",
        previous: "Previous submission",
        next_unread: "Next unread submission",
        previous_unread: "Previous unread submission",
        open: "Open submission",
        pick: "Select submission (Shift+arrow for a range)",
        pick_all: "Select all loaded (press again for all matching)",
        export: "Export",
        delete: "Delete selected or open submission",
        star: "Star open or focused submission, or remove its star",
        status: "Set status of open or focused submission",
        tags: "Add tags to open or focused submission",
        assignee: "Assign open or focused submission",
        note: "Add note to open or focused submission",
        mark_unread: "Mark open or focused submission as unread",
        undo: "Undo last action",
        print: "Print open submission or visible rows",
        filter_cell: "Filter by value of clicked cell",
        board: "Move focus between cards and columns of the board",
    }

    /// Sign-in page.
    sign_in: SignIn {
        again: "Sign in again",
        away: "No access",
        away_text: "No account is linked to your sign-in.",
        email: "Email",
        email_link: "Email me a sign-in link",
        email_link_back: "Back to sign-in",
        email_link_send: "Send link",
        email_link_sent: "If there is a member with this address, a link is on its way. It is \
                          valid for 15 minutes.",
        email_link_text: "You get a link that signs you in once.",
        email_link_title: "Sign in by email",
        left: "Signed out",
        left_text: "You may still be signed in with your organisation. On a shared device, sign \
                    out there too.",
        link_other(current: &str):
            format!("You are signed in as {current}. Signing in with this link ends that session."),
        link_question(email: &str): format!("Sign in as {email}?"),
        link_same(current: &str): format!("You are already signed in as {current}."),
        link_text: "This sign-in link works once.",
        link_used: "This link was used or has expired. Request a new one, or sign in with your \
                    password.",
        no_password: "Forgot your password? Ask your administrator for a sign-in link. They create \
                      one with {}.",
        password: "Password",
        sign_in: "Sign in",
        text: "Manage your form submissions.",
        too_many(wait: &str): format!("Too many attempts. Try again in {wait}."),
        wrong: "Incorrect email or password. Check both and try again.",
    }

    /// Errors of signing out.
    sign_out: SignOut {
        failed(reason: &str): format!("Could not sign out: {reason}"),
    }

    /// Start page for creating the first form.
    start: Start {
        title: "Forms",
        loading: "Loading forms",
        what: "Forms",
    }

    /// Triage of submissions: status, star, tags, assignee, notes and history.
    triage: Triage {
        a_member: "A member",
        add: "Add",
        add_note: "Add note",
        add_tag: "Add tag",
        assignee: "Assignee",
        delete_note_text: "This cannot be undone.",
        delete_note_title: "Delete note?",
        detail: "The notes and history",
        done: "Done",
        edit: "Edit",
        edit_note(author: &str): format!("Edit note by {author}"),
        edited: "edited",
        history: "History",
        history_assigned(name: &str): format!("Assigned to {name}"),
        history_by(event: &str, person: &str): format!("{event} by {person}"),
        history_empty: "No changes yet",
        history_starred: "Starred",
        history_status(from: &str, to: &str): format!("Status changed from {from} to {to}"),
        history_status_to(to: &str): format!("Status changed to {to}"),
        history_tags_added(tags: &str): format!("Added tags: {tags}"),
        history_tags_removed(tags: &str): format!("Removed tags: {tags}"),
        history_unassigned: "Unassigned",
        history_unstarred: "Star removed",
        in_progress: "In progress",
        loading: "Loading notes",
        mark_read: "Mark as read",
        mark_unread: "Mark as unread",
        marked_read: "Marked as read",
        marked_unread: "Marked as unread",
        members: "Members",
        members_offered(count: u64): match count {
            1 => "1 member".to_owned(),
            _ => format!("{} members", number(count)),
        },
        more_tags(count: u64): match count {
            1 => "1 more tag".to_owned(),
            _ => format!("{} more tags", number(count)),
        },
        no_more_unread: "No more unread submissions",
        no_tags: "No tags",
        nobody: "Nobody",
        not_changed(reason: &str): format!("Could not change the submission. {reason}"),
        note_deleted: "Note deleted",
        note_failed(reason: &str): format!("Could not save the note. {reason}"),
        note_hint: "Press Ctrl+Enter to save. Type @ to mention a member.",
        note_not_deleted(reason: &str): format!("Could not delete the note. {reason}"),
        note_saved: "Note saved",
        note_too_long(max: u64):
            format!("A note has at most {} characters. Shorten it.", number(max)),
        notes: "Notes",
        open: "Open",
        remove_tag(tag: &str): format!("Remove tag {tag}"),
        removed_member: "A former member",
        save_note: "Save note",
        set_status(name: &str): format!("Set status to {name}"),
        star: "Star",
        starred: "Starred",
        status: "Status",
        tag_invalid(max: u64): format!("Enter at most {} characters.", number(max)),
        tags: "Tags",
        tags_full(max: u64):
            format!("A submission has at most {} tags. Remove one first.", number(max)),
        title: "Triage",
        unread_failed(reason: &str): format!("Could not find unread submissions. {reason}"),
    }

    /// Statuses and tags of the account.
    status_settings: StatusSettings {
        about: "For the submissions of all forms. Removed tags stay on submissions.",
        add_status: "Add status",
        add_tag: "Add tag",
        blue: "Blue",
        built_in: "Built in",
        changed_meanwhile: "Somebody else changed the statuses or tags. Save again to replace \
                            their changes, or discard your changes to see theirs.",
        color: "Color",
        color_of(tag: &str): format!("Color of {tag}"),
        discard: "Discard changes",
        gray: "Gray",
        green: "Green",
        id: "ID",
        in_use(reason: &str): format!("A removed status is still in use. {reason}"),
        invalid_name(max: usize): format!("Enter a name of 1 to {max} characters"),
        invalid_tag(max: usize): format!("Enter a tag of 1 to {max} characters"),
        loading: "Loading statuses and tags",
        name_of(status: &str): format!("Name of {status}"),
        new_tag: "New tag",
        no_tags: "No tags yet.",
        now_at(status: &str, position: usize, count: usize): format!(
            "{status}: position {position} of {count}"
        ),
        orange: "Orange",
        pink: "Pink",
        purple: "Purple",
        red: "Red",
        remove_status(status: &str): format!("Remove {status}"),
        remove_tag(tag: &str): format!("Remove {tag}"),
        save: "Save statuses and tags",
        saved: "Statuses and tags saved",
        statuses: "Statuses",
        statuses_full(max: usize): format!("An account can have at most {max} further statuses"),
        tag_exists(tag: &str): format!("The tag “{tag}” exists already"),
        tags: "Tags",
        tags_full(max: usize): format!("An account can have at most {max} tags"),
        title: "Statuses and tags",
        unchanged: "No changes to save",
        unnamed(position: usize): format!("status {position}"),
        what: "Statuses and tags",
        yellow: "Yellow",
    }

    /// Triage of the selected submissions.
    triage_actions: TriageActions {
        add: "Add",
        add_tag: "Add tag",
        assign: "Assign",
        back: "Back to all actions",
        change_all(count: u64): format!("Change all {} that match?", submissions(count)),
        change_all_text(change: &str): format!("{change}."),
        change_verb: "Change",
        changed(count: u64): match count {
            0 => "Nothing to change".to_owned(),
            _ => format!("{} changed", submissions(count)),
        },
        failed(reason: &str): format!("Could not change the submissions. {reason}"),
        not_undone(reason: &str): format!("Could not undo the change. {reason}"),
        remove: "Remove",
        remove_tag: "Remove tag",
        star: "Add star",
        status: "Status",
        tag: "Tag",
        tag_invalid(max: usize): format!("Enter a tag of 1 to {max} characters"),
        title: "Triage",
        undone(count: u64): format!("{} changed back", submissions(count)),
        unstar: "Remove star",
    }

    /// UI components.
    ui: Ui {
        clear_search: "Clear search",
        dismiss: "Dismiss",
        notices: "Notifications",
        not_opened(reason: &str): format!("Could not open. {reason} Try again."),
        part_missing: "Could not load this content",
        part_missing_text: "You are offline, your session has ended, or the dashboard was updated.",
        reload: "Reload page",
        edit(name: &str, value: &str): format!("Edit {name}: {value}"),
        remove(name: &str, value: &str): format!("Remove {name}: {value}"),
        select_all_loaded: "Select all loaded",
        select_row: "Select row",
        unread: "Unread",
        unread_count: " unread",
        width_of(column: &str): format!("Width of {column}"),
    }

    /// Panel of UTM values.
    utm: Utm {
        among_loaded(count: u64): match count {
            1 => "From 1 loaded submission".to_owned(),
            _ => format!("From {} loaded submissions", number(count)),
        },
        apply: "Apply",
        campaign_example: "spring-launch",
        failed(reason: &str): format!("Could not load values. {reason}"),
        hint: "Exact match.",
        others(count: u64): match count {
            1 => "1 submission has another value. Type to enter it.".to_owned(),
            _ => format!("{} submissions have other values. Type to enter one.", number(count)),
        },
    }
}
