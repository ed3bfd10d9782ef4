//! The categories of a form and their keywords.

use contract::FormId;
use contract::insight::{CATEGORIES_MAX, Categories, Category, FormCategories};
use leptos::{prelude::*, task::spawn_local};

use crate::{
    api::{self, Remote},
    components::{
        page::{explain_failure, to_sentence},
        remote::{load, remote_view},
    },
    domain::fields::split_phrases,
    i18n,
    state::{confirm::Confirm, session::SessionStore, toasts::Toasts},
    ui::{
        badge::StatusTone,
        button::{Button, ButtonSize, ButtonVariant},
        component_owner::ComponentOwner,
        field::{AreaField, TextField},
        focus_after_render,
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
    let texts = i18n::form_categories();
    let known = RwSignal::new(Remote::Loading);
    let of_load = form.clone();
    let load = move || {
        let form = of_load.clone();
        load(known, session, async move { api::get_categories(&form).await });
    };
    load();
    let body = remote_view(known, (texts.loading, texts.what), load, move |now: FormCategories| {
        let editor = CategoriesEditor::new(form.clone(), known, session, &now);
        view! { <CategoriesForm editor /> }.into_any()
    });
    view! {
        <section>
            <h2 class="section-title">{texts.title}</h2>
            <p class="section-text">{texts.about}</p>
            {body}
        </section>
    }
}

/// Editable category. Cheap to copy.
#[derive(Clone, Copy)]
struct CategoryDraft {
    number: u32,
    name: RwSignal<String>,
    words: RwSignal<String>,
}

/// State of the editor. Cheap to copy.
#[derive(Clone, Copy)]
struct CategoriesEditor {
    form: StoredValue<FormId>,
    loaded: RwSignal<Remote<FormCategories>>,
    rows: RwSignal<Vec<CategoryDraft>>,
    is_default: RwSignal<bool>,
    next_number: StoredValue<u32>,
    owner: ComponentOwner,
    error: RwSignal<Option<String>>,
    busy: RwSignal<bool>,
    session: SessionStore,
    toasts: Toasts,
}

impl CategoriesEditor {
    fn new(
        form: FormId,
        known: RwSignal<Remote<FormCategories>>,
        session: SessionStore,
        now: &FormCategories,
    ) -> Self {
        let editor = Self {
            form: StoredValue::new(form),
            loaded: known,
            rows: RwSignal::new(Vec::new()),
            is_default: RwSignal::new(now.is_default),
            next_number: StoredValue::new(1),
            owner: ComponentOwner::current(),
            error: RwSignal::new(None),
            busy: RwSignal::new(false),
            session,
            toasts: expect_context(),
        };
        let row = |category: &Category| editor.new_row(&category.name, &category.words.join(", "));
        editor.rows.set(now.categories.as_slice().iter().map(row).collect());
        editor
    }

    fn new_row(self, name: &str, words: &str) -> CategoryDraft {
        let number = self.next_number.get_value();
        self.next_number.set_value(number + 1);
        self.owner.with(|| CategoryDraft {
            number,
            name: RwSignal::new(name.to_owned()),
            words: RwSignal::new(words.to_owned()),
        })
    }

    fn add_category(self) {
        let row = self.new_row("", "");
        self.rows.update(|rows| rows.push(row));
        focus_after_render(format!("[data-category='{}'] input", row.number));
    }

    fn remove_category(self, number: u32) {
        self.rows.update(|rows| rows.retain(|row| row.number != number));
        focus_after_render("[data-act=add-category] button".to_owned());
    }

    fn parse_categories(self) -> Result<Categories, String> {
        let category = |row: &CategoryDraft| Category {
            name: row.name.get_untracked(),
            words: split_phrases(&row.words.get_untracked()),
        };
        let rows = self.rows.with_untracked(|rows| rows.iter().map(category).collect::<Vec<_>>());
        rows.try_into()
    }

    fn save_categories(self) {
        match self.parse_categories() {
            Ok(categories) => self.send_categories(Some(categories)),
            Err(problem) => self.error.set(Some(to_sentence(&problem))),
        }
    }

    fn send_categories(self, categories: Option<Categories>) {
        if self.busy.get_untracked() {
            return;
        }
        let form = self.form.get_value();
        self.error.set(None);
        self.busy.set(true);
        spawn_local(async move {
            if let Err(problem) = self.request_save(form, categories).await {
                self.error.try_set(Some(problem));
            }
            self.busy.try_set(false);
        });
    }

    async fn request_save(
        self,
        form: FormId,
        categories: Option<Categories>,
    ) -> Result<(), String> {
        let is_reset = categories.is_none();
        match api::set_categories(&form, categories).await {
            Ok(now) => {
                self.toasts.show_success(i18n::form_categories().saved);
                // A new editor would lose the focus and text typed during the request.
                if is_reset {
                    self.loaded.try_set(Remote::Loaded(now));
                } else {
                    self.is_default.try_set(now.is_default);
                }
                Ok(())
            }
            Err(error) => Err(explain_failure(self.session, &error)),
        }
    }
}

#[component]
fn CategoriesForm(editor: CategoriesEditor) -> impl IntoView {
    let confirm = expect_context::<Confirm>();
    let texts = i18n::form_categories();
    let row = move |row: CategoryDraft| view! { <CategoryRow editor row /> };
    let full = Signal::derive(move || {
        let count = editor.rows.with(Vec::len);
        (count >= CATEGORIES_MAX).then(|| (texts.full)(CATEGORIES_MAX))
    });
    let error = move || {
        let text = editor.error.get()?;
        Some(view! { <Notice tone=StatusTone::Negative>{text}</Notice> })
    };
    let usual = move |_| {
        // The dialog stays open if the user leaves the tab by the history.
        let form = editor.form.get_value();
        let save = move || editor.request_save(form.clone(), None);
        confirm.ask(texts.usual_title, texts.usual_text, texts.usual, save);
    };
    let is_default = editor.is_default;
    view! {
        <div class="form" data-wide="true">
            <Show when=move || is_default.get()>
                <Notice tone=StatusTone::Info>{texts.are_usual}</Notice>
            </Show>
            <For each=move || editor.rows.get() key=|row| row.number children=row />
            {error}
            <div class="form-acts">
                <span data-act="add-category">
                    <Button
                        icon=Glyph::Plus
                        disabled_reason=full
                        on_click=move |_| editor.add_category()
                    >
                        {texts.add}
                    </Button>
                </span>
                <Show when=move || !is_default.get()>
                    <Button variant=ButtonVariant::Ghost on_click=usual>
                        {texts.usual}
                    </Button>
                </Show>
                <Button
                    variant=ButtonVariant::Primary
                    busy=editor.busy
                    on_click=move |_| editor.save_categories()
                >
                    {texts.save}
                </Button>
            </div>
        </div>
    }
}

#[component]
fn CategoryRow(editor: CategoriesEditor, row: CategoryDraft) -> impl IntoView {
    let texts = i18n::form_categories();
    let CategoryDraft { number, name, words } = row;
    let display_name = move || match name.get().trim() {
        "" => texts.new.to_owned(),
        name => name.to_owned(),
    };
    view! {
        <fieldset class="group" data-category=number.to_string()>
            <legend class="visually-hidden">{move || (texts.category)(&display_name())}</legend>
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
                    on_click=move |_| editor.remove_category(number)
                >
                    {texts.leave_out}
                    <span class="visually-hidden">
                        {move || (texts.leave_out_of)(&display_name())}
                    </span>
                </Button>
            </div>
        </fieldset>
    }
}
