//! The insights page: charts of the filtered submissions over time, and of the frequency of values.
//!
//! The form and the filter are in the URL, which this page reads and updates.

pub mod chart_data;
pub mod load;
pub mod plots;

use contract::{Filter, Form};
use leptos::{
    html,
    prelude::*,
    task::{spawn_local, tick},
};
use leptos_router::{
    NavigateOptions,
    hooks::{use_navigate, use_url},
};

use crate::{
    api::{ApiError, Remote},
    components::{
        filter_bar::FilterBar,
        page::{Failure, Heading, Wait, explain, rescue_focus, use_title},
    },
    domain::{answers, commands::Command, filter},
    i18n, routes,
    state::{commands::Commands, session::SessionStore},
    ui::{
        badge::Tone,
        button::{Button, ButtonSize},
        chart::held::Held,
        empty::Empty,
        focus,
        icon::{Glyph, Icon},
        notice::Notice,
        react,
        skeleton::SkeletonLines,
    },
};
use load::{Figures, FiguresLoader, Source};
use plots::{Plots, drawings};

/// The insights page.
#[component]
pub fn Insights() -> impl IntoView {
    let (session, url, navigate) = (expect_context::<SessionStore>(), use_url(), use_navigate());
    let texts = i18n::insights();
    let read = Memo::new(move |_| url.with(|url| filter::read(url.search())));
    let filter = Memo::new(move |_| read.with(|read| read.filter.clone()));
    let source = Memo::new(move |_| {
        let place = url.with(|url| routes::place(url.path()));
        Some(Source { environment: place.environment?, form: place.form?, filter: filter.get() })
    });
    react(move || {
        if let Some(source) = source.get() {
            untrack(|| session.remember(source.environment, &source.form));
        }
    });
    let form = Memo::new(move |_| source.with(|it| session.form(&it.as_ref()?.form)));
    let name = Signal::derive(move || {
        source.with(|it| it.as_ref().map(|it| session.form_name(&it.form))).unwrap_or_default()
    });
    let title = Signal::derive(move || (texts.title)(&answers::isolated(name.get())));
    use_title(title);
    let figures = FiguresLoader::of(source, session);
    let filter_by = Callback::new(move |filter: Filter| {
        if let Some(Source { environment, form, .. }) = source.get_untracked() {
            let options = NavigateOptions { scroll: false, ..NavigateOptions::default() };
            navigate(&routes::insights(environment, &form, &filter), options);
        }
    });
    let list_href = move || {
        source.with(|it| {
            let list = |it: &Source| routes::list(it.environment, &it.form, &it.filter);
            it.as_ref().map(list).unwrap_or_default()
        })
    };
    let search_box = NodeRef::<html::Input>::new();
    expect_context::<Commands>().offer(&[Command::Search], move |_| {
        search_box.get_untracked().map(|input| focus(&input)).is_some()
    });
    view! {
        <div class="page">
            <header class="page-header">
                <Heading text=title place=name />
                <Status figures />
                <div class="page-actions">
                    <a class="button" data-variant="plain" data-size="medium" href=list_href>
                        <Icon glyph=Glyph::Form />
                        {i18n::common().submissions}
                    </a>
                </div>
            </header>
            <FilterBar
                filter
                problems=Signal::derive(move || read.with(|read| read.problems.clone()))
                busy=figures.busy()
                on_change=filter_by
                search_box
                form=Signal::derive(move || source.with(|it| it.as_ref().map(|it| it.form.clone())))
            />
            <Body figures filter form on_filter=filter_by />
        </div>
    }
}

/// How many submissions the figures cover, and a countdown while the rate limit delays them.
#[component]
fn Status(figures: FiguresLoader) -> impl IntoView {
    let text = move || {
        figures.known().with(|known| match known {
            Remote::Loaded(Figures { summary, of: Some(of), .. }) => {
                (i18n::insights().over)(summary.total, *of)
            }
            Remote::Loaded(Figures { summary, .. }) => {
                (i18n::common().submission_count)(summary.total)
            }
            Remote::Loading | Remote::Failed(_) => String::new(),
        })
    };
    let waits = move || {
        let seconds = figures.known().with(|known| match known {
            Remote::Loaded(Figures { waits_s, .. }) => *waits_s,
            _ => None,
        });
        seconds.map(|seconds| view! { <Wait retry_after_s=Some(seconds) on_end=|()| () /> })
    };
    view! {
        <span class="page-count" role="status">
            {text}
        </span>
        {waits}
    }
}

/// Content below the filter.
#[derive(Clone, PartialEq)]
enum Stands {
    Loading,
    Failed(ApiError),
    /// No submissions, under a filter or at all.
    Nothing {
        filtered: bool,
    },
    Plots,
}

/// The charts, or their placeholder. A chart that remains keeps its elements when figures change.
#[component]
fn Body(
    figures: FiguresLoader,
    filter: Memo<Filter>,
    form: Memo<Option<Form>>,
    on_filter: Callback<Filter>,
) -> impl IntoView {
    let known = keeping_focus(figures.known());
    let stands = Memo::new(move |_| {
        known.with(|known| match known {
            Remote::Loading => Stands::Loading,
            Remote::Failed(error) => Stands::Failed(error.clone()),
            Remote::Loaded(Figures { summary, .. }) if summary.total == 0 => {
                Stands::Nothing { filtered: !filter.with(Filter::is_empty) }
            }
            Remote::Loaded(_) => Stands::Plots,
        })
    });
    let drawings = Memo::new(move |_| {
        known.with(|known| {
            let Remote::Loaded(Figures { summary, fields: told, .. }) = known else {
                return Vec::new();
            };
            form.with(|form| {
                let fields = form.as_ref().map(|form| &form.fields).filter(|it| !it.is_empty());
                drawings(summary, fields.unwrap_or(told))
            })
        })
    });
    move || match stands.get() {
        Stands::Loading => {
            view! { <SkeletonLines lines=12 label=i18n::insights().loading /> }.into_any()
        }
        Stands::Failed(error) => {
            let what = i18n::insights().what;
            view! { <Failure error what on_retry=move |()| figures.retry() /> }.into_any()
        }
        Stands::Nothing { filtered } => nothing(filtered, on_filter),
        Stands::Plots => view! {
            <Halted figures />
            <Plots drawings filter on_filter />
        }
        .into_any(),
    }
}

/// The error that stopped further loading, with a button to continue.
#[component]
fn Halted(figures: FiguresLoader) -> impl IntoView {
    let failed = Memo::new(move |_| match figures.known().get() {
        Remote::Loaded(Figures { failed, .. }) => failed,
        Remote::Loading | Remote::Failed(_) => None,
    });
    let retry = move |_| figures.retry();
    move || {
        let error = failed.get()?;
        let says = (i18n::failures().not_loaded)(i18n::insights().rest);
        Some(view! {
            <Notice tone=Tone::Negative>
                <p>{says} ". " {explain(&error)}</p>
                <Button size=ButtonSize::Small icon=Glyph::Refresh on_click=retry>
                    {i18n::common().retry}
                </Button>
            </Notice>
        })
    }
}

/// Returns a copy of the signal that keeps the focus: it saves the focus before each update and
/// restores it after the render.
fn keeping_focus(known: Signal<Remote<Figures>>) -> RwSignal<Remote<Figures>> {
    let shown = RwSignal::new(known.get_untracked());
    react(move || {
        let (known, held) = (known.get(), Held::now());
        shown.set(known);
        let Some(held) = held else { return };
        spawn_local(async move {
            tick().await;
            held.give_back();
            rescue_focus().await;
        });
    });
    shown
}

fn nothing(filtered: bool, on_filter: Callback<Filter>) -> AnyView {
    let (texts, common) = (i18n::insights(), i18n::common());
    if !filtered {
        let title = common.no_submissions_yet;
        return view! { <Empty icon=Glyph::Form title text=texts.none_text /> }.into_any();
    }
    let clear = move |_| on_filter.run(Filter::default());
    view! {
        <Empty icon=Glyph::Search title=common.no_submissions_match text=texts.no_match_text>
            <Button on_click=clear>{common.clear_filters}</Button>
        </Empty>
    }
    .into_any()
}
