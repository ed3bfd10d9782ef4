//! The role of a member: its select, and the dialog that changes it and the forms of the member.

use contract::people::PersonChange;
use contract::{FormAccess, Person, Role};
use leptos::{prelude::*, task::spawn_local};

use super::MembersState;
use crate::{
    api,
    components::{form_access::FormAccessFields, page::explain_failure},
    i18n,
    ui::{
        dialog::FormDialog,
        field::{Choice, SelectField},
    },
};

/// Roles that the owner can give.
const ROLES: [Role; 2] = [Role::Reader, Role::Editor];

/// Returns the name of a role.
pub(super) fn role_name(role: Role) -> &'static str {
    let texts = i18n::people();
    match role {
        Role::Owner => texts.owner,
        Role::Editor => texts.editor,
        Role::Reader => texts.reader,
    }
}

/// The select of a role, with a sentence about what the role may do.
#[component]
pub fn RoleField(
    /// The selected role.
    role: RwSignal<Role>,
    /// Error in the selection.
    #[prop(into, optional)]
    error: Signal<Option<String>>,
) -> impl IntoView {
    let texts = i18n::people();
    let choices = ROLES.map(|role| Choice::new(role.as_str(), role_name(role))).to_vec();
    let hint = move || {
        let hint = if role.get() == Role::Editor { texts.editor_hint } else { texts.reader_hint };
        hint.to_owned()
    };
    view! {
        <SelectField
            label=texts.role
            value=Signal::derive(move || role.get().to_string())
            choices
            hint=Signal::derive(hint)
            error
            on_change=move |name: String| {
                if let Ok(chosen) = name.parse() {
                    role.set(chosen);
                }
            }
        />
    }
}

/// The dialog that changes the role and the forms of `changing`.
#[component]
pub fn RoleDialog(
    /// State of the members page.
    shared: MembersState,
) -> impl IntoView {
    let texts = i18n::people();
    let changing = shared.changing;
    let title = move || {
        let title = |person: &Person| (texts.change_title)(&person.email);
        changing.with(|person| person.as_ref().map(title).unwrap_or_default())
    };
    view! {
        <FormDialog
            open=Signal::derive(move || changing.with(Option::is_some))
            title=Signal::derive(title)
            verb=texts.change
            busy=shared.busy
            on_send=move |()| change_role(&shared)
            on_close=move |()| close(&shared)
        >
            <RoleField role=shared.role error=shared.error />
            <FormAccessFields
                access=shared.forms
                environment=Signal::stored(None)
                session=shared.session
            />
        </FormDialog>
    }
}

impl MembersState {
    pub(super) fn open_role_dialog(self, person: Person) {
        self.role.set(person.role);
        self.forms.set(person.forms.clone());
        self.error.set(None);
        self.changing.set(Some(person));
    }
}

fn close(shared: &MembersState) {
    shared.changing.try_set(None);
    shared.error.try_set(None);
}

fn change_role(shared: &MembersState) {
    let shared = *shared;
    let Some(person) = shared.changing.get_untracked() else { return };
    if shared.busy.get_untracked() {
        return;
    }
    let Some(FormAccess(forms)) = shared.selected_forms() else { return };
    shared.busy.set(true);
    let change = PersonChange { role: Some(shared.role.get_untracked()), forms: Some(forms) };
    spawn_local(async move {
        let request = || api::change_member(&person.id, &change);
        let answer = shared.reauthentication.run_action(request).await;
        shared.busy.try_set(false);
        // The dialog may show another member by now.
        let is_shown =
            |shown: &Option<Person>| shown.as_ref().is_some_and(|shown| shown.id == person.id);
        let is_shown = shared.changing.try_with_untracked(is_shown) == Some(true);
        match answer {
            Ok(()) => {
                if is_shown {
                    close(&shared);
                }
                shared.toasts.show_success((i18n::people().changed)(&person.email));
                shared.load_members();
            }
            Err(problem) => {
                let reason = explain_failure(shared.session, &problem);
                let text = (i18n::people().not_changed)(&reason);
                shared.toasts.show_error_in((shared.error, is_shown), text);
            }
        }
    });
}
