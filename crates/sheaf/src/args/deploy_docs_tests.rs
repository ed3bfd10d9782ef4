//! Tests that every `sheaf` command in `docs/deploy` is accepted by the real command line.

use crate::args::Arguments;
use clap::Parser as _;
use std::fs;
use std::path::{Path, PathBuf};
use yaml_rust2::{Yaml, YamlLoader};

fn deploy_docs_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/deploy")
}

fn list_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { list_files(&path) } else { vec![path] }).collect()
}

#[track_caller]
fn check_command(words: &[&str], location: &str) {
    let words: Vec<&str> =
        words.iter().map(|word| if word.ends_with("/sheaf") { "sheaf" } else { *word }).collect();
    if let Err(error) = Arguments::try_parse_from(&words) {
        panic!("{location} shows `{}`: {error}", words.join(" "));
    }
}

/// Returns the lines of a text, with continuation lines joined and comment marks removed.
fn join_continued_lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut goes_on = false;
    for line in text.lines() {
        let line = line.trim().trim_start_matches('#').trim();
        let (bare, more) = line.strip_suffix('\\').map_or((line, false), |bare| (bare, true));
        match lines.last_mut() {
            Some(last) if goes_on => *last = format!("{last} {}", bare.trim()),
            _ => lines.push(bare.trim().to_owned()),
        }
        goes_on = more;
    }
    lines
}

/// Returns the words of the `sheaf` command in a line, without `sudo` and redirections.
fn command_words(line: &str) -> Option<Vec<&str>> {
    let line = line.split(" > ").next()?.split(" && ").next()?;
    let line = line.split(" | ").next()?;
    let starts =
        ["sheaf ", "sudo -u sheaf sheaf ", "docker compose exec sheaf /usr/local/bin/sheaf "];
    let start = starts.iter().find(|start| line.starts_with(*start))?;
    let words = line[start.trim_end().rfind(' ').map_or(0, |at| at + 1)..].split_whitespace();
    Some(words.filter(|word| *word != "…").collect())
}

/// Returns the code blocks without a language, which show commands.
fn command_blocks(text: &str) -> String {
    text.split("```").skip(1).step_by(2).filter(|block| block.starts_with('\n')).collect()
}

#[test]
fn commands_in_deploy_docs_are_valid() {
    let mut found = 0;
    for path in list_files(&deploy_docs_folder()) {
        let text = fs::read_to_string(&path).unwrap();
        let is_page = path.extension().is_some_and(|ending| ending == "md");
        let text = if is_page { command_blocks(&text) } else { text };
        for line in join_continued_lines(&text) {
            if let Some(words) = command_words(&line) {
                check_command(&words, &path.display().to_string());
                found += 1;
            }
        }
    }
    assert!(found > 15, "only {found} commands were found");
}

#[test]
fn systemd_unit_starts_valid_command() {
    let text = fs::read_to_string(deploy_docs_folder().join("systemd/sheaf.service")).unwrap();
    let starts: Vec<_> = text.lines().filter_map(|line| line.strip_prefix("ExecStart=")).collect();
    assert_eq!(starts.len(), 1);
    check_command(&starts[0].split(' ').collect::<Vec<_>>(), "the unit");
}

/// Returns the words of a container instruction in list form.
fn container_instruction(text: &str, name: &str) -> Vec<String> {
    let line = text.lines().find(|line| line.starts_with(name)).unwrap();
    serde_json::from_str(&line[line.find('[').unwrap()..]).unwrap()
}

fn as_strs(list: &[String]) -> Vec<&str> {
    list.iter().map(String::as_str).collect()
}

#[test]
fn container_start_and_health_commands_are_valid() {
    let text = fs::read_to_string(deploy_docs_folder().join("container/Containerfile")).unwrap();
    let entry = container_instruction(&text, "ENTRYPOINT");
    let start = [as_strs(&entry), as_strs(&container_instruction(&text, "CMD"))].concat().join(" ");
    check_command(&start.split(' ').collect::<Vec<_>>(), "the container");
    check_command(&as_strs(&container_instruction(&text, "HEALTHCHECK")), "the health check");
    for line in ["USER 65532:65532", "VOLUME [\"/data\"]"] {
        assert!(text.lines().any(|found| found == line), "{line}");
    }
}

#[test]
fn compose_service_has_minimal_rights() {
    let text = fs::read_to_string(deploy_docs_folder().join("container/compose.yaml")).unwrap();
    let file = YamlLoader::load_from_str(&text).unwrap().remove(0);
    let sheaf = &file["services"]["sheaf"];
    check_service(sheaf, "compose.yaml");
    assert_eq!(yaml_strings(&sheaf["volumes"]), ["sheaf-data:/data"]);
    assert!(!file["volumes"]["sheaf-data"].is_badvalue());
}

#[test]
fn compose_instances_share_one_database() {
    let text = fs::read_to_string(deploy_docs_folder().join("many/compose.yaml")).unwrap();
    let file = YamlLoader::load_from_str(&text).unwrap().remove(0);
    for name in ["sheaf-1", "sheaf-2", "sheaf-3"] {
        let sheaf = &file["services"][name];
        check_service(sheaf, name);
        assert!(sheaf["volumes"].is_badvalue(), "{name} must have no volume");
        let url_file = sheaf["environment"]["SHEAF_DATABASE_URL_FILE"].as_str();
        assert_eq!(url_file, Some("/run/secrets/database-url"), "{name}");
    }
    assert!(!file["secrets"]["database-url"].is_badvalue());
}

fn yaml_strings(yaml: &Yaml) -> Vec<String> {
    yaml.as_vec().unwrap().iter().map(|word| word.as_str().unwrap().to_owned()).collect()
}

/// Checks that a service runs a valid command with minimal rights, behind the proxy only.
#[track_caller]
fn check_service(sheaf: &Yaml, location: &str) {
    let command = yaml_strings(&sheaf["command"]);
    check_command(&[vec!["sheaf"], as_strs(&command)].concat(), location);
    assert_eq!(sheaf["read_only"].as_bool(), Some(true), "{location}");
    assert_eq!(yaml_strings(&sheaf["cap_drop"]), ["ALL"], "{location}");
    assert_eq!(yaml_strings(&sheaf["security_opt"]), ["no-new-privileges:true"], "{location}");
    assert!(sheaf["ports"].is_badvalue(), "{location} must be reachable through the proxy only");
}

#[test]
fn alerts_use_existing_metrics() {
    let text = fs::read_to_string(deploy_docs_folder().join("metrics/alerts.yaml")).unwrap();
    let file = YamlLoader::load_from_str(&text).unwrap().remove(0);
    let rules = file["groups"][0]["rules"].as_vec().unwrap();
    assert!(rules.len() > 5);
    let sources = [
        include_str!("../../../server/src/metrics.rs"),
        include_str!("../operator/operator_metrics.rs"),
        include_str!("../operator/queue_metrics.rs"),
    ]
    .concat();
    for rule in rules {
        let expression = rule["expr"].as_str().unwrap();
        let names = expression.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        for name in names.filter(|name| name.starts_with("sheaf_")) {
            let name = name.trim_end_matches("_bucket");
            assert!(sources.contains(&format!("\"{name}\"")), "there is no metric `{name}`");
        }
    }
}
