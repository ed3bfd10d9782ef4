//! The export: which submissions, as what, at what cost; then how far the worker is with the file,
//! and what a person must know of it. It writes nothing itself.

pub mod asking;
pub mod job;
pub mod left;
pub mod running;
pub mod task;
pub mod worker;

use contract::SubmissionId;
use leptos::prelude::*;

use crate::{
    pages::submissions::desk::Desk,
    texts,
    ui::{
        button::{Button, ButtonVariant},
        dialog::Dialog,
        react,
    },
};
use asking::Asking;
use job::{Job, Stage};
use running::Running;

/// The dialog. Closing it while an export runs hides it; the export goes on.
#[component]
pub fn ExportDialog(
    /// What is exported.
    desk: Desk,
    /// Whether it is shown.
    open: RwSignal<bool>,
    /// What of the list is selected.
    #[prop(into, optional)]
    selected: Signal<Vec<SubmissionId>>,
) -> impl IntoView {
    let job = Job::new(desk, open, selected);
    react(move || {
        if open.get() {
            untrack(|| job.reset());
        } else {
            untrack(|| job.put_away());
        }
    });
    let close = Callback::new(move |()| open.set(false));
    let is_under_way = Memo::new(move |_| {
        job.stage.with(|stage| matches!(stage, Stage::Running(_) | Stage::Paused(_)))
    });
    let actions = move || view! { <Actions job /> };
    view! {
        <Dialog open title=texts::export().title on_close=close backdrop_closes=false actions>
            {move || {
                // Only the kind of stage builds the body anew; progress moves inside.
                if is_under_way.get() {
                    view! { <Running job /> }.into_any()
                } else {
                    view! { <Asking job /> }.into_any()
                }
            }}
        </Dialog>
    }
}

/// What can be done at each stage.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Acts {
    Ask,
    Run,
    Pause,
    Fail,
    Close,
}

#[component]
fn Actions(job: Job) -> impl IntoView {
    let acts = Memo::new(move |_| {
        job.stage.with(|stage| match stage {
            Stage::Asking => Acts::Ask,
            Stage::Running(_) => Acts::Run,
            Stage::Paused(_) => Acts::Pause,
            Stage::Failed(..) => Acts::Fail,
            Stage::Done(..) => Acts::Close,
        })
    });
    let button = move |label: &'static str, act: fn(Job), primary: bool| {
        let variant = if primary { ButtonVariant::Primary } else { ButtonVariant::Plain };
        view! { <Button variant on_click=move |_| act(job)>{label}</Button> }.into_any()
    };
    let (texts, common) = (texts::export(), texts::common());
    let hide: fn(Job) = |job| job.open.set(false);
    move || match acts.get() {
        Acts::Ask => {
            vec![button(common.cancel, hide, false), button(texts.download, Job::start, true)]
        }
        Acts::Run => vec![
            button(texts.cancel, Job::discard, false),
            button(texts.pause, Job::pause, false),
            button(texts.hide, hide, true),
        ],
        Acts::Pause => {
            vec![button(texts.cancel, Job::discard, false), button(common.go_on, Job::go_on, true)]
        }
        Acts::Fail => vec![
            button(texts.cancel, Job::discard, false),
            button(texts.try_again, Job::go_on, true),
        ],
        Acts::Close => vec![button(common.close, hide, true)],
    }
}
