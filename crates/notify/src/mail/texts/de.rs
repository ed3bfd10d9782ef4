//! German texts.

use super::{AccountTexts, EventTexts, LinkTexts, SubmissionTexts, Texts};

pub(super) static TEXTS: Texts = Texts {
    submissions: SubmissionTexts {
        test_prefix: "[Test] ",
        one: "Neue Einsendung: {form}",
        several: "{count} neue Einsendungen: {form}",
        one_in_view: "1 neue Einsendung in „{view}“",
        several_in_view: "{count} neue Einsendungen in „{view}“",
        incomplete: "Einige Antworten sind gekürzt oder fehlen.",
        more: "und {count} weitere",
        open: "Einsendung öffnen",
        open_all: "Einsendungen öffnen",
        reason: "Sie erhalten diese E-Mail, weil {address} über Einsendungen an das Formular \
                 {form} benachrichtigt wird, das zu {account} gehört.",
        unsubscribe: "Abbestellen",
        settings: "Einstellungen der Benachrichtigungen",
        reply_reason: "Sie erhalten diese E-Mail, weil diese Adresse im Formular {form} \
                       eingegeben wurde. Wenn Sie das nicht waren, ignorieren Sie sie.",
    },
    confirmation: LinkTexts {
        subject: "E-Mail-Benachrichtigungen bestätigen: {form}",
        text: "{account} möchte diese Adresse über neue Einsendungen an das Formular {form} \
               benachrichtigen. Bitte bestätigen Sie, dass Sie diese E-Mails erhalten möchten.",
        button: "Adresse bestätigen",
        note: "Der Link ist {days} Tage gültig. Wenn Sie diese E-Mails nicht erwarten, ignorieren \
               Sie diese. Sie erhalten dann keine weiteren.",
    },
    sign_in_link: LinkTexts {
        subject: "Bei Sheaf anmelden",
        text: "Öffnen Sie diesen Link, um sich anzumelden. Er ist {minutes} Minuten gültig und \
               funktioniert einmal.",
        button: "Anmelden",
        note: "Wenn Sie diesen Link nicht angefordert haben, ignorieren Sie diese E-Mail. Leiten \
               Sie sie nicht weiter.",
    },
    invitation: LinkTexts {
        subject: "{inviter} hat Sie zu Sheaf eingeladen",
        text: "{inviter} hat Ihnen Zugang zu Einsendungen von Formularen gegeben.",
        button: "Einladung annehmen",
        note: "Der Link ist {hours} Stunden gültig und funktioniert einmal. Wenn Sie {inviter} \
               nicht kennen, ignorieren Sie diese E-Mail.",
    },
    email_code: EventTexts {
        subject: "Bestätigen Sie Ihre neue E-Mail-Adresse",
        text: "Geben Sie diesen Code im Dashboard ein, um sich künftig mit dieser Adresse \
               anzumelden: {code}",
        advice: "Der Code ist {minutes} Minuten gültig. Wenn Sie ihn nicht angefordert haben, \
                 ignorieren Sie diese E-Mail. Geben Sie ihn nicht weiter.",
    },
    account: AccountTexts {
        password_changed: EventTexts {
            subject: "Ihr Passwort wurde geändert",
            text: "Ihr Passwort wurde am {time} geändert.",
            advice: "Wenn Sie das nicht waren, fordern Sie einen Anmeldelink an, wählen Sie ein \
                     neues Passwort und beenden Sie die anderen Sitzungen.",
        },
        email_changed: EventTexts {
            subject: "Ihre E-Mail-Adresse wurde geändert",
            text: "Diese Adresse wurde am {time} ersetzt. Sie melden sich jetzt mit der neuen an.",
            advice: "Wenn Sie das nicht waren, wenden Sie sich sofort an den Betreiber dieses \
                     Servers.",
        },
        new_sign_in: EventTexts {
            subject: "Neue Anmeldung",
            text: "Sie haben sich am {time} mit einem neuen Browser angemeldet: {browser}.",
            advice: "Wenn Sie das nicht waren, ändern Sie Ihr Passwort und beenden Sie die anderen \
                     Sitzungen.",
        },
        unknown_browser: "unbekannter Browser",
        webhook_gone: EventTexts {
            subject: "Webhook deaktiviert: {form}",
            text: "Der Webhook des Formulars {form} an {host} wurde am {time} deaktiviert. Der \
                   Empfänger hat geantwortet, dass es ihn nicht mehr gibt (410).",
            advice: "Einsendungen werden weiterhin gespeichert. Sie können den Webhook in den \
                     Einstellungen des Formulars wieder aktivieren.",
        },
        webhook_failed: EventTexts {
            subject: "Webhook deaktiviert: {form}",
            text: "Der Webhook des Formulars {form} an {host} wurde am {time} deaktiviert, weil \
                   alle Zustellungen fünf Tage lang fehlgeschlagen sind.",
            advice: "Einsendungen werden weiterhin gespeichert. Prüfen Sie den Empfänger und \
                     aktivieren Sie dann den Webhook in den Einstellungen des Formulars.",
        },
        address_disabled: EventTexts {
            subject: "E-Mail-Benachrichtigungen deaktiviert: {form}",
            text: "{address} erhält keine E-Mails mehr über das Formular {form}, weil der \
                   Mailserver die Adresse mehrmals abgelehnt hat.",
            advice: "Einsendungen werden weiterhin gespeichert. Korrigieren Sie die Adresse, oder \
                     aktivieren Sie sie in den Einstellungen der Benachrichtigungen.",
        },
        mentioned: EventTexts {
            subject: "{author} hat Sie erwähnt: {form}",
            text: "{author} hat Sie am {time} in einer Notiz zu einer Einsendung des Formulars \
                   {form} erwähnt.",
            advice: "Sie können diese E-Mails auf der Kontoseite des Dashboards abschalten.",
        },
        removed_member: "Ein entferntes Mitglied",
        disk_nearly_full: EventTexts {
            subject: "Die Festplatte ist fast voll",
            text: "Auf der Festplatte des Sheaf-Servers waren am {time} nur noch {free} MiB frei.",
            advice: "Schaffen Sie Platz. Wenn die Festplatte voll ist, kann der Server keine \
                     Einsendungen speichern.",
        },
        sign_in: "Anmeldeseite öffnen",
        open_dashboard: "Dashboard öffnen",
        reason: "Sie erhalten diese E-Mail wegen des Sheaf-Kontos {address}.",
        operator_reason: "Sie erhalten diese E-Mail, weil {address} die Adresse des Betreibers \
                          dieses Sheaf-Servers ist.",
    },
    test_subject: "Test-E-Mail von Sheaf",
    test_text: "Dieser Server kann E-Mails senden.",
};
