//! The activity page: the audit log by day. The filter is in the URL, which this page reads and
//! updates.

pub mod filter_fields;
pub mod rows;

use contract::audit::{AuditEntry, AuditFilter, AuditFormat, AuditQuery};
use leptos::{prelude::*, task::spawn_local};
use leptos_router::{
    NavigateOptions,
    hooks::{use_navigate, use_url},
};

use crate::{
    api,
    components::{
        calendar,
        owner_only::owner_page,
        page::{Heading, use_title},
        paginated::{Paginated, paginated_view},
        save::download_file,
    },
    domain::{activity::ActivityFilter, time::instant_bounds},
    i18n::{self, number},
    routes::{self, Page},
    state::{session::SessionStore, toasts::Toasts},
    ui::{button::Button, empty::Empty, icon::Glyph, run_effect},
};
use filter_fields::FilterFields;
use rows::EntryTable;

/// Audit entries per page.
const PAGE_ROWS: u16 = 50;

/// The loaded audit log and its filter. Cheap to copy.
#[derive(Clone, Copy)]
pub struct ActivityLog {
    filter: Memo<ActivityFilter>,
    on_filter: Callback<ActivityFilter>,
    pages: Paginated<AuditEntry>,
    session: SessionStore,
    toasts: Toasts,
}

impl ActivityLog {
    fn audit_filter(self) -> AuditFilter {
        let ActivityFilter { kind, days: (first, last) } = self.filter.get_untracked();
        let (date_from, date_to) = instant_bounds(first, last, calendar::start_of_day);
        AuditFilter { date_from, date_to, ..kind.audit_filter() }
    }

    fn is_filtered(self) -> bool {
        self.filter.get() != ActivityFilter::default()
    }

    /// Loads the first page again.
    fn reload(self) {
        self.pages.clear(None);
        self.load_next();
    }

    /// Requests the next page.
    fn load_next(self) {
        let filter = self.audit_filter();
        self.pages.load(false, |cursor| async move {
            let query = AuditQuery { filter, cursor, limit: PAGE_ROWS, ..AuditQuery::default() };
            api::list_audit_entries(&query).await
        });
    }

    /// Saves the matching entries as a file.
    fn export_file(self, format: AuditFormat) {
        let query = AuditQuery { filter: self.audit_filter(), format, ..AuditQuery::default() };
        spawn_local(async move {
            let texts = i18n::activity();
            match api::download_audit_log(&query).await {
                Ok(file) => {
                    let name = format!("activity.{}", format.as_str());
                    if download_file(&file, &name) {
                        self.toasts.show_success((texts.exported)(&name));
                    }
                }
                Err(error) => {
                    self.session.handle_error(&error);
                    self.toasts.show_error((texts.not_exported)(&error.message()));
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
    let page = |session| view! { <ActivityPage session /> }.into_any();
    owner_page(texts.title, |server| server.audit_log, elsewhere, page)
}

#[component]
fn ActivityPage(session: SessionStore) -> impl IntoView {
    let texts = i18n::activity();
    let url = use_url();
    let navigate = use_navigate();
    // While another page is opened, its URL has no activity filter: keep the previous one.
    let filter = Memo::new(move |before: Option<&ActivityFilter>| {
        let is_current = |url: &leptos_router::location::Url| {
            (routes::page_of_path(url.path()) == Page::Activity)
                .then(|| ActivityFilter::parse_query(url.search()))
        };
        url.with(is_current).or(before.copied()).unwrap_or_default()
    });
    let log = ActivityLog {
        filter,
        on_filter: Callback::new(move |filter| {
            let options =
                NavigateOptions { scroll: false, replace: true, ..NavigateOptions::default() };
            navigate(&routes::activity_url(filter), options);
        }),
        pages: Paginated::new(session),
        session,
        toasts: expect_context(),
    };
    run_effect(move || {
        filter.track();
        untrack(|| log.reload());
    });
    let count = move || log.pages.total.get().map(|total| (texts.count)(total, number(total)));
    let export = |format: AuditFormat, text: &'static str| {
        view! {
            <Button icon=Glyph::Download on_click=move |_| log.export_file(format)>
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
                    <FilterFields log />
                    <ActivityEntries log />
                </section>
            </div>
        </div>
    }
}

/// The matching entries; a note if there are no entries.
#[component]
fn ActivityEntries(log: ActivityLog) -> impl IntoView {
    let texts = i18n::activity();
    let labels = (texts.loading, texts.what);
    paginated_view(
        log.pages,
        labels,
        move || log.load_next(),
        move |has_rows| {
            if has_rows {
                return view! { <EntryTable log /> }.into_any();
            }
            if !log.is_filtered() {
                return view! { <Empty icon=Glyph::Clock title=texts.none text=texts.none_text /> }
                    .into_any();
            }
            let clear = move |_| log.on_filter.run(ActivityFilter::default());
            view! {
                <Empty icon=Glyph::Filter title=texts.no_match text=texts.no_match_text>
                    <Button on_click=clear>{texts.clear}</Button>
                </Empty>
            }
            .into_any()
        },
    )
}
