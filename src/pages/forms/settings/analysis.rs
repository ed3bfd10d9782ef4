//! The tab with the analysis settings: on or off, the queue, categories and usage.

use contract::Form;
use contract::insight::{FormAnalysis, SetAnalysis};
use leptos::{prelude::*, task::spawn_local};

use super::{categories::CategorySettings, usage::UsageSection};
use crate::{
    api::{self, Remote},
    components::{
        page::explain_failure,
        remote::{load, remote_outcome, remote_view},
    },
    i18n,
    state::{confirm::Confirm, session::SessionStore, toasts::Toasts},
    ui::{button::Button, field::CheckField, icon::Glyph},
};

/// The tab.
#[component]
pub fn AnalysisTab(
    /// The form.
    form: Signal<Form>,
    /// Receives the changed form.
    session: SessionStore,
) -> impl IntoView {
    let texts = i18n::form_analysis();
    let id = form.with_untracked(|form| form.id.clone());
    let settings = RwSignal::new(Remote::Loading);
    let of_load = id.clone();
    let load = move || {
        let form = of_load.clone();
        load(settings, session, async move { api::get_analysis(&form).await });
    };
    load();
    let state = AnalysisState { form, settings, session, toasts: expect_context() };
    // A new response must not rebuild the checkbox that was pressed.
    let outcome = remote_outcome(settings);
    let body = remote_view(outcome, (texts.loading, texts.what), load, move |()| {
        view! { <AnalysisSwitch state /> }.into_any()
    });
    view! {
        <section>
            <h2 class="section-title">{texts.title}</h2>
            <p class="section-text">{texts.about}</p>
            {body}
        </section>
        <CategorySettings form=id session />
        <UsageSection session />
    }
}

/// State of the tab. Cheap to copy.
#[derive(Clone, Copy)]
struct AnalysisState {
    form: Signal<Form>,
    settings: RwSignal<Remote<FormAnalysis>>,
    session: SessionStore,
    toasts: Toasts,
}

impl AnalysisState {
    fn current_settings(self) -> FormAnalysis {
        let unknown = FormAnalysis { analysis: false, pending: 0, is_queueing: false };
        self.settings.with(|settings| settings.loaded().copied().unwrap_or(unknown))
    }

    async fn save_settings(self, form: Form, to: SetAnalysis) -> Result<(), String> {
        match api::set_analysis(&form.id, to).await {
            Ok(known) => {
                self.settings.try_set(Remote::Loaded(known));
                self.session.upsert_form(Form { analysis: known.analysis, ..form });
                Ok(())
            }
            Err(error) => Err(explain_failure(self.session, &error)),
        }
    }

    fn set_enabled(self, analysis: bool) {
        let texts = i18n::form_analysis();
        let form = self.form.get_untracked();
        spawn_local(async move {
            match self.save_settings(form, SetAnalysis { analysis, again: false }).await {
                Ok(()) if analysis => self.toasts.show_success(texts.is_on),
                Ok(()) => self.toasts.show_success(texts.is_off),
                Err(problem) => {
                    // Show the actual state again instead of the requested one.
                    self.settings.try_update(|_| ());
                    self.toasts.show_error(problem);
                }
            }
        });
    }

    /// Returns the description of the queue.
    fn queue_text(self) -> String {
        let texts = i18n::form_analysis();
        match self.current_settings() {
            FormAnalysis { analysis: false, .. } => texts.off.to_owned(),
            FormAnalysis { is_queueing: true, pending, .. } => (texts.queueing)(pending),
            FormAnalysis { pending, .. } => (texts.pending)(pending),
        }
    }
}

#[component]
fn AnalysisSwitch(state: AnalysisState) -> impl IntoView {
    let confirm = expect_context::<Confirm>();
    let texts = i18n::form_analysis();
    // A signal, not a memo: it must fire after every response, so that a rejected change resets the
    // checkbox.
    let is_on = Signal::derive(move || state.current_settings().analysis);
    let off = Signal::derive(move || (!is_on.get()).then(|| texts.switch_first.to_owned()));
    let reanalyse = move |_| {
        // The dialog stays open if the user leaves the tab by the history.
        let form = state.form.get_untracked();
        let again = SetAnalysis { analysis: true, again: true };
        let save = move || state.save_settings(form.clone(), again);
        confirm.ask(texts.again_title, texts.again_text, texts.again_verb, save);
    };
    view! {
        <div class="form">
            <CheckField
                label=texts.switch
                hint=texts.switch_hint
                checked=is_on
                on_change=move |on| state.set_enabled(on)
            />
            <p role="status">{move || state.queue_text()}</p>
            <div class="form-acts">
                <Button icon=Glyph::Refresh disabled_reason=off on_click=reanalyse>
                    {texts.again}
                </Button>
            </div>
        </div>
    }
}
