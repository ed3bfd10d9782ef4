//! Renders the page around the rows: the bars, the title and the toolbar. All of it is inactive
//! until the dashboard takes over.

use std::fmt::{self, Write as _};

use contract::{Environment, Form, FormId, Role};

use super::{Escaped, Icon};
use crate::icon;
use crate::labels::Labels;

/// Maximum number of forms in the side bar, more than a tall window shows.
const FORMS_MAX: usize = 40;

/// Renders the content of the top bar after the brand.
pub(super) fn render_top_bar(labels: &Labels, id: &FormId) -> String {
    let mut html = String::new();
    // Writing to a `String` cannot fail, here and below.
    let _ = write!(
        html,
        "<div class=\"switch\" data-drawn=\"{id}\">\
         <span class=\"switch-item\" aria-current=\"true\">{}</span>\
         <span class=\"switch-item\" data-tone=\"mixed\"><svg class=\"icon\" width=\"14\" \
         height=\"14\" viewBox=\"0 0 20 20\"><path d=\"{}\"></path></svg>{}</span></div>\
         <div class=\"top-bar-tools\" data-drawn=\"{id}\">",
        labels.live,
        icon::FLASK,
        labels.test,
    );
    let icon = Icon(icon::KEYBOARD);
    let _ = write!(
        html,
        "<button class=\"button icon-button\" data-variant=\"ghost\" data-size=\"medium\">{icon}\
         </button>"
    );
    for path in [icon::MONITOR, icon::ACCOUNT] {
        let icon = Icon(path);
        let _ = write!(
            html,
            "<button class=\"button menu-button\" data-variant=\"ghost\">{icon}</button>"
        );
    }
    html + "</div>"
}

/// Renders the content of the side bar: the inbox, the forms and the settings pages.
pub(super) fn render_side_bar(labels: &Labels, id: &FormId, forms: &[Form], role: Role) -> String {
    let mut html = String::new();
    let head = |html: &mut String, title: &str| {
        let _ = write!(
            html,
            "<div data-drawn=\"{id}\"><div class=\"side-bar-heading\">{title}</div><ul>"
        );
    };
    let _ = write!(html, "<div data-drawn=\"{id}\"><ul>");
    write_link(&mut html, icon::INBOX, labels.inbox);
    html.push_str("</ul></div>");
    head(&mut html, labels.forms);
    let live = forms.iter().filter(|form| form.environment == Environment::Live);
    for form in live.take(FORMS_MAX) {
        let current = if form.id == *id { " aria-current=\"page\"" } else { "" };
        let _ = write!(
            html,
            "<li><a class=\"nav-link\"{current}>{}<span class=\"nav-label\">{}</span>\
             <span class=\"nav-count\" data-number=\"{}\"></span></a></li>",
            Icon(icon::FORM),
            Escaped(&form.name),
            form.submission_count,
        );
    }
    html.push_str("</ul></div>");
    head(&mut html, labels.settings);
    // Only owners can see API keys and the audit log.
    let is_owner = role == Role::Owner;
    let keys = is_owner.then_some((icon::KEY, labels.api_keys));
    let activity = is_owner.then_some((icon::CLOCK, labels.activity));
    let forms = (icon::FORM, labels.all_forms);
    let account = (icon::ACCOUNT, labels.account);
    for (path, name) in [Some(forms), keys, activity, Some(account)].into_iter().flatten() {
        write_link(&mut html, path, name);
    }
    html + "</ul></div>"
}

/// Writes a link of the side bar to a page without a number of submissions.
fn write_link(html: &mut String, path: &'static str, name: &str) {
    let icon = Icon(path);
    let _ = write!(
        html,
        "<li><a class=\"nav-link\">{icon}<span class=\"nav-label\">{name}</span>\
         <span class=\"nav-count\"></span></a></li>"
    );
}

/// Writes the title and the toolbar above the list.
pub(super) fn write_page_header(
    html: &mut String,
    labels: &Labels,
    (title, role): (&str, Role),
    total: u64,
) -> fmt::Result {
    let unit = if total == 1 { labels.submission } else { labels.submissions };
    write!(
        html,
        "<div class=\"page-header\"><div class=\"page-title\">{}</div>\
         <span class=\"page-count\"><span data-number=\"{total}\"></span> {unit}</span>\
         <div class=\"page-actions\">",
        Escaped(title),
    )?;
    write_menu(html, icon::BOOKMARK, labels.views)?;
    write_button(html, icon::CHART, labels.insights)?;
    write_button(html, icon::TRASH, labels.trash)?;
    if role == Role::Owner {
        write_button(html, icon::SETTINGS, labels.settings)?;
    }
    write_button(html, icon::BOARD, labels.board)?;
    write_menu(html, icon::SETTINGS, labels.columns)?;
    write_button(html, icon::DOWNLOAD, labels.export)?;
    write!(
        html,
        "</div></div><div class=\"filter-bar\"><div class=\"search\">{}\
         <input class=\"input search-input\" type=\"search\" placeholder=\"{}\"></div>",
        Icon(icon::SEARCH),
        labels.search_answers,
    )?;
    write_menu(html, icon::CALENDAR, labels.date)?;
    write_menu(html, icon::FILTER, labels.filter)?;
    html.write_str("</div>")
}

fn write_button(html: &mut String, path: &'static str, name: &str) -> fmt::Result {
    let icon = Icon(path);
    write!(html, "<a class=\"button\" data-variant=\"plain\" data-size=\"medium\">{icon}{name}</a>")
}

fn write_menu(html: &mut String, path: &'static str, name: &str) -> fmt::Result {
    let icon = Icon(path);
    write!(
        html,
        "<button class=\"button menu-button\" data-variant=\"plain\">{icon}\
         <span class=\"menu-button-text\">{name}</span></button>"
    )
}
