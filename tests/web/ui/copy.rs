//! Copy buttons and code blocks.

use dashboard::ui::copy::{CodeBlock, CopyButton};
use dashboard::ui::icon::Glyph;
use js_sys::{Function, Reflect};
use leptos::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::stage::{Stage, attr, click};

/// Replaces `navigator.clipboard.writeText` by a function with this body.
fn stub_clipboard(body: &str) {
    let stub = Function::new_with_args("text", body);
    Reflect::set(&window().navigator().clipboard(), &"writeText".into(), &stub).unwrap();
}

#[wasm_bindgen_test]
async fn copy_button_reports_success_or_failure() {
    stub_clipboard("window.copied = text; return Promise.resolve()");
    let stage = Stage::new(|| view! { <CopyButton text="sub_1" label="Copy id" icon_only=true /> });
    assert_eq!(attr(&stage.one("button"), "title").as_deref(), Some("Copy id"));
    assert_eq!(stage.text("[role=status]"), "");
    click(&stage.one("button")).await;
    assert_eq!(Reflect::get(&window(), &"copied".into()).unwrap(), "sub_1");
    assert_eq!(stage.text("[role=status]"), "Copied");
    assert_eq!(attr(&stage.one("path"), "d").as_deref(), Some(Glyph::Check.path()));

    // If the clipboard is denied, the status names the keyboard shortcut.
    stub_clipboard("return Promise.reject(new Error('denied'))");
    click(&stage.one("button")).await;
    assert!(stage.text("[role=status]").contains("Ctrl+C"));
    assert!(stage.one("[role=status]").has_attribute("data-shown"));
}

#[wasm_bindgen_test]
fn code_block_is_verbatim_and_focusable() {
    let stage = Stage::new(|| view! { <CodeBlock text="curl <url> &" label="Copy command" /> });
    assert_eq!(stage.text("pre"), "curl <url> &");
    assert_eq!(attr(&stage.one("pre"), "tabindex").as_deref(), Some("0"));
    assert_eq!(stage.text("button"), "Copy command");
}
