//! The export: which submissions, as what, safe for spreadsheets or not; then the file. What the
//! specified export can say, the server writes; exactly the filtered list is written here.

use contract::{ExportFormat, ExportQuery, Filter};
use leptos::{prelude::*, task::spawn_local};
use web_sys::Blob;

use super::{
    calendar,
    desk::Desk,
    list::Source,
    save::save,
    walk::{Progress, Task, Walk},
};
use crate::{
    api::{self, Abort, ApiError},
    model::{
        export::{Scope, Way, Wish, file_name, way},
        time::{span, write_day},
    },
    page::{Wait, explain, number},
    stores::toasts::Toasts,
    ui::{
        badge::Tone,
        button::{Button, ButtonVariant},
        dialog::Dialog,
        field::{CheckField, Choice, RadioField},
        notice::Notice,
        progress::ProgressBar,
        react,
        time::clock,
    },
};

/// What an export is at.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Stage {
    Asking,
    /// The server writes.
    Serving,
    /// The browser writes.
    Walking(Progress),
    Failed(ApiError),
    /// The file is saved, but holds fewer rows than the list has.
    Short(Progress),
}

/// An export under way; cheap to copy.
#[derive(Clone, Copy)]
struct Job {
    desk: Desk,
    open: RwSignal<bool>,
    stage: RwSignal<Stage>,
    wish: RwSignal<Wish>,
    abort: StoredValue<Option<Abort>, LocalStorage>,
    /// A walk that failed and can go on.
    walk: StoredValue<Option<Walk>, LocalStorage>,
    /// Tells a job from one that was given up.
    number: StoredValue<u32>,
    toasts: Toasts,
}

impl Job {
    fn new(desk: Desk, open: RwSignal<bool>) -> Self {
        let wish = Wish { scope: Scope::Form, format: ExportFormat::Csv, safe: true };
        let job = Self {
            desk,
            open,
            stage: RwSignal::new(Stage::Asking),
            wish: RwSignal::new(wish),
            abort: StoredValue::new_local(None),
            walk: StoredValue::new_local(None),
            number: StoredValue::new(0),
            toasts: expect_context(),
        };
        on_cleanup(move || job.give_up());
        job
    }

    /// Begins the dialog anew, with the narrowest scope chosen: what is on view.
    fn reset(self) {
        self.give_up();
        let scopes = self.desk.filter.with_untracked(Scope::offered);
        self.wish.update(|wish| wish.scope = scopes.last().copied().unwrap_or(Scope::Form));
        self.stage.set(Stage::Asking);
    }

    fn give_up(self) {
        self.number.try_update_value(|number| *number += 1);
        self.abort.try_update_value(Option::take);
        self.walk.try_update_value(Option::take);
    }

    fn is_running(self) -> bool {
        self.stage.with(|stage| matches!(stage, Stage::Serving | Stage::Walking(_)))
    }

    fn start(self) {
        let Some(source) = self.desk.source.get_untracked() else { return };
        let filter = self.desk.filter.get_untracked();
        let managed = untrack(|| self.desk.session.is_managed());
        match way(self.wish.get_untracked(), &filter, managed) {
            Way::Server(query) => self.serve(source, query),
            Way::Walk(query) => {
                if let Some(walk) = self.walk.try_update_value(Option::take).flatten() {
                    return self.go_on(walk);
                }
                let plan = untrack(|| self.desk.session.session()).map(|one| one.account.plan);
                let Source { environment, form, .. } = source;
                let fields = managed.then(|| self.desk.fields.get_untracked());
                let plan = plan.unwrap_or(contract::Plan::Free);
                match Walk::new(Task { environment, form, fields, query, plan }) {
                    Ok(walk) => self.go_on(walk),
                    Err(error) => self.stage.set(Stage::Failed(error)),
                }
            }
        }
    }

    /// Returns a signal for a new attempt, and its number.
    fn attempt(self) -> (Option<web_sys::AbortSignal>, u32) {
        let abort = Abort::default();
        let signal = abort.signal();
        self.abort.set_value(Some(abort));
        self.number.update_value(|number| *number += 1);
        (signal, self.number.get_value())
    }

    fn is_current(self, number: u32) -> bool {
        self.number.try_get_value() == Some(number)
    }

    fn serve(self, source: Source, query: ExportQuery) {
        let (signal, attempt) = self.attempt();
        self.stage.set(Stage::Serving);
        spawn_local(async move {
            let Source { environment, form, .. } = source;
            let answer = api::export(environment, &form, &query, signal.as_ref()).await;
            if self.is_current(attempt) {
                match answer {
                    Ok(file) => self.done(&file, query.format, None),
                    Err(error) => self.fail(error),
                }
            }
        });
    }

    fn go_on(self, mut walk: Walk) {
        let (signal, attempt) = self.attempt();
        self.stage.set(Stage::Walking(Progress::default()));
        spawn_local(async move {
            let tell = |progress| {
                if self.is_current(attempt) {
                    self.stage.try_set(Stage::Walking(progress));
                }
            };
            let outcome = walk.run(signal.as_ref(), tell).await;
            if !self.is_current(attempt) {
                return;
            }
            let format = self.wish.get_untracked().format;
            match outcome {
                Ok(()) => match walk.finish() {
                    Ok((file, progress)) => self.done(&file, format, Some(progress)),
                    Err(error) => self.fail(error),
                },
                Err(error) => {
                    self.walk.try_set_value(Some(walk));
                    self.fail(error);
                }
            }
        });
    }

    fn fail(self, error: ApiError) {
        if error != ApiError::Aborted {
            self.desk.session.notice(&error);
            self.stage.try_set(Stage::Failed(error));
        }
    }

    fn done(self, file: &Blob, format: ExportFormat, progress: Option<Progress>) {
        let day = calendar::today().map(write_day).unwrap_or_default();
        let name = file_name(&untrack(|| self.desk.form_name()), &day, format);
        if !save(file, &name) {
            let refused = "the browser refused to save the file".to_owned();
            return self.fail(ApiError::Decode(refused));
        }
        let short = progress.filter(|one| one.total.is_some_and(|total| one.written < total));
        if let Some(short) = short {
            self.stage.set(Stage::Short(short));
            return;
        }
        let rows = progress.map(|one| match one.written {
            1 => "1 submission".to_owned(),
            rows => format!("{} submissions", number(rows)),
        });
        self.toasts.done(match rows {
            Some(rows) => format!("Exported {rows} to {name}"),
            None => format!("Exported to {name}"),
        });
        self.open.set(false);
    }
}

/// The dialog.
#[component]
pub fn ExportDialog(
    /// What is exported.
    desk: Desk,
    /// Whether it is shown.
    open: RwSignal<bool>,
) -> impl IntoView {
    let job = Job::new(desk, open);
    react(move || {
        if open.get() {
            untrack(|| job.reset());
        } else {
            job.give_up();
        }
    });
    let close = Callback::new(move |()| open.set(false));
    let actions = move || {
        let cancel = move |_| close.run(());
        view! {
            <Button on_click=cancel>
                {move || match job.stage.get() {
                    Stage::Short(_) => "Close",
                    _ => "Cancel",
                }}
            </Button>
            <Show when=move || !job.stage.with(|stage| matches!(stage, Stage::Short(_)))>
                <Button
                    variant=ButtonVariant::Primary
                    busy=Signal::derive(move || job.is_running())
                    on_click=move |_| job.start()
                >
                    {move || match job.stage.get() {
                        Stage::Failed(_) => "Try again",
                        _ => "Download",
                    }}
                </Button>
            </Show>
        }
    };
    view! {
        <Dialog open title="Export submissions" on_close=close backdrop_closes=false actions>
            {move || {
                // Only the kind of stage builds the body anew; progress moves inside.
                if job.is_running() {
                    view! { <Running job /> }.into_any()
                } else {
                    view! { <Asking job /> }.into_any()
                }
            }}
        </Dialog>
    }
}

fn scope_choice(scope: Scope, filter: &Filter, total: Option<u64>) -> Choice {
    match scope {
        Scope::Form => Choice::new(scope.as_str(), "The whole form"),
        Scope::Dates => {
            let from = filter.date_from.map(|at| calendar::bound_text(at, false));
            let to = filter.date_to.map(|at| calendar::bound_text(at, true));
            let range = match (from, to) {
                (Some(from), Some(to)) => format!("{from} to {to}"),
                (Some(from), None) => format!("Since {from}"),
                (None, to) => format!("Until {}", to.unwrap_or_default()),
            };
            Choice::new(scope.as_str(), "The date range").hint(range)
        }
        Scope::Filtered => {
            let count = total.map(|total| format!(" ({})", number(total))).unwrap_or_default();
            Choice::new(scope.as_str(), format!("Exactly this filtered list{count}"))
                .hint("Read page by page, no faster than your plan allows")
        }
    }
}

/// What makes a CSV safe.
const SAFE_HINT: &str = "Puts ' before text that a spreadsheet would run as a formula. Take it off \
                         for the exact text.";

/// What is asked before, and said after.
#[component]
fn Asking(job: Job) -> impl IntoView {
    let wish = job.wish;
    let scopes = move || {
        let filter = job.desk.filter.get();
        let offered = Scope::offered(&filter);
        let total = job.desk.list.total().get();
        // One is no choice.
        if offered.len() == 1 {
            return view! { <p>"The whole form. To export less, filter the list first."</p> }
                .into_any();
        }
        let choices = offered.iter().map(|scope| scope_choice(*scope, &filter, total)).collect();
        let choose = move |value: String| {
            let scope = offered.iter().find(|scope| scope.as_str() == value);
            wish.update(|wish| wish.scope = scope.copied().unwrap_or(wish.scope));
        };
        view! {
            <RadioField
                label="Submissions"
                value=Signal::derive(move || wish.get().scope.as_str().to_owned())
                choices
                on_change=choose
            />
        }
        .into_any()
    };
    let formats = vec![
        Choice::new("csv", "CSV").hint("For spreadsheets: a row a submission"),
        Choice::new("json", "JSON").hint("For programs: everything, as the API gives it"),
    ];
    let choose_format = move |value: String| {
        let format = if value == "json" { ExportFormat::Json } else { ExportFormat::Csv };
        wish.update(|wish| wish.format = format);
    };
    view! {
        {move || outcome(job)}
        {scopes}
        <RadioField
            label="Format"
            value=Signal::derive(move || wish.get().format.as_str().to_owned())
            choices=formats
            on_change=choose_format
        />
        <Show when=move || wish.get().format == ExportFormat::Csv>
            <CheckField
                label="Safe for spreadsheets"
                hint=SAFE_HINT
                checked=Signal::derive(move || wish.get().safe)
                on_change=move |safe| wish.update(|wish| wish.safe = safe)
            />
        </Show>
    }
}

/// Says what became of the last attempt.
fn outcome(job: Job) -> Option<AnyView> {
    match job.stage.get() {
        Stage::Failed(ApiError::Status { status: 429, retry_after_s, .. }) => {
            let on_end = move |()| job.start();
            let wait = view! {
                <Notice tone=Tone::Info>"Too many requests." <Wait retry_after_s on_end /></Notice>
            };
            Some(wait.into_any())
        }
        Stage::Failed(error) => {
            Some(view! { <Notice tone=Tone::Negative>{explain(&error)}</Notice> }.into_any())
        }
        Stage::Short(progress) => {
            let text = format!(
                "The file was saved with {} of {} submissions: the others were deleted while it \
                 was written. Export again if that surprises you.",
                number(progress.written),
                number(progress.total.unwrap_or_default())
            );
            Some(view! { <Notice tone=Tone::Mixed>{text}</Notice> }.into_any())
        }
        Stage::Asking | Stage::Serving | Stage::Walking(_) => None,
    }
}

/// How far it is.
#[component]
fn Running(job: Job) -> impl IntoView {
    let progress = Signal::derive(move || match job.stage.get() {
        Stage::Walking(progress) => Some(progress),
        _ => None,
    });
    #[expect(clippy::cast_precision_loss, reason = "counts lie far below 2^52")]
    let share = Signal::derive(move || {
        let one = progress.get()?;
        let total = one.total.filter(|total| *total > 0)?;
        Some(one.written as f64 / total as f64)
    });
    let text = move || match progress.get() {
        None => "The server is writing the file".to_owned(),
        Some(Progress { waits_s: Some(seconds), .. }) => {
            let wait = clock(u32::try_from(seconds).unwrap_or(u32::MAX));
            format!("The rate limit is reached; goes on by itself in {wait}")
        }
        Some(Progress { written, total: Some(total), left_ms, .. }) => {
            let left = left_ms
                .filter(|left| *left >= 1000)
                .map(|left| format!(", about {} left", span(left.div_ceil(1000))));
            format!("{} of {}{}", number(written), number(total), left.unwrap_or_default())
        }
        Some(_) => "Reading the first page".to_owned(),
    };
    view! {
        <ProgressBar label="Export" value=share />
        <p role="status">{text}</p>
    }
}
