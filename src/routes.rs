//! Every URL of the dashboard: its own pages, and its requests to the gateway.
//!
//! No other module builds or parses URLs. Identifiers are validated types, so paths contain them
//! without escaping.

mod account_form;
mod lists;

pub use account_form::*;
pub use lists::*;

use contract::audit::AuditQuery;

use contract::live::EventsQuery;
use contract::query::percent_encode;
use contract::{
    Environment, Filter, FormId, InboxQuery, InboxSummaryQuery, KeyId, ListQuery, PersonId,
    SessionId, SubmissionId,
};

use crate::domain::activity::ActivityFilter;
use crate::domain::webhooks::WebhookSelection;

/// Start page: redirects to the first form.
pub const HOME: &str = "/";
/// Sign-in page.
pub const SIGN_IN: &str = "/sign-in";
/// Page of API keys.
pub const KEYS: &str = "/settings/keys";
/// Account page: sessions, members and password.
pub const ACCOUNT: &str = "/settings/account";
/// Activity page (audit log).
pub const ACTIVITY: &str = "/settings/activity";
/// Page that lists all forms.
pub const FORMS: &str = "/settings/forms";

/// The session of the gateway: current user, sign-in, sign-out.
pub const SESSION: &str = "/session";
/// Requests a sign-in link by email.
pub const EMAIL_LINK: &str = "/session/email-link";
/// Looks up the user of a sign-in link.
pub const SESSION_LINK: &str = "/session/link";
/// Re-authentication of the signed-in user.
pub const REAUTHENTICATION: &str = "/session/proof";
/// Members of the account.
pub const MEMBERS: &str = "/people";
/// Open sessions.
pub const SESSIONS: &str = "/sessions";
/// Password of the account.
pub const PASSWORD: &str = "/password";
/// Email address of the signed-in user.
pub const EMAIL: &str = "/account/email";
/// Forms of the owner.
pub const ACCOUNT_FORMS: &str = "/account/forms";
/// Usage of the daily insight limit.
pub const ACCOUNT_INSIGHT: &str = "/account/insight";
/// Audit log.
pub const ACCOUNT_AUDIT: &str = "/account/audit";
/// Statuses and tags of the account.
pub const ACCOUNT_TRIAGE: &str = "/account/triage";
/// Preferences of the signed-in member.
pub const ACCOUNT_PREFERENCES: &str = "/account/preferences";
/// Numbers of unread submissions of the forms.
pub const ACCOUNT_UNREAD: &str = "/account/unread";
/// Submissions of all forms.
pub const ACCOUNT_INBOX: &str = "/account/inbox";

/// Returns the URL of a page of the inbox.
pub fn account_inbox(query: &InboxQuery) -> String {
    with_query(ACCOUNT_INBOX.to_owned(), &query.to_query_string())
}

/// Returns the URL of the summary of the inbox.
pub fn account_inbox_summary(query: &InboxSummaryQuery) -> String {
    with_query(format!("{ACCOUNT_INBOX}/summary"), &query.to_query_string())
}

/// Returns the URL of the live updates of an environment.
pub fn account_events(environment: Environment) -> String {
    with_query("/account/events".to_owned(), &EventsQuery { environment }.to_query_string())
}

/// API keys of the owner.
pub const ACCOUNT_KEYS: &str = "/account/keys";

/// Appends a query to a path, unless it is empty.
fn with_query(path: String, query: &str) -> String {
    if query.is_empty() { path } else { format!("{path}?{query}") }
}

fn list_query(filter: &Filter) -> ListQuery {
    ListQuery { filter: filter.clone(), ..ListQuery::default() }
}

fn filter_query(filter: &Filter) -> String {
    list_query(filter).to_query_string()
}

/// Returns the URL of the sign-in page that returns to `next`.
pub fn sign_in_url(next: &str) -> String {
    if next == HOME {
        SIGN_IN.to_owned()
    } else {
        format!("{SIGN_IN}?next={}", percent_encode(next))
    }
}

/// Returns the path to open after sign-in: `next` if it is a path of this dashboard, or else
/// [`HOME`]. This prevents open redirects to other sites.
pub fn after_sign_in(next: Option<&str>) -> &str {
    let is_local_path = |next: &&str| {
        next.starts_with('/')
            // `//host` and `/\host` are URLs of another host.
            && !next[1..].starts_with(['/', '\\'])
            && !next.chars().any(char::is_control)
            && !next.starts_with(SIGN_IN)
    };
    next.filter(is_local_path).unwrap_or(HOME)
}

/// Returns the URL of the start page of an environment, which redirects to its first form.
pub fn start_url(environment: Environment) -> String {
    format!("/{environment}/forms")
}

/// Returns the URL of a form's insights with a filter.
pub fn insights_url(environment: Environment, form: &FormId, filter: &Filter) -> String {
    with_query(format!("/{environment}/forms/{form}/insights"), &filter_query(filter))
}

/// Tab of a form's settings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Tab {
    /// Embedding and API snippets.
    #[default]
    Share,
    /// Fields.
    Fields,
    /// Intake settings.
    Intake,
    /// Spam.
    Spam,
    /// Trash: deleted submissions that can be restored.
    Trash,
    /// Analysis settings.
    Analysis,
    /// E-mails about submissions, and the auto-reply.
    Notifications,
    /// Webhooks and their deliveries.
    Webhooks,
}

impl Tab {
    /// Every tab, in order.
    pub const ALL: [Self; 8] = [
        Self::Share,
        Self::Fields,
        Self::Intake,
        Self::Spam,
        Self::Trash,
        Self::Analysis,
        Self::Notifications,
        Self::Webhooks,
    ];

    /// Returns the last path segment.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Share => "share",
            Self::Fields => "fields",
            Self::Intake => "intake",
            Self::Spam => "spam",
            Self::Trash => "trash",
            Self::Analysis => "analysis",
            Self::Notifications => "notifications",
            Self::Webhooks => "webhooks",
        }
    }
}

/// Returns the URL of a tab of a form's settings.
pub fn settings_url(environment: Environment, form: &FormId, tab: Tab) -> String {
    format!("/{environment}/forms/{form}/settings/{}", tab.as_str())
}

/// Returns the URL of the tab with webhooks: the list of all, or one of them with its deliveries.
pub fn webhooks_url(
    environment: Environment,
    form: &FormId,
    selection: &WebhookSelection,
) -> String {
    with_query(settings_url(environment, form, Tab::Webhooks), &selection.write_query())
}

/// Returns the tab that a path names; the first tab by default.
pub fn tab_of_path(path: &str) -> Tab {
    let last = path.trim_matches('/').rsplit('/').next();
    Tab::ALL.into_iter().find(|tab| last == Some(tab.as_str())).unwrap_or_default()
}

/// Page of the dashboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Page {
    /// Sign-in page.
    SignIn,
    /// Start page: redirects to the first form.
    Start,
    /// Start page of one environment.
    Forms,
    /// Account page: sessions, members and password.
    Account,
    /// Activity page (audit log).
    Activity,
    /// Page of API keys.
    Keys,
    /// Page that lists all forms.
    AllForms,
    /// Settings of one form.
    Settings,
    /// Insights of a form.
    Insights,
    /// Submission list or board of a form, or the inbox.
    List,
    /// Submission list with an open submission card.
    Card,
    /// Unknown path.
    Unknown,
}

/// Returns the page of a path.
pub fn page_of_path(path: &str) -> Page {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    match parts[..] {
        [] => Page::Start,
        ["sign-in"] => Page::SignIn,
        ["settings", "account"] => Page::Account,
        ["settings", "activity"] => Page::Activity,
        ["settings", "keys"] => Page::Keys,
        ["settings", "forms"] => Page::AllForms,
        [_, "forms"] => Page::Forms,
        [_, "forms", _] | [_, "forms", _, "board"] | [_, "inbox"] => Page::List,
        [_, "forms", _, "submissions", _]
        | [_, "forms", _, "board", "submissions", _]
        | [_, "inbox", "submissions", _] => Page::Card,
        [_, "forms", _, "insights"] => Page::Insights,
        [_, "forms", _, "settings"] | [_, "forms", _, "settings", _] => Page::Settings,
        _ => Page::Unknown,
    }
}

/// Parameters in a dashboard path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RouteParams {
    /// Environment.
    pub environment: Option<Environment>,
    /// Form.
    pub form: Option<FormId>,
    /// Whether the path is of the inbox, which lists the submissions of all forms.
    pub is_inbox: bool,
    /// Whether the path is of the list or of the board of a form.
    pub layout: ListLayout,
    /// The open submission.
    pub submission: Option<SubmissionId>,
}

/// Parses the parameters of a path. Invalid or missing parts are `None`.
pub fn parse_path(path: &str) -> RouteParams {
    let mut parts = path.trim_matches('/').split('/').peekable();
    let environment = parts.next().and_then(|part| part.parse().ok());
    let list = parts.next().filter(|_| environment.is_some());
    let is_inbox = list == Some("inbox");
    let form = match list {
        Some("forms") => parts.next().and_then(|part| part.parse().ok()),
        _ => None,
    };
    let is_board = form.is_some() && parts.next_if_eq(&"board").is_some();
    let layout = if is_board { ListLayout::Board } else { ListLayout::List };
    let opened = (is_inbox || form.is_some()) && parts.next() == Some("submissions");
    let submission = parts.next().filter(|_| opened).and_then(|part| part.parse().ok());
    RouteParams { environment, form, is_inbox, layout, submission }
}

/// Returns the URL of a member.
pub fn member_url(id: &PersonId) -> String {
    format!("{MEMBERS}/{id}")
}

/// Returns the URL that creates another sign-in link for a member.
pub fn member_link_url(id: &PersonId) -> String {
    format!("{MEMBERS}/{id}/link")
}

/// Returns the URL of a sign-in link at `origin`. The token is in the fragment, which browsers do
/// not send to servers.
pub fn sign_in_link_url(origin: &str, token: &str) -> String {
    format!("{origin}{SIGN_IN}#token={token}")
}

/// Returns the URL of a session.
pub fn session_url(id: &SessionId) -> String {
    format!("{SESSIONS}/{id}")
}

/// Returns the URL of a page of the owner's forms; of the first page without a cursor.
pub fn account_forms(cursor: Option<String>) -> String {
    let query = ListQuery { cursor, ..ListQuery::default() };
    with_query(ACCOUNT_FORMS.to_owned(), &query.to_query_string())
}

/// Returns the URL of the activity page with a filter.
pub fn activity_url(filter: ActivityFilter) -> String {
    with_query(ACTIVITY.to_owned(), &filter.write_query())
}

/// Returns the URL of a page of the audit log.
pub fn account_audit(query: &AuditQuery) -> String {
    with_query(ACCOUNT_AUDIT.to_owned(), &query.to_query_string())
}

/// Returns the URL that exports the matching audit entries as a file.
pub fn account_audit_export(query: &AuditQuery) -> String {
    with_query(format!("{ACCOUNT_AUDIT}/export"), &query.to_query_string())
}

/// Returns the URL of one of the owner's API keys.
pub fn account_key(id: &KeyId) -> String {
    format!("{ACCOUNT_KEYS}/{id}")
}

/// Returns the URL of a page of submissions through the gateway (specification, section 4.1).
pub fn api_list(environment: Environment, form: &FormId, query: &ListQuery) -> String {
    with_query(format!("/api/{environment}/v1/forms/{form}/submissions"), &query.to_query_string())
}

/// Returns the URL of a submission through the gateway (specification, sections 4.2 and 4.3).
pub fn api_submission(environment: Environment, id: &SubmissionId) -> String {
    format!("/api/{environment}/v1/submissions/{id}")
}

/// Returns the public URL of a submission list, for clients with an API key (specification, section
/// 4.1).
pub fn public_list(origin: &str, form: &str) -> String {
    format!("{origin}/v1/forms/{form}/submissions?limit=20")
}

/// Returns the public URL of a submission, for clients with an API key (specification, section
/// 4.2).
pub fn public_submission(origin: &str, id: &SubmissionId) -> String {
    format!("{origin}/v1/submissions/{id}")
}

#[cfg(not(target_arch = "wasm32"))]
#[cfg(test)]
mod tests {
    use super::*;
    use contract::filter::Search;
    use contract::summary::SummaryQuery;
    use contract::webhook::DeliveryState;
    use contract::{DeliveryId, NotificationId, Timestamp, WebhookId};

    fn filter() -> Filter {
        Filter {
            date_from: Timestamp::parse("2026-03-01T00:00:00+01:00").ok(),
            search: Search::new("a b&c").expect("short"),
            ..Filter::default()
        }
    }

    #[test]
    fn urls_match_snapshot() {
        let (form, id): (FormId, SubmissionId) =
            ("frm_1".parse().unwrap(), "sub_2".parse().unwrap());
        let key = "key_3".parse().unwrap();
        let live = Environment::Live;
        let test = Environment::Test;
        let page =
            ListQuery { filter: filter(), limit: 100, cursor: Some("c=".to_owned()), sort: None };
        let board_url = |opened: Option<&SubmissionId>, filter: &Filter| {
            list_page_url(live, Some((&form, ListLayout::Board)), opened, &list_query(filter))
        };
        let urls = [
            HOME.to_owned(),
            SIGN_IN.to_owned(),
            sign_in_url(HOME),
            sign_in_url("/live/forms/frm_1?search=x"),
            KEYS.to_owned(),
            start_url(live),
            list_url(live, &form, &Filter::default()),
            list_url(test, &form, &filter()),
            inbox_url(live, &filter()),
            list_page_url(test, None, Some(&id), &ListQuery::default()),
            board_url(None, &filter()),
            board_url(Some(&id), &Filter::default()),
            account_inbox(&InboxQuery {
                environment: live,
                filter: filter(),
                limit: 100,
                cursor: None,
            }),
            account_inbox_summary(&InboxSummaryQuery { environment: test, filter: filter() }),
            insights_url(live, &form, &filter()),
            submission_url(live, &form, &id, &filter()),
            SESSION.to_owned(),
            EMAIL_LINK.to_owned(),
            SESSION_LINK.to_owned(),
            account_forms(None),
            account_forms(Some("c=".to_owned())),
            ACCOUNT_KEYS.to_owned(),
            account_key(&key),
            account_summary(
                &form,
                &SummaryQuery {
                    filter: filter(),
                    time_zone: Some("Europe/Berlin".to_owned()),
                    ..SummaryQuery::default()
                },
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
        /live/inbox?date_from=2026-02-28T23:00:00Z&search=a%20b%26c
        /test/inbox/submissions/sub_2
        /live/forms/frm_1/board?date_from=2026-02-28T23:00:00Z&search=a%20b%26c
        /live/forms/frm_1/board/submissions/sub_2
        /account/inbox?environment=live&date_from=2026-02-28T23:00:00Z&search=a%20b%26c&limit=100
        /account/inbox/summary?environment=test&date_from=2026-02-28T23:00:00Z&search=a%20b%26c
        /live/forms/frm_1/insights?date_from=2026-02-28T23:00:00Z&search=a%20b%26c
        /live/forms/frm_1/submissions/sub_2?date_from=2026-02-28T23:00:00Z&search=a%20b%26c
        /session
        /session/email-link
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
    fn urls_of_webhooks_and_notifications_match_snapshot() {
        let form: FormId = "frm_1".parse().unwrap();
        let notification: NotificationId = "ntf_6".parse().unwrap();
        let hook: WebhookId = "whk_4".parse().unwrap();
        let delivery: DeliveryId = "dlv_5_a".parse().unwrap();
        let state = Some(DeliveryState::Failed);
        let selection = WebhookSelection { webhook: Some(hook.clone()), state };
        let urls = [
            webhooks_url(Environment::Live, &form, &selection),
            account_notification(&form, &notification),
            account_notification_part(&form, &notification, "test"),
            account_webhook(&form, &hook),
            account_webhook_part(&form, &hook, "rotate"),
            account_deliveries(&form, &hook, 20, None, None),
            account_deliveries(&form, &hook, 20, Some(&delivery), state),
            account_replay(&form, &hook, &delivery),
        ];
        insta::assert_snapshot!(urls.join("\n"), @"
        /live/forms/frm_1/settings/webhooks?webhook=whk_4&state=failed
        /account/forms/frm_1/notifications/ntf_6
        /account/forms/frm_1/notifications/ntf_6/test
        /account/forms/frm_1/webhooks/whk_4
        /account/forms/frm_1/webhooks/whk_4/rotate
        /account/forms/frm_1/webhooks/whk_4/deliveries?limit=20
        /account/forms/frm_1/webhooks/whk_4/deliveries?limit=20&before=dlv_5_a&state=failed
        /account/forms/frm_1/webhooks/whk_4/deliveries/dlv_5_a/replay
        ");
    }

    #[test]
    fn redirect_after_sign_in_stays_on_site() {
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
    fn path_resolves_to_page() {
        let (form, id): (FormId, SubmissionId) =
            ("frm_1".parse().unwrap(), "sub_2".parse().unwrap());
        let live = Environment::Live;
        let no_filter = Filter::default();
        let check = |path: &str, leads_to: Page| assert_eq!(page_of_path(path), leads_to, "{path}");
        check(HOME, Page::Start);
        check(SIGN_IN, Page::SignIn);
        check(KEYS, Page::Keys);
        check(ACTIVITY, Page::Activity);
        check(FORMS, Page::AllForms);
        check(&start_url(live), Page::Forms);
        check(&list_url(live, &form, &no_filter), Page::List);
        check(&submission_url(live, &form, &id, &no_filter), Page::Card);
        check(&inbox_url(live, &no_filter), Page::List);
        check(&list_page_url(live, None, Some(&id), &ListQuery::default()), Page::Card);
        check(&insights_url(live, &form, &no_filter), Page::Insights);
        for tab in Tab::ALL {
            check(&settings_url(live, &form, tab), Page::Settings);
        }
        // With typical manual edits.
        check("/live/forms/frm_1/", Page::List);
        check("/live/forms/frm_1/settings", Page::Settings);
        check("/live/forms/nonsense", Page::List);
        check("/live/forms/frm_1/board", Page::List);
        check("/live/forms/frm_1/board/submissions/sub_2", Page::Card);
        for nowhere in [
            "/live",
            "/settings",
            "/live/forms/frm_1/submissions",
            "/live/forms/frm_1/board/x",
            "/live/inbox/board",
            "/sign-in/x",
        ] {
            check(nowhere, Page::Unknown);
        }
        check("/live/forms/frm_1/settings/share/x", Page::Unknown);
    }

    #[test]
    fn path_yields_environment_form_and_submission() {
        let check = |path: &str, names: [&str; 3]| {
            let found = parse_path(path);
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
        check("/live/forms/frm_1/board/submissions/sub_2", ["live", "frm_1", "sub_2"]);
        check("/prod/forms/frm_1", ["", "", ""]);
        check("/live/inbox/submissions/sub_2", ["live", "", "sub_2"]);
        check("/prod/inbox/submissions/sub_2", ["", "", ""]);
        for (path, is_inbox) in
            [("/live/inbox", true), ("/prod/inbox", false), ("/live/forms/frm_1", false)]
        {
            assert_eq!(parse_path(path).is_inbox, is_inbox, "{path}");
        }
        for (path, layout) in [
            ("/live/forms/frm_1/board", ListLayout::Board),
            ("/live/forms/frm_1/board/submissions/sub_2", ListLayout::Board),
            ("/live/forms/frm_1/submissions/sub_2", ListLayout::List),
            ("/live/inbox/board", ListLayout::List),
        ] {
            assert_eq!(parse_path(path).layout, layout, "{path}");
        }
    }
}
