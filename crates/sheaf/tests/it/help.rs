//! The manual: `--help` of every command, so that a change of the command line is seen.

use crate::test_env::{binary, expect_success};

#[test]
fn help_of_every_command() {
    let mut manual = whole_help("");
    for command in subcommands("") {
        let help = match command.as_str() {
            "service" | "gateway" => help_beside_serve(&command),
            _ => help(&command),
        };
        manual = format!("{manual}\n\n=== sheaf {command}\n\n{help}");
    }
    insta::assert_snapshot!("help", manual);
}

/// Returns the commands below a command, each before those below it.
fn subcommands(command: &str) -> Vec<String> {
    let help = whole_help(command);
    let list = help.split_once("\nCommands:\n").map_or("", |(_, rest)| rest);
    // A long description continues in a line that is indented further.
    let names = list
        .lines()
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.strip_prefix("  ").filter(|line| !line.starts_with(' ')))
        .filter_map(|line| line.split(' ').next().filter(|name| *name != "help"));
    let mut commands = Vec::new();
    for name in names {
        let command = format!("{command} {name}").trim_start().to_owned();
        let below = subcommands(&command);
        commands.push(command);
        commands.extend(below);
    }
    commands
}

/// Returns the help of a command, without the options that all commands have.
fn help(command: &str) -> String {
    let text = whole_help(command);
    let (own, rest) = text.split_once("\nData options:\n").unwrap();
    let (shared, examples) = rest.split_once("\nExamples:\n").unwrap_or((rest, ""));
    assert_eq!(shared.matches(" --").count(), 4, "{command}");
    match examples {
        "" => own.trim_end().to_owned(),
        examples => format!("{}\n\nExamples:\n{examples}", own.trim_end()),
    }
}

/// Returns the parts that the help of `sheaf serve` lacks, and the options that only it has.
fn help_beside_serve(command: &str) -> String {
    let (serve, own) = (help_parts("serve"), help_parts(command));
    let added = own.iter().filter(|part| !serve.contains(part));
    let added = added.flat_map(|part| part.lines()).filter(|line| !line.is_empty());
    let added = added.map(|line| format!("+ {line}"));
    let missing = serve.iter().filter(|part| !own.contains(part) && part.starts_with(' '));
    let missing =
        missing.filter_map(|part| part.trim_start().lines().next()).map(|line| format!("- {line}"));
    added.chain(missing).collect::<Vec<_>>().join("\n")
}

/// Splits the help of a command before each option and heading.
fn help_parts(command: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    for line in help(command).lines() {
        let is_option = line.starts_with("      --") || line.starts_with("  -");
        if is_option || (!line.starts_with(' ') && line.ends_with(':')) {
            parts.push(String::new());
        }
        let part = parts.last_mut().unwrap();
        part.push_str(line);
        part.push('\n');
    }
    parts.into_iter().map(|part| part.trim_end().to_owned()).collect()
}

fn whole_help(command: &str) -> String {
    let output = binary().args(command.split_whitespace()).arg("--help").output().unwrap();
    let text = expect_success(&output);
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}
