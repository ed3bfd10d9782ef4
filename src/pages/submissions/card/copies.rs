//! The copy menu of a card: as text, as the JSON of the API, and as a `curl` command.

use contract::Submission;
use leptos::prelude::*;

use crate::{
    domain::{
        answers::{self, plain::submission_text},
        curl::{curl_command, quote_shell},
    },
    i18n,
    pages::submissions::{facts, list_state::ListState, open_submission::OpenSubmission},
    routes,
    ui::{
        copy::{CopyMenu, CopyMenuEntry},
        icon::Glyph,
    },
};

/// Placeholder for the URL of a server at an unknown address: a shell assignment, and the variable.
const SERVER_PLACEHOLDER: (&str, &str) = ("SHEAF_URL='https://…'\n", "$SHEAF_URL");

/// Returns the button and its menu.
pub(super) fn copy_menu(list: ListState, opened: OpenSubmission) -> impl IntoView {
    let texts = i18n::card();
    let copied = move |icon, text, write: fn(ListState, &Submission) -> String| CopyMenuEntry {
        icon,
        text,
        read: Callback::new(move |()| {
            let shown = opened.submission.get_untracked();
            shown.map(|shown| write(list, &shown)).unwrap_or_default()
        }),
    };
    let choices = vec![
        copied(Glyph::Form, texts.as_text, as_text),
        copied(Glyph::Copy, texts.as_json, as_json),
        copied(Glyph::Keyboard, texts.as_curl, as_curl),
    ];
    view! { <CopyMenu label=texts.copy choices /> }
}

fn as_text(list: ListState, shown: &Submission) -> String {
    let fields = untrack(|| list.fields_of(shown));
    let title = answers::submission_title(shown, &fields);
    let lines = answers::card_rows(shown, &fields);
    submission_text(&title, &lines, &facts::all_facts(shown))
}

fn as_json(_: ListState, shown: &Submission) -> String {
    serde_json::to_string_pretty(shown).unwrap_or_default()
}

/// Returns the `curl` command. If only the gateway knows the address of the server, the command
/// contains a placeholder.
fn as_curl(list: ListState, shown: &Submission) -> String {
    let Some(source) = list.source.get_untracked() else { return String::new() };
    let environment = source.environment;
    if untrack(|| list.session.capabilities().public_origin) {
        let origin = window().location().origin().unwrap_or_default();
        return curl_command(
            environment,
            &quote_shell(&routes::public_submission(&origin, &shown.id)),
        );
    }
    let (before, server) = SERVER_PLACEHOLDER;
    let url = routes::public_submission(server, &shown.id);
    before.to_owned() + &curl_command(environment, &format!("\"{url}\""))
}
