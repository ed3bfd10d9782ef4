//! The hint for a form without submissions.

use contract::Form;
use leptos::prelude::*;

use crate::{
    i18n,
    ui::{copy::CodeBlock, empty::Empty, icon::Glyph},
};

/// The hint, with a command that imports submissions.
#[component]
pub fn NoSubmissions(
    /// The form, once known.
    form: Signal<Option<Form>>,
) -> impl IntoView {
    let command = move || {
        let id = form.get().map_or_else(|| "FORM".to_owned(), |form| form.id.to_string());
        format!("sheaf import --form {id} --csv answers.csv")
    };
    view! {
        <Empty
            icon=Glyph::Form
            title=i18n::common().no_submissions_yet
            text=i18n::none_yet().text
        >
            <CodeBlock text=Signal::derive(command) label=i18n::common().copy_command />
        </Empty>
    }
}
