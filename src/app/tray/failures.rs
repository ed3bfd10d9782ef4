//! What of a decision could not be deleted: each submission with its reason, a way to look at it,
//! and one to try it again. Many are drawn part by part.

use contract::{Filter, SubmissionId};
use leptos::{html, prelude::*};

use super::{
    view::{ACTS, hold_focus},
    work::Work,
};
use crate::{
    model::tray::Job,
    paths,
    stores::tray::Tray,
    texts,
    ui::{
        button::{ButtonSize, IconButton},
        icon::Glyph,
    },
};

/// Most failures that are drawn at once.
const DRAWN_MAX: usize = 50;

/// A failure as it is shown.
#[derive(Clone, PartialEq, Eq)]
struct Line {
    id: SubmissionId,
    title: String,
    href: String,
    why: String,
}

/// Those that are drawn, behind how many others, of so many.
#[derive(Clone, Default, PartialEq, Eq)]
struct Part {
    from: usize,
    lines: Vec<Line>,
    total: usize,
}

impl Part {
    fn of(job: &Job, tray: Tray, from: usize) -> Self {
        let total = job.failed.len();
        let from = from.min(total.saturating_sub(1) / DRAWN_MAX * DRAWN_MAX);
        // The card opens over the list that it was chosen from, as far as that is known.
        let filter = job.scope.as_ref().map_or_else(Filter::default, |one| one.filter.clone());
        let lines = job.failed.iter().skip(from).take(DRAWN_MAX).map(|one| Line {
            id: one.key.1.clone(),
            title: tray.title(&one.key.1),
            href: paths::card(job.environment, &job.form, &one.key.1, &filter),
            why: one.why.clone(),
        });
        Self { from, lines: lines.collect(), total }
    }

    fn end(&self) -> usize {
        self.from + self.lines.len()
    }
}

/// The failures of a decision, which can be folded away.
#[component]
pub fn Failures(
    /// The decision.
    id: u64,
    /// The tray.
    tray: Tray,
    /// The work.
    work: Work,
) -> impl IntoView {
    let from = RwSignal::new(0);
    let part = Memo::new(move |_| {
        let of = |jobs: &Vec<Job>| {
            let job = jobs.iter().find(|job| job.id == id);
            job.map(|job| Part::of(job, tray, from.get())).unwrap_or_default()
        };
        tray.jobs().with(of)
    });
    let place = NodeRef::<html::Details>::new();
    let any = move || {
        let any = part.with(|part| part.total > 0);
        if !any {
            hold_focus(place.get_untracked().map(Into::into), &[ACTS]);
        }
        any
    };
    let many = Memo::new(move |_| part.with(|part| part.total > DRAWN_MAX));
    let line = move |Line { id: submission, title, href, why }: Line| {
        let label = (texts::tray().retry_one)(&title);
        let retry = move |_| work.retry_one(id, &submission);
        view! {
            <li class="tray-failure">
                <span>
                    <a href=href>{title}</a>
                    " "
                    {why}
                </span>
                <IconButton icon=Glyph::Refresh label size=ButtonSize::Small on_click=retry />
            </li>
        }
    };
    let lines = Memo::new(move |_| part.with(|part| part.lines.clone()));
    let lines = move || {
        hold_focus(place.get_untracked().map(Into::into), &["summary"]);
        lines.get()
    };
    view! {
        <Show when=any>
            <details class="tray-failures" open node_ref=place>
                <summary>
                    {move || (texts::tray().not_deleted)(part.with(|part| part.total as u64))}
                </summary>
                <ul>
                    <For each=lines key=|line| (line.id.clone(), line.why.clone()) children=line />
                </ul>
                <Show when=move || many.get()>
                    <Turns part from />
                </Show>
            </details>
        </Show>
    }
}

/// What leads to the other failures, where not all are drawn.
#[component]
fn Turns(part: Memo<Part>, from: RwSignal<usize>) -> impl IntoView {
    let texts = texts::tray();
    let reason = |is_end: bool| is_end.then(|| texts.no_more_failures.to_owned());
    let shown = move || {
        part.with(|part| {
            (texts.failures_shown)(part.from as u64 + 1, part.end() as u64, part.total as u64)
        })
    };
    view! {
        <p class="tray-turns">
            <IconButton
                icon=Glyph::ChevronLeft
                label=texts.failures_before
                size=ButtonSize::Small
                disabled_reason=Signal::derive(move || reason(part.with(|part| part.from == 0)))
                on_click=move |_| from.set(part.get_untracked().from.saturating_sub(DRAWN_MAX))
            />
            <span>{shown}</span>
            <IconButton
                icon=Glyph::ChevronRight
                label=texts.failures_behind
                size=ButtonSize::Small
                disabled_reason=Signal::derive(move || {
                    reason(part.with(|part| part.end() == part.total))
                })
                on_click=move |_| from.set(part.get_untracked().end())
            />
        </p>
    }
}
