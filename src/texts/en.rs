//! The English texts, and with them the catalogue: which texts there are.

use contract::summary::Unit;

use super::catalogue;
use crate::page::number;

catalogue! {
    /// Words of many pages.
    common: Common {
        cancel: "Cancel",
        clear_filters: "Clear filters",
        close: "Close",
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
        submission_count(count: u64): match count {
            1 => "1 submission".to_owned(),
            _ => format!("{} submissions", number(count)),
        },
        test: "Test",
        undo: "Undo",
        yes: "Yes",
    }

    /// The dialog that exports.
    export: Export {
        title: "Export submissions",
        label: "Export",
        download: "Download",
        cancel: "Cancel export",
        pause: "Pause",
        hide: "Hide",
        try_again: "Try again",
        may_hide: "You can hide this and go on with your work; when the page is loaded again, the \
                   export can go on from where it was.",
        far(written: u64, total: u64): format!("{} of {}", number(written), number(total)),
        paused(far: &str): format!("Paused at {far}"),
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
        broken_off(name: &str, far: &str):
            format!("The export to {name} was broken off at {far}. "),
        go_on_with_it: "Go on with it",
        discard: "Discard",
        saved(count: u64):
            format!("The file was saved with {}.", (super::common().submission_count)(count)),
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
            format!("Exported {} to {name}", (super::common().submission_count)(count)),
        not_saved: "the browser refused to save the file",
        not_started: "the part that writes exports could not be loaded; load the page anew",
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
                answers by the keys, which stay as they are.",
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
        learns_not: "Are refused, with their name",
        learns_at_first: "Become fields while there are none",
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
        not_found: "Form not found",
        not_found_text: "The link is mistyped, or the form belongs to another account.",
        share: "Send to it",
        fields: "Fields",
        intake: "Intake",
        spam: "Spam",
        analysis: "Analysis",
    }

    /// How to send to a form.
    form_share: FormShare {
        first_steps: "Nothing was sent to this form yet. Paste the HTML into a page and send it, \
                      or run the command: this page says when it has come.",
        first_is_here: "The first submission is here. ",
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
        title: "Set aside as spam",
        about: "No list, count or export knows of these. What is released takes its place among \
                the submissions; what is left goes by itself after 30 days.",
        label: "Spam",
        loading: "Loading the spam",
        what: "The spam",
        what_rest: "The rest of the spam",
        none: "Nothing was set aside",
        none_text: "What fills the honeypot or comes too fast is kept here for 30 days.",
        count(count: u64): format!("{} set aside", number(count)),
        more: "Show more",
        answers: "Answers",
        why: "Why",
        came: "Came",
        honeypot: "Honeypot",
        too_fast: "Too fast",
        release: "Release",
        released: "Released: it is among the submissions",
        act_on(answers: &str): format!(" {answers}"),
        deleted: "Deleted",
        failed(why: &str): format!("That failed: {why}"),
        delete_all: "Delete all",
        delete_title(count: u64): match count {
            1 => "Delete the one set aside?".to_owned(),
            _ => format!("Delete all {} set aside?", number(count)),
        },
        delete_text: "This cannot be undone. Submissions in the form's list stay.",
        delete_verb: "Delete spam",
        nothing_deleted(why: &str): format!("Nothing was deleted. {why}"),
        all_deleted: "The spam was deleted",
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
        // Around how far away that is.
        next_day: "The next day begins ",
        next_day_end: " (UTC).",
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

    /// What a filtered result says as a whole.
    insights: Insights {
        title(form: &str): format!("{form} insights"),
        loading: "Loading insights",
        what: "The summary",
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
        // Before how long ago that was.
        revoked: "Revoked ",
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

    /// The way to a first form.
    start: Start {
        title: "Forms",
        loading: "Loading your forms",
        what: "The list of your forms",
    }
}
