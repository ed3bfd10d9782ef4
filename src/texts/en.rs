//! The English texts, and with them the catalogue: which texts there are.

use super::catalogue;

catalogue! {
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
        forms: "Forms",
        settings: "Settings",
        loading_forms: "Loading forms",
        no_forms: "No forms yet",
    }
    /// What dialogs that did not come are excused by; `why` is a sentence.
    dialogs: Dialogs {
        not_asked(why: &str): format!("Nothing done: the question is missing. {why} Try again."),
        no_help(why: &str): format!("The help could not be shown. {why} Try again."),
    }
}
