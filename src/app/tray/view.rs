//! The tray as it is seen: each decision, how long it can be taken back, how far it is, and what
//! failed. Closing the window while something waits is asked about.

use leptos::{ev, html, prelude::*, task::spawn_local};
use web_sys::Element;

use super::{
    failures::Failures,
    work::{Pause, Work},
};
use crate::{
    model::{
        keys::Act,
        time::span,
        tray::{Job, pace},
    },
    page::rescue_focus,
    stores::{acts::Acts, tray::Tray},
    texts,
    ui::{
        badge::Tone,
        button::{Button, ButtonSize, ButtonVariant},
        focus,
        icon::{Glyph, Icon},
        notice::Notice,
        progress::ProgressBar,
    },
};

/// The tray.
#[component]
pub fn TrayView() -> impl IntoView {
    let (tray, work) = (expect_context::<Tray>(), Work::begin());
    let jobs = tray.jobs();
    listen(tray);
    let section = NodeRef::<html::Section>::new();
    let ids = move || {
        hold_focus(section.get_untracked().map(Into::into), &[]);
        jobs.with(|jobs| jobs.iter().map(|job| job.id).collect::<Vec<_>>())
    };
    let any = move || {
        hold_focus(section.get_untracked().map(Into::into), &[]);
        jobs.with(|jobs| !jobs.is_empty())
    };
    view! {
        <p class="visually-hidden" role="status">
            {move || announced(&jobs.get())}
        </p>
        <Show when=any>
            <section class="tray" aria-label=texts::tray().deletions node_ref=section>
                <For each=ids key=|id| *id let(id)>
                    <Entry id tray work />
                </For>
            </section>
        </Show>
    }
}

/// What can be done with a decision.
pub const ACTS: &str = ".tray-acts button";

/// Looks after the focus where it is in `part`, which is about to be drawn anew or to go: it moves
/// to the first of these in its decision that is there, and else to the heading.
pub fn hold_focus(part: Option<Element>, next: &'static [&'static str]) {
    let active = document().active_element();
    let Some(part) = part.filter(|part| part.contains(active.as_deref())) else { return };
    let entry = part.closest(".tray-entry").ok().flatten();
    spawn_local(async move {
        leptos::task::tick().await;
        if document().active_element().is_some_and(|active| active.tag_name() != "BODY") {
            return;
        }
        let find =
            |entry: Element| next.iter().find_map(|one| entry.query_selector(one).ok().flatten());
        match entry.filter(|entry| entry.is_connected()).and_then(find) {
            Some(found) => focus(&found),
            None => rescue_focus().await,
        }
    });
}

/// What is told once, when the last decision was made: a clock that is read aloud helps nobody.
fn announced(jobs: &[Job]) -> Option<String> {
    let job = jobs.last().filter(|job| job.done == 0 && job.failed.is_empty())?;
    Some((texts::tray().announced)(job.total()))
}

/// What can be taken back, and what is asked of whoever leaves.
fn listen(tray: Tray) {
    expect_context::<Acts>().offer(&[Act::Undo], move |_| {
        let last = tray.jobs().with_untracked(|jobs| jobs.last().map(|job| job.id));
        last.map(|id| tray.undo(id)).is_some()
    });
    let leave = window_event_listener(ev::beforeunload, move |event| {
        if tray.jobs().with_untracked(|jobs| jobs.iter().any(Job::is_under_way)) {
            event.prevent_default();
        }
    });
    on_cleanup(move || leave.remove());
}

/// How a decision stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stand {
    Waits,
    Runs,
    Failed,
}

/// What is shown of a decision.
#[derive(Clone, PartialEq, Eq)]
struct Shown {
    done: u64,
    open: u64,
    total: u64,
    due_ms: u64,
    goes_on: bool,
    failed: u64,
    unkept: bool,
}

impl Shown {
    fn of(job: &Job) -> Self {
        let (open, total, goes_on) = (job.open(), job.total(), job.is_under_way());
        Self {
            done: job.done,
            open,
            total,
            due_ms: job.due_ms,
            goes_on,
            failed: job.failed.len() as u64,
            unkept: job.unkept,
        }
    }
}

#[component]
fn Entry(id: u64, tray: Tray, work: Work) -> impl IntoView {
    let job = Memo::new(move |_| {
        tray.jobs().with(|jobs| jobs.iter().find(|job| job.id == id).map(Shown::of))
    });
    let left_s = Memo::new(move |_| {
        let due_ms = job.with(|job| job.as_ref().map_or(0, |job| job.due_ms));
        due_ms.saturating_sub(work.now_ms.get()).div_ceil(1000)
    });
    let stand = Memo::new(move |_| {
        job.with(|job| match job {
            Some(job) if !job.goes_on => Stand::Failed,
            _ if left_s.get() > 0 => Stand::Waits,
            _ => Stand::Runs,
        })
    });
    let text = move || {
        // What others follow from is read before them: what a memo that stays as it is has looked
        // at counts as seen, and whoever reads that later hears of no change.
        let job = job.get();
        let (left_s, stand) = (left_s.get(), stand.get());
        job.as_ref().map(|job| told(job, stand, left_s))
    };
    let share = Signal::derive(move || {
        #[expect(clippy::cast_precision_loss, reason = "counts lie far below 2^52")]
        let share = |job: &Shown| job.done as f64 / job.total.max(1) as f64;
        job.with(|job| job.as_ref().map(share))
    });
    // What was decided before goes before.
    let requests = Memo::new(move |_| {
        let until = |jobs: &Vec<Job>| jobs.iter().position(|job| job.id == id).map(|at| at + 1);
        tray.jobs().with(|jobs| pace::requests(jobs.iter().take(until(jobs).unwrap_or_default())))
    });
    let unkept = Memo::new(move |_| {
        job.with(|job| job.as_ref().is_some_and(|job| job.unkept && job.goes_on))
    });
    let place = NodeRef::<html::Div>::new();
    let acts = move || {
        let stand = stand.get();
        hold_focus(place.get_untracked().map(Into::into), &[ACTS]);
        acts(stand, id, tray, &work)
    };
    view! {
        <div class="tray-entry">
            <Icon glyph=Glyph::Trash />
            <p class="tray-text">{text}</p>
            <div class="tray-acts" node_ref=place>
                {acts}
            </div>
            <Show when=move || stand.get() == Stand::Runs>
                <ProgressBar label=texts::tray().deleting value=share />
                <p class="tray-note">
                    {move || held_up(&work).or_else(|| work.left_text(requests.get()))}
                </p>
            </Show>
            <Show when=move || unkept.get()>
                <Notice tone=Tone::Mixed>{texts::tray().forgetful}</Notice>
            </Show>
            <Failures id tray work />
        </div>
    }
}

fn told(job: &Shown, stand: Stand, left_s: u64) -> String {
    let texts = texts::tray();
    match stand {
        Stand::Waits if job.done == 0 => (texts.waits)(job.open, left_s),
        Stand::Waits => (texts.waits_rest)(job.open, left_s),
        Stand::Runs => (texts.runs)(job.done, job.total),
        Stand::Failed if job.open == 0 => (texts.failed)(job.failed),
        Stand::Failed => (texts.stopped)(job.done, job.total),
    }
}

fn acts(stand: Stand, id: u64, tray: Tray, work: &Work) -> AnyView {
    let work = *work;
    let button = |label: &'static str, variant: ButtonVariant, act: Box<dyn Fn() + Send + Sync>| {
        view! {
            <Button size=ButtonSize::Small variant on_click=move |_| act()>
                {label}
            </Button>
        }
        .into_any()
    };
    let (undo, texts) = (move || tray.undo(id), texts::tray());
    match stand {
        Stand::Waits => vec![
            button(texts.delete_now, ButtonVariant::Ghost, Box::new(move || work.hurry(id))),
            button(texts::common().undo, ButtonVariant::Plain, Box::new(undo)),
        ],
        Stand::Runs => vec![button(texts.keep_rest, ButtonVariant::Plain, Box::new(undo))],
        Stand::Failed => vec![
            button(texts.keep, ButtonVariant::Ghost, Box::new(undo)),
            button(texts::common().retry, ButtonVariant::Plain, Box::new(move || work.retry(id))),
        ],
    }
    .into_any()
}

/// What holds everything up, in words.
fn held_up(work: &Work) -> Option<String> {
    if !work.ours.get() {
        return Some(texts::tray().another_tab.to_owned());
    }
    match work.pause.get()? {
        Pause::Offline => Some(texts::tray().offline.to_owned()),
        Pause::SessionEnded => Some(texts::tray().session_ended.to_owned()),
        Pause::Limit(until_ms) => {
            let wait_s = until_ms.saturating_sub(work.now_ms.get()).div_ceil(1000);
            Some((texts::tray().rate_limit)(&span(wait_s.max(1))))
        }
    }
}
