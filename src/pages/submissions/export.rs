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
pub mod worker;

use leptos::prelude::*;

use crate::{
    i18n,
    pages::submissions::{list_state::ListState, selection::SelectionState},
    ui::{
        button::{Button, ButtonVariant},
        dialog::Dialog,
        react,
    },
};
use asking::Asking;
use job::Job;
use run::{Run, Stage};
use running::Running;

/// The dialog. Closing it while an export runs only hides it.
#[component]
pub fn ExportDialog(
    /// Whether the dialog is open.
    open: RwSignal<bool>,
) -> impl IntoView {
    let (list, selection) = (expect_context::<ListState>(), expect_context::<SelectionState>());
    let job = Job::new(list, selection.ids());
    let run = job.run;
    react(move || {
        if open.get() {
            untrack(|| job.reset());
        } else {
            run.put_away();
        }
    });
    // After the effect above, which resets the options that the count depends on.
    job.count();
    let close = Callback::new(move |()| open.set(false));
    let is_under_way = Memo::new(move |_| run.is_at_work());
    let actions = move || view! { <Actions run job=Some(job) /> };
    view! {
        <Dialog open title=i18n::export().title on_close=close backdrop_closes=false actions>
            {move || {
                // Depends only on whether an export is running, so that progress does not rebuild
                // the body.
                if is_under_way.get() {
                    view! { <Running run /> }.into_any()
                } else {
                    view! { <Asking job /> }.into_any()
                }
            }}
        </Dialog>
    }
}

/// Buttons of each state.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Commands {
    Ask,
    Run,
    Pause,
    Fail,
    Close,
}

/// The buttons of the dialog. Without a list no export can be started.
#[component]
fn Actions(run: Run, job: Option<Job>) -> impl IntoView {
    let acts = Memo::new(move |_| {
        run.stage.with(|stage| match stage {
            Stage::Running(_) => Commands::Run,
            Stage::Paused(_) => Commands::Pause,
            Stage::Failed(..) if job.is_some() || stage.under_way().is_some() => Commands::Fail,
            Stage::Asking if job.is_some() => Commands::Ask,
            Stage::Asking | Stage::Failed(..) | Stage::Done(..) => Commands::Close,
        })
    });
    let button = move |label: &'static str, act: fn(Run), primary: bool| {
        let variant = if primary { ButtonVariant::Primary } else { ButtonVariant::Plain };
        view! { <Button variant on_click=move |_| act(run)>{label}</Button> }.into_any()
    };
    let main = move |label: &'static str, act: fn(Job)| {
        let press = move |_| match job {
            Some(job) => act(job),
            None => run.go_on(),
        };
        view! { <Button variant=ButtonVariant::Primary on_click=press>{label}</Button> }.into_any()
    };
    let (texts, common) = (i18n::export(), i18n::common());
    let hide: fn(Run) = |run| run.open.set(false);
    move || match acts.get() {
        Commands::Ask => vec![button(common.cancel, hide, false), main(texts.download, Job::start)],
        Commands::Run => vec![
            button(texts.cancel, Run::discard, false),
            button(texts.pause, Run::pause, false),
            button(texts.hide, hide, true),
        ],
        Commands::Pause => {
            vec![button(texts.cancel, Run::discard, false), button(common.go_on, Run::go_on, true)]
        }
        Commands::Fail => {
            vec![button(texts.cancel, Run::discard, false), main(texts.try_again, Job::try_again)]
        }
        Commands::Close => vec![button(common.close, hide, true)],
    }
}
