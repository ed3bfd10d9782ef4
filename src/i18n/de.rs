//! The German texts.

use contract::summary::TimeUnit;
use row_view::labels::GERMAN as WORDS;

use super::{
    Account, Activity, Board, Calendar, Card, ColumnNames, Columns, Common, Copying, Dates,
    Deletion, Devices, Export, Failures, FieldProblems, FilterBar, FilterPanel, FormAccess,
    FormAnalysis, FormCategories, FormDeletion, FormFields, FormIntake, FormNotifications,
    FormSettings, FormShare, FormSpam, FormTrash, FormUsage, FormWebhooks, Forms, Frame, Inbox,
    Insights, Keys, KeysHelp, List, Listing, NoneYet, NotFound, Palette, People, Picks, Plots,
    Print, ReauthenticationTexts, SavedViews, Selection, Sentiments, Shell, SignIn, SignOut, Start,
    StatusSettings, Texts, Triage, TriageActions, Ui, Utm, number,
};

/// Formats a number of submissions as text.
fn submissions(count: u64) -> String {
    match count {
        1 => format!("1 {}", WORDS.submission),
        _ => format!("{} {}", number(count), WORDS.submissions),
    }
}

/// The German texts of all sections.
pub static TEXTS: Texts = Texts {
    calendar: Calendar {
        calendar: "Kalender",
        choose_last: |day| format!("Von {day}. Jetzt den letzten Tag wählen."),
        next_month: "Nächster Monat",
        previous_month: "Vorheriger Monat",
    },
    card: Card {
        answers: "Antworten",
        as_curl: "Als curl",
        as_json: "Als JSON",
        as_text: "Als Text",
        browser: "Browser",
        categories: "Kategorien",
        completed_in: "Abschlussdauer",
        copy: "Kopieren",
        copy_id: "ID kopieren",
        country: "Land",
        device: "Gerät",
        id: "ID",
        insight: "Analyse",
        language: "Sprache",
        loading: "Einsendung wird geladen",
        maybe_deleted: "Vielleicht wurde sie gelöscht, oder der Link ist falsch.",
        metadata: "Metadaten",
        missing: "Einsendung nicht gefunden",
        newest: "Dies ist die neueste Einsendung",
        next: "Nächste Einsendung",
        not_on_list: "Diese Einsendung passt nicht zu den Filtern",
        oldest: "Dies ist die älteste Einsendung",
        previous: "Vorherige Einsendung",
        rating: |value, of| format!("{value} von {of}"),
        sentiment: "Stimmung",
        submission: "Einsendung",
        submitted: "Eingegangen",
        the_submission: "Die Einsendung",
        utm_campaign: "UTM-Kampagne",
        utm_medium: "UTM-Medium",
        utm_source: "UTM-Quelle",
    },
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
    },
    form_access: FormAccess {
        forms: "Formulare",
        all_forms: "Alle Formulare",
        all_forms_hint: "Auch später erstellte Formulare",
        selected_forms: "Ausgewählte Formulare",
        no_forms: "Es gibt keine Formulare zur Auswahl.",
        needs_form: "Mindestens ein Formular auswählen",
    },
    columns: Columns {
        ascending: |column| format!("{column}, aufsteigend"),
        descending: |column| format!("{column}, absteigend"),
        in_order: "Reihenfolge der Spalten",
        last_changed_first: "Zuletzt geänderte zuerst",
        last_changed_last: "Zuletzt geänderte am Ende",
        newest_first: "Neueste zuerst",
        oldest_first: "Älteste zuerst",
        reset: "Spalten zurücksetzen",
        sort_by: "Sortieren nach",
        whole_times: "Vollständiges Datum mit Uhrzeit",
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
        enter_a_name: "Namen eingeben",
        environment: "Umgebung",
        export: WORDS.export,
        resume: "Fortsetzen",
        insights: WORDS.insights,
        is_first: "Bereits an erster Stelle",
        is_last: "Bereits an letzter Stelle",
        live: WORDS.live,
        loading: "Wird geladen",
        move_up: |column| format!("{column} nach oben"),
        move_down: |column| format!("{column} nach unten"),
        name: "Name",
        no: "Nein",
        no_submissions_match: "Keine passenden Einsendungen",
        no_submissions_yet: "Noch keine Einsendungen",
        not_analysed: "Nicht analysiert",
        others: "Andere",
        retry: "Erneut versuchen",
        settings: WORDS.settings,
        submissions: "Einsendungen",
        submission_count: submissions,
        test: WORDS.test,
        undo: "Rückgängig",
        yes: "Ja",
    },
    copying: Copying {
        copied: "Kopiert",
        refused: "Kopieren nicht möglich. Text markieren und Strg+C drücken.",
    },
    dates: Dates {
        first_day: "Erster Tag",
        last_day: "Letzter Tag",
        last_month: "Letzter Monat",
        ranges: "Zeiträume",
        seven_days: "7 Tage",
        thirty_days: "30 Tage",
        this_month: "Dieser Monat",
        this_year: "Dieses Jahr",
        time_zone: |zone| format!("Zeitzone: {zone}"),
        today: "Heute",
        yesterday: "Gestern",
    },
    deletion: Deletion {
        busy: "Es wird bereits gelöscht. Warten Sie, bis der Vorgang fertig ist, oder stoppen Sie \
               ihn.",
        count_changed: |reason| format!("Die Anzahl der Einsendungen hat sich geändert. {reason}"),
        deleted: |count| match count {
            0 => "Bereits gelöscht".to_owned(),
            1 => "Einsendung gelöscht".to_owned(),
            _ => format!("{} Einsendungen gelöscht", number(count)),
        },
        deleting: "Einsendungen werden gelöscht",
        done: |done, total| format!("{} von {} gelöscht", number(done), number(total)),
        failed: |reason| format!("Löschen nicht möglich. {reason}"),
        keep_open: "Lassen Sie diese Seite bis zum Abschluss geöffnet.",
        label: "Löschvorgang",
        list_failed: |reason| {
            format!("Die zu löschenden Einsendungen konnten nicht geladen werden. {reason}")
        },
        listing: "Die zu löschenden Einsendungen werden geladen",
        many: |count| format!("{} endgültig löschen?", submissions(count)),
        mark_failed: |reason| format!("Als Spam markieren nicht möglich. {reason}"),
        mark_spam: "Als Spam markieren",
        marked: |count| match count {
            1 => "Als Spam markiert".to_owned(),
            _ => format!("{} als Spam markiert", submissions(count)),
        },
        more_failures: |count| format!("{} weitere", number(count)),
        moved: |count| match count {
            1 => "In den Papierkorb verschoben".to_owned(),
            _ => format!("{} in den Papierkorb verschoben", submissions(count)),
        },
        not_deleted: |count| format!("Nicht gelöscht: {}", number(count)),
        not_restored: |reason| format!("Wiederherstellen nicht möglich. {reason}"),
        nothing_restored: "Wiederherstellen nicht möglich. Die Einsendungen gibt es nicht mehr.",
        one: |title| format!("„{title}“ endgültig löschen?"),
        permanent_text: "Das lässt sich nicht rückgängig machen.",
        progress: |next, total| format!("Löschen: {} von {}", number(next), number(total)),
        restored: |count| format!("{} wiederhergestellt", submissions(count)),
        retry_one: |name| format!("{name} erneut versuchen"),
        stop: "Stoppen",
        stopped: |done, total| format!("Gestoppt: {} von {} gelöscht", number(done), number(total)),
        takes: |span| {
            format!(
                "Beim Anfragelimit Ihres Tarifs dauert das etwa {span}. Lassen Sie diese Seite bis \
                 zum Abschluss geöffnet."
            )
        },
        to_trash: "In den Papierkorb",
        verb: "Endgültig löschen",
    },
    devices: Devices { desktop: WORDS.desktop, mobile: WORDS.mobile, tablet: WORDS.tablet },
    export: Export {
        title: "Einsendungen exportieren",
        label: "Export",
        download: "Herunterladen",
        cancel: "Export abbrechen",
        pause: "Pausieren",
        hide: "Ausblenden",
        show: "Anzeigen",
        of_file: |name, text| format!("{name}: {text}"),
        try_again: "Erneut versuchen",
        may_hide: "Sie können diesen Dialog ausblenden. Nach einem Neuladen können Sie den Export \
                   fortsetzen.",
        far: |written, total| format!("{} von {}", number(written), number(total)),
        paused: |progress| format!("Pausiert bei {progress}"),
        silent: |progress| {
            format!(
                "{progress}. Seit 15\u{a0}s keine Antwort. Falls Ihre Sitzung abgelaufen ist, \
                 laden Sie die Seite neu, um sich wieder anzumelden."
            )
        },
        waits: |progress, wait| format!("{progress}. Anfragelimit erreicht. Fortsetzung in {wait}"),
        goes: |progress, remaining| format!("{progress}, noch etwa {remaining}"),
        straight: "Direkt in eine Datei speichern",
        straight_hint: "Empfohlen für große Exporte",
        in_memory: "Über HTTP entsteht die Datei im Arbeitsspeicher und geht beim Neuladen \
                    verloren. Verwenden Sie HTTPS, um das zu vermeiden.",
        cost: |requests, span| {
            let requests = match requests {
                1 => "1 API-Anfrage".to_owned(),
                _ => format!("{requests} API-Anfragen"),
            };
            match span {
                None => format!("Benötigt {requests}"),
                Some(span) => {
                    format!("Benötigt {requests}, etwa {span} beim Anfragelimit Ihres Tarifs")
                }
            }
        },
        cost_unknown: "Benötigt 1 API-Anfrage je 100 Einsendungen",
        worksheets_needed: |rows, worksheets| {
            format!(
                "Ein Blatt fasst {} Einsendungen, die Arbeitsmappe erhält also {worksheets} \
                 Blätter.",
                number(rows)
            )
        },
        in_list_order: "In der Reihenfolge der Liste.",
        newest_first: |max| {
            format!(
                "Neueste zuerst, denn nur bis zu {} Einsendungen lassen sich sortieren.",
                number(max)
            )
        },
        whole_form_alone: "Alle Einsendungen. Filtern Sie zuerst die Liste, um weniger zu \
                           exportieren.",
        whole_form: "Alle Einsendungen",
        dates: "Zeitraum",
        selected: |count| format!("Auswahl ({})", number(count)),
        filtered: "Gefilterte Liste",
        filtered_count: |count| format!("Gefilterte Liste ({})", number(count)),
        from_to: |from, to| format!("{from} bis {to}"),
        since: |from| format!("Seit {from}"),
        until: |to| format!("Bis {to}"),
        format: "Format",
        csv: "CSV",
        csv_hint: "Eine Zeile je Einsendung",
        xlsx: "Excel",
        xlsx_hint: "Excel-Arbeitsmappe mit echten Zahlen und Datumswerten",
        json: "JSON",
        json_hint: "Vollständige Daten, wie die API sie liefert",
        ndjson: "NDJSON",
        ndjson_hint: "Ein JSON-Objekt je Zeile",
        safe: "Formeln entschärfen",
        safe_hint: "Setzt ' vor Text, den eine Tabellenkalkulation als Formel ausführen würde.",
        my_zone: "Meine Zeitzone verwenden",
        my_zone_hint: "Sonst UTC",
        all_columns: |all| format!("Alle {all} Spalten"),
        some_columns: |some, all| format!("{some} von {all} Spalten"),
        later_columns: "Felder aus anderen Einsendungen werden als weitere Spalten angefügt.",
        notes_count: "Anzahl der Notizen",
        broken_off: |name, progress| {
            format!("Der Export {name} wurde bei {progress} unterbrochen. ")
        },
        discard: "Verwerfen",
        saved: |count| {
            let count = submissions(count);
            format!("Datei mit {count} gespeichert.")
        },
        short: |total, missing| {
            format!(
                "Fehlend: {1} von {0}, vielleicht während des Exports gelöscht. Exportieren Sie \
                 zur Kontrolle erneut.",
                number(total),
                number(missing)
            )
        },
        cells_cut: |count| {
            format!(
                "{} auf 32\u{202f}767 Zeichen je Zelle gekürzt. CSV und JSON enthalten alles.",
                match count {
                    1 => "1 Antwort wurde".to_owned(),
                    _ => format!("{} Antworten wurden", number(count)),
                }
            )
        },
        worksheet_count: |count| format!("Die Arbeitsmappe hat {count} Blätter."),
        exported: |name| format!("Exportiert nach {name}"),
        exported_count: |count, name| format!("{} nach {name} exportiert", submissions(count)),
        gone: "Das Formular gibt es nicht mehr",
        lost: "Die unfertige Datei gibt es nicht mehr. Exportieren Sie erneut.",
        rows_lost: "Die gesammelten Zeilen sind nicht mehr lesbar. Exportieren Sie erneut.",
        refused: |reason| {
            format!(
                "Der Browser konnte die Datei nicht schreiben ({reason}). Schaffen Sie \
                 Speicherplatz und versuchen Sie es erneut."
            )
        },
        keys_max: |max| {
            let max = number(max);
            format!(
                "Mehr als {max} verschiedene Schlüssel in den Antworten. Exportieren Sie als JSON."
            )
        },
        columns_max: |max, all| {
            format!(
                "Ein Blatt fasst höchstens {} Spalten, dieser Export hat {}. Wählen Sie weniger \
                 oder exportieren Sie als CSV.",
                number(max),
                number(all)
            )
        },
        too_large: "Die Arbeitsmappe überschreitet 4\u{a0}GiB, die Grenze ihres Formats. \
                    Exportieren Sie als CSV.",
        not_saved: "Der Browser hat die Datei nicht gespeichert. Setzen Sie den Export fort, um es \
                    erneut zu versuchen.",
        ended: "Der Export wurde unerwartet beendet. Sie können ihn fortsetzen.",
        truncated: "Der Server hat den Export vorzeitig beendet. Sie können ihn fortsetzen.",
        not_started: "Der Export konnte nicht gestartet werden. Versuchen Sie es erneut oder laden \
                      Sie die Seite neu.",
    },
    failures: Failures {
        given_up: "Anfrage abgebrochen",
        goes_on_in: "Neuer Versuch in {}",
        key_refused: "API-Schlüssel abgelehnt",
        key_revoked: |message| {
            format!(
                "Der API-Schlüssel dieses Dashboards wurde widerrufen oder hat keine Berechtigung: \
                 {message}"
            )
        },
        missing: |object| format!("{object} wurde nicht gefunden"),
        needs_password: "Geben Sie Ihr Passwort ein, um fortzufahren",
        needs_sign_in: "Dafür ist eine neue Anmeldung nötig. Melden Sie sich ab, mit einem neuen \
                        Link wieder an, und versuchen Sie es innerhalb von 5\u{a0}Minuten erneut.",
        not_loaded: |object| format!("{object} konnte nicht geladen werden"),
        session_ended: "Ihre Sitzung ist abgelaufen. Laden Sie die Seite neu, um sich wieder \
                        anzumelden.",
        session_ended_title: "Ihre Sitzung ist abgelaufen",
        signed_out: "Sie sind abgemeldet",
        status: |status| {
            format!("Der Server antwortete mit Status {status}. Versuchen Sie es später erneut.")
        },
        too_many: "Zu viele Anfragen",
        unreachable: "Sheaf ist nicht erreichbar. Prüfen Sie die Verbindung. Falls Ihre Sitzung \
                      abgelaufen ist, laden Sie die Seite neu, um sich wieder anzumelden.",
        unreadable: |problem| format!("Die Antwort war nicht lesbar: {problem}"),
    },
    field_problems: FieldProblems {
        too_many: |max| format!("Ein Formular kann höchstens {max} Felder haben"),
    },
    filter_bar: FilterBar {
        assignee: "Zuständig",
        at_least: |value| format!("Mindestens {value}"),
        at_most: |value| format!("Höchstens {value}"),
        browser: WORDS.titles.browser,
        campaign: "UTM-Kampagne",
        category: "Kategorie",
        clear_all: "Alle aufheben",
        country: WORDS.titles.country,
        date: WORDS.date,
        default_view: "Standardansicht",
        device: WORDS.titles.device,
        filter: WORDS.filter,
        filter_by: |name, value| format!("Filtern nach {name}: {value}"),
        from: "Von",
        language: "Sprache",
        left_out: |problem| format!("Ignorierter Teil dieses Links: {problem}"),
        medium: "UTM-Medium",
        no_tag: "Kein Schlagwort",
        no_value: "Kein Wert",
        not_starred: "Ohne Stern",
        or: |values, last| format!("{values} oder {last}"),
        read: "Gelesen",
        read_status: "Lesestatus",
        score: "Stimmungswert",
        search: "Suche",
        search_answers: WORDS.search_answers,
        seconds: "Abschlussdauer",
        seconds_text: |number| format!("{number} s"),
        sentiment: WORDS.titles.sentiment,
        source: "UTM-Quelle",
        starred: "Stern",
        status: "Status",
        tag: "Schlagwort",
        to: "Bis",
        unread: "Ungelesen",
        not_in_inbox: |name| {
            format!("Der Posteingang hat keinen Filter und keine Sortierung `{name}`")
        },
        unsupported: |name| format!("Dieser Server unterstützt den Filter `{name}` nicht"),
        view: "Ansicht",
    },
    filter_panel: FilterPanel {
        add: "Bedingung hinzufügen",
        at_least: "ist mindestens",
        at_most: "ist höchstens",
        back: "Zurück zu allen Eigenschaften",
        clear: "Aufheben",
        condition: "Bedingung",
        contains: "enthält",
        differs: "ist nicht",
        equals: "ist",
        in_seconds: "In Sekunden, zum Beispiel 90.",
        is_empty: "ist leer",
        is_filled: "ist nicht leer",
        maximum: "Höchstwert",
        minimum: "Mindestwert",
        no_date: "Wählen Sie ein Datum",
        no_text: "Geben Sie einen Wert ein",
        not_a_number: "Geben Sie eine Zahl ein, zum Beispiel 90 oder 0,5",
        not_in_order: "Der Höchstwert darf nicht kleiner als der Mindestwert sein",
        others: |count| match count {
            1 => "1 Einsendung hat einen Wert, der nicht aufgeführt ist. Geben Sie ihn ein."
                .to_owned(),
            _ => format!(
                "{} Einsendungen haben Werte, die nicht aufgeführt sind. Geben Sie einen ein.",
                number(count)
            ),
        },
        properties: "Eigenschaften",
        score_hint: "Von 0 bis 1. 0 ist negativ, 1 ist positiv.",
        search: "Werte durchsuchen",
        too_long: "Zu viele Werte. Heben Sie zuerst einen anderen Wert auf.",
        too_many: |max| {
            format!("Ein Filter hat höchstens {max} Bedingungen. Entfernen Sie zuerst eine.")
        },
        unknown_field: "Das Formular hat dieses Feld nicht mehr.",
        value: "Wert",
    },
    form_analysis: FormAnalysis {
        title: "Analyse",
        about: "Erkennt Sprache, Stimmung und Kategorien nach dem Eingang einer Einsendung. \
                Antworten werden nicht geändert.",
        loading: "Analyse wird geladen",
        what: "Die Analyse",
        is_on: "Die Analyse ist eingeschaltet",
        is_off: "Die Analyse ist ausgeschaltet. Vorhandene Ergebnisse bleiben erhalten.",
        off: "Die Analyse ist ausgeschaltet.",
        queueing: |pending| {
            format!(
                "In der Warteschlange: {}. Ältere Einsendungen werden geprüft.",
                number(pending)
            )
        },
        pending: |pending| match pending {
            0 => "Keine Einsendungen in der Warteschlange.".to_owned(),
            1 => "1 Einsendung in der Warteschlange.".to_owned(),
            _ => format!("{} Einsendungen in der Warteschlange.", number(pending)),
        },
        switch: "Einsendungen analysieren",
        switch_hint: "Auch vorhandene Einsendungen",
        switch_first: "Schalten Sie zuerst die Analyse ein",
        again: "Alle neu analysieren",
        again_title: "Alle Einsendungen neu analysieren?",
        again_text: "Jede Einsendung zählt zum Tageslimit. Manuelle Korrekturen bleiben erhalten.",
        again_verb: "Neu analysieren",
    },
    form_categories: FormCategories {
        title: "Kategorien",
        about: "Eine Einsendung erhält jede Kategorie mit passendem Stichwort. Änderungen gelten \
                für künftige Analysen.",
        loading: "Kategorien werden geladen",
        what: "Die Liste der Kategorien",
        saved: "Kategorien gespeichert",
        full: |max| format!("Ein Formular kann höchstens {max} Kategorien haben"),
        usual_title: "Standardkategorien wiederherstellen?",
        usual_text: "Die eigenen Kategorien und ihre Stichwörter werden gelöscht.",
        usual: "Standard wiederherstellen",
        are_usual: "Dies sind die Standardkategorien.",
        add: "Kategorie hinzufügen",
        save: "Kategorien speichern",
        new: "neue Kategorie",
        category: |name| format!("Kategorie: {name}"),
        words: "Stichwörter",
        words_hint: "Eines je Zeile oder durch Kommas getrennt. liefer* passt zu jeder Endung.",
        leave_out: "Entfernen",
        leave_out_of: |name| format!(": {name}"),
    },
    form_fields: FormFields {
        title: "Felder",
        about: "Namen und Reihenfolge gelten für Listen und Exporte. Formulare senden Antworten \
                nach Schlüssel; Schlüssel sind unveränderlich. Ausgeblendete Felder nehmen \
                Antworten an und werden exportiert, haben aber keine Spalte, keinen Filter und \
                kein Diagramm.",
        none: "Noch keine Felder. Die erste Einsendung fügt ihre Felder hinzu, oder Sie legen sie \
               hier an.",
        unchanged: "Keine Änderungen zu speichern",
        add: "Feld hinzufügen",
        discard: "Änderungen verwerfen",
        save: "Felder speichern",
        saved: "Felder gespeichert",
        changed_meanwhile: "Das Formular hat jetzt andere Felder. Neue stehen am Ende. Speichern \
                            Sie erneut.",
        kind: "Typ",
        key: "Schlüssel",
        new: "Neu",
        unnamed: |position| format!("Feld {position}"),
        name_of: |field| format!("Name von {field}"),
        kind_of: |field| format!("Typ von {field}"),
        leave_out: |field| format!("{field} entfernen"),
        hide: "Ausblenden",
        show: "Einblenden",
        hide_of: |field| format!(": {field}"),
        is_hidden: "Ausgeblendet",
        delete: |field| format!("{field} löschen"),
        will_go: |field| format!("{field} wird beim Speichern gelöscht"),
        delete_title: |count| match count {
            1 => "Dieses Feld löschen?".to_owned(),
            _ => format!("{count} Felder löschen?"),
        },
        delete_text: |names| {
            format!(
                "{names}: Vorhandene Antworten bleiben erhalten, haben aber keine Spalte in Listen \
                 und CSV-Exporten. Neue Einsendungen legen gelöschte Felder nicht wieder an."
            )
        },
        delete_verb: |count| match count {
            1 => "Feld löschen".to_owned(),
            _ => "Felder löschen".to_owned(),
        },
        now_at: |field, position, count| format!("{field} ist jetzt {position} von {count}"),
        text: "Text",
        long_text: "Langer Text",
        number: "Zahl",
        boolean: "Ja/Nein",
        choice: "Einfachauswahl",
        choices: "Mehrfachauswahl",
        rating: "Bewertung",
        email: "E-Mail",
        phone: "Telefon",
        url: "URL",
        date: "Datum",
    },
    form_intake: FormIntake {
        loading: "Annahme wird geladen",
        what: "Die Annahme des Formulars",
        not_whole: |name, text| format!("`{name}` muss eine ganze Zahl sein, ist aber `{text}`"),
        wrong: |name, rest| match rest.strip_prefix("muss ") {
            Some(rest) => format!("Der Wert muss {rest}"),
            None => format!("`{name}` {rest}"),
        },
        not_an_instant: |name, text| {
            format!("`{name}` muss ein Datum mit Uhrzeit sein, ist aber `{text}`")
        },
        closing: "Verfügbarkeit",
        is_closed: "Dieses Formular ist geschlossen.",
        closed: "Geschlossen",
        closed_hint: "Das Formular lehnt neue Einsendungen ab",
        closes_at: "Schließt am",
        closes_at_hint: |zone| {
            format!("Zeitzone: {zone}. Leer lassen, damit das Formular offen bleibt.")
        },
        closes_after: "Höchstzahl der Einsendungen",
        closes_after_hint: "Spam zählt nicht. Leer lassen für keine Begrenzung.",
        message: "Nachricht bei geschlossenem Formular",
        message_hint: "Leer lassen für die Standardnachricht in der Sprache des Besuchers.",
        save: "Annahme speichern",
        saved: "Annahme gespeichert",
        pages: "Ursprünge und Weiterleitungen",
        origins: "Erlaubte Ursprünge",
        origins_hint: "Einer je Zeile. Leer lassen, um jeden Ursprung zu erlauben.",
        redirects: "Erlaubte Weiterleitungs-URLs",
        redirects_hint: "URLs oder Ursprünge, einer je Zeile. Andere Weiterleitungen zeigen die \
                         Standard-Dankesseite.",
        spam: "Spam",
        honeypot: "Ausgefüllte Honeypots als Spam markieren",
        honeypot_hint: "Prüft das versteckte Feld _gotcha",
        seconds_min: "Mindestdauer (Sekunden)",
        seconds_min_hint: "Schnellere Einsendungen werden als Spam markiert. 0 schaltet die \
                           Prüfung ab.",
        fields_and_limits: "Felder und Limits",
        unknown_keys: "Unbekannte Felder",
        learns: "Automatisch hinzufügen",
        learns_not: "Speichern, ohne sie hinzuzufügen",
        learns_at_first: "Automatisch hinzufügen, bis das Formular Felder hat",
        strict: "Einsendung ablehnen",
        address_limit: "Limit je IP-Adresse (15\u{a0}min)",
        form_limit: "Limit je Formular (15\u{a0}min)",
        limit_hint: "Leer lassen für kein Limit.",
    },
    form_settings: FormSettings {
        title: |form| format!("Einstellungen von {form}"),
        label: "Formulareinstellungen",
        loading: "Formular wird geladen",
        what: "Das Formular",
        rename: "Umbenennen",
        duplicate: "Duplizieren",
        duplicated: |copy| format!("„{copy}“ erstellt"),
        delete: "Löschen",
        not_found: "Formular nicht gefunden",
        not_found_text: "Der Link ist falsch, oder das Formular gehört zu einem anderen Konto.",
        share: "Teilen",
        fields: "Felder",
        intake: "Annahme",
        spam: "Spam",
        trash: "Papierkorb",
        analysis: "Analyse",
        notifications: "Benachrichtigungen",
        webhooks: "Webhooks",
    },
    form_deletion: FormDeletion {
        title: "Formular löschen",
        text: |count, form| {
            format!(
                "Dies löscht „{form}“ mit {}, Spam und Einstellungen endgültig. Seiten, die an das \
                 Formular senden, erhalten einen Fehler.",
                submissions(count)
            )
        },
        name: "Zur Bestätigung den Namen des Formulars eingeben",
        other_name: "Der Name stimmt nicht überein",
        verb: "Formular löschen",
        done: |form| format!("„{form}“ gelöscht"),
    },
    form_share: FormShare {
        first_steps: "Noch keine Einsendungen. Fügen Sie das HTML in eine Seite ein und senden Sie \
                      es ab, oder führen Sie den Befehl aus. Diese Seite zeigt, wenn die erste \
                      Einsendung eintrifft.",
        first_is_here: "Erste Einsendung eingegangen. {}.",
        look_at_it: "Einsendung ansehen",
        html: "HTML-Formular",
        html_about: "In jede Seite einfügen und frei gestalten. Das Feld _gotcha ist für Besucher \
                     unsichtbar; Bots, die es ausfüllen, werden erkannt.",
        redirect: "Weiterleitungs-URL (optional)",
        redirect_hint: "Wird nach dem Absenden angezeigt. Muss unter „Annahme“ erlaubt sein.",
        copy_html: "HTML kopieren",
        script: "Metadaten-Skript",
        script_about: "In eine Seite einfügen, um Abschlussdauer und UTM-Kampagne jeder Einsendung \
                       zu erfassen.",
        copy_script: "Skript kopieren",
        program: "API-Anfrage",
        program_about: "Antworten als JSON senden, nach Feldschlüssel.",
        address: "Endpunkt-URL",
        address_about: "Ändert sich nicht, wenn Sie das Formular oder seine Felder umbenennen.",
        copy_address: "URL kopieren",
    },
    form_spam: FormSpam {
        title: "Spam",
        about: "Spamverdacht wird nach 30\u{a0}Tagen gelöscht. Er wird nicht aufgelistet, gezählt \
                oder exportiert. Geben Sie eine Einsendung frei, um sie zurück in die Liste zu \
                verschieben.",
        label: "Spam",
        loading: "Spam wird geladen",
        what: "Der Spam",
        what_rest: "Weiterer Spam",
        none: "Kein Spam",
        none_text: "Spamverdacht wird nach 30\u{a0}Tagen gelöscht.",
        count: |count| format!("{} im Spam", number(count)),
        more: "Mehr anzeigen",
        answers: "Antworten",
        why: "Grund",
        came: "Eingegangen",
        honeypot: "Honeypot",
        too_fast: "Zu schnell",
        marked: "Als Spam markiert",
        release: "Freigeben",
        released: "Einsendung freigegeben",
        act_on: |answers| format!(": {answers}"),
        deleted: "Einsendung gelöscht",
        failed: |reason| format!("Aktion fehlgeschlagen: {reason}"),
        delete_all: "Alles löschen",
        delete_title: |count| match count {
            1 => "Die Einsendung im Spam löschen?".to_owned(),
            _ => format!("Alle {} Einsendungen im Spam löschen?", number(count)),
        },
        delete_text: "Das lässt sich nicht rückgängig machen. Andere Einsendungen sind nicht \
                      betroffen.",
        delete_verb: "Spam löschen",
        nothing_deleted: |reason| format!("Spam konnte nicht gelöscht werden. {reason}"),
        all_deleted: "Spam gelöscht",
    },
    form_trash: FormTrash {
        title: WORDS.trash,
        about: |days| match days {
            0 => "Der Papierkorb ist ausgeschaltet. Einsendungen werden sofort endgültig gelöscht."
                .to_owned(),
            1 => "Einsendungen im Papierkorb werden nach 1\u{a0}Tag endgültig gelöscht.".to_owned(),
            _ => format!(
                "Einsendungen im Papierkorb werden nach {days}\u{a0}Tagen endgültig gelöscht."
            ),
        },
        label: "Papierkorb",
        loading: "Papierkorb wird geladen",
        what: "Der Papierkorb",
        what_rest: "Der übrige Papierkorb",
        none: "Der Papierkorb ist leer",
        none_text: "Gelöschte Einsendungen erscheinen hier.",
        none_match: "Keine passenden Einsendungen",
        none_match_text: "Die Suche vergleicht den genauen Text in allen Antworten.",
        search: "Papierkorb durchsuchen",
        count: |count| format!("{} im Papierkorb", submissions(count)),
        more: "Mehr anzeigen",
        answers: "Antworten",
        submitted: "Eingegangen",
        deleted_at: "Gelöscht",
        restore: "Wiederherstellen",
        delete: "Endgültig löschen",
        act_on: |answers| format!(": {answers}"),
        restored: "Wiederhergestellt",
        deleted: "Endgültig gelöscht",
        failed: |reason| format!("Aktion fehlgeschlagen. {reason}"),
        empty: "Papierkorb leeren",
        empty_title: "Papierkorb leeren?",
        empty_text: |count| {
            format!(
                "Dies löscht {} endgültig. Das lässt sich nicht rückgängig machen.",
                submissions(count)
            )
        },
        not_emptied: |reason| format!("Der Papierkorb konnte nicht geleert werden. {reason}"),
        emptied: "Papierkorb geleert",
        settings: "Aufbewahrung",
        days: "Tage im Papierkorb",
        days_hint: "0 bis 90; 0 schaltet den Papierkorb aus. Gilt auch für Einsendungen, die schon \
                    darin sind.",
        days_wrong: |max| format!("Eine ganze Zahl von 0 bis {max} eingeben"),
        save: "Speichern",
        saved: "Papierkorb-Einstellungen gespeichert",
    },
    form_usage: FormUsage {
        title: "Kontonutzung heute",
        about: "Ihr Tarif begrenzt, wie viele Einsendungen pro Tag analysiert werden. Die übrigen \
                werden am nächsten Tag analysiert.",
        label: "Nutzung heute",
        loading: "Nutzung wird geladen",
        what: "Die Nutzung",
        used_today: "Heute analysiert",
        used: "Verbraucht",
        limit_today: "Tageslimit",
        limit: "Limit",
        waiting: "Wartend",
        next_day: "Wird {} zurückgesetzt (Mitternacht UTC).",
    },
    form_notifications: FormNotifications {
        title: "Benachrichtigungen",
        about: "Sendet an jede dieser Adressen eine E-Mail über neue Einsendungen.",
        loading: "Benachrichtigungen werden geladen",
        what: "Die Liste der Benachrichtigungen",
        mail_disabled: "Dieser Server kann keine E-Mails senden. Der Betreiber kann das mit \
                        `--smtp-url` einrichten; siehe docs/email.md.",
        needs_mail: "Dieser Server kann keine E-Mails senden",
        usage: |sent, max| format!("Heute {} von {} E-Mails gesendet.", number(sent), number(max)),
        limit_reached: |max| {
            format!(
                "Das Tageslimit von {} E-Mails ist erreicht. Bis Mitternacht UTC werden keine \
                 weiteren E-Mails gesendet.",
                number(max)
            )
        },
        none: "Noch keine Adressen",
        none_text: "Fügen Sie eine Adresse hinzu, um eine E-Mail über jede Einsendung zu erhalten.",
        full: |max| {
            format!("Ein Formular kann höchstens {max} Adressen haben. Löschen Sie zuerst eine.")
        },
        addresses: "Adressen",
        add: "Adresse hinzufügen",
        add_mine: "Meine Adresse hinzufügen",
        add_verb: "Hinzufügen",
        edit: "Bearbeiten",
        edit_title: |email| format!("Benachrichtigung an {email} bearbeiten"),
        save: "Benachrichtigung speichern",
        saved: "Benachrichtigung gespeichert",
        added: |email| format!("{email} hinzugefügt"),
        link_sent: |email| {
            format!(
                "Wir haben einen Link an {email} gesendet. E-Mails folgen, sobald die Adresse \
                 bestätigt ist."
            )
        },
        link_failed: |email, reason| format!("{email}: {reason}"),
        of: |email| format!(" {email}"),
        email: "E-Mail-Adresse",
        email_hint: "Wer kein Mitglied ist, muss die Adresse zuerst bestätigen.",
        view: "Einsendungen",
        view_hint: "E-Mails zu einer geteilten Ansicht sind immer Zusammenfassungen.",
        all_submissions: "Alle",
        in_view: |name| format!("Ansicht: {name}"),
        views: "Die Liste der gespeicherten Ansichten",
        every: "Häufigkeit",
        each: "Jede Einsendung",
        hourly: "Stündliche Zusammenfassung",
        daily: "Tägliche Zusammenfassung um 08:00",
        daily_in: |zone| format!("Tägliche Zusammenfassung um 08:00 {zone}"),
        content: "Inhalt",
        full_content: "Alle Antworten",
        link_content: "Nur ein Link",
        time_zone: "Zeitzone",
        time_zone_hint: "Für tägliche Zusammenfassungen und Zeiten in E-Mails. Beispiel: \
                         Europe/Berlin.",
        needs_time_zone: "Geben Sie eine Zeitzone wie Europe/Berlin ein",
        language: "Sprache",
        active: "Aktiv",
        waiting: "Wartet auf Bestätigung",
        disabled: "Deaktiviert",
        unsubscribed: "Vom Empfänger abbestellt",
        refused: "Vom Mailserver abgelehnt",
        last_error: |reason| format!("Letzter Fehler: {reason}"),
        test: "Test senden",
        test_sent: |email| format!("Test-E-Mail an {email} gesendet"),
        send_link: "Link erneut senden",
        enable_first: "Aktivieren Sie zuerst die Adresse",
        enable: "Aktivieren",
        disable: "Deaktivieren",
        was_enabled: |email| format!("{email} aktiviert"),
        was_disabled: |email| format!("{email} deaktiviert"),
        delete: "Löschen",
        delete_title: |email| format!("Benachrichtigung an {email} löschen?"),
        delete_text: "Ausstehende E-Mails an diese Adresse werden nicht gesendet. Das lässt sich \
                      nicht rückgängig machen.",
        delete_verb: "Benachrichtigung löschen",
        was_deleted: |email| format!("{email} gelöscht"),
        action_failed: |reason| format!("Aktion fehlgeschlagen. {reason}"),
        reply: "Automatische Antwort",
        reply_about: "Eine E-Mail an den Absender einer Einsendung, höchstens einmal pro Adresse \
                      und Tag.",
        reply_needs: "Sie setzt Spamschutz voraus: den Honeypot oder eine Mindestdauer.",
        open_intake: "Einstellungen der Annahme öffnen",
        reply_on: "Automatische Antwort senden",
        reply_on_hint: "Geht an die E-Mail-Adresse in der Einsendung",
        subject: "Betreff",
        subject_wrong: |max| format!("Geben Sie 1 bis {max} Zeichen in einer Zeile ein"),
        text: "Text",
        text_hint: "Platzhalter: {form} ist der Name des Formulars, {time} die Zeit und {id} die \
                    ID der Einsendung.",
        text_wrong: |max| {
            let max = number(u64::try_from(max).unwrap_or(u64::MAX));
            format!("Geben Sie 1 bis {max} Zeichen ein")
        },
        reply_language_hint: "Für die Zeilen, die der Server ergänzt",
        preview: "Vorschau",
        save_reply: "Automatische Antwort speichern",
        reply_saved: "Automatische Antwort gespeichert",
        default_subject: "Wir haben Ihre Einsendung erhalten: {form}",
        default_text: "Vielen Dank. Wir haben Ihre Einsendung am {time} erhalten.",
    },
    form_webhooks: FormWebhooks {
        title: "Webhooks",
        about: "Ein Webhook sendet eine HTTP-Anfrage an ein anderes Programm, wenn eine Einsendung \
                eingeht oder sich ändert.",
        loading: "Webhooks werden geladen",
        what: "Die Liste der Webhooks",
        none: "Noch keine Webhooks",
        none_text: "Erstellen Sie einen Webhook, um ein anderes Programm über jede Einsendung zu \
                    benachrichtigen.",
        full: |max| {
            format!("Ein Formular kann höchstens {max} Webhooks haben. Löschen Sie zuerst einen.")
        },
        all: "Alle Webhooks",
        missing: "Webhook nicht gefunden",
        missing_text: "Er wurde gelöscht, oder der Link ist falsch.",
        url: "URL",
        url_hint: "Erhält für jedes Ereignis eine POST-Anfrage",
        needs_url: "Geben Sie eine URL ein, etwa https://example.com/hook",
        events: "Ereignisse",
        needs_event: "Wählen Sie mindestens ein Ereignis",
        event_created: "Erstellt",
        created_hint: "Eingegangen, aus dem Spam freigegeben oder aus dem Papierkorb \
                       wiederhergestellt",
        event_analyzed: "Analysiert",
        analyzed_hint: "Analyse abgeschlossen",
        event_updated: "Geändert",
        updated_hint: "Von Ihnen geändert",
        event_deleted: "Gelöscht",
        deleted_hint: "Gelöscht, in den Papierkorb verschoben oder als Spam markiert",
        event_test: "Test",
        format: "Format",
        json: "JSON",
        slack: "Slack",
        discord: "Discord",
        teams: "Microsoft Teams",
        ntfy: "ntfy",
        status: "Status",
        enabled: "Aktiv",
        failing_since: |time| format!("Schlägt fehl seit {time}"),
        disabled_by_owner: "Von Ihnen deaktiviert",
        disabled_gone: "Deaktiviert: Empfänger antwortete mit 410",
        disabled_failing: "Deaktiviert: 5 Tage lang fehlgeschlagen",
        created: "Erstellt",
        manage: "Verwalten",
        manage_of: |url| format!(": {url}"),
        create: "Webhook erstellen",
        create_verb: "Erstellen",
        edit: "Webhook bearbeiten",
        save: "Webhook speichern",
        saved: "Webhook gespeichert",
        secret_title: |url| format!("Geheimnis von {url} kopieren"),
        secret_text: "Das Geheimnis erscheint nur einmal. Kopieren Sie es jetzt und bewahren Sie \
                      es sicher auf.",
        verify: "Prüfen Sie mit diesem Geheimnis den Header webhook-signature jeder Anfrage. Es \
                 gelten die Regeln von Standard Webhooks (standardwebhooks.com).",
        secret_unneeded: "Dieser Dienst braucht das Geheimnis nicht.",
        secret_lost: |url| {
            format!(
                "Das neue Geheimnis von {url} wurde nicht angezeigt. Löschen Sie den Webhook, und \
                 legen Sie einen neuen an."
            )
        },
        copy_secret: "Geheimnis kopieren",
        rotate: "Geheimnis wechseln",
        rotate_title: |url| format!("Geheimnis von {url} wechseln?"),
        rotate_text: |hours| {
            format!(
                "Sie erhalten ein neues Geheimnis. Das alte bleibt {hours} Stunden gültig: Bis \
                 dahin werden Anfragen mit beiden signiert."
            )
        },
        enable: "Webhook aktivieren",
        disable: "Webhook deaktivieren",
        was_enabled: "Webhook aktiviert",
        was_disabled: "Webhook deaktiviert",
        enable_first: "Aktivieren Sie zuerst den Webhook",
        test: "Testereignis senden",
        test_queued: "Testereignis in der Warteschlange",
        delete: "Webhook löschen",
        delete_title: |url| format!("Webhook {url} löschen?"),
        delete_text: "Ausstehende Zustellungen werden nicht gesendet, und das Protokoll wird \
                      gelöscht. Das lässt sich nicht rückgängig machen.",
        was_deleted: "Webhook gelöscht",
        action_failed: |reason| format!("Aktion fehlgeschlagen. {reason}"),
        log: "Zustellungen",
        log_about: |days| format!("Zustellungen werden {days} Tage lang aufgeführt."),
        log_loading: "Zustellungen werden geladen",
        log_what: "Die Liste der Zustellungen",
        log_rest: "Der Rest der Zustellungen",
        log_none: "Noch keine Zustellungen",
        log_none_text: "Prüfen Sie den Empfänger mit einem Testereignis.",
        log_none_match: "Keine passenden Zustellungen",
        log_none_match_text: "Wählen Sie einen anderen Zustand.",
        log_more: "Mehr anzeigen",
        refresh: "Aktualisieren",
        time: "Zeit",
        event: "Ereignis",
        state: "Zustand",
        any_state: "Alle",
        pending: "Ausstehend",
        delivered: "Zugestellt",
        not_delivered: |reason| format!("Nicht zugestellt: {reason}"),
        failed: "Fehlgeschlagen",
        last_response: "Letzte Antwort",
        no_response: "Keine Antwort",
        details: "Details",
        details_of: |id| format!(" zu {id}"),
        delivery: |event| format!("Zustellung: {event}"),
        id: "ID",
        submission: "Einsendung",
        view_submission: "Einsendung ansehen",
        next_attempt: "Nächster Versuch",
        attempts: "Versuche",
        no_attempt: "Noch kein Versuch",
        attempt: |duration_ms| format!("{}\u{a0}ms", number(duration_ms.into())),
        response: "Antwort",
        body: "Inhalt der Anfrage",
        copy_body: "Inhalt kopieren",
        replay: "Zustellung erneut senden",
        replay_queued: |count| match count {
            0 => "Seitdem keine fehlgeschlagenen Zustellungen".to_owned(),
            1 => "Zustellung in der Warteschlange".to_owned(),
            _ => format!("{} Zustellungen in der Warteschlange", number(count)),
        },
        replay_failed: "Fehlgeschlagene Zustellungen erneut senden",
        replay_title: "Fehlgeschlagene Zustellungen erneut senden",
        replay_verb: "Erneut senden",
        since: "Seit",
        since_hint: |zone| {
            format!(
                "Zeitzone: {zone}. Fehlgeschlagene Zustellungen von Ereignissen seit dieser Zeit \
                 werden erneut gesendet, höchstens 10.000."
            )
        },
        since_wrong: "Geben Sie Datum und Uhrzeit ein",
        one_gone: |host| {
            format!("Der Webhook {host} ist deaktiviert: Sein Empfänger antwortete mit 410.")
        },
        one_failing: |host| {
            format!("Der Webhook {host} ist deaktiviert: Er schlug 5 Tage lang fehl.")
        },
        many_disabled: |count| format!("{count} Webhooks sind nach Fehlern deaktiviert."),
        view_webhooks: "Webhooks ansehen",
    },
    forms: Forms {
        none: "Noch keine Formulare",
        none_test: "Noch keine Testformulare",
        first_steps: "Erstellen Sie ein Formular, fügen Sie sein HTML in Ihre Seite ein und senden \
                      Sie es einmal ab. Die Einsendung erscheint sofort hier.",
        elsewhere: "Formulare werden auf einem anderen Server verwaltet",
        elsewhere_text: "Erstellen und bearbeiten Sie Formulare auf dem verbundenen Server.",
        count: |count| match count {
            1 => "1 Formular".to_owned(),
            _ => format!("{} Formulare", number(count as u64)),
        },
        full: |max| format!("Limit von {max} Formularen erreicht, Live und Test zusammen"),
        create: "Formular erstellen",
        create_first: "Erstes Formular erstellen",
        last_submission: "Letzte Einsendung",
        last: "Letzte",
        analysis: "Analyse",
        on: "An",
        off: "Aus",
        rename: "Umbenennen",
        rename_of: |form| format!(": {form}"),
        settings_of: |form| format!(": {form}"),
        create_title: "Formular erstellen",
        create_verb: "Erstellen",
        needs_name: |max| format!("Geben Sie einen Namen mit 1 bis {max} Zeichen ein"),
        live_hint: "Für echte Einsendungen",
        test_hint: "Für Testeinsendungen",
        name_hint: "Zum Beispiel: Kontakt",
        fields: "Felder",
        fields_hint: "Eines je Zeile. Leer lassen, um Felder aus der ersten Einsendung \
                      hinzuzufügen.",
        analyse: "Einsendungen analysieren",
        analyse_hint: "Erkennt Sprache, Stimmung und Kategorien",
        rename_title: "Formular umbenennen",
        rename_hint: "Seiten, die an das Formular senden, funktionieren weiter.",
        renamed: |form| format!("Umbenannt in „{form}“"),
        open_by_id: "Formular über ID öffnen",
        open_by_id_text: "Dieser Server listet seine Formulare nicht auf. Geöffnete Formulare \
                          werden in diesem Browser gespeichert.",
        id: "Formular-ID",
        not_an_id: |typed, reason| format!("`{typed}` ist keine gültige Formular-ID: {reason}"),
        open: "Formular öffnen",
    },
    frame: Frame {
        all_forms: WORDS.all_forms,
        api_keys: WORDS.api_keys,
        account: WORDS.account,
        activity: WORDS.activity,
    },
    inbox: Inbox {
        title: WORDS.inbox,
        unread: "Ungelesen",
        mine: "Mir zugewiesen",
        all: "Alle",
        submission: "Einsendung",
        text: "Text",
        form: "Formular",
        none: "Noch keine Einsendungen",
        none_text: "Neue Einsendungen aller Formulare erscheinen hier.",
        none_unread: "Keine ungelesenen Einsendungen",
        none_mine: "Ihnen sind keine Einsendungen zugewiesen",
        none_mine_text: "Einsendungen erscheinen hier, sobald ein Mitglied sie Ihnen zuweist.",
    },
    board: Board {
        title: WORDS.board,
        list: "Liste",
        more: "Mehr laden",
        the_column: "Die Spalte",
        none: "Keine Einsendungen",
        none_unread: "Keine ungelesenen Einsendungen unter den geladenen Karten",
        no_status: "Kein Status des Kontos passt zum Filter.",
    },
    insights: Insights {
        title: |form| format!("Auswertung von {form}"),
        loading: "Auswertung wird geladen",
        what: "Die Auswertung",
        rest: "Ein Teil der Auswertung",
        over: |counted, all| format!("{} von {} gezählt", number(counted), number(all)),
        none_text: "Diagramme erscheinen nach der ersten Einsendung.",
        no_match_text: "Ändern Sie die Filter oder heben Sie sie auf.",
        sentiment: "Stimmung",
        sentiment_over_time: "Stimmung im Zeitverlauf",
        median_to_done: |duration| format!("Median der Zeit bis „Erledigt“: {duration}"),
        categories: "Kategorien",
        utm_sources: "UTM-Quellen",
        utm_mediums: "UTM-Medien",
        utm_campaigns: "UTM-Kampagnen",
        countries: "Länder",
        devices: "Geräte",
        browsers: "Browser",
        languages: "Sprachen",
        none: "Ohne",
        no_sentiment: "keine",
        not_known: "Unbekannt",
        not_answered: "Nicht beantwortet",
        quartiles: |values| {
            format!(
                "Minimum {}, unteres Quartil {}, Median {}, oberes Quartil {}, Maximum {}.",
                values[0], values[1], values[2], values[3], values[4],
            )
        },
        words_of: |field| format!("Häufige Wörter: {field}"),
        word_count: |answers| {
            format!(
                "In {} {}. Füllwörter wie „und“ sind weggelassen.",
                number(answers),
                if answers == 1 { "Antwort" } else { "Antworten" },
            )
        },
        newest: |count| format!("Nur die neuesten {} Einsendungen zählen.", number(count)),
        filter_by: |value| format!("Nach {value} filtern"),
        by_unit: |title, unit| {
            format!(
                "{title} je {}",
                match unit {
                    TimeUnit::Day => "Tag",
                    TimeUnit::Week => "Woche",
                    TimeUnit::Month => "Monat",
                    TimeUnit::Year => "Jahr",
                }
            )
        },
        day: "Tag",
        week: "Woche",
        month: "Monat",
        year: "Jahr",
        earlier: |count| format!("{} frühere nicht dargestellt", number(count)),
        completion_time: "Abschlussdauer",
        under: |span| format!("Unter {span}"),
        and_more: |span| format!("{span} oder mehr"),
    },
    account: Account {
        title: "Konto",
        loading: "Sitzungen werden geladen",
        what: "Die Liste Ihrer Sitzungen",
        reading: "Lesen",
        mark_read: "Beim Öffnen als gelesen markieren",
        mark_read_hint: "Gilt nur in diesem Browser.",
        mentions: "Erwähnungen",
        mention_emails: "E-Mail senden, wenn mich jemand in einer Notiz erwähnt",
        preferences: "Die Liste Ihrer Einstellungen",
        preferences_loading: "Einstellungen werden geladen",
        preferences_not_saved: |reason: &str| {
            format!("Ihre Einstellungen konnten nicht gespeichert werden. {reason}")
        },
        sessions: "Sitzungen",
        sessions_text: "Melden Sie unbekannte Sitzungen ab und ändern Sie dann Ihr Passwort. \
                        Sitzungen enden nach 12\u{a0}Stunden ohne Nutzung und nach 14\u{a0}Tagen.",
        sessions_text_proxied: "Melden Sie unbekannte Sitzungen ab und informieren Sie Ihren \
                                Administrator. Sitzungen enden nach 12\u{a0}Stunden ohne Nutzung \
                                und nach 14\u{a0}Tagen.",
        device: "Gerät",
        since: "Seit",
        unknown: "Unbekannter Browser",
        this_one: "Dieses Gerät",
        end: "Abmelden",
        of: |device: &str| format!(" {device}"),
        ended: |device: &str| format!("{device} abgemeldet"),
        end_others: "Andere Sitzungen abmelden",
        others_ended: "Andere Sitzungen abgemeldet",
        not_ended: |reason: &str| format!("Abmelden nicht möglich. {reason}"),
        password: "Passwort",
        current: "Aktuelles Passwort",
        new: "Neues Passwort",
        new_hint: "Mindestens 12 Zeichen. Meldet andere Sitzungen ab.",
        first_hint: "Mindestens 12 Zeichen. Damit melden Sie sich ohne Link an.",
        reset_ended: "Seit Ihrer Anmeldung per Link sind mehr als 5\u{a0}Minuten vergangen. Geben \
                      Sie Ihr aktuelles Passwort ein, oder melden Sie sich mit einem neuen Link \
                      an.",
        too_short: |max: usize| format!("Verwenden Sie mindestens {max} Zeichen"),
        change: "Passwort ändern",
        set: "Passwort festlegen",
        was_set: "Passwort gespeichert. Andere Sitzungen wurden abgemeldet.",
        email: "E-Mail-Adresse",
        new_email: "Neue E-Mail-Adresse",
        email_text: |email: &str| format!("Sie melden sich als {email} an."),
        email_hint: "Meldet andere Sitzungen ab und macht Links an die alte Adresse ungültig.",
        same_email: "Das ist bereits Ihre Adresse",
        change_email: "E-Mail ändern",
        email_code: "Code aus der E-Mail",
        code_sent: |email: &str| {
            format!("Wir haben einen Code an {email} gesendet. Er ist 15 Minuten gültig.")
        },
        needs_code: "Geben Sie den Code aus der E-Mail ein",
        email_was_set: "E-Mail geändert. Andere Sitzungen wurden abgemeldet.",
    },
    activity: Activity {
        title: "Aktivität",
        about: "Aktionen in diesem Konto. Einträge verfallen nach 400\u{a0}Tagen, sind \
                unveränderlich und enthalten keine Antworten. Personen erscheinen mit ihrer \
                damaligen E-Mail-Adresse.",
        loading: "Aktivität wird geladen",
        what: "Die Aktivität",
        what_rest: "Ältere Aktivität",
        count: |count, text| match count {
            1 => "1 Eintrag".to_owned(),
            _ => format!("{text} Einträge"),
        },
        filters: "Filter",
        kind: "Typ",
        all: "Alle",
        sign_ins: "Anmeldungen",
        keys: "API-Schlüssel",
        forms: "Formulare",
        submissions: "Einsendungen",
        spam: "Spam",
        insights: "Auswertungen",
        refused: "Abgelehnt",
        none: "Noch keine Aktivität",
        none_text: "Aktionen in diesem Konto erscheinen hier.",
        no_match: "Keine passende Aktivität",
        no_match_text: "Ändern Sie den Typ oder den Zeitraum.",
        clear: "Filter aufheben",
        elsewhere: "Aktivität wird auf einem anderen Server protokolliert",
        elsewhere_text: "Sehen Sie im Protokoll des verbundenen Servers nach.",
        export_csv: "CSV exportieren",
        export_ndjson: "NDJSON exportieren",
        exported: |name: &str| format!("Gespeichert als {name}"),
        not_exported: |reason: &str| format!("Exportieren nicht möglich. {reason}"),
        more: "Mehr anzeigen",
        what_head: "Aktion",
        who: "Benutzer",
        from: "Gerät",
        outcome: "Ergebnis",
        when: "Zeitpunkt",
        ok: "Erfolgreich",
        denied: "Abgelehnt",
        failed: "Fehlgeschlagen",
        by_nobody: "Unbekannt",
        by_session: "Angemeldeter Benutzer",
        by_key: "API-Schlüssel",
        by_system: "System",
        account_created: "Konto erstellt",
        plan_set: |before: &str, plan: &str| format!("Tarif von {before} zu {plan} geändert"),
        account_deleted: |id: &str| format!("Konto {id} gelöscht"),
        signed_in: "Angemeldet",
        sign_in_refused: "Anmeldung fehlgeschlagen",
        signed_out: "Abgemeldet",
        others_signed_out: "Andere Sitzungen abgemeldet",
        proven: "Passwort bestätigt",
        reauthentication_failed: "Passwortbestätigung fehlgeschlagen",
        person_added: "Mitglied hinzugefügt",
        person_changed: "Zugriff eines Mitglieds geändert",
        person_removed: "Mitglied entfernt",
        person_linked: "Proxy-Anmeldung verknüpft",
        person_unlinked: "Proxy-Anmeldung getrennt",
        email_set: |before: &str, email: &str| {
            format!("E-Mail-Adresse von {before} zu {email} geändert")
        },
        link_made: "Anmeldelink erstellt",
        password_set: "Passwort geändert",
        password_refused: "Passwortänderung fehlgeschlagen",
        key_created: |name: &str| format!("Schlüssel „{name}“ erstellt"),
        key_revoked: |name: &str| format!("Schlüssel „{name}“ widerrufen"),
        form_created: |name: &str| format!("Formular „{name}“ erstellt"),
        form_renamed: |before: &str, name: &str| {
            format!("Formular „{before}“ in „{name}“ umbenannt")
        },
        form_duplicated: |source: &str, name: &str| {
            format!("Formular „{name}“ aus „{source}“ dupliziert")
        },
        form_deleted: |name: &str| format!("Formular „{name}“ gelöscht"),
        fields_set: |name: &str| format!("Felder von „{name}“ geändert"),
        analysis_on: |name: &str| format!("Analyse von „{name}“ eingeschaltet"),
        analysis_off: |name: &str| format!("Analyse von „{name}“ ausgeschaltet"),
        categories_set: |name: &str| format!("Kategorien von „{name}“ geändert"),
        intake_set: |name: &str| format!("Annahme von „{name}“ geändert"),
        submission_deleted: |name: &str| format!("Einsendung {name} gelöscht"),
        export_begun: |name: &str| format!("Export von „{name}“ gestartet"),
        export_ended: |rows| format!("Export mit {} abgeschlossen", submissions(rows)),
        export_broken: |rows| format!("Export nach {} unterbrochen", submissions(rows)),
        imported: |count| format!("{} importiert", submissions(count)),
        insight_corrected: |name: &str| format!("Analyse von {name} korrigiert"),
        insight_reset: |name: &str| format!("Korrektur von {name} entfernt"),
        submissions_trashed: |count| format!("{} in den Papierkorb verschoben", submissions(count)),
        submissions_restored: |count| {
            format!("{} aus dem Papierkorb wiederhergestellt", submissions(count))
        },
        submissions_updated: |count| format!("{} aktualisiert", submissions(count)),
        view_created: |view: &str, form: &str| format!("Ansicht „{view}“ von „{form}“ geteilt"),
        view_set: |view: &str, form: &str| {
            format!("Geteilte Ansicht „{view}“ von „{form}“ geändert")
        },
        view_deleted: |view: &str, form: &str| {
            format!("Geteilte Ansicht „{view}“ von „{form}“ gelöscht")
        },
        note_created: |submission: &str| format!("Notiz zur Einsendung {submission} erstellt"),
        note_edited: |submission: &str| format!("Notiz zur Einsendung {submission} bearbeitet"),
        note_deleted: |submission: &str| format!("Notiz zur Einsendung {submission} gelöscht"),
        preferences_set: "Einstellungen eines Mitglieds geändert",
        triage_set: "Status und Schlagwörter geändert",
        trash_deleted: |count| {
            format!("{} endgültig aus dem Papierkorb gelöscht", submissions(count))
        },
        trash_set: |name, days| format!("Tage im Papierkorb von {name} auf {days} gesetzt"),
        notification_created: |email: &str, form: &str| {
            format!("Benachrichtigung an {email} über „{form}“ erstellt")
        },
        notification_set: |email: &str, form: &str| {
            format!("Benachrichtigung an {email} über „{form}“ geändert")
        },
        notification_deleted: |email: &str, form: &str| {
            format!("Benachrichtigung an {email} über „{form}“ gelöscht")
        },
        notification_confirmed: |email: &str, form: &str| format!("{email} für „{form}“ bestätigt"),
        notification_unsubscribed: |email: &str, form: &str| {
            format!("{email} von „{form}“ abgemeldet")
        },
        confirmation_sent: |email: &str, form: &str| {
            format!("Bestätigungslink für „{form}“ an {email} gesendet")
        },
        notification_tested: |email: &str, form: &str| {
            format!("Test-E-Mail über „{form}“ an {email} gesendet")
        },
        auto_reply_set: |form: &str, is_on| {
            let state = if is_on { "an" } else { "aus" };
            format!("Automatische Antwort von „{form}“ geändert: {state}")
        },
        webhook_created: |host: &str, form: &str| format!("Webhook {host} von „{form}“ erstellt"),
        webhook_set: |host: &str, form: &str| format!("Webhook {host} von „{form}“ geändert"),
        webhook_rotated: |host: &str, form: &str| {
            format!("Geheimnis des Webhooks {host} von „{form}“ gewechselt")
        },
        webhook_deleted: |host: &str, form: &str| format!("Webhook {host} von „{form}“ gelöscht"),
        webhook_tested: |host: &str, form: &str| {
            format!("Testereignis an Webhook {host} von „{form}“ gesendet")
        },
        webhook_replayed: |count, host: &str, form: &str| match count {
            1 => format!("1 Zustellung des Webhooks {host} von „{form}“ erneut gesendet"),
            _ => format!(
                "{} Zustellungen des Webhooks {host} von „{form}“ erneut gesendet",
                number(count)
            ),
        },
        spam_marked: |count| format!("{} als Spam markiert", submissions(count)),
        spam_released: |count| format!("{} aus dem Spam freigegeben", submissions(count)),
        spam_deleted: |count| format!("{} aus dem Spam gelöscht", submissions(count)),
        request_refused: "Anfrage abgelehnt",
        request_limited: "Anfragelimit überschritten",
        refusals_omitted: |count| format!("Weitere Anfragen abgelehnt ({count})"),
        request_forged: "Anfrage einer fremden Website blockiert",
        audit_exported: "Aktivität exportiert",
        audit_dropped: |count| format!("Aktivität nach 400\u{a0}Tagen gelöscht ({count})"),
    },
    people: People {
        title: "Mitglieder",
        text: "Leser können Einsendungen ansehen, durchsuchen und exportieren. Bearbeiter können \
               auch Status, Schlagwörter, Zuständige und Notizen ändern und Papierkorb und Spam \
               verwenden. Nur der Inhaber ändert Einstellungen.",
        loading: "Mitglieder werden geladen",
        what: "Die Mitgliederliste",
        email: "E-Mail",
        role: "Rolle",
        owner: "Inhaber",
        editor: "Bearbeiter",
        reader: "Leser",
        limited_role: |role, forms| {
            if forms == 1 {
                format!("{role}, 1 Formular")
            } else {
                format!("{role}, {forms} Formulare")
            }
        },
        editor_hint: "Kann Status, Schlagwörter und Notizen ändern und Einsendungen in den \
                      Papierkorb oder Spam verschieben.",
        reader_hint: "Kann Einsendungen ansehen, durchsuchen und exportieren.",
        add: "Mitglied hinzufügen",
        add_title: "Mitglied hinzufügen",
        add_verb: "Hinzufügen",
        add_hint: "Es wird keine E-Mail gesendet. Sie erhalten einen Link zum Weitergeben.",
        add_hint_mailed: "Wir senden einen Anmeldelink an diese Adresse.",
        add_hint_proxied: "Es wird keine E-Mail gesendet. Sie erhalten eine Anleitung.",
        needs_email: "Geben Sie eine E-Mail-Adresse wie sie@example.com ein",
        proxied: "Ihre Organisation verwaltet die Anmeldung. Ihr Administrator muss die Anmeldung \
                  jedes Mitglieds verknüpfen.",
        way_in: "Anleitung anzeigen",
        way_in_title: |email: &str| format!("Zugang für {email}"),
        way_in_text: "Ihre Organisation verwaltet die Anmeldung. Bitten Sie Ihren Administrator, \
                      diesen Befehl auszuführen, der eine Anmeldung mit dieser Adresse verknüpft:",
        way_in_name: "ANMELDENAME",
        way_in_name_text: |name: &str| {
            format!(
                "Ersetzen Sie {name} durch den Anmeldenamen. Mitglieder sehen ihn, wenn ihr \
                 Zugang abgelehnt wird."
            )
        },
        copy_command: "Befehl kopieren",
        link_title: |email: &str| format!("Anmeldelink für {email}"),
        link_text: |until: &str| {
            format!(
                "Funktioniert einmal, bis {until}, und wird nur jetzt angezeigt. Jeder mit diesem \
                 Link kann sich anmelden: Geben Sie ihn auf sicherem Weg weiter."
            )
        },
        link_mailed: |email: &str, until: &str| {
            format!(
                "Wir haben den Link an {email} gesendet. Er funktioniert einmal, bis {until}. Sie \
                 können ihn auch jetzt kopieren und auf sicherem Weg weitergeben: Jeder mit diesem \
                 Link kann sich anmelden."
            )
        },
        copy_link: "Link kopieren",
        link: "Link erstellen",
        link_of: |email: &str| format!(" für {email}"),
        not_linked: |reason: &str| format!("Link konnte nicht erstellt werden. {reason}"),
        link_not_shown: "Der Link wurde nicht angezeigt, weil ein anderes Fenster offen war. \
                         Erstellen Sie ihn erneut.",
        change: "Zugriff ändern",
        change_of: |email: &str| format!(" von {email}"),
        change_title: |email: &str| format!("Zugriff von {email}"),
        changed: |email: &str| format!("Zugriff von {email} geändert"),
        not_changed: |reason: &str| format!("Zugriff konnte nicht geändert werden. {reason}"),
        remove: "Entfernen",
        remove_of: |email: &str| format!(" {email}"),
        remove_title: |email: &str| format!("{email} entfernen?"),
        remove_text: "Alle Sitzungen und Links dieser Person enden sofort.",
        remove_verb: "Mitglied entfernen",
        removed: |email: &str| format!("{email} entfernt"),
        not_removed: |reason: &str| format!("Mitglied konnte nicht entfernt werden. {reason}"),
        for_owner: "Nur für Inhaber",
        for_owner_text: "Bitten Sie den Inhaber des Kontos um diese Änderung.",
    },
    reauthentication: ReauthenticationTexts {
        title: "Passwort bestätigen",
        text: "Die Bestätigung gilt 5\u{a0}Minuten.",
        password: "Passwort",
        verb: "Weiter",
        wrong: "Falsches Passwort",
    },
    keys: Keys {
        title: "API-Schlüssel",
        rule: "Mit API-Schlüsseln können Ihre Anwendungen Einsendungen lesen, löschen und \
               exportieren. Ein Konto kann 10 aktive Schlüssel haben, Live und Test zusammen.",
        elsewhere: "API-Schlüssel werden auf einem anderen Server verwaltet",
        elsewhere_text: "Erstellen und widerrufen Sie API-Schlüssel auf dem verbundenen Server.",
        active: |active, max| format!("{active} von {max} aktiv"),
        full: |max| {
            format!(
                "Limit von {max} aktiven Schlüsseln erreicht. Widerrufen Sie zuerst einen \
                 Schlüssel."
            )
        },
        loading: "API-Schlüssel werden geladen",
        what: "Die Liste der API-Schlüssel",
        none: "Noch keine API-Schlüssel",
        none_text: "Erstellen Sie einen Schlüssel je Anwendung, um jeden einzeln widerrufen zu \
                    können.",
        create: "Schlüssel erstellen",
        key: "Schlüssel",
        created: "Erstellt",
        last_used: "Zuletzt verwendet",
        state: "Status",
        is_active: "Aktiv",
        revoked: "Widerrufen {}",
        expires: "Läuft {} ab",
        expired: "Abgelaufen {}",
        form_count: |count| match count {
            1 => "1 Formular".to_owned(),
            _ => format!("{count} Formulare"),
        },
        examples: "Beispiele",
        examples_for: |key| format!(" für {key}"),
        revoke: "Widerrufen",
        revoke_of: |key| format!(": {key}"),
        revoke_title: |key| format!("„{key}“ widerrufen?"),
        revoke_text: "Anwendungen mit diesem Schlüssel funktionieren sofort nicht mehr. Das lässt \
                      sich nicht rückgängig machen.",
        revoke_verb: "Schlüssel widerrufen",
        not_revoked: |reason| format!("Der Schlüssel konnte nicht widerrufen werden. {reason}"),
        was_revoked: |key| format!("„{key}“ widerrufen"),
        create_title: "API-Schlüssel erstellen",
        create_verb: "Erstellen",
        needs_name: "Namen eingeben",
        live_hint: "Zugriff auf Live-Einsendungen",
        test_hint: "Zugriff nur auf Testeinsendungen",
        name_hint: "Zum Beispiel: Website",
        access: "Zugriff",
        full_access: "Vollzugriff",
        full_access_hint: "Einsendungen lesen, exportieren und löschen",
        read_only: "Nur lesen",
        read_only_hint: "Einsendungen lesen und exportieren",
        expiry: "Ablauf",
        never: "Nie",
        in_days: |days| format!("{days} Tage"),
        in_a_year: "1 Jahr",
        on_day: "An einem Datum",
        end_day: "Ablaufdatum",
        end_day_hint: "Ab Beginn dieses Tages funktioniert der Schlüssel nicht mehr.",
        needs_day: "Einen Tag in der Zukunft wählen",
        secret_title: |key| format!("Geheimnis von „{key}“ kopieren"),
        secret_text: "Das Geheimnis erscheint nur einmal. Kopieren Sie es jetzt und bewahren \
                      Sie es sicher auf.",
        copy_secret: "Geheimnis kopieren",
        use_title: |key| format!("„{key}“ verwenden"),
        form: "Formular",
        in_terminal: "Terminal",
        in_rust: "Rust, mit dem Sheaf-Client",
        copy_code: "Code kopieren",
        use_text: "Ersetzen Sie die Punkte durch das Geheimnis und verwenden Sie es nur auf einem \
                   Server: Damit erhält man Zugriff auf Ihre Einsendungen. Bei Verlust \
                   erstellen Sie einen neuen Schlüssel.",
    },
    list: List {
        all_selected: |count| format!("Alle {} passenden ausgewählt", number(count)),
        form_maybe_deleted: "Vielleicht wurde es gelöscht, oder der Link ist falsch.",
        form_missing: "Formular nicht gefunden",
        loading: "Einsendungen werden geladen",
        months: "Monate",
        more_failed: |reason| format!("Weitere konnten nicht geladen werden. {reason}"),
        news: |count| format!("{} neue", number(count)),
        no_form: "Der Link enthält keine gültige Formular-ID.",
        none_match: "Suche und UTM-Filter vergleichen den genauen Text.",
        nothing_selected: "Nichts ausgewählt",
        page_not_found: "Seite nicht gefunden",
        selected: |count| format!("{} ausgewählt", number(count)),
        stale: |reason| {
            format!(
                "Der Filter konnte nicht angewendet werden. Angezeigt werden die vorherigen \
                 Ergebnisse. {reason}"
            )
        },
        the_list: "Die Liste",
        too_many: "Zu viele Anfragen",
        views: WORDS.views,
    },
    listing: Listing { acts: "Aktionen" },
    none_yet: NoneYet {
        text: "Neue Einsendungen erscheinen hier. Um vorhandene Antworten zu importieren, führen \
               Sie diesen Befehl auf dem Server aus:",
    },
    not_found: NotFound {
        not_found: "Nicht gefunden",
        page_not_found: "Seite nicht gefunden",
        text: "Vielleicht ist der Link falsch, oder die Seite wurde gelöscht.",
        to_forms: "Zu den Formularen",
    },
    picks: Picks {
        loading: "Werte werden geladen",
        none_fits: "Kein Wert der Liste passt",
        none_yet: "Noch keine Werte",
    },
    plots: Plots { show_plot: "Diagramm anzeigen", show_table: "Tabelle anzeigen" },
    saved_views: SavedViews {
        about: "Speichern Sie diesen Filter als Ansicht. Ansichten werden in diesem Browser \
                gespeichert; ihre Links funktionieren überall.",
        about_server: "Speichern Sie diesen Filter als Ansicht. Andere Mitglieder sehen nur \
                       geteilte Ansichten.",
        change: |name| format!("„{name}“ bearbeiten"),
        days_move: |days| format!("Relativer Zeitraum: {days}"),
        default: "Standard",
        delete: "Ansicht löschen",
        deleted: |name| format!("Ansicht „{name}“ gelöscht"),
        example: "Beschwerden dieser Woche",
        forgetful: "Ihr Browser blockiert den Speicher; gespeicherte Ansichten gehen beim Neuladen \
                    verloren.",
        full: |max| {
            format!(
                "Ein Formular kann höchstens {} Ansichten haben. Löschen Sie zuerst eine.",
                number(max)
            )
        },
        move_down: "Nach unten",
        move_stored: |count| match count {
            1 => "1 Ansicht aus diesem Browser übernehmen".to_owned(),
            _ => format!("{} Ansichten aus diesem Browser übernehmen", number(count)),
        },
        move_up: "Nach oben",
        opens_with_form: "Als Standardansicht verwenden",
        private: "Privat",
        replace: |name| format!("„{name}“ ersetzen"),
        save: "Ansicht speichern",
        save_as: "Name der Ansicht",
        saved_views: "Gespeicherte Ansichten",
        share: "Mit Mitgliedern teilen",
        shared: "Geteilt",
        taken: |name| format!("Eine Ansicht „{name}“ gibt es bereits"),
        use_filter: "Aktuellen Filter übernehmen",
        with_columns: "Spalten einschließen",
    },
    selection: Selection {
        campaign_is: |text| format!("Kampagne ist „{text}“"),
        clear: "Aufheben",
        contains: |text| format!("Antworten enthalten „{text}“"),
        delete_all: "Alle passenden Einsendungen endgültig löschen?",
        export_all: "Alle exportieren",
        export_selection: "Exportieren",
        medium_is: |text| format!("Medium ist „{text}“"),
        no_filter: "Kein Filter gesetzt: Das betrifft alle Einsendungen des Formulars.",
        is_in: |name, values| format!("{name}: {values}"),
        of_form: |count, form| format!("{} von „{form}“.", submissions(count)),
        releasable: "Unter „Spam“ lassen sie sich 30\u{a0}Tage lang freigeben.",
        restorable: |days| match days {
            1 => "Aus dem Papierkorb lassen sie sich 1\u{a0}Tag lang wiederherstellen.".to_owned(),
            _ => format!(
                "Aus dem Papierkorb lassen sie sich {days}\u{a0}Tage lang wiederherstellen."
            ),
        },
        rows_failed: |reason| format!("Die Zeilen konnten nicht ausgewählt werden. {reason}"),
        select_all: |count| format!("Alle {} passenden auswählen", number(count)),
        selecting: "Wird ausgewählt\u{a0}…",
        selection: "Auswahl",
        since: |time| format!("Seit {time}"),
        source_is: |text| format!("Quelle ist „{text}“"),
        spam_all: "Alle passenden Einsendungen als Spam markieren?",
        the_filter: "Filter:",
        type_to_confirm: |count| format!("Zur Bestätigung {} eingeben", number(count)),
        type_to_delete: |count| format!("Zum Fortfahren {} eingeben", number(count)),
        trash_all: "Alle passenden Einsendungen in den Papierkorb verschieben?",
        until: |time| format!("Bis {time}"),
    },
    sentiments: Sentiments {
        mixed: WORDS.mixed,
        negative: WORDS.negative,
        neutral: WORDS.neutral,
        positive: WORDS.positive,
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
        test_data: "Testmodus",
        account: |email| format!("Konto {email}"),
        sign_out: "Abmelden",
        commands: "Befehle",
        appearance: "Darstellung",
        theme: "Design",
        theme_system: "System",
        theme_light: "Hell",
        theme_dark: "Dunkel",
        density: "Dichte",
        comfortable: "Komfortabel",
        compact: "Kompakt",
        language: "Sprache",
        language_browser: "Browser-Standard",
        forms: WORDS.forms,
        settings: "Einstellungen",
        loading_forms: "Formulare werden geladen",
        no_forms: "Noch keine Formulare",
    },
    palette: Palette {
        title: "Befehle",
        placeholder: "Formulare und Befehle suchen",
        found: |count| match count {
            0 => "Keine Ergebnisse".to_owned(),
            1 => "1 Befehl".to_owned(),
            count => format!("{count} Befehle"),
        },
        go: "Gehe zu",
        here: "Diese Seite",
        view: "Ansicht",
        form: |environment| format!("Formular, {environment}"),
        insights_of: |form| format!("{form}: Auswertung"),
        settings_of: |form| format!("{form}: Einstellungen"),
        environment: |name| format!("Formulare, {name}"),
        all_forms: "Alle Formulare",
        api_keys: "API-Schlüssel",
        theme: |name| format!("Design: {name}"),
        density: |name| format!("Dichte: {name}"),
        create_form: "Formular erstellen",
        create_key: "API-Schlüssel erstellen",
    },
    print: Print { print: "Drucken" },
    keys_help: KeysHelp {
        title: "Tastenkürzel",
        alt: "Alt",
        alt_mac: "⌥",
        click: "Klick",
        ctrl: "Strg",
        cmd: "⌘",
        enter: "Enter",
        escape: "Esc",
        shift: "Umschalt",
        palette: "Befehle öffnen",
        help: "Tastenkürzel anzeigen",
        single: "Kürzel mit einer Taste",
        single_hint: "Wenn ausgeschaltet, öffnen Sie diese Hilfe über „Befehle“.",
        close: "Schließen",
        search: "Suchen",
        find: "Suchen (erneut drücken für die Browsersuche)",
        next: "Nächste Einsendung",
        previous: "Vorherige Einsendung",
        next_unread: "Nächste ungelesene Einsendung",
        previous_unread: "Vorherige ungelesene Einsendung",
        open: "Einsendung öffnen",
        pick: "Einsendung auswählen (Umschalt+Pfeil für einen Bereich)",
        pick_all: "Alle geladenen auswählen (erneut drücken für alle passenden)",
        export: "Exportieren",
        delete: "Ausgewählte oder geöffnete Einsendung löschen",
        star: "Stern der geöffneten oder markierten Einsendung setzen oder entfernen",
        status: "Status der geöffneten oder markierten Einsendung setzen",
        tags: "Geöffnete oder markierte Einsendung verschlagworten",
        assignee: "Geöffnete oder markierte Einsendung zuweisen",
        note: "Notiz zur geöffneten oder markierten Einsendung hinzufügen",
        mark_unread: "Geöffnete oder markierte Einsendung als ungelesen markieren",
        undo: "Letzte Aktion rückgängig machen",
        print: "Geöffnete Einsendung oder sichtbare Zeilen drucken",
        filter_cell: "Nach dem Wert der angeklickten Zelle filtern",
        board: "Fokus zwischen Karten und Spalten des Boards bewegen",
    },
    sign_in: SignIn {
        again: "Erneut anmelden",
        away: "Kein Zugang",
        away_text: "Mit Ihrer Anmeldung ist kein Konto verknüpft.",
        email: "E-Mail",
        email_link: "Anmeldelink per E-Mail senden",
        email_link_back: "Zurück zur Anmeldung",
        email_link_send: "Link senden",
        email_link_sent: "Wenn es ein Mitglied mit dieser Adresse gibt, ist ein Link unterwegs. Er \
                          ist 15\u{a0}Minuten gültig.",
        email_link_text: "Sie erhalten einen Link, mit dem Sie sich einmal anmelden können.",
        email_link_title: "Anmeldung per E-Mail",
        left: "Abgemeldet",
        left_text: "Bei Ihrer Organisation sind Sie vielleicht noch angemeldet. Melden Sie sich \
                    auf gemeinsam genutzten Geräten auch dort ab.",
        link_other: |current| {
            format!(
                "Sie sind als {current} angemeldet. Mit der Anmeldung über diesen Link endet diese \
                 Sitzung."
            )
        },
        link_question: |email| format!("Als {email} anmelden?"),
        link_same: |current| format!("Sie sind bereits als {current} angemeldet."),
        link_text: "Dieser Anmeldelink funktioniert einmal.",
        link_used: "Dieser Link wurde verwendet oder ist abgelaufen. Fordern Sie einen neuen an, \
                    oder melden Sie sich mit Ihrem Passwort an.",
        no_password: "Passwort vergessen? Bitten Sie Ihren Administrator um einen Anmeldelink. Er \
                      wird mit {} erstellt.",
        password: "Passwort",
        sign_in: "Anmelden",
        text: "Verwalten Sie Ihre Formulareinsendungen.",
        too_many: |wait| format!("Zu viele Versuche. Versuchen Sie es in {wait} erneut."),
        wrong: "E-Mail oder Passwort ist falsch. Prüfen Sie beides und versuchen Sie es erneut.",
    },
    sign_out: SignOut { failed: |reason| format!("Abmelden nicht möglich: {reason}") },
    start: Start {
        title: "Formulare",
        loading: "Formulare werden geladen",
        what: "Die Liste der Formulare",
    },
    triage: Triage {
        a_member: "Ein Mitglied",
        add: "Hinzufügen",
        add_note: "Notiz hinzufügen",
        add_tag: "Schlagwort hinzufügen",
        assignee: "Zuständig",
        delete_note_text: "Das kann nicht rückgängig gemacht werden.",
        delete_note_title: "Notiz löschen?",
        detail: "Der Verlauf mit den Notizen",
        done: "Erledigt",
        edit: "Bearbeiten",
        edit_note: |author| format!("Notiz von {author} bearbeiten"),
        edited: "bearbeitet",
        history: "Verlauf",
        history_assigned: |name| format!("Zugewiesen an {name}"),
        history_by: |event, person| format!("{event} von {person}"),
        history_empty: "Noch keine Änderungen",
        history_starred: "Mit Stern markiert",
        history_status: |from, to| format!("Status von {from} zu {to} geändert"),
        history_status_to: |to| format!("Status zu {to} geändert"),
        history_tags_added: |tags| format!("Schlagwörter hinzugefügt: {tags}"),
        history_tags_removed: |tags| format!("Schlagwörter entfernt: {tags}"),
        history_unassigned: "Zuweisung entfernt",
        history_unstarred: "Stern entfernt",
        in_progress: "In Bearbeitung",
        loading: "Notizen werden geladen",
        mark_read: "Als gelesen markieren",
        mark_unread: "Als ungelesen markieren",
        marked_read: "Als gelesen markiert",
        marked_unread: "Als ungelesen markiert",
        members: "Mitglieder",
        members_offered: |count| match count {
            1 => "1 Mitglied".to_owned(),
            _ => format!("{} Mitglieder", number(count)),
        },
        more_tags: |count| match count {
            1 => "1 weiteres Schlagwort".to_owned(),
            _ => format!("{} weitere Schlagwörter", number(count)),
        },
        no_more_unread: "Keine weiteren ungelesenen Einsendungen",
        no_tags: "Keine Schlagwörter",
        nobody: "Niemand",
        not_changed: |reason| format!("Einsendung konnte nicht geändert werden. {reason}"),
        note_deleted: "Notiz gelöscht",
        note_failed: |reason| format!("Notiz konnte nicht gespeichert werden. {reason}"),
        note_hint: "Strg+Eingabe speichert. @ erwähnt ein Mitglied.",
        note_not_deleted: |reason| format!("Notiz konnte nicht gelöscht werden. {reason}"),
        note_saved: "Notiz gespeichert",
        note_too_long: |max| {
            format!("Eine Notiz hat höchstens {} Zeichen. Kürzen Sie sie.", number(max))
        },
        notes: "Notizen",
        open: "Offen",
        remove_tag: |tag| format!("Schlagwort {tag} entfernen"),
        removed_member: "Ein früheres Mitglied",
        save_note: "Notiz speichern",
        set_status: |name| format!("Status auf {name} setzen"),
        star: "Mit Stern markieren",
        starred: "Mit Stern markiert",
        status: "Status",
        tag_invalid: |max| format!("Geben Sie höchstens {} Zeichen ein.", number(max)),
        tags: "Schlagwörter",
        tags_full: |max| {
            format!(
                "Eine Einsendung hat höchstens {} Schlagwörter. Entfernen Sie eines.",
                number(max)
            )
        },
        title: "Bearbeitung",
        unread_failed: |reason| {
            format!("Ungelesene Einsendungen konnten nicht gefunden werden. {reason}")
        },
    },
    status_settings: StatusSettings {
        about: "Für die Einsendungen aller Formulare. Entfernte Schlagwörter bleiben an den \
                Einsendungen.",
        add_status: "Status hinzufügen",
        add_tag: "Schlagwort hinzufügen",
        blue: "Blau",
        built_in: "Vorgegeben",
        changed_meanwhile: "Jemand anderes hat die Status oder Schlagwörter geändert. Speichern \
                            Sie erneut, um diese Änderungen zu ersetzen, oder verwerfen Sie Ihre \
                            Änderungen, um sie zu sehen.",
        color: "Farbe",
        color_of: |tag| format!("Farbe von {tag}"),
        discard: "Änderungen verwerfen",
        gray: "Grau",
        green: "Grün",
        id: "ID",
        in_use: |reason| format!("Ein entfernter Status wird noch verwendet. {reason}"),
        invalid_name: |max| format!("Geben Sie einen Namen mit 1 bis {max} Zeichen ein"),
        invalid_tag: |max| format!("Geben Sie ein Schlagwort mit 1 bis {max} Zeichen ein"),
        loading: "Status und Schlagwörter werden geladen",
        name_of: |status| format!("Name von {status}"),
        new_tag: "Neues Schlagwort",
        no_tags: "Noch keine Schlagwörter.",
        now_at: |status, position, count| format!("{status}: Position {position} von {count}"),
        orange: "Orange",
        pink: "Rosa",
        purple: "Violett",
        red: "Rot",
        remove_status: |status| format!("{status} entfernen"),
        remove_tag: |tag| format!("{tag} entfernen"),
        save: "Status und Schlagwörter speichern",
        saved: "Status und Schlagwörter gespeichert",
        statuses: "Status",
        statuses_full: |max| format!("Ein Konto kann höchstens {max} weitere Status haben"),
        tag_exists: |tag| format!("Das Schlagwort „{tag}“ gibt es bereits"),
        tags: "Schlagwörter",
        tags_full: |max| format!("Ein Konto kann höchstens {max} Schlagwörter haben"),
        title: "Status und Schlagwörter",
        unchanged: "Keine Änderungen zu speichern",
        unnamed: |position| format!("Status {position}"),
        what: "Die Liste der Status und Schlagwörter",
        yellow: "Gelb",
    },
    triage_actions: TriageActions {
        add: "Hinzufügen",
        add_tag: "Schlagwort hinzufügen",
        assign: "Zuweisen",
        back: "Zurück zu allen Aktionen",
        change_all: |count| format!("Alle {} passenden Einsendungen ändern?", number(count)),
        change_all_text: |change| format!("{change}."),
        change_verb: "Ändern",
        changed: |count| match count {
            0 => "Nichts zu ändern".to_owned(),
            _ => format!("{} geändert", submissions(count)),
        },
        failed: |reason| format!("Die Einsendungen konnten nicht geändert werden. {reason}"),
        not_undone: |reason| {
            format!("Die Änderung konnte nicht rückgängig gemacht werden. {reason}")
        },
        remove: "Entfernen",
        remove_tag: "Schlagwort entfernen",
        star: "Stern hinzufügen",
        status: "Status",
        tag: "Schlagwort",
        tag_invalid: |max| format!("Geben Sie ein Schlagwort mit 1 bis {max} Zeichen ein"),
        title: "Triage",
        undone: |count| format!("{} zurückgesetzt", submissions(count)),
        unstar: "Stern entfernen",
    },
    ui: Ui {
        clear_search: "Suche leeren",
        dismiss: "Ausblenden",
        notices: "Benachrichtigungen",
        not_opened: |reason| format!("Öffnen nicht möglich. {reason} Versuchen Sie es erneut."),
        part_missing: "Inhalt konnte nicht geladen werden",
        part_missing_text: "Sie sind offline, Ihre Sitzung ist abgelaufen, oder das Dashboard \
                            wurde aktualisiert.",
        reload: "Seite neu laden",
        edit: |name, value| format!("{name} bearbeiten: {value}"),
        remove: |name, value| format!("{name} entfernen: {value}"),
        select_all_loaded: "Alle geladenen auswählen",
        select_row: "Zeile auswählen",
        unread: "Ungelesen",
        unread_count: " ungelesen",
        width_of: |column| format!("Breite von {column}"),
    },
    utm: Utm {
        among_loaded: |count| match count {
            1 => "Aus 1 geladenen Einsendung".to_owned(),
            _ => format!("Aus {} geladenen Einsendungen", number(count)),
        },
        apply: "Anwenden",
        campaign_example: "fruehlings-aktion",
        failed: |reason| format!("Werte konnten nicht geladen werden. {reason}"),
        hint: "Genaue Übereinstimmung.",
        others: |count| match count {
            1 => "1 Einsendung hat einen anderen Wert. Geben Sie ihn ein.".to_owned(),
            _ => format!("{} Einsendungen haben andere Werte. Geben Sie einen ein.", number(count)),
        },
    },
};
