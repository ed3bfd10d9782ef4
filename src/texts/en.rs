//! The English texts, and with them the catalogue: which texts there are.

use super::catalogue;
use crate::page::number;

/// Returns so many submissions, in words.
fn submissions(count: u64) -> String {
    match count {
        1 => "1 submission".to_owned(),
        _ => format!("{} submissions", number(count)),
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
        browser: "Browser",
        categories: "Categories",
        completed_in: "Completed in",
        copy_id: "Copy id",
        copy_json: "Copy JSON",
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
        browser: "Browser",
        campaign: "Campaign",
        columns: "Columns",
        country: "Country",
        device: "Device",
        medium: "Medium",
        sentiment: "Sentiment",
        source: "Source",
        submitted: "Submitted",
        time_taken: "Time taken",
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
        export: "Export",
        go_on: "Go on",
        insights: "Insights",
        is_first: "It is the first",
        is_last: "It is the last",
        live: "Live",
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
        settings: "Settings",
        submissions: "Submissions",
        submission_count(count: u64): submissions(count),
        test: "Test",
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

    /// What is asked before submissions are deleted.
    deletion: Deletion {
        delete_many(count: u64): format!("Delete {}", submissions(count)),
        delete_one: "Delete submission",
        many(count: u64): format!("Delete {}?", submissions(count)),
        many_text:
            "They leave the list now. You can undo it for ten seconds. After that it cannot be \
             undone: they are gone for good, from this list and from every export.",
        one(title: &str): format!("Delete “{title}”?"),
        one_text(when: &str): format!(
            "The submission of {when} leaves the list now. You can undo it for ten seconds. After \
             that it cannot be undone: it is gone for good, from this list and from every export."
        ),
        unavailable(why: &str): format!(
            "Nothing is deleted for now. {why} Reload the page to go on."
        ),
    }

    /// What kinds of devices are called.
    devices: Devices {
        desktop: "Desktop",
        mobile: "Mobile",
        tablet: "Tablet",
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
        not_loaded(what: &str): format!("{what} could not be loaded"),
        signed_out: "You are signed out",
        status(status: u16): format!("The server answered with status {status}; retry later"),
        too_many: "Too many requests",
        unreachable: "Sheaf could not be reached; check your connection and retry",
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
        date: "Date",
        default_view: "Default view",
        from: "From",
        left_out(problem: &str): format!("Left out of this link: {problem}"),
        medium: "Medium",
        search: "Search",
        search_answers: "Search answers",
        source: "Source",
        to: "To",
        utm: "UTM",
        view: "View",
    }

    /// Links of the side bar.
    frame: Frame {
        all_forms: "All forms",
        api_keys: "API keys",
    }

    /// What the keys do.
    help: Help {
        delete: "Delete what is selected, else the open submission",
        export: "Export",
        find: "Search; once more, the browser’s own",
        help: "This help",
        key_all: "Ctrl A",
        key_enter: "Enter",
        key_find: "Ctrl F",
        key_leave: "Esc",
        keys: "Keys",
        leave: "Close",
        next: "Next submission",
        open: "Open the submission",
        previous: "Previous submission",
        search: "Search",
        select: "Select the submission; with Shift and an arrow, those on the way",
        select_all: "Select all that are loaded; once more, all that match",
        undo: "Undo the last deletion",
    }

    /// The list of submissions.
    list: List {
        all_selected(count: u64): format!("All {} that match are selected", number(count)),
        export_unavailable(why: &str): format!("The export could not be opened. {why} Try again."),
        form_maybe_deleted: "It may have been deleted, or the link is mistyped.",
        form_missing: "This form does not exist",
        loading: "Loading submissions",
        months: "Months",
        more_failed(why: &str): format!("More could not be loaded. {why}"),
        news(count: u64): format!("{} new", number(count)),
        no_form: "The link is mistyped: it names no form.",
        none_match: "Search looks for the exact text, and UTM values must match letter by letter.",
        nothing_left: "Nothing is left here",
        nothing_left_text: "What stood here waits to be deleted. Undo brings it back.",
        nothing_selected: "Nothing selected",
        page_not_found: "Page not found",
        selected(count: u64): format!("{} selected", number(count)),
        stale(why: &str): format!(
            "What you filter by could not be loaded; these are the submissions from before. {why}"
        ),
        the_list: "The list",
        too_many: "Too many requests for now",
        views: "Views",
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
        delete_all: "Delete all that match?",
        export_all: "Export all",
        export_selection: "Export selection",
        medium_is(text: &str): format!("Medium is “{text}”"),
        no_filter: "No filter is set: this is every submission of the form.",
        rows_failed(why: &str): format!("The rows between could not be selected. {why}"),
        select_all(count: u64): format!("Select all {} that match", number(count)),
        selecting: "Selecting…",
        selection: "Selection",
        since(when: &str): format!("Since {when}"),
        source_is(text: &str): format!("Source is “{text}”"),
        the_filter: "The filter:",
        type_to_confirm(count: u64): format!("Type {} to confirm", number(count)),
        type_to_delete(count: u64): format!("Type {} to delete them", number(count)),
        undo_text:
            "You can undo it for ten seconds. After that it cannot be undone: each submission is \
             gone for good, from this list and from every export.",
        until(when: &str): format!("Until {when}"),
        will_go(count: u64, form: &str): format!(
            "{} of {form} will be deleted. What arrives from now on stays.",
            submissions(count)
        ),
    }

    /// What sentiments are called.
    sentiments: Sentiments {
        mixed: "Mixed",
        negative: "Negative",
        neutral: "Neutral",
        positive: "Positive",
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
        forms: "Forms",
        settings: "Settings",
        loading_forms: "Loading forms",
        no_forms: "No forms yet",
    }

    /// The sign-in.
    sign_in: SignIn {
        email: "Email",
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

    /// What is asked before one signs out, and what may go wrong.
    sign_out: SignOut {
        ask: "Sign out?",
        failed(why: &str): format!("You are still signed in: {why}"),
        keep: "Keep them and sign out",
        text: "Some submissions still wait to be deleted. If you sign out, they stay.",
    }

    /// What waits to be deleted, and goes.
    tray: Tray {
        announced(count: u64): format!(
            "Deleting {} in 10 seconds. Press u to undo.",
            submissions(count)
        ),
        another_tab: "Another tab does this",
        delete_now: "Delete now",
        deleted(count: u64): match count {
            0 => "Nothing was left to delete".to_owned(),
            1 => "Submission deleted".to_owned(),
            _ => format!("{} submissions deleted", number(count)),
        },
        deleting: "Deleting",
        deletions: "Deletions",
        failed(count: u64): format!("{} could not be deleted", submissions(count)),
        keep: "Keep them",
        keep_rest: "Keep the rest",
        list_failed(why: &str): format!("What is to be deleted could not be listed. {why}"),
        more(count: u64): format!("and {} more", number(count)),
        offline: "Waits for the network",
        rate_limit(wait_s: u64): match wait_s {
            1 => "Waits 1 second for the rate limit".to_owned(),
            _ => format!("Waits {wait_s} seconds for the rate limit"),
        },
        runs(done: u64, total: u64): format!("Deleted {} of {}", number(done), number(total)),
        stopped(done: u64, total: u64): format!(
            "Stopped: {} of {} deleted",
            number(done), number(total)
        ),
        waits(count: u64, left_s: u64): format!("Deleting {} in {left_s} s", submissions(count)),
        waits_rest(count: u64, left_s: u64): format!(
            "Deleting the other {} in {left_s} s",
            number(count)
        ),
    }

    /// Controls.
    ui: Ui {
        clear_search: "Clear search",
        dismiss: "Dismiss",
        notices: "Notices",
        part_missing: "This part could not be loaded",
        part_missing_text:
            "The connection is down, or the dashboard was updated since this page was opened.",
        reload: "Reload the page",
        remove(name: &str, value: &str): format!("Remove {name}: {value}"),
        select_all_loaded: "Select all that are loaded",
        select_row(row: usize): format!("Select row {row}"),
        width_of(column: &str): format!("Width of {column}"),
    }

    /// The panel of UTM values.
    utm: Utm {
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
