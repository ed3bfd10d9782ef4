//! The tabs of the inbox: links that change two parts of its filter.

use contract::Filter;
use contract::filter::{LabelProperty, Labels};
use leptos::prelude::*;

use super::list_state::ListState;
use crate::{i18n, routes, state::triage::TriageState};

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

    /// Returns a filter with the tab's read state and assignee. `own` accepts the user as assignee.
    fn apply(self, mut filter: Filter, own: &Labels) -> Filter {
        filter.read = (self == Self::Unread).then_some(false);
        let assignee = if self == Self::Mine { own.clone() } else { Labels::default() };
        filter.labels.set(LabelProperty::Assignee, assignee);
        filter
    }
}

/// The tabs. None of them is current if the filter has another read state or assignee.
#[component]
pub fn InboxTabs(
    /// The list.
    list: ListState,
) -> impl IntoView {
    let triage = expect_context::<TriageState>();
    let own = Memo::new(move |_| {
        let id = triage.own_id().map(String::from);
        id.map(|id| Labels::new(vec![Some(id)]))
    });
    let link = move |tab: InboxTab| {
        // Until the user is known, the tab of their submissions has no URL.
        let target = move || {
            let own = own.get().or_else(|| (tab != InboxTab::Mine).then(Labels::default))?;
            Some(tab.apply(list.filter.get(), &own))
        };
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
