//! The export dialog: first the options and the cost, then the progress of the export worker and
//! its warnings. The worker writes the file.

pub mod asking;
pub mod count;
pub mod job;
pub mod left;
pub mod outcome;
pub mod run;
pub mod running;
pub mod sign;
pub mod task;
mod triage_names;
pub mod worker;

use leptos::prelude::*;

use crate::{
    i18n,
    pages::submissions::{list_state::ListState, selection::SelectionState},
    ui::{
        button::{Button, ButtonVariant},
        dialog::Dialog,
        run_effect,
    },
};
use asking::ExportOptions;
use job::ExportJob;
use outcome::result_notice;
use run::{ExportRun, ExportState};
use running::ExportProgress;

/// The dialog on the page of a list. If it closes while an export runs, the export continues.
#[component]
pub fn ExportDialog() -> impl IntoView {
    let list = expect_context::<ListState>();
    let selection = expect_context::<SelectionState>();
    let job = ExportJob::new(list, selection.ids());
    let run = job.run;
    run_effect(move || {
        if run.open.get() {
            untrack(|| job.reset_options());
        } else {
            run.clear_result();
        }
    });
    // After the effect above, which resets the options that the count depends on.
    job.request_counts();
    dialog_view(run, run.open.into(), Some(job))
}

/// Returns the dialog. While no export runs, it shows the options of `job`, or without a list the
/// result of the last export.
fn dialog_view(run: ExportRun, open: Signal<bool>, job: Option<ExportJob>) -> impl IntoView {
    let close = move |()| run.open.set(false);
    let is_under_way = Memo::new(move |_| run.is_active());
    let actions = move || view! { <Actions run job /> };
    // Depends only on whether an export is running, so that progress does not rebuild the body.
    let body = move || match job {
        _ if is_under_way.get() => view! { <ExportProgress run /> }.into_any(),
        Some(job) => view! { <ExportOptions job /> }.into_any(),
        None => result_notice(run).into_any(),
    };
    view! {
        <Dialog open title=i18n::export().title on_close=close backdrop_closes=false actions>
            {body}
        </Dialog>
    }
}

/// Set of buttons that the dialog shows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DialogButtons {
    Options,
    Run,
    Resume,
    Restart,
    Close,
}

/// The buttons of the dialog. On a page without a list, `job` is `None`: an export that began
/// elsewhere can be resumed, and no new one started.
#[component]
fn Actions(run: ExportRun, job: Option<ExportJob>) -> impl IntoView {
    let buttons = Memo::new(move |_| {
        run.state.with(|state| match state {
            ExportState::Running(_) => DialogButtons::Run,
            ExportState::Paused(_) | ExportState::Failed(..)
                if state.current_progress().is_some() =>
            {
                DialogButtons::Resume
            }
            ExportState::Failed(..) if job.is_some() => DialogButtons::Restart,
            ExportState::Idle if job.is_some() => DialogButtons::Options,
            ExportState::Idle
            | ExportState::Paused(_)
            | ExportState::Failed(..)
            | ExportState::Done(..) => DialogButtons::Close,
        })
    });
    let button = move |label: &'static str, act: fn(ExportRun), primary: bool| {
        let variant = if primary { ButtonVariant::Primary } else { ButtonVariant::Plain };
        view! { <Button variant on_click=move |_| act(run)>{label}</Button> }.into_any()
    };
    let start = move |label: &'static str| {
        let press = move |_| {
            if let Some(job) = job {
                job.start_export();
            }
        };
        view! { <Button variant=ButtonVariant::Primary on_click=press>{label}</Button> }.into_any()
    };
    let texts = i18n::export();
    let common = i18n::common();
    let hide: fn(ExportRun) = |run| run.open.set(false);
    move || match buttons.get() {
        DialogButtons::Options => {
            vec![button(common.cancel, hide, false), start(texts.download)]
        }
        DialogButtons::Run => vec![
            button(texts.cancel, ExportRun::discard_export, false),
            button(texts.pause, ExportRun::pause_export, false),
            button(texts.hide, hide, true),
        ],
        DialogButtons::Resume => vec![
            button(texts.cancel, ExportRun::discard_export, false),
            button(common.resume, ExportRun::resume_export, true),
        ],
        DialogButtons::Restart => {
            vec![button(texts.cancel, ExportRun::discard_export, false), start(texts.try_again)]
        }
        DialogButtons::Close => vec![button(common.close, hide, true)],
    }
}
