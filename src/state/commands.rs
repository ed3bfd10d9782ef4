//! Commands available on the current page. A page registers its commands while it is mounted; keys
//! and the command palette run them.

use leptos::prelude::*;

use crate::domain::commands::Command;

/// Commands registered together.
#[derive(Clone, Copy)]
struct CommandRegistration {
    id: u32,
    commands: &'static [Command],
    run: Callback<Command, bool>,
}

/// The registered commands; provided as context by the app.
#[derive(Clone, Copy)]
pub struct Commands {
    registrations: RwSignal<Vec<CommandRegistration>>,
    next_id: StoredValue<u32>,
}

impl Default for Commands {
    fn default() -> Self {
        Self::new()
    }
}

impl Commands {
    /// Creates a store without commands, owned by the current reactive owner.
    pub fn new() -> Self {
        Self { registrations: RwSignal::new(Vec::new()), next_id: StoredValue::new(0) }
    }

    /// Registers commands until the current owner is disposed. `run` runs one of them, and returns
    /// whether it had any effect.
    pub fn register(
        &self,
        acts: &'static [Command],
        run: impl Fn(Command) -> bool + Send + Sync + 'static,
    ) {
        let id = self.next_id.try_update_value(|next| {
            *next += 1;
            *next
        });
        let Some(id) = id else { return };
        self.registrations.update(|offers| {
            offers.push(CommandRegistration { id, commands: acts, run: Callback::new(run) });
        });
        let offers = self.registrations;
        on_cleanup(move || {
            offers.try_update(|offers| offers.retain(|offer| offer.id != id));
        });
    }

    /// Runs the latest registration of a command. Returns whether it had any effect.
    pub fn run(&self, act: Command) -> bool {
        let found = self.registrations.try_with_untracked(|offers| {
            offers.iter().rev().find(|offer| offer.commands.contains(&act)).copied()
        });
        found.flatten().is_some_and(|offer| offer.run.run(act))
    }

    /// Returns the available commands, latest registration first. Tracked.
    pub fn available(&self) -> Vec<Command> {
        self.registrations
            .with(|offers| offers.iter().rev().flat_map(|offer| offer.commands).copied().collect())
    }
}
