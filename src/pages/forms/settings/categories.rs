//! The categories of a form and their keywords.

use contract::FormId;
use contract::insight::{CATEGORIES_MAX, Categories, Category, FormCategories};
use leptos::{prelude::*, task::spawn_local};

use crate::{
    api::{self, Remote},
    components::{
        page::sentence,
        remote::{load, remote_view},
    },
    domain::fields::words,
    i18n,
    state::{
        confirm::{Confirm, Question},
        session::SessionStore,
        toasts::Toasts,
    },
    ui::{
        badge::Tone,
        button::{Button, ButtonSize, ButtonVariant},
        field::{AreaField, TextField},
        focus,
        icon::Glyph,
        notice::Notice,
    },
};

/// The section.
#[component]
pub fn CategorySettings(
    /// The form.
    form: FormId,
    /// Ended if a request returns 401.
    session: SessionStore,
) -> impl IntoView {
    let (texts, known) = (i18n::form_categories(), RwSignal::new(Remote::Loading));
    let of_load = form.clone();
    let load = move || {
        let form = of_load.clone();
        load(known, session, async move { api::categories(&form).await });
    };
    load();
    let body = remote_view(known, (texts.loading, texts.what), load, move |now: FormCategories| {
        let editor = Editor::new(form.clone(), known, session, &now);
        view! { <Questions editor is_default=now.is_default /> }.into_any()
    });
    view! {
        <section>
            <h2 class="section-title">{texts.title}</h2>
            <p class="section-text">
                {texts.about}
            </p>
            {body}
        </section>
    }
}

/// Editable category. Cheap to copy.
#[derive(Clone, Copy)]
struct Row {
    number: u32,
    name: RwSignal<String>,
    words: RwSignal<String>,
}

/// State of the editor. Cheap to copy.
#[derive(Clone, Copy)]
struct Editor {
    form: StoredValue<FormId>,
    known: RwSignal<Remote<FormCategories>>,
    rows: RwSignal<Vec<Row>>,
    next: StoredValue<u32>,
    error: RwSignal<Option<String>>,
    busy: RwSignal<bool>,
    session: SessionStore,
    toasts: Toasts,
}

impl Editor {
    fn new(
        form: FormId,
        known: RwSignal<Remote<FormCategories>>,
        session: SessionStore,
        now: &FormCategories,
    ) -> Self {
        let editor = Self {
            form: StoredValue::new(form),
            known,
            rows: RwSignal::new(Vec::new()),
            next: StoredValue::new(1),
            error: RwSignal::new(None),
            busy: RwSignal::new(false),
            session,
            toasts: expect_context(),
        };
        let row = |one: &Category| editor.row(&one.name, &one.words.join(", "));
        editor.rows.set(now.categories.as_slice().iter().map(row).collect());
        editor
    }

    fn row(self, name: &str, words: &str) -> Row {
        let number = self.next.get_value();
        self.next.set_value(number + 1);
        let (name, words) = (name.to_owned(), words.to_owned());
        Row { number, name: RwSignal::new(name), words: RwSignal::new(words) }
    }

    fn add(self) {
        let row = self.row("", "");
        self.rows.update(|rows| rows.push(row));
        look_at(format!("[data-category='{}'] input", row.number));
    }

    fn leave_out(self, number: u32) {
        self.rows.update(|rows| rows.retain(|row| row.number != number));
        look_at("[data-act=add-category] button".to_owned());
    }

    fn read(self) -> Result<Categories, String> {
        let category = |row: &Row| Category {
            name: row.name.get_untracked(),
            words: words(&row.words.get_untracked()),
        };
        let rows = self.rows.with_untracked(|rows| rows.iter().map(category).collect::<Vec<_>>());
        rows.try_into()
    }

    fn save(self) {
        match self.read() {
            Ok(categories) => self.send(Some(categories)),
            Err(wrong) => self.error.set(Some(sentence(&wrong))),
        }
    }

    fn send(self, categories: Option<Categories>) {
        if self.busy.get_untracked() {
            return;
        }
        self.error.set(None);
        self.busy.set(true);
        spawn_local(async move {
            if let Err(problem) = self.put(categories).await {
                self.error.try_set(Some(problem));
            }
            self.busy.try_set(false);
        });
    }

    async fn put(self, categories: Option<Categories>) -> Result<(), String> {
        let Some(form) = self.form.try_get_value() else { return Ok(()) };
        match api::set_categories(&form, categories).await {
            Ok(now) => {
                self.toasts.done(i18n::form_categories().saved);
                self.known.try_set(Remote::Loaded(now));
                Ok(())
            }
            Err(error) => {
                self.session.notice(&error);
                Err(sentence(&error.message()))
            }
        }
    }
}

/// Moves the focus to the first match of `selector`, after the next render.
fn look_at(selector: String) {
    spawn_local(async move {
        leptos::task::tick().await;
        document().query_selector(&selector).ok().flatten().iter().for_each(focus);
    });
}

#[component]
fn Questions(editor: Editor, is_default: bool) -> impl IntoView {
    let (confirm, texts) = (expect_context::<Confirm>(), i18n::form_categories());
    let row = move |row: Row| view! { <CategoryRow editor row /> };
    let full = Signal::derive(move || {
        let count = editor.rows.with(Vec::len);
        (count >= CATEGORIES_MAX).then(|| (texts.full)(CATEGORIES_MAX))
    });
    let error = move || {
        let text = editor.error.get()?;
        Some(view! { <Notice tone=Tone::Negative>{text}</Notice> })
    };
    let usual = move |_| {
        let act = move || editor.put(None);
        confirm.ask(Question::new(texts.usual_title, texts.usual_text, texts.usual, act));
    };
    let origin = if is_default {
        view! {
            <Notice tone=Tone::Info>{texts.are_usual}</Notice>
        }
        .into_any()
    } else {
        ().into_any()
    };
    view! {
        <div class="form" data-wide="true">
            {origin}
            <For each=move || editor.rows.get() key=|row| row.number children=row />
            {error}
            <div class="form-acts">
                <span data-act="add-category">
                    <Button
                        icon=Glyph::Plus
                        disabled_reason=full
                        on_click=move |_| editor.add()
                    >
                        {texts.add}
                    </Button>
                </span>
                <Show when=move || !is_default>
                    <Button variant=ButtonVariant::Ghost on_click=usual>
                        {texts.usual}
                    </Button>
                </Show>
                <Button
                    variant=ButtonVariant::Primary
                    busy=editor.busy
                    on_click=move |_| editor.save()
                >
                    {texts.save}
                </Button>
            </div>
        </div>
    }
}

#[component]
fn CategoryRow(editor: Editor, row: Row) -> impl IntoView {
    let texts = i18n::form_categories();
    let Row { number, name, words } = row;
    let called = move || match name.get().trim() {
        "" => texts.new.to_owned(),
        name => name.to_owned(),
    };
    view! {
        <fieldset class="group" data-category=number.to_string()>
            <legend class="visually-hidden">{move || (texts.category)(&called())}</legend>
            <TextField label=i18n::common().name value=name on_input=move |text| name.set(text) />
            <AreaField
                label=texts.words
                hint=texts.words_hint
                rows=2
                value=words
                on_input=move |text| words.set(text)
            />
            <div class="form-acts">
                <Button
                    size=ButtonSize::Small
                    on_click=move |_| editor.leave_out(number)
                >
                    {texts.leave_out}
                    <span class="visually-hidden">{move || (texts.leave_out_of)(&called())}</span>
                </Button>
            </div>
        </fieldset>
    }
}
