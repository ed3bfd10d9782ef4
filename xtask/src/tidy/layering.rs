//! Layering rules: the dependencies that each crate and module may have, and the only modules that
//! use the clock, the environment, the database and the network.

use super::{Finding, Sources, code, is_test, rust_files};

/// Crates of the workspace, and the workspace crates that each may depend on outside of tests.
const ALLOWED_DEPENDENCIES: [(&str, &[&str]); 15] = [
    ("benches/Cargo.toml", &["contract", "store"]),
    ("crates/contract/Cargo.toml", &[]),
    ("crates/client/Cargo.toml", &["contract"]),
    ("crates/export-worker/Cargo.toml", &["contract"]),
    ("crates/store/Cargo.toml", &["contract"]),
    ("crates/store-sqlite/Cargo.toml", &["contract", "store"]),
    ("crates/store-postgres/Cargo.toml", &["contract", "store"]),
    ("crates/analysis/Cargo.toml", &["contract", "store"]),
    ("crates/notify/Cargo.toml", &["contract", "store"]),
    ("crates/api/Cargo.toml", &["contract", "notify", "store"]),
    ("crates/server/Cargo.toml", &["contract"]),
    ("crates/row-view/Cargo.toml", &["contract"]),
    ("crates/gateway/Cargo.toml", &["contract", "row-view"]),
    (
        "crates/sheaf/Cargo.toml",
        &[
            "analysis",
            "api",
            "contract",
            "gateway",
            "notify",
            "server",
            "store",
            "store-postgres",
            "store-sqlite",
        ],
    ),
    ("Cargo.toml", &["contract", "export-worker", "row-view"]),
];

const WORKSPACE_CRATES: [&str; 16] = [
    "analysis",
    "api",
    "bench",
    "client",
    "contract",
    "dashboard",
    "export-worker",
    "gateway",
    "notify",
    "row-view",
    "server",
    "sheaf",
    "store",
    "store-postgres",
    "store-sqlite",
    "xtask",
];

/// A word, the folder in which it is checked, and the only paths that may contain it.
struct Restriction {
    word: &'static str,
    watched: &'static str,
    allowed: &'static [&'static str],
}

const CLOCKS: &[&str] = &["crates/store/src/clock.rs", "crates/gateway/src/clock.rs"];
const ENVIRONMENT: &[&str] =
    &["benches/", "crates/test-servers/", "crates/sheaf/src/config.rs", "xtask/"];

const RESTRICTIONS: [Restriction; 25] = [
    Restriction { word: "Instant::now", watched: "crates/contract/", allowed: &[] },
    Restriction { word: "std::fs", watched: "crates/contract/", allowed: &[] },
    Restriction { word: "std::net", watched: "crates/contract/", allowed: &[] },
    Restriction { word: "std::thread", watched: "crates/contract/", allowed: &[] },
    Restriction { word: "async", watched: "crates/contract/", allowed: &[] },
    Restriction { word: "std::env", watched: "", allowed: ENVIRONMENT },
    Restriction { word: "env::var", watched: "", allowed: ENVIRONMENT },
    Restriction { word: "env::var_os", watched: "", allowed: ENVIRONMENT },
    Restriction { word: "env::vars", watched: "", allowed: ENVIRONMENT },
    Restriction { word: "SystemTime", watched: "", allowed: CLOCKS },
    Restriction { word: "Utc::now", watched: "", allowed: CLOCKS },
    Restriction { word: "rusqlite", watched: "", allowed: &["benches/", "crates/store-sqlite/"] },
    Restriction {
        word: "tokio_postgres",
        watched: "",
        allowed: &["benches/", "crates/store-postgres/"],
    },
    Restriction { word: "gloo_net", watched: "", allowed: &["src/api/"] },
    Restriction { word: "leptos", watched: "src/domain", allowed: &[] },
    Restriction { word: "leptos_router", watched: "src/domain", allowed: &[] },
    Restriction { word: "web_sys", watched: "src/domain", allowed: &[] },
    Restriction { word: "js_sys", watched: "src/domain", allowed: &[] },
    Restriction { word: "inner_html", watched: "", allowed: &[] },
    Restriction { word: "set_inner_html", watched: "", allowed: &[] },
    Restriction { word: "insert_adjacent_html", watched: "", allowed: &[] },
    Restriction { word: "outer_html", watched: "src/", allowed: &[] },
    Restriction { word: "todo!", watched: "", allowed: &[] },
    Restriction { word: "unimplemented!", watched: "", allowed: &[] },
    Restriction { word: "dbg!", watched: "", allowed: &[] },
];

/// Checks that no crate depends on a crate of the same or a higher layer.
pub(super) fn crates_depend_downwards(sources: &Sources) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, allowed) in ALLOWED_DEPENDENCIES {
        let manifest = sources.get(path).map_or("", String::as_str);
        for (line, name) in manifest_dependencies(manifest) {
            if WORKSPACE_CRATES.contains(&name) && !allowed.contains(&name) {
                let message = format!("may not depend on `{name}`: see the map in ARCHITECTURE");
                findings.push(Finding::new(path, line, message));
            }
        }
    }
    findings
}

/// Returns the names in `[dependencies]` and in target-specific tables. Dev-dependencies are
/// exempt.
fn manifest_dependencies(manifest: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut in_table = false;
    for (at, line) in manifest.lines().enumerate() {
        if line.starts_with('[') {
            in_table = line == "[dependencies]" || line.ends_with(".dependencies]");
            in_table &= !line.contains("workspace");
        } else if in_table && let Some(end) = line.find(['.', ' ', '=']) {
            found.push((at + 1, &line[..end]));
        }
    }
    found
}

/// Checks that clock, environment, database and network are each used in one place.
pub(super) fn restricted_words_stay_in_allowed_files(sources: &Sources) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in rust_files(sources).filter(|(path, _)| !is_test(path)) {
        let code = code::code_only(code::without_tests(text));
        for Restriction { word, watched, allowed } in &RESTRICTIONS {
            if !path.starts_with(watched) || allowed.iter().any(|place| path.starts_with(place)) {
                continue;
            }
            for line in code::lines_with(&code, word) {
                let message = match allowed {
                    [] => format!("`{word}` is not allowed here"),
                    places => format!("`{word}` is only allowed in {}", places.join(", ")),
                };
                findings.push(Finding::new(path, line, message));
            }
        }
    }
    findings
}

/// Checks that no page imports another page.
pub(super) fn pages_do_not_import_each_other(sources: &Sources) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in rust_files(sources) {
        let Some(below) = path.strip_prefix("src/pages/") else { continue };
        let page = below.split(['/', '.']).next().unwrap_or_default();
        if page == "mod" {
            continue;
        }
        let up = if below.contains('/') { "super::super::" } else { "super::" };
        let code = code::code_only(code::without_tests(text));
        for (at, line) in code.lines().enumerate() {
            let named = line.split("pages::").skip(1).any(|rest| !begins_with(rest, page));
            if named || line.contains(up) {
                let message = format!(
                    "`{page}` imports another page: move the code to `components` or `state`"
                );
                findings.push(Finding::new(path, at + 1, message));
            }
        }
    }
    findings
}

fn begins_with(rest: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    rest.strip_prefix(word).is_some_and(|after| !after.starts_with(is_part))
}

/// Folders of the dashboard, and the modules that each may use.
const LAYERS: [(&str, &[&str]); 7] = [
    ("src/domain", &["domain", "i18n"]),
    ("src/i18n", &["i18n", "ui"]),
    ("src/ui", &["i18n", "ui"]),
    ("src/api", &["api", "domain", "i18n", "routes"]),
    ("src/state", &["api", "domain", "i18n", "state", "ui"]),
    ("src/components", &["api", "components", "domain", "i18n", "routes", "state", "ui"]),
    ("src/pages", &["api", "components", "domain", "i18n", "pages", "routes", "state", "ui"]),
];

/// Macros of the dashboard, which are at the root of the crate.
const MACROS: [&str; 2] = ["lazy_actions", "lazy_views"];

/// Checks that a module of the dashboard uses only its own and lower layers.
pub(super) fn dashboard_layers_point_down(sources: &Sources) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in rust_files(sources) {
        let is_below = |(folder, _): &&(&str, &[&str])| {
            path.strip_prefix(folder).is_some_and(|rest| rest.starts_with(['/', '.']))
        };
        let Some((folder, allowed)) = LAYERS.iter().find(is_below) else { continue };
        let code = code::code_only(code::without_tests(text));
        for (line, name) in crate_modules(&code) {
            if !allowed.contains(&name) && !MACROS.contains(&name) {
                let message =
                    format!("`{folder}` may not use `{name}`: see the map in ARCHITECTURE");
                findings.push(Finding::new(path, line, message));
            }
        }
    }
    findings
}

/// Returns the modules that follow `crate::`, also in braces, with their line numbers.
fn crate_modules(code: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for (start, prefix) in code.match_indices("crate::") {
        let start = start + prefix.len();
        let rest = &code[start..];
        if !rest.starts_with('{') {
            found.push((start, first_word(rest)));
            continue;
        }
        let mut depth = 0;
        for (at, sign) in rest.char_indices() {
            match sign {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
            if depth == 1 && matches!(sign, '{' | ',') {
                let name = rest[at + 1..].trim_start();
                found.push((code.len() - name.len(), first_word(name)));
            }
        }
    }
    let line = |at: usize| code[..at].matches('\n').count() + 1;
    found.retain(|(_, name)| !name.is_empty());
    found.into_iter().map(|(at, name)| (line(at), name)).collect()
}

fn first_word(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::sources_of;

    #[test]
    fn upward_dependency_is_found() {
        let check = |path: &str, manifest: &str, found: usize| {
            let sources = sources_of(&[(path, manifest)]);
            assert_eq!(crates_depend_downwards(&sources).len(), found, "{manifest}");
        };
        let path = "crates/gateway/Cargo.toml";
        check(path, "[dependencies]\ncontract.workspace = true\n", 0);
        check(path, "[dependencies]\napi.workspace = true\n", 1);
        check(path, "[dev-dependencies]\napi.workspace = true\n", 0);
        check("crates/contract/Cargo.toml", "[dependencies]\napi = { path = \"\" }\n", 1);
        check("Cargo.toml", "[workspace.dependencies]\napi = { path = \"\" }\n", 0);
    }

    #[test]
    fn restricted_word_elsewhere_is_found() {
        let check = |path: &str, text: &str, found: usize| {
            let findings = restricted_words_stay_in_allowed_files(&sources_of(&[(path, text)]));
            assert_eq!(findings.len(), found, "{path}: {text}: {findings:?}");
        };
        check("crates/contract/src/lib.rs", "let begin = Instant::now();", 1);
        check("crates/contract/src/lib.rs", "use std::time::Duration;", 0);
        check("crates/api/src/lib.rs", "let begin = Instant::now();", 0);
        check("crates/api/src/lib.rs", "SystemTime::now()", 1);
        check("crates/store/src/clock.rs", "SystemTime::now()", 0);
        check("crates/api/src/lib.rs", "use std::env;", 1);
        check("crates/sheaf/src/config.rs", "use std::env;", 0);
        check("crates/store-sqlite/src/lib.rs", "use rusqlite::Row;", 0);
        check("crates/api/src/router.rs", "use rusqlite::Row;", 1);
        check("src/pages/forms.rs", "use gloo_net::http;", 1);
        check("src/api/request.rs", "use gloo_net::http;", 0);
        check("src/domain/list_model.rs", "use leptos::prelude::*;", 1);
        check("src/ui/badge.rs", "<p inner_html=x/>", 1);
        check("src/lib.rs", "// dbg! is not for us\nf(\"todo!\")", 0);
        check("src/lib.rs", "todo!()", 1);
        check("tests/e2e/main.rs", "std::env::var(a)", 0);
    }

    #[test]
    fn import_of_another_page_is_found() {
        let check = |path: &str, text: &str, found: usize| {
            let sources = sources_of(&[(path, text)]);
            assert_eq!(pages_do_not_import_each_other(&sources).len(), found, "{path}: {text}");
        };
        check("src/pages/forms.rs", "use crate::pages::forms::x;", 0);
        check("src/pages/forms.rs", "use crate::pages::insights::x;", 1);
        check("src/pages/forms.rs", "use super::insights;", 1);
        check("src/pages/forms/card.rs", "use super::x;", 0);
        check("src/pages/forms/card.rs", "use super::super::x;", 1);
        check("src/app.rs", "use crate::pages::insights;", 0);
        check("src/pages/mod.rs", "pub use crate::pages::insights::Insights;", 0);
    }

    #[test]
    fn use_of_higher_layer_is_found() {
        let check = |path: &str, text: &str, found: usize| {
            let findings = dashboard_layers_point_down(&sources_of(&[(path, text)]));
            assert_eq!(findings.len(), found, "{path}: {text}: {findings:?}");
        };
        let badge = "src/ui/badge.rs";
        check(badge, "use crate::ui::icon::Icon;", 0);
        check(badge, "use crate::i18n::{self, Language};", 0);
        check(badge, "use crate::domain::time;", 1);
        check(badge, "use crate::{ui, domain};", 1);
        check(badge, "use crate::{\n    i18n,\n    ui::{icon::Icon, focus},\n    state::x,\n};", 1);
        check("src/domain/filter.rs", "crate::state::session::f()", 1);
        check("src/domain/filter.rs", "use crate::i18n;\nmod tests { use crate::routes; }", 1);
        check("src/i18n.rs", "use crate::components::page::number;", 1);
        check("src/pages/forms.rs", "use crate::{components::page, lazy_views, layout::bars};", 1);
        check("src/app.rs", "use crate::{layout, lazy, pages};", 0);
    }
}
