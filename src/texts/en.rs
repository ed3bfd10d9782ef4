//! The English texts, and with them the catalogue: which texts there are.

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
}
