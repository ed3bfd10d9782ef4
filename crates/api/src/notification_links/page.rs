//! Pages that links in e-mails open.
//!
//! They have no scripts and load no resources. They must not be framed, because their button
//! changes something.

use crate::html::escape;
use crate::intake::page::{html_document, style_policy};
use crate::locale::{self, Locale};
use axum::response::{IntoResponse, Response};
use contract::{Form, Notification};
use http::{HeaderName, HeaderValue, StatusCode, header};
use std::sync::LazyLock;

const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");

static POLICY: LazyLock<HeaderValue> =
    LazyLock::new(|| style_policy("form-action 'self'; frame-ancestors 'none'"));

/// Page of a valid link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LinkPage {
    /// Button that confirms the address.
    Confirm,
    /// The address is confirmed.
    Confirmed,
    /// Button that unsubscribes the address.
    Unsubscribe,
    /// The address is unsubscribed.
    Unsubscribed,
}

/// Returns the page of a valid link.
pub(super) fn response(
    locale: &Locale,
    page: LinkPage,
    notification: &Notification,
    form: &Form,
) -> Response {
    let texts = &locale.link;
    let (title, text, button) = match page {
        LinkPage::Confirm => (&texts.confirm, &texts.confirm_text, Some(&texts.confirm_button)),
        LinkPage::Confirmed => (&texts.confirmed, &texts.confirmed_text, None),
        LinkPage::Unsubscribe => {
            (&texts.unsubscribe, &texts.unsubscribe_text, Some(&texts.unsubscribe_button))
        }
        LinkPage::Unsubscribed => (&texts.unsubscribed, &texts.unsubscribed_text, None),
    };
    // The form's name must not change the direction of the text around it.
    let text = locale::render_template(text, |name| match name {
        "email" => format!("<strong>{}</strong>", escape(&notification.email)),
        _ => format!("<bdi><strong>{}</strong></bdi>", escape(&form.name)),
    });
    // Without an action, the form is sent to the URL of the page.
    let button = button.map_or_else(String::new, |label| {
        format!("<form method=\"post\"><button type=\"submit\">{label}</button></form>\n")
    });
    let inner = format!("<h1>{title}</h1>\n<p>{text}</p>\n{button}");
    html_response(StatusCode::OK, html_document(locale, title, "link", &inner))
}

/// Returns the page of a link that is unknown, incomplete or expired.
pub(super) fn invalid_response(locale: &Locale) -> Response {
    refusal_response(locale, StatusCode::NOT_FOUND)
}

/// Returns the page of an invalid link, with a status.
pub(super) fn refusal_response(locale: &Locale, status: StatusCode) -> Response {
    render_refusal(locale, status, (&locale.link.invalid, &locale.link.invalid_text))
}

/// Returns the page of a link that may work later.
pub(super) fn unavailable_response(locale: &Locale, status: StatusCode) -> Response {
    render_refusal(locale, status, (&locale.link.unavailable, &locale.link.unavailable_text))
}

/// Returns whether a content type is the one of these pages.
pub(super) fn is_html(content_type: &HeaderValue) -> bool {
    *content_type == HTML
}

fn render_refusal(locale: &Locale, status: StatusCode, (title, text): (&str, &str)) -> Response {
    let inner = format!("<h1>{title}</h1>\n<p>{text}</p>\n");
    html_response(status, html_document(locale, title, "refusal", &inner))
}

fn html_response(status: StatusCode, page: String) -> Response {
    let headers = [
        (header::CONTENT_TYPE, HTML),
        (header::CONTENT_SECURITY_POLICY, POLICY.clone()),
        // The URL has the token.
        (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
        (header::VARY, HeaderValue::from_static("accept-language")),
        (HeaderName::from_static("x-robots-tag"), HeaderValue::from_static("noindex")),
    ];
    (status, headers, page).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locale::all_locales;

    #[test]
    fn texts_of_actions_name_address_and_form() {
        for Locale { language, link, .. } in all_locales() {
            let texts = [
                &link.confirm_text,
                &link.confirmed_text,
                &link.unsubscribe_text,
                &link.unsubscribed_text,
            ];
            for text in texts {
                let is_named = text.contains("{email}") && text.contains("{form}");
                assert!(is_named && text.matches('{').count() == 2, "{language}: {text}");
            }
        }
    }
}
