//! Die deutschen Texte.

use super::{Dialogs, Shell, Texts};

/// Every text in German.
pub(super) static TEXTS: Texts = Texts {
    shell: Shell {
        skip_to_content: "Zum Inhalt springen",
        navigation: "Navigation",
        main_navigation: "Hauptnavigation",
        environment: "Umgebung",
        live: "Live",
        test: "Test",
        test_environment: "Testumgebung",
        test_band: "TEST",
        test_data: "Testdaten: Nichts hier stammt von echten Besuchern",
        account: |email| format!("Konto {email}"),
        sign_out: "Abmelden",
        appearance: "Darstellung",
        theme: "Farben",
        theme_system: "Wie das System",
        theme_light: "Hell",
        theme_dark: "Dunkel",
        density: "Dichte",
        comfortable: "Bequem",
        compact: "Kompakt",
        language: "Sprache",
        forms: "Formulare",
        settings: "Einstellungen",
        loading_forms: "Formulare werden geladen",
        no_forms: "Noch keine Formulare",
    },
    dialogs: Dialogs {
        not_asked: |why| {
            format!("Nichts geschah: die Rückfrage fehlt. {why} Versuchen Sie es erneut.")
        },
        no_help: |why| {
            format!("Die Hilfe konnte nicht gezeigt werden. {why} Versuchen Sie es erneut.")
        },
    },
};
