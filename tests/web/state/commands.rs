//! Command registry of the current page.

use dashboard::{domain::commands::Command, state::commands::Commands};
use leptos::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::stage::owner;

#[wasm_bindgen_test]
fn last_handler_wins_until_its_cleanup() {
    let owner = owner();
    let acts = Commands::default();
    let done = StoredValue::new(String::new());
    let note = move |who: &'static str| {
        move |_| {
            done.update_value(|done| done.push_str(who));
            true
        }
    };
    assert!(!acts.run(Command::Search));
    acts.register(&[Command::Search, Command::Export], note("page "));
    let card = owner.child();
    card.with(|| acts.register(&[Command::Search], note("card ")));
    assert!(acts.run(Command::Search) && acts.run(Command::Export));
    card.cleanup();
    assert!(acts.run(Command::Search));
    assert_eq!(done.get_value(), "card page page ");
    assert_eq!(acts.available(), [Command::Search, Command::Export]);
}

#[wasm_bindgen_test]
fn unavailable_command_is_not_listed() {
    let _owner = owner();
    let acts = Commands::default();
    let is_available = StoredValue::new(false);
    acts.register_if(&[Command::Delete], move || is_available.get_value(), |_| true);
    assert_eq!(acts.available(), []);
    is_available.set_value(true);
    assert_eq!(acts.available(), [Command::Delete]);
}
