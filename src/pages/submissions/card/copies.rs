//! What of a card can be copied: a text for people, the JSON of the API, and the command that gets
//! it.

use contract::Submission;
use leptos::prelude::*;

use crate::{
    domain::{
        answers::{self, plain::plain},
        curl::{curl, quoted},
    },
    i18n,
    pages::submissions::{facts, list_state::ListState, open_submission::OpenSubmission},
    routes,
    ui::{
        copy::{Copied, CopyMenu},
        icon::Glyph,
    },
};

/// Where a server is that only its owner knows the address of.
const SERVER: (&str, &str) = ("SHEAF_URL='https://…'\n", "$SHEAF_URL");

/// The button, and the menu of what it copies.
pub(super) fn copies(list: ListState, opened: OpenSubmission) -> impl IntoView {
    let texts = i18n::card();
    let copied = move |icon, text, write: fn(ListState, &Submission) -> String| Copied {
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
    let (title, lines) = list
        .fields
        .with_untracked(|fields| (answers::title(shown, fields), answers::lines(shown, fields)));
    plain(&title, &lines, &facts::all(shown))
}

fn as_json(_: ListState, shown: &Submission) -> String {
    serde_json::to_string_pretty(shown).unwrap_or_default()
}

/// Only the gateway knows the address of a server elsewhere: then the command leaves it open.
fn as_curl(list: ListState, shown: &Submission) -> String {
    let Some(source) = list.source.get_untracked() else { return String::new() };
    let environment = source.environment;
    if untrack(|| list.session.capabilities().public_origin) {
        let origin = window().location().origin().unwrap_or_default();
        return curl(environment, &quoted(&routes::public_submission(&origin, &shown.id)));
    }
    let (before, server) = SERVER;
    let url = routes::public_submission(server, &shown.id);
    before.to_owned() + &curl(environment, &format!("\"{url}\""))
}
