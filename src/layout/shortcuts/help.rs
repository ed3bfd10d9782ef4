//! The shortcut help: one line per key, generated from the same list that handles the keys.

use leptos::prelude::*;

use crate::{
    domain::commands::{Command, KEYS, Key},
    i18n,
    state::{session::SessionStore, shortcut_setting::SingleKeys},
    ui::{dialog::Dialog, field::CheckField, visually_hidden::Kbd},
};

/// Returns the labels of the keys of a shortcut, as on the user's keyboard.
pub(super) fn printed(key: Key) -> Vec<String> {
    let texts = i18n::keys_help();
    let is_mac =
        || window().navigator().platform().is_ok_and(|name| name.to_lowercase().starts_with("mac"));
    let with = key.held.then(|| if is_mac() { texts.cmd } else { texts.ctrl }.to_owned());
    let name = match key.name {
        "Enter" => texts.enter.to_owned(),
        "Escape" => texts.escape.to_owned(),
        name if key.held => name.to_uppercase(),
        name => name.to_owned(),
    };
    with.into_iter().chain([name]).collect()
}

/// Returns the description of a command; empty if it has no key.
fn words(act: Command) -> &'static str {
    let texts = i18n::keys_help();
    match act {
        Command::Palette => texts.palette,
        Command::Help => texts.help,
        Command::Close => texts.close,
        Command::Search => texts.search,
        Command::Find => texts.find,
        Command::Next => texts.next,
        Command::Previous => texts.previous,
        Command::Open => texts.open,
        Command::Pick => texts.pick,
        Command::PickAll => texts.pick_all,
        Command::Export => texts.export,
        Command::Delete => texts.delete,
        Command::Undo => texts.undo,
        Command::Print => texts.print,
        Command::MarkSpam | Command::CreateForm | Command::CreateKey | Command::SignOut => "",
    }
}

/// The shortcut help dialog.
#[component]
pub fn KeysHelp(
    /// Whether the dialog is open.
    open: RwSignal<bool>,
) -> impl IntoView {
    let may_change = expect_context::<SessionStore>().may_change();
    let single_keys = expect_context::<SingleKeys>();
    // Members with read-only access can neither delete nor undo.
    let can_be_done = move |key: &Key| {
        let acts = single_keys.are_on().get() || !key.is_single();
        acts && (may_change || !matches!(key.act, Command::Delete | Command::Undo))
    };
    let line = |key: Key| {
        let keys = printed(key).into_iter().map(|key| view! { <Kbd key />" " }).collect_view();
        view! {
            <dt class="facts-name">{keys}</dt>
            <dd class="facts-value">{words(key.act)}</dd>
        }
    };
    view! {
        <Dialog open title=i18n::keys_help().title on_close=move |()| open.set(false)>
            <div class="form">
                <CheckField
                    label=i18n::keys_help().single
                    hint=i18n::keys_help().single_hint
                    checked=single_keys.are_on()
                    on_change=move |on| single_keys.switch(on)
                />
                <dl class="facts">
                    {move || KEYS.into_iter().filter(can_be_done).map(line).collect_view()}
                </dl>
            </div>
        </Dialog>
    }
}
