//! The status panel of the export, on every page while the dialog is closed. On pages without a
//! list it also provides the dialog.

use leptos::prelude::*;

use super::{
    dialog_view,
    outcome::result_text,
    run::{ExportRun, ExportState},
    running::{completed_share, progress_sentence},
};
use crate::{
    i18n,
    ui::{
        button::{Button, ButtonSize, ButtonVariant},
        icon::{Glyph, Icon},
        progress::ProgressBar,
        run_effect,
    },
};

/// The status panel.
#[component]
pub fn ExportStatus() -> impl IntoView {
    let run = ExportRun::of_app();
    run_effect(move || {
        if !run.open.get() {
            run.clear_result();
        }
    });
    let has_started = Memo::new(move |_| run.state.with(|stage| *stage != ExportState::Idle));
    let is_shown = Memo::new(move |_| has_started.get() && !run.open.get());
    let is_active = Memo::new(move |_| run.is_active());
    // Screen readers announce only results and problems, not the progress.
    let announced = move || run.state.with(result_text).filter(|_| is_shown.get());
    let text = move || {
        let name = run.name.get_value();
        let text = run.state.with(|stage| progress_sentence(stage).or_else(|| result_text(stage)));
        (i18n::export().of_file)(&name, &text.unwrap_or_default())
    };
    let dialog_open = Signal::derive(move || run.open.get() && !run.at_list.get());
    view! {
        <p class="visually-hidden" role="status">
            {announced}
        </p>
        <Show when=move || is_shown.get()>
            <section class="task-panel" aria-label=i18n::export().label>
                <div class="task">
                    <Icon glyph=Glyph::Download />
                    <p class="task-text">{text}</p>
                    <div class="task-acts">{panel_buttons(run)}</div>
                    <Show when=move || is_active.get()>
                        <ProgressBar label=i18n::export().label value=completed_share(run) />
                    </Show>
                </div>
            </section>
        </Show>
        {dialog_view(run, dialog_open, None)}
    }
}

fn panel_buttons(run: ExportRun) -> impl IntoView {
    let cancel_label = move || {
        let is_running = run.state.with(|stage| stage.current_progress().is_some());
        if is_running { i18n::export().cancel } else { i18n::common().close }
    };
    view! {
        <Button
            size=ButtonSize::Small
            variant=ButtonVariant::Ghost
            on_click=move |_| run.discard_export()
        >
            {cancel_label}
        </Button>
        <Button size=ButtonSize::Small on_click=move |_| run.open.set(true)>
            {i18n::export().show}
        </Button>
    }
}
