//! Names of countries, languages and devices in the language of the interface. Country and language
//! names come from the browser's `Intl`. Unknown codes are shown unchanged, unknown devices
//! capitalised. Also the names of the tabs of the form settings.

use js_sys::{Function, Intl, Reflect};
use wasm_bindgen::JsCast;

use super::sentiment::capitalise_label;
use crate::{i18n, routes::Tab, ui::time::js_options};

thread_local! {
    // Cached, because a list needs it for every row. `None` if the browser has no `DisplayNames`.
    static COUNTRY_NAMES: Option<CodeNames> = CodeNames::for_type("region");
}

/// Returns the name of a country: `DE` is `Germany`.
pub fn country_name(code: &str) -> String {
    COUNTRY_NAMES
        .with(|names| names.as_ref().and_then(|names| names.name_of(code)))
        .unwrap_or_else(|| code.to_owned())
}

/// Returns the name of a language: `pt-BR` is `Brazilian Portuguese`.
pub fn language_name(code: &str) -> String {
    CodeNames::for_type("language")
        .and_then(|names| names.name_of(code))
        .unwrap_or_else(|| code.to_owned())
}

/// Returns the name of a device type: `mobile` is `Mobile`.
pub fn device_name(code: &str) -> String {
    let texts = i18n::devices();
    match code {
        "desktop" => texts.desktop.to_owned(),
        "mobile" => texts.mobile.to_owned(),
        "tablet" => texts.tablet.to_owned(),
        other => capitalise_label(other),
    }
}

/// Returns the name of a tab of the form settings.
pub fn tab_name(tab: Tab) -> &'static str {
    let texts = i18n::form_settings();
    match tab {
        Tab::Share => texts.share,
        Tab::Fields => texts.fields,
        Tab::Intake => texts.intake,
        Tab::Spam => texts.spam,
        Tab::Trash => texts.trash,
        Tab::Analysis => texts.analysis,
        Tab::Notifications => texts.notifications,
        Tab::Webhooks => texts.webhooks,
    }
}

/// An `Intl.DisplayNames` and its method `of`.
struct CodeNames(Intl::DisplayNames, Function);

impl CodeNames {
    fn for_type(kind: &str) -> Option<Self> {
        let options = js_options(&[("type", kind)]);
        let names = Intl::DisplayNames::new(&i18n::text_locales(), &options);
        let of = Reflect::get(&names, &"of".into()).ok()?.dyn_into().ok()?;
        Some(Self(names, of))
    }

    /// Returns the name of a code; `None` if it is malformed. `of` then throws, and calling it as a
    /// `Function` catches the exception.
    fn name_of(&self, code: &str) -> Option<String> {
        self.1.call1(&self.0, &code.into()).ok()?.as_string()
    }
}
