//! Confirmation of actions that affect much or cannot be undone. At most one question is open.
//!
//! The caller passes the action; the app renders the dialog. The dialog stays open until the action
//! succeeds, so that it can show errors.

use std::{future::Future, pin::Pin, sync::Arc};

use leptos::{prelude::*, task::spawn_local};

/// Result of an action: success, or an error message.
pub type ConfirmResult = Result<(), String>;

type ConfirmAction = Arc<dyn Fn() -> Pin<Box<dyn Future<Output = ConfirmResult>>> + Send + Sync>;

/// A question, and the action to run when it is confirmed.
#[derive(Clone)]
struct Question {
    title: String,
    text: String,
    verb: String,
    action: ConfirmAction,
}

/// The open question; provided as context by the app.
#[derive(Clone, Copy, Default)]
pub struct Confirm {
    question: RwSignal<Option<Question>>,
    open: RwSignal<bool>,
    busy: RwSignal<bool>,
    error: RwSignal<Option<String>>,
}

impl Confirm {
    /// Asks before an action: `title` names the object, `text` describes the consequence, and
    /// `verb` is the label of the button. Ignored while another question is open.
    pub fn ask<F, Fut>(
        &self,
        title: impl Into<String>,
        text: impl Into<String>,
        verb: impl Into<String>,
        action: F,
    ) where
        F: Fn() -> Fut + Send + Sync + 'static,
        Fut: Future<Output = ConfirmResult> + 'static,
    {
        let action: ConfirmAction = Arc::new(move || Box::pin(action()));
        self.open_question(Question {
            title: title.into(),
            text: text.into(),
            verb: verb.into(),
            action,
        });
    }

    fn open_question(&self, question: Question) {
        if !self.open.get_untracked() {
            self.error.set(None);
            self.question.set(Some(question));
            self.open.set(true);
        }
    }

    /// Closes the dialog. Ignored while the action is running.
    pub fn close(&self) {
        if !self.busy.get_untracked() {
            self.open.set(false);
        }
    }

    /// Runs the action, and closes the dialog if it succeeds. Ignored while the action is running.
    pub fn confirm(&self) {
        let stack = *self;
        let Some(question) = self.question.get_untracked() else { return };
        if self.busy.get_untracked() {
            return;
        }
        self.busy.set(true);
        self.error.set(None);
        spawn_local(async move {
            let outcome = (question.action)().await;
            stack.busy.try_set(false);
            match outcome {
                Ok(()) => stack.open.try_set(false),
                Err(problem) => {
                    stack.error.try_set(Some(problem));
                    None
                }
            };
        });
    }

    /// Returns whether a question is open.
    pub fn open(&self) -> Signal<bool> {
        self.open.into()
    }

    /// Returns whether the action is running.
    pub fn busy(&self) -> Signal<bool> {
        self.busy.into()
    }

    /// Returns the error message of the last attempt.
    pub fn error(&self) -> Signal<Option<String>> {
        self.error.into()
    }

    /// Returns the title of the question. It stays set while the dialog fades out.
    pub fn title(&self) -> Signal<String> {
        self.question_text(|question| question.title.clone())
    }

    /// Returns the description of the consequence.
    pub fn text(&self) -> Signal<String> {
        self.question_text(|question| question.text.clone())
    }

    /// Returns the label of the button.
    pub fn verb(&self) -> Signal<String> {
        self.question_text(|question| question.verb.clone())
    }

    fn question_text(
        &self,
        read: impl Fn(&Question) -> String + Send + Sync + 'static,
    ) -> Signal<String> {
        let question = self.question;
        Signal::derive(move || {
            question.with(|question| question.as_ref().map(&read).unwrap_or_default())
        })
    }
}
