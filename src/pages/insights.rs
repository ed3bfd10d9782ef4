//! What a filtered result says as a whole: when submissions came, and which values occur how often.
//!
//! The URL says which form and which filter; this page follows it and writes it.

pub mod load;
pub mod plots;

use contract::{Filter, Form};
use leptos::{html, prelude::*};
use leptos_router::{
    NavigateOptions,
    hooks::{use_navigate, use_url},
};

use crate::{
    model::{filter, keys::Act},
    page::{Failure, Heading, Wait, use_title},
    paths,
    shared::filter_bar::FilterBar,
    stores::{acts::Acts, session::SessionStore},
    texts,
    ui::{
        button::Button,
        empty::Empty,
        focus,
        icon::{Glyph, Icon},
        react,
        skeleton::SkeletonLines,
    },
};
use load::{Figures, Known, Source};
use plots::plots;

/// The page.
#[component]
pub fn Insights() -> impl IntoView {
    let (session, url, navigate) = (expect_context::<SessionStore>(), use_url(), use_navigate());
    let texts = texts::insights();
    let read = Memo::new(move |_| url.with(|url| filter::read(url.search())));
    let filter = Memo::new(move |_| read.with(|read| read.filter.clone()));
    let source = Memo::new(move |_| {
        let place = url.with(|url| paths::place(url.path()));
        Some(Source { environment: place.environment?, form: place.form?, filter: filter.get() })
    });
    react(move || {
        if let Some(source) = source.get() {
            untrack(|| session.remember(source.environment, &source.form));
        }
    });
    let form = Memo::new(move |_| source.with(|it| session.form(&it.as_ref()?.form)));
    let name = Signal::derive(move || {
        let id = || source.with(|it| it.as_ref().map(|it| it.form.to_string()));
        form.with(|form| form.as_ref().map(|it| it.name.clone())).or_else(id).unwrap_or_default()
    });
    let title = Signal::derive(move || (texts.title)(&name.get()));
    use_title(title);
    let figures = Figures::of(source, session);
    let filter_by = Callback::new(move |filter: Filter| {
        if let Some(Source { environment, form, .. }) = source.get_untracked() {
            let options = NavigateOptions { scroll: false, ..NavigateOptions::default() };
            navigate(&paths::insights(environment, &form, &filter), options);
        }
    });
    let list_href = move || {
        source.with(|it| {
            let list = |it: &Source| paths::list(it.environment, &it.form, &it.filter);
            it.as_ref().map(list).unwrap_or_default()
        })
    };
    let search_box = NodeRef::<html::Input>::new();
    expect_context::<Acts>().offer(&[Act::Search], move |_| {
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
                        {texts::common().submissions}
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

/// Of how many submissions the figures are.
#[component]
fn Status(figures: Figures) -> impl IntoView {
    let text = move || {
        figures.known().with(|known| match known {
            Known::Figures { summary, of: Some(of), .. } => {
                (texts::insights().over)(summary.total, *of)
            }
            Known::Figures { summary, .. } => (texts::common().submission_count)(summary.total),
            Known::Loading | Known::Failed(_) => String::new(),
        })
    };
    let waits = move || {
        let seconds = figures.known().with(|known| match known {
            Known::Figures { waits_s, .. } => *waits_s,
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

/// The plots, or what stands in their place.
#[component]
fn Body(
    figures: Figures,
    filter: Memo<Filter>,
    form: Memo<Option<Form>>,
    on_filter: Callback<Filter>,
) -> impl IntoView {
    let (texts, common) = (texts::insights(), texts::common());
    let clear = move |_| on_filter.run(Filter::default());
    move || match figures.known().get() {
        Known::Loading => view! { <SkeletonLines lines=12 label=texts.loading /> }.into_any(),
        Known::Failed(error) => {
            view! { <Failure error what=texts.what on_retry=move |()| figures.retry() /> }
                .into_any()
        }
        Known::Figures { summary, .. } if summary.total == 0 => {
            if filter.with_untracked(Filter::is_empty) {
                view! {
                    <Empty
                        icon=Glyph::Form
                        title=common.no_submissions_yet
                        text=texts.none_text
                    />
                }
                .into_any()
            } else {
                view! {
                    <Empty
                        icon=Glyph::Search
                        title=common.no_submissions_match
                        text=texts.no_match_text
                    >
                        <Button on_click=clear>{common.clear_filters}</Button>
                    </Empty>
                }
                .into_any()
            }
        }
        Known::Figures { summary, .. } => {
            let fields = form.with_untracked(|it| it.as_ref().map(|it| it.fields.clone()));
            let filter = filter.get_untracked();
            plots(&summary, filter, &fields.unwrap_or_default(), on_filter).into_any()
        }
    }
}
