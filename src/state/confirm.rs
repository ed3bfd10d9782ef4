//! The one question that may be open: whether to do what cannot be undone.
//!
//! Whoever asks brings the act; the app draws the dialog. The dialog stays until the act has
//! succeeded, so that a failure is said where it was asked.

use std::{future::Future, pin::Pin, sync::Arc};

use leptos::{prelude::*, task::spawn_local};

/// What an act comes to: nothing more to say, or why it failed.
pub type Outcome = Result<(), String>;

type Command = Arc<dyn Fn() -> Pin<Box<dyn Future<Output = Outcome>>> + Send + Sync>;

/// A question and the act that follows a yes.
#[derive(Clone)]
pub struct Question {
    title: String,
    text: String,
    verb: String,
    act: Command,
}

impl Question {
    /// Returns a question: `title` names the thing, `text` says what will happen, `verb` is the
    /// word on the button, and `act` does it.
    pub fn new<F, Fut>(
        title: impl Into<String>,
        text: impl Into<String>,
        verb: impl Into<String>,
        act: F,
    ) -> Self
    where
        F: Fn() -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Outcome> + 'static,
    {
        let act: Command = Arc::new(move || Box::pin(act()));
        Self { title: title.into(), text: text.into(), verb: verb.into(), act }
    }
}

/// The store of the open question, to be provided as context by the app.
#[derive(Clone, Copy)]
pub struct Confirm {
    question: RwSignal<Option<Question>>,
    open: RwSignal<bool>,
    busy: RwSignal<bool>,
    error: RwSignal<Option<String>>,
}

impl Default for Confirm {
    fn default() -> Self {
        Self::new()
    }
}

impl Confirm {
    /// Returns a store without a question, owned by the present reactive owner.
    pub fn new() -> Self {
        Self {
            question: RwSignal::new(None),
            open: RwSignal::new(false),
            busy: RwSignal::new(false),
            error: RwSignal::new(None),
        }
    }

    /// Asks. Ignored while another question is open.
    pub fn ask(&self, question: Question) {
        if !self.open.get_untracked() {
            self.error.set(None);
            self.question.set(Some(question));
            self.open.set(true);
        }
    }

    /// Takes a no. While the act is under way there is no way back.
    pub fn close(&self) {
        if !self.busy.get_untracked() {
            self.open.set(false);
        }
    }

    /// Takes a yes: acts, and closes once that has succeeded.
    pub fn act(&self) {
        let this = *self;
        let Some(question) = self.question.get_untracked() else { return };
        if self.busy.get_untracked() {
            return;
        }
        self.busy.set(true);
        self.error.set(None);
        spawn_local(async move {
            let outcome = (question.act)().await;
            this.busy.try_set(false);
            match outcome {
                Ok(()) => this.open.try_set(false),
                Err(problem) => {
                    this.error.try_set(Some(problem));
                    None
                }
            };
        });
    }

    /// Returns whether a question is open.
    pub fn open(&self) -> Signal<bool> {
        self.open.into()
    }

    /// Returns whether its act is under way.
    pub fn busy(&self) -> Signal<bool> {
        self.busy.into()
    }

    /// Returns why the act failed.
    pub fn error(&self) -> Signal<Option<String>> {
        self.error.into()
    }

    /// Returns the title of the question, also while its dialog fades.
    pub fn title(&self) -> Signal<String> {
        self.part(|question| question.title.clone())
    }

    /// Returns what will happen.
    pub fn text(&self) -> Signal<String> {
        self.part(|question| question.text.clone())
    }

    /// Returns the word on the button that acts.
    pub fn verb(&self) -> Signal<String> {
        self.part(|question| question.verb.clone())
    }

    fn part(&self, read: impl Fn(&Question) -> String + Send + Sync + 'static) -> Signal<String> {
        let question = self.question;
        Signal::derive(move || question.with(|one| one.as_ref().map(&read).unwrap_or_default()))
    }
}
