//! The crates that each crate may depend on: its lower layers, and a database driver in one crate.

use super::{Finding, Sources, code};

/// Manifests, and the restricted crates that each may depend on outside of tests.
const ALLOWED: [(&str, &[&str]); 15] = [
    ("Cargo.toml", &["contract", "export-worker", "row-view"]),
    ("benches/Cargo.toml", &["contract", "rusqlite", "store", "tokio-postgres"]),
    ("crates/analysis/Cargo.toml", &["contract", "store"]),
    ("crates/api/Cargo.toml", &["contract", "notify", "store"]),
    ("crates/client/Cargo.toml", &["contract"]),
    ("crates/contract/Cargo.toml", &[]),
    ("crates/export-worker/Cargo.toml", &["contract"]),
    ("crates/gateway/Cargo.toml", &["contract", "row-view"]),
    ("crates/notify/Cargo.toml", &["contract", "store"]),
    ("crates/row-view/Cargo.toml", &["contract"]),
    ("crates/server/Cargo.toml", &["contract"]),
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
    ("crates/store/Cargo.toml", &["contract"]),
    ("crates/store-postgres/Cargo.toml", &["contract", "store", "tokio-postgres"]),
    ("crates/store-sqlite/Cargo.toml", &["contract", "rusqlite", "store"]),
];

/// A dependency of a restricted crate.
const RESTRICTED: &str = "^(analysis|api|bench|client|contract|dashboard|export-worker|gateway|\
    notify|row-view|rusqlite|server|sheaf|store|store-postgres|store-sqlite|tokio-postgres|xtask)\
    [. =]";

/// Checks that no crate depends on a crate of the same or a higher layer. Dev-dependencies are
/// exempt.
pub(super) fn crates_depend_downwards(sources: &Sources) -> Vec<Finding> {
    let table = code::regex(r"^\[(dependencies|target\..*\.dependencies)\]");
    let restricted = code::regex(RESTRICTED);
    let mut findings = Vec::new();
    for (path, allowed) in ALLOWED {
        let mut in_table = false;
        let manifest = sources.get(path).map_or("", |source| &source.text);
        for (at, line) in manifest.lines().enumerate() {
            if line.starts_with('[') {
                in_table = table.is_match(line);
            }
            let name =
                restricted.captures(line).filter(|_| in_table).map(|found| found[1].to_owned());
            if let Some(name) = name.filter(|name| !allowed.contains(&name.as_str())) {
                let message = format!("may not depend on `{name}`: see the map in ARCHITECTURE");
                findings.push(Finding::new(path, at + 1, message));
            }
        }
    }
    findings
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
        check(path, "[target.'cfg(unix)'.dependencies]\nrusqlite = \"1\"\n", 1);
        check(path, "[dev-dependencies]\napi.workspace = true\n", 0);
        check("crates/contract/Cargo.toml", "[dependencies]\napi = { path = \"\" }\n", 1);
        check("Cargo.toml", "[workspace.dependencies]\napi = { path = \"\" }\n", 0);
    }
}
