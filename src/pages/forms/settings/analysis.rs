//! The tab with the analysis settings: on or off, the queue, categories and usage.

use contract::Form;
use contract::insight::{FormAnalysis, SetAnalysis};
use leptos::{prelude::*, task::spawn_local};

use super::{categories::CategorySettings, usage::Usage};
use crate::{
    api::{self, Remote},
    components::{
        page::{Failure, sentence},
        remote::load,
    },
    i18n,
    state::{
        confirm::{Confirm, Question},
        session::SessionStore,
        toasts::Toasts,
    },
    ui::{button::Button, field::CheckField, icon::Glyph, skeleton::SkeletonLines},
};

/// The tab.
#[component]
pub fn Analysis(
    /// The form.
    form: Signal<Form>,
    /// Receives the changed form.
    session: SessionStore,
) -> impl IntoView {
    let texts = i18n::form_analysis();
    let id = form.with_untracked(|form| form.id.clone());
    let (stand, of_load) = (RwSignal::new(Remote::Loading), id.clone());
    let load = move || {
        let form = of_load.clone();
        load(stand, session, async move { api::analysis(&form).await });
    };
    load();
    let state = AnalysisState { form, stand, session, toasts: expect_context() };
    // A memo of the kind of state: a new response must not rebuild the checkbox that was pressed.
    let outcome = Memo::new(move |_| {
        stand.with(|stand| match stand {
            Remote::Loading => None,
            Remote::Failed(error) => Some(Err(error.clone())),
            Remote::Loaded(_) => Some(Ok(())),
        })
    });
    let body = move || match outcome.get() {
        None => view! { <SkeletonLines label=texts.loading /> }.into_any(),
        Some(Err(error)) => {
            let load = load.clone();
            let retry = move |()| {
                stand.set(Remote::Loading);
                load();
            };
            view! { <Failure error what=texts.what on_retry=retry /> }.into_any()
        }
        Some(Ok(())) => view! { <Switch state /> }.into_any(),
    };
    view! {
        <section>
            <h2 class="section-title">{texts.title}</h2>
            <p class="section-text">
                {texts.about}
            </p>
            {body}
        </section>
        <CategorySettings form=id session />
        <Usage session />
    }
}

/// State of the tab. Cheap to copy.
#[derive(Clone, Copy)]
struct AnalysisState {
    form: Signal<Form>,
    stand: RwSignal<Remote<FormAnalysis>>,
    session: SessionStore,
    toasts: Toasts,
}

impl AnalysisState {
    fn now(self) -> FormAnalysis {
        self.stand.with(|stand| match stand {
            Remote::Loaded(stand) => *stand,
            Remote::Loading | Remote::Failed(_) => {
                FormAnalysis { analysis: false, pending: 0, is_queueing: false }
            }
        })
    }

    async fn set(self, to: SetAnalysis) -> Result<(), String> {
        let form = self.form.get_untracked();
        match api::set_analysis(&form.id, to).await {
            Ok(known) => {
                self.stand.try_set(Remote::Loaded(known));
                self.session.form_arrives(Form { analysis: known.analysis, ..form });
                Ok(())
            }
            Err(error) => {
                self.session.notice(&error);
                Err(sentence(&error.message()))
            }
        }
    }

    fn switch(self, analysis: bool) {
        let texts = i18n::form_analysis();
        spawn_local(async move {
            match self.set(SetAnalysis { analysis, again: false }).await {
                Ok(()) if analysis => self.toasts.done(texts.is_on),
                Ok(()) => self.toasts.done(texts.is_off),
                Err(problem) => {
                    // Show the actual state again instead of the requested one.
                    self.stand.try_update(|_| ());
                    self.toasts.failed(problem);
                }
            }
        });
    }

    /// Returns the description of the queue.
    fn told(self) -> String {
        let texts = i18n::form_analysis();
        match self.now() {
            FormAnalysis { analysis: false, .. } => texts.off.to_owned(),
            FormAnalysis { is_queueing: true, pending, .. } => (texts.queueing)(pending),
            FormAnalysis { pending, .. } => (texts.pending)(pending),
        }
    }
}

#[component]
fn Switch(state: AnalysisState) -> impl IntoView {
    let (confirm, texts) = (expect_context::<Confirm>(), i18n::form_analysis());
    // A signal, not a memo: it must fire after every response, so that a rejected change resets the
    // checkbox.
    let is_on = Signal::derive(move || state.now().analysis);
    let off = Signal::derive(move || (!is_on.get()).then(|| texts.switch_first.to_owned()));
    let again = move |_| {
        let act = move || state.set(SetAnalysis { analysis: true, again: true });
        let question = Question::new(texts.again_title, texts.again_text, texts.again_verb, act);
        confirm.ask(question);
    };
    view! {
        <div class="form">
            <CheckField
                label=texts.switch
                hint=texts.switch_hint
                checked=is_on
                on_change=move |on| state.switch(on)
            />
            <p role="status">{move || state.told()}</p>
            <div class="form-acts">
                <Button icon=Glyph::Refresh disabled_reason=off on_click=again>
                    {texts.again}
                </Button>
            </div>
        </div>
    }
}
