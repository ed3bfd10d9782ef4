//! English texts.

use super::{AccountTexts, EventTexts, LinkTexts, SubmissionTexts, Texts};

pub(super) static TEXTS: Texts = Texts {
    submissions: SubmissionTexts {
        test_prefix: "[Test] ",
        one: "New submission: {form}",
        several: "{count} new submissions: {form}",
        one_in_view: "1 new submission in “{view}”",
        several_in_view: "{count} new submissions in “{view}”",
        incomplete: "Some answers are shortened or left out.",
        more: "and {count} more",
        open: "Open submission",
        open_all: "Open submissions",
        reason: "You receive this e-mail because {address} is notified of submissions to the form \
                 {form}, which belongs to {account}.",
        unsubscribe: "Unsubscribe",
        settings: "Notification settings",
        reply_reason: "You receive this e-mail because this address was entered in the form \
                       {form}. If this was not you, ignore it.",
    },
    confirmation: LinkTexts {
        subject: "Confirm e-mail notifications: {form}",
        text: "{account} wants to notify this address of new submissions to the form {form}. \
               Please confirm that you want to receive these e-mails.",
        button: "Confirm address",
        note: "The link is valid for {days} days. If you do not expect these e-mails, ignore this \
               one. You then receive no others.",
    },
    sign_in_link: LinkTexts {
        subject: "Sign in to Sheaf",
        text: "Open this link to sign in. It is valid for {minutes} minutes and works once.",
        button: "Sign in",
        note: "If you did not request this link, ignore this e-mail. Do not forward it.",
    },
    invitation: LinkTexts {
        subject: "{inviter} invited you to Sheaf",
        text: "{inviter} gave you access to form submissions.",
        button: "Accept invitation",
        note: "The link is valid for {hours} hours and works once. If you do not know {inviter}, \
               ignore this e-mail.",
    },
    email_code: EventTexts {
        subject: "Confirm your new e-mail address",
        text: "Enter this code in the dashboard to sign in with this address from now on: {code}",
        advice: "The code is valid for {minutes} minutes. If you did not request it, ignore this \
                 e-mail. Do not pass it on.",
    },
    account: AccountTexts {
        password_changed: EventTexts {
            subject: "Your password was changed",
            text: "Your password was changed on {time}.",
            advice: "If this was not you, request a sign-in link, choose a new password and end \
                     the other sessions.",
        },
        email_changed: EventTexts {
            subject: "Your e-mail address was changed",
            text: "This address was replaced on {time}. You now sign in with the new one.",
            advice: "If this was not you, contact the operator of this server at once.",
        },
        new_sign_in: EventTexts {
            subject: "New sign-in",
            text: "You signed in with a new browser on {time}: {browser}.",
            advice: "If this was not you, change your password and end the other sessions.",
        },
        unknown_browser: "unknown browser",
        webhook_gone: EventTexts {
            subject: "Webhook disabled: {form}",
            text: "The webhook of the form {form} to {host} was disabled on {time}. The receiver \
                   responded that it does not exist any more (410).",
            advice: "Submissions are still stored. You can enable the webhook again in the \
                     settings of the form.",
        },
        webhook_failed: EventTexts {
            subject: "Webhook disabled: {form}",
            text: "The webhook of the form {form} to {host} was disabled on {time}, because all \
                   deliveries failed for five days.",
            advice: "Submissions are still stored. Check the receiver, and then enable the webhook \
                     again in the settings of the form.",
        },
        address_disabled: EventTexts {
            subject: "E-mail notifications disabled: {form}",
            text: "{address} receives no more e-mails about the form {form}, because the mail \
                   server refused the address several times.",
            advice: "Submissions are still stored. Correct the address, or enable it again in the \
                     notification settings of the form.",
        },
        mentioned: EventTexts {
            subject: "{author} mentioned you: {form}",
            text: "{author} mentioned you on {time} in a note about a submission of the form \
                   {form}.",
            advice: "You can disable these e-mails on the account page of the dashboard.",
        },
        removed_member: "A removed member",
        disk_nearly_full: EventTexts {
            subject: "The disk is nearly full",
            text: "The disk of the Sheaf server had only {free} MiB free on {time}.",
            advice: "Free some space. When the disk is full, the server cannot store submissions.",
        },
        sign_in: "Open the sign-in page",
        open_dashboard: "Open the dashboard",
        reason: "You receive this e-mail because of the Sheaf account {address}.",
        operator_reason: "You receive this e-mail because {address} is the operator's address of \
                          this Sheaf server.",
    },
    test_subject: "Test e-mail from Sheaf",
    test_text: "This server can send e-mail.",
};
