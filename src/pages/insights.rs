//! The insights page: charts of the filtered submissions over time, and of the frequency of values.
//!
//! The form and the filter are in the URL, which this page reads and updates.

pub mod chart_data;
pub mod distributions;
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
        occurring_values::ValuesSource,
        page::{Failure, Heading, Wait, explain_error, rescue_focus, use_title},
    },
    domain::{answers, commands::Command},
    i18n, routes,
    state::{commands::Commands, session::SessionStore},
    ui::{
        badge::StatusTone,
        button::{Button, ButtonSize},
        chart::saved_focus::SavedFocus,
        empty::Empty,
        focus,
        icon::{Glyph, Icon},
        notice::Notice,
        run_effect,
        skeleton::SkeletonLines,
    },
};
use distributions::distribution_charts;
use load::{Figures, FiguresLoader, FiguresSource};
use plots::{Charts, summary_charts};

/// The insights page.
#[component]
pub fn Insights() -> impl IntoView {
    let session = expect_context::<SessionStore>();
    let url = use_url();
    let navigate = use_navigate();
    let texts = i18n::insights();
    let read = Memo::new(move |_| url.with(|url| session.parse_filter(url.search())));
    let filter = Memo::new(move |_| read.with(|read| read.filter.clone()));
    let source = Memo::new(move |_| {
        let params = url.with(|url| routes::parse_path(url.path()));
        Some(FiguresSource {
            environment: params.environment?,
            form: params.form?,
            filter: filter.get(),
        })
    });
    run_effect(move || {
        if let Some(source) = source.get() {
            untrack(|| session.remember_form(source.environment, &source.form));
        }
    });
    let form = Memo::new(move |_| source.with(|source| session.form(&source.as_ref()?.form)));
    let form_id = Signal::derive(move || {
        source.with(|source| source.as_ref().map(|source| source.form.clone()))
    });
    let name = Signal::derive(move || {
        source
            .with(|source| source.as_ref().map(|source| session.form_name(&source.form)))
            .unwrap_or_default()
    });
    let title = Signal::derive(move || (texts.title)(&answers::isolate_bidi(name.get())));
    use_title(title);
    // Not the name, which may arrive while the user types.
    let page_key = Signal::derive(move || form_id.get().map(String::from).unwrap_or_default());
    let figures = FiguresLoader::follow_source(source, session);
    let filter_by = Callback::new(move |filter: Filter| {
        if let Some(FiguresSource { environment, form, .. }) = source.get_untracked() {
            let options = NavigateOptions { scroll: false, ..NavigateOptions::default() };
            navigate(&routes::insights_url(environment, &form, &filter), options);
        }
    });
    let list_href = move || {
        source.with(|source| {
            let list = |source: &FiguresSource| {
                routes::list_url(source.environment, &source.form, &source.filter)
            };
            source.as_ref().map(list).unwrap_or_default()
        })
    };
    let search_box = NodeRef::<html::Input>::new();
    expect_context::<Commands>().register(&[Command::Search], move |_| {
        search_box.get_untracked().map(|input| focus(&input)).is_some()
    });
    view! {
        <div class="page">
            <header class="page-header">
                <Heading text=title page_key />
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
                busy=figures.is_busy()
                on_change=filter_by
                search_box
                source=Signal::derive(move || form_id.get().map(ValuesSource::Form))
            />
            <Body figures filter form on_filter=filter_by />
        </div>
    }
}

/// How many submissions the figures cover, and a countdown while the rate limit delays them.
#[component]
fn Status(figures: FiguresLoader) -> impl IntoView {
    let text = move || {
        figures.figures().with(|known| match known {
            Remote::Loaded(Figures { summary, total: Some(of), .. }) => {
                (i18n::insights().over)(summary.total, *of)
            }
            Remote::Loaded(Figures { summary, .. }) => {
                (i18n::common().submission_count)(summary.total)
            }
            Remote::Loading | Remote::Failed(_) => String::new(),
        })
    };
    let is_waiting = move || {
        let seconds = figures.figures().with(|known| match known {
            Remote::Loaded(Figures { waits_s, .. }) => *waits_s,
            _ => None,
        });
        seconds.map(|seconds| view! { <Wait retry_after_s=Some(seconds) on_end=|()| () /> })
    };
    view! {
        <span class="page-count" role="status">
            {text}
        </span>
        {is_waiting}
    }
}

/// Content below the filter.
#[derive(Clone, PartialEq)]
enum InsightsView {
    Loading,
    Failed(ApiError),
    /// No submissions, under a filter or at all.
    Empty {
        filtered: bool,
    },
    Charts,
}

/// The charts, or their placeholder. A chart that remains keeps its elements when figures change.
#[component]
fn Body(
    figures: FiguresLoader,
    filter: Memo<Filter>,
    form: Memo<Option<Form>>,
    on_filter: Callback<Filter>,
) -> impl IntoView {
    let known = with_restored_focus(figures.figures());
    let content = Memo::new(move |_| {
        known.with(|known| match known {
            Remote::Loading => InsightsView::Loading,
            Remote::Failed(error) => InsightsView::Failed(error.clone()),
            Remote::Loaded(Figures { summary, .. }) if summary.total == 0 => {
                InsightsView::Empty { filtered: !filter.with(Filter::is_empty) }
            }
            Remote::Loaded(_) => InsightsView::Charts,
        })
    });
    let session = expect_context::<SessionStore>();
    let supports = Memo::new(move |_| {
        let capabilities = session.capabilities();
        (capabilities.filters_properties, capabilities.triage)
    });
    let drawings = Memo::new(move |_| {
        known.with(|known| {
            let Remote::Loaded(Figures { summary, distributions, fields: found_fields, .. }) =
                known
            else {
                return Vec::new();
            };
            form.with(|form| {
                let fields =
                    form.as_ref().map(|form| &form.fields).filter(|fields| !fields.is_empty());
                let fields = fields.unwrap_or(found_fields);
                let mut charts = summary_charts(summary, fields, supports.get());
                if let Some(distributions) = distributions {
                    charts.extend(distribution_charts(distributions, fields));
                }
                charts
            })
        })
    });
    move || match content.get() {
        InsightsView::Loading => {
            view! { <SkeletonLines lines=12 label=i18n::insights().loading /> }.into_any()
        }
        InsightsView::Failed(error) => {
            let object = i18n::insights().what;
            view! { <Failure error object on_retry=move |()| figures.retry() /> }.into_any()
        }
        InsightsView::Empty { filtered } => empty_view(filtered, on_filter),
        InsightsView::Charts => view! {
            <FiguresError figures />
            <Charts drawings filter on_filter />
        }
        .into_any(),
    }
}

/// The error that stopped further loading, with a button to continue.
#[component]
fn FiguresError(figures: FiguresLoader) -> impl IntoView {
    let failed = Memo::new(move |_| match figures.figures().get() {
        Remote::Loaded(Figures { error: failed, .. }) => failed,
        Remote::Loading | Remote::Failed(_) => None,
    });
    let retry = move |_| figures.retry();
    move || {
        let error = failed.get()?;
        let says = (i18n::failures().not_loaded)(i18n::insights().rest);
        Some(view! {
            <Notice tone=StatusTone::Negative>
                <p>{says} ". " {explain_error(&error)}</p>
                <Button size=ButtonSize::Small icon=Glyph::Refresh on_click=retry>
                    {i18n::common().retry}
                </Button>
            </Notice>
        })
    }
}

/// Returns a copy of the signal that keeps the focus: it saves the focus before each update and
/// restores it after the render.
fn with_restored_focus(known: Signal<Remote<Figures>>) -> RwSignal<Remote<Figures>> {
    let shown = RwSignal::new(known.get_untracked());
    run_effect(move || {
        let known = known.get();
        let saved_focus = SavedFocus::capture();
        shown.set(known);
        let Some(saved_focus) = saved_focus else { return };
        spawn_local(async move {
            tick().await;
            saved_focus.restore();
            rescue_focus().await;
        });
    });
    shown
}

fn empty_view(filtered: bool, on_filter: Callback<Filter>) -> AnyView {
    let texts = i18n::insights();
    let common = i18n::common();
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
