//! Form fields: labels, hints and errors are linked to the input, and input is reported.

use dashboard::ui::field::{
    AreaField, CellSelect, CellText, CheckField, Choice, FieldKind, RadioField, SearchField,
    SelectField, TextField,
};
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::{HtmlInputElement, HtmlSelectElement};

use crate::stage::{
    Stage, attr, click, dispatch_event, is_focused, owner, press_key, settle, type_into, type_text,
    value,
};

#[wasm_bindgen_test]
async fn text_field_links_label_hint_error() {
    let _owner = owner();
    let text = RwSignal::new("maria".to_owned());
    let error = RwSignal::new(None::<String>);
    let stage = Stage::new(move || {
        view! {
            <TextField
                label="E-mail"
                kind=FieldKind::Email
                hint="We write there"
                length_max=80u32
                required=true
                error
                value=text
                on_input=move |typed| text.set(typed)
            />
        }
    });
    settle().await;
    let input = stage.one("input");
    assert_eq!(attr(&input, "type").as_deref(), Some("email"));
    assert_eq!(attr(&input, "maxlength").as_deref(), Some("80"));
    assert!(input.has_attribute("required"));
    assert_eq!(value(&input), "maria");
    assert_eq!(attr(&stage.one("label"), "for"), attr(&input, "id"));
    let described = || {
        let ids = attr(&input, "aria-describedby").unwrap();
        ids.split(' ').map(|id| stage.text(&format!("#{id}"))).collect::<Vec<_>>()
    };
    assert_eq!(described(), ["We write there"]);

    type_into(&input, "maria@example.org");
    assert_eq!(text.get_untracked(), "maria@example.org");

    error.set(Some("Enter an address".to_owned()));
    settle().await;
    assert_eq!(attr(&input, "aria-invalid").as_deref(), Some("true"));
    assert_eq!(described(), ["Enter an address", "We write there"]);

    // A value that the owner sets replaces typed text.
    text.set(String::new());
    settle().await;
    assert_eq!(value(&input), "");
}

#[wasm_bindgen_test]
async fn date_field_has_its_bounds() {
    let stage = Stage::new(|| {
        view! {
            <TextField
                label="To"
                kind=FieldKind::Date
                min=Some("2026-11-01".to_owned())
                value="2026-11-20"
                on_input=|_| ()
            />
        }
    });
    settle().await;
    let input = stage.one("input");
    assert_eq!(attr(&input, "min").as_deref(), Some("2026-11-01"));
    assert_eq!(attr(&input, "max"), None);
    assert_eq!(value(&input), "2026-11-20");
}

#[wasm_bindgen_test]
async fn select_shows_and_reports_value() {
    let _owner = owner();
    let chosen = RwSignal::new("test".to_owned());
    let stage = Stage::new(move || {
        view! {
            <SelectField
                label="Environment"
                value=chosen
                choices=vec![Choice::new("live", "Live"), Choice::new("test", "Test")]
                on_change=move |value| chosen.set(value)
            />
        }
    });
    settle().await;
    let select = stage.one("select");
    assert_eq!(attr(&stage.one("label"), "for"), attr(&select, "id"));
    let select: HtmlSelectElement = select.unchecked_into();
    assert_eq!(select.value(), "test");
    select.set_value("live");
    dispatch_event(&select, "change");
    assert_eq!(chosen.get_untracked(), "live");
    chosen.set("test".to_owned());
    settle().await;
    assert_eq!(select.value(), "test");
}

#[wasm_bindgen_test]
async fn radio_buttons_share_a_group() {
    let _owner = owner();
    let chosen = RwSignal::new("csv".to_owned());
    let stage = Stage::new(move || {
        view! {
            <RadioField
                label="Format"
                value=chosen
                choices=vec![Choice::new("csv", "CSV").hint("For spreadsheets"), Choice::new("json", "JSON")]
                on_change=move |value| chosen.set(value)
            />
        }
    });
    settle().await;
    assert_eq!(stage.text("legend"), "Format");
    let radios: Vec<HtmlInputElement> =
        stage.all("input").into_iter().map(JsCast::unchecked_into).collect();
    assert_eq!(radios[0].name(), radios[1].name());
    assert!(radios[0].checked() && !radios[1].checked());
    radios[1].click();
    assert_eq!(chosen.get_untracked(), "json");
}

#[wasm_bindgen_test]
async fn check_box_reports_its_state() {
    let _owner = owner();
    let on = RwSignal::new(false);
    let stage = Stage::new(move || {
        view! { <CheckField label="Safe" hint="For spreadsheets" checked=on on_change=move |is| on.set(is) /> }
    });
    settle().await;
    stage.one("label").click();
    assert!(on.get_untracked());
    on.set(false);
    settle().await;
    assert!(!stage.one("input").unchecked_into::<HtmlInputElement>().checked());
}

#[wasm_bindgen_test]
async fn search_is_cleared_by_button_and_escape() {
    let _owner = owner();
    let text = RwSignal::new(String::new());
    let busy = RwSignal::new(false);
    let stage = Stage::new(move || {
        view! { <SearchField label="Search answers" value=text busy on_input=move |typed| text.set(typed) /> }
    });
    settle().await;
    let input = stage.one("input");
    assert_eq!(attr(&input, "aria-label").as_deref(), Some("Search answers"));
    assert!(stage.all("button").is_empty());

    type_text(&input, "address").await;
    click(&stage.one("button[title='Clear search']")).await;
    assert_eq!((text.get_untracked(), value(&input)), (String::new(), String::new()));
    assert!(is_focused(&input));

    type_into(&input, "address");
    assert!(press_key(&input, "Escape"));
    assert_eq!(text.get_untracked(), "");
    // With an empty field, Escape is left to other handlers.
    assert!(!press_key(&input, "Escape"));

    busy.set(true);
    settle().await;
    assert_eq!(attr(&stage.one(".search"), "aria-busy").as_deref(), Some("true"));
}

#[wasm_bindgen_test]
async fn text_area_links_label_hint_error() {
    let _owner = owner();
    let text = RwSignal::new("one\ntwo".to_owned());
    let error = RwSignal::new(None::<String>);
    let stage = Stage::new(move || {
        view! {
            <AreaField
                label="Origins"
                hint="One a line"
                error
                rows=4
                value=text
                on_input=move |typed| text.set(typed)
            />
        }
    });
    settle().await;
    let area = stage.one("textarea");
    assert_eq!((value(&area).as_str(), attr(&area, "rows").as_deref()), ("one\ntwo", Some("4")));
    assert_eq!(attr(&stage.one("label"), "for"), attr(&area, "id"));
    type_into(&area, "three");
    assert_eq!(text.get_untracked(), "three");
    error.set(Some("Name one".to_owned()));
    settle().await;
    assert_eq!(attr(&area, "aria-invalid").as_deref(), Some("true"));
    let described = attr(&area, "aria-describedby").unwrap();
    let texts: Vec<_> = described.split(' ').map(|id| stage.text(&format!("#{id}"))).collect();
    assert_eq!(texts, ["Name one", "One a line"]);
}

#[wasm_bindgen_test]
async fn cell_fields_have_aria_labels() {
    let _owner = owner();
    let text = RwSignal::new("Ada".to_owned());
    let kind = RwSignal::new("b".to_owned());
    let invalid = RwSignal::new(false);
    let stage = Stage::new(move || {
        let choices = vec![Choice::new("a", "A"), Choice::new("b", "B")];
        view! {
            <CellText label="Name of row 1" value=text invalid on_input=move |it| text.set(it) />
            <CellSelect label="Type of row 1" value=kind choices on_change=move |it| kind.set(it) />
        }
    });
    settle().await;
    let input = stage.one("input");
    let select = stage.one("select");
    assert_eq!(attr(&input, "aria-label").as_deref(), Some("Name of row 1"));
    assert_eq!(attr(&select, "aria-label").as_deref(), Some("Type of row 1"));
    let select: HtmlSelectElement = select.unchecked_into();
    assert_eq!((value(&input).as_str(), select.value().as_str()), ("Ada", "b"));
    type_into(&input, "Bob");
    select.set_value("a");
    dispatch_event(&select, "change");
    assert_eq!((text.get_untracked().as_str(), kind.get_untracked().as_str()), ("Bob", "a"));
    assert_eq!(attr(&input, "aria-invalid"), None);
    invalid.set(true);
    settle().await;
    assert_eq!(attr(&input, "aria-invalid").as_deref(), Some("true"));
}
