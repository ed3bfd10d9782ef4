//! The choice between all forms and selected ones, for API keys and members.

use contract::{Environment, Form, FormAccess, FormId};
use leptos::prelude::*;

use crate::{
    components::environment::environment_name,
    i18n,
    state::session::SessionStore,
    ui::{
        field::{CheckField, Choice, RadioField},
        icon::{Glyph, Icon},
    },
};

/// Value of the choice of all forms.
const ALL_FORMS: &str = "all";
/// Value of the choice of single forms.
const SELECTED_FORMS: &str = "selected";

/// State of the fields. Cheap to copy.
#[derive(Clone, Copy)]
pub struct FormAccessState {
    /// [`ALL_FORMS`] or [`SELECTED_FORMS`].
    scope: RwSignal<String>,
    /// Selected forms, of both environments.
    selected: RwSignal<Vec<FormId>>,
    error: RwSignal<Option<&'static str>>,
}

impl FormAccessState {
    /// Returns fields with all forms chosen, owned by the current reactive owner.
    pub fn all() -> Self {
        Self {
            scope: RwSignal::new(ALL_FORMS.to_owned()),
            selected: RwSignal::new(Vec::new()),
            error: RwSignal::new(None),
        }
    }

    /// Chooses all forms, or these.
    pub fn set(self, forms: Option<Vec<FormId>>) {
        let scope = if forms.is_some() { SELECTED_FORMS } else { ALL_FORMS };
        self.scope.set(scope.to_owned());
        self.selected.set(forms.unwrap_or_default());
        self.error.set(None);
    }

    /// Returns the selected access to the forms of an account. Returns `None` and shows an error if
    /// no form is selected.
    pub fn read(self, forms: &[Form], environment: Option<Environment>) -> Option<FormAccess> {
        if self.scope.get_untracked() != SELECTED_FORMS {
            return Some(FormAccess::default());
        }
        let selected = self.selected.get_untracked();
        let is_selected = |form: &&Form| {
            selected.contains(&form.id) && environment.is_none_or(|it| it == form.environment)
        };
        let ids: Vec<_> = forms.iter().filter(is_selected).map(|form| form.id.clone()).collect();
        self.error.set(ids.is_empty().then_some(i18n::form_access().needs_form));
        (!ids.is_empty()).then_some(FormAccess(Some(ids)))
    }
}

/// The fields.
#[component]
pub fn FormAccessFields(
    /// State of the fields.
    access: FormAccessState,
    /// Environment of the offered forms; `None` for both.
    #[prop(into)]
    environment: Signal<Option<Environment>>,
    /// Session with the forms of the account.
    session: SessionStore,
) -> impl IntoView {
    let texts = i18n::form_access();
    let FormAccessState { scope, error, .. } = access;
    let scopes = vec![
        Choice::new(ALL_FORMS, texts.all_forms).hint(texts.all_forms_hint),
        Choice::new(SELECTED_FORMS, texts.selected_forms),
    ];
    let choose_scope = move |chosen| {
        error.set(None);
        scope.set(chosen);
    };
    view! {
        <RadioField label=texts.forms value=scope choices=scopes on_change=choose_scope />
        <Show when=move || scope.with(|scope| scope == SELECTED_FORMS)>
            <FormChoices access environment session />
        </Show>
    }
}

/// Check boxes for the forms.
#[component]
fn FormChoices(
    access: FormAccessState,
    environment: Signal<Option<Environment>>,
    session: SessionStore,
) -> impl IntoView {
    let texts = i18n::form_access();
    let FormAccessState { selected, error, .. } = access;
    let label = move |form: &Form| match environment.get() {
        None if form.environment == Environment::Test => {
            format!("{} ({})", form.name, environment_name(form.environment))
        }
        _ => form.name.clone(),
    };
    let offered = Memo::new(move |_| {
        session.forms().with(|forms| {
            let is_offered =
                |form: &&Form| environment.get().is_none_or(|it| it == form.environment);
            let forms = forms.loaded().into_iter().flatten().filter(is_offered);
            forms.map(|form| (form.id.clone(), label(form))).collect::<Vec<_>>()
        })
    });
    let check = move |(id, name): (FormId, String)| {
        let form_id = id.clone();
        let change = move |is_checked: bool| {
            error.set(None);
            selected.update(|selected| {
                selected.retain(|other| *other != id);
                if is_checked {
                    selected.push(id.clone());
                }
            });
        };
        let checked = Signal::derive(move || selected.with(|selected| selected.contains(&form_id)));
        view! { <CheckField label=name checked on_change=change /> }
    };
    view! {
        <fieldset class="field">
            <legend class="visually-hidden">{texts.selected_forms}</legend>
            <div class="choices">
                {move || offered.get().into_iter().map(check).collect_view()}
            </div>
            <Show when=move || offered.with(Vec::is_empty)>
                <p class="field-hint">{texts.no_forms}</p>
            </Show>
            <p class="field-error" role="alert">
                {move || {
                    error
                        .get()
                        .map(|text| view! { <Icon glyph=Glyph::Warning /> <span>{text}</span> })
                }}
            </p>
        </fieldset>
    }
}
