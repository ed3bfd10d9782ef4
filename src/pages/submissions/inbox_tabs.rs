//! The tabs of the inbox: links that change two parts of its filter.

use contract::Filter;
use contract::filter::{LabelProperty, Labels};
use leptos::prelude::*;

use super::{list_state::ListState, no_match::NoMatch};
use crate::{
    i18n, routes,
    state::triage::TriageState,
    ui::{empty::Empty, icon::Glyph},
};

/// Tab of the inbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum InboxTab {
    /// Unread submissions.
    Unread,
    /// Submissions assigned to the user.
    Mine,
    /// All submissions.
    All,
}

impl InboxTab {
    const ALL: [Self; 3] = [Self::Unread, Self::Mine, Self::All];

    fn name(self) -> &'static str {
        let texts = i18n::inbox();
        match self {
            Self::Unread => texts.unread,
            Self::Mine => texts.mine,
            Self::All => texts.all,
        }
    }

    /// Returns a filter with the tab's read state and assignee. `own` accepts the user as assignee;
    /// until it is known, the tab of their submissions has no filter.
    fn apply(self, mut filter: Filter, own: Option<Labels>) -> Option<Filter> {
        filter.read = (self == Self::Unread).then_some(false);
        let assignee = if self == Self::Mine { own? } else { Labels::default() };
        filter.labels.set(LabelProperty::Assignee, assignee);
        Some(filter)
    }
}

/// The hint in an empty inbox.
#[component]
pub fn InboxEmpty(
    /// The filter.
    filter: Signal<Filter>,
    /// Clears the filter.
    on_clear: Callback<()>,
) -> impl IntoView {
    let triage = expect_context::<TriageState>();
    let texts = i18n::inbox();
    move || {
        let own = own_labels(triage);
        let current = filter.with(|filter| {
            let has_filter =
                |tab: &InboxTab| tab.apply(Filter::default(), own.clone()).as_ref() == Some(filter);
            InboxTab::ALL.into_iter().find(has_filter)
        });
        let (title, text) = match current {
            Some(InboxTab::Unread) => (texts.none_unread, texts.none_text),
            Some(InboxTab::Mine) => (texts.none_mine, texts.none_mine_text),
            Some(InboxTab::All) => (texts.none, texts.none_text),
            // The filter has more than a tab.
            None => return view! { <NoMatch on_clear /> }.into_any(),
        };
        view! { <Empty icon=Glyph::Inbox title text /> }.into_any()
    }
}

/// The tabs. None of them is current if the filter has another read state or assignee.
#[component]
pub fn InboxTabs(
    /// The list.
    list: ListState,
) -> impl IntoView {
    let triage = expect_context::<TriageState>();
    let own = Memo::new(move |_| own_labels(triage));
    let link = move |tab: InboxTab| {
        let target = move || tab.apply(list.filter.get(), own.get());
        let href = move || {
            let environment = list.source.with(|source| Some(source.as_ref()?.environment))?;
            Some(routes::inbox_url(environment, &target()?))
        };
        let is_current = move || target().is_some_and(|target| target == list.filter.get());
        view! {
            <a
                class="switch-item"
                href=href
                aria-current=move || is_current().then_some("page")
            >
                {tab.name()}
            </a>
        }
    };
    view! {
        <nav class="page-actions switch" aria-label=i18n::inbox().title>
            {InboxTab::ALL.map(link).collect_view()}
        </nav>
    }
}

/// Returns the labels that accept the user as assignee, once the user is known. Tracked.
fn own_labels(triage: TriageState) -> Option<Labels> {
    triage.own_id().map(|id| Labels::new([Some(String::from(id))]))
}
