//! Die deutschen Texte.

use contract::summary::Unit;
use row_view::words::GERMAN as WORDS;

use super::{
    Account, Activity, Calendar, Card, ColumnNames, Columns, Common, Copying, Dates, Deletion,
    Devices, Export, Failures, FieldProblems, FilterBar, FormAnalysis, FormCategories,
    FormDeletion, FormFields, FormIntake, FormSettings, FormShare, FormSpam, FormTrash, FormUsage,
    Forms, Frame, Insights, Keys, KeysHelp, List, Listing, NoneYet, NotFound, Palette, People,
    Picks, Plots, Print, Proof, SavedViews, Selection, Sentiments, Shell, SignIn, SignOut, Start,
    Texts, Ui, Utm, number,
};

/// Returns so many submissions, in words.
fn submissions(count: u64) -> String {
    match count {
        1 => format!("1 {}", WORDS.submission),
        _ => format!("{} {}", number(count), WORDS.submissions),
    }
}

/// Every text in German.
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
        maybe_deleted: "Vielleicht wurde sie gelöscht, oder der Link ist fehlerhaft.",
        metadata: "Metadaten",
        missing: "Diese Einsendung gibt es nicht",
        newest: "Das ist die neueste Einsendung",
        next: "Nächste Einsendung",
        not_on_list: "Diese Einsendung steht nicht in der gefilterten Liste",
        oldest: "Das ist die älteste Einsendung",
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
        export: WORDS.export,
        go_on: "Weiter",
        insights: WORDS.insights,
        is_first: "Steht schon an erster Stelle",
        is_last: "Steht schon an letzter Stelle",
        live: WORDS.live,
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
        settings: WORDS.settings,
        submissions: "Einsendungen",
        submission_count: submissions,
        test: WORDS.test,
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
        busy: "Es werden schon andere Einsendungen gelöscht. Warten Sie, bis das fertig ist, oder \
            stoppen Sie es.",
        count_changed: |why| format!("Die Anzahl der Einsendungen hat sich geändert. {why}"),
        deleted: |count| match count {
            0 => "Schon gelöscht".to_owned(),
            1 => "Einsendung gelöscht".to_owned(),
            _ => format!("{} Einsendungen gelöscht", number(count)),
        },
        deleting: "Einsendungen werden gelöscht",
        done: |done, total| format!("{} von {} gelöscht", number(done), number(total)),
        failed: |why| format!("Löschen nicht möglich. {why}"),
        keep_open: "Lassen Sie diese Seite offen, bis es fertig ist.",
        label: "Löschen",
        list_failed: |why| {
            format!("Die zu löschenden Einsendungen konnten nicht geladen werden. {why}")
        },
        listing: "Die zu löschenden Einsendungen werden geladen",
        many: |count| format!("{} endgültig löschen?", submissions(count)),
        mark_failed: |why| format!("Als Spam markieren nicht möglich. {why}"),
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
        not_restored: |why| format!("Wiederherstellen nicht möglich. {why}"),
        nothing_restored: "Nichts wiederhergestellt: Es ist nicht mehr da.",
        one: |title| format!("„{title}“ endgültig löschen?"),
        permanent_text: "Das lässt sich nicht rückgängig machen.",
        progress: |next, total| format!("Löschen: {} von {}", number(next), number(total)),
        restored: |count| format!("{} wiederhergestellt", submissions(count)),
        retry_one: |name| format!("{name} erneut versuchen"),
        stop: "Stoppen",
        stopped: |done, total| format!("Gestoppt: {} von {} gelöscht", number(done), number(total)),
        takes: |span| {
            format!(
                "Wegen der Anfragegrenze des Tarifs dauert das etwa {span}. Lassen Sie diese Seite \
                 offen, bis es fertig ist."
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
        pause: "Anhalten",
        hide: "Ausblenden",
        show: "Anzeigen",
        of_file: |name, said| format!("{name}: {said}"),
        try_again: "Erneut versuchen",
        may_hide: "Dieses Fenster lässt sich ausblenden, der Export läuft weiter. Wird die Seite \
                   neu geladen, kann er da fortfahren, wo er war.",
        far: |written, total| format!("{} von {}", number(written), number(total)),
        paused: |far| format!("Angehalten bei {far}"),
        silent: |far| {
            format!(
                "{far}. Seit 15\u{a0}s keine Antwort. Falls Ihre Sitzung abgelaufen ist, laden Sie \
                 die Seite neu, um sich wieder anzumelden."
            )
        },
        waits: |far, wait| {
            format!("{far}. Die Anfragegrenze ist erreicht, weiter geht es von selbst in {wait}")
        },
        goes: |far, left| format!("{far}, noch etwa {left}"),
        straight: "Direkt in eine selbst gewählte Datei schreiben",
        straight_hint: "Für große Exporte: Nichts wird doppelt gespeichert",
        in_memory: "Unter dieser Adresse gibt der Browser keinen Speicherplatz frei: Er hält die \
                    Datei im Arbeitsspeicher, bis sie vollständig ist, und ein neues Laden der \
                    Seite beginnt von vorn. Über HTTPS wäre das nicht so.",
        cost: |requests, span| {
            let requests = match requests {
                1 => "1 Anfrage".to_owned(),
                _ => format!("{requests} Anfragen"),
            };
            match span {
                None => format!("Dafür braucht es {requests}"),
                Some(span) => {
                    format!("Dafür braucht es {requests}, die der Tarif auf {span} verteilt")
                }
            }
        },
        cost_unknown: "Eine Anfrage für je 100 Einsendungen, nicht schneller, als der Tarif \
                       erlaubt",
        fills_sheets: |rows, sheets| {
            format!(
                "Ein Tabellenblatt fasst {} Einsendungen, zusammen füllen sie {sheets} Blätter.",
                number(rows)
            )
        },
        whole_form_alone: "Das ganze Formular. Um weniger zu exportieren, erst die Liste filtern.",
        whole_form: "Das ganze Formular",
        dates: "Der Zeitraum",
        selected: |count| format!("Die Auswahl ({})", number(count)),
        filtered: "Genau diese gefilterte Liste",
        filtered_count: |count| format!("Genau diese gefilterte Liste ({})", number(count)),
        from_to: |from, to| format!("{from} bis {to}"),
        since: |from| format!("Seit {from}"),
        until: |to| format!("Bis {to}"),
        format: "Format",
        csv: "CSV",
        csv_hint: "Für jede Tabellenkalkulation: eine Zeile je Einsendung",
        xlsx: "Excel",
        xlsx_hint: "Eine Arbeitsmappe mit echten Zahlen und Datumsangaben",
        json: "JSON",
        json_hint: "Für Programme: alles, wie es die API liefert",
        ndjson: "NDJSON",
        ndjson_hint: "Für Programme: eine Zeile je Einsendung",
        safe: "Sicher für Tabellenkalkulationen",
        safe_hint: "Setzt ' vor Text, den eine Tabellenkalkulation als Formel ausführen würde. \
                    Für den genauen Text abschalten.",
        my_zone: "Zeiten in meiner Zeitzone",
        my_zone_hint: "Sonst in UTC, wie die API sie angibt",
        all_columns: |all| format!("Alle {all} Spalten"),
        some_columns: |some, all| format!("{some} von {all} Spalten"),
        later_columns: "Auch Antworten, die erst in anderen Einsendungen vorkommen, werden zu \
                        Spalten: hinter diesen.",
        broken_off: |name, far| format!("Der Export nach {name} wurde bei {far} abgebrochen. "),
        go_on_with_it: "Fortsetzen",
        discard: "Verwerfen",
        saved: |count| {
            let count = submissions(count);
            format!("Die Datei wurde mit {count} gespeichert.")
        },
        short: |total, missing| {
            format!(
                "Sie ist unvollständig: Die Liste hatte {}, es fehlen {}. Vielleicht wurden sie \
             unterdessen gelöscht. Kommt das überraschend, bitte noch einmal exportieren.",
                number(total),
                number(missing)
            )
        },
        cells_cut: |count| {
            format!(
                "{} länger als 32\u{202f}767 Zeichen. Mehr fasst eine Zelle nicht, der Rest wurde \
             abgeschnitten. In CSV und JSON steht alles.",
                match count {
                    1 => "1 Antwort ist".to_owned(),
                    _ => format!("{} Antworten sind", number(count)),
                }
            )
        },
        sheets: |count| format!("Die Zeilen füllen {count} Tabellenblätter."),
        exported: |name| format!("Exportiert nach {name}"),
        exported_count: |count, name| format!("{} nach {name} exportiert", submissions(count)),
        gone: "Was exportiert werden sollte, ist nicht mehr da",
        lost: "Was von diesem Export geschrieben war, ist nicht mehr da: bitte neu exportieren",
        rows_lost: "Die gesammelten Zeilen lassen sich nicht mehr lesen: bitte neu exportieren",
        refused: |why| {
            format!(
                "Der Browser konnte die Datei nicht schreiben ({why}): bitte Platz schaffen und \
                 erneut versuchen"
            )
        },
        keys_max: |max| {
            let max = number(max);
            format!("Die Antworten haben mehr als {max} verschiedene Namen: als JSON exportieren")
        },
        columns_max: |max, all| {
            format!(
                "Ein Tabellenblatt fasst höchstens {} Spalten, dieser Export hat {}: weniger \
                 auswählen oder als CSV exportieren",
                number(max),
                number(all)
            )
        },
        too_large: "Die Arbeitsmappe ist größer als 4 GiB, was ihr Format nicht zulässt: als CSV \
                    exportieren",
        not_saved: "Der Browser hat das Speichern der Datei abgelehnt: bitte erneut versuchen",
        ended: "Der Browser hat den Teil beendet, der Exporte schreibt: bitte erneut versuchen, \
                dann geht es dort weiter",
        not_started: "Der Teil, der Exporte schreibt, konnte nicht geladen werden: bitte erneut \
                      versuchen oder die Seite neu laden",
    },
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
        needs_password: "Nichts geschehen: Dafür ist Ihr Passwort nötig",
        needs_sign_in: "Nichts geschehen: Dafür ist eine frische Anmeldung nötig. Melden Sie sich \
                        ab, kommen Sie über einen neuen Link zurück und tun Sie es innerhalb von \
                        fünf Minuten.",
        not_loaded: |what| format!("{what} konnte nicht geladen werden"),
        session_ended: "Ihre Sitzung ist abgelaufen. Laden Sie die Seite neu, um sich wieder \
                        anzumelden.",
        session_ended_title: "Ihre Sitzung ist abgelaufen",
        signed_out: "Nicht mehr angemeldet",
        status: |status| {
            format!("Der Server antwortete mit Status {status}; bitte später erneut versuchen")
        },
        too_many: "Zu viele Anfragen",
        unreachable: "Sheaf ist nicht erreichbar. Prüfen Sie die Verbindung. Falls Ihre Sitzung \
                      abgelaufen ist, laden Sie die Seite neu, um sich wieder anzumelden.",
        unreadable: |problem| format!("Die Antwort war nicht lesbar: {problem}"),
    },
    field_problems: FieldProblems {
        too_many: |most| format!("Ein Formular hat höchstens {most} Felder"),
    },
    filter_bar: FilterBar {
        campaign: "Kampagne",
        clear_all: "Alle aufheben",
        date: WORDS.date,
        default_view: "Standardansicht",
        from: "Von",
        left_out: |problem| format!("In diesem Link übergangen: {problem}"),
        medium: "Medium",
        search: "Suche",
        search_answers: WORDS.search_answers,
        source: "Quelle",
        to: "Bis",
        utm: WORDS.utm,
        view: "Ansicht",
    },
    form_analysis: FormAnalysis {
        title: "Analyse",
        about: "Erkennt Sprache, Stimmung und Kategorien der Texte. Das geschieht nach dem \
                Eingang und ändert sonst nichts an der Einsendung.",
        loading: "Analyse wird geladen",
        what: "Die Analyse",
        is_on: "Die Analyse ist eingeschaltet",
        is_off: "Die Analyse ist ausgeschaltet; bisherige Ergebnisse bleiben",
        off: "Aus: Es wird nichts analysiert.",
        queueing: |pending| {
            format!(
                "{} in der Warteschlange, ältere Einsendungen werden noch durchgesehen.",
                number(pending)
            )
        },
        pending: |pending| match pending {
            0 => "Nichts in der Warteschlange.".to_owned(),
            1 => "1 Einsendung in der Warteschlange.".to_owned(),
            _ => format!("{} Einsendungen in der Warteschlange.", number(pending)),
        },
        switch: "Einsendungen dieses Formulars analysieren",
        switch_hint: "Auch die schon vorhandenen",
        switch_first: "Dazu erst die Analyse einschalten",
        again: "Alle neu analysieren",
        again_title: "Alle Einsendungen neu analysieren?",
        again_text: "Jede zählt zur Tagesgrenze. Von Hand Berichtigtes bleibt.",
        again_verb: "Neu analysieren",
    },
    form_categories: FormCategories {
        title: "Kategorien",
        about: "Eine Einsendung gehört zu jeder Kategorie, von der sie ein Wort enthält. \
                Änderungen gelten für alles, was von nun an analysiert wird.",
        loading: "Kategorien werden geladen",
        what: "Die Liste der Kategorien",
        saved: "Kategorien gespeichert",
        full: |most| format!("Ein Formular hat höchstens {most} Kategorien"),
        usual_title: "Zurück zu den üblichen Kategorien?",
        usual_text: "Die eigenen Kategorien dieses Formulars und ihre Wörter werden gelöscht.",
        usual: "Die üblichen verwenden",
        are_usual: "Das sind die üblichen. Sie gelten, solange keine eigenen gespeichert sind.",
        add: "Kategorie hinzufügen",
        save: "Kategorien speichern",
        new: "neue Kategorie",
        category: |name| format!("Kategorie: {name}"),
        words: "Wörter",
        words_hint: "Durch Kommas getrennt oder eines je Zeile; liefer* steht für jedes Wort, das \
                     so beginnt.",
        leave_out: "Entfernen",
        leave_out_of: |name| format!(": {name}"),
    },
    form_fields: FormFields {
        title: "Felder",
        about: "Listen und Exporte zeigen sie unter diesen Namen und in dieser Reihenfolge. \
                Seiten senden die Antworten unter den Schlüsseln, und die bleiben, wie sie sind. \
                Ein ausgeblendetes Feld hat keine Spalte, keinen Filter und kein Diagramm; es \
                nimmt Antworten an und wird exportiert.",
        none: "Das Formular hat noch keine Felder. Es lernt sie aus der ersten Einsendung, oder \
               sie werden hier hinzugefügt.",
        unchanged: "Nichts zu speichern: Es wurde nichts geändert",
        add: "Feld hinzufügen",
        discard: "Änderungen verwerfen",
        save: "Felder speichern",
        saved: "Felder gespeichert",
        kind: "Typ",
        key: "Schlüssel",
        new: "Neu",
        unnamed: |place| format!("Feld {place}"),
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
                "{names}: Vorhandene Antworten bleiben bei ihren Einsendungen, aber Listen und \
                 CSV-Exporte haben keine Spalte mehr dafür, und neue Einsendungen legen das Feld \
                 nicht wieder an."
            )
        },
        delete_verb: |count| match count {
            1 => "Feld löschen".to_owned(),
            _ => "Felder löschen".to_owned(),
        },
        now_at: |field, place, count| format!("{field} steht jetzt an Stelle {place} von {count}"),
        text: "Text",
        long_text: "Langer Text",
        number: "Zahl",
        boolean: "Ja oder nein",
        choice: "Einfachauswahl",
        choices: "Mehrfachauswahl",
        rating: "Bewertung",
        email: "E-Mail",
        phone: "Telefon",
        url: "Webadresse",
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
            format!("`{name}` muss ein Tag mit Uhrzeit sein, ist aber `{text}`")
        },
        closing: "Offen oder geschlossen",
        is_closed: "Dieses Formular ist geschlossen.",
        closed: "Jetzt geschlossen",
        closed_hint: "An das Formular kann nichts mehr gesendet werden",
        closes_at: "Schließt am",
        closes_at_hint: |zone| {
            format!("In Ihrer Zeitzone, {zone}. Bleibt das Feld leer, bleibt es offen.")
        },
        closes_after: "Schließt nach dieser Zahl von Einsendungen",
        closes_after_hint: "Spam zählt nicht. Bleibt das Feld leer, gibt es keine Grenze.",
        message: "Was Besucher des geschlossenen Formulars lesen",
        message_hint: "Ein Satz. Bleibt das Feld leer, lesen sie einen von uns in ihrer Sprache.",
        save: "Annahme speichern",
        saved: "Annahme gespeichert; sie gilt ab sofort",
        pages: "Seiten",
        origins: "Seiten dieser Herkunft dürfen senden",
        origins_hint: "Eine je Zeile. Bleibt das Feld leer, darf jede Seite senden.",
        redirects: "Browser dürfen weitergehen zu",
        redirects_hint: "Herkünfte oder Adressen, eine je Zeile. Statt jeder anderen erscheint \
                         unsere Dankesseite.",
        spam: "Spam",
        honeypot: "Aussortieren, was den Honigtopf ausfüllt",
        honeypot_hint: "Das Eingabefeld _gotcha, das Menschen nicht sehen",
        seconds_min: "Mindestzeit in Sekunden",
        seconds_min_hint: "Was angeblich schneller ausgefüllt wurde, wird als Spam aussortiert; \
                           0 schaltet das ab.",
        fields_and_limits: "Felder und Grenzen",
        unknown_keys: "Antworten mit Schlüsseln, die kein Feld hat",
        learns: "Werden zu Feldern",
        learns_not: "Bleiben bei der Einsendung",
        learns_at_first: "Werden zu Feldern, solange es keine gibt",
        strict: "Die Einsendung wird abgelehnt",
        address_limit: "Höchstens von einer Netzadresse in 15\u{a0}Minuten",
        form_limit: "Höchstens insgesamt in 15\u{a0}Minuten",
        limit_hint: "Bleibt das Feld leer, gibt es keine Grenze.",
    },
    form_settings: FormSettings {
        title: |form| format!("Einstellungen von {form}"),
        label: "Einstellungen des Formulars",
        loading: "Formular wird geladen",
        what: "Das Formular",
        rename: "Umbenennen",
        duplicate: "Duplizieren",
        duplicated: |copy| format!("„{copy}“ angelegt"),
        delete: "Löschen",
        not_found: "Formular nicht gefunden",
        not_found_text: "Der Link ist falsch geschrieben, oder das Formular gehört zu einem \
                         anderen Konto.",
        share: "Einbinden",
        fields: "Felder",
        intake: "Annahme",
        spam: "Spam",
        trash: "Papierkorb",
        analysis: "Analyse",
    },
    form_deletion: FormDeletion {
        title: "Formular löschen",
        text: |count, form| {
            format!(
                "Das löscht „{form}“ mit {}, dem Spam und den Einstellungen. Seiten, die an das \
             Formular senden, erhalten einen Fehler. Es lässt sich nicht rückgängig machen.",
                submissions(count)
            )
        },
        name: "Namen des Formulars eingeben",
        other_name: "Das ist nicht der Name des Formulars",
        verb: "Formular löschen",
        done: |form| format!("„{form}“ gelöscht"),
    },
    form_share: FormShare {
        first_steps: "An dieses Formular wurde noch nichts gesendet. Das HTML in eine Seite \
                      einfügen und absenden oder den Befehl ausführen: Diese Seite meldet, wenn \
                      etwas angekommen ist.",
        first_is_here: "Die erste Einsendung ist da. {}.",
        look_at_it: "Jetzt ansehen",
        html: "HTML-Formular",
        html_about: "Passt in jede Seite und lässt sich beliebig gestalten. Das Eingabefeld \
                     _gotcha sehen Menschen nicht; Programme, die alles ausfüllen, verraten sich \
                     dadurch.",
        redirect: "Weiter zu (optional)",
        redirect_hint: "Wohin Browser nach dem Absenden gehen, wenn die Annahme die Adresse \
                        erlaubt",
        copy_html: "HTML kopieren",
        script: "Was eine Seite mitteilen kann",
        script_about: "Steht dies irgendwo in der Seite, sagen Einsendungen, wie lange das \
                       Ausfüllen gedauert hat und über welche Kampagne jemand kam.",
        copy_script: "Skript kopieren",
        program: "Aus einem Terminal oder Programm",
        program_about: "Antworten sind JSON, nach den Schlüsseln der Felder.",
        address: "Adresse",
        address_about: "Sie bleibt, auch wenn Formular und Felder umbenannt werden.",
        copy_address: "Adresse kopieren",
    },
    form_spam: FormSpam {
        title: "Spam",
        about: "Spamverdacht wird 30\u{a0}Tage aufbewahrt und weder aufgelistet noch gezählt noch \
                exportiert. „Freigeben“ bringt eine Einsendung zurück in die Liste.",
        label: "Spam",
        loading: "Spam wird geladen",
        what: "Der Spam",
        what_rest: "Der übrige Spam",
        none: "Kein Spam",
        none_text: "Spamverdacht wird hier 30\u{a0}Tage aufbewahrt.",
        count: |count| format!("{} im Spam", number(count)),
        more: "Mehr anzeigen",
        answers: "Antworten",
        why: "Grund",
        came: "Eingang",
        honeypot: "Honigtopf",
        too_fast: "Zu schnell",
        marked: "Als Spam markiert",
        release: "Freigeben",
        released: "Freigegeben: jetzt bei den Einsendungen",
        act_on: |answers| format!(": {answers}"),
        deleted: "Gelöscht",
        failed: |why| format!("Das ist fehlgeschlagen: {why}"),
        delete_all: "Alles löschen",
        delete_title: |count| match count {
            1 => "Die Einsendung im Spam löschen?".to_owned(),
            _ => format!("Alle {} Einsendungen im Spam löschen?", number(count)),
        },
        delete_text: "Das lässt sich nicht rückgängig machen. Die Einsendungen in der Liste des \
                      Formulars bleiben.",
        delete_verb: "Spam löschen",
        nothing_deleted: |why| format!("Es wurde nichts gelöscht. {why}"),
        all_deleted: "Der Spam wurde gelöscht",
    },
    form_trash: FormTrash {
        title: WORDS.trash,
        about: |days| match days {
            0 => {
                "Der Papierkorb ist aus: Einsendungen werden sofort endgültig gelöscht.".to_owned()
            }
            1 => "Gelöschte Einsendungen bleiben 1\u{a0}Tag, dann werden sie endgültig gelöscht."
                .to_owned(),
            _ => format!(
                "Gelöschte Einsendungen bleiben {days}\u{a0}Tage, dann werden sie endgültig \
                 gelöscht."
            ),
        },
        label: "Papierkorb",
        loading: "Papierkorb wird geladen",
        what: "Der Papierkorb",
        what_rest: "Der Rest des Papierkorbs",
        none: "Der Papierkorb ist leer",
        none_text: "Gelöschte Einsendungen erscheinen hier.",
        none_match: "Keine passenden Einsendungen",
        none_match_text: "Die Suche findet den genauen Text in allen Antworten.",
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
        failed: |why| format!("Das ist fehlgeschlagen. {why}"),
        empty: "Papierkorb leeren",
        empty_title: "Papierkorb leeren?",
        empty_text: |count| {
            format!(
                "{}: endgültig löschen. Das lässt sich nicht rückgängig machen.",
                submissions(count)
            )
        },
        not_emptied: |why| format!("Der Papierkorb konnte nicht geleert werden. {why}"),
        emptied: "Papierkorb geleert",
        settings: "Aufbewahrung",
        days: "Tage im Papierkorb",
        days_hint: "0 bis 90. Bei 0 werden Einsendungen sofort endgültig gelöscht. Eine Änderung \
                    gilt auch für Einsendungen, die schon im Papierkorb sind.",
        days_wrong: |most| format!("Eine ganze Zahl von 0 bis {most} eingeben"),
        save: "Speichern",
        saved: "Papierkorb-Einstellungen gespeichert",
    },
    form_usage: FormUsage {
        title: "Das Konto heute",
        about: "Der Tarif bestimmt, wie viele Einsendungen am Tag analysiert werden. Was darüber \
                liegt, wartet auf den nächsten Tag, und nichts geht verloren.",
        label: "Nutzung heute",
        loading: "Nutzung wird geladen",
        what: "Die Nutzung",
        used_today: "Heute analysiert",
        used: "Genutzt",
        limit_today: "Tagesgrenze",
        limit: "Grenze",
        waiting: "Wartend",
        next_day: "Der nächste Tag beginnt {} (UTC).",
    },
    forms: Forms {
        none: "Noch keine Formulare",
        none_test: "Noch keine Testformulare",
        first_steps: "Ein Formular anlegen, sein HTML in eine eigene Seite einfügen und einmal \
                      absenden: Die Einsendung ist sofort hier.",
        elsewhere: "Formulare werden anderswo verwaltet",
        elsewhere_text: "Diese Oberfläche steht vor einem anderen Server. Formulare werden dort \
                         angelegt und eingerichtet, wo er betrieben wird.",
        count: |count| match count {
            1 => "1 Formular".to_owned(),
            _ => format!("{} Formulare", number(count as u64)),
        },
        full: |most| format!("Ein Konto fasst höchstens {most} Formulare, Live und Test zusammen"),
        create: "Formular anlegen",
        create_first: "Erstes Formular anlegen",
        last_submission: "Letzte Einsendung",
        last: "Letzte",
        analysis: "Analyse",
        on: "An",
        off: "Aus",
        rename: "Umbenennen",
        rename_of: |form| format!(": {form}"),
        settings_of: |form| format!(": {form}"),
        create_title: "Formular anlegen",
        create_verb: "Anlegen",
        needs_name: |most| format!("Der Name braucht 1 bis {most} Zeichen"),
        live_hint: "Nimmt echte Einsendungen an",
        test_hint: "Nimmt Einsendungen zum Ausprobieren an",
        name_hint: "Zum Beispiel: Kontakt",
        fields: "Felder",
        fields_hint: "Eines je Zeile. Bleibt das leer, lernt das Formular seine Felder aus der \
                      ersten Einsendung.",
        analyse: "Einsendungen analysieren",
        analyse_hint: "Erkennt Sprache, Stimmung und Kategorien der Texte",
        rename_title: "Formular umbenennen",
        rename_hint: "Seiten, die an das Formular senden, laufen weiter wie bisher.",
        renamed: |form| format!("Umbenannt in „{form}“"),
        open_by_id: "Formular über seine ID öffnen",
        open_by_id_text: "Dieser Server listet seine Formulare nicht auf. Geöffnete Formulare \
                          merkt sich dieser Browser.",
        id: "Formular-ID",
        not_an_id: |typed, why| format!("`{typed}` ist keine Formular-ID: {why}"),
        open: "Formular öffnen",
    },
    frame: Frame {
        all_forms: WORDS.all_forms,
        api_keys: WORDS.api_keys,
        account: WORDS.account,
        activity: WORDS.activity,
    },
    insights: Insights {
        title: |form| format!("Auswertung von {form}"),
        loading: "Auswertung wird geladen",
        what: "Die Auswertung",
        rest: "Der Rest",
        over: |counted, all| format!("über {} von {}", number(counted), number(all)),
        none_text: "Was sie zusammen sagen, steht hier, sobald welche eingegangen sind.",
        no_match_text: "Keine hat alles, was der Filter verlangt.",
        sentiment: "Stimmung",
        sentiment_over_time: "Stimmung im Zeitverlauf",
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
        filter_by: |value| format!("Nach {value} filtern"),
        by_unit: |title, unit| {
            format!(
                "{title} je {}",
                match unit {
                    Unit::Day => "Tag",
                    Unit::Week => "Woche",
                    Unit::Month => "Monat",
                    Unit::Year => "Jahr",
                }
            )
        },
        day: "Tag",
        week: "Woche",
        month: "Monat",
        year: "Jahr",
        earlier: |count| format!("{} frühere sind nicht dargestellt", number(count)),
        completion_time: "Abschlussdauer",
        under: |span| format!("Unter {span}"),
        and_more: |span| format!("{span} und mehr"),
    },
    account: Account {
        title: "Konto",
        loading: "Ihre Anmeldungen werden geladen",
        what: "Die Liste Ihrer Anmeldungen",
        sessions: "Angemeldet",
        sessions_text: "Beenden Sie, was Sie nicht kennen, und ändern Sie dann das Passwort. Eine \
                        Anmeldung endet von selbst nach 12 Stunden ohne Nutzung und nach 14 Tagen.",
        sessions_text_proxied: "Beenden Sie, was Sie nicht kennen, und melden Sie es denen, die \
                                die Anmeldung Ihrer Organisation betreuen. Eine Anmeldung endet \
                                von selbst nach 12 Stunden ohne Gebrauch und nach 14 Tagen.",
        place: "Wo",
        since: "Seit",
        unknown: "Unbekannter Browser",
        this_one: "Diese",
        end: "Abmelden",
        of: |place: &str| format!(" {place}"),
        ended: |place: &str| format!("{place} ist abgemeldet"),
        end_others: "Überall sonst abmelden",
        others_ended: "Überall sonst abgemeldet",
        not_ended: |why: &str| format!("Nicht abgemeldet. {why}"),
        password: "Passwort",
        current: "Bisheriges Passwort",
        new: "Neues Passwort",
        new_hint: "12 Zeichen oder mehr. Alle anderen Anmeldungen enden damit.",
        first_hint: "12 Zeichen oder mehr. Damit melden Sie sich ohne Link an.",
        too_short: |most: usize| format!("Ein Passwort braucht mindestens {most} Zeichen"),
        change: "Passwort ändern",
        set: "Passwort setzen",
        was_set: "Das Passwort ist gesetzt; alle anderen Anmeldungen sind beendet",
        email: "E-Mail-Adresse",
        new_email: "Neue E-Mail-Adresse",
        email_text: |email: &str| format!("Sie melden sich als {email} an."),
        email_hint: "Alle anderen Anmeldungen enden, ebenso Links an die alte Adresse.",
        same_email: "Das ist bereits Ihre Adresse",
        change_email: "Adresse ändern",
        email_was_set: "Die Adresse ist geändert; alle anderen Anmeldungen sind beendet",
    },
    activity: Activity {
        title: "Aktivität",
        about: "Wer in diesem Konto was getan hat, wann und von wo; Personen mit der \
                E-Mail-Adresse, die sie damals hatten. Es bleibt 400 Tage stehen; niemand kann es \
                ändern, und keine Antwort eines Formulars steht darin.",
        loading: "Die Aktivität wird geladen",
        what: "Die Aktivität",
        what_rest: "Der Rest der Aktivität",
        count: |count, text| match count {
            1 => "1 Vorgang".to_owned(),
            _ => format!("{text} Vorgänge"),
        },
        look: "Was gezeigt wird",
        kind: "Art",
        all: "Alles",
        sign_ins: "Anmeldungen",
        keys: "API-Schlüssel",
        forms: "Formulare",
        submissions: "Einsendungen",
        spam: "Spam",
        insights: "Auswertungen",
        refused: "Abgelehnt",
        none: "Noch nichts",
        none_text: "Was von jetzt an in diesem Konto geschieht, steht hier.",
        no_match: "Nichts passt",
        no_match_text: "An diesen Tagen gibt es nichts dieser Art.",
        clear: "Alles zeigen",
        elsewhere: "Die Aktivität steht anderswo",
        elsewhere_text: "Dieses Dashboard steht vor einem anderen Server, der ein eigenes \
                         Protokoll führt.",
        export_csv: "CSV exportieren",
        export_ndjson: "NDJSON exportieren",
        exported: |name: &str| format!("Gespeichert als {name}"),
        not_exported: |why: &str| format!("Nicht exportiert. {why}"),
        more: "Mehr zeigen",
        what_head: "Was",
        who: "Wer",
        from: "Von wo",
        outcome: "Ergebnis",
        when: "Wann",
        ok: "Getan",
        denied: "Abgelehnt",
        failed: "Gescheitert",
        by_nobody: "Unbekannt",
        by_session: "Angemeldete Person",
        by_key: "API-Schlüssel",
        by_system: "Server",
        account_created: "Konto angelegt",
        plan_set: |before: &str, plan: &str| format!("Tarif von {before} zu {plan} geändert"),
        account_deleted: |id: &str| format!("Konto {id} gelöscht"),
        signed_in: "Angemeldet",
        sign_in_refused: "Anmeldung abgelehnt",
        signed_out: "Abgemeldet",
        others_signed_out: "Überall sonst abgemeldet",
        proven: "Passwort erneut eingegeben",
        proof_refused: "Falsches Passwort erneut eingegeben",
        person_added: "Leser hinzugefügt",
        person_removed: "Leser entfernt",
        person_linked: "Anmeldung über den Proxy verknüpft",
        person_unlinked: "Verknüpfung mit dem Proxy gelöst",
        email_set: |before: &str, email: &str| {
            format!("E-Mail-Adresse von {before} zu {email} geändert")
        },
        link_made: "Anmeldelink erstellt",
        password_set: "Passwort geändert",
        password_refused: "Passwortänderung abgelehnt",
        key_created: |name: &str| format!("Schlüssel „{name}“ erstellt"),
        key_revoked: |name: &str| format!("Schlüssel „{name}“ widerrufen"),
        form_created: |name: &str| format!("Formular „{name}“ angelegt"),
        form_renamed: |before: &str, name: &str| {
            format!("Formular „{before}“ in „{name}“ umbenannt")
        },
        form_duplicated: |source: &str, name: &str| {
            format!("Formular „{name}“ aus „{source}“ kopiert")
        },
        form_deleted: |name: &str| format!("Formular „{name}“ gelöscht"),
        fields_set: |name: &str| format!("Felder von „{name}“ geändert"),
        analysis_on: |name: &str| format!("Analyse von „{name}“ eingeschaltet"),
        analysis_off: |name: &str| format!("Analyse von „{name}“ ausgeschaltet"),
        categories_set: |name: &str| format!("Kategorien von „{name}“ geändert"),
        intake_set: |name: &str| format!("Annahme von „{name}“ geändert"),
        submission_deleted: |name: &str| format!("Einsendung {name} gelöscht"),
        export_begun: |name: &str| format!("Export von „{name}“ begonnen"),
        export_ended: |rows| format!("Export mit {} beendet", submissions(rows)),
        export_broken: |rows| format!("Export nach {} abgebrochen", submissions(rows)),
        imported: |count| format!("{} importiert", submissions(count)),
        insight_corrected: |name: &str| format!("Auswertung von {name} berichtigt"),
        insight_reset: |name: &str| format!("Berichtigung von {name} zurückgenommen"),
        submissions_trashed: |count| format!("{} in den Papierkorb verschoben", submissions(count)),
        submissions_restored: |count| {
            format!("{} aus dem Papierkorb wiederhergestellt", submissions(count))
        },
        trash_deleted: |count| {
            format!("{} endgültig aus dem Papierkorb gelöscht", submissions(count))
        },
        trash_set: |name, days| format!("Papierkorb von {name}: {days}\u{a0}Tage Aufbewahrung"),
        spam_marked: |count| format!("{} als Spam markiert", submissions(count)),
        spam_released: |name: &str| format!("Einsendung {name} aus dem Spam geholt"),
        spam_deleted: |count| format!("{} aus dem Spam gelöscht", submissions(count)),
        request_refused: "Anfrage abgelehnt",
        request_limited: "Zu viele Anfragen",
        refusals_omitted: |count| format!("Weitere Anfragen abgelehnt ({count})"),
        request_forged: "Anfrage einer fremden Seite abgelehnt",
        audit_exported: "Aktivität exportiert",
        audit_dropped: |count| format!("Aktivität nach 400 Tagen entfernt ({count})"),
    },
    people: People {
        title: "Personen",
        text: "Wer liest, sieht Einsendungen an, durchsucht und exportiert sie, löscht und ändert \
               nichts und sieht keine API-Schlüssel.",
        loading: "Wer hereindarf, wird geladen",
        what: "Die Liste derer, die hereindürfen",
        email: "E-Mail-Adresse",
        role: "Rolle",
        owner: "Inhaber",
        reader: "Liest mit",
        add: "Jemanden mitlesen lassen",
        add_title: "Jemanden mitlesen lassen",
        add_verb: "Hinzufügen",
        add_hint: "Es wird niemand angeschrieben: Sie bekommen einen Link und geben ihn selbst \
                   weiter.",
        add_hint_proxied: "Es wird niemand angeschrieben: Sie erfahren, wie die Person \
                           hereinkommt.",
        needs_email: "Bitte eine E-Mail-Adresse wie sie@example.com angeben",
        proxied: "Hier meldet Ihre Organisation an, darum gibt es keine Links: Wer mitliest, kommt \
                  herein, sobald die Anmeldung auf dem Server verknüpft ist.",
        way_in: "So hereinkommen",
        way_in_title: |email: &str| format!("So kommt {email} herein"),
        way_in_text: "Hier meldet Ihre Organisation an. Geben Sie diesen Befehl denen, die den \
                      Server betreiben; er verknüpft den Namen bei Ihrer Organisation mit dieser \
                      Adresse:",
        way_in_name: "NAME-DORT",
        way_in_name_text: |name: &str| {
            format!(
                "Anstelle von {name} steht der Name bei Ihrer Organisation. Wer hereinmöchte, \
                 bekommt ihn beim ersten Versuch genannt."
            )
        },
        copy_command: "Befehl kopieren",
        link_title: |email: &str| format!("Ein Link für {email}"),
        link_text: |until: &str| {
            format!(
                "Er gilt einmal, bis {until}, und wird nicht noch einmal gezeigt. Wer ihn hat, \
                 kommt herein; geben Sie ihn auf einem Weg weiter, dem Sie trauen."
            )
        },
        copy_link: "Link kopieren",
        link: "Neuer Link",
        link_of: |email: &str| format!(" für {email}"),
        not_linked: |why: &str| format!("Kein Link angelegt. {why}"),
        remove: "Entfernen",
        remove_of: |email: &str| format!(" {email}"),
        remove_title: |email: &str| format!("{email} entfernen?"),
        remove_text: "Alle Anmeldungen dieser Person enden sofort, ihre Links auch.",
        remove_verb: "Person entfernen",
        removed: |email: &str| format!("{email} darf nicht mehr herein"),
        not_removed: |why: &str| format!("Niemand wurde entfernt. {why}"),
        for_owner: "Nur für den Inhaber des Kontos",
        for_owner_text: "Sie lesen hier mit: Sie sehen Einsendungen an, durchsuchen und \
                         exportieren sie.",
    },
    proof: Proof {
        title: "Sind Sie es noch?",
        text: "Geben Sie Ihr Passwort ein, um weiterzumachen. Es gilt fünf Minuten.",
        password: "Passwort",
        verb: "Weiter",
        wrong: "Das ist nicht Ihr Passwort",
    },
    keys: Keys {
        title: "API-Schlüssel",
        rule: "Mit einem Schlüssel kann ein eigenes Programm Einsendungen lesen, löschen und \
               exportieren. Ein Konto fasst 10 aktive Schlüssel, Live und Test zusammen.",
        elsewhere: "Schlüssel werden anderswo verwaltet",
        elsewhere_text: "Diese Oberfläche steht vor einem anderen Server und hat die Schlüssel, \
                         die ihr Betreiber ihr gegeben hat. Schlüssel werden dort angelegt und \
                         widerrufen, wo der Server betrieben wird.",
        active: |active, most| format!("{active} von {most} aktiv"),
        full: |most| {
            format!("Ein Konto fasst höchstens {most} aktive Schlüssel; erst einen widerrufen")
        },
        loading: "Schlüssel werden geladen",
        what: "Die Liste der Schlüssel",
        none: "Noch keine Schlüssel",
        none_text: "Am besten einen je Programm anlegen, dann lassen sie sich einzeln widerrufen.",
        create: "Schlüssel anlegen",
        key: "Schlüssel",
        created: "Angelegt",
        last_used: "Zuletzt verwendet",
        state: "Status",
        is_active: "Aktiv",
        revoked: "Widerrufen {}",
        examples: "Beispiele",
        examples_for: |key| format!(" für {key}"),
        revoke: "Widerrufen",
        revoke_of: |key| format!(": {key}"),
        revoke_title: |key| format!("„{key}“ widerrufen?"),
        revoke_text: "Programme, die ihn verwenden, werden ab der nächsten Anfrage abgewiesen. \
                      Das ist endgültig.",
        revoke_verb: "Schlüssel widerrufen",
        not_revoked: |why| format!("Er wurde nicht widerrufen. {why}"),
        was_revoked: |key| format!("„{key}“ widerrufen"),
        create_title: "API-Schlüssel anlegen",
        create_verb: "Anlegen",
        needs_name: "Der Schlüssel braucht einen Namen, an dem er wiederzuerkennen ist",
        live_hint: "Öffnet echte Einsendungen",
        test_hint: "Öffnet nur Testeinsendungen",
        name_hint: "Was ihn verwenden wird, zum Beispiel: Website",
        secret_title: |key| format!("Geheimnis von „{key}“ kopieren"),
        secret_text: "Es wird nur dieses eine Mal gezeigt. Jetzt dorthin kopieren, wo es gebraucht \
                      wird; später kann es niemand mehr nennen.",
        copy_secret: "Geheimnis kopieren",
        use_title: |key| format!("„{key}“ verwenden"),
        form: "Formular",
        in_terminal: "In einem Terminal",
        in_rust: "In Rust, mit dem Client, der zu Sheaf gehört",
        copy_code: "Code kopieren",
        use_text: "Das Geheimnis an die Stelle der Punkte setzen, auf einem Server und nirgends \
                   sonst: Wer es hat, kann Einsendungen lesen und löschen. Niemand kann es noch \
                   einmal nennen; ist es verloren, hilft nur ein neuer Schlüssel.",
    },
    list: List {
        all_selected: |count| format!("Alle {} passenden sind ausgewählt", number(count)),
        form_maybe_deleted: "Vielleicht wurde es gelöscht, oder der Link ist fehlerhaft.",
        form_missing: "Dieses Formular gibt es nicht",
        loading: "Einsendungen werden geladen",
        months: "Monate",
        more_failed: |why| format!("Weitere konnten nicht geladen werden. {why}"),
        news: |count| format!("{} neue", number(count)),
        no_form: "Der Link ist fehlerhaft: Er nennt kein Formular.",
        none_match: "Die Suche findet nur genau diesen Text, und UTM-Werte müssen Zeichen für \
            Zeichen stimmen.",
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
        views: WORDS.views,
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
        replace: |name| format!("„{name}“ ersetzen"),
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
        delete_all: "Alle passenden endgültig löschen?",
        export_all: "Alle exportieren",
        export_selection: "Exportieren",
        medium_is: |text| format!("Medium ist „{text}“"),
        no_filter: "Es ist kein Filter gesetzt: Das sind alle Einsendungen des Formulars.",
        of_form: |count, form| format!("{} von „{form}“.", submissions(count)),
        releasable: "Unter „Spam“ lassen sie sich 30\u{a0}Tage lang freigeben.",
        restorable: |days| match days {
            1 => "Aus dem Papierkorb lassen sie sich 1\u{a0}Tag lang wiederherstellen.".to_owned(),
            _ => format!(
                "Aus dem Papierkorb lassen sie sich {days}\u{a0}Tage lang wiederherstellen."
            ),
        },
        rows_failed: |why| format!("Die Zeilen dazwischen konnten nicht ausgewählt werden. {why}"),
        select_all: |count| format!("Alle {} passenden auswählen", number(count)),
        selecting: "Wird ausgewählt\u{a0}…",
        selection: "Auswahl",
        since: |when| format!("Seit {when}"),
        source_is: |text| format!("Quelle ist „{text}“"),
        spam_all: "Alle passenden als Spam markieren?",
        the_filter: "Der Filter:",
        type_to_confirm: |count| format!("Zur Bestätigung {} eingeben", number(count)),
        type_to_delete: |count| format!("Zum Fortfahren bitte {} eingeben", number(count)),
        trash_all: "Alle passenden in den Papierkorb verschieben?",
        until: |when| format!("Bis {when}"),
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
        test_data: "Testdaten: Nichts hier stammt von echten Besuchern",
        account: |email| format!("Konto {email}"),
        sign_out: "Abmelden",
        commands: "Befehle",
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
        forms: WORDS.forms,
        settings: "Einstellungen",
        loading_forms: "Formulare werden geladen",
        no_forms: "Noch keine Formulare",
    },
    palette: Palette {
        title: "Befehle",
        placeholder: "Zu einem Formular gehen oder etwas tun",
        found: |count| match count {
            0 => "Nichts passt zur Eingabe".to_owned(),
            1 => "1 Befehl".to_owned(),
            count => format!("{count} Befehle"),
        },
        go: "Gehe zu",
        here: "Hier",
        view: "Ansicht",
        form: |environment| format!("Formular, {environment}"),
        insights_of: |form| format!("{form}: Auswertung"),
        settings_of: |form| format!("{form}: Einstellungen"),
        environment: |name| format!("Formulare, {name}"),
        all_forms: "Alle Formulare",
        api_keys: "API-Schlüssel",
        theme: |name| format!("Farben: {name}"),
        density: |name| format!("Dichte: {name}"),
        create_form: "Formular anlegen",
        create_key: "API-Schlüssel anlegen",
    },
    print: Print { print: "Drucken" },
    keys_help: KeysHelp {
        title: "Tasten",
        ctrl: "Strg",
        cmd: "⌘",
        enter: "Enter",
        escape: "Esc",
        palette: "Befehle: überallhin gehen, alles tun",
        help: "Diese Hilfe",
        single: "Kürzel aus einer einzelnen Taste",
        single_hint: "Aus: Ein Buchstabe oder Zeichen allein bewirkt nichts; die Befehle führen \
            wieder hierher.",
        close: "Schließen",
        search: "Suchen",
        find: "Suchen; noch einmal, die Suche des Browsers",
        next: "Nächste Einsendung",
        previous: "Vorige Einsendung",
        open: "Die Einsendung öffnen",
        pick: "Die Einsendung auswählen; mit Umschalt und einem Pfeil alle bis dort",
        pick_all: "Alle geladenen auswählen; noch einmal, alle passenden",
        export: "Exportieren",
        delete: "Das Ausgewählte löschen, sonst die offene Einsendung",
        undo: "Die letzte Aktion rückgängig machen",
        print: "Die Einsendung drucken, sonst die sichtbaren Zeilen",
    },
    sign_in: SignIn {
        again: "Wieder anmelden",
        away: "Noch kein Zugang",
        away_text: "Hier meldet die eigene Organisation an, und das hat zu keinem Konto geführt.",
        email: "E-Mail",
        left: "Abgemeldet",
        left_text: "Hier ist niemand mehr angemeldet. Die eigene Organisation kennt diesen Browser \
            womöglich noch: Wer ihn benutzt, kommt wieder herein, bis auch dort abgemeldet ist.",
        link_other: |current| {
            format!("Sie sind als {current} angemeldet. Mit diesem Link endet die Sitzung.")
        },
        link_question: |email| format!("Als {email} anmelden?"),
        link_same: |current| format!("Sie sind schon als {current} angemeldet."),
        link_text: "Sie haben einen Anmeldelink geöffnet. Er funktioniert einmal.",
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
    sign_out: SignOut { failed: |why| format!("Die Abmeldung ist nicht gelungen: {why}") },
    start: Start {
        title: "Formulare",
        loading: "Formulare werden geladen",
        what: "Die Liste der Formulare",
    },
    ui: Ui {
        clear_search: "Suche leeren",
        dismiss: "Ausblenden",
        notices: "Meldungen",
        not_opened: |why| {
            format!(
                "Das konnte nicht geöffnet werden, darum ist nichts geschehen. {why} Bitte noch \
                 einmal versuchen."
            )
        },
        part_missing: "Dieser Teil konnte nicht geladen werden",
        part_missing_text: "Die Verbindung ist unterbrochen, Ihre Sitzung ist abgelaufen, oder die \
            Oberfläche wurde erneuert, seit diese Seite offen ist.",
        reload: "Seite neu laden",
        remove: |name, value| format!("{name} entfernen: {value}"),
        select_all_loaded: "Alle geladenen auswählen",
        select_row: "Zeile auswählen",
        width_of: |column| format!("Breite von {column}"),
    },
    utm: Utm {
        among_loaded: |count| match count {
            1 => "In der einen geladenen Einsendung".to_owned(),
            _ => format!("Unter den {} geladenen Einsendungen", number(count)),
        },
        apply: "Anwenden",
        campaign_example: "fruehlings-aktion",
        failed: |why| format!("Die Werte konnten nicht geladen werden. {why}"),
        hint: "Jeder Wert muss Zeichen für Zeichen stimmen.",
        others: |count| match count {
            1 => "Eine Einsendung hat einen anderen Wert, der sich eintippen lässt".to_owned(),
            _ => format!(
                "{} Einsendungen haben andere Werte, die sich eintippen lassen",
                number(count)
            ),
        },
    },
};
