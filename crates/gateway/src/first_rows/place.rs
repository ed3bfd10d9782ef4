//! Parses the address of a dashboard page: whether it shows a list of submissions, and of which
//! form.

use contract::{Environment, FormId};
use http::Uri;

/// A form whose list of submissions a page shows, without a filter.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ListTarget {
    /// The first form of the given environment; without one, the first live form, else the first
    /// test form.
    First(Option<Environment>),
    /// The form with this id.
    Form(Environment, FormId),
}

impl ListTarget {
    /// Parses an address. Returns `None` for other pages, and for a list with a query: the server
    /// does not prerender filtered lists.
    pub(super) fn parse(uri: &Uri) -> Option<Self> {
        if uri.query().is_some() {
            return None;
        }
        let mut parts = uri.path().strip_prefix('/')?.split('/');
        let environment = match parts.next()? {
            "" => return parts.next().is_none().then_some(Self::First(None)),
            part => part.parse().ok()?,
        };
        if parts.next()? != "forms" {
            return None;
        }
        let Some(form) = parts.next() else { return Some(Self::First(Some(environment))) };
        let form = form.parse().ok()?;
        parts.next().is_none().then_some(Self::Form(environment, form))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_unfiltered_lists_get_rows() {
        let check = |uri: &'static str, expected: Option<ListTarget>| {
            assert_eq!(ListTarget::parse(&Uri::from_static(uri)), expected, "{uri}");
        };
        let live = Environment::Live;
        let test = Environment::Test;
        check("/", Some(ListTarget::First(None)));
        check("/test/forms", Some(ListTarget::First(Some(test))));
        check("/live/forms/frm_1", Some(ListTarget::Form(live, "frm_1".parse().unwrap())));
        for uri in [
            "/sign-in",
            "/live",
            "/live/forms/",
            "/live/forms/frm_1/",
            "/live/forms/frm_1?search=x",
            "/live/forms/frm_1/submissions/sub_1",
            "/live/forms/frm_1/insights",
            "/live/forms/nonsense",
            "/other/forms/frm_1",
            "/settings/keys",
        ] {
            check(uri, None);
        }
    }
}
