//! The command palette: searches pages, commands and appearance settings. It navigates, runs
//! registered commands, or changes the appearance.

use contract::{Environment, Filter, Form};
use leptos::prelude::*;
use leptos_router::{
    NavigateOptions,
    hooks::{use_navigate, use_url},
};

use super::help::key_labels;
use crate::{
    components::{environment, names::tab_name},
    domain::{
        commands::{Command, find_key},
        palette::find_titles,
        theme::{Density, Theme},
    },
    i18n,
    layout::menus::{density_name_and_icon, theme_icon, theme_name},
    routes::{self, RouteParams, Tab},
    state::{commands::Commands, session::SessionStore, theme::Appearance, triage::TriageState},
    ui::{
        command_palette::{CommandDialog, CommandItem},
        icon::Glyph,
        single_keys_enabled,
    },
};

/// Maximum number of results shown at once.
const RESULTS_MAX: usize = 50;

/// Effect of a palette entry.
#[derive(Clone)]
enum PaletteAction {
    Go(String),
    Command(Command),
    Theme(Theme),
    Density(Density),
}

/// Palette entry.
#[derive(Clone)]
struct PaletteEntry {
    text: String,
    note: String,
    icon: Glyph,
    action: PaletteAction,
    /// Whether to hide the entry while the search is empty.
    only_in_search: bool,
}

impl PaletteEntry {
    fn new(
        text: impl Into<String>,
        note: impl Into<String>,
        icon: Glyph,
        does: PaletteAction,
    ) -> Self {
        Self { text: text.into(), note: note.into(), icon, action: does, only_in_search: false }
    }

    fn only_in_search(self) -> Self {
        Self { only_in_search: true, ..self }
    }

    fn to_command_item(&self) -> CommandItem {
        let key = if let PaletteAction::Command(act) = self.action { find_key(act) } else { None };
        let key = key.filter(|key| single_keys_enabled() || !key.is_single());
        CommandItem {
            text: self.text.clone(),
            note: self.note.clone(),
            keys: key.map(key_labels).unwrap_or_default(),
            icon: self.icon,
        }
    }
}

/// The command palette.
#[component]
pub fn Palette(
    /// Whether the palette is open.
    open: RwSignal<bool>,
) -> impl IntoView {
    let texts = i18n::palette();
    let registry = expect_context::<Commands>();
    let session = expect_context::<SessionStore>();
    let appearance = expect_context::<Appearance>();
    let triage = expect_context::<TriageState>();
    let navigate = use_navigate();
    let url = use_url();
    let typed = RwSignal::new(String::new());
    // Built each time the palette opens, so that the entries do not change while it is open.
    let entries = Memo::new_with_compare(
        move |_| {
            let build_entries = || {
                let route = url.with(|url| routes::parse_path(url.path()));
                let mut palette_entries = command_entries(&registry.available(), triage);
                palette_entries.extend(form_entries(session, &route));
                palette_entries.extend(page_entries(session, &route));
                palette_entries.extend(appearance_entries());
                palette_entries
            };
            if open.get() { untrack(build_entries) } else { Vec::new() }
        },
        |_, _| true,
    );
    let found = Memo::new(move |_| {
        let typed = typed.get();
        entries.with(|entries| {
            let titles = entries.iter().map(|entry| entry.text.as_str());
            let is_visible = |at: &usize| !typed.trim().is_empty() || !entries[*at].only_in_search;
            let found = find_titles(&typed, titles).into_iter().filter(is_visible);
            found.take(RESULTS_MAX).collect::<Vec<_>>()
        })
    });
    let items = Signal::derive(move || {
        entries.with(|entries| {
            found
                .get()
                .into_iter()
                .filter_map(|at| Some(entries.get(at)?.to_command_item()))
                .collect()
        })
    });
    let on_choose = move |index: usize| {
        let at = found.with_untracked(|found| found.get(index).copied());
        let does = at.and_then(|at| {
            entries.with_untracked(|entries| entries.get(at).map(|entry| entry.action.clone()))
        });
        match does {
            Some(PaletteAction::Go(path)) => navigate(&path, NavigateOptions::default()),
            Some(PaletteAction::Command(command)) => _ = registry.run(command),
            Some(PaletteAction::Theme(theme)) => appearance.set_theme(theme),
            Some(PaletteAction::Density(density)) => appearance.set_density(density),
            None => {}
        }
    };
    view! {
        <CommandDialog
            open
            label=texts.title
            placeholder=texts.placeholder
            typed
            items
            status=Signal::derive(move || (texts.found)(found.with(Vec::len)))
            on_choose
        />
    }
}

/// Returns entries for the commands that the page and the frame registered.
fn command_entries(available: &[Command], triage: TriageState) -> Vec<PaletteEntry> {
    let texts = i18n::palette();
    let keys = i18n::keys_help();
    let entry = |command: &Command| {
        if let Command::SetStatus(position) = command {
            let status = triage.statuses().get(usize::from(*position)).cloned()?;
            let text = (i18n::triage().set_status)(&triage.status_name(&status));
            let action = PaletteAction::Command(*command);
            return Some(PaletteEntry::new(text, texts.here, Glyph::Check, action));
        }
        let (text, icon) = match command {
            Command::Search => (keys.search, Glyph::Search),
            Command::Next => (keys.next, Glyph::ChevronDown),
            Command::Previous => (keys.previous, Glyph::ChevronUp),
            Command::SelectAll => (keys.pick_all, Glyph::Check),
            Command::Export => (keys.export, Glyph::Download),
            Command::Delete => (keys.delete, Glyph::Trash),
            Command::MarkSpam => (i18n::deletion().mark_spam, Glyph::Filter),
            Command::ToggleStar => (keys.star, Glyph::Star),
            Command::FocusTags => (keys.tags, Glyph::Bookmark),
            Command::FocusAssignee => (keys.assignee, Glyph::Account),
            Command::FocusNote => (keys.note, Glyph::Form),
            Command::NextUnread => (keys.next_unread, Glyph::ChevronDown),
            Command::PreviousUnread => (keys.previous_unread, Glyph::ChevronUp),
            Command::MarkUnread => (keys.mark_unread, Glyph::Form),
            Command::Undo => (keys.undo, Glyph::Refresh),
            Command::Print => (keys.print, Glyph::Print),
            Command::CreateForm => (texts.create_form, Glyph::Plus),
            Command::CreateKey => (texts.create_key, Glyph::Plus),
            Command::Help => (keys.title, Glyph::Keyboard),
            Command::SignOut => (i18n::shell().sign_out, Glyph::SignOut),
            Command::Palette
            | Command::Close
            | Command::Find
            | Command::Open
            | Command::SetStatus(_)
            | Command::ToggleSelection => {
                return None;
            }
        };
        Some(PaletteEntry::new(text, texts.here, icon, PaletteAction::Command(*command)))
    };
    available.iter().filter_map(entry).collect()
}

/// Returns entries for the forms, and for the settings and insights of the current form.
fn form_entries(session: SessionStore, route: &RouteParams) -> Vec<PaletteEntry> {
    let texts = i18n::palette();
    let forms = session.forms().with(|forms| forms.loaded().cloned().unwrap_or_default());
    let may_change = session.is_owner();
    let entries = |form: &Form| {
        let of = form.environment;
        let id = &form.id;
        let note = (texts.form)(environment::environment_name(of));
        let filter = Filter::default();
        let entry = |text: String, icon, path| {
            PaletteEntry::new(text, note.clone(), icon, PaletteAction::Go(path))
        };
        let is_here = route.form.as_ref() == Some(id);
        let insights = entry(
            (texts.insights_of)(&form.name),
            Glyph::Chart,
            routes::insights_url(of, id, &filter),
        );
        let settings = entry(
            (texts.settings_of)(&form.name),
            Glyph::Settings,
            routes::settings_url(of, id, Tab::Share),
        );
        let list = routes::list_url(of, id, &filter);
        let mut lines = vec![entry(form.name.clone(), Glyph::Form, list)];
        let of_it = [Some(insights), may_change.then_some(settings)].into_iter().flatten();
        if is_here {
            lines.extend(of_it);
        } else {
            lines.extend(of_it.map(PaletteEntry::only_in_search));
        }
        if is_here && may_change {
            lines.extend(Tab::ALL.map(|tab| {
                let text = format!("{}: {}", form.name, tab_name(tab));
                let path = routes::settings_url(of, id, tab);
                PaletteEntry::new(text, note.clone(), Glyph::Settings, PaletteAction::Go(path))
                    .only_in_search()
            }));
        }
        lines
    };
    forms.iter().flat_map(entries).collect()
}

/// Returns entries for the pages that belong to no form.
fn page_entries(session: SessionStore, route: &RouteParams) -> Vec<PaletteEntry> {
    let texts = i18n::palette();
    let go = |text: String, icon, path: String| {
        PaletteEntry::new(text, texts.go, icon, PaletteAction::Go(path))
    };
    let in_one = |title, icon| {
        go(
            (texts.environment)(environment::environment_name(title)),
            icon,
            routes::start_url(title),
        )
    };
    let mut entries = vec![
        in_one(Environment::Live, Glyph::Form),
        in_one(Environment::Test, Glyph::Flask),
        go(texts.all_forms.to_owned(), Glyph::Form, routes::FORMS.to_owned()),
    ];
    if session.capabilities().inbox {
        let environment = route.environment.unwrap_or(Environment::Live);
        let inbox = routes::unread_inbox_url(environment);
        entries.push(go(i18n::inbox().title.to_owned(), Glyph::Inbox, inbox));
    }
    if session.is_owner() {
        let activity = i18n::frame().activity.to_owned();
        entries.push(go(texts.api_keys.to_owned(), Glyph::Key, routes::KEYS.to_owned()));
        entries.push(go(activity, Glyph::Clock, routes::ACTIVITY.to_owned()));
    }
    entries.push(go(i18n::frame().account.to_owned(), Glyph::Account, routes::ACCOUNT.to_owned()));
    entries
}

/// Returns entries for theme and density.
fn appearance_entries() -> Vec<PaletteEntry> {
    let texts = i18n::palette();
    let theme = |theme: Theme| {
        let (name, icon) = (theme_name(theme), theme_icon(theme));
        PaletteEntry::new((texts.theme)(name), texts.view, icon, PaletteAction::Theme(theme))
    };
    let density = |density: Density| {
        let (name, icon) = density_name_and_icon(density);
        PaletteEntry::new((texts.density)(name), texts.view, icon, PaletteAction::Density(density))
    };
    Theme::ALL.map(theme).into_iter().chain(Density::ALL.map(density)).collect()
}
