//! Every URL of the dashboard: its own places, and what it asks of the gateway.
//!
//! No other module writes or takes apart a URL. Identifiers are checked types, so they stand in a
//! path as they are.

use contract::audit::AuditQuery;
use contract::query::encode;
use contract::summary::SummaryQuery;
use contract::{Environment, Filter, FormId, KeyId, ListQuery, PersonId, SessionId, SubmissionId};

use crate::domain::activity::Look;

/// The start: leads on to the first form.
pub const HOME: &str = "/";
/// Where one signs in.
pub const SIGN_IN: &str = "/sign-in";
/// Where API keys are managed.
pub const KEYS: &str = "/settings/keys";
/// Where the account's sign-ins and password are.
pub const ACCOUNT: &str = "/settings/account";
/// Where it stands who did what.
pub const ACTIVITY: &str = "/settings/activity";
/// Where forms are managed.
pub const FORMS: &str = "/settings/forms";

/// The gateway's session: who am I, sign in, sign out.
pub const SESSION: &str = "/session";
/// Where the person of a sign-in link is asked for.
pub const SESSION_LINK: &str = "/session/link";
/// The proof that it is still the same person who asks.
pub const PROOF: &str = "/session/proof";
/// Who may come into the account.
pub const PEOPLE: &str = "/people";
/// The sign-ins that have not ended.
pub const SESSIONS: &str = "/sessions";
/// The account's password.
pub const PASSWORD: &str = "/password";
/// The mail address of the signed-in person.
pub const EMAIL: &str = "/account/email";
/// The owner's forms.
pub const ACCOUNT_FORMS: &str = "/account/forms";
/// What is used of the day's limit of insights.
pub const ACCOUNT_INSIGHT: &str = "/account/insight";
/// The audit log.
pub const ACCOUNT_AUDIT: &str = "/account/audit";
/// The owner's API keys.
pub const ACCOUNT_KEYS: &str = "/account/keys";

/// Puts a query behind a path, where there is one.
fn with_query(path: String, query: &str) -> String {
    if query.is_empty() { path } else { format!("{path}?{query}") }
}

fn filter_query(filter: &Filter) -> String {
    ListQuery { filter: filter.clone(), ..ListQuery::default() }.write()
}

/// Returns the sign-in page that leads back to `next`.
pub fn sign_in(next: &str) -> String {
    if next == HOME { SIGN_IN.to_owned() } else { format!("{SIGN_IN}?next={}", encode(next)) }
}

/// Returns where a sign-in leads on to: `next` where it is a place of this dashboard, else the
/// start. A link must not be able to send a person who has just signed in to another site.
pub fn after_sign_in(next: Option<&str>) -> &str {
    let inside = |next: &&str| {
        next.starts_with('/')
            && !next[1..].starts_with(['/', '\\'])
            && !next.chars().any(char::is_control)
            && !next.starts_with(SIGN_IN)
    };
    next.filter(inside).unwrap_or(HOME)
}

/// Returns the page that leads on to the first form of an environment.
pub fn forms(environment: Environment) -> String {
    format!("/{environment}/forms")
}

/// Returns the list of a form's submissions under a filter.
pub fn list(environment: Environment, form: &FormId, filter: &Filter) -> String {
    with_query(format!("/{environment}/forms/{form}"), &filter_query(filter))
}

/// Returns the insights of a form under a filter.
pub fn insights(environment: Environment, form: &FormId, filter: &Filter) -> String {
    with_query(format!("/{environment}/forms/{form}/insights"), &filter_query(filter))
}

/// Returns the card of a submission, over its list under a filter.
pub fn card(environment: Environment, form: &FormId, id: &SubmissionId, filter: &Filter) -> String {
    let path = format!("/{environment}/forms/{form}/submissions/{id}");
    with_query(path, &filter_query(filter))
}

/// A page of a form's settings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Tab {
    /// How to send to it.
    #[default]
    Share,
    /// Its fields.
    Fields,
    /// What it takes in.
    Intake,
    /// What it set aside.
    Spam,
    /// What was deleted from it, and can be restored.
    Trash,
    /// What analysis makes of its submissions.
    Analysis,
}

impl Tab {
    /// Every page, in order.
    pub const ALL: [Self; 6] =
        [Self::Share, Self::Fields, Self::Intake, Self::Spam, Self::Trash, Self::Analysis];

    /// Returns the last part of its path.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Share => "share",
            Self::Fields => "fields",
            Self::Intake => "intake",
            Self::Spam => "spam",
            Self::Trash => "trash",
            Self::Analysis => "analysis",
        }
    }
}

/// Returns a page of a form's settings.
pub fn settings(environment: Environment, form: &FormId, tab: Tab) -> String {
    format!("/{environment}/forms/{form}/settings/{}", tab.as_str())
}

/// Returns which page of a form's settings a path names: the first, where it names none.
pub fn tab(path: &str) -> Tab {
    let last = path.trim_matches('/').rsplit('/').next();
    Tab::ALL.into_iter().find(|tab| last == Some(tab.as_str())).unwrap_or_default()
}

/// A page of the dashboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Page {
    /// Where one signs in.
    SignIn,
    /// The start, which leads on to the first form.
    Start,
    /// The start of one environment.
    Forms,
    /// Where the account's sign-ins and password are.
    Account,
    /// Where it stands who did what.
    Activity,
    /// Where API keys are managed.
    Keys,
    /// Where forms are managed.
    AllForms,
    /// Where one form is set up.
    Settings,
    /// What comes of a form's submissions.
    Insights,
    /// The list of a form's submissions.
    List,
    /// The same, with a card open over it.
    Card,
    /// No page at all.
    Nowhere,
}

/// Returns the page that a path leads to.
pub fn page(path: &str) -> Page {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    match parts[..] {
        [] => Page::Start,
        ["sign-in"] => Page::SignIn,
        ["settings", "account"] => Page::Account,
        ["settings", "activity"] => Page::Activity,
        ["settings", "keys"] => Page::Keys,
        ["settings", "forms"] => Page::AllForms,
        [_, "forms"] => Page::Forms,
        [_, "forms", _] => Page::List,
        [_, "forms", _, "submissions", _] => Page::Card,
        [_, "forms", _, "insights"] => Page::Insights,
        [_, "forms", _, "settings"] | [_, "forms", _, "settings", _] => Page::Settings,
        _ => Page::Nowhere,
    }
}

/// What a path of the dashboard names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// The environment on view.
    pub environment: Option<Environment>,
    /// The form on view.
    pub form: Option<FormId>,
    /// The submission whose card is open.
    pub submission: Option<SubmissionId>,
}

/// Takes a path apart. What is no place of ours names nothing.
pub fn place(path: &str) -> Place {
    let mut parts = path.trim_matches('/').split('/');
    let environment = parts.next().and_then(|part| part.parse().ok());
    if environment.is_none() || parts.next() != Some("forms") {
        return Place { environment, ..Place::default() };
    }
    let form = parts.next().and_then(|part| part.parse().ok());
    let opened = form.is_some() && parts.next() == Some("submissions");
    let submission = parts.next().filter(|_| opened).and_then(|part| part.parse().ok());
    Place { environment, form, submission }
}

/// Returns one of those who may come in.
pub fn person(id: &PersonId) -> String {
    format!("{PEOPLE}/{id}")
}

/// Returns where another link for somebody is made.
pub fn person_link(id: &PersonId) -> String {
    format!("{PEOPLE}/{id}/link")
}

/// Returns the address of a sign-in link, below `origin`. What stands behind the `#` is told to no
/// server.
pub fn invitation(origin: &str, token: &str) -> String {
    format!("{origin}{SIGN_IN}#token={token}")
}

/// Returns one of the sign-ins.
pub fn session(id: &SessionId) -> String {
    format!("{SESSIONS}/{id}")
}

/// Returns a page of the owner's forms: the first, or the one of a cursor.
pub fn account_forms(cursor: Option<String>) -> String {
    let query = ListQuery { cursor, ..ListQuery::default() };
    with_query(ACCOUNT_FORMS.to_owned(), &query.write())
}

/// Returns a form of the owner's.
pub fn account_form(form: &FormId) -> String {
    format!("{ACCOUNT_FORMS}/{form}")
}

/// Returns what belongs to a form of the owner's: `fields`, `intake` and others.
pub fn account_part(form: &FormId, part: &str) -> String {
    format!("{ACCOUNT_FORMS}/{form}/{part}")
}

/// Returns a page of what a form set aside as spam.
pub fn account_spam(form: &FormId, query: &ListQuery) -> String {
    with_query(account_part(form, "spam"), &query.write())
}

/// Returns one submission that a form set aside as spam.
pub fn account_spam_one(form: &FormId, id: &SubmissionId) -> String {
    format!("{ACCOUNT_FORMS}/{form}/spam/{id}")
}

/// Returns the act by which that is no spam.
pub fn account_release(form: &FormId, id: &SubmissionId) -> String {
    format!("{ACCOUNT_FORMS}/{form}/spam/{id}/release")
}

/// Returns a page of a form's trash.
pub fn account_trash(form: &FormId, query: &ListQuery) -> String {
    with_query(account_part(form, "trash"), &query.write())
}

/// Returns where submissions of a form are moved to, `trash` or `spam`: those that match.
pub fn account_move(form: &FormId, part: &str, filter: &Filter) -> String {
    with_query(account_part(form, part), &filter_query(filter))
}

/// Returns what a form's submissions say together.
pub fn account_summary(form: &FormId, query: &SummaryQuery) -> String {
    with_query(format!("{ACCOUNT_FORMS}/{form}/summary"), &query.write())
}

/// Returns the activity, as it is looked at.
pub fn activity(look: Look) -> String {
    with_query(ACTIVITY.to_owned(), &look.write())
}

/// Returns a page of the audit log.
pub fn account_audit(query: &AuditQuery) -> String {
    with_query(ACCOUNT_AUDIT.to_owned(), &query.write())
}

/// Returns all of the audit log that fits, as a file.
pub fn account_audit_export(query: &AuditQuery) -> String {
    with_query(format!("{ACCOUNT_AUDIT}/export"), &query.write())
}

/// Returns one API key of the owner's.
pub fn account_key(id: &KeyId) -> String {
    format!("{ACCOUNT_KEYS}/{id}")
}

/// Returns a page of a form's submissions, by way of the gateway (§4.1).
pub fn api_list(environment: Environment, form: &FormId, query: &ListQuery) -> String {
    with_query(format!("/api/{environment}/v1/forms/{form}/submissions"), &query.write())
}

/// Returns one submission, by way of the gateway (§4.2, §4.3).
pub fn api_submission(environment: Environment, id: &SubmissionId) -> String {
    format!("/api/{environment}/v1/submissions/{id}")
}

/// Returns the list as a program asks for it, with a key of its own (§4.1).
pub fn public_list(origin: &str, form: &str) -> String {
    format!("{origin}/v1/forms/{form}/submissions?limit=20")
}

/// Returns one submission as a program asks for it, with a key of its own (§4.2).
pub fn public_submission(origin: &str, id: &SubmissionId) -> String {
    format!("{origin}/v1/submissions/{id}")
}

#[cfg(not(target_arch = "wasm32"))]
#[cfg(test)]
mod tests {
    use super::*;
    use contract::Timestamp;
    use contract::filter::Search;

    fn filter() -> Filter {
        Filter {
            date_from: Timestamp::parse("2026-03-01T00:00:00+01:00").ok(),
            search: Search::new("a b&c").expect("short"),
            ..Filter::default()
        }
    }

    #[test]
    fn every_url() {
        let (form, id): (FormId, SubmissionId) =
            ("frm_1".parse().unwrap(), "sub_2".parse().unwrap());
        let key = "key_3".parse().unwrap();
        let (live, test) = (Environment::Live, Environment::Test);
        let page = ListQuery { filter: filter(), limit: 100, cursor: Some("c=".to_owned()) };
        let urls = [
            HOME.to_owned(),
            SIGN_IN.to_owned(),
            sign_in(HOME),
            sign_in("/live/forms/frm_1?search=x"),
            KEYS.to_owned(),
            forms(live),
            list(live, &form, &Filter::default()),
            list(test, &form, &filter()),
            insights(live, &form, &filter()),
            card(live, &form, &id, &filter()),
            SESSION.to_owned(),
            SESSION_LINK.to_owned(),
            account_forms(None),
            account_forms(Some("c=".to_owned())),
            ACCOUNT_KEYS.to_owned(),
            account_key(&key),
            account_summary(
                &form,
                &SummaryQuery { filter: filter(), time_zone: Some("Europe/Berlin".to_owned()) },
            ),
            api_list(test, &form, &page),
            api_submission(live, &id),
            public_list("http://127.0.0.1:8080", "frm_1"),
            public_submission("http://127.0.0.1:8080", &id),
        ];
        insta::assert_snapshot!(urls.join("\n"), @"
        /
        /sign-in
        /sign-in
        /sign-in?next=%2Flive%2Fforms%2Ffrm_1%3Fsearch%3Dx
        /settings/keys
        /live/forms
        /live/forms/frm_1
        /test/forms/frm_1?date_from=2026-02-28T23:00:00Z&search=a%20b%26c
        /live/forms/frm_1/insights?date_from=2026-02-28T23:00:00Z&search=a%20b%26c
        /live/forms/frm_1/submissions/sub_2?date_from=2026-02-28T23:00:00Z&search=a%20b%26c
        /session
        /session/link
        /account/forms
        /account/forms?cursor=c%3D
        /account/keys
        /account/keys/key_3
        /account/forms/frm_1/summary?date_from=2026-02-28T23:00:00Z&search=a%20b%26c&time_zone=Europe%2FBerlin
        /api/test/v1/forms/frm_1/submissions?date_from=2026-02-28T23:00:00Z&search=a%20b%26c&limit=100&cursor=c%3D
        /api/live/v1/submissions/sub_2
        http://127.0.0.1:8080/v1/forms/frm_1/submissions?limit=20
        http://127.0.0.1:8080/v1/submissions/sub_2
        ");
    }

    #[test]
    fn a_sign_in_leads_nowhere_else() {
        let check = |next: &str, to: &str| assert_eq!(after_sign_in(Some(next)), to, "{next}");
        check("/live/forms/frm_1?search=x", "/live/forms/frm_1?search=x");
        for elsewhere in
            ["//evil.example", "/\\evil.example", "https://evil.example", "", "x", "/a\n/b"]
        {
            check(elsewhere, HOME);
        }
        check("/sign-in?next=/", HOME);
        assert_eq!(after_sign_in(None), HOME);
    }

    #[test]
    fn a_path_leads_to_its_page() {
        let (form, id): (FormId, SubmissionId) =
            ("frm_1".parse().unwrap(), "sub_2".parse().unwrap());
        let (live, none) = (Environment::Live, Filter::default());
        let check = |path: &str, leads_to: Page| assert_eq!(page(path), leads_to, "{path}");
        check(HOME, Page::Start);
        check(SIGN_IN, Page::SignIn);
        check(KEYS, Page::Keys);
        check(ACTIVITY, Page::Activity);
        check(FORMS, Page::AllForms);
        check(&forms(live), Page::Forms);
        check(&list(live, &form, &none), Page::List);
        check(&card(live, &form, &id, &none), Page::Card);
        check(&insights(live, &form, &none), Page::Insights);
        for tab in Tab::ALL {
            check(&settings(live, &form, tab), Page::Settings);
        }
        // As people type them.
        check("/live/forms/frm_1/", Page::List);
        check("/live/forms/frm_1/settings", Page::Settings);
        check("/live/forms/nonsense", Page::List);
        for nowhere in ["/live", "/settings", "/live/forms/frm_1/submissions", "/sign-in/x"] {
            check(nowhere, Page::Nowhere);
        }
        check("/live/forms/frm_1/settings/share/x", Page::Nowhere);
    }

    #[test]
    fn a_path_names_what_is_on_view() {
        let check = |path: &str, names: [&str; 3]| {
            let found = place(path);
            let environment = found.environment.map_or("", Environment::as_str);
            let form = found.form.as_ref().map_or("", FormId::as_str);
            let submission = found.submission.as_ref().map_or("", SubmissionId::as_str);
            assert_eq!([environment, form, submission], names, "{path}");
        };
        check("/", ["", "", ""]);
        check("/settings/keys", ["", "", ""]);
        check("/test/forms", ["test", "", ""]);
        check("/live/forms/frm_1", ["live", "frm_1", ""]);
        check("/live/forms/frm_1/", ["live", "frm_1", ""]);
        check("/live/forms/frm_1/submissions/sub_2", ["live", "frm_1", "sub_2"]);
        check("/live/forms/nonsense/submissions/sub_2", ["live", "", ""]);
        check("/live/forms/frm_1/submissions/nonsense", ["live", "frm_1", ""]);
        check("/prod/forms/frm_1", ["", "", ""]);
    }
}
