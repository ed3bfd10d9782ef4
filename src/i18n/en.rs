//! The English texts, and with them the catalogue: which texts there are.

use contract::summary::Unit;
use row_view::words::ENGLISH as WORDS;

use super::{catalog::catalogue, number};

/// Returns so many submissions, in words.
fn submissions(count: u64) -> String {
    match count {
        1 => format!("1 {}", WORDS.submission),
        _ => format!("{} {}", number(count), WORDS.submissions),
    }
}

catalogue! {
    /// The calendar in which days are chosen.
    calendar: Calendar {
        calendar: "Calendar",
        choose_last(day: &str): format!("From {day}. Choose the last day."),
        next_month: "Next month",
        previous_month: "Previous month",
    }

    /// The card of a submission.
    card: Card {
        answers: "Answers",
        as_curl: "As curl",
        as_json: "As JSON",
        as_text: "As text",
        browser: "Browser",
        categories: "Categories",
        completed_in: "Completed in",
        copy: "Copy",
        copy_id: "Copy id",
        country: "Country",
        device: "Device",
        id: "Id",
        insight: "Insight",
        language: "Language",
        loading: "Loading the submission",
        maybe_deleted: "It may have been deleted, or the link is mistyped.",
        metadata: "Metadata",
        missing: "This submission does not exist",
        newest: "This is the newest submission",
        next: "Next submission",
        not_on_list: "This submission is not on the list as it is filtered",
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

    /// The columns of the list of submissions.
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

    /// The panel in which columns are chosen.
    columns: Columns {
        in_order: "Columns, in order",
        reset: "Reset columns",
        whole_times: "Whole dates and times",
    }

    /// Words of many pages.
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
        go_on: "Go on",
        insights: WORDS.insights,
        is_first: "It is the first",
        is_last: "It is the last",
        live: WORDS.live,
        loading: "Loading",
        move_up(what: &str): format!("Move {what} up"),
        move_down(what: &str): format!("Move {what} down"),
        name: "Name",
        no: "No",
        no_submissions_match: "No submissions match",
        no_submissions_yet: "No submissions yet",
        not_analysed: "Not analysed",
        others: "Others",
        retry: "Retry",
        settings: WORDS.settings,
        submissions: "Submissions",
        submission_count(count: u64): submissions(count),
        test: WORDS.test,
        undo: "Undo",
        yes: "Yes",
    }

    /// What a copy button says once it was pressed.
    copying: Copying {
        copied: "Copied",
        refused: "Not copied: select the text and press Ctrl+C",
    }

    /// The panel of days.
    dates: Dates {
        first_day: "First day",
        last_day: "Last day",
        last_month: "Last month",
        ranges: "Ranges up to today",
        seven_days: "7 days",
        thirty_days: "30 days",
        this_month: "This month",
        this_year: "This year",
        time_zone(zone: &str): format!("Days of your time zone, {zone}"),
        today: "Today",
        yesterday: "Yesterday",
    }

    /// Deleting submissions, and marking them as spam.
    deletion: Deletion {
        busy: "Another deletion is running. Wait until it finishes, or stop it.",
        count_changed(why: &str): format!("The number of submissions changed. {why}"),
        deleted(count: u64): match count {
            0 => "Already deleted".to_owned(),
            1 => "Submission deleted".to_owned(),
            _ => format!("{} submissions deleted", number(count)),
        },
        deleting: "Deleting submissions",
        done(done: u64, total: u64): format!("Deleted {} of {}", number(done), number(total)),
        failed(why: &str): format!("Could not delete. {why}"),
        keep_open: "Keep this page open until it finishes.",
        label: "Deletion",
        list_failed(why: &str): format!("Could not list the submissions to delete. {why}"),
        listing: "Listing the submissions to delete",
        many(count: u64): format!("Delete {} permanently?", submissions(count)),
        mark_failed(why: &str): format!("Could not mark as spam. {why}"),
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
        not_restored(why: &str): format!("Could not restore. {why}"),
        nothing_restored: "Nothing was restored: it is no longer there.",
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

    /// What kinds of devices are called.
    devices: Devices {
        desktop: WORDS.desktop,
        mobile: WORDS.mobile,
        tablet: WORDS.tablet,
    }

    /// The dialog that exports.
    export: Export {
        title: "Export submissions",
        label: "Export",
        download: "Download",
        cancel: "Cancel export",
        pause: "Pause",
        hide: "Hide",
        show: "Show",
        of_file(name: &str, said: &str): format!("{name}: {said}"),
        try_again: "Try again",
        may_hide: "You can hide this and go on with your work; when the page is loaded again, the \
                   export can go on from where it was.",
        far(written: u64, total: u64): format!("{} of {}", number(written), number(total)),
        paused(far: &str): format!("Paused at {far}"),
        silent(far: &str): format!(
            "{far}. No answer for 15 s. If your session has ended, reload to sign in again."
        ),
        waits(far: &str, wait: &str):
            format!("{far}. The rate limit is reached; goes on by itself in {wait}"),
        goes(far: &str, left: &str): format!("{far}, about {left} left"),
        straight: "Write straight to a file of my choice",
        straight_hint: "For large exports: nothing is kept twice",
        in_memory: "At this address the browser lends no disk: it keeps the file in memory until \
                    it is whole, and a reload begins anew. Over HTTPS it would not.",
        cost(requests: u64, span: Option<&str>): {
            let requests = match requests {
                1 => "1 request".to_owned(),
                _ => format!("{requests} requests"),
            };
            match span {
                None => format!("This takes {requests}"),
                Some(span) => {
                    format!("This takes {requests}, which your plan spreads over {span}")
                }
            }
        },
        cost_unknown: "One request for every 100 submissions, no faster than your plan allows",
        fills_sheets(rows: u64, sheets: u64): format!(
            "A sheet takes {} submissions, so they fill {sheets} sheets.",
            number(rows)
        ),
        whole_form_alone: "The whole form. To export less, filter the list first.",
        whole_form: "The whole form",
        dates: "The date range",
        selected(count: u64): format!("The selected ({})", number(count)),
        filtered: "Exactly this filtered list",
        filtered_count(count: u64): format!("Exactly this filtered list ({})", number(count)),
        from_to(from: &str, to: &str): format!("{from} to {to}"),
        since(from: &str): format!("Since {from}"),
        until(to: &str): format!("Until {to}"),
        format: "Format",
        csv: "CSV",
        csv_hint: "For any spreadsheet: a row a submission",
        xlsx: "Excel",
        xlsx_hint: "A workbook in which numbers and dates are such",
        json: "JSON",
        json_hint: "For programs: everything, as the API gives it",
        ndjson: "NDJSON",
        ndjson_hint: "For programs: a line a submission",
        safe: "Safe for spreadsheets",
        safe_hint: "Puts ' before text that a spreadsheet would run as a formula. Take it off for \
                    the exact text.",
        my_zone: "Times in my time zone",
        my_zone_hint: "Else in UTC, as the API tells them",
        all_columns(all: usize): format!("All {all} columns"),
        some_columns(some: usize, all: usize): format!("{some} of {all} columns"),
        later_columns: "Answers that only other submissions have become columns, too: behind \
                        these.",
        broken_off(name: &str, far: &str):
            format!("The export to {name} was broken off at {far}. "),
        go_on_with_it: "Go on with it",
        discard: "Discard",
        saved(count: u64):
            format!("The file was saved with {}.", submissions(count)),
        short(total: u64, missing: u64): format!(
            "It is short: the list had {}, so {} are missing. They may have been deleted while it \
             was written; export again if that surprises you.",
            number(total),
            number(missing)
        ),
        cells_cut(count: u64): format!(
            "{} longer than 32,767 characters, which is all that a cell takes, and the rest was \
             cut; CSV and JSON have them whole.",
            match count {
                1 => "1 answer is".to_owned(),
                _ => format!("{} answers are", number(count)),
            }
        ),
        sheets(count: u32): format!("The rows fill {count} sheets."),
        exported(name: &str): format!("Exported to {name}"),
        exported_count(count: u64, name: &str):
            format!("Exported {} to {name}", submissions(count)),
        gone: "What was to be exported is not there any more",
        lost: "What was written of this export is not there any more: export again",
        rows_lost: "The rows that were gathered cannot be read any more: export again",
        refused(why: &str):
            format!("The browser could not write the file ({why}): make room, and try again"),
        keys_max(max: u64):
            format!("The answers have more than {} different keys: export as JSON", number(max)),
        columns_max(max: u64, all: u64): format!(
            "A sheet takes at most {} columns, but this export has {}: choose fewer, or export as \
             CSV",
            number(max),
            number(all)
        ),
        too_large: "The workbook is larger than 4 GiB, which its format does not allow: export as \
                    CSV",
        not_saved: "The browser refused to save the file: try again",
        ended: "The browser has ended the part that writes exports: try again to go on where it \
                was",
        not_started: "The part that writes exports could not be loaded: try again, or load the \
                      page anew",
    }

    /// What went wrong, where it is not in the server's words. `what` is a subject in the singular.
    failures: Failures {
        given_up: "The request was given up",
        goes_on_in: "Goes on by itself in {}",
        key_refused: "The key was refused",
        key_revoked(message: &str): format!(
            "The key that this dashboard uses was revoked, or may not read this: {message}"
        ),
        missing(what: &str): format!("{what} does not exist"),
        needs_password: "Nothing was done: it needs your password",
        needs_sign_in: "Nothing was done: it needs a fresh sign-in. Sign out, come back by a new \
                        link, and do it within five minutes.",
        not_loaded(what: &str): format!("{what} could not be loaded"),
        session_ended: "Your session has ended. Reload to sign in again.",
        session_ended_title: "Your session has ended",
        signed_out: "You are signed out",
        status(status: u16): format!("The server answered with status {status}; retry later"),
        too_many: "Too many requests",
        unreachable: "Sheaf could not be reached. Check your connection. If your session has \
                      ended, reload to sign in again.",
        unreadable(problem: &str): format!("The answer could not be read: {problem}"),
    }

    /// What is wrong with the fields of a form.
    field_problems: FieldProblems {
        too_many(most: usize): format!("A form has at most {most} fields"),
    }

    /// The filter over the list.
    filter_bar: FilterBar {
        campaign: "Campaign",
        clear_all: "Clear all",
        date: WORDS.date,
        default_view: "Default view",
        from: "From",
        left_out(problem: &str): format!("Left out of this link: {problem}"),
        medium: "Medium",
        search: "Search",
        search_answers: WORDS.search_answers,
        source: "Source",
        to: "To",
        utm: WORDS.utm,
        view: "View",
    }

    /// Whether the submissions of a form are analysed.
    form_analysis: FormAnalysis {
        title: "Analysis",
        about: "Finds the language, the sentiment and the categories of what people write. It \
                comes later than the submission and changes nothing else of it.",
        loading: "Loading the analysis",
        what: "The analysis",
        is_on: "Analysis is on",
        is_off: "Analysis is off; what was found stays",
        off: "Off: nothing is analysed.",
        queueing(pending: u64): format!(
            "{} wait, and older submissions are being looked through.",
            number(pending)
        ),
        pending(pending: u64): match pending {
            0 => "Nothing waits for it.".to_owned(),
            1 => "1 submission waits.".to_owned(),
            _ => format!("{} submissions wait.", number(pending)),
        },
        switch: "Analyse submissions of this form",
        switch_hint: "Also those that came before",
        switch_first: "Switch the analysis on first",
        again: "Analyse all again",
        again_title: "Analyse all submissions again?",
        again_text: "Each counts toward the limit of its day. What you corrected by hand stays.",
        again_verb: "Analyse again",
    }

    /// The categories of a form.
    form_categories: FormCategories {
        title: "Categories",
        about: "A submission belongs to each category of which it has a word. They hold for what \
                is analysed from now on.",
        loading: "Loading the categories",
        what: "The categories",
        saved: "Categories saved",
        full(most: usize): format!("A form has at most {most} categories"),
        usual_title: "Go back to the usual categories?",
        usual_text: "This form's own categories and their words are deleted.",
        usual: "Use the usual ones",
        are_usual: "These are the usual ones, as long as you save no others.",
        add: "Add category",
        save: "Save categories",
        new: "the new category",
        category(name: &str): format!("Category {name}"),
        words: "Words",
        words_hint: "With commas between or one a line; deliver* is every word that begins so.",
        leave_out: "Leave out",
        leave_out_of(name: &str): format!(" {name}"),
    }

    /// The fields of a form.
    form_fields: FormFields {
        title: "Fields",
        about: "Lists and exports show them under these names and in this order. Pages send \
                answers by the keys, which stay as they are. A hidden field has no column, filter \
                or chart; it takes answers and is exported.",
        none: "The form has no fields yet. It learns them from the first submission, or you add \
               them here.",
        unchanged: "There is nothing to save: nothing was changed",
        add: "Add field",
        discard: "Discard changes",
        save: "Save fields",
        saved: "Fields saved",
        kind: "Type",
        key: "Key",
        new: "New",
        unnamed(place: usize): format!("field {place}"),
        name_of(field: &str): format!("Name of {field}"),
        kind_of(field: &str): format!("Type of {field}"),
        leave_out(field: &str): format!("Leave {field} out"),
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
            "{names}: existing answers stay with their submissions, but lists and CSV exports \
             have no column for them any more, and new submissions do not add the field again."
        ),
        delete_verb(count: usize): match count {
            1 => "Delete field".to_owned(),
            _ => "Delete fields".to_owned(),
        },
        now_at(field: &str, place: usize, count: usize):
            format!("{field} is now {place} of {count}"),
        text: "Text",
        long_text: "Long text",
        number: "Number",
        boolean: "Yes or no",
        choice: "One choice",
        choices: "Several choices",
        rating: "Rating",
        email: "E-mail",
        phone: "Phone",
        url: "Web address",
        date: "Date",
    }

    /// What a form takes in.
    form_intake: FormIntake {
        loading: "Loading what the form takes in",
        what: "What the form takes in",
        not_whole(name: &str, text: &str):
            format!("`{name}` must be a whole number, but is `{text}`"),
        // The rest of what was said of it, by us or by the server.
        wrong(_name: &str, rest: &str): format!("This {rest}"),
        not_an_instant(name: &str, text: &str):
            format!("`{name}` must be a day and a time, but is `{text}`"),
        closing: "Open or closed",
        is_closed: "This form is closed.",
        closed: "Closed now",
        closed_hint: "Nothing more can be sent to the form",
        closes_at: "Closes at",
        closes_at_hint(zone: &str):
            format!("In your time zone, {zone}. Left empty, it stays open."),
        closes_after: "Closes after this number of submissions",
        closes_after_hint: "Spam does not count. Left empty, any number is taken.",
        message: "What visitors of the closed form read",
        message_hint: "One sentence. Left empty, they read one of ours in their language.",
        save: "Save intake",
        saved: "Intake saved: in force from now on",
        pages: "Pages",
        origins: "Pages of these origins may send",
        origins_hint: "One a line. Left empty, any page may.",
        redirects: "Browsers may go on to",
        redirects_hint: "Origins or addresses, one a line. In place of any other, people see our \
                         thanks.",
        spam: "Spam",
        honeypot: "Set aside what fills the honeypot",
        honeypot_hint: "The input _gotcha, which people do not see",
        seconds_min: "Least time, in seconds",
        seconds_min_hint: "Who says to have taken less is set aside as spam; 0 is nobody.",
        fields_and_limits: "Fields and limits",
        unknown_keys: "Answers with keys that no field has",
        learns: "Become fields",
        learns_not: "Are kept with the submission",
        learns_at_first: "Become fields while there are none",
        strict: "Refuse the submission",
        address_limit: "Most from one network address in 15 minutes",
        form_limit: "Most in all in 15 minutes",
        limit_hint: "Left empty, any number is taken.",
    }

    /// The frame around the settings of a form.
    form_settings: FormSettings {
        title(form: &str): format!("{form} settings"),
        label: "Settings of the form",
        loading: "Loading the form",
        what: "The form",
        rename: "Rename",
        duplicate: "Duplicate",
        duplicated(copy: &str): format!("Created “{copy}”"),
        delete: "Delete",
        not_found: "Form not found",
        not_found_text: "The link is mistyped, or the form belongs to another account.",
        share: "Send to it",
        fields: "Fields",
        intake: "Intake",
        spam: "Spam",
        trash: "Trash",
        analysis: "Analysis",
    }

    /// The question before a form is deleted.
    form_deletion: FormDeletion {
        title: "Delete the form",
        text(count: u64, form: &str): format!(
            "This deletes “{form}” with {}, its spam and its settings. Pages that send to it get \
             an error. It cannot be undone.",
            submissions(count)
        ),
        name: "Type the name of the form",
        other_name: "This is not the name of the form",
        verb: "Delete form",
        done(form: &str): format!("Deleted “{form}”"),
    }

    /// How to send to a form.
    form_share: FormShare {
        first_steps: "Nothing was sent to this form yet. Paste the HTML into a page and send it, \
                      or run the command: this page says when it has come.",
        first_is_here: "The first submission is here. {}.",
        look_at_it: "Look at it",
        html: "HTML form",
        html_about: "Paste it into any page and style it as you like. People do not see the input \
                     _gotcha; programs that fill in everything give themselves away by it.",
        redirect: "Go on to (optional)",
        redirect_hint: "Where browsers go once they have sent, if Intake allows the address",
        copy_html: "Copy HTML",
        script: "What a page can tell",
        script_about: "With this anywhere in the page, submissions say how long people took and \
                       which campaign they came by.",
        copy_script: "Copy script",
        program: "From a terminal or a program",
        program_about: "Answers are JSON, by the keys of the fields.",
        address: "Address",
        address_about: "It stays, also when form and fields are renamed.",
        copy_address: "Copy address",
    }

    /// What a form set aside as spam.
    form_spam: FormSpam {
        title: "Spam",
        about: "Suspected spam is kept for 30 days and is not listed, counted or exported. Release \
                a submission to move it back to the list.",
        label: "Spam",
        loading: "Loading the spam",
        what: "The spam",
        what_rest: "The rest of the spam",
        none: "No spam",
        none_text: "Suspected spam is kept here for 30 days.",
        count(count: u64): format!("{} in spam", number(count)),
        more: "Show more",
        answers: "Answers",
        why: "Reason",
        came: "Received",
        honeypot: "Honeypot",
        too_fast: "Too fast",
        marked: "Marked as spam",
        release: "Release",
        released: "Released: it is among the submissions",
        act_on(answers: &str): format!(" {answers}"),
        deleted: "Deleted",
        failed(why: &str): format!("That failed: {why}"),
        delete_all: "Delete all",
        delete_title(count: u64): match count {
            1 => "Delete the submission in spam?".to_owned(),
            _ => format!("Delete all {} submissions in spam?", number(count)),
        },
        delete_text: "This cannot be undone. Submissions in the form's list stay.",
        delete_verb: "Delete spam",
        nothing_deleted(why: &str): format!("Nothing was deleted. {why}"),
        all_deleted: "The spam was deleted",
    }

    /// The trash of a form.
    form_trash: FormTrash {
        title: WORDS.trash,
        about(days: u8): match days {
            0 => "The trash is off: submissions are deleted permanently at once.".to_owned(),
            1 => "Deleted submissions are kept for 1 day, then deleted permanently.".to_owned(),
            _ => format!(
                "Deleted submissions are kept for {days} days, then deleted permanently."
            ),
        },
        label: "Trash",
        loading: "Loading the trash",
        what: "The trash",
        what_rest: "The rest of the trash",
        none: "The trash is empty",
        none_text: "Deleted submissions appear here.",
        none_match: "No submissions match",
        none_match_text: "Search looks for the exact text in all answers.",
        search: "Search the trash",
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
        failed(why: &str): format!("That failed. {why}"),
        empty: "Empty trash",
        empty_title: "Empty trash?",
        empty_text(count: u64): format!(
            "This deletes {} permanently. It cannot be undone.",
            submissions(count)
        ),
        not_emptied(why: &str): format!("Could not empty the trash. {why}"),
        emptied: "Trash emptied",
        settings: "Retention",
        days: "Days in trash",
        days_hint: "0 to 90. With 0, submissions are deleted permanently at once. A change applies \
                    to submissions in the trash, too.",
        days_wrong(most: u8): format!("Enter a whole number from 0 to {most}"),
        save: "Save",
        saved: "Trash settings saved",
    }

    /// How much of the day's analysis is used.
    form_usage: FormUsage {
        title: "Your account today",
        about: "The plan says how many submissions are analysed a day. What is above that waits \
                for the next day, and nothing is lost.",
        label: "Usage of today",
        loading: "Loading the usage",
        what: "The usage",
        used_today: "Analysed today",
        used: "Used",
        limit_today: "Limit of the day",
        limit: "Limit",
        waiting: "Waiting",
        next_day: "The next day begins {} (UTC).",
    }

    /// Where forms are managed.
    forms: Forms {
        none: "No forms yet",
        none_test: "No test forms yet",
        first_steps: "Create one, paste its HTML into a page of yours, and send it once: the \
                      submission is here at once.",
        elsewhere: "Forms are managed elsewhere",
        elsewhere_text: "This dashboard stands in front of another server. Create forms and set \
                         them up where that server is run.",
        count(count: usize): match count {
            1 => "1 form".to_owned(),
            _ => format!("{} forms", number(count as u64)),
        },
        full(most: usize):
            format!("An account may hold at most {most} forms, live and test together"),
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
        create_title: "Create a form",
        create_verb: "Create",
        needs_name(most: usize): format!("Give the form a name of 1 to {most} characters"),
        live_hint: "Takes real submissions",
        test_hint: "Takes submissions to try things out with",
        name_hint: "For example: Contact",
        fields: "Fields",
        fields_hint: "One a line. Left empty, the form learns its fields from the first \
                      submission.",
        analyse: "Analyse submissions",
        analyse_hint: "Finds language, sentiment and categories of what people write",
        rename_title: "Rename the form",
        rename_hint: "Pages that send to the form go on as before.",
        renamed(form: &str): format!("Renamed to “{form}”"),
        open_by_id: "Open a form by its ID",
        open_by_id_text: "This server does not list its forms. The forms that you open are \
                          remembered in this browser.",
        id: "Form ID",
        not_an_id(typed: &str, why: &str): format!("`{typed}` is no form id: {why}"),
        open: "Open form",
    }

    /// Links of the side bar.
    frame: Frame {
        all_forms: WORDS.all_forms,
        api_keys: WORDS.api_keys,
        account: WORDS.account,
        activity: WORDS.activity,
    }

    /// What a filtered result says as a whole.
    insights: Insights {
        title(form: &str): format!("{form} insights"),
        loading: "Loading insights",
        what: "The summary",
        rest: "The rest",
        over(counted: u64, all: u64): format!("over {} of {}", number(counted), number(all)),
        none_text: "What they say together is shown here once some have come.",
        no_match_text: "None has all that the filter asks for.",
        sentiment: "Sentiment",
        sentiment_over_time: "Sentiment over time",
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
        not_known: "Not known",
        not_answered: "Not answered",
        filter_by(value: &str): format!("Filter by {value}"),
        by_unit(title: &str, unit: Unit): format!("{title} by {}", match unit {
            Unit::Day => "day",
            Unit::Week => "week",
            Unit::Month => "month",
            Unit::Year => "year",
        }),
        day: "Day",
        week: "Week",
        month: "Month",
        year: "Year",
        earlier(count: u64): format!("{} earlier ones are not drawn", number(count)),
        completion_time: "Completion time",
        under(span: &str): format!("Under {span}"),
        and_more(span: &str): format!("{span} and more"),
    }

    /// Where the account is signed in, and its password.
    account: Account {
        title: "Account",
        loading: "Loading your sign-ins",
        what: "The list of your sign-ins",
        sessions: "Signed in",
        sessions_text: "End what you do not know, and change the password then. A sign-in ends by \
                        itself after 12 hours without use, and after 14 days.",
        sessions_text_proxied: "End what you do not know, and tell whoever looks after your \
                                organisation's sign-in. One ends by itself after 12 hours without \
                                use, and after 14 days.",
        place: "Where",
        since: "Since",
        unknown: "Unknown browser",
        this_one: "This one",
        end: "Sign out",
        of(place: &str): format!(" {place}"),
        ended(place: &str): format!("Signed out {place}"),
        end_others: "Sign out everywhere else",
        others_ended: "Signed out everywhere else",
        not_ended(why: &str): format!("It was not signed out. {why}"),
        password: "Password",
        current: "Current password",
        new: "New password",
        new_hint: "12 characters or more. All other sign-ins end with it.",
        first_hint: "12 characters or more. With it you can sign in without a link.",
        too_short(most: usize): format!("A password needs at least {most} characters"),
        change: "Change password",
        set: "Set password",
        was_set: "The password is set; all other sign-ins ended",
        email: "Email address",
        new_email: "New email address",
        email_text(email: &str): format!("You sign in as {email}."),
        email_hint: "All other sign-ins end, and so do links that were sent to the old address.",
        same_email: "This is your address already",
        change_email: "Change address",
        email_was_set: "The address is changed; all other sign-ins ended",
    }

    /// Who did what in the account.
    activity: Activity {
        title: "Activity",
        about: "Who did what in this account, when and from where; people by the mail address \
                that they had then. It stays here for 400 days; nobody can change it, and no \
                answer of a form is in it.",
        loading: "Loading the activity",
        what: "The activity",
        what_rest: "The rest of the activity",
        count(count: u64, text: String): match count {
            1 => "1 act".to_owned(),
            _ => format!("{text} acts"),
        },
        look: "What is shown",
        kind: "Kind",
        all: "Everything",
        sign_ins: "Sign-ins",
        keys: "API keys",
        forms: "Forms",
        submissions: "Submissions",
        spam: "Spam",
        insights: "Insights",
        refused: "Refused",
        none: "Nothing yet",
        none_text: "What is done in this account from now on is shown here.",
        no_match: "Nothing matches",
        no_match_text: "There is nothing of this kind on these days.",
        clear: "Show everything",
        elsewhere: "Activity is kept elsewhere",
        elsewhere_text: "This dashboard stands in front of another server, which has a log of its \
                         own.",
        export_csv: "Export CSV",
        export_ndjson: "Export NDJSON",
        exported(name: &str): format!("Saved as {name}"),
        not_exported(why: &str): format!("It was not exported. {why}"),
        more: "Show more",
        what_head: "What",
        who: "Who",
        from: "From where",
        outcome: "Outcome",
        when: "When",
        ok: "Done",
        denied: "Refused",
        failed: "Failed",
        by_nobody: "Unknown",
        by_session: "Somebody signed in",
        by_key: "API key",
        by_system: "Server",
        account_created: "Account created",
        plan_set(before: &str, plan: &str): format!("Plan changed from {before} to {plan}"),
        account_deleted(id: &str): format!("Account {id} deleted"),
        signed_in: "Signed in",
        sign_in_refused: "Sign-in refused",
        signed_out: "Signed out",
        others_signed_out: "Signed out everywhere else",
        proven: "Password given again",
        proof_refused: "Wrong password given again",
        person_added: "Reader added",
        person_removed: "Reader removed",
        person_linked: "Sign-in by the proxy linked",
        person_unlinked: "Sign-in by the proxy unlinked",
        email_set(before: &str, email: &str): format!("Email changed from {before} to {email}"),
        link_made: "Sign-in link made",
        password_set: "Password changed",
        password_refused: "Password change refused",
        key_created(name: &str): format!("Key “{name}” created"),
        key_revoked(name: &str): format!("Key “{name}” revoked"),
        form_created(name: &str): format!("Form “{name}” created"),
        form_renamed(before: &str, name: &str): format!("Form “{before}” renamed to “{name}”"),
        form_duplicated(source: &str, name: &str): format!("Form “{name}” copied from “{source}”"),
        form_deleted(name: &str): format!("Form “{name}” deleted"),
        fields_set(name: &str): format!("Fields of “{name}” changed"),
        analysis_on(name: &str): format!("Analysis of “{name}” switched on"),
        analysis_off(name: &str): format!("Analysis of “{name}” switched off"),
        categories_set(name: &str): format!("Categories of “{name}” changed"),
        intake_set(name: &str): format!("Intake of “{name}” changed"),
        submission_deleted(name: &str): format!("Submission {name} deleted"),
        export_begun(name: &str): format!("Export of “{name}” begun"),
        export_ended(rows: u64): format!("Export ended with {}", submissions(rows)),
        export_broken(rows: u64): format!("Export broke off after {}", submissions(rows)),
        imported(count: u64): format!("{} imported", submissions(count)),
        insight_corrected(name: &str): format!("Insight of {name} corrected"),
        insight_reset(name: &str): format!("Correction of {name} taken back"),
        submissions_trashed(count: u64): format!("{} moved to trash", submissions(count)),
        submissions_restored(count: u64): format!("{} restored from trash", submissions(count)),
        trash_deleted(count: u64):
            format!("{} deleted permanently from trash", submissions(count)),
        trash_set(name: &str, days: u64): format!("Trash of {name} kept for {days} days"),
        spam_marked(count: u64): format!("{} marked as spam", submissions(count)),
        spam_released(name: &str): format!("Submission {name} released from spam"),
        spam_deleted(count: u64): format!("{} deleted from spam", submissions(count)),
        request_refused: "Request refused",
        request_limited: "Too many requests",
        refusals_omitted(count: u64): format!("More requests refused ({count})"),
        request_forged: "Request of another site refused",
        audit_exported: "Activity exported",
        audit_dropped(count: u64): format!("Activity older than 400 days dropped ({count})"),
    }

    /// Who may come into the account.
    people: People {
        title: "People",
        text: "Readers look at submissions, search and export them. They delete and change \
               nothing, and see no API keys.",
        loading: "Loading who may come in",
        what: "The list of who may come in",
        email: "Mail address",
        role: "Role",
        owner: "Owner",
        reader: "Reader",
        add: "Add a reader",
        add_title: "Add a reader",
        add_verb: "Add",
        add_hint: "Nobody is written to: you get a link, and hand it over yourself.",
        add_hint_proxied: "Nobody is written to: you are told how they get in.",
        needs_email: "Give a mail address such as you@example.com",
        proxied: "Your organisation signs people in here, so there are no links: a reader gets in \
                  once whoever runs this server has linked their sign-in.",
        way_in: "How to get in",
        way_in_title(email: &str): format!("How {email} gets in"),
        way_in_text: "Your organisation signs people in here. Give this command to whoever runs \
                      this server; it links what your organisation calls them with this address:",
        way_in_name: "THEIR-NAME",
        way_in_name_text(name: &str): format!(
            "In place of {name} stands what your organisation calls them. They are told it when \
             they try to come in."
        ),
        copy_command: "Copy command",
        link_title(email: &str): format!("A link for {email}"),
        link_text(until: &str): format!(
            "It works once, until {until}, and is not shown again. Whoever has it comes in, so \
             hand it over by a way that you trust."
        ),
        copy_link: "Copy link",
        link: "New link",
        link_of(email: &str): format!(" for {email}"),
        not_linked(why: &str): format!("No link was made. {why}"),
        remove: "Remove",
        remove_of(email: &str): format!(" {email}"),
        remove_title(email: &str): format!("Remove {email}?"),
        remove_text: "Wherever they are signed in, that ends at once. Their links end, too.",
        remove_verb: "Remove reader",
        removed(email: &str): format!("{email} may not come in any more"),
        not_removed(why: &str): format!("Nobody was removed. {why}"),
        for_owner: "For the account's owner",
        for_owner_text: "You are a reader here: you look at submissions, search and export them.",
    }

    /// The proof that it is still the same person.
    proof: Proof {
        title: "Is it still you?",
        text: "Give your password to go on. It counts for five minutes.",
        password: "Password",
        verb: "Go on",
        wrong: "This is not your password",
    }

    /// API keys.
    keys: Keys {
        title: "API keys",
        rule: "A key lets a program of yours read, delete and export submissions. An account may \
               hold 10 active keys, live and test together.",
        elsewhere: "Keys are managed elsewhere",
        elsewhere_text: "This dashboard stands in front of another server, with the keys that its \
                         operator gave it. Create and revoke keys where that server is run.",
        active(active: usize, most: usize): format!("{active} of {most} active"),
        full(most: usize):
            format!("An account may hold at most {most} active keys; revoke one first"),
        loading: "Loading your keys",
        what: "The list of your keys",
        none: "No keys yet",
        none_text: "Create one for each program, so that you can revoke them one by one.",
        create: "Create key",
        key: "Key",
        created: "Created",
        last_used: "Last used",
        state: "State",
        is_active: "Active",
        revoked: "Revoked {}",
        examples: "Examples",
        examples_for(key: &str): format!(" for {key}"),
        revoke: "Revoke",
        revoke_of(key: &str): format!(" {key}"),
        revoke_title(key: &str): format!("Revoke “{key}”?"),
        revoke_text: "Programs that use it are refused from the next request on. This is final.",
        revoke_verb: "Revoke key",
        not_revoked(why: &str): format!("It was not revoked. {why}"),
        was_revoked(key: &str): format!("Revoked “{key}”"),
        create_title: "Create an API key",
        create_verb: "Create",
        needs_name: "Give the key a name, so that you know it again",
        live_hint: "Opens real submissions",
        test_hint: "Opens test submissions only",
        name_hint: "What will use it, for example: website",
        secret_title(key: &str): format!("Copy the secret of “{key}”"),
        secret_text: "This is the only time that it is shown. Copy it now to where it will be \
                      used; nobody can tell it to you later.",
        copy_secret: "Copy secret",
        use_title(key: &str): format!("Use “{key}”"),
        form: "Form",
        in_terminal: "In a terminal",
        in_rust: "In Rust, with the client that comes with Sheaf",
        copy_code: "Copy code",
        use_text: "Put the secret in place of the dots, on a server and nowhere else: whoever has \
                   it can read and delete your submissions. Nobody can tell it to you again; where \
                   it is lost, create another key.",
    }

    /// The list of submissions.
    list: List {
        all_selected(count: u64): format!("All {} that match are selected", number(count)),
        form_maybe_deleted: "It may have been deleted, or the link is mistyped.",
        form_missing: "This form does not exist",
        loading: "Loading submissions",
        months: "Months",
        more_failed(why: &str): format!("More could not be loaded. {why}"),
        news(count: u64): format!("{} new", number(count)),
        no_form: "The link is mistyped: it names no form.",
        none_match: "Search looks for the exact text, and UTM values must match letter by letter.",
        nothing_selected: "Nothing selected",
        page_not_found: "Page not found",
        selected(count: u64): format!("{} selected", number(count)),
        stale(why: &str): format!(
            "What you filter by could not be loaded; these are the submissions from before. {why}"
        ),
        the_list: "The list",
        too_many: "Too many requests for now",
        views: WORDS.views,
    }

    /// Short tables.
    listing: Listing {
        acts: "Acts",
    }

    /// What stands for a list without a single submission.
    none_yet: NoneYet {
        text:
            "They show here as soon as the first one arrives. Answers that you have already can \
             be imported, where Sheaf runs.",
    }

    /// The page for a path that leads nowhere.
    not_found: NotFound {
        not_found: "Not found",
        page_not_found: "Page not found",
        text: "The link may be old or mistyped, or what it led to was deleted.",
        to_forms: "To your forms",
    }

    /// Fields that offer the values that occur.
    picks: Picks {
        loading: "Loading values",
        none_fits: "None of the values that occur",
        none_yet: "No values yet",
    }

    /// What plots have in common.
    plots: Plots {
        show_plot: "Show plot",
        show_table: "Show table",
    }

    /// The panel of saved views.
    saved_views: SavedViews {
        about:
            "A saved view is this filter under a name. It is kept in this browser, and its link \
             leads there from everywhere.",
        change(name: &str): format!("Change {name}"),
        days_move(days: &str): format!("Its days move along: {days}"),
        default: "Default",
        delete: "Delete view",
        example: "Complaints of this week",
        forgetful: "This browser keeps nothing for Sheaf, so the views last as long as this page.",
        full(most: u64): format!("A form has {} views at most: delete one first", number(most)),
        move_down: "Move down",
        move_up: "Move up",
        opens_with_form: "Opens with the form",
        replace(name: &str): format!("Replace “{name}”"),
        save: "Save view",
        save_as: "Save this filter as",
        saved_views: "Saved views",
        taken(name: &str): format!("There is a view called “{name}” already"),
        with_columns: "With its columns",
    }

    /// What can be done with selected submissions.
    selection: Selection {
        campaign_is(text: &str): format!("Campaign is “{text}”"),
        clear: "Clear",
        contains(text: &str): format!("Answers contain “{text}”"),
        delete_all: "Delete all that match permanently?",
        export_all: "Export all",
        export_selection: "Export selection",
        medium_is(text: &str): format!("Medium is “{text}”"),
        no_filter: "No filter is set: this is every submission of the form.",
        of_form(count: u64, form: &str): format!("{} of {form}.", submissions(count)),
        releasable: "You can release them under Spam for 30 days.",
        restorable(days: u8): match days {
            1 => "You can restore them from the trash for 1 day.".to_owned(),
            _ => format!("You can restore them from the trash for {days} days."),
        },
        rows_failed(why: &str): format!("The rows between could not be selected. {why}"),
        select_all(count: u64): format!("Select all {} that match", number(count)),
        selecting: "Selecting…",
        selection: "Selection",
        since(when: &str): format!("Since {when}"),
        source_is(text: &str): format!("Source is “{text}”"),
        spam_all: "Mark all that match as spam?",
        the_filter: "The filter:",
        type_to_confirm(count: u64): format!("Type {} to confirm", number(count)),
        type_to_delete(count: u64): format!("Type {} to continue", number(count)),
        trash_all: "Move all that match to trash?",
        until(when: &str): format!("Until {when}"),
    }

    /// What sentiments are called.
    sentiments: Sentiments {
        mixed: WORDS.mixed,
        negative: WORDS.negative,
        neutral: WORDS.neutral,
        positive: WORDS.positive,
    }

    /// The frame around every page.
    shell: Shell {
        skip_to_content: "Skip to content",
        navigation: "Navigation",
        main_navigation: "Main",
        environment: "Environment",
        live: "Live",
        test: "Test",
        test_environment: "Test environment",
        test_band: "TEST",
        test_data: "Test data: nothing here came from a real visitor",
        account(email: &str): format!("Account {email}"),
        sign_out: "Sign out",
        commands: "Commands",
        appearance: "Appearance",
        theme: "Theme",
        theme_system: "As the system",
        theme_light: "Light",
        theme_dark: "Dark",
        density: "Density",
        comfortable: "Comfortable",
        compact: "Compact",
        language: "Language",
        language_browser: "As the browser",
        forms: WORDS.forms,
        settings: "Settings",
        loading_forms: "Loading forms",
        no_forms: "No forms yet",
    }

    /// The palette of what can be done.
    palette: Palette {
        title: "Commands",
        placeholder: "Go to a form, or do something",
        found(count: usize): match count {
            0 => "Nothing fits what you typed".to_owned(),
            1 => "1 command".to_owned(),
            count => format!("{count} commands"),
        },
        go: "Go",
        here: "Here",
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

    /// What goes on paper.
    print: Print {
        print: "Print",
    }

    /// What the keys do.
    keys_help: KeysHelp {
        title: "Keys",
        ctrl: "Ctrl",
        cmd: "⌘",
        enter: "Enter",
        escape: "Esc",
        palette: "Commands: go anywhere, do anything",
        help: "This help",
        single: "Single-key shortcuts",
        single_hint: "Off, a letter or sign by itself does nothing; the commands lead back here.",
        close: "Close",
        search: "Search",
        find: "Search; once more, the browser’s own",
        next: "Next submission",
        previous: "Previous submission",
        open: "Open the submission",
        pick: "Select the submission; with Shift and an arrow, those on the way",
        pick_all: "Select all that are loaded; once more, all that match",
        export: "Export",
        delete: "Delete what is selected, else the open submission",
        undo: "Undo the last action",
        print: "Print the submission, else the rows in view",
    }

    /// The sign-in.
    sign_in: SignIn {
        again: "Sign in again",
        away: "No way in yet",
        away_text: "Your organisation signs people in here, and that did not lead to an account.",
        email: "Email",
        left: "Signed out",
        left_text:
            "You are signed out here. Your organisation may still know this browser: whoever uses \
             it can come back in, until you sign out there, too.",
        link_other(current: &str): format!(
            "You are signed in as {current}. If you sign in with this link, that session ends."
        ),
        link_question(email: &str): format!("Sign in as {email}?"),
        link_same(current: &str): format!("You are already signed in as {current}."),
        link_text: "You opened a sign-in link. It works once.",
        link_used:
            "This link has been used or has expired; ask for a new one, or sign in with your \
             password",
        no_password:
            "No password? Ask whoever runs this server for a sign-in link; they make one with {}.",
        password: "Password",
        sign_in: "Sign in",
        text: "Read what people sent you.",
        too_many(wait: &str): format!("Too many attempts; try again in {wait}"),
        wrong: "Email or password is wrong; check both and try again",
    }

    /// What may go wrong as one signs out.
    sign_out: SignOut {
        failed(why: &str): format!("You are still signed in: {why}"),
    }

    /// The way to a first form.
    start: Start {
        title: "Forms",
        loading: "Loading your forms",
        what: "The list of your forms",
    }

    /// Controls.
    ui: Ui {
        clear_search: "Clear search",
        dismiss: "Dismiss",
        notices: "Notices",
        not_opened(why: &str): format!(
            "It could not be opened, so nothing was done. {why} Try again."
        ),
        part_missing: "This part could not be loaded",
        part_missing_text:
            "The connection is down, your session has ended, or the dashboard was updated since \
             this page was opened.",
        reload: "Reload the page",
        remove(name: &str, value: &str): format!("Remove {name}: {value}"),
        select_all_loaded: "Select all that are loaded",
        select_row: "Select row",
        width_of(column: &str): format!("Width of {column}"),
    }

    /// The panel of UTM values.
    utm: Utm {
        among_loaded(count: u64): match count {
            1 => "In the one submission that is loaded".to_owned(),
            _ => format!("Among the {} submissions that are loaded", number(count)),
        },
        apply: "Apply",
        campaign_example: "spring-launch",
        failed(why: &str): format!("The values could not be loaded. {why}"),
        hint: "Each must match letter by letter.",
        others(count: u64): match count {
            1 => "One submission has another value, which can be typed".to_owned(),
            _ => format!("{} submissions have other values, which can be typed", number(count)),
        },
    }
}
