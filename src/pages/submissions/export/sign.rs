//! The status panel of the export, on every page while the dialog is closed. On pages without a
//! list it also provides the dialog.

use leptos::prelude::*;

use super::{
    Actions,
    outcome::{outcome, said},
    run::{Run, Stage},
    running::{Running, sentence, share},
};
use crate::{
    i18n,
    ui::{
        button::{Button, ButtonSize, ButtonVariant},
        dialog::Dialog,
        icon::{Glyph, Icon},
        progress::ProgressBar,
        react,
    },
};

/// The status panel.
#[component]
pub fn ExportSign() -> impl IntoView {
    let run = Run::of_app();
    react(move || {
        if !run.open.get() {
            run.put_away();
        }
    });
    let begun = Memo::new(move |_| run.stage.with(|stage| *stage != Stage::Asking));
    let is_shown = Memo::new(move |_| begun.get() && !run.open.get());
    let goes_on = Memo::new(move |_| run.is_at_work());
    // Screen readers announce only results and problems, not the progress.
    let announced = move || run.stage.with(said).filter(|_| is_shown.get());
    let text = move || {
        let name = run.name.get_value();
        let said = run.stage.with(|stage| match stage {
            Stage::Running(progress) => sentence(progress, false),
            Stage::Paused(progress) => sentence(progress, true),
            _ => said(stage).unwrap_or_default(),
        });
        (i18n::export().of_file)(&name, &said)
    };
    view! {
        <p class="visually-hidden" role="status">
            {announced}
        </p>
        <Show when=move || is_shown.get()>
            <section class="task-panel" aria-label=i18n::export().label>
                <div class="task">
                    <Icon glyph=Glyph::Download />
                    <p class="task-text">{text}</p>
                    <div class="task-acts">{acts(run)}</div>
                    <Show when=move || goes_on.get()>
                        <ProgressBar label=i18n::export().label value=share(run) />
                    </Show>
                </div>
            </section>
        </Show>
        <Elsewhere run />
    }
}

fn acts(run: Run) -> impl IntoView {
    let given_up = move || {
        let goes_on = run.stage.with(|stage| stage.under_way().is_some());
        if goes_on { i18n::export().cancel } else { i18n::common().close }
    };
    view! {
        <Button
            size=ButtonSize::Small
            variant=ButtonVariant::Ghost
            on_click=move |_| run.discard()
        >
            {given_up}
        </Button>
        <Button size=ButtonSize::Small on_click=move |_| run.open.set(true)>
            {i18n::export().show}
        </Button>
    }
}

/// The dialog for pages without a list. It has no options.
#[component]
fn Elsewhere(run: Run) -> impl IntoView {
    let open = Signal::derive(move || run.open.get() && !run.at_list.get());
    let close = move |()| run.open.set(false);
    let is_under_way = Memo::new(move |_| run.is_at_work());
    let actions = move || view! { <Actions run job=None /> };
    view! {
        <Dialog open title=i18n::export().title on_close=close backdrop_closes=false actions>
            {move || {
                if is_under_way.get() {
                    view! { <Running run /> }.into_any()
                } else {
                    outcome(run).into_any()
                }
            }}
        </Dialog>
    }
}
