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
        forms: "Forms",
        settings: "Settings",
        loading_forms: "Loading forms",
        no_forms: "No forms yet",
    }

    /// The palette of what can be done.
    palette: Palette {
        title: "Commands",
        placeholder: "Go to a form, or do something",
        failed(why: &str): format!("The commands could not be shown. {why} Try again."),
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
        share: "Share",
        fields: "Fields",
        intake: "Intake",
        spam: "Spam",
        analysis: "Analysis",
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

    /// What is kept for reading without a connection.
    offline: Offline {
        keep: "Keep what I read on this device",
        ask: "Keep what you read on this device?",
        warning: "Lists and submissions that you open from now on stay in this browser for up to \
                  seven days, and can be read without a connection. So can anyone who uses it: \
                  leave this off on a shared machine. Signing out deletes them.",
        verb: "Keep on this device",
        gone: "What was kept on this device is deleted",
        shown_from(time: &str): format!("Offline: what was read before is shown, from {time}"),
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
        undo: "Undo the last deletion",
        print: "Print the submission, else the rows in view",
    }
}
