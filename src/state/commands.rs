//! Commands available on the current page. A page registers its commands while it is mounted; keys
//! and the command palette run them.

use leptos::prelude::*;

use crate::domain::commands::Command;

/// Commands of one [`Commands::register`] call.
#[derive(Clone, Copy)]
struct CommandRegistration {
    id: u32,
    commands: &'static [Command],
    is_available: Callback<(), bool>,
    run: Callback<Command, bool>,
}

/// The registered commands; provided as context by the app.
#[derive(Clone, Copy, Default)]
pub struct Commands {
    registrations: RwSignal<Vec<CommandRegistration>>,
    next_id: StoredValue<u32>,
}

impl Commands {
    /// Registers commands until the current reactive owner is disposed of. `run` runs one of them,
    /// and returns whether it had any effect.
    pub fn register(
        &self,
        commands: &'static [Command],
        run: impl Fn(Command) -> bool + Send + Sync + 'static,
    ) {
        self.register_if(commands, || true, run);
    }

    /// Like [`Self::register`], for commands that are listed only while `is_available` returns
    /// true.
    pub fn register_if(
        &self,
        commands: &'static [Command],
        is_available: impl Fn() -> bool + Send + Sync + 'static,
        run: impl Fn(Command) -> bool + Send + Sync + 'static,
    ) {
        let is_available = Callback::new(move |()| is_available());
        let run = Callback::new(run);
        let id = self.next_id.try_update_value(|next| {
            *next += 1;
            *next
        });
        let Some(id) = id else { return };
        self.registrations.update(|list| {
            list.push(CommandRegistration { id, commands, is_available, run });
        });
        let registrations = self.registrations;
        on_cleanup(move || {
            registrations.try_update(|list| list.retain(|registration| registration.id != id));
        });
    }

    /// Runs the latest registration of a command. Returns whether it had any effect.
    pub fn run(&self, command: Command) -> bool {
        let found = self.registrations.try_with_untracked(|list| {
            list.iter().rev().find(|registration| registration.commands.contains(&command)).copied()
        });
        found.flatten().is_some_and(|registration| registration.run.run(command))
    }

    /// Returns the commands that are available now, latest registration first.
    pub fn available(&self) -> Vec<Command> {
        let registrations = self.registrations.get_untracked();
        let available =
            registrations.iter().rev().filter(|registration| registration.is_available.run(()));
        available.flat_map(|registration| registration.commands).copied().collect()
    }
}
