//! State of the list page: the submissions that the URL names, their form, fields and columns, and
//! the rows.

use contract::{Environment, Field, Filter, Form, FormId, ListQuery, Plan, Sort, Submission};
use leptos::prelude::*;
use leptos_router::hooks::use_url;
use row_view::available_columns::has_source_and_country;

use super::{
    columns::{self, ColumnDef},
    list::{ListSource, SubmissionList},
};
use crate::{
    domain::{answers, deletion::duration_text},
    i18n,
    routes::{self, ListLayout},
    state::{list_view::ViewStore, session::SessionStore},
};

/// State of the list page. Cheap to copy.
#[derive(Clone, Copy)]
pub struct ListState {
    /// Environment, form and filter; `None` if the URL names neither a form nor the inbox.
    pub source: Memo<Option<ListSource>>,
    /// The filter.
    pub filter: Signal<Filter>,
    /// The order of the URL; `None` is newest first.
    pub sort: Signal<Option<Sort>>,
    /// Filter and order.
    pub query: Signal<ListQuery>,
    /// Parts of the URL that are not a valid filter.
    pub problems: Signal<Vec<String>>,
    /// The form, once known; `None` in the inbox.
    pub form: Signal<Option<Form>>,
    /// The fields of the form, none in the inbox; those found in the rows if the server does not
    /// publish fields.
    pub fields: Signal<Vec<Field>>,
    /// The available columns.
    pub offers: Memo<Vec<ColumnDef>>,
    /// The columns that the user chose.
    pub view: ViewStore,
    /// The rows.
    pub rows: SubmissionList,
    /// The signed-in user.
    pub session: SessionStore,
}

impl ListState {
    /// Returns the list at the current URL, owned by the current reactive owner.
    pub fn from_url() -> Self {
        let session = expect_context::<SessionStore>();
        let url = use_url();
        let rows = SubmissionList::from_context();
        let route = Memo::new(move |_| url.with(|url| routes::parse_path(url.path())));
        let read = Memo::new(move |_| {
            let parsed = url.with(|url| session.parse_filter(url.search()));
            if route.with(|params| params.is_inbox) { parsed.for_inbox() } else { parsed }
        });
        let filter = Signal::derive(move || read.with(|read| read.filter.clone()));
        let sort = Signal::derive(move || read.with(|read| read.sort.clone()));
        let source = Memo::new(move |_| {
            let params = route.get();
            let environment = params.environment?;
            let form = params.form;
            if form.is_none() && !params.is_inbox {
                return None;
            }
            let (filter, sort) = (filter.get(), sort.get());
            Some(ListSource { environment, form, layout: params.layout, filter, sort })
        });
        let form = Memo::new(move |_| route.with(|params| session.form(params.form.as_ref()?)));
        let form_id = Signal::derive(move || route.with(|params| params.form.clone()));
        let fields = list_fields(form_id, form, rows, session);
        // A column stays once a row has a value for it: a search without results must not move
        // columns.
        let origin = Memo::new(move |before: Option<&(String, (bool, bool))>| {
            let form = route.with(|params| params.form.as_ref().map(ToString::to_string));
            let form = form.unwrap_or_default();
            let previous = before.filter(|(before, _)| *before == form);
            let before_flags = previous.map(|one| one.1).unwrap_or_default();
            let now = rows.with_rows(|rows| has_source_and_country(rows)).unwrap_or_default();
            (form, (before_flags.0 || now.0, before_flags.1 || now.1))
        });
        let offers = Memo::new(move |_| {
            if route.with(|params| params.is_inbox) {
                return columns::inbox_columns();
            }
            let form = form.get();
            fields.with(|fields| columns::available_columns(form.as_ref(), fields, origin.get().1))
        });
        Self {
            source,
            filter,
            sort,
            query: Signal::derive(move || read.with(|read| read.clone().into_query())),
            problems: Signal::derive(move || read.with(|read| read.problems.clone())),
            form: form.into(),
            fields: fields.into(),
            offers,
            view: ViewStore::load(),
            rows,
            session,
        }
    }

    /// Returns the name of the form, or its id if the name is unknown, or that of the inbox.
    /// Tracked.
    pub fn name(self) -> String {
        let name = |source: &ListSource| match &source.form {
            Some(form) => self.session.form_name(form),
            None => i18n::inbox().title.to_owned(),
        };
        self.source.with(|source| source.as_ref().map(name)).unwrap_or_default()
    }

    /// Returns a key that identifies the page of the form or of the inbox. Tracked.
    pub fn page_key(self) -> String {
        self.source.with(|source| {
            let Some(ListSource { environment, form, .. }) = source else { return String::new() };
            format!("{environment} {}", form.as_ref().map_or("", FormId::as_str))
        })
    }

    /// Returns whether the list is the inbox. Tracked.
    pub fn is_inbox(self) -> bool {
        self.source.with(|source| source.as_ref().is_some_and(|source| source.form.is_none()))
    }

    /// Returns whether the page shows the board. A server without triage has no board. Returns
    /// `false` after the user has left the page. Tracked.
    pub fn is_board(self) -> bool {
        let has_layout = |source: &ListSource| source.layout == ListLayout::Board;
        self.source.try_with(|source| source.as_ref().is_some_and(has_layout)) == Some(true)
            && self.session.capabilities().triage
    }

    /// Returns the form of the list; `None` in the inbox. Tracked.
    pub fn form_id(self) -> Option<FormId> {
        self.source.with(|source| source.as_ref().and_then(|source| source.form.clone()))
    }

    /// Returns the form of the list with its environment; `None` in the inbox. Tracked.
    pub fn form_in_environment(self) -> Option<(Environment, FormId)> {
        self.source.with(|source| {
            let source = source.as_ref()?;
            Some((source.environment, source.form.clone()?))
        })
    }

    /// Returns the fields of a submission of the list. Tracked.
    pub fn fields_of(self, submission: &Submission) -> Vec<Field> {
        if !self.is_inbox() {
            return self.fields.get();
        }
        let form = self.session.form(&submission.form_id);
        form.map(|form| form.fields).unwrap_or_default()
    }

    /// Returns the list of the URL, if it names a form. Not tracked.
    pub fn location(self) -> Option<ListSource> {
        self.source.try_get_untracked().flatten()
    }

    /// Returns whether deleted submissions of a form can be restored. Tracked.
    pub fn keeps_trash(self, form: &FormId) -> bool {
        self.session.capabilities().trash
            && self.session.form(form).is_some_and(|form| form.trash_days > 0)
    }

    /// Returns whether the user can mark submissions as spam. Tracked.
    pub fn can_mark_spam(self) -> bool {
        self.session.capabilities().spam && self.session.can_triage()
    }

    /// Returns whether the user can delete submissions of a form. Editors can only move them to the
    /// trash. Tracked.
    pub fn can_delete(self, form: &FormId) -> bool {
        self.session.is_owner() || self.session.can_triage() && self.keeps_trash(form)
    }

    /// Returns a text with the duration of deleting `count` submissions one by one, if the rate
    /// limit makes it long. With `is_all`, they must be listed first. Tracked.
    pub fn deletion_time_text(self, count: u64, is_all: bool) -> Option<String> {
        let plan = self.session.session().map_or(Plan::Free, |session| session.account.plan);
        duration_text(plan, self.rows.rate_limit(), count, is_all)
    }
}

/// Returns the fields that the server publishes, or else those found in the rows. A field stays
/// once a row has it: a search without results must not move columns.
fn list_fields(
    form_id: Signal<Option<FormId>>,
    form: Memo<Option<Form>>,
    list: SubmissionList,
    session: SessionStore,
) -> Memo<Vec<Field>> {
    let known = Memo::new(move |before: Option<&(Option<FormId>, Vec<Field>)>| {
        let id = form_id.get();
        let published = form.with(|form| form.as_ref().map(|form| form.fields.clone()));
        let published =
            published.filter(|fields| !fields.is_empty() || session.capabilities().form_fields);
        let fields = published.unwrap_or_else(|| {
            let before = before.filter(|(before, _)| *before == id);
            let mut fields = before.map(|(_, fields)| fields.clone()).unwrap_or_default();
            list.with_rows(|rows| {
                // Rows of the previous form may still be loaded.
                let form_rows = rows.filter(|row| Some(&row.form_id) == id.as_ref());
                answers::add_fields(&mut fields, form_rows);
            });
            fields
        });
        (id, fields)
    });
    Memo::new(move |_| known.with(|(_, fields)| fields.clone()))
}
