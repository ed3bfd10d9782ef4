//! The activity page: the audit log by day. The filter is in the URL, which this page reads and
//! updates.

pub mod filter_fields;
pub mod rows;

use contract::audit::{AuditFilter, AuditFormat, AuditQuery, Note};
use leptos::{prelude::*, task::spawn_local};
use leptos_router::{
    NavigateOptions,
    hooks::{use_navigate, use_url},
};

use crate::{
    api,
    components::{
        calendar,
        owner_only::owners_page,
        page::{Heading, use_title},
        paginated::{Paginated, paginated_view},
        save::save,
    },
    domain::{activity::Look, time::bounds},
    i18n::{self, number},
    routes::{self, Page},
    state::{session::SessionStore, toasts::Toasts},
    ui::{button::Button, empty::Empty, icon::Glyph, react},
};
use filter_fields::Looking;
use rows::Days;

/// Audit entries per page.
const PAGE_ROWS: u16 = 50;

/// The loaded audit log and its filter. Cheap to copy.
#[derive(Clone, Copy)]
pub struct Log {
    look: Memo<Look>,
    on_look: Callback<Look>,
    pages: Paginated<Note>,
    session: SessionStore,
    toasts: Toasts,
}

impl Log {
    fn filter(self) -> AuditFilter {
        let Look { kind, days: (first, last) } = self.look.get_untracked();
        let (date_from, date_to) = bounds(first, last, calendar::midnight);
        AuditFilter { date_from, date_to, ..kind.filter() }
    }

    fn is_filtered(self) -> bool {
        self.look.get() != Look::default()
    }

    /// Loads the first page again.
    fn begin(self) {
        self.pages.clear(None);
        self.load();
    }

    /// Requests the next page.
    fn load(self) {
        let filter = self.filter();
        self.pages.load(false, |cursor| async move {
            let query = AuditQuery { filter, cursor, limit: PAGE_ROWS, ..AuditQuery::default() };
            api::audit(&query).await
        });
    }

    /// Saves the matching entries as a file.
    fn export(self, format: AuditFormat) {
        let query = AuditQuery { filter: self.filter(), format, ..AuditQuery::default() };
        spawn_local(async move {
            let texts = i18n::activity();
            match api::audit_file(&query).await {
                Ok(file) => {
                    let name = format!("activity.{}", format.as_str());
                    if save(&file, &name) {
                        self.toasts.done((texts.exported)(&name));
                    }
                }
                Err(error) => {
                    self.session.notice(&error);
                    self.toasts.failed((texts.not_exported)(&error.message()));
                }
            }
        });
    }
}

/// The activity page.
#[component]
pub fn Activity() -> impl IntoView {
    let texts = i18n::activity();
    use_title(texts.title.to_owned());
    let elsewhere = move || {
        view! { <Empty icon=Glyph::Clock title=texts.elsewhere text=texts.elsewhere_text /> }
            .into_any()
    };
    let page = |session| view! { <Managed session /> }.into_any();
    owners_page(texts.title, |server| server.audit_log, elsewhere, page)
}

#[component]
fn Managed(session: SessionStore) -> impl IntoView {
    let texts = i18n::activity();
    let (url, navigate) = (use_url(), use_navigate());
    // While another page is opened, its URL has no activity filter: keep the previous one.
    let look = Memo::new(move |before: Option<&Look>| {
        let here = |url: &leptos_router::location::Url| {
            (routes::page(url.path()) == Page::Activity).then(|| Look::read(url.search()))
        };
        url.with(here).or(before.copied()).unwrap_or_default()
    });
    let log = Log {
        look,
        on_look: Callback::new(move |look| {
            let options =
                NavigateOptions { scroll: false, replace: true, ..NavigateOptions::default() };
            navigate(&routes::activity(look), options);
        }),
        pages: Paginated::new(session),
        session,
        toasts: expect_context(),
    };
    react(move || {
        look.track();
        untrack(|| log.begin());
    });
    let count = move || log.pages.total.get().map(|total| (texts.count)(total, number(total)));
    let export = |format: AuditFormat, text: &'static str| {
        view! {
            <Button icon=Glyph::Download on_click=move |_| log.export(format)>
                {text}
            </Button>
        }
    };
    view! {
        <div class="page">
            <header class="page-header">
                <Heading text=texts.title />
                <span class="page-count" role="status">
                    {count}
                </span>
                <div class="page-actions">
                    {export(AuditFormat::Csv, texts.export_csv)}
                    {export(AuditFormat::Ndjson, texts.export_ndjson)}
                </div>
            </header>
            <div class="sections" data-wide="true">
                <section>
                    <p class="section-text">{texts.about}</p>
                    <Looking log />
                    <Found log />
                </section>
            </div>
        </div>
    }
}

/// The matching entries; a note if there are no entries.
#[component]
fn Found(log: Log) -> impl IntoView {
    let texts = i18n::activity();
    let labels = (texts.loading, texts.what);
    paginated_view(
        log.pages,
        labels,
        move || log.load(),
        move |has_rows| {
            if has_rows {
                return view! { <Days log /> }.into_any();
            }
            if !log.is_filtered() {
                return view! { <Empty icon=Glyph::Clock title=texts.none text=texts.none_text /> }
                    .into_any();
            }
            let clear = move |_| log.on_look.run(Look::default());
            view! {
                <Empty icon=Glyph::Filter title=texts.no_match text=texts.no_match_text>
                    <Button on_click=clear>{texts.clear}</Button>
                </Empty>
            }
            .into_any()
        },
    )
}
