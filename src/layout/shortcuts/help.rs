//! The shortcut help: one line per key, generated from the same list that handles the keys.

use leptos::prelude::*;

use crate::{
    domain::commands::{Command, KEY_BINDINGS, KeyBinding},
    i18n,
    state::{session::SessionStore, shortcut_setting::ShortcutSetting},
    ui::{dialog::Dialog, field::CheckField, keyboard::Kbd},
};

/// Key of the last status.
const LAST_STATUS_KEY: &str = "9";
/// Keys that move the focus on the board, which handles them itself.
const BOARD_KEYS: [&str; 4] = ["←", "↑", "→", "↓"];

/// Returns the labels of the keys of a shortcut, as on the user's keyboard.
pub(super) fn key_labels(key: KeyBinding) -> Vec<String> {
    let texts = i18n::keys_help();
    let ctrl = key.with_ctrl.then(|| if is_mac() { texts.cmd } else { texts.ctrl }.to_owned());
    let shift = key.with_shift().then(|| texts.shift.to_owned());
    let name = match key.name {
        "Enter" => texts.enter.to_owned(),
        "Escape" => texts.escape.to_owned(),
        name if key.with_ctrl => name.to_uppercase(),
        name => name.to_owned(),
    };
    ctrl.into_iter().chain(shift).chain([name]).collect()
}

fn is_mac() -> bool {
    window().navigator().platform().is_ok_and(|name| name.to_lowercase().starts_with("mac"))
}

/// Returns the line about the filter by a cell.
fn cell_line() -> impl IntoView {
    let texts = i18n::keys_help();
    let alt = if is_mac() { texts.alt_mac } else { texts.alt };
    view! {
        <dt class="facts-name"><Kbd key=alt />" " {texts.click}</dt>
        <dd class="facts-value">{texts.filter_cell}</dd>
    }
}

/// Returns the description of a command; empty if it has no key.
fn command_description(command: Command) -> &'static str {
    let texts = i18n::keys_help();
    match command {
        Command::Palette => texts.palette,
        Command::Help => texts.help,
        Command::Close => texts.close,
        Command::Search => texts.search,
        Command::Find => texts.find,
        Command::Next => texts.next,
        Command::Previous => texts.previous,
        Command::NextUnread => texts.next_unread,
        Command::PreviousUnread => texts.previous_unread,
        Command::Open => texts.open,
        Command::ToggleSelection => texts.pick,
        Command::SelectAll => texts.pick_all,
        Command::Export => texts.export,
        Command::Delete => texts.delete,
        Command::ToggleStar => texts.star,
        Command::SetStatus(_) => texts.status,
        Command::FocusTags => texts.tags,
        Command::FocusAssignee => texts.assignee,
        Command::FocusNote => texts.note,
        Command::MarkUnread => texts.mark_unread,
        Command::Undo => texts.undo,
        Command::Print => texts.print,
        Command::MarkSpam | Command::CreateForm | Command::CreateKey | Command::SignOut => "",
    }
}

/// The shortcut help dialog.
#[component]
pub fn ShortcutsHelp(
    /// Whether the dialog is open.
    open: RwSignal<bool>,
) -> impl IntoView {
    let session = expect_context::<SessionStore>();
    let single_keys = expect_context::<ShortcutSetting>();
    // Readers cannot delete. They can undo changes of read states.
    let can_be_done = move |key: &KeyBinding| {
        let is_active = single_keys.is_enabled().get() || !key.is_single();
        let knows_unread = session.capabilities().triage;
        let has_triage = knows_unread && session.can_triage();
        is_active
            && match key.command {
                command if command.is_about_unread() => knows_unread,
                Command::Delete => {
                    session.is_owner() || session.can_triage() && session.capabilities().trash
                }
                Command::Undo => knows_unread || session.is_owner(),
                // One line for the keys from 1 to 9.
                Command::SetStatus(position) => position == 0 && has_triage,
                command => has_triage || !command.is_triage(),
            }
    };
    let line = |key: KeyBinding| {
        let keys = key_labels(key).into_iter().map(|key| view! { <Kbd key />" " }).collect_view();
        let last = matches!(key.command, Command::SetStatus(_))
            .then(|| view! { "– " <Kbd key=LAST_STATUS_KEY /> });
        view! {
            <dt class="facts-name">{keys} {last}</dt>
            <dd class="facts-value">{command_description(key.command)}</dd>
        }
    };
    let board_line = move || {
        session.capabilities().triage.then(|| {
            let keys = BOARD_KEYS.map(|key| view! { <Kbd key />" " }).collect_view();
            view! {
                <dt class="facts-name">{keys}</dt>
                <dd class="facts-value">{i18n::keys_help().board}</dd>
            }
        })
    };
    view! {
        <Dialog open title=i18n::keys_help().title on_close=move |()| open.set(false)>
            <div class="form">
                <CheckField
                    label=i18n::keys_help().single
                    hint=i18n::keys_help().single_hint
                    checked=single_keys.is_enabled()
                    on_change=move |on| single_keys.set_enabled(on)
                />
                <dl class="facts">
                    {move || KEY_BINDINGS.into_iter().filter(can_be_done).map(line).collect_view()}
                    {board_line}
                    {cell_line()}
                </dl>
            </div>
        </Dialog>
    }
}
