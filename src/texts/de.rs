//! Die deutschen Texte.

use super::{
    Calendar, Card, ColumnNames, Columns, Common, Copying, Dates, Deletion, Devices, Failures,
    FieldProblems, FilterBar, Frame, Help, List, Listing, NoneYet, NotFound, Picks, Plots,
    SavedViews, Selection, Sentiments, Shell, SignIn, SignOut, Texts, Tray, Ui, Utm,
};
use crate::page::number;

/// Returns so many submissions, in words.
fn submissions(count: u64) -> String {
    match count {
        1 => "1 Einsendung".to_owned(),
        _ => format!("{} Einsendungen", number(count)),
    }
}

/// Every text in German.
pub(super) static TEXTS: Texts = Texts {
    calendar: Calendar {
        calendar: "Kalender",
        choose_last: |day| format!("Von {day}. Jetzt den letzten Tag wählen."),
        next_month: "Nächster Monat",
        previous_month: "Vorheriger Monat",
    },
    card: Card {
        answers: "Antworten",
        browser: "Browser",
        categories: "Kategorien",
        completed_in: "Abschlussdauer",
        copy_id: "ID kopieren",
        copy_json: "JSON kopieren",
        country: "Land",
        device: "Gerät",
        id: "ID",
        insight: "Analyse",
        language: "Sprache",
        loading: "Einsendung wird geladen",
        maybe_deleted: "Vielleicht wurde sie gelöscht, oder der Link ist fehlerhaft.",
        metadata: "Metadaten",
        missing: "Diese Einsendung gibt es nicht",
        newest: "Das ist die neueste Einsendung",
        next: "Nächste Einsendung",
        not_on_list: "Diese Einsendung steht nicht in der gefilterten Liste",
        oldest: "Das ist die älteste Einsendung",
        previous: "Vorherige Einsendung",
        sentiment: "Stimmung",
        submission: "Einsendung",
        submitted: "Eingegangen",
        the_submission: "Die Einsendung",
        utm_campaign: "UTM-Kampagne",
        utm_medium: "UTM-Medium",
        utm_source: "UTM-Quelle",
    },
    column_names: ColumnNames {
        browser: "Browser",
        campaign: "Kampagne",
        columns: "Spalten",
        country: "Land",
        device: "Gerät",
        medium: "Medium",
        sentiment: "Stimmung",
        source: "Quelle",
        submitted: "Eingegangen",
        time_taken: "Dauer",
    },
    columns: Columns {
        in_order: "Spalten in ihrer Reihenfolge",
        reset: "Spalten zurücksetzen",
        whole_times: "Volles Datum mit Uhrzeit",
    },
    common: Common {
        cancel: "Abbrechen",
        clear_filters: "Filter aufheben",
        close: "Schließen",
        days: |count| format!("{count}\u{a0}Tg."),
        hours: |count| format!("{count}\u{a0}h"),
        minutes: |count| format!("{count}\u{a0}min"),
        seconds: |count| format!("{count}\u{a0}s"),
        copy_command: "Befehl kopieren",
        delete: "Löschen",
        done: "Fertig",
        enter_a_name: "Bitte einen Namen eingeben",
        environment: "Umgebung",
        export: "Exportieren",
        go_on: "Weiter",
        insights: "Auswertung",
        is_first: "Steht schon an erster Stelle",
        is_last: "Steht schon an letzter Stelle",
        live: "Live",
        loading: "Wird geladen",
        move_up: |what| format!("{what} nach oben"),
        move_down: |what| format!("{what} nach unten"),
        name: "Name",
        no: "Nein",
        no_submissions_match: "Keine passenden Einsendungen",
        no_submissions_yet: "Noch keine Einsendungen",
        not_analysed: "Nicht analysiert",
        others: "Andere",
        retry: "Erneut versuchen",
        settings: "Einstellungen",
        submissions: "Einsendungen",
        submission_count: submissions,
        test: "Test",
        undo: "Rückgängig",
        yes: "Ja",
    },
    copying: Copying {
        copied: "Kopiert",
        refused: "Nicht kopiert: Text markieren und Strg+C drücken",
    },
    dates: Dates {
        first_day: "Erster Tag",
        last_day: "Letzter Tag",
        last_month: "Letzter Monat",
        ranges: "Zeiträume bis heute",
        seven_days: "7 Tage",
        thirty_days: "30 Tage",
        this_month: "Dieser Monat",
        this_year: "Dieses Jahr",
        time_zone: |zone| format!("Tage der eigenen Zeitzone, {zone}"),
        today: "Heute",
        yesterday: "Gestern",
    },
    deletion: Deletion {
        delete_many: |count| format!("{} löschen", submissions(count)),
        delete_one: "Einsendung löschen",
        many: |count| format!("{} löschen?", submissions(count)),
        many_text: "Sie verschwinden jetzt aus der Liste. Das lässt sich zehn Sekunden lang \
            rückgängig machen. Danach geht das nicht mehr: Sie sind endgültig weg, aus dieser \
            Liste und aus jedem Export.",
        one: |title| format!("„{title}“ löschen?"),
        one_text: |when| {
            format!(
                "Die Einsendung vom {when} verschwindet jetzt aus der Liste. Das lässt sich zehn \
                 Sekunden lang rückgängig machen. Danach geht das nicht mehr: Sie ist endgültig \
                 weg, aus dieser Liste und aus jedem Export."
            )
        },
        unavailable: |why| {
            format!("Vorerst wird nichts gelöscht. {why} Zum Fortfahren bitte die Seite neu laden.")
        },
    },
    devices: Devices { desktop: "Desktop", mobile: "Mobilgerät", tablet: "Tablet" },
    failures: Failures {
        given_up: "Die Anfrage wurde abgebrochen",
        goes_on_in: "Geht von selbst weiter in {}",
        key_refused: "Der Schlüssel wurde abgelehnt",
        key_revoked: |message| {
            format!(
                "Der Schlüssel dieser Oberfläche wurde widerrufen oder darf das nicht lesen: \
                 {message}"
            )
        },
        missing: |what| format!("{what} existiert nicht"),
        not_loaded: |what| format!("{what} konnte nicht geladen werden"),
        signed_out: "Nicht mehr angemeldet",
        status: |status| {
            format!("Der Server antwortete mit Status {status}; bitte später erneut versuchen")
        },
        too_many: "Zu viele Anfragen",
        unreachable: "Sheaf ist nicht erreichbar; bitte die Verbindung prüfen und erneut versuchen",
        unreadable: |problem| format!("Die Antwort war nicht lesbar: {problem}"),
    },
    field_problems: FieldProblems {
        too_many: |most| format!("Ein Formular hat höchstens {most} Felder"),
    },
    filter_bar: FilterBar {
        campaign: "Kampagne",
        clear_all: "Alle aufheben",
        date: "Datum",
        default_view: "Standardansicht",
        from: "Von",
        left_out: |problem| format!("In diesem Link übergangen: {problem}"),
        medium: "Medium",
        search: "Suche",
        search_answers: "Antworten durchsuchen",
        source: "Quelle",
        to: "Bis",
        utm: "UTM",
        view: "Ansicht",
    },
    frame: Frame { all_forms: "Alle Formulare", api_keys: "API-Schlüssel" },
    help: Help {
        delete: "Ausgewählte löschen, sonst die offene Einsendung",
        export: "Exportieren",
        find: "Suche; noch einmal: die des Browsers",
        help: "Diese Hilfe",
        key_all: "Strg A",
        key_enter: "Enter",
        key_find: "Strg F",
        key_leave: "Esc",
        keys: "Tastenkürzel",
        leave: "Schließen",
        next: "Nächste Einsendung",
        open: "Einsendung öffnen",
        previous: "Vorherige Einsendung",
        search: "Suche",
        select: "Einsendung auswählen; mit Umschalt und Pfeil auch die auf dem Weg",
        select_all: "Alle geladenen auswählen; noch einmal: alle passenden",
        undo: "Letzte Löschung rückgängig machen",
    },
    list: List {
        all_selected: |count| format!("Alle {} passenden sind ausgewählt", number(count)),
        export_unavailable: |why| {
            format!("Der Export konnte nicht geöffnet werden. {why} Bitte noch einmal versuchen.")
        },
        form_maybe_deleted: "Vielleicht wurde es gelöscht, oder der Link ist fehlerhaft.",
        form_missing: "Dieses Formular gibt es nicht",
        loading: "Einsendungen werden geladen",
        months: "Monate",
        more_failed: |why| format!("Weitere konnten nicht geladen werden. {why}"),
        news: |count| format!("{} neue", number(count)),
        no_form: "Der Link ist fehlerhaft: Er nennt kein Formular.",
        none_match: "Die Suche findet nur genau diesen Text, und UTM-Werte müssen Zeichen für \
            Zeichen stimmen.",
        nothing_left: "Hier ist nichts mehr",
        nothing_left_text: "Was hier stand, wartet auf das Löschen. „Rückgängig“ bringt es zurück.",
        nothing_selected: "Nichts ausgewählt",
        page_not_found: "Seite nicht gefunden",
        selected: |count| format!("{} ausgewählt", number(count)),
        stale: |why| {
            format!(
                "Die gefilterten Einsendungen konnten nicht geladen werden; dies sind die von \
                 vorher. {why}"
            )
        },
        the_list: "Die Liste",
        too_many: "Zurzeit zu viele Anfragen",
        views: "Ansichten",
    },
    listing: Listing { acts: "Aktionen" },
    none_yet: NoneYet {
        text: "Sie erscheinen hier, sobald die erste eintrifft. Antworten, die es schon gibt, \
            lassen sich dort importieren, wo Sheaf läuft.",
    },
    not_found: NotFound {
        not_found: "Nicht gefunden",
        page_not_found: "Seite nicht gefunden",
        text: "Der Link ist vielleicht veraltet oder fehlerhaft, oder sein Ziel wurde gelöscht.",
        to_forms: "Zu den Formularen",
    },
    picks: Picks {
        loading: "Werte werden geladen",
        none_fits: "Keiner der Werte, die vorkommen",
        none_yet: "Noch keine Werte",
    },
    plots: Plots { show_plot: "Diagramm zeigen", show_table: "Tabelle zeigen" },
    saved_views: SavedViews {
        about: "Eine gespeicherte Ansicht ist dieser Filter unter einem Namen. Dieser Browser \
            merkt sie sich, und ihr Link führt von überall zu ihr.",
        change: |name| format!("„{name}“ ändern"),
        days_move: |days| format!("Die Tage wandern mit: {days}"),
        default: "Standard",
        delete: "Ansicht löschen",
        example: "Beschwerden dieser Woche",
        forgetful: "Dieser Browser merkt sich nichts für Sheaf; die Ansichten bleiben nur so \
            lange wie diese Seite.",
        full: |most| {
            format!(
                "Ein Formular hat höchstens {} Ansichten: bitte erst eine löschen",
                number(most)
            )
        },
        move_down: "Nach unten",
        move_up: "Nach oben",
        opens_with_form: "Mit dem Formular öffnen",
        save: "Ansicht speichern",
        save_as: "Diesen Filter speichern als",
        saved_views: "Gespeicherte Ansichten",
        taken: |name| format!("Eine Ansicht „{name}“ gibt es schon"),
        with_columns: "Mit den Spalten",
    },
    selection: Selection {
        campaign_is: |text| format!("Kampagne ist „{text}“"),
        clear: "Aufheben",
        contains: |text| format!("Antworten enthalten „{text}“"),
        delete_all: "Alle passenden löschen?",
        export_all: "Alle exportieren",
        export_selection: "Auswahl exportieren",
        medium_is: |text| format!("Medium ist „{text}“"),
        no_filter: "Es ist kein Filter gesetzt: Das sind alle Einsendungen des Formulars.",
        rows_failed: |why| format!("Die Zeilen dazwischen konnten nicht ausgewählt werden. {why}"),
        select_all: |count| format!("Alle {} passenden auswählen", number(count)),
        selecting: "Wird ausgewählt\u{a0}…",
        selection: "Auswahl",
        since: |when| format!("Seit {when}"),
        source_is: |text| format!("Quelle ist „{text}“"),
        the_filter: "Der Filter:",
        type_to_confirm: |count| format!("Zur Bestätigung {} eingeben", number(count)),
        type_to_delete: |count| format!("Zum Löschen bitte {} eingeben", number(count)),
        undo_text: "Das lässt sich zehn Sekunden lang rückgängig machen. Danach geht das nicht \
            mehr: Jede Einsendung ist endgültig weg, aus dieser Liste und aus jedem Export.",
        until: |when| format!("Bis {when}"),
        will_go: |count, form| match count {
            1 => format!(
                "1 Einsendung von „{form}“ wird gelöscht. Was von jetzt an eintrifft, bleibt."
            ),
            _ => format!(
                "{} von „{form}“ werden gelöscht. Was von jetzt an eintrifft, bleibt.",
                submissions(count)
            ),
        },
    },
    sentiments: Sentiments {
        mixed: "Gemischt",
        negative: "Negativ",
        neutral: "Neutral",
        positive: "Positiv",
    },
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
        language_browser: "Wie der Browser",
        forms: "Formulare",
        settings: "Einstellungen",
        loading_forms: "Formulare werden geladen",
        no_forms: "Noch keine Formulare",
    },
    sign_in: SignIn {
        email: "E-Mail",
        link_used: "Dieser Link wurde schon verwendet oder ist abgelaufen; bitte einen neuen \
            erbitten oder mit dem Passwort anmelden",
        no_password: "Kein Passwort? Wer diesen Server betreibt, kann einen Link zum Anmelden \
            schicken; ihn erzeugt {}.",
        password: "Passwort",
        sign_in: "Anmelden",
        text: "Lesen, was eingesendet wurde.",
        too_many: |wait| format!("Zu viele Versuche; bitte in {wait} noch einmal versuchen"),
        wrong: "E-Mail oder Passwort ist falsch; bitte beides prüfen und noch einmal versuchen",
    },
    sign_out: SignOut {
        ask: "Abmelden?",
        failed: |why| format!("Die Abmeldung ist nicht gelungen: {why}"),
        keep: "Behalten und abmelden",
        text: "Einige Einsendungen warten noch auf das Löschen. Nach dem Abmelden bleiben sie \
            erhalten.",
    },
    tray: Tray {
        announced: |count| match count {
            1 => "1 Einsendung wird in 10 Sekunden gelöscht. Rückgängig mit u.".to_owned(),
            _ => {
                format!("{} werden in 10 Sekunden gelöscht. Rückgängig mit u.", submissions(count))
            }
        },
        another_tab: "Das erledigt ein anderer Tab",
        delete_now: "Jetzt löschen",
        deleted: |count| match count {
            0 => "Es war nichts mehr zu löschen".to_owned(),
            1 => "Einsendung gelöscht".to_owned(),
            _ => format!("{} Einsendungen gelöscht", number(count)),
        },
        deleting: "Löschen",
        deletions: "Löschungen",
        failed: |count| match count {
            1 => "1 Einsendung konnte nicht gelöscht werden".to_owned(),
            _ => format!("{} konnten nicht gelöscht werden", submissions(count)),
        },
        keep: "Behalten",
        keep_rest: "Übrige behalten",
        list_failed: |why| format!("Was zu löschen ist, konnte nicht aufgelistet werden. {why}"),
        more: |count| format!("und {} weitere", number(count)),
        offline: "Wartet auf das Netz",
        rate_limit: |wait_s| match wait_s {
            1 => "Wartet 1 Sekunde wegen der Anfragegrenze".to_owned(),
            _ => format!("Wartet {wait_s} Sekunden wegen der Anfragegrenze"),
        },
        runs: |done, total| format!("{} von {} gelöscht", number(done), number(total)),
        stopped: |done, total| {
            format!("Angehalten: {} von {} gelöscht", number(done), number(total))
        },
        waits: |count, left_s| match count {
            1 => format!("1 Einsendung wird in {left_s}\u{a0}s gelöscht"),
            _ => format!("{} werden in {left_s}\u{a0}s gelöscht", submissions(count)),
        },
        waits_rest: |count, left_s| match count {
            1 => format!("Die letzte wird in {left_s}\u{a0}s gelöscht"),
            _ => format!("Die übrigen {} werden in {left_s}\u{a0}s gelöscht", number(count)),
        },
    },
    ui: Ui {
        clear_search: "Suche leeren",
        dismiss: "Ausblenden",
        notices: "Meldungen",
        part_missing: "Dieser Teil konnte nicht geladen werden",
        part_missing_text: "Die Verbindung ist unterbrochen, oder die Oberfläche wurde erneuert, \
            seit diese Seite offen ist.",
        reload: "Seite neu laden",
        remove: |name, value| format!("{name} entfernen: {value}"),
        select_all_loaded: "Alle geladenen auswählen",
        select_row: |row| format!("Zeile {row} auswählen"),
        width_of: |column| format!("Breite von {column}"),
    },
    utm: Utm {
        apply: "Anwenden",
        campaign_example: "fruehlings-aktion",
        failed: |why| format!("Die Werte konnten nicht geladen werden. {why}"),
        hint: "Jeder muss Zeichen für Zeichen stimmen.",
        others: |count| match count {
            1 => "Eine Einsendung hat einen anderen Wert, der sich eintippen lässt".to_owned(),
            _ => format!(
                "{} Einsendungen haben andere Werte, die sich eintippen lassen",
                number(count)
            ),
        },
    },
};
